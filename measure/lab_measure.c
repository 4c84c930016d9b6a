/* What an experiment measures. */
#include "measure/lab_events.h"
#include "measure/reduce.h"
#include <string.h>

#define LOAD_EMPTY 100 /* empty pairs of readings */

struct lab_asked lab_asked;

/* ---- events ---- */

/* The first of the alternatives, separated by |, that this CPU can count. */
static bool find_event(const struct pmu *pmu, const char *words, struct pmu_code *out)
{
    char why[160], near[128];
    for (const char *s = words; pmu->usable && *s;) {
        const size_t len = strcspn(s, "|");
        if (pmu_event_parse(pmu, s, len, out, why, sizeof why, near, sizeof near)) return true;
        s += len + (s[len] == '|');
    }
    return false;
}

void lab_find_events(struct lab_work *w, const struct pmu *pmu, const char *const *events,
                     struct options *with, int8_t *place, struct lab_counts *out)
{
    for (unsigned i = 0; events && events[i]; i++) {
        if (i == LAB_EVENTS) lab_fail(&w->lab, "more than %u events in one measurement", LAB_EVENTS);
        struct pmu_code *code = &with->event[with->n_events];
        const bool found = find_event(pmu, events[i], code);
        out->event[i] = (struct lab_count){.event = found ? code->name : events[i], .state = LAB_ABSENT};
        place[i] = found ? (int8_t)with->n_events++ : -1;
        if (found) w->out->errata |= code->errata;
        out->n++;
    }
}

/* ---- a measurement ---- */

static bool prepare(struct bench_run *run)
{
    const struct lab_measured *m = run->own;
    run->baseline = m->program->baseline;
    run->arg = m->program->arg;
    return true;
}

static void before(const struct bench_run *run)
{
    const struct lab_measured *m = run->own;
    m->program->before(&m->work->lab, m->program->arg);
}

struct program lab_program_of(const struct lab_measured *m)
{
    return (struct program){.name = m->work->out->program.name,
                            .variant = "",
                            .payload = m->program->code,
                            .prepare = prepare,
                            .before = m->program->before ? before : NULL,
                            .own = m,
                            .users = true,
                            .image = m->work->out->program.image};
}

void lab_check(struct lab_work *w, const struct run *run)
{
    if (run->status == RUN_OK) return;
    memcpy(w->out->bench.error, run->bench.error, sizeof run->bench.error);
    w->out->trap = run->trap;
    lab_end(w, run->status);
}

static void take(struct lab_work *w, unsigned k, const struct options *with, struct arena *arena,
                 struct lab_count *out)
{
    struct run *run = &w->run;
    struct result result;
    if (run->count[k].unmodelled) {
        out->state = LAB_UNMODELLED;
        return;
    }
    if (!reduce(run, k, with, w->cpu->machine, arena, &result)) lab_check(w, run);
    *out = (struct lab_count){.event = out->event,
                              .min = result.stats.min,
                              .median = result.stats.median,
                              .mean = result.stats.mean,
                              .max = result.stats.max,
                              .raw = run->count[k].raw,
                              .overhead = run->count[k].overhead};
}

/* One group of events; of the first the time stamp, too. */
static void measure_group(struct lab_work *w, const struct program *program, const struct options *with,
                          const struct group *group, const int8_t *place, struct arena *rest,
                          struct lab_counts *out)
{
    struct run *run = &w->run;
    run_program(program, with, w->cpu, group, rest, run);
    lab_watch(w);
    lab_check(w, run);
    reduce_flags(run, w->cpu->machine, rest);
    if (!out->reps) {
        out->tsc.event = "tsc";
        take(w, 0, with, rest, &out->tsc);
    }
    out->reps = run->reps;
    for (unsigned k = 1; k < run->n; k++)
        for (unsigned i = 0; i < out->n; i++)
            if (place[i] == (int)group->event[k - 1]) take(w, k, with, rest, &out->event[i]);
}

void lab_measure(struct lab *lab, const struct lab_program *program, const char *const *events,
                 struct lab_counts *out)
{
    struct options *const with = &lab_asked.with;
    struct group *const group = lab_asked.group;
    struct lab_work *w = lab_work(lab);
    const struct lab_measured measured = {w, program};
    const struct program p = lab_program_of(&measured);
    int8_t place[LAB_EVENTS] = {0};
    struct arena rest = {w->arena->base + w->arena->used, arena_left(w->arena), 0};
    lab_alive(w);
    w->running = 0;
    memset(out, 0, sizeof *out);
    *with = *w->opt;
    with->ring = program->ring;
    with->all = false;
    with->n_events = 0;
    lab_find_events(w, w->cpu->pmu, events, with, place, out);
    const unsigned groups =
        with->n_events ? schedule_groups(w->cpu->pmu, with->event, with->n_events, group) : 0;
    for (unsigned g = 0; g < (groups ? groups : 1); g++) {
        measure_group(w, &p, with, groups ? &group[g] : NULL, place, &rest, out);
        rest = (struct arena){rest.base + rest.used, rest.size - rest.used, 0}; /* raw values stay */
    }
}

/* ---- a load ---- */

LAB_CODE static void nothing(void *arg) { (void)arg; }
LAB_CODE static void load(void *arg) { (void)*(const volatile uint32_t *)arg; }

static uint64_t ticks_of(const struct execution *x, payload_fn *payload, void *arg)
{
    execute(x, payload, arg);
    const uint64_t ticks = execution_ticks(x);
    if (ticks > TICKS_MOST) trap_raise_no_count("the time stamp", ticks, UINT64_MAX);
    return ticks;
}

uint64_t lab_time_load(struct lab *lab, const void *at)
{
    struct lab_work *w = lab_work(lab);
    lab_alive(w);
    if (!w->load.bracket) {
        w->run.status = RUN_OK;
        if (!execution_open(&w->load, &w->run, 0, w->arena)) lab_fail(lab, "%s", w->run.bench.error);
        w->load.before = NULL;
        execution_bracket(&w->load, w->opt->serialize, READER_NONE, 0);
        w->load_overhead = UINT64_MAX;
        for (unsigned i = 0; i < LOAD_EMPTY; i++) {
            const uint64_t ticks = ticks_of(&w->load, nothing, NULL);
            if (ticks < w->load_overhead) w->load_overhead = ticks;
        }
    }
    const uint64_t ticks = ticks_of(&w->load, load, (void *)(uintptr_t)at);
    return ticks > w->load_overhead ? ticks - w->load_overhead : 0;
}
