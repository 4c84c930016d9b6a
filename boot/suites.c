#include "boot/suites.h"
#include "boot/items.h"
#include "boot/notes.h"
#include "boot/pairs.h"
#include "measure/cascade.h"
#include "report/emit_article.h"
#include "report/emit_experiment.h"
#include "report/emit_truth.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char uops[] = "uops_retired", cycles[] = "cycles";

/* The article's events in the place of the user's. False: this CPU lacks one. */
static bool sidebar_events(const struct options *given, struct options *opt)
{
    static const struct text_part word[] = {{uops, sizeof uops - 1}, {cycles, sizeof cycles - 1}};
    unsigned lacking = items.cpu->index;
    *opt = *given;
    opt->tsc = false;
    memcpy(opt->event_word, word, sizeof word);
    opt->n_event_words = 2;
    /* It counts both where it counts at all, which its page says: no note for each. */
    options_elsewhere(opt, items.cpu->pmu, tell_nothing, &lacking, opt);
    return items.cpu->pmu->ops && opt->n_events == 2;
}

static const struct bench *bench_named(const char *name)
{
    for (const struct bench *const *b = benches_start; b < benches_end; b++)
        if (strcmp((*b)->program.name, name) == 0) return *b;
    return NULL;
}

/* One thread: the throughput, at the benchmark's defaults. */
static double one_thread(const struct options *opt, const struct bench *b)
{
    static struct group group[EVENTS_MAX];
    struct plan_item item = {.cpu = items.cpu->index, .bench = b};
    for (unsigned p = 0; p < b->params; p++) item.param[p] = b->param[p].def;
    items.uops_per_cycle = (double)NAN;
    measure_item(opt, &item, group, schedule_groups(items.cpu->pmu, opt->event, opt->n_events, group));
    return items.uops_per_cycle;
}

/* Two threads of one core, where there are some: each beside the other. */
static void two_threads(const struct options *opt, const struct bench *b, struct article_threads *out)
{
    static struct pair_side side[2];
    struct load pair[2];
    const struct cpu *cpu = items.cpu;
    unsigned first, second;
    if (!topology_pair(&items.m->topology, PAIR_THREADS, &first, &second, out->why, sizeof out->why)) return;
    for (unsigned i = 0; i < 2; i++) {
        pair[i] = (struct load){.bench = b};
        for (unsigned p = 0; p < b->params; p++) pair[i].param[p] = b->param[p].def;
    }
    const bool measured = measure_pair(opt, pair, PAIR_THREADS, first, second, side);
    snprintf(out->why, sizeof out->why, "%s", measured ? "" : "not measured: see the error above");
    for (unsigned i = 0; i < 2 && measured; i++) {
        out->uops[i] = pair_mean(&side[i], uops);
        out->uops_per_cycle += out->uops[i] / pair_mean(&side[i], cycles);
    }
    items.cpu = cpu;
}

/* The article's throughputs, by their own events. */
static void sidebar(const struct options *given, struct article *page)
{
    static struct options opt;
    const bool counts = sidebar_events(given, &opt);
    for (unsigned i = 0; i < ARTICLE_SIDEBAR; i++) {
        const struct bench *b = bench_named(article_sidebar[i]);
        struct article_threads *threads = &page->threads[i];
        *threads = (struct article_threads){.why = "this CPU does not count both events"};
        page->uops_per_cycle[i] = (double)NAN;
        if (!counts || !b || items.cancelled) continue;
        snprintf(threads->unit, sizeof threads->unit, "uops/%s", b->op);
        page->uops_per_cycle[i] = one_thread(&opt, b);
        if (!items.cancelled) two_threads(&opt, b, threads);
    }
}

/* Run a suite of programs whose counts are known: truth, tags or cascades. */
static void judge(enum action suite, const struct options *opt, struct truth_totals *totals)
{
    struct truth_report report = {.opt = opt, .m = items.m, .cpu = items.cpu->index};
    const struct truth_sink sink = emit_truth_sink(&report);
    struct arena arena = items_pool();
    *totals = (struct truth_totals){.programs = 0};
    if (!tell_suite(items.cpu->pmu, opt)) return;
    if (suite == ACTION_CASCADE)
        cascade_run(opt, items.cpu, &arena, &sink, totals);
    else
        truth_run(suite, opt, items.cpu, &arena, &sink, totals);
    emit_truths(&report, totals);
    items.done += totals->programs;
    items.failed += totals->failed;
}

void run_suites(const struct options *opt)
{
    struct article page;
    if (opt->action != ACTION_ARTICLE) {
        judge(opt->action, opt, &page.tags);
        return;
    }
    judge(ACTION_TAGS, opt, &page.tags);
    judge(ACTION_CASCADE, opt, &page.cascades);
    sidebar(opt, &page);
    emit_article(items.m, &page);
}
