/* The plan: benchmark lines, each of which stands for variants times parameter values. Its items are made one
 * after the other as they are needed, so that thousands of them take no memory. */
#pragma once
#include "bench/bench.h"

struct plan_item {
    unsigned cpu; /* 0: the CPU that booted */
    const struct bench *bench;
    unsigned variant;
    int64_t param[BENCH_PARAMS];
    const char *sweep; /* the only parameter that has a range; NULL: none, or several */
};

/* Values of each parameter: from..to in the parameter's step (one value where from == to). */
struct param_range {
    int64_t from, to;
};

/* One benchmark of bench=. */
struct plan_line {
    const struct bench *bench;
    int variant; /* an index, or PLAN_ALL of them */
    struct param_range range[BENCH_PARAMS];
};
#define PLAN_ALL (-1)

#define PLAN_LINES 256
struct plan {
    struct plan_line line[PLAN_LINES];
    unsigned n;
};

/* Add a benchmark: a variant or PLAN_ALL usable ones, times every parameter value. False: the plan is full,
 * and nothing is added. */
bool plan_add(struct plan *plan, const struct bench *bench, int variant, const struct param_range *range);

/* The number of its items. */
uint64_t plan_items(const struct plan *plan);

/* A place in a plan. {0} is before its first item. */
struct plan_cursor {
    unsigned line;
    bool inside; /* item is of this line; false: the line is about to begin */
    struct plan_item item;
};

/* Go to the next item, cursor->item: by line, then by variant, then by parameter values, of which the last
 * parameter's vary fastest. False: that was the last one. */
bool plan_next(const struct plan *plan, struct plan_cursor *cursor);

/* The defaults of all parameters. */
void plan_defaults(const struct bench *bench, struct param_range *range);
