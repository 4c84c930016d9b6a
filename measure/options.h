/* The command line's meaning: words -> options. Every fault is reported, none is papered over with a default.
 */
#pragma once
#include "kernel/cmdline.h"
#include "kernel/exit.h"
#include "measure/bracket.h"
#include "measure/plan.h"
#include "measure/schedule.h"

enum action { ACTION_MEASURE, ACTION_LIST };

struct options {
    enum action action; /* bench=list */
    unsigned reps;      /* 1..1000000 */
    bool reps_given;
    unsigned warmup; /* 0..10000 */
    unsigned conf;   /* 95 or 99 */
    bool all;        /* all=1: every repetition goes into records */
    bool cull;       /* cull=flagged: flagged repetitions are left out of the statistics */
    enum serialize serialize;
    const struct event *event[EVENTS_MAX];
    unsigned n_events;
    uint64_t tsc_hz;        /* tsc=HZ, 0 = find out */
    bool text, records;     /* false: that face is off */
    const char *records_to; /* records=com2: the spec, ended by a blank or NUL; NULL = the console's port */
    enum exit_how exit;
};

#define REPS_MAX   1000000
#define REPS_DEF   20
#define WARMUP_DEF 2

/* One fault: the word it is about (NULL for the line as a whole), what is wrong with which part, what is
 * valid. */
struct fault {
    const struct word *word;
    const char *part; /* inside word->text */
    size_t part_len;
    const char *what; /* "unknown benchmark" */
    char valid[256];
};
typedef void fault_fn(void *ctx, const struct fault *f);

/* Parse a whole command line into *opt and *plan. memory: bytes of the benchmark pool. Returns the number of
 * faults, each of which went to report(). With any fault nothing in *opt or *plan may be used. The line is
 * kept: options point into it. */
unsigned options_parse(const char *line, const char *loader, const struct bench *const *bench,
                       unsigned n_bench, uint64_t memory, struct options *opt, struct plan *plan,
                       fault_fn *report, void *ctx);
