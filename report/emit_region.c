/* The regions of a run, and the faults of its markers. */
#include "measure/region_within.h"
#include "report/emit.h"
#include "report/emit_errata.h"
#include "report/put.h"
#include <math.h>
#include <stdio.h>

/* The program's label of region id; NULL: none. */
static const char *label_of(const struct program *p, unsigned id)
{
    for (unsigned i = 0; p->regions[i]; i++)
        if (i == id) return p->regions[i];
    return NULL;
}

static void put_which(struct record *r, const struct run *run, unsigned k, unsigned id, unsigned ring)
{
    const char *label = label_of(&run->program, id);
    emit_identity(r, run, ring);
    PUT(r, measurement, event, run->count[k].event);
    PUT(r, marked, id, id);
    if (label) PUT(r, marked, label, label);
}

/* The value if the range is one number; else NaN, which records write as null. */
static double exact(struct region_range x) { return x.least == x.most ? x.least : (double)NAN; }

void emit_region(const struct run *run, unsigned k, unsigned id, const struct region_result *res,
                 const struct options *opt, const struct machine *m)
{
    const uint64_t errata = errata_here(m, run->count[k].errata);
    const char *doubt = errata_flag(m, errata);
    const char *origin = origin_flag(k ? m->count_origin : m->time_origin);
    struct record *r = NEW(region);
    put_which(r, run, k, id, opt->ring);
    PUT(r, region, reps, run->regions->reps);
    PUT(r, region, entered, res->entered);
    PUT(r, region, exited, res->exited);
    if (run->count[k].unmodelled) {
        OPEN(r, region, flags);
        ITEM(r, region, flags, "unmodelled");
        rec_close(r);
        record_emit(r);
        return;
    }
    PUT(r, region, total, exact(res->total));
    PUT(r, region, least, res->total.least);
    PUT(r, region, most, res->total.most);
    PUT(r, region, min, res->min);
    PUT(r, region, max, res->max);
    if (opt->conf == 99)
        PUT(r, region, ci99, res->ci);
    else
        PUT(r, region, ci95, res->ci);
    PUT(r, region, per_entry, exact(res->total) / res->entries);
    PUT(r, region, first, exact(res->first));
    PUT(r, region, first_least, res->first.least);
    PUT(r, region, first_most, res->first.most);
    PUT(r, region, overhead_least, res->overhead.least);
    PUT(r, region, overhead_most, res->overhead.most);
    PUT(r, region, nested_markers, res->nested);
    put_errata(r, errata);
    OPEN(r, region, flags);
    if (origin) ITEM(r, region, flags, origin);
    if (doubt) ITEM(r, region, flags, doubt);
    if (run->count[k].overhead_lowered) ITEM(r, region, flags, "overhead-lowered");
    if (res->unbalanced) ITEM(r, region, flags, "unbalanced");
    if (res->early) ITEM(r, region, flags, "end-before-begin");
    if (res->varies) ITEM(r, region, flags, "varies");
    if (res->below_overhead) ITEM(r, region, flags, "below-overhead");
    if (res->first_below) ITEM(r, region, flags, "first-below-overhead");
    rec_close(r);
    record_emit(r);
}

/* Four lists of numbers below 2^64, with quotes beyond 2^53, fit into a record. */
#define REPS_PER_RECORD 40

void emit_region_reps(const struct run *run, unsigned k, unsigned id, const struct region_result *res,
                      unsigned ring)
{
    struct region_rep rep[REPS_PER_RECORD];
    if (run->count[k].unmodelled || isnan(res->total.least)) return;
    for (unsigned first = 0, n; first < run->reps; first += n) {
        n = run->reps - first < REPS_PER_RECORD ? run->reps - first : REPS_PER_RECORD;
        for (unsigned i = 0; i < n; i++) rep[i] = regions_reduce_rep(run, id, k, first + i, res);
        struct record *r = NEW(region_reps);
        put_which(r, run, k, id, ring);
        PUT(r, region_reps, first, first);
        OPEN(r, region_reps, least);
        for (unsigned i = 0; i < n; i++) ITEM(r, region_reps, least, (uint64_t)rep[i].total.least);
        rec_close(r);
        OPEN(r, region_reps, most);
        for (unsigned i = 0; i < n; i++) ITEM(r, region_reps, most, (uint64_t)rep[i].total.most);
        rec_close(r);
        OPEN(r, region_reps, raw);
        for (unsigned i = 0; i < n; i++) ITEM(r, region_reps, raw, rep[i].raw);
        rec_close(r);
        if (res->varies) {
            OPEN(r, region_reps, entered);
            for (unsigned i = 0; i < n; i++) ITEM(r, region_reps, entered, rep[i].entered);
            rec_close(r);
        }
        record_emit(r);
    }
}

void emit_regions_note(const struct run *run)
{
    if (run->regions && run->regions->out_of_range)
        report_note("regions",
                    "%s: %llu markers in %u repetitions had an id above %u and were not measured; the "
                    "other regions were",
                    run->program.name, (unsigned long long)run->regions->out_of_range, run->regions->reps,
                    REGIONS - 1);
}
