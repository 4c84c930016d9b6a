#include "boot/items.h"
#include "boot/every_event.h"
#include "boot/notes.h"
#include "kernel/repeated.h"
#include "kernel/user.h"
#include "measure/execute.h"
#include "measure/lab.h"
#include "measure/neighbour.h"
#include "measure/region_within.h"
#include "report/emit_lab.h"
#include <string.h>

struct items items;

struct arena items_pool(void) { return (struct arena){items.m->memory.pool, items.m->memory.pool_bytes, 0}; }

/* ---- private ---- */

/* A run and its options. */
struct measurement {
    const struct options *opt;
    const struct run *run;
};

static void derived(void *of, const struct derived *d)
{
    const struct measurement *x = of;
    if (d->lacks) {
        report_note("ratio", "%s: %s: %s", x->run->item->bench->program.name, d->name, d->lacks);
        return;
    }
    if (strcmp(d->name, DERIVED_UOPS_PER_CYCLE) == 0) items.uops_per_cycle = d->value;
    emit_derived(x->run, d, x->opt, items.m);
}

static void split(void *of, const struct levels *l)
{
    const struct measurement *x = of;
    emit_levels(x->run, l, x->opt, items.m);
}

static void keep_unmodelled(const char *event)
{
    for (unsigned i = 0; i < items.n_unmodelled; i++)
        if (strcmp(items.unmodelled[i], event) == 0) return;
    if (items.n_unmodelled < EVENTS_MAX) items.unmodelled[items.n_unmodelled++] = event;
}

/* False: one of those that ran beside it did not until the end, which is said. */
static bool neighbours_ran(const struct run *run)
{
    bool all = true;
    for (unsigned i = 0; run->beside && i < run->beside->n; i++) {
        const struct run *of = run->beside->at[i].run;
        if (of->status == RUN_OK) continue;
        emit_run_failure(of);
        all = false;
    }
    return all;
}

/* The results of one run: of its event, or of each that was sampled at once. */
static bool report_each(const struct options *opt, struct sampling *sampling, struct arena *arena, bool first)
{
    const size_t samples = arena->used; /* profiles come behind them */
    if (!sampling->at_once || sampling->run.status != RUN_OK)
        return report_samples(opt, sampling, arena, first);
    bool all = true;
    for (unsigned e = 0; e < sampling->at_once; e++) {
        arena->used = samples;
        sampling_view(sampling, e);
        all &= report_samples(opt, sampling, arena, e == 0);
    }
    return all;
}

/* Sample one plan item by each method and event, and print a result or an error for each. False: one failed.
 */
static bool sample_item(const struct options *opt, const struct plan_item *item)
{
    static struct sampling sampling;
    static struct options with;
    bool all = true;
    for (unsigned k = 0; !items.cancelled && options_sampling(opt, item, items.cpu->pmu, k, &with); k++)
        for (unsigned e = 0; !items.cancelled && e < (with.n_events ? with.n_events : 1); e++) {
            struct arena arena = items_pool();
            sampling_run(item, &with, items.cpu, e, &arena, &sampling);
            items.cancelled = sampling.run.status == RUN_CANCELLED;
            all &= report_each(&with, &sampling, &arena, e == 0);
            all &= neighbours_ran(&sampling.run);
            if (sampling.at_once) break;
        }
    return all;
}

