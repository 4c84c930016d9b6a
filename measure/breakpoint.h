/* dr0= to dr3=: addresses whose matches counters count (kernel/breakpoint.h). Names become addresses when the
 * program has been prepared, since a user's program lies elsewhere in each run. */
#pragma once
#include "kernel/breakpoint.h"
#include "measure/run.h"

/* Describes the breakpoints of opt to the CPU; the state that was saved before the run ends them. False: the
 * run is refused, since a name is none here, or an address does not fit its length. */
bool breakpoints_arm(struct run *run, const struct options *opt);
