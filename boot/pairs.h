/* pair=: two benchmarks, each alone and beside the other. */
#pragma once
#include "measure/options.h"

/* For each way in which two processors of this machine can be neighbours: both benchmarks on a pair of them,
 * with their results and a record that compares them. Ways that this machine lacks are said. At least two
 * processors run. */
void measure_pairs(const struct options *opt);
