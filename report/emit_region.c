/* The regions of a run, and what was wrong with its markers. */
#include "measure/region_within.h"
#include "report/emit.h"
#include "report/record.h"
#include <math.h>
#include <stdio.h>

/* The label that the benchmark gives to region id; NULL: none. */
static const char *label_of(const struct bench *b, unsigned id)
{
    for (unsigned i = 0; b->regions[i]; i++)
        if (i == id) return b->regions[i];
    return NULL;
}

static void flag(struct record *r, bool is, const char *name)
{
    if (is) rec_str(r, NULL, name);
}

/* What is one number only; else NaN, of which records have null. */
static double exact(struct region_range x) { return x.least == x.most ? x.least : (double)NAN; }

static void emit_region(const struct run *run, unsigned k, unsigned id, const struct region_result *res,
                        const struct options *opt, const struct system *sys)
{
    const char *label = label_of(run->item->bench, id), *origin = emit_origin(sys, k);
    struct record *r = record_new("region");
    emit_identity(r, run, opt->ring);
    rec_str(r, "event", run->count[k].event);
    rec_uint(r, "id", id);
    if (label) rec_str(r, "label", label);
    rec_uint(r, "reps", run->regions->reps);
    rec_uint(r, "entered", res->entered);
    rec_uint(r, "exited", res->exited);
    if (run->count[k].unmodelled) {
        emit_unmodelled(r);
        return;
    }
    rec_real(r, "total", exact(res->total));
    rec_real(r, "least", res->total.least);
    rec_real(r, "most", res->total.most);
    rec_real(r, "min", res->min);
    rec_real(r, "max", res->max);
    rec_real(r, opt->conf == 99 ? "ci99" : "ci95", res->ci);
    rec_real(r, "per_entry", exact(res->total) / res->entries);
    rec_real(r, "first", exact(res->first));
    rec_real(r, "first_least", res->first.least);
    rec_real(r, "first_most", res->first.most);
    rec_real(r, "overhead_least", res->overhead.least);
    rec_real(r, "overhead_most", res->overhead.most);
    rec_real(r, "nested_markers", res->nested);
    rec_array(r, "flags");
    if (origin) rec_str(r, NULL, origin);
    flag(r, run->count[k].overhead_lowered, "overhead-lowered");
    flag(r, res->unbalanced, "unbalanced");
    flag(r, res->early, "end-before-begin");
    flag(r, res->varies, "varies");
    flag(r, res->below_overhead, "below-overhead");
    flag(r, res->first_below, "first-below-overhead");
    rec_close(r);
    record_emit(r);
}

void emit_regions(const struct run *run, unsigned k, const struct options *opt, const struct system *sys)
{
    struct region_result res;
    for (unsigned id = 0; run->regions && id < REGIONS; id++)
        if (regions_result(run->regions, id, k, opt->conf, &res)) {
            regions_within(run, id, k, opt->conf, &res);
            emit_region(run, k, id, &res, opt, sys);
        }
}

void emit_regions_note(const struct run *run)
{
    if (run->regions && run->regions->out_of_range)
        report_note("regions",
                    "%s: %llu markers in %u repetitions had an id beyond %u and were not measured; the "
                    "other regions were",
                    run->item->bench->name, (unsigned long long)run->regions->out_of_range,
                    run->regions->reps, REGIONS - 1);
}
