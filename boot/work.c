#include "boot/work.h"
#include "boot/notes.h"
#include "kernel/console.h"
#include "kernel/model.h"
#include "kernel/percpu.h"
#include "kernel/user.h"
#include "measure/core_clock.h"
#include "report/emit_article.h"
#include "report/emit_experiment.h"
#include "report/emit_truth.h"
#include <math.h>
#include <string.h>

/* A tick is an instruction there, of which it has some 20 million a second, whatever it says of its clock. */
#define BOCHS_REPEAT_TICKS 100000000

/* What work() was given. */
static struct system *sys;
static struct options *opt;

static bool cancelled; /* Ctrl-C: nothing more is begun */
static unsigned done, failed;
static bool results; /* there were some */

/* ---- private ---- */

static struct arena whole_pool(void) { return (struct arena){sys->memory.pool, sys->memory.pool_bytes, 0}; }

static double uops_per_cycle; /* as they were derived last */

static void derived(void *run, const struct derived *d)
{
    if (strcmp(d->name, DERIVED_UOPS_PER_CYCLE) == 0) uops_per_cycle = d->value;
    emit_derived(run, d, opt, sys);
}

/* Events that were measured and that the PMU model does not have, each once. */
static const char *unmodelled[EVENTS_MAX];
static unsigned n_unmodelled;

static void keep_unmodelled(const char *event)
{
    for (unsigned i = 0; i < n_unmodelled; i++)
        if (strcmp(unmodelled[i], event) == 0) return;
    unmodelled[n_unmodelled++] = event; /* EVENTS_MAX are all that events= takes */
}

/* One plan item, sampled by each method and event: each has its result or its error. False: one failed. */
static bool sample_item(const struct plan_item *item, const struct machine *machine)
{
    static struct sampling sampling;
    static struct options with;
    bool all = true;
    for (unsigned k = 0; !cancelled && options_sampling(opt, item, &sys->pmu, k, &with); k++)
        for (unsigned e = 0; !cancelled && e < (with.n_events ? with.n_events : 1); e++) {
            struct arena arena = whole_pool();
            sampling_run(item, &with, machine, e, &arena, &sampling);
            bool ok = sampling.run.status == RUN_OK;
            cancelled = sampling.run.status == RUN_CANCELLED;
            if (!ok)
                emit_run_failure(&sampling.run);
            else
                ok = emit_sampling(&sampling, &with, sys, &arena);
            all &= ok;
        }
    return all;
}

/* The results of one run, and for what is derived from them their medians. */
static void emit_run(struct run *run, const struct machine *machine, const struct group *group,
                     struct arena *arena, struct measured *counts)
{
    const unsigned first = run->group == 0 && (opt->tsc || run->n == 1) ? 0 : 1;
    struct result result;
    reduce_flags(run, machine, arena);
    for (unsigned k = first; k < run->n; k++) {
        if (!reduce(run, k, opt, machine, arena, &result)) {
            run->status = RUN_MEMORY;
            break;
        }
        emit_result(run, k, &result, opt, sys);
        if (run->count[k].unmodelled) {
            keep_unmodelled(run->count[k].event);
            continue;
        }
        results = true;
        if (k > 0) {
            const struct pmu_code *event = &opt->event[group->event[k - 1]];
            counts->event[counts->n].code = event;
            counts->event[counts->n].overhead_lowered = run->count[k].overhead_lowered;
            counts->event[counts->n++].value = result.stats.median;
        }
        if (opt->all) emit_reps(run, k, opt->ring);
    }
    for (unsigned k = run->group == 0 && opt->tsc ? 0 : 1; k < run->n; k++) emit_regions(run, k, opt, sys);
    if (run->group == 0) emit_regions_note(run);
}

/* One plan item with one group of events, its results out. */
static bool measure_group(const struct plan_item *item, const struct machine *machine,
                          const struct group *group, unsigned g, unsigned groups)
{
    static struct run run;
    static struct measured counts;
    struct arena arena = whole_pool();
    if (g == 0) counts.n = 0;
    if (g > 0 && run.bench.stamp_count) return true;
    run_item(item, opt, machine, group, &arena, &run);
    run.group = g;
    run.groups = groups;
    if (run.status == RUN_OK) {
        if (run.bench.stamp_count && group)
            report_note("events", "%s is a series of time stamps: no events are counted", item->bench->name);
        emit_run(&run, machine, group, &arena, &counts);
    }
    if (run.status == RUN_OK && g + 1 == groups) derive(&sys->pmu, &counts, derived, &run);
    if (run.status != RUN_OK) emit_run_failure(&run);
    cancelled = run.status == RUN_CANCELLED;
    return run.status == RUN_OK;
}

