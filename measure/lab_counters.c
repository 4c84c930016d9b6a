/* Counters that an experiment reads and presets itself, and samples. */
#include "measure/lab.h"
#include "measure/lab_events.h"
#include "measure/sampling.h"

/* ---- counters ---- */

enum lab_state lab_start(struct lab *lab, const char *const *events)
{
    struct options *const with = &lab_asked.with;
    struct group *const group = lab_asked.group;
    struct lab_work *w = lab_work(lab);
    struct pmu *pmu = w->cpu->pmu;
    const struct pmu_code *code[PMU_COUNTERS] = {NULL};
    struct lab_counts found = {.n = 0};
    int8_t place[LAB_EVENTS] = {0};
    char why[160];
    lab_alive(w);
    with->n_events = w->running = 0;
    lab_find_events(w, w->cpu->pmu, events, with, place, &found);
    for (unsigned i = 0; i < found.n; i++)
        if (place[i] < 0) return LAB_ABSENT;
    const unsigned groups = with->n_events ? schedule_groups(pmu, with->event, with->n_events, group) : 0;
    if (groups == 0) return LAB_ABSENT;
    if (groups > 1 || group[0].n < with->n_events)
        lab_fail(lab, "the counters are too few for these %u events at a time", found.n);
    for (unsigned i = 0; i < group[0].n; i++) {
        code[group[0].counter[i]] = &with->event[group[0].event[i]];
        w->counter[group[0].event[i]] = group[0].counter[i];
    }
    if (!pmu->ops->program(pmu, code, why, sizeof why)) lab_fail(lab, "%s", why);
    pmu_start(pmu);
    w->running = group[0].n;
    for (unsigned i = 0; i < w->running; i++) w->last[i] = pmu->ops->read(pmu, w->counter[i]);
    for (unsigned i = 0; i < w->running; i++)
        if (cpu_unmodelled(w->cpu, w->counter[i])) return LAB_UNMODELLED;
    return LAB_COUNTED;
}

static unsigned running(struct lab_work *w, unsigned i)
{
    if (i >= w->running) lab_fail(&w->lab, "counter %u is not running: lab_start() starts them", i);
    return w->counter[i];
}

/* As for the results of a bracket (execution_most()): more than half of the counter's width is less than 0.
 */
uint64_t lab_reading(const struct pmu *pmu, unsigned counter, const char *event, uint64_t *last)
{
    const uint64_t mask = UINT64_MAX >> (64 - pmu->width), now = pmu->ops->read(pmu, counter);
    const uint64_t since = (now - *last) & mask;
    if (since > mask >> 1) trap_raise_no_count(event, since, mask);
    *last = now;
    return now;
}

uint64_t lab_read(struct lab *lab, unsigned i)
{
    struct lab_work *w = lab_work(lab);
    const unsigned counter = running(w, i);
    return lab_reading(w->cpu->pmu, counter, lab_asked.with.event[i].name, &w->last[i]);
}

void lab_preset(struct lab *lab, unsigned i, uint64_t value)
{
    struct lab_work *w = lab_work(lab);
    struct pmu *pmu = w->cpu->pmu;
    const unsigned counter = running(w, i);
    lab_alive(w);
    pmu_stop(pmu);
    if (!wrmsr_safe(pmu->counter_msr[counter], value) || pmu->ops->read(pmu, counter) != value)
        lab_fail(lab, "counter %u does not take 0x%llx", counter, (unsigned long long)value);
    w->last[i] = value;
    pmu_start(pmu);
}

/* ---- samples ---- */

void lab_samples(struct lab *lab, const struct lab_program *program, const char *event, uint32_t period,
                 unsigned most, struct lab_samples *out)
{
    struct options *const with = &lab_asked.with;
    static struct sampling sampling;
    struct lab_work *w = lab_work(lab);
    const struct lab_measured measured = {w, program};
    const struct bench bench = {.program = lab_program_of(&measured), .op = "call"};
    const struct plan_item item = {.bench = &bench};
    struct lab_counts found = {.n = 0};
    int8_t place[LAB_EVENTS] = {0};
    struct arena rest = {w->arena->base + w->arena->used, arena_left(w->arena), 0};
    lab_alive(w);
    w->running = 0;
    *with = *w->opt;
    with->ring = program->ring;
    with->n_events = 0;
    with->sample = event ? SAMPLE_BY_PMI : SAMPLE_BY_TIMER;
    with->period = period;
    with->samples = most;
    if (event) lab_find_events(w, w->cpu->pmu, (const char *const[]){event, NULL}, with, place, &found);
    if (event && !with->n_events) lab_fail(lab, "this CPU cannot count %s", event);
    watchdog_end(); /* both are interrupts, of which one handler is set */
    sampling_run(&item, with, w->cpu, 0, &rest, &sampling);
    lab_watch(w);
    lab_check(w, &sampling.run);
    *out = (struct lab_samples){sampling.samples.at, sampling.samples.n, sampling.samples.lost};
}
