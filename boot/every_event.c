#include "boot/every_event.h"
#include "boot/items.h"
#include "measure/levels.h"
#include "measure/schedule.h"
#include "pmu/every.h"
#include "report/record.h"

/* The next events; the time stamp comes with the first. Returns their number. */
static unsigned next_batch(const struct pmu *pmu, struct pmu_every *at, struct options *batch)
{
    batch->tsc = at->found == 0 && batch->tsc;
    const unsigned most = batch->levels ? EVENTS_MAX / LEVEL_CODES : EVENTS_MAX;
    batch->n_events = 0;
    while (batch->n_events < most && pmu_every_next(pmu, at, &batch->event[batch->n_events]))
        batch->n_events++;
    return batch->n_events;
}

/* Once for each processor in a row. Returns the number of its events. */
static unsigned tell_all(const struct cpu *cpu)
{
    struct pmu_every all = {.row = NULL};
    struct pmu_code code;
    if (items.told_of == cpu) return items.all_events;
    while (pmu_every_next(cpu->pmu, &all, &code)) continue;
    items.told_of = cpu;
    items.all_events = all.found;
    report_note("events", "events=all: %u events, up to %u at a time", all.found, EVENTS_MAX);
    if (all.extra_register)
        report_note("events",
                    "events=all: %u are passed over, since they also need a register that this kernel does "
                    "not program; "
                    "events=list names it",
                    all.extra_register);
    if (all.absent)
        report_note("events",
                    "events=all: %u are passed over, since no counter of this CPU has them by themselves",
                    all.absent);
    if (all.no_counter)
        report_note("events", "events=all: %u are passed over, since the counters that have them do not work",
                    all.no_counter);
    return all.found;
}

static unsigned events_in(const struct group *group, unsigned groups)
{
    unsigned n = 0;
    for (unsigned g = 0; g < groups; g++) n += group[g].n;
    return n;
}

bool measure_every_event(const struct options *opt, const struct plan_item *item)
{
    static struct options batch;
    static struct group group[EVENTS_MAX];
    struct pmu *const pmu = items.cpu->pmu;
    struct pmu_every at = {.row = NULL};
    unsigned unmodelled = 0, nowhere = 0;
    bool ok = true;
    if (!pmu->usable) return measure_groups(opt, item, NULL, 0); /* the time stamp; a note says why */
    const unsigned all = tell_all(items.cpu);
    batch = *opt;
    while (ok && !items.cancelled && next_batch(pmu, &at, &batch)) {
        if (batch.levels) levels_add(&batch, pmu);
        const unsigned groups = schedule_groups(pmu, batch.event, batch.n_events, group);
        nowhere += batch.n_events - events_in(group, groups);
        if (groups || batch.tsc) ok = measure_groups(&batch, item, group, groups);
        items.groups_before += groups;
        unmodelled += items.n_unmodelled;
        items.n_unmodelled = 0; /* their names go with the batch */
        if (ok && at.found < all) report_note("events", "%u of %u events are counted", at.found, all);
    }
    if (nowhere) report_note("events", "%u events do not fit on the counters that work", nowhere);
    if (unmodelled)
        report_note("model",
                    "%u of %u events have no value: the PMU model does not have them, or counts model cycles",
                    unmodelled, all);
    return ok;
}