static void measure_item(const struct plan_item *item, const struct machine *machine,
                         const struct group *group, unsigned groups)
{
    const bool sampled = opt->sample || item->bench->sampling;
    bool ok = sampled ? sample_item(item, machine) : groups || opt->tsc;
    if (!sampled && !ok) report_error("benchmark", "%s: none of events= is left", item->bench->name);
    done++;
    for (unsigned g = 0; !sampled && ok && g < (groups ? groups : 1); g++)
        ok = measure_group(item, machine, groups ? &group[g] : NULL, g, groups);
    failed += !ok;
}

/* The article's two throughputs, by their own events and at their defaults. */
static void sidebar(const struct machine *machine, double ours[ARTICLE_SIDEBAR])
{
    static const char *const word[] = {"uops_retired", "cycles"};
    static struct group group[EVENTS_MAX];
    char why[160], near[128];
    opt->tsc = false;
    for (opt->n_events = 0; sys->pmu.ops && opt->n_events < 2; opt->n_events++) {
        const char *w = word[opt->n_events];
        if (!pmu_event_parse(&sys->pmu, w, strlen(w), &opt->event[opt->n_events], why, sizeof why, near,
                             sizeof near))
            break;
    }
    const unsigned groups =
        opt->n_events == 2 ? schedule_groups(&sys->pmu, opt->event, opt->n_events, group) : 0;
    for (unsigned i = 0; i < ARTICLE_SIDEBAR; i++) {
        uops_per_cycle = (double)NAN;
        for (const struct bench *const *b = benches_start; groups && !cancelled && b < benches_end; b++) {
            struct plan_item item = {.bench = *b};
            if (strcmp((*b)->name, article_sidebar[i]) != 0) continue;
            for (unsigned p = 0; p < (*b)->params; p++) item.param[p] = (*b)->param[p].def;
            measure_item(&item, machine, group, groups);
        }
        ours[i] = uops_per_cycle;
    }
}

/* What is a suite of programs of its own: the truth, tags, cascades, and the article, which has both. */
static void run_suite(const struct machine *machine)
{
    const bool article = opt->action == ACTION_ARTICLE;
    struct article page;
    struct truth_totals *const totals[] = {&page.tags, &page.cascades};
    for (unsigned i = 0; i <= article; i++) {
        struct arena arena = whole_pool();
        if (article) opt->action = i ? ACTION_CASCADE : ACTION_TAGS;
        emit_truth(opt, machine, &arena, sys, totals[i]);
        done += totals[i]->programs;
        failed += totals[i]->failed;
    }
    if (!article) return;
    sidebar(machine, page.uops_per_cycle);
    emit_article(sys, &page);
}

/* ---- public ---- */

bool work(struct system *system, struct options *options, const struct plan *plan)
{
    static struct group group[EVENTS_MAX];
    sys = system;
    opt = options;
    struct machine machine = {
        .id = &sys->id,
        .caches = &sys->caches,
        .pmu = &sys->pmu,
        .apic = &sys->apic,
        .tsc_hz = sys->clock.tsc_hz,
        .strays = &cpu0.strays,
        .core_clock = core_clock_present(&sys->id),
        .timer = sys->timer,
        .modelled = model_present(),
        /* Emulators let unknown MSRs read as 0: no counter at all, yet no fault either. */
        .smi_counter = sys->platform == PLATFORM_SILICON && smi_counter_present(&sys->id),
        .cancelled = console_cancelled,
        .repeat_ticks = sys->platform == PLATFORM_BOCHS ? BOCHS_REPEAT_TICKS : 0,
        .payloads = (uintptr_t)user_text_start,
        .payloads_end = (uintptr_t)user_text_end};
    struct quiet quiet;
    const unsigned groups = schedule_groups(&sys->pmu, opt->event, opt->n_events, group);
    tell_unmeasured(&sys->pmu, opt, group, groups);
    if (opt->action == ACTION_MEASURE) tell_impossible(opt, plan);

    quiet_check(&machine, &quiet, QUIET_MS);
    emit_quiet(&quiet, "before", sys->clock.tsc_hz);
    machine.tsc_step = quiet.step;
    if (opt->action == ACTION_ARTICLE) experiments_hold();
    for (unsigned i = 0; i < plan->n && !cancelled; i++)
        measure_item(&plan->item[i], &machine, group, groups);
    if (opt->action >= ACTION_TRUTH && !cancelled) run_suite(&machine);
    if (!machine.smi_counter) { /* nothing counts SMIs here: watch again */
        quiet_check(&machine, &quiet, QUIET_AFTER_MS);
        emit_quiet(&quiet, "after", sys->clock.tsc_hz);
    }
    tell_unmodelled(unmodelled, n_unmodelled);
    tell_interrupts(sys);
    emit_done(done, failed, results);
    return failed == 0;
}
