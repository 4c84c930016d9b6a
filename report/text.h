/* Shared by the text faces. Private to report/. */
#pragma once
#include "report/record.h"

/* An 80-column screen wraps after its last column, so this column stays free. */
#define TEXT_COLUMNS 79
#define TEXT_INDENT  12 /* where the values of "  CPU ..." begin */

typedef void (*text_put)(const char *line);

/* Forget tables and pending lines: a new session begins. */
void text_begin(void);
/* Print pending lines first. */
void text_finish(text_put put);

/* ---- paragraphs (report/text_para.c) ---- Text wrapped at TEXT_COLUMNS, with later lines indented. Bytes
 * other than printable ASCII are printed as \xNN, since words of a command line may contain any byte. */
struct para {
    text_put put;
    unsigned indent, n;
    bool wrapped; /* a line was put already */
    bool glue;    /* set: the following blanks do not break */
    char line[TEXT_COLUMNS + 1];
};

/* label is padded with blanks to indent columns, or may be longer; indent <= TEXT_COLUMNS / 2. */
void para_begin(struct para *p, text_put put, const char *label, unsigned indent);
void para_str(struct para *p, const char *s);
void para_printf(struct para *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));                               /* up to 127 bytes */
void para_bytes(struct para *p, double bytes);                           /* "32 KiB", "1.5 MiB" */
void para_field(struct para *p, const struct field *f);                  /* the value of a scalar field */
void para_list(struct para *p, const struct record *r, const char *key); /* an array of scalars: "a, b, c" */
void para_end(struct para *p);

/* ---- nested fields ----
 * for (f = members(rec_find(r, "caches")); f; f = member_next(f)): NULL in, NULL out. */
const struct field *members(const struct field *open);
const struct field *member_next(const struct field *f);
const struct field *member(const struct field *open, const char *key); /* of an object; NULL where absent */
const char *member_text(const struct field *open, const char *key, const char *fallback);

/* ---- what the faces share about values ---- */
/* A whole number with all of its digits; of another one at least five. An exact 0 is "0". scale: the largest
 * value of its row, which decides on the decimals. (report/text_number.c) */
void text_number(char *s, size_t cap, double v, double scale);
/* The same by itself, a whole number without decimals. */
void text_plain(char *s, size_t cap, double v);
/* The same for events counted in an operation: never rounded if three decimals are enough. */
void text_count(char *s, size_t cap, double v, double scale);
/* The median in core cycles; 0: unknown, or the ticks themselves. */
double text_core_cycles(const struct record *r);

/* ---- doubt (report/text_doubt.c) ---- */
/* A line for each flag of doubt that the record has: overhead-lowered, wrapped, upper-bits,
 * overcount, undercount, erratum. */
void text_doubts(const struct record *r, text_put put);
void text_disturbances(
    const struct record *r,
    text_put put); /* the number of repetitions that were slow, or disturbed, and by what */
bool text_has_doubt(const struct record *r); /* any of these */
/* Adds the names in a list of errata: ": erratum SRF7". */
void text_errata(struct para *p, const struct field *list);

/* How the counter of a result began, where that was not at 0 (report/text_doubt.c). */
bool text_has_preset(const struct record *r);
void text_preset(const struct record *r, text_put put);

/* Writes what a session ran on: "Intel(R) Pentium(R) 4 CPU 2.40GHz"; if that was not a processor, or not
 * alone: "p55c (modelled in Bochs)", "QEMU TCG CPU version 2.5+ (emulated by QEMU)". An emulator answers
 * CPUID with the brand of a processor that it is not. platform, model: of the `boot` record, "" if absent;
 * cpu: the `cpu` record (report/text_machine.c). */
void text_machine_name(char *s, size_t cap, const char *platform, const char *model,
                       const struct record *cpu);

/* ---- the legend (report/text_legend.c) ---- Marks and columns that were used are explained at the end of
 * the run. */
enum legend {
    LEGEND_OVERHEAD,
    LEGEND_INTERVAL,
    LEGEND_WIDE,
    LEGEND_DOUBT,
    LEGEND_SLOW,
    LEGEND_WITHIN,
    LEGEND_DIFFERS,
    LEGEND_VARIES,
    LEGEND_COUNT
};
void text_legend_begin(void);
void text_legend_use(enum legend entry);
void text_legend_put(const char *intervals, text_put put); /* intervals: what they cover */

/* ---- where the numbers come from (report/text_legend.c) ---- Tables print it once at their heads: in a row
 * a letter would read as a unit. */
/* Sets the origin of a session: "hosted", "emulated", "virtualized" or "modelled"; NULL: a processor, or
 * unknown. */
