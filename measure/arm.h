/* Arms a run: programs its counters, and chooses what reads them. */
#pragma once
#include "kernel/cpu_state.h"
#include "measure/execute.h"

/* The state of one run. */
struct measuring {
    struct run *run;
    const struct options *opt;
    const struct cpu *cpu;
    const struct group *group;
    struct arena *arena;
    struct execution x;
    struct cpu_state state; /* before the run: a payload may leave anything */
    bool alone;             /* no counter counts anything beside the group */
    /* The rest is by arm_choose(). */
    enum reader reader;
    struct bench_counters counters; /* for a payload that reads them by itself */
    uint32_t select[PMU_COUNTERS];
    struct pmu_code smis;
};

/* How this run's counters are read, before its program is prepared. */
void arm_choose(struct measuring *t);

/* Is each counter still where arm() found it? Linux may give it another number in between. */
bool arm_unmoved(const struct measuring *t);

/* Program the group's counters, choose the bracket that reads them, and let them count. False: t->run says
 * why not. */
bool arm(struct measuring *t);

/* Program the group's counters anew, and what else counted with them. Leaves them stopped. False: t->run says
 * why not. */
bool arm_program(struct measuring *t);

/* From full readings by RDPMC to fast ones, or back. */
void arm_change_width(struct measuring *t);

/* The error that there is no memory for each repetition of so many regions. Returns false. */
bool arm_refuse_reps(struct run *run, unsigned regions);
