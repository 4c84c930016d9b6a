/* together=1: a plan item is sampled on all processors of cpu= at the same time. */
#pragma once
#include "kernel/cpu_set.h"
#include "measure/options.h"
#include "measure/plan.h"

/* Samples by each of opt->event in turn, and prints a result or an error for each processor. */
void sample_together(const struct options *opt, const struct plan_item *item, const struct cpu_set *where);
