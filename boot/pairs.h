/* pair=: two benchmarks, each alone and beside the other. */
#pragma once
#include "kernel/machine.h"
#include "measure/options.h"

/* For each way in which two processors of this machine can be neighbours: both benchmarks on a pair of them,
 * with their results and a record that compares them. Ways that this machine lacks are said. */
void measure_pairs(const struct options *opt);

/* Is there any? False: why says what is missing. */
bool pairs_possible(const struct machine *m, char *why, size_t size);
