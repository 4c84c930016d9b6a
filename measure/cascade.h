/* bench=cascade: one counter starts another. The first overflows after M events; the second begins to count
 * with the next event and interrupts after N. There must be exactly one interrupt, after event M + N. Plain
 * cascades are tried for three M and N, extended ones for each pair of counters. */
#pragma once
#include "measure/truth.h"

/* Like truth_run(), with the same sink: one program for each trial, with results for the first interrupt, the
 * second (counters reloaded), and the number of interrupts. If the driver refuses, results have
 * TRUTH_REFUSED, and the row's reason is the driver's. */
void cascade_run(const struct options *opt, const struct cpu *cpu, struct arena *arena,
                 const struct truth_sink *sink, struct truth_totals *totals);
