/* What to run: benchmarks x variants x parameter values. */
#pragma once
#include "bench/bench.h"

struct plan_item {
    unsigned cpu; /* 0: the CPU that booted */
    const struct bench *bench;
    unsigned variant;
    int64_t param[BENCH_PARAMS];
    const char *sweep; /* the only parameter that has a range; NULL: none, or several */
};

#define PLAN_ITEMS 1024
struct plan {
    struct plan_item item[PLAN_ITEMS];
    unsigned n;
};

/* Values of each parameter: from..to in the parameter's step (one value where from == to). */
struct param_range {
    int64_t from, to;
};

/* Add a benchmark: every usable variant times every parameter value, in order (the last parameter varies
 * fastest). variant: an index, or -1 for all. False when the plan is full; nothing is added then. */
bool plan_add(struct plan *plan, const struct bench *bench, int variant, const struct param_range *range);

/* The defaults of all parameters. */
void plan_defaults(const struct bench *bench, struct param_range *range);
