/* What `anechoic compare` knows of two sides, OLD and NEW: their machines, and a row for each thing that was
 * measured on at least one of them. host/compare_read.c fills it from captures, host/compare_machine.c says
 * on what the two ran, host/compare_judge.c comes to the verdicts, host/compare.c prints them. */
#pragma once
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum side { OLD, NEW, SIDES };
extern const char *const side_name[SIDES];

/* The values of one side: one for each boot that has this row. */
struct measured {
    double *value; /* the median of a boot's repetitions; where they were all the same, that value exactly */
    size_t n;
    bool spread;   /* the repetitions of a boot were not all the same, or there was only one */
    bool alone;    /* there was only one */
    json_t *shape; /* of the first boot's repetitions: least, median, mean, greatest, interval, number */
    double step;   /* the values come in steps of this */
    json_t *unit;  /* NULL where n is 0 */
};

enum verdict { SAME, FASTER, SLOWER, FEWER, MORE, CANNOT_TELL, ONLY_OLD, ONLY_NEW, VERDICTS };
extern const char *const verdict_name[VERDICTS];

struct compared {
    json_t *id;  /* bench, variant, params, cpu, ring, event, region, occurrence; what does not apply is not
                    there */
    char *label; /* all of them but the event, for people */
    const char *event;
    bool emulated;  /* a model's or an emulator's: nothing disturbs it but the program itself */
    json_t *doubts; /* flags that say that a value may be wrong, as keys */
    struct measured side[SIDES];

    /* host/compare_judge.c */
    enum verdict verdict;
    const char *why;         /* something to say about the verdict; NULL: nothing */
    bool exact;              /* compared as numbers without error */
    bool tested;             /* by Welch's test: then p, level, and low and high are there */
    double mean[SIDES];      /* of the boots: the geometric mean where all are positive */
    double ratio, low, high; /* NEW by OLD, and its interval; NaN: there is none */
    double p, level;
    bool beyond; /* it fails --fail-over */
};

struct comparison {
    struct compared *row;
    size_t n, room;
    json_t *index;        /* of rows by what they are */
    size_t boots[SIDES];  /* sessions */
    size_t faults;        /* of all captures */
    size_t failed[SIDES]; /* sessions whose "end" has another status than 0 */
    size_t without_value; /* results that an "unmodelled" event has none for */
    json_t *facts[SIDES]; /* host/compare_machine.c: name of a fact -> values that were seen, as keys */
    bool emulator[SIDES], hardware[SIDES];
    bool hosted[SIDES], booted[SIDES]; /* as a Linux process, or on a machine of its own */
    bool no_memory;
};

void comparison_begin(struct comparison *c);
void comparison_end(struct comparison *c);

/* Adds what one capture holds; each session is a boot. Faults are said on standard error, by name. False: it
 * could not be read, errno says why. */
bool comparison_read(struct comparison *c, enum side side, const char *name, FILE *in);

/* Takes the facts of a "boot" or "cpu" record; ignores others. */
void comparison_machine(struct comparison *c, enum side side, const json_t *record, const char *type);

/* What is different: calls say() with each sentence. */
void comparison_differences(const struct comparison *c, void (*say)(void *ctx, const char *sentence),
                            void *ctx);

/* Why the two cannot be compared at all; NULL: they can. */
const char *comparison_refused(const struct comparison *c);

struct judging {
    double margin;    /* 0.01: what lies within 1 % is the same */
    double fail_over; /* 0.05: what is more than 5 % more fails; negative: nothing does */
};

/* Fills the lower half of each row. False: no memory. */
bool comparison_judge(struct comparison *c, const struct judging *how);
