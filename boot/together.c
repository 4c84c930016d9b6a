#include "boot/together.h"
#include "boot/items.h"
#include "boot/notes.h"
#include "kernel/percpu.h"
#include "measure/together.h"
#include "pmu/netburst.h"
#include "report/emit_experiment.h"
#include "report/emit_pair.h"
#include <string.h>

static struct together *side[PROCESSORS_MAX];

/* Hyper-Threading of a Pentium 4: what one thread programs is the other one's, too. */
static bool share_counters(const struct cpu_set *where)
{
    const struct topology_place *at = items.m->topology.place;
    const struct pmu *pmu = items.m->cpu[0]->pmu;
    if (pmu->ops != &pmu_netburst_ops || !pmu->netburst.two_threads) return false;
    for (unsigned i = cpu_set_next(where, 0); i < PROCESSORS_MAX; i = cpu_set_next(where, i + 1))
        for (unsigned k = cpu_set_next(where, i + 1); k < PROCESSORS_MAX; k = cpu_set_next(where, k + 1))
            if (at[i].unit[LEVEL_CORE] == at[k].unit[LEVEL_CORE]) return true;
    return false;
}

/* Equal parts of the pool for all. False: it has no room, which has been reported. */
static unsigned divide(const struct cpu_set *where)
{
    const struct arena pool = items_pool();
    const unsigned n = cpu_set_count(where);
    const size_t part = (pool.size / n) & ~(size_t)(PAGE_SIZE - 1);
    unsigned k = 0;
    for (unsigned i = cpu_set_next(where, 0); i < PROCESSORS_MAX; i = cpu_set_next(where, i + 1), k++) {
        side[k] = together_new(items.m->cpu[i], (struct arena){pool.base + part * k, part, 0});
        if (!side[k]) return 0;
    }
    return n;
}

/* The method-th way to sample this item, by the event-th event, of those that can. Returns how many can. */
static unsigned choose(const struct options *opt, const struct plan_item *item, unsigned n, unsigned method,
                       unsigned event)
{
    unsigned able = 0;
    for (unsigned k = 0; k < n; k++) {
        struct together *t = side[k];
        unsigned cpu = t->cpu->index;
        options_elsewhere(opt, t->cpu->pmu, method || event ? tell_nothing : tell_lacks, &cpu, &t->opt);
        if (!options_sampling(&t->opt, item, t->cpu->pmu, method, &t->opt)) continue;
        if (event >= (t->opt.n_events ? t->opt.n_events : 1)) continue;
        t->item = *item;
        t->item.cpu = t->cpu->index;
        t->event = event;
        side[k] = side[able];
        side[able++] = t;
    }
    return able;
}

static void report(unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        struct together *t = side[k];
        items.cpu = t->cpu;
        items.cancelled |= t->out.run.status == RUN_CANCELLED;
        emit_measuring(&items.m->topology, t->cpu->index);
        items.done++;
        items.failed += !report_samples(&t->opt, &t->out, &t->arena, t->event == 0);
    }
}

void sample_together(const struct options *opt, const struct plan_item *item, const struct cpu_set *where)
{
    if (share_counters(where)) {
        report_error("benchmark",
                     "%s: two threads of one core share their counters here, and cannot be sampled "
                     "together: cpu= with one of each core",
                     item->bench->program.name);
        items.failed++;
        return;
    }
    for (unsigned method = 0, any = 1; any && !items.cancelled; method++) {
        any = 0;
        for (unsigned event = 0; !items.cancelled; event++) {
            const unsigned all = divide(where), n = all ? choose(opt, item, all, method, event) : 0;
            if (!all) {
                report_error("benchmark", "%s: not enough memory to sample %u processors together",
                             item->bench->program.name, cpu_set_count(where));
                items.failed++;
                return;
            }
            if (!n) break;
            any = n;
            sampling_together(side, n);
            report(n);
        }
    }
}
