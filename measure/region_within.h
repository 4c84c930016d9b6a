/* Limits that one event of a region sets to another one of the same repetitions: each branch found in the
 * branch target buffer is a branch, so no more can be found than there are. */
#pragma once
#include "measure/region_reps.h"
#include "measure/run.h"

/* Narrow the result of region id, of the k-th event, as far as the other events of its group allow. */
void regions_within(const struct run *run, unsigned id, unsigned k, unsigned conf, struct region_result *res);

/* A single repetition of all=1, narrowed to the least and the most of all repetitions. */
struct region_rep regions_reduce_rep(const struct run *run, unsigned id, unsigned k, unsigned i,
                                     const struct region_result *res);

/* The result of region id, of the k-th event, so narrowed. False: the run marked no such region. */
bool regions_reduce(const struct run *run, unsigned id, unsigned k, unsigned conf, struct region_result *res);
