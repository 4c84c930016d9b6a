#include "measure/region.h"
#include "kernel/hw.h"
#include "measure/stats.h"
#include <math.h>
#include <string.h>

#define WARM_CALLS 100 /* as many as of the empty bracket */
#define COLD_CALLS 5   /* each empties the caches */

_Static_assert(REGION_COUNTERS == BRACKET_COUNTERS && REGION_FEW == BRACKET_FEW,
               "markers read what the bracket reads");

/* measure/region_mark.S */
typedef void marker_fn(void);
extern payload_fn region_empty, region_begins, region_ends;
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

/* Of either width, as far as the few counters' goes: the fields before the sums are the same. */
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

/* Readings are taken modulo the counter's width, and so are their sums. */
static uint64_t span_sum(const struct regions *r, unsigned id, unsigned span, unsigned k)
{
    uint64_t sum =
        r->many ? r->table->many.region[id].span[span].sum[k] : r->table->region[id].span[span].sum[k];
    return sum & mask_of(r, k);
}

static uint64_t region_sum(const struct regions *r, unsigned id, unsigned k)
{
    return (span_sum(r, id, 0, k) + span_sum(r, id, 1, k)) & mask_of(r, k);
}

static uint64_t lesser(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Least value, over the calls, of a region of the calibrating payload: of one span, or (span 2) of both. */
static void least_of(struct regions *r, region_call *call, const void *ctx, payload_fn *payload, unsigned id,
                     unsigned span, bool cold, uint64_t least[REGION_EVENTS])
{
    for (unsigned k = 0; k < REGION_EVENTS; k++) least[k] = UINT64_MAX;
    for (unsigned i = 0; i < (cold ? COLD_CALLS : WARM_CALLS); i++) {
        regions_reset(r);
        if (cold) hw_flush_caches();
        call(ctx, payload, r->table);
        for (unsigned k = 0; k < r->events; k++)
            least[k] = lesser(least[k], span < 2 ? span_sum(r, id, span, k) : region_sum(r, id, k));
    }
}

static void gather_event(struct regions *r, unsigned id, unsigned k, double begins, double ends)
{
    const struct region *g = region_at(r, id);
    const struct region_cost *c = &r->cost[k];
    struct region_tally *t = &r->tally[id];
    double x = (double)region_sum(r, id, k) - (double)g->entered * (double)c->later - begins * c->begin -
               ends * c->end;
    double d = x - t->event[k].mean; /* Welford's recurrence: huge totals lose nothing to rounding */
    t->event[k].mean += d / r->reps;
    t->event[k].squares += d * (x - t->event[k].mean);
    if (r->reps == 1 || x < t->event[k].min) t->event[k].min = x;
    if (r->reps == 1 || x > t->event[k].max) t->event[k].max = x;
}

static void gather_region(struct regions *r, unsigned id)
{
    const struct region *g = region_at(r, id);
    const struct region_span *first = span_at(r, id, 0), *later = span_at(r, id, 1);
    struct region_tally *t = &r->tally[id];
    double begins = (double)(uint32_t)(first->begins + later->begins);
    double ends = (double)(uint32_t)(first->ends + later->ends);
    if (r->reps > 1 && (g->entered != t->entered_rep || g->exited != t->exited_rep)) t->varies = true;
    r->seen[id] = true;
    t->entered_rep = g->entered;
    t->exited_rep = g->exited;
    t->entered += g->entered;
    t->exited += g->exited;
    if (g->entered != g->exited) t->unbalanced = true;
    if (g->early) t->early = true;
    if (g->entered != g->exited || g->early) return; /* no begin to take off for each end */
    t->nested += (uint64_t)(begins + ends);
    for (unsigned k = 0; k < r->events; k++) gather_event(r, id, k, begins, ends);
}

static double at_least_0(double x, bool *below)
{
    if (x < 0) *below = true;
    return x < 0 ? 0 : x;
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

void regions_calibrate(struct regions *r, region_call *call, const void *ctx)
{
    uint64_t first[REGION_EVENTS], other[REGION_EVENTS], later[REGION_EVENTS], begins[REGION_EVENTS],
        ends[REGION_EVENTS];
    least_of(r, call, ctx, region_empty, 0, 1, false, later);
    least_of(r, call, ctx, region_begins, 1, 2, false, begins);
    least_of(r, call, ctx, region_ends, 1, 2, false, ends);
    least_of(r, call, ctx, region_empty, 0, 0, true, first);
    least_of(r, call, ctx, region_empty, REGIONS / 2, 0, true, other);
    for (unsigned k = 0; k < r->events; k++)
        r->cost[k] = (struct region_cost){first[k], other[k], later[k],
                                          ((double)begins[k] - (double)later[k]) / REGION_INSIDE,
                                          ((double)ends[k] - (double)later[k]) / REGION_INSIDE};
    regions_reset(r);
}

/* Only what was used is touched: the table would fill a Pentium's data cache, which shall keep the payload's.
 */
void regions_reset(struct regions *r)
{
    struct region_table *t = r->table;
    for (unsigned id = 0; id <= REGIONS; id++)
        if (used(t, id)) memset(region_at(r, id), 0, r->many ? sizeof *t->many.region : sizeof *t->region);
    memset(t->used, 0, sizeof t->used);
    t->begins = t->ends = 0;
}

/* Every repetition of a region that was ever seen counts, also one that did not enter it. */
void regions_gather(struct regions *r)
{
    const struct region *bin = region_at(r, REGIONS);
    r->reps++;
    if (used(r->table, REGIONS)) r->out_of_range += (uint64_t)bin->entered + bin->exited;
    for (unsigned id = 0; id < REGIONS; id++)
        if (used(r->table, id) || r->seen[id]) gather_region(r, id);
}

/* The warm cost of markers inside: the same code has just run, for the region's own begin. */
void regions_gather_first(struct regions *r)
{
    for (unsigned id = 0; id < REGIONS; id++) {
        const struct region *g = region_at(r, id);
        const struct region_span *s = span_at(r, id, 0);
        struct region_tally *t = &r->tally[id];
        if (!used(r->table, id) || g->entered != g->exited || g->early) continue;
        t->cold = true;
        for (unsigned k = 0; k < r->events; k++) {
            const struct region_cost *c = &r->cost[k];
            uint64_t own = s->order == 1 ? c->first : c->other;
            t->event[k].overhead_first = own;
            t->event[k].first =
                (double)span_sum(r, id, 0, k) - (double)own - s->begins * c->begin - s->ends * c->end;
        }
    }
}

bool regions_result(const struct regions *r, unsigned id, unsigned k, unsigned conf,
                    struct region_result *out)
{
    const struct region_tally *t = &r->tally[id];
    if (!t->entered && !t->exited) return false;
    *out = (struct region_result){.entered = t->varies ? t->entered : t->entered_rep,
                                  .exited = t->varies ? t->exited : t->exited_rep,
                                  .overhead_first = t->cold ? t->event[k].overhead_first : r->cost[k].first,
                                  .overhead_later = r->cost[k].later,
                                  .unbalanced = t->unbalanced,
                                  .early = t->early,
                                  .varies = t->varies};
    out->total = out->min = out->max = out->ci = out->per_entry = out->first = out->nested = (double)NAN;
    if (t->unbalanced || t->early) return true;
    out->nested = (double)t->nested / r->reps;
    out->total = at_least_0(t->event[k].mean, &out->below_overhead);
    out->min = at_least_0(t->event[k].min, &out->below_overhead);
    out->max = at_least_0(t->event[k].max, &out->below_overhead);
    out->per_entry = out->total * r->reps / (double)t->entered;
    if (t->cold) out->first = at_least_0(t->event[k].first, &out->first_below);
    if (r->reps > 1)
        out->ci = student_t(conf, r->reps - 1) * stats_root(t->event[k].squares / (r->reps - 1) / r->reps);
    return true;
}