/* Print the results of one run, and keep their medians for the ratios. */
static void emit_run(const struct options *opt, struct run *run, const struct group *group,
                     struct arena *arena, struct measured *counts)
{
    const unsigned first = run->group == 0 && (opt->tsc || run->n == 1) ? 0 : 1;
    struct result result;
    struct region_result region;
    for (unsigned k = first; k < run->n; k++) {
        if (!reduce(run, k, opt, items.m, arena, &result)) return;
        emit_result(run, k, &result, opt, items.m);
        if (run->count[k].unmodelled) {
            if (k > 0 || run->n == 1) keep_unmodelled(run->count[k].event);
            continue;
        }
        items.results = true;
        if (items.keep) pair_keep(items.keep, run, k, &result.stats);
        if (k > 0) {
            const struct pmu_code *event = &opt->event[group->event[k - 1]];
            counts->event[counts->n].code = event;
            counts->event[counts->n].group = run->group;
            counts->event[counts->n].overhead_lowered = run->count[k].overhead_lowered;
            counts->event[counts->n++].value = result.stats.median;
        }
        if (opt->all) emit_reps(run, k, opt->ring);
    }
    for (unsigned k = run->group == 0 && opt->tsc ? 0 : 1; k < run->n; k++)
        for (unsigned id = 0; id < REGIONS; id++) {
            if (!regions_reduce(run, id, k, opt->conf, &region)) continue;
            emit_region(run, k, id, &region, opt, items.m);
            if (opt->all) emit_region_reps(run, k, id, &region, opt->ring);
        }
    if (run->group == 0) emit_regions_note(run);
    if (run->group == 0) emit_trace(run, opt, items.m);
}

/* Run one plan item with one group of events; with again=N once more while it is disturbed. */
static void run_undisturbed(const struct options *opt, const struct plan_item *item,
                            const struct group *group, struct arena *arena, struct run *run)
{
    static struct attempts attempts;
    for (attempts.n = 0;; attempts.n++) {
        struct disturbance *now = &attempts.at[attempts.n];
        *arena = items_pool();
        run_item(item, opt, items.cpu, group, arena, run);
        if (run->status != RUN_OK) return;
        reduce_flags(run, items.m, arena);
        if (!reduce_disturbance(run, arena, now)) return; /* reduce() says so */
        const bool again = disturbed(now) && attempts.n < opt->again;
        certificate_run(&items.certificate, run, now, again);
        if (!again) break;
    }
    run->attempts = &attempts;
}

/* Measure one plan item with one group of events, and print its results. */
static bool measure_group(const struct options *opt, const struct plan_item *item, const struct group *group,
                          unsigned g, unsigned groups)
{
    static struct run run REPEATED_BSS; /* what is called before each repetition reads it */
    static struct measured counts;
    struct arena arena;
    if (g == 0) counts.n = 0;
    if (items.groups_before + g > 0 && run.bench.stamp_count) return true;
    run_undisturbed(opt, item, group, &arena, &run);
    run.group = items.groups_before + g;
    run.groups = opt->every_event ? 0 : groups; /* 0: not known yet */
    if (run.group == 0 || run.status != RUN_OK) emit_printed(&run, opt->ring);
    if (run.status == RUN_OK) {
        if (run.bench.stamp_count && group)
            report_note("events", "%s is a series of time stamps, so no events are counted",
                        item->bench->program.name);
        emit_run(opt, &run, group, &arena, &counts);
    }
    if (run.status == RUN_OK && g + 1 == groups) {
        struct measurement x = {opt, &run};
        if (opt->levels) levels_derive(items.cpu->pmu, &counts, split, &x);
        derive(items.cpu->pmu, &counts, opt->ratio, opt->n_ratios, derived, &x);
    }
    if (run.status != RUN_OK) emit_run_failure(&run);
    items.cancelled = run.status == RUN_CANCELLED;
    return neighbours_ran(&run) && run.status == RUN_OK;
}

/* Events for which steps= has no counter. */
static void tell_left_out(const struct options *with, const struct group *group, unsigned groups)
{
    char list[256] = "";
    for (unsigned i = 0; i < with->n_events; i++) {
        bool counted = false;
        for (unsigned g = 0; g < groups; g++)
            for (unsigned k = 0; k + 1u < group[g].n; k++) counted |= group[g].event[k] == i;
        if (!counted) pmu_list_add(list, sizeof list, with->event[i].name, "");
    }
    if (list[0])
        report_note("steps", "no counter is left for %s: one counts cycles, and some stop too late", list);
}

