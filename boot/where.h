/* Where to measure: cpu=, with= and pair= against the processors that there are. */
#pragma once
#include "kernel/cpu_set.h"
#include "kernel/machine.h"
#include "measure/options.h"

/* The processors of cpu=; without it the one that booted. False: it, with= or pair= needs a processor that is
 * not there, or a neighbour is to run where is measured; that has been reported, and nothing is measured. */
bool where_to_measure(const struct machine *m, const struct options *opt, struct cpu_set *out);

/* Records and notes of the processors that were started, and of each kind of them the first. asked: how many
 * were to run. */
void tell_others(const struct machine *m, unsigned asked);
/* Starts them first, after the boot. */
void bring_up_and_tell_others(struct machine *m, const struct options *opt);
