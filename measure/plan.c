#include "measure/plan.h"
#include <string.h>

unsigned bench_variants(const struct bench *bench)
{
    if (bench->found) return bench->found->n();
    unsigned n = 0;
    while (n < BENCH_VARIANTS && bench->variant[n].payload) n++;
    return n ? n : 1;
}

struct program bench_program(const struct bench *bench, unsigned i)
{
    if (bench->found) return bench->found->program(i);
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

static int64_t after(const struct bench_param *p, int64_t value)
{
    if (p->step == STEP_DOUBLES) return value ? 2 * value : 1; /* 0: auto, and no other value */
    return value + (p->step ? p->step : 1);
}

static uint64_t values_in(const struct bench_param *p, struct param_range r)
{
    uint64_t n = 1;
    if (p->step != STEP_DOUBLES) return (uint64_t)(r.to - r.from) / (uint64_t)(p->step ? p->step : 1) + 1;
    while ((r.from = after(p, r.from)) <= r.to) n++;
    return n;
}

/* Advance value[] like an odometer; false after the last combination. */
static bool next_values(const struct bench *b, const struct param_range *range, int64_t *value)
{
    for (unsigned i = b->params; i-- > 0;) {
        value[i] = after(&b->param[i], value[i]);
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
        if (values_in(&b->param[i], range[i]) == 1) continue;
        if (name) return NULL;
        name = b->param[i].name;
    }
    return name;
}

bool plan_add(struct plan *plan, const struct bench *bench, int variant, const struct param_range *range)
{
    if (plan->n == PLAN_LINES) return false;
    struct plan_line *line = &plan->line[plan->n++];
    line->bench = bench;
    line->variant = variant;
    memcpy(line->range, range, sizeof line->range);
    return true;
}

uint64_t plan_items(const struct plan *plan)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < plan->n; i++) {
        const struct plan_line *l = &plan->line[i];
        uint64_t of_line = l->variant == PLAN_ALL ? bench_variants(l->bench) : 1;
        for (unsigned p = 0; p < l->bench->params; p++)
            of_line *= values_in(&l->bench->param[p], l->range[p]);
        n += of_line;
    }
    return n;
}

/* The first value of each parameter. */
static void first_values(const struct plan_line *line, struct plan_item *item)
{
    for (unsigned i = 0; i < BENCH_PARAMS; i++) item->param[i] = line->range[i].from;
}

/* The first item of a line. False: it has none, since there is no variant. */
static bool begin(const struct plan_line *line, struct plan_item *item)
{
    if (line->variant == PLAN_ALL && bench_variants(line->bench) == 0) return false;
    *item = (struct plan_item){.bench = line->bench,
                               .variant = line->variant == PLAN_ALL ? 0 : (unsigned)line->variant,
                               .sweep = swept(line->bench, line->range)};
    first_values(line, item);
    return true;
}

static bool advance(const struct plan_line *line, struct plan_item *item)
{
    if (next_values(line->bench, line->range, item->param)) return true;
    if (line->variant != PLAN_ALL || ++item->variant == bench_variants(line->bench)) return false;
    first_values(line, item);
    return true;
}

bool plan_next(const struct plan *plan, struct plan_cursor *c)
{
    for (; c->line < plan->n; c->line++) {
        const struct plan_line *line = &plan->line[c->line];
        c->inside = c->inside ? advance(line, &c->item) : begin(line, &c->item);
        if (c->inside) return true;
    }
    return false;
}