void text_origin_begin(const char *origin);
/* The origin that the record's flags name, if it is another one: its row needs a new head. Else NULL. */
const char *text_origin_other(const struct record *r);
const char *text_origin(void);      /* the same words; NULL: a processor, or unknown */
void text_origin_put(text_put put); /* the sentence for the head of a table; nothing if NULL */

/* ---- the grid of a sweep (report/text_grid.c) ---- */
/* Adds a result or a derived figure. True: its value is in the grid. False: it is printed as a row, through
 * grid_put(). ci: half the interval of the mean. */
bool grid_result(const struct record *r, double ci, text_put put);
bool grid_derived(const struct record *r, text_put put);
text_put grid_put(text_put put);
void grid_close(text_put put);

/* ---- the rows of results (report/text_rows.c) ---- */
/* A row, with the heading before the first. conf: the interval's confidence in %; 0: it has none. */
void text_row(const struct record *r, unsigned conf, double ci, text_put put);
void text_rows_forget(void); /* the rows held last are not printed: the next row prints the heading again */
void text_rows_legend(void); /* rows were printed: the legend explains their columns */

bool has_flag(const struct record *r, const char *key,
              const char *flag); /* a string in an array of strings */

/* ---- the faces ---- */
void text_boot(const struct record *r, text_put put); /* report/text_machine.c */
void text_machine_begin(void);
void text_cpu(const struct record *r, text_put put);
void text_processors(const struct record *r, text_put put);
/* The whole waits for its processors: it is drawn when the last of them has come, or another record. */
void text_topology(const struct record *r, text_put put); /* report/text_topology.c */
void text_place(const struct record *r, text_put put);
void text_topology_close(text_put put);                         /* put NULL: what came is dropped */
void text_certificate(const struct record *done, text_put put); /* a line if something is off */
void text_quiet(const struct record *r, text_put put);
void text_result(const struct record *r, text_put put); /* report/text_result.c */
/* Prints the held part of the table (put NULL: drops it); the next result prints the heading. */
void text_table_close(text_put put);
void text_region(const struct record *r, text_put put); /* report/text_region.c */
void text_region_close(void);
void text_steps(const struct record *r, text_put put); /* report/text_steps.c */
void text_step(const struct record *r, text_put put);
void text_steps_close(text_put put);                   /* rows that are held; put NULL: they are dropped */
void text_trace(const struct record *r, text_put put); /* report/text_trace.c */
void text_trace_entries(const struct record *r, text_put put);
void text_profile(const struct record *r, text_put put); /* report/text_profile.c */
void text_deduction(const struct record *r, text_put put);
void text_memory(const struct record *r, text_put put); /* report/text_memory.c */
void text_memory_begin(void);                           /* what is explained once is explained again */
/* A row by its fields: the level, or of a translation the TLB that had it, "L2 TLB". */
const char *text_memory_name(const char *by, const char *what);
void text_branches(const struct record *r, text_put put); /* report/text_branches.c */
void text_blocks(const struct record *r, text_put put);
void text_stacks(const struct record *r, text_put put);
void text_bench(const struct record *r, text_put put);
void text_levels(const struct record *r, text_put put);
void text_derived(const struct record *r, text_put put); /* report/text_result.c */
void text_truth(const struct record *r, text_put put);   /* report/text_truth.c */
void text_relation(const struct record *r, text_put put);
void text_truths(const struct record *r, text_put put);
void text_sampling(const struct record *r, text_put put);   /* report/text_sample.c */
void text_truth_close(void);                                /* the next one prints the heading again */
void text_experiment(const struct record *r, text_put put); /* report/text_experiment.c */
void text_experiment_close(void);
void text_pair(const struct record *r, text_put put); /* report/text_pair.c */
void text_pair_close(void);                           /* the next one prints the heading again */
void text_measuring(const struct record *r, text_put put);
/* A line for each, if the record has any; once for all events of a measurement. */
void text_neighbours(const struct record *r, text_put put);
void text_neighbours_forget(void);
void text_event(const struct record *r, text_put put);     /* report/text_bench.c */
void text_lab_value(const struct record *r, text_put put); /* report/text_lab.c */
void text_lab_row(const struct record *r, text_put put);
void text_lab_series(const struct record *r, text_put put);
void text_lab_heading(const struct record *r, text_put put); /* the experiment, where it is another one */
/* Its errata, which are printed once. */
void text_lab_doubts(const struct record *r, text_put put);
void text_matrix(const struct record *r, text_put put);   /* report/text_matrix.c */
void text_matrix_close(void);                             /* one that is not complete is dropped */
void text_lab_close(void);                                /* the next row prints its heading */
void text_interval(const struct record *r, text_put put); /* report/text_rates.c */
void text_interval_close(void);                           /* the next one prints the heading again */
