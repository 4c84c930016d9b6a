/* The command line's meaning: words -> options. Every fault is reported, none is papered over with a default.
 */
#pragma once
#include "kernel/cmdline.h"
#include "kernel/exit.h"
#include "measure/bracket.h"
#include "measure/plan.h"
#include "measure/schedule.h"

enum action { ACTION_MEASURE, ACTION_LIST, ACTION_TRUTH };

struct options {
    enum action action; /* bench=list, bench=truth */
    unsigned reps;      /* 1..1000000 */
    bool reps_given;
    unsigned warmup; /* 0..10000 */
    unsigned conf;   /* 95 or 99 */
    bool all;        /* all=1: every repetition goes into records */
    bool cull;       /* cull=flagged: flagged repetitions are left out of the statistics */
    enum serialize serialize;
    struct pmu_code event[EVENTS_MAX]; /* what counters shall count */
    unsigned n_events;
    bool tsc;               /* the time stamp was asked for, or nothing was */
    bool list_events;       /* events=list */
    char absent[128];       /* perf's words that this CPU has no event for, separated by blanks */
    unsigned ring;          /* 0 or 3: where payloads run */
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

/* What the words are judged against. */
struct options_context {
    const struct bench *const *bench;
    unsigned n_bench;
    const struct pmu *pmu;
    const struct cpu_id *id;
    const struct cache_info *caches;
    uint64_t memory; /* bytes of the benchmark pool */
};

/* Parse a whole command line into *opt and *plan. Returns the number of
 * faults, each of which went to report(). With any fault nothing in *opt or *plan may be used. The line is
 * kept: options point into it. */
unsigned options_parse(const char *line, const char *loader, const struct options_context *with,
                       struct options *opt, struct plan *plan, fault_fn *report, void *ctx);
