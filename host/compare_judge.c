/* Verdicts: exact counts exactly, everything else by what differs between boots. */
#include "host/compare.h"
#include "host/statistics.h"
#include "report/schema.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALPHA 0.05 /* the chance that equal sides have a row that is called different */

/* Less of these is faster; of any other event, less is only less. */
#define CLOCKS \
    "tsc|cycles|ref-cycles|bus-cycles|cpu_clk_unhalted|unhalted_core_cycles|unhalted_reference_cycles"

const char *const verdict_name[] = {
    [SAME] = "same", [FASTER] = "faster",           [SLOWER] = "slower",        [FEWER] = "fewer",
    [MORE] = "more", [CANNOT_TELL] = "cannot tell", [ONLY_OLD] = "only in OLD", [ONLY_NEW] = "only in NEW",
};

/* cycles:u is cycles. */
static bool is_clock(const char *event)
{
    char name[40];
    const size_t n = strcspn(event, ":/");
    if (n >= sizeof name) return false;
    memcpy(name, event, n);
    name[n] = '\0';
    return schema_has_value(CLOCKS, name);
}

static enum verdict changed(const struct compared *row, bool more)
{
    if (is_clock(row->event)) return more ? SLOWER : FASTER;
    return more ? MORE : FEWER;
}

/* ---- without statistics ---- */

static bool one_value(const struct measured *m)
{
    for (size_t i = 1; i < m->n; i++)
        if (m->value[i] != m->value[0]) return false;
    return !m->spread;
}

/* Time on a processor is no count: that it was the same throughout one boot does not say that it will be in
 * the next. */
static bool is_exact(const struct compared *row)
{
    const bool several = row->side[OLD].n > 1 && row->side[NEW].n > 1;
    if (!one_value(&row->side[OLD]) || !one_value(&row->side[NEW])) return false;
    return several || row->emulated || strcmp(row->event, "tsc") != 0;
}

static bool all_positive(const struct compared *row)
{
    for (int side = OLD; side < SIDES; side++)
        for (size_t i = 0; i < row->side[side].n; i++)
            if (row->side[side].value[i] <= 0) return false;
    return true;
}

/* One boot a side, and the repetitions vary. In an emulator that did not notice any change they vary alike:
 * its time is made, and so is what disturbs it. */
static bool is_alike(const struct compared *row)
{
    return row->emulated && row->side[OLD].n == 1 && row->side[NEW].n == 1 && !row->side[OLD].alone &&
           json_equal(row->side[OLD].shape, row->side[NEW].shape);
}

static const char *untold(const struct compared *row)
{
    const struct measured *old = &row->side[OLD], *new = &row->side[NEW];
    if (!json_equal(old->unit, new->unit)) return "the units differ";
    if (row->exact || (old->n > 1 && new->n > 1)) return NULL;
    if (old->n > 1) return "one boot of NEW: how far boots differ is not known";
    if (new->n > 1) return "one boot of OLD: how far boots differ is not known";
    if (old->alone && new->alone) return "one repetition in one boot a side: its spread is not known";
    return "one boot a side: how far boots differ is not known";
}

static void begin_row(struct compared *row)
{
    row->ratio = row->low = row->high = row->p = row->level = NAN;
    row->mean[OLD] = row->mean[NEW] = NAN;
    row->exact = row->tested = false;
    row->why = NULL;
    row->verdict = !row->side[NEW].n ? ONLY_OLD : !row->side[OLD].n ? ONLY_NEW : CANNOT_TELL;
    for (int side = OLD; side < SIDES; side++)
        if (row->side[side].n) row->mean[side] = sample_of(row->side[side].value, row->side[side].n, 0).mean;
    if (row->verdict != CANNOT_TELL) return;
    row->exact = is_exact(row);
    row->why = untold(row);
    if (row->mean[OLD] > 0 && row->mean[NEW] >= 0) row->ratio = row->mean[NEW] / row->mean[OLD];
    if (row->exact && !row->why) {
        row->low = row->high = row->ratio;
        row->verdict =
            row->mean[OLD] == row->mean[NEW] ? SAME : changed(row, row->mean[NEW] > row->mean[OLD]);
    } else if (is_alike(row)) {
        row->verdict = SAME;
        row->why = "the repetitions vary, and alike on both sides";
    }
}