/* steps=: one plan item, and a table for each group of its events. */
static bool step_item(const struct options *opt, const struct plan_item *item)
{
    static struct steps steps REPEATED_BSS;
    static struct options with;
    static struct group group[EVENTS_MAX];
    char why[192];
    const unsigned groups = steps_schedule(opt, items.cpu->pmu, &with, group, why, sizeof why);
    bool all = true;
    if (!groups) report_error("benchmark", "%s: %s", item->bench->program.name, why);
    if (groups) tell_left_out(&with, group, groups);
    for (unsigned g = 0; g < groups && !items.cancelled; g++) {
        struct arena arena = items_pool();
        steps_run(item, &with, items.cpu, &group[g], &arena, &steps);
        items.cancelled = steps.run.status == RUN_CANCELLED;
        if (g == 0 || steps.run.status != RUN_OK) emit_printed(&steps.run, opt->ring);
        if (steps.run.status != RUN_OK)
            emit_run_failure(&steps.run);
        else
            emit_steps(&steps, &with, items.m);
        for (unsigned k = 1; k <= steps.events; k++)
            if (steps.run.count[k].unmodelled) keep_unmodelled(steps.run.count[k].event);
        all &= neighbours_ran(&steps.run) && steps.run.status == RUN_OK;
    }
    return groups && all;
}

/* An experiment reports by itself. */
static bool experiment_item(const struct options *opt, const struct plan_item *item)
{
    static struct run run REPEATED_BSS;
    struct arena arena = items_pool();
    lab_run(item, opt, items.cpu, items.where, &arena, emit_lab_sink(items.m, opt), &run);
    if (run.status != RUN_OK) emit_run_failure(&run);
    items.cancelled = run.status == RUN_CANCELLED;
    return run.status == RUN_OK;
}

bool report_samples(const struct options *opt, struct sampling *sampling, struct arena *arena, bool first)
{
    static struct sampled result;
    const struct run *run = &sampling->run;
    const struct code code = {.bytes = (const uint8_t *)user_text_start,
                              .base = (uintptr_t)user_text_start,
                              .size = (uint32_t)(user_text_end - user_text_start),
                              .long_mode = sizeof(void *) == 8,
                              .payloads = (uint32_t)(benchmarks_text_end - user_text_start),
                              .benches = benches_start,
                              .benches_end = benches_end};
    const struct code own = run->bench.image.at ? profile_code_of(&run->bench.image, code.long_mode) : code;
    if (first) emit_printed(run, opt->ring);
    if (run->status != RUN_OK) {
        emit_run_failure(run);
        return false;
    }
    const bool room = sampled_reduce(sampling, items.cpu, &own, opt->conf, arena, &result);
    emit_sampling(sampling, &result, opt, items.m);
    if (first || !sampling->at_once) emit_trace(run, opt, items.m);
    if (!room)
        report_error("benchmark", "%s: no memory left for a profile of so many samples",
                     run->item->bench->program.name);
    return room;
}

bool measure_groups(const struct options *opt, const struct plan_item *item, const struct group *group,
                    unsigned groups)
{
    static struct group fewer[EVENTS_MAX];
    const unsigned most = item->bench->events_at_once ? item->bench->events_at_once(item->param) : 0;
    if (most) {
        groups = schedule_split(group, groups, most, fewer);
        group = fewer;
    }
    bool ok = groups || opt->tsc;
    if (!ok) report_error("benchmark", "%s: none of events= can be counted here", item->bench->program.name);
    for (unsigned g = 0; ok && g < (groups ? groups : 1); g++)
        ok = measure_group(opt, item, groups ? &group[g] : NULL, g, groups);
    return ok;
}

void measure_item(const struct options *opt, const struct plan_item *item, const struct group *group,
                  unsigned groups)
{
    bool ok;
    items.groups_before = 0;
    if (item->bench->experiment)
        ok = experiment_item(opt, item);
    else if (opt->steps.given)
        ok = step_item(opt, item);
    else if (opt->sample || item->bench->sampling)
        ok = sample_item(opt, item);
    else if (opt->every_event)
        ok = measure_every_event(opt, item);
    else
        ok = measure_groups(opt, item, group, groups);
    items.done++;
    items.failed += !ok;
}
