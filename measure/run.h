/* Run one plan item: prepare, warm up, measure the overhead, repeat the bracket; once for each group of
 * events. */
#pragma once
#include "kernel/machine.h"
#include "kernel/trap.h"
#include "measure/options.h"
#include "measure/region.h"
#include "measure/schedule.h"

/* Flags of a repetition. */
#define REP_SMI   1 /* the SMI counter changed */
#define REP_SLOW  2 /* raw above the median by more than max(10 %, 1 us); set by reduce */
#define REP_STRAY 4 /* an unexpected interrupt or NMI arrived */

struct attempts;
struct preset;
struct neighbours; /* measure/neighbour.h */
struct trace;      /* measure/trace.h */
enum run_status {
    RUN_OK,
    RUN_PREPARE,
    RUN_TRAP,
    RUN_CANCELLED,
    RUN_MEMORY,
    RUN_PMU,
    RUN_ENDED,
    RUN_EXITED,
    RUN_LOST,
    RUN_IMPOSSIBLE
};

/* RUN_LOST: its processor does not answer any more. RUN_ENDED: it took longer than limit=, and trap says
 * where it was. RUN_EXITED: a program of the user's ended with a status that says that it failed.
 * RUN_IMPOSSIBLE: it counted what cannot be, or did not return to the bracket. */

/* One event's values of one run. */
struct counted {
    const char *event;     /* "tsc", or as the user wrote it */
    unsigned counter;      /* which counter; 0 for the time stamp */
    uint64_t *raw;         /* reps of them */
    uint64_t *base;        /* reps of the baseline; NULL: there is none (bench_run.baseline) */
    uint64_t overhead;     /* least raw value of the empty bracket; of the baseline, set by reduce(); 0 for a
                              series, which has none */
    bool overhead_lowered; /* set by reduce(): a raw value was below the measured overhead, which was too high
                              and is now that value */
    bool wrapped;          /* a repetition was long enough for the counter to wrap around */
    uint64_t errata;       /* struct pmu_code */
    uint64_t impossible;   /* a repetition's value that is no count (execution_most()); 0: all are counts */
    bool lacking;          /* the PMU model lacks this event: raw[] and overhead are meaningless */
    bool unmodelled;       /* no result: it lacks the event, or raw[] is in the model's own cycles */
    const struct preset *preset; /* measure/preset.h; NULL: its counter ran from 0, as it was */
    bool upper_bits; /* NetBurst: a value has bits above 31 that were read by RDPMC, and erratum N17 may have
                        falsified them */
};

struct run {
    struct program program;          /* what was run */
    const struct plan_item *item;    /* the benchmark; NULL: a suite's program */
    unsigned group, groups;          /* group of events, number of groups */
    const struct attempts *attempts; /* measure/reduce.h; NULL: again= is not for it */
    struct bench_run bench;          /* parameters as they were used, ops */
    enum run_status status;
    struct trap trap;          /* RUN_TRAP, RUN_ENDED */
    const struct cpu *cpu;     /* where it was; NULL: it was refused before */
    struct neighbours *beside; /* what ran beside it; NULL: nothing did */
    uint64_t errata;           /* errata of all events that an experiment has counted so far (pmu/errata.h) */
    unsigned reps;             /* repetitions, or quanta of a series */
    uint8_t *flags;            /* REP_* of each repetition */
    uint8_t *base_flags;       /* of each of the baseline; NULL: there is none */
    struct regions *regions;   /* the payload's regions; NULL: it marks none */
    struct trace *trace;       /* the payload's hooks; NULL: it has none */
    const char *read;          /* how counters were read: "rdpmc", "fast rdpmc" (their low 32 bits, which were
                                  enough), "rdmsr"; NULL: none were */
    double core_per_tsc;       /* core cycles in a tick, over all its repetitions; 0: not known */
    unsigned smis, strays;     /* of a series as a whole: the quantum that they hit is unknown */
    bool counts_smis;     /* a counter that was free has counted smis (struct pmu, smi_event): of the run as a
                             whole, with its overhead and warm-ups */
    unsigned smi_counter; /* which one */
    unsigned n;           /* events measured: the time stamp first, then the group's */
    struct counted count[1 + BRACKET_COUNTERS];
};

/* Run a program on this CPU with one group of events (NULL: the time stamp alone). The arena is emptied first
 * and holds raw[], flags[] and *regions afterwards, until the next run. */
void run_program(const struct program *program, const struct options *opt, const struct cpu *cpu,
                 const struct group *group, struct arena *arena, struct run *run);

/* The same for a plan item: its benchmark's program in its variant, with its parameters. */
void run_item(const struct plan_item *item, const struct options *opt, const struct cpu *cpu,
              const struct group *group, struct arena *arena, struct run *run);

/* Fills in run->n and the names of what it counts: the time stamp first, then the group's events (NULL:
 * none). */
void run_name_events(struct run *run, const struct options *opt, const struct group *group);

/* A counter of n bits cannot wrap around unnoticed in less than 2^(n - 4) ticks: no event adds more than 15 a
 * clock (on NetBurst a threshold has four bits, SDM vol. 3B 18.15.3; elsewhere that is more than retires).
 */
#define MOST_A_TICK_LOG2 4

/* Refuses a run whose program of the user's ended as failed, by what it left behind: RUN_EXITED. */
void run_judge_end(struct run *run);

/* Does this counter, as it is programmed and enabled now, count an event that the PMU model lacks? */
bool cpu_lacks(const struct cpu *cpu, unsigned counter);
/* Has what it counts no result: does the model lack it, or count its own cycles? */
bool cpu_unmodelled(const struct cpu *cpu, unsigned counter);
/* Sets lacking and unmodelled of all events of a run. Its counters still run. */
void run_find_unmodelled(struct run *run, const struct cpu *cpu);
