/* What one event of a region says of another that was counted in the same repetitions: each branch that is
 * found in the branch target buffer is a branch, so that no more can have been found than there were. */
#pragma once
#include "measure/run.h"

/* Narrow the result of region id, of the k-th event, as far as the other events of its group allow. */
void regions_within(const struct run *run, unsigned id, unsigned k, unsigned conf, struct region_result *res);

/* The result of region id, of the k-th event, so narrowed. False: the run marked no such region. */
bool regions_reduce(const struct run *run, unsigned id, unsigned k, unsigned conf, struct region_result *res);
