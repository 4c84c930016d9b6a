/* The noise certificate: what may have disturbed a session, from before the first measurement until after the
 * last. */
#pragma once
#include "measure/reduce.h"

struct certificate {
    const struct cpu *cpu;
    uint64_t began, elapsed; /* ticks of the TSC */
    uint32_t smis;           /* with cpu->smi_counter: of all the time; with by_event: of runs */
    bool by_event;           /* a run's free counter has counted them */
    enum known throttle;
    uint32_t stuck;                  /* log bits that were set at first, and could not be cleared */
    uint32_t throttled;              /* those that were set in the session */
    double core_least, core_most;    /* core cycles per tick of single runs; 0: not known */
    uint64_t over_median;            /* the most that a repetition took beyond its run's median, ticks */
    unsigned runs, disturbed, again; /* measured; of them disturbed; of these measured again */
};

void certificate_begin(struct certificate *c, const struct cpu *cpu);

/* A run that ended well. again: it is measured again. */
void certificate_run(struct certificate *c, const struct run *run, const struct disturbance *d, bool again);

void certificate_end(struct certificate *c);

/* Did the core's clock change in relation to the TSC's by more than this, from run to run? */
#define CORE_CLOCK_PERCENT 2
bool certificate_clock_moved(const struct certificate *c);
