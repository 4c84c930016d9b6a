#include "measure/plan.h"
#include <string.h>

unsigned bench_variants(const struct bench *bench)
{
    unsigned n = 0;
    while (n < BENCH_VARIANTS && bench->variant[n].payload) n++;
    return n ? n : 1;
}

struct program bench_program(const struct bench *bench, unsigned i)
{
    struct program p = bench->program;
    p.variant = "";
    if (!bench->variant[i].payload) return p;
    p.payload = bench->variant[i].payload;
    p.variant = bench->variant[i].name;
    return p;
}

void plan_defaults(const struct bench *bench, struct param_range *range)
{
    memset(range, 0, BENCH_PARAMS * sizeof *range);
    for (unsigned i = 0; i < bench->params; i++) range[i].from = range[i].to = bench->param[i].def;
}

static int64_t step_of(const struct bench_param *p) { return p->step ? p->step : 1; }

/* Advance value[] like an odometer; false after the last combination. */
static bool next_values(const struct bench *b, const struct param_range *range, int64_t *value)
{
    for (unsigned i = b->params; i-- > 0;) {
        value[i] += step_of(&b->param[i]);
        if (value[i] <= range[i].to) return true;
        value[i] = range[i].from;
    }
    return false;
}

/* The only parameter with several values; NULL: none, or more than one. */
static const char *swept(const struct bench *b, const struct param_range *range)
{
    const char *name = NULL;
    for (unsigned i = 0; i < b->params; i++) {
        if (range[i].to - range[i].from < step_of(&b->param[i])) continue;
        if (name) return NULL;
        name = b->param[i].name;
    }
    return name;
}

bool plan_add(struct plan *plan, const struct bench *bench, int variant, const struct param_range *range)
{
    unsigned before = plan->n;
    unsigned first = variant < 0 ? 0 : (unsigned)variant;
    unsigned last = variant < 0 ? bench_variants(bench) : first + 1;
    for (unsigned v = first; v < last; v++) {
        struct plan_item item = {.bench = bench, .variant = v, .sweep = swept(bench, range)};
        for (unsigned i = 0; i < BENCH_PARAMS; i++) item.param[i] = range[i].from;
        do {
            if (plan->n == PLAN_ITEMS) {
                plan->n = before;
                return false;
            }
            plan->item[plan->n++] = item;
        } while (next_values(bench, range, item.param));
    }
    return true;
}
