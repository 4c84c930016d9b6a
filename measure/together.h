/* Sampling several processors at the same time: together=1.
 *
 * Each does what sampling_run() does, from a barrier on. One that has finished goes on with the payload until
 * the last one has: nobody is sampled beside a processor at rest. The boot processor takes part, or waits. */
#pragma once
#include "measure/sampling.h"

/* One of them. Its memory is of its own, too. */
struct together {
    struct plan_item item;
    struct options opt; /* with the codes of its own counters */
    unsigned event;     /* of these */
    const struct cpu *cpu;
    struct arena arena; /* holds the samples afterwards */
    struct sampling out;
    struct together_side *side; /* private */
};

/* Prepares one of n in this part of the pool: where it lies, cleared; cpu and arena are set. NULL: no memory.
 */
struct together *together_new(const struct cpu *cpu, struct arena part);

/* Samples all n of them, in the order of their processors, with what has been set in each; at[0] is the boot
 * processor's if that is measured. at[k]->out.run.status tells success. */
void sampling_together(struct together *const *at, unsigned n);
