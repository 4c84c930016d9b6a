/* The quiet check: is anything else running on this CPU? */
#pragma once
#include "kernel/machine.h"

struct quiet {
    uint64_t watched_tsc; /* duration of the watch */
    uint64_t typical;     /* ticks from one reading to the next, the least seen */
    uint64_t threshold;   /* a longer gap counts */
    uint64_t largest;     /* the longest gap */
    unsigned gaps;
    bool smi_counter;
    unsigned smis;                                              /* during the watch; only with smi_counter */
    enum { QUIET_UNKNOWN, QUIET_YES, QUIET_DISTURBED } verdict; /* UNKNOWN: the TSC stood still */
};

/* Read the TSC in a tight loop for so many milliseconds (QUIET_READS readings where its rate is unknown). */
#define QUIET_MS       50 /* before the first benchmark */
#define QUIET_AFTER_MS 10 /* after the last, if SMIs cannot be counted */
#define QUIET_READS    1000000
void quiet_check(const struct cpu *cpu, struct quiet *q, unsigned ms);
