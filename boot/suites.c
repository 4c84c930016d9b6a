#include "boot/suites.h"
#include "boot/items.h"
#include "boot/notes.h"
#include "measure/cascade.h"
#include "report/emit_article.h"
#include "report/emit_experiment.h"
#include "report/emit_truth.h"
#include <math.h>
#include <string.h>

/* The article's two throughputs, by their own events and at their defaults. */
static void sidebar(const struct options *given, double ours[ARTICLE_SIDEBAR])
{
    static const char *const word[] = {"uops_retired", "cycles"};
    static struct group group[EVENTS_MAX];
    static struct options opt;
    char why[160], near[128];
    opt = *given;
    opt.tsc = false;
    for (opt.n_events = 0; items.cpu->pmu->ops && opt.n_events < 2; opt.n_events++) {
        const char *w = word[opt.n_events];
        if (!pmu_event_parse(items.cpu->pmu, w, strlen(w), &opt.event[opt.n_events], why, sizeof why, near,
                             sizeof near))
            break;
    }
    const unsigned groups =
        opt.n_events == 2 ? schedule_groups(items.cpu->pmu, opt.event, opt.n_events, group) : 0;
    for (unsigned i = 0; i < ARTICLE_SIDEBAR; i++) {
        items.uops_per_cycle = (double)NAN;
        for (const struct bench *const *b = benches_start; groups && !items.cancelled && b < benches_end;
             b++) {
            struct plan_item item = {.bench = *b};
            if (strcmp((*b)->program.name, article_sidebar[i]) != 0) continue;
            for (unsigned p = 0; p < (*b)->params; p++) item.param[p] = (*b)->param[p].def;
            measure_item(&opt, &item, group, groups);
        }
        ours[i] = items.uops_per_cycle;
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
    sidebar(opt, page.uops_per_cycle);
    emit_article(items.m, &page);
}
