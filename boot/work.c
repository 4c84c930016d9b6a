#include "boot/work.h"
#include "boot/notes.h"
#include "kernel/user.h"
#include "measure/cascade.h"
#include "measure/execute.h"
#include "measure/lab.h"
#include "measure/region_within.h"
#include "report/emit_article.h"
#include "report/emit_experiment.h"
#include "report/emit_lab.h"
#include "report/emit_truth.h"
#include <math.h>
#include <string.h>

/* What work() was given. */
static const struct machine *m;
static const struct cpu *cpu; /* the CPU that is measured */

static bool cancelled; /* Ctrl-C: nothing more is begun */
static unsigned done, failed;
static struct certificate certificate;
static bool results; /* some were printed */

/* ---- private ---- */

static struct arena whole_pool(void) { return (struct arena){m->memory.pool, m->memory.pool_bytes, 0}; }

static double uops_per_cycle; /* the last ratios derived */

/* A run and its options. */
struct measurement {
    const struct options *opt;
    const struct run *run;
};

static void derived(void *of, const struct derived *d)
{
    const struct measurement *x = of;
    if (strcmp(d->name, DERIVED_UOPS_PER_CYCLE) == 0) uops_per_cycle = d->value;
    emit_derived(x->run, d, x->opt, m);
}

/* Measured events that the PMU model lacks, each once. */
static const char *unmodelled[EVENTS_MAX];
static unsigned n_unmodelled;

static void keep_unmodelled(const char *event)
{
    for (unsigned i = 0; i < n_unmodelled; i++)
        if (strcmp(unmodelled[i], event) == 0) return;
    unmodelled[n_unmodelled++] = event; /* events= accepts EVENTS_MAX at most */
}

/* Sample one plan item by each method and event, and print a result or an error for each. False: one failed.
 */
