/* Neighbours: with=. Each runs a benchmark's payload in a loop on another processor while something is
 * measured: from before its prepare() and its overhead until after its last repetition, so that all that is
 * subtracted and compared was counted beside it.
 *
 * A neighbour polls its own line, and counts its rounds in it. What is measured reads nothing of it, and the
 * boot processor only before the first and after the last repetition.
 */
#pragma once
#include "measure/execute.h"

struct neighbour {
    const struct load *load;
    const struct cpu *cpu;
    uint64_t rounds;       /* completed while it was measured: between the last two neighbours_lap() */
    const struct run *run; /* its own: status, error, trap, parameters; RUN_OK: it ran until the end */
    struct beside *own;    /* both private */
    uint64_t lap;          /* rounds in all at the last neighbours_lap() */
};

/* In the arena of what is measured, at its end. */
struct neighbours {
    unsigned n;
    struct neighbour at[NEIGHBOURS];
};

/* Starts opt->with, each with an arena of its own: they share the arena given equally with what is measured,
 * whose part is the beginning. Waits until each has completed a round, or trapped. Sets run->beside. False:
 * one could not begin; run is refused and says which, and none runs. */
bool neighbours_begin(struct run *run, const struct options *opt, const struct cpu *measured,
                      struct arena *arena);

/* Sets each one's rounds to those that it has completed since the last call, or since neighbours_begin().
 * neighbours_end() does so, too. */
void neighbours_lap(struct run *run);

/* For the boot processor while it waits for the measured one: if it has a neighbour itself, the rounds of
 * that fill the time, for so many ticks or until the measured one is at rest. False: it has none. */
bool neighbours_meanwhile(const struct run *run, const struct cpu *measured, uint64_t ticks);

/* Ends them. Also valid where there are none. */
void neighbours_end(struct run *run, const struct options *opt);
