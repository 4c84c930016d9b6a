/* bench=truth: measures programs whose counts are known, to show which of the CPU's counters are right. */
#pragma once
#include "bench/truth.h"
#include "measure/run.h"

/* TRUTH_WITHIN: not below its derived lower bound; there is no upper bound. */
enum truth_verdict {
    TRUTH_AGREES,
    TRUTH_WITHIN,
    TRUTH_DIFFERS,
    TRUTH_ABSENT,
    TRUTH_NOT_ADVANCING,
    TRUTH_REFUSED,    /* the driver: an erratum */
    TRUTH_UNMODELLED, /* the PMU model lacks the event (kernel/model.h) */
    TRUTH_ANSWERED,   /* of a question: both sides were counted */
    TRUTH_VERDICTS
};

/* "agrees", "within", "differs", "absent", "not advancing", "refused", "unmodelled", "answered".
 */
const char *truth_verdict_text(enum truth_verdict v);

/* A program's count of one event. */
struct truth_count {
    enum truth_verdict state; /* TRUTH_AGREES: measured, and the rest is valid; else why it was not */
    double median, min, max;  /* overhead and base are subtracted */
    double base;              /* the median of the program's base, 0 where it has none */
    uint64_t raw_min, overhead;
    unsigned group, groups, counter, reps;
    unsigned smi, stray;   /* repetitions with this disturbance */
    uint64_t errata;       /* of the event */
    bool overhead_lowered; /* the program's or the base's (struct counted) */
};

struct truth_result {
    const struct truth_program *program;
    const struct truth_row *row;
    uint64_t expected; /* or the least (truth_row.least); TRUTH_UNKNOWN: it depends on a geometry that is not
                          known; the verdict is TRUTH_ABSENT */
    struct truth_count count;
    enum truth_verdict verdict;
};

struct truth_relation_result {
    const struct truth_program *program;
    const struct truth_relation *relation;
    double left, right;    /* sums; if a term was not measured, its state is the verdict */
    uint64_t errata;       /* of the terms */
    bool overhead_lowered; /* of one of the terms */
    enum truth_verdict verdict;
};

/* The receiver of results, each as soon as it exists. */
struct truth_sink {
    void (*result)(void *ctx, const struct truth_result *r);
    void (*relation)(void *ctx, const struct truth_relation_result *r);
    void (*failure)(void *ctx, const struct run *run); /* a program, or its base, that did not complete */
    /* The program is not run here, because it needs what: "CPL 0" (with ring=3), "MMX", ... */
    void (*left_out)(void *ctx, const struct truth_program *p, const char *what);
    void *ctx;
};

struct truth_totals {
    unsigned verdict[TRUTH_VERDICTS]; /* results and relations of each kind */
    unsigned programs, failed;
    bool cancelled;
};

/* Measure all programs whose events this CPU's family has (ACTION_TRUTH), or those about tags (ACTION_TAGS).
 * cpu->pmu must be a known one. Of opt it uses everything that is not about events: reps, warm-up, ring,
 * serialize, cull.
 */
void truth_run(enum action suite, const struct options *opt, const struct cpu *cpu, struct arena *arena,
               const struct truth_sink *sink, struct truth_totals *totals);

/* The preparation before each of a program's brackets (TRUTH_FLUSH, TRUTH_JUMPS), in words; NULL: none. */
const char *truth_before_text(const struct truth_program *p);

/* The i-th program, NULL after the last; for tests. truth_mixed is not among them. */
const struct truth_program *truth_program_at(unsigned i);
