/* The faces of `anechoic show`: each takes the records of all captures, one by one. */
#pragma once
#include "host/records.h"
#include "host/table.h"

/* ---- rows: csv, json, ktap (host/show_rows.c) ---- */

struct show_rows {
    struct table table;
    const char *file; /* at hand; the caller's */
    unsigned long session;
    size_t first;       /* row of the session */
    json_t *boot, *cpu; /* the session's */
    bool modelled;      /* by its boot, or a record's flag */
    char *machine;      /* NULL: not known yet */
};

void show_rows_begin(struct show_rows *s);
/* The rows that follow are of this capture's first session; of the next one. */
void show_rows_file(struct show_rows *s, const char *name);
void show_rows_next(struct show_rows *s);
/* Results, regions, truth rows, relations and errors become rows; others are passed over. */
void show_rows_record(struct show_rows *s, const json_t *o, const char *type);
/* For ktap: that a session ended well, and that a capture is undamaged, are tests, too. */
void show_rows_session(struct show_rows *s, const char *name, const struct session_seen *seen);
void show_rows_capture(struct show_rows *s, const char *name, unsigned long faults);
/* False: no memory. */
bool show_rows_end(struct show_rows *s, enum table_format format, FILE *to);

/* ---- run_p5mon's results file (host/show_p5mon*.c) ---- */

/* Lists that its records get, of their repetitions: a number, or null where there is none. */
#define P5MON_VALUES "values"
#define P5MON_LEAST  "reps least" /* a region's, whose values are not always known */
#define P5MON_MOST   "reps most"

struct show_p5mon {
    FILE *to;
    json_t *id;      /* of the measurement at hand: benchmark, variant, parameters, CPU, ring; NULL: none */
    json_t *results; /* its results, */
    json_t *regions; /* and its regions, with their repetitions */
    bool pentium;    /* its events have codes that run_p5mon knows */
};

void show_p5mon_begin(struct show_p5mon *p, FILE *to);
void show_p5mon_record(struct show_p5mon *p, json_t *o, const char *type);
/* What is at hand is complete. */
void show_p5mon_flush(struct show_p5mon *p);
/* Its block. */
void show_p5mon_print(const struct show_p5mon *p);
void show_p5mon_end(struct show_p5mon *p);
