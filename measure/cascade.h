/* bench=cascade: one counter starts another. The first overflows after M events, the second begins to count
 * with the next one and interrupts after N: the interrupt must come behind event M + N, and none else. Plain
 * cascades for three M and N, and each pair of counters of an extended cascade. */
#pragma once
#include "measure/truth.h"

/* As truth_run(), whose sink this is: a program for each of them, with results for the first interrupt, the
 * second (counters reloaded), and their number. Where a driver refuses, results have TRUTH_REFUSED, and the
 * row's reason is its. */
void cascade_run(const struct options *opt, const struct cpu *cpu, struct arena *arena,
                 const struct truth_sink *sink, struct truth_totals *totals);
