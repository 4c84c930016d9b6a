/* pair=: two benchmarks, each alone and beside the other. */
#pragma once
#include "measure/options.h"
#include "measure/pair.h"

/* For each way in which two processors of this machine can be neighbours: both benchmarks on a pair of them,
 * with their results and a record that compares them. Ways that this machine lacks are said. At least two
 * processors run. */
void measure_pairs(const struct options *opt);

/* The two of pair on processors a and b: both alone first, then each beside the other; how: enum
 * topology_pair or PAIR_CORES. together, where it is not NULL, gets what each counted beside the other.
 * False: one failed, which was reported. */
bool measure_pair(const struct options *opt, const struct load pair[2], int how, unsigned a, unsigned b,
                  struct pair_side together[2]);
