#include "report/emit_article.h"
#include "pmu/netburst.h"
#include "report/emit_experiment.h"
#include <math.h>
#include <string.h>

static enum origin origin;

const char *const article_sidebar[ARTICLE_SIDEBAR] = {"fp_add_latency", "l1_miss"};

static void put(const char *name, const char *what, const char *unit, double article, double ours,
                const char *note)
{
    emit_experiment(
        &(struct experiment){
            .name = name, .what = what, .unit = unit, .article = article, .ours = ours, .note = note},
        origin);
}

static unsigned bits(uint32_t set)
{
    unsigned n = 0;
    for (; set; set &= set - 1) n++;
    return n;
}

/* The numbers of counters and ESCRs. */
static void counters(const struct pmu *pmu)
{
    static const char name[] = "counters";
    unsigned escrs = 0;
    if (pmu->ops != &pmu_netburst_ops) {
        put(name, "counters", "counters", 18, (double)NAN, "this CPU is not a Pentium 4");
        return;
    }
    while (pmu_netburst_escr_at(pmu, escrs) >= 0) escrs++;
    put(name, "counters", "counters", 18, bits(pmu->usable), "counter 1 has an erratum and is never used");
    put(name, "event detectors (ESCRs)", "registers", 44, escrs,
        "the article says 44, and 48 at its beginning; the manual's tables have 45, or 43 from Prescott on");
}

static void verdicts(const char *name, const struct truth_totals *t, bool skid, const char *note)
{
    if (!t->programs) {
        put(name, "not run", "programs", (double)NAN, (double)NAN,
            "this CPU lacks the events that this experiment needs");
        return;
    }
    put(name, "counts that agree", "counts", (double)NAN, t->verdict[TRUTH_AGREES], note);
    put(name, "counts that differ", "counts", (double)NAN, t->verdict[TRUTH_DIFFERS], NULL);
    if (skid && t->verdict[TRUTH_WITHIN])
        put(name, "late, by the interrupt's skid", "counts", (double)NAN, t->verdict[TRUTH_WITHIN], NULL);
    if (t->verdict[TRUTH_UNMODELLED])
        put(name, "not modelled", "counts", (double)NAN, t->verdict[TRUTH_UNMODELLED], NULL);
    if (t->verdict[TRUTH_REFUSED])
        put(name, "refused", "counts", (double)NAN, t->verdict[TRUTH_REFUSED],
            "an erratum: cascades of this model raise no interrupt");
}

static void throughput(const char *name, const char *what, double article, double ours, const char *otherwise)
{
    emit_experiment(&(struct experiment){.name = name,
                                         .what = what,
                                         .unit = "uops/cycle",
                                         .article = article,
                                         .ours = ours,
                                         .note = isnan(ours) && record_has_clocks() ? otherwise : NULL,
                                         .event = "uops_retired / cycles"},
                    origin);
}

/* What two threads count does not depend on how the core takes turns between them, in contrast to cycles. */
static void counted(const char *name, const struct article_threads *t)
{
    static const char *const what[] = {"first thread, beside the second", "second thread, beside the first"};
    for (unsigned i = 0; i < 2; i++)
        emit_experiment(&(struct experiment){.name = name,
                                             .what = what[i],
                                             .unit = t->unit,
                                             .article = (double)NAN,
                                             .ours = t->uops[i],
                                             .event = "uops_retired"},
                        origin);
}

/* The sidebar on Hyper-Threading. */
static void sidebar(const struct article *a)
{
    static const struct {
        double one, two;
    } article[ARTICLE_SIDEBAR] = {[ARTICLE_FP_ADD] = {0.21, 0.41}, [ARTICLE_L1_MISS] = {1.23, 0.65}};
    static const char lacks[] = "this CPU does not count both events";
    for (unsigned i = 0; i < ARTICLE_SIDEBAR; i++) {
        const char *name = article_sidebar[i];
        const struct article_threads *t = &a->threads[i];
        throughput(name, "one thread", article[i].one, a->uops_per_cycle[i], lacks);
        if (t->why[0]) {
            put(name, "two threads", "uops/cycle", article[i].two, (double)NAN, t->why);
            continue;
        }
        throughput(name, "two threads", article[i].two, t->uops_per_cycle, lacks);
        counted(name, t);
    }
}

void emit_article(const struct machine *m, const struct article *a)
{
    origin = m->count_origin;
    verdicts("tags", &a->tags, false, "the article describes tagging, without figures");
    verdicts("cascade", &a->cascades, true, "the article describes cascading, without figures");
    counters(m->cpu[0]->pmu);
    sidebar(a);
    report_note("article", "the figures above are those of B. Sprunt, Pentium 4 Performance-Monitoring "
                           "Features, IEEE Micro 22(4), "
                           "2002, beside ours");
    experiments_release();
}
