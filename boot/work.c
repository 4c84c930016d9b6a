#include "boot/work.h"
#include "boot/items.h"
#include "boot/notes.h"
#include "boot/pairs.h"
#include "boot/suites.h"
#include "boot/together.h"
#include "measure/levels.h"
#include "report/emit_experiment.h"
#include "report/emit_pair.h"

/* ---- private ---- */

/* Of the processor that is measured now: the options, which are those of the command line or `own`, and the
 * groups of events. */
static struct schedule {
    const struct options *opt;
    struct options own;
    struct group group[EVENTS_MAX];
    unsigned groups;
} schedule;

/* Notes about what cannot be measured on this processor, and is wanted. */
static void make_schedule(const struct cpu *cpu, const struct options *opt)
{
    struct schedule *s = &schedule;
    if (opt->levels) {
        s->own = *opt;
        const unsigned whole = levels_add(&s->own, cpu->pmu);
        if (whole)
            report_note("levels",
                        "%u events are not split: they count at every level alike, or there are too many",
                        whole);
        opt = &s->own;
    }
    s->opt = opt;
    s->groups = schedule_groups(cpu->pmu, opt->event, opt->n_events, s->group);
    tell_unmeasured(cpu->pmu, opt, s->group, s->groups, items.m->platform);
}

/* With cpu= an experiment that uses several processors runs once, and is driven by the one that booted. */
static bool is_of_all(const struct options *opt, const struct plan_item *item)
{
    return opt->cpus_measured.s && item->bench->processors;
}

/* How many items will be measured; those of one processor each, if all is false. */
static uint64_t items_of(const struct options *opt, const struct plan *plan, const struct cpu_set *where,
                         bool all)
{
    struct plan_cursor at = {.line = 0};
    uint64_t n = 0;
    while (plan_next(plan, &at)) n += !is_of_all(opt, &at.item) ? cpu_set_count(where) : all;
    return n;
}

static void work_on_all(const struct options *opt, const struct plan *plan, const struct cpu_set *where)
{
    struct plan_cursor at = {.line = 0};
    items.where = where;
    while (!items.cancelled && plan_next(plan, &at))
        if (is_of_all(opt, &at.item)) measure_item(opt, &at.item, NULL, 0);
}

/* together=1: each item on all of them at the same time. */
static void work_together(const struct options *opt, const struct plan *plan, const struct cpu_set *where)
{
    struct plan_cursor at = {.line = 0};
    while (!items.cancelled && plan_next(plan, &at))
        if (!is_of_all(opt, &at.item)) sample_together(opt, &at.item, where);
}

/* The plan or the suites, on one processor. */
static void work_on(const struct cpu *cpu, const struct plan *plan)
{
    const struct schedule *s = &schedule;
    struct plan_cursor at = {.line = 0};
    items.cpu = cpu;
    while (!items.cancelled && plan_next(plan, &at)) {
        if (is_of_all(s->opt, &at.item)) continue;
        at.item.cpu = cpu->index;
        measure_item(s->opt, &at.item, s->group, s->groups);
    }
    if (s->opt->action >= ACTION_TRUTH && !items.cancelled) run_suites(s->opt);
}

/* cpu=: one processor after the other, in the order of their numbers. */
static void work_on_each(const struct options *opt, const struct plan *plan, const struct cpu_set *where)
{
    struct options *with = &schedule.own;
    for (unsigned i = cpu_set_next(where, 0); i < PROCESSORS_MAX; i = cpu_set_next(where, i + 1)) {
        const struct cpu *cpu = items.m->cpu[i];
        if (items.cancelled) return;
        emit_measuring(&items.m->topology, i);
        options_elsewhere(opt, cpu->pmu, tell_lacks, &i, with);
        make_schedule(cpu, with);
        if (opt->action == ACTION_MEASURE) tell_watchdog(cpu, with, plan);
        work_on(cpu, plan);
    }
}

/* ---- public ---- */

bool work(const struct machine *machine, const struct options *opt, const struct plan *plan,
          const struct cpu_set *where)
{
    static struct quiet quiet;
    const bool boot_only = !opt->cpus_measured.s && !opt->paired;
    const struct cpu *boot = machine->cpu[0];
    items.m = machine;
    items.cpu = boot;
    if (boot_only) make_schedule(boot, opt);
    if (opt->action == ACTION_MEASURE) {
        tell_default(opt, plan);
        tell_impossible(opt, plan);
        tell_breakpoints(opt);
        tell_areas(&machine->memory, plan);
        if (boot_only) tell_watchdog(boot, opt, plan);
    }
    certificate_begin(&items.certificate, boot);
    quiet_check(boot, &quiet, QUIET_MS);
    emit_quiet(&quiet, "before", &machine->clock);
    if (plan->n) emit_plan(items_of(opt, plan, where, true));
    if (opt->action == ACTION_ARTICLE) experiments_hold();
    if (boot_only)
        work_on(boot, plan);
    else if (opt->paired)
        measure_pairs(opt);
    else {
        work_on_all(opt, plan, where);
        if (opt->together)
            work_together(opt, plan, where);
        else if (!plan->n || items_of(opt, plan, where, false))
            work_on_each(opt, plan, where);
    }
    if (!boot->smi_counter) { /* SMIs are not counted here: watch again */
        quiet_check(boot, &quiet, QUIET_AFTER_MS);
        emit_quiet(&quiet, "after", &machine->clock);
    }
    tell_unmodelled(items.unmodelled, items.n_unmodelled);
    tell_interrupts(boot);
    certificate_end(&items.certificate);
    emit_done(items.done, items.failed, items.results, &items.certificate);
    return items.failed == 0;
}
