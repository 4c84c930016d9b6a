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
#define REP_STRAY 4 /* an interrupt or NMI that nobody had asked for arrived */

enum run_status { RUN_OK, RUN_PREPARE, RUN_TRAP, RUN_CANCELLED, RUN_MEMORY, RUN_PMU };

/* What one run measured of one event. */
struct counted {
    const char *event;     /* "tsc", or as the user wrote it */
    unsigned counter;      /* which counter; 0 for the time stamp */
    uint64_t *raw;         /* reps of them */
    uint64_t overhead;     /* least raw value of the empty bracket; 0 for a series, which has none */
    bool overhead_lowered; /* set by reduce(): a raw value lay below the overhead that was measured, which was
                              too high and is now that value */
    bool wrapped;          /* a repetition was long enough for the counter to have gone round */
    bool overcounts;       /* struct pmu_code */
    bool unmodelled;       /* the PMU model does not have this event: raw[] and overhead mean nothing */
    bool upper_bits; /* NetBurst: a value has bits above 31 that came by RDPMC, which erratum N17 may have
                        made wrong */
};

struct run {
    struct program program;       /* what was run */
    const struct plan_item *item; /* whose it was; NULL: a suite's */
    unsigned group, groups;       /* which group of events, of how many */
    struct bench_run bench;       /* parameters as they were used, ops */
    enum run_status status;
    struct trap trap;        /* RUN_TRAP */
    unsigned reps;           /* repetitions, or quanta of a series */
    uint8_t *flags;          /* REP_* of each repetition */
    struct regions *regions; /* what the payload marked; NULL: it marks none */
    const char *read;        /* how counters were read: "rdpmc", "fast rdpmc" (their low 32 bits, which were
                                enough), "rdmsr"; NULL: none were */
    double core_per_tsc;     /* core cycles in a tick, over all its repetitions; 0: not known */
    unsigned smis, strays;   /* of a series as a whole: which quantum they hit is not known */
    unsigned n;              /* events measured: the time stamp first, then the group's */
    struct counted count[1 + BRACKET_COUNTERS];
};

/* Run a program on this CPU with one group of events (NULL: the time stamp alone). The arena is emptied first
 * and holds raw[], flags[] and *regions afterwards, until the next run. */
void run_program(const struct program *program, const struct options *opt, const struct cpu *cpu,
                 const struct group *group, struct arena *arena, struct run *run);

/* The same for a plan item: its benchmark's program in its variant, with its parameters. */
void run_item(const struct plan_item *item, const struct options *opt, const struct cpu *cpu,
              const struct group *group, struct arena *arena, struct run *run);

/* Does this counter, as it is programmed and enabled now, count what the PMU model does not have? */
bool cpu_lacks(const struct cpu *cpu, unsigned counter);
