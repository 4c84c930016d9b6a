/* The quiet check: is anything else running on this CPU? */
#pragma once
#include "kernel/machine.h"
#include "kernel/permits.h"
#include "kernel/watch.h"

struct quiet {
    struct watch watch;
    bool smi_counter;
    bool shares;                                                /* other programs use this processor, too: */
    struct machine_lost lost;                                   /* what they took since the previous check */
    unsigned smis;                                              /* during the watch; only with smi_counter */
    enum { QUIET_UNKNOWN, QUIET_YES, QUIET_DISTURBED } verdict; /* UNKNOWN: the TSC stood still */
};

/* Read the TSC in a tight loop for so many milliseconds (WATCH_READS readings where its rate is unknown). */
#define QUIET_MS       50 /* before the first benchmark */
#define QUIET_AFTER_MS 10 /* after the last, if SMIs cannot be counted */
void quiet_check(const struct cpu *cpu, struct quiet *q, unsigned ms);