static bool sample_item(const struct options *opt, const struct plan_item *item)
{
    static struct sampling sampling;
    static struct sampled result;
    static struct options with;
    const struct code code = {.bytes = (const uint8_t *)user_text_start,
                              .base = (uintptr_t)user_text_start,
                              .size = (uint32_t)(user_text_end - user_text_start),
                              .long_mode = sizeof(void *) == 8,
                              .payloads = (uint32_t)(benchmarks_text_end - user_text_start),
                              .benches = benches_start,
                              .benches_end = benches_end};
    bool all = true;
    for (unsigned k = 0; !cancelled && options_sampling(opt, item, cpu->pmu, k, &with); k++)
        for (unsigned e = 0; !cancelled && e < (with.n_events ? with.n_events : 1); e++) {
            struct arena arena = whole_pool();
            sampling_run(item, &with, cpu, e, &arena, &sampling);
            bool ok = sampling.run.status == RUN_OK;
            cancelled = sampling.run.status == RUN_CANCELLED;
            const struct bench_image *image = &sampling.run.bench.image;
            const struct code own = image->at ? profile_code_of(image, code.long_mode) : code;
            if (e == 0) emit_printed(&sampling.run, with.ring);
            if (!ok) {
                emit_run_failure(&sampling.run);
            } else {
                ok = sampled_reduce(&sampling, cpu, &own, with.conf, &arena, &result);
                emit_sampling(&sampling, &result, &with, m);
                if (!ok)
                    report_error("benchmark", "%s: no memory left for a profile of so many samples",
                                 item->bench->program.name);
            }
            all &= ok;
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
        if (!reduce(run, k, opt, m, arena, &result)) {
            run_refuse(run, RUN_MEMORY, "not enough memory to sort %u repetitions", run->reps);
            break;
        }
        emit_result(run, k, &result, opt, m);
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
    for (unsigned k = run->group == 0 && opt->tsc ? 0 : 1; k < run->n; k++)
        for (unsigned id = 0; id < REGIONS; id++) {
            if (!regions_reduce(run, id, k, opt->conf, &region)) continue;
            emit_region(run, k, id, &region, opt, m);
            if (opt->all) emit_region_reps(run, k, id, &region, opt->ring);
        }
    if (run->group == 0) emit_regions_note(run);
}

/* Run one plan item with one group of events; with again=N once more while it is disturbed. */
static void run_undisturbed(const struct options *opt, const struct plan_item *item,
                            const struct group *group, struct arena *arena, struct run *run)
{
    static struct attempts attempts;
    for (attempts.n = 0;; attempts.n++) {
        struct disturbance *now = &attempts.at[attempts.n];
        *arena = whole_pool();
        run_item(item, opt, cpu, group, arena, run);
        if (run->status != RUN_OK) return;
        reduce_flags(run, m, arena);
        if (!reduce_disturbance(run, arena, now)) return; /* reduce() says so */
        const bool again = disturbed(now) && attempts.n < opt->again;
        certificate_run(&certificate, run, now, again);
        if (!again) break;
    }
    run->attempts = &attempts;
}

/* Measure one plan item with one group of events, and print its results. */
static bool measure_group(const struct options *opt, const struct plan_item *item, const struct group *group,
                          unsigned g, unsigned groups)
{
    static struct run run;
    static struct measured counts;
    struct arena arena;
    if (g == 0) counts.n = 0;
    if (g > 0 && run.bench.stamp_count) return true;
    run_undisturbed(opt, item, group, &arena, &run);
    run.group = g;
    run.groups = groups;
    if (g == 0 || run.status != RUN_OK) emit_printed(&run, opt->ring);
    if (run.status == RUN_OK) {
        if (run.bench.stamp_count && group)
            report_note("events", "%s is a series of time stamps, so no events are counted",
                        item->bench->program.name);
        emit_run(opt, &run, group, &arena, &counts);
    }
    if (run.status == RUN_OK && g + 1 == groups)
        derive(cpu->pmu, &counts, derived, &(struct measurement){opt, &run});
    if (run.status != RUN_OK) emit_run_failure(&run);
    cancelled = run.status == RUN_CANCELLED;
    return run.status == RUN_OK;
}

/* An experiment reports by itself. */
static bool experiment_item(const struct options *opt, const struct plan_item *item)
{
    static struct run run;
    struct arena arena = whole_pool();
    lab_run(item, opt, cpu, &arena, emit_lab_sink(m, opt), &run);
    if (run.status != RUN_OK) emit_run_failure(&run);
    cancelled = run.status == RUN_CANCELLED;
    return run.status == RUN_OK;
}

static void measure_item(const struct options *opt, const struct plan_item *item, const struct group *group,
                         unsigned groups)
{
    static struct group fewer[EVENTS_MAX];
    const bool sampled = opt->sample || item->bench->sampling;
    if (item->bench->experiment) {
        done++;
        failed += !experiment_item(opt, item);
        return;
    }
    const unsigned most = item->bench->events_at_once ? item->bench->events_at_once(item->param) : 0;
    if (most) {
        groups = schedule_split(group, groups, most, fewer);
        group = fewer;
    }
    bool ok = sampled ? sample_item(opt, item) : groups || opt->tsc;
    if (!sampled && !ok)
        report_error("benchmark", "%s: none of events= can be counted here", item->bench->program.name);
    done++;
    for (unsigned g = 0; !sampled && ok && g < (groups ? groups : 1); g++)
        ok = measure_group(opt, item, groups ? &group[g] : NULL, g, groups);
    failed += !ok;
}

/* The article's two throughputs, by their own events and at their defaults. */
static void sidebar(const struct options *given, double ours[ARTICLE_SIDEBAR])
{
    static const char *const word[] = {"uops_retired", "cycles"};
    static struct group group[EVENTS_MAX];
    static struct options opt;
    char why[160], near[128];
    opt = *given;
    opt.tsc = false;
    for (opt.n_events = 0; cpu->pmu->ops && opt.n_events < 2; opt.n_events++) {
        const char *w = word[opt.n_events];
        if (!pmu_event_parse(cpu->pmu, w, strlen(w), &opt.event[opt.n_events], why, sizeof why, near,
                             sizeof near))
            break;
    }
    const unsigned groups = opt.n_events == 2 ? schedule_groups(cpu->pmu, opt.event, opt.n_events, group) : 0;
    for (unsigned i = 0; i < ARTICLE_SIDEBAR; i++) {
        uops_per_cycle = (double)NAN;
        for (const struct bench *const *b = benches_start; groups && !cancelled && b < benches_end; b++) {
            struct plan_item item = {.bench = *b};
            if (strcmp((*b)->program.name, article_sidebar[i]) != 0) continue;
            for (unsigned p = 0; p < (*b)->params; p++) item.param[p] = (*b)->param[p].def;
            measure_item(&opt, &item, group, groups);
        }
        ours[i] = uops_per_cycle;
    }
}

/* Run a suite of programs whose counts are known: truth, tags or cascades. */
static void judge(enum action suite, const struct options *opt, struct truth_totals *totals)
{
    struct truth_report report = {.opt = opt, .m = m};
    const struct truth_sink sink = emit_truth_sink(&report);
    struct arena arena = whole_pool();
    *totals = (struct truth_totals){.programs = 0};
    if (!tell_suite(cpu->pmu, opt)) return;
    if (suite == ACTION_CASCADE)
        cascade_run(opt, cpu, &arena, &sink, totals);
    else
        truth_run(suite, opt, cpu, &arena, &sink, totals);
    emit_truths(&report, totals);
    done += totals->programs;
    failed += totals->failed;
}

/* Run the suites that were requested: one, or the article's tags, cascades and two throughputs. */
static void run_suites(const struct options *opt)
{
    struct article page;
    if (opt->action != ACTION_ARTICLE) {
        judge(opt->action, opt, &page.tags);
        return;
    }
    judge(ACTION_TAGS, opt, &page.tags);
    judge(ACTION_CASCADE, opt, &page.cascades);
    sidebar(opt, page.uops_per_cycle);
    emit_article(m, &page);
}

/* ---- public ---- */

bool work(const struct machine *machine, const struct options *opt, const struct plan *plan)
{
    static struct group group[EVENTS_MAX];
    m = machine;
    cpu = m->cpu[0];
    static struct quiet quiet;
    const unsigned groups = schedule_groups(cpu->pmu, opt->event, opt->n_events, group);
    tell_unmeasured(cpu->pmu, opt, group, groups, m->platform);
    if (opt->action == ACTION_MEASURE) {
        tell_impossible(opt, plan);
        tell_areas(&m->memory, plan);
        tell_watchdog(cpu, opt, plan);
    }

    certificate_begin(&certificate, cpu);
    quiet_check(cpu, &quiet, QUIET_MS);
    emit_quiet(&quiet, "before", &m->clock);
    if (plan->n) emit_plan(plan_items(plan));
    if (opt->action == ACTION_ARTICLE) experiments_hold();
    struct plan_cursor at = {.line = 0};
    while (!cancelled && plan_next(plan, &at)) measure_item(opt, &at.item, group, groups);
    if (opt->action >= ACTION_TRUTH && !cancelled) run_suites(opt);
    if (!cpu->smi_counter) { /* SMIs are not counted here: watch again */
        quiet_check(cpu, &quiet, QUIET_AFTER_MS);
        emit_quiet(&quiet, "after", &m->clock);
    }
    tell_unmodelled(unmodelled, n_unmodelled);
    tell_interrupts(cpu);
    certificate_end(&certificate);
    emit_done(done, failed, results, &certificate);
    return failed == 0;
}
