/* The regions of a run, and the faults of its markers. */
#include "report/emit.h"
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

/* The value if the range is one number; else NaN, which records write as null. */
static double exact(struct region_range x) { return x.least == x.most ? x.least : (double)NAN; }

void emit_region(const struct run *run, unsigned k, unsigned id, const struct region_result *res,
                 const struct options *opt, const struct machine *m)
{
    const char *label = label_of(&run->program, id),
               *origin = origin_flag(k ? m->count_origin : m->time_origin);
    struct record *r = NEW(region);
    emit_identity(r, run, opt->ring);
    PUT(r, measurement, event, run->count[k].event);
    PUT(r, region, id, id);
    if (label) PUT(r, region, label, label);
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
    OPEN(r, region, flags);
    if (origin) ITEM(r, region, flags, origin);
    if (run->count[k].overhead_lowered) ITEM(r, region, flags, "overhead-lowered");
    if (res->unbalanced) ITEM(r, region, flags, "unbalanced");
    if (res->early) ITEM(r, region, flags, "end-before-begin");
    if (res->varies) ITEM(r, region, flags, "varies");
    if (res->below_overhead) ITEM(r, region, flags, "below-overhead");
    if (res->first_below) ITEM(r, region, flags, "first-below-overhead");
    rec_close(r);
    record_emit(r);
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
