/* What the kernel would write to a CPU's registers to count events. */
#pragma once
#include "host/event_cpus.h"

/* events: as after events=, with commas between. Prints the runs that they take, with counters and registers.
 * To the command's status; a fault is reported. */
int event_msrs(struct event_cpu *cpu, const char *events);
