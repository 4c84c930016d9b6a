#include "kernel/repeated.h"
#include "measure/region_reps.h"
#include "measure/stats.h"
#include <math.h>
#include <string.h>

_Static_assert(REGION_COUNTERS == BRACKET_COUNTERS && REGION_FEW == BRACKET_FEW,
               "markers read what the bracket reads");

/* measure/region_mark.S */
typedef void marker_fn(void);
#define MARKERS(name) extern marker_fn name##_begin, name##_end;
MARKERS(region_cpuid)
MARKERS(region_cpuid_rdmsr1)
MARKERS(region_cpuid_rdmsr2)
MARKERS(region_cpuid_rdpmc1)
MARKERS(region_cpuid_rdpmc2)
MARKERS(region_lfence)
MARKERS(region_serialize)
MARKERS(region_many)
#ifndef __x86_64__
MARKERS(region_cpuid_gate1)
MARKERS(region_cpuid_gate2)
#endif

#define ROW(serialize, reader, counters, name)                \
    {                                                         \
        serialize, reader, counters, name##_begin, name##_end \
    }
static const struct {
    enum serialize serialize;
    enum reader reader;
    unsigned counters;
    marker_fn *begin, *end;
} markers[] = {
    ROW(SERIALIZE_CPUID, READER_NONE, 0, region_cpuid),
    ROW(SERIALIZE_CPUID, READER_RDMSR, 1, region_cpuid_rdmsr1),
    ROW(SERIALIZE_CPUID, READER_RDMSR, 2, region_cpuid_rdmsr2),
    ROW(SERIALIZE_CPUID, READER_RDPMC, 1, region_cpuid_rdpmc1),
    ROW(SERIALIZE_CPUID, READER_RDPMC, 2, region_cpuid_rdpmc2),
    ROW(SERIALIZE_LFENCE, READER_NONE, 0, region_lfence),
    ROW(SERIALIZE_SERIALIZE, READER_NONE, 0, region_serialize),
#ifndef __x86_64__
    ROW(SERIALIZE_CPUID, READER_GATE, 1, region_cpuid_gate1),
    ROW(SERIALIZE_CPUID, READER_GATE, 2, region_cpuid_gate2),
#endif
};

static bool used(const struct region_table *t, unsigned id) { return t->used[id / 32] >> id % 32 & 1; }

/* A region of either table: both kinds begin with the same fields, up to the sums. */
static struct region *region_at(const struct regions *r, unsigned id)
{
    return r->many ? (struct region *)(void *)&r->table->many.region[id] : &r->table->region[id];
}

static const struct region_span *span_at(const struct regions *r, unsigned id, unsigned span)
{
    return r->many ? (const struct region_span *)(const void *)&r->table->many.region[id].span[span]
                   : &r->table->region[id].span[span];
}

static uint64_t mask_of(const struct regions *r, unsigned k) { return k == 0 ? UINT64_MAX : r->mask; }

/* Readings and their sums are modulo the counter's width. */
REPEATED_BEHIND static uint64_t span_sum(const struct regions *r, unsigned id, unsigned span, unsigned k)
{
    uint64_t sum =
        r->many ? r->table->many.region[id].span[span].sum[k] : r->table->region[id].span[span].sum[k];
    return sum & mask_of(r, k);
}

/* Welford's recurrence: rounding does not harm huge totals. */
REPEATED_BEHIND static void gather_bound(struct region_bound *b, double x, unsigned reps)
{
    const double d = x - b->mean;
    b->mean += d / reps;
    b->squares += d * (x - b->mean);
    if (reps == 1 || x < b->min) b->min = x;
    if (reps == 1 || x > b->max) b->max = x;
}

/* A sum above half of the width is a negative one: the payload has changed the counter, or the table. */
static inline __attribute__((always_inline)) void look_at_sum(struct regions *r, unsigned k, uint64_t sum)
{
    if (sum > mask_of(r, k) >> 1) r->impossible[k] = sum;
}

REPEATED_BEHIND static void gather_event(struct regions *r, unsigned id, unsigned k, double begins,
                                         double ends)
{
    struct region_tally *t = &r->tally[id];
    const uint64_t sum = regions_sum(r, id, k);
    const struct region_left x = regions_left(r, k, sum, region_at(r, id)->entered, begins, ends);
    look_at_sum(r, k, sum);
    gather_bound(&t->event[k].least, x.least, r->reps);
    gather_bound(&t->event[k].most, x.most, r->reps);
    t->event[k].below |= x.below;
}