/* ---- with ---- */

struct test {
    struct compared *row;
    struct difference d; /* of logarithms; of the values where some are 0 or less */
    bool ratio;
};

static bool begin_test(struct test *t, struct compared *row)
{
    struct sample s[SIDES];
    *t = (struct test){.row = row, .ratio = all_positive(row)};
    for (int side = OLD; side < SIDES; side++) {
        const struct measured *m = &row->side[side];
        double *v = malloc(m->n * sizeof *v);
        if (!v) return false;
        for (size_t i = 0; i < m->n; i++) v[i] = t->ratio ? log(m->value[i]) : m->value[i];
        /* A small step of the value is the step by the value of its logarithm. */
        s[side] = sample_of(v, m->n, t->ratio ? m->step / row->mean[side] : m->step);
        if (t->ratio) row->mean[side] = exp(s[side].mean);
        free(v);
    }
    if (t->ratio) row->ratio = row->mean[NEW] / row->mean[OLD];
    t->d = welch(&s[OLD], &s[NEW]);
    row->tested = true;
    row->p = t->d.p;
    return true;
}

static void end_test(const struct test *t, const struct judging *how)
{
    struct compared *row = t->row;
    const bool different = row->p <= row->level;
    const double half = t_critical(row->level, t->d.df) * t->d.error;
    const double low = t->d.mean - half, high = t->d.mean + half;
    if (t->ratio) {
        row->low = exp(low);
        row->high = exp(high);
    } else if (row->mean[OLD] > 0) { /* as if OLD's mean were certain: there is no better ratio */
        row->low = 1 + low / row->mean[OLD];
        row->high = 1 + high / row->mean[OLD];
    }
    if (different)
        row->verdict = changed(row, t->d.mean > 0);
    else if (t->ratio && row->low >= 1 - how->margin && row->high <= 1 + how->margin)
        row->verdict = SAME;
    else
        row->why = t->ratio ? "the interval holds both 1 and what is beyond the margin"
                            : "0 among the values: there is no ratio to hold against the margin";
}

static bool test_all(struct comparison *c, const struct judging *how)
{
    struct test *t = malloc((c->n + 1) * sizeof *t);
    double *p = malloc((c->n + 1) * sizeof *p), *level = malloc((c->n + 1) * sizeof *level);
    bool good = t && p && level;
    size_t n = 0;
    for (size_t i = 0; good && i < c->n; i++) {
        if (c->row[i].verdict != CANNOT_TELL || c->row[i].why) continue;
        good = begin_test(&t[n], &c->row[i]);
        p[n++] = c->row[i].p;
    }
    good = good && holm_levels(p, n, ALPHA, level);
    for (size_t i = 0; good && i < n; i++) {
        t[i].row->level = level[i];
        end_test(&t[i], how);
    }
    free(t);
    free(p);
    free(level);
    return good;
}

/* ---- public ---- */

/* What was 0 and is more is beyond any percentage. What NEW lacks may be the worst of all. */
static bool is_beyond(const struct compared *row, double fail_over)
{
    if (row->verdict == ONLY_OLD) return true;
    if (row->verdict != SLOWER && row->verdict != MORE) return false;
    return row->mean[OLD] <= 0 || row->low > 1 + fail_over;
}

bool comparison_judge(struct comparison *c, const struct judging *how)
{
    for (size_t i = 0; i < c->n; i++) begin_row(&c->row[i]);
    if (!test_all(c, how)) return false;
    for (size_t i = 0; i < c->n; i++)
        c->row[i].beyond = how->fail_over >= 0 && is_beyond(&c->row[i], how->fail_over);
    return true;
}