REPEATED_BEHIND static void gather_region(struct regions *r, unsigned id)
{
    const struct region *g = region_at(r, id);
    const struct region_span *first = span_at(r, id, 0), *later = span_at(r, id, 1);
    struct region_tally *t = &r->tally[id];
    const uint32_t begins = first->begins + later->begins, ends = first->ends + later->ends;
    if (r->reps > 1 && (g->entered != t->entered_rep || g->exited != t->exited_rep)) t->varies = true;
    r->seen[id] = true;
    t->entered_rep = g->entered;
    t->exited_rep = g->exited;
    t->entered += g->entered;
    t->exited += g->exited;
    if (g->entered != g->exited) t->unbalanced = true;
    if (g->early) t->early = true;
    if (g->entered != g->exited || g->early) return; /* not every end has a begin to subtract */
    if (r->keeps) region_reps_keep(r, id, g->entered, begins, ends);
    t->nested += (uint64_t)begins + ends;
    for (unsigned k = 0; k < r->events; k++) gather_event(r, id, k, begins, ends);
}

/* ---- public ---- */

bool regions_arm(struct regions *r, enum serialize serialize, enum reader reader, const uint32_t *select,
                 unsigned counters, uint64_t mask)
{
    r->events = 1 + counters;
    r->mask = mask;
    r->many = counters && bracket_find(serialize, reader, counters) == bracket_many;
    if (r->many) {
        r->table->begin = (void *)region_many_begin;
        r->table->end = (void *)region_many_end;
        memcpy(r->table->many.select, select, counters * sizeof *select);
        slots_prepare(&r->table->many.slots, serialize, r->table->many.select, counters);
        return true;
    }
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++) {
        if (markers[i].serialize != serialize || markers[i].reader != reader ||
            markers[i].counters != counters)
            continue;
        r->table->begin = (void *)markers[i].begin;
        r->table->end = (void *)markers[i].end;
        memcpy(r->table->select, select, counters * sizeof *select);
        return true;
    }
    return false;
}

REPEATED_BEHIND uint64_t regions_sum(const struct regions *r, unsigned id, unsigned k)
{
    return (span_sum(r, id, 0, k) + span_sum(r, id, 1, k)) & mask_of(r, k);
}

/* Only used regions are touched: the table would fill a Pentium's data cache, which must keep the payload's
 * data.
 */
REPEATED_BEHIND void regions_reset(struct regions *r)
{
    struct region_table *t = r->table;
    for (unsigned id = 0; id <= REGIONS; id++)
        if (used(t, id)) memset(region_at(r, id), 0, r->many ? sizeof *t->many.region : sizeof *t->region);
    memset(t->used, 0, sizeof t->used);
    t->begins = t->ends = 0;
}

/* Once a region was entered, every repetition counts, also one that did not enter it. */
REPEATED_BEHIND void regions_gather(struct regions *r)
{
    const struct region *bin = region_at(r, REGIONS);
    r->reps++;
    if (used(r->table, REGIONS)) r->out_of_range += (uint64_t)bin->entered + bin->exited;
    for (unsigned id = 0; id < REGIONS; id++)
        if (used(r->table, id) || r->seen[id]) gather_region(r, id);
}

void regions_gather_first(struct regions *r)
{
    for (unsigned id = 0; id < REGIONS; id++) {
        const struct region *g = region_at(r, id);
        const struct region_span *s = span_at(r, id, 0);
        struct region_tally *t = &r->tally[id];
        if (!used(r->table, id) || g->entered != g->exited || g->early) continue;
        t->cold = true;
        for (unsigned k = 0; k < r->events; k++) {
            const uint64_t sum = span_sum(r, id, 0, k);
            const struct region_left x = regions_left(r, k, sum, 1, s->begins, s->ends);
            look_at_sum(r, k, sum);
            t->event[k].least.first = x.least;
            t->event[k].most.first = x.most;
            t->event[k].first_below = x.below;
        }
    }
}

bool regions_result(const struct regions *r, unsigned id, unsigned k, unsigned conf,
                    struct region_result *out)
{
    static const struct region_range none = {(double)NAN, (double)NAN};
    const struct region_tally *t = &r->tally[id];
    const struct region_bound *least = &t->event[k].least, *most = &t->event[k].most;
    if (!t->entered && !t->exited) return false;
    *out = (struct region_result){.entered = t->varies ? t->entered : t->entered_rep,
                                  .exited = t->varies ? t->exited : t->exited_rep,
                                  .overhead = r->cost[k].entry,
                                  .unbalanced = t->unbalanced,
                                  .early = t->early,
                                  .varies = t->varies};
    out->total = out->first = none;
    out->min = out->max = out->ci = out->nested = out->entries = (double)NAN;
    if (t->unbalanced || t->early) return true;
    out->nested = (double)t->nested / r->reps;
    out->total = (struct region_range){least->mean, most->mean};
    out->min = least->min;
    out->max = most->max;
    out->entries = (double)t->entered / r->reps;
    out->below_overhead = t->event[k].below;
    if (t->cold) {
        out->first = (struct region_range){least->first, most->first};
        out->first_below = t->event[k].first_below;
    }
    if (r->reps > 1)
        out->ci = student_t(conf, r->reps - 1) * stats_root(most->squares / (r->reps - 1) / r->reps);
    return true;
}
