#include "measure/steps.h"
#include "kernel/repeated.h"
#include "measure/elsewhere.h"
#include "measure/neighbour.h"
#include "measure/stats.h"
#include "measure/watchdog.h"
#include <string.h>

#define COUNTERS (STEPS_EVENTS + 1) /* the last is that of cycles */

/* A sweep's state. */
struct sweep {
    struct measuring t;
    struct steps *out;
    uint64_t *value[COUNTERS]; /* of the step's frozen repetitions */
    uint64_t lead; /* cycles from the start of the counters to the bracket's first reading of them */
    uint64_t past; /* the most cycles by which a counter that did not stop had passed its overflow */
};

extern payload_fn preset_empty; /* measure/preset_mark.S */

/* ---- a repetition ---- */

static struct steps *steps_of(const struct bench_run *b)
{
    return (struct steps *)((uintptr_t)b - offsetof(struct steps, run.bench));
}

/* Before each bracket. The overflow's status is acknowledged, or the counters would stay as they are. */
REPEATED_BEHIND static void write_counters(const struct bench_run *b)
{
    struct steps *s = steps_of(b);
    if (s->run.program.users)
        execution_before_users(b);
    else if (b->before)
        b->before(b);
    s->pmu->ops->thaw(s->pmu);
    msr_list_write(&s->list);
}

/* The value with which the counter of cycles begins, from the next repetition on. */
static void set_cycles(struct steps *s, int64_t value)
{
    s->write[s->events].value = value;
    presets_list(s->pmu, s->write, s->events + 1, &s->list);
}

/* The readings of counter k. At the start they are subtracted from start[], see keep_readings(). */
static uint64_t first_of(const struct execution *x, unsigned k) { return -x->reading->start[k] & x->mask; }
static uint64_t last_of(const struct execution *x, unsigned k) { return x->reading->end[k] & x->mask; }

/* bracket_many adds the readings of the end to end[] and subtracts those of the start from the same; here
 * from start[] (slots.h), so that both are known. */
static void keep_readings(struct measuring *t)
{
    struct execution *x = &t->x;
    struct slots *slots = &x->reading->slots;
    x->bracket = bracket_many;
    x->many = x->counters;
    slots_prepare(slots, t->opt->serialize, x->reading->select, x->counters);
    slots->shift += READING_END - READING_START;
}

/* The payload once. True: the counters had stopped before the bracket's end. */
static bool call(struct sweep *w, payload_fn *payload)
{
    const struct execution *x = &w->t.x;
    const struct steps *s = w->out;
    const unsigned cycles = s->events;
    memset(x->reading->start, 0, sizeof x->reading->start);
    execute(x, payload, s->run.bench.arg);
    return s->pmu->ops->read(s->pmu, s->write[cycles].counter) == last_of(x, cycles);
}

/* By how much the counter of cycles had passed its overflow at the bracket's end; 0: it had not. */
static uint64_t passed(const struct execution *x, unsigned cycles)
{
    const uint64_t at = last_of(x, cycles);
    return at <= x->mask / 2 ? at : 0;
}

/* ---- the repetitions of a step ---- */

static struct step_count reduce_values(uint64_t *v, unsigned n)
{
    if (!n) return (struct step_count){0, 0, 0};
    stats_sort(v, n);
    return (struct step_count){v[n / 2], v[0], v[n - 1]};
}

static bool cancelled(struct sweep *w)
{
    const struct cpu *cpu = w->t.cpu;
    if (cpu->cancelled && cpu->cancelled()) w->out->run.status = RUN_CANCELLED;
    return w->out->run.status != RUN_OK;
}

/* Are these the values of counters? cpu_lacks() is asked last, since it takes long. */
static bool counts(struct sweep *w, unsigned n)
{
    const struct execution *x = &w->t.x;
    struct steps *s = w->out;
    for (unsigned k = 0; k <= s->events; k++)
        if (w->value[k][n] > execution_most(x) && !cpu_lacks(w->t.cpu, s->write[k].counter))
            return run_refuse_count(&s->run, s->run.count[1 + k].event, w->value[k][n], x->mask);
    return true;
}

/* frozen: repetitions in which the counters did not stop are left out. Else they are to run on. */
static void repeat(struct sweep *w, payload_fn *payload, bool frozen, struct step *out)
{
    struct steps *s = w->out;
    const struct execution *x = &w->t.x;
    unsigned n = 0;
    for (unsigned i = 0; i < s->run.reps && !cancelled(w); i++) {
        const bool stopped = call(w, payload);
        const uint64_t past = passed(x, s->events);
        if (frozen && !stopped && past > w->past) w->past = past;
        if (frozen && !stopped) continue;
        for (unsigned k = 0; k <= s->events; k++) w->value[k][n] = (last_of(x, k) - first_of(x, k)) & x->mask;
        if (!counts(w, n)) return;
        n++;
    }
    out->frozen = frozen ? n : 0;
    for (unsigned k = 0; k < s->events; k++) out->count[k] = reduce_values(w->value[k], n);
    out->cycles = reduce_values(w->value[s->events], n);
}

static void repeat_step(struct sweep *w, payload_fn *payload, struct step *row)
{
    struct steps *s = w->out;
    set_cycles(s, -(int64_t)(row->asked + w->lead));
    repeat(w, payload, true, row);
}

/* The counters run on: what a whole bracket counts. */
static void repeat_whole(struct sweep *w, payload_fn *payload, struct step *row)
{
    set_cycles(w->out, 0);
    repeat(w, payload, false, row);
}

/* ---- the sweep ---- */

static void find_lead(struct sweep *w)
{
    const unsigned cycles = w->out->events;
    w->lead = UINT64_MAX;
    set_cycles(w->out, 0);
    for (unsigned i = 0; i < w->out->run.reps; i++) {
        call(w, preset_empty);
        const uint64_t lead = first_of(&w->t.x, cycles);
        if (lead < w->lead) w->lead = lead;
    }
}

static struct step_range range_of(const struct sweep *w)
{
    struct step_range r = w->t.opt->steps;
    if (!r.automatic) return r;
    const uint64_t most = w->out->whole.cycles.most;
    r.to = most < STEPS_CYCLE ? (uint32_t)most : STEPS_CYCLE;
    r.by = r.to / STEPS_AUTO + 1;
    return r;
}

/* Asked to stop at once, they must have stopped when the bracket ends. */
static bool do_stop(struct sweep *w)
{
    struct steps *s = w->out;
    struct step first = {.asked = 0};
    repeat_step(w, s->run.bench.payload, &first);
    if (first.frozen || s->run.status != RUN_OK) return s->run.status == RUN_OK;
    return run_refuse(&s->run, RUN_PMU,
                      "the counters did not stop when the counter of cycles overflowed: it counted %llu "
                      "more, until the bracket ended; sample=pmi may work here",
                      (unsigned long long)w->past);
}

static bool rows(struct sweep *w, const struct step_range *r)
{
    struct steps *s = w->out;
    for (uint64_t asked = r->from; asked <= r->to && !s->ended; asked += r->by) {
        struct step *row = &s->at[s->n];
        row->asked = asked;
        repeat_step(w, s->run.bench.payload, row);
        if (s->run.status != RUN_OK) return false;
        s->ended = !row->frozen;
        s->n += row->frozen != 0;
    }
    return s->n ||
           run_refuse(&s->run, RUN_PMU, "its bracket takes %llu cycles: steps= must begin before its end",
                      (unsigned long long)s->whole.cycles.median);
}

static bool same(const struct steps *s, const struct step *a, const struct step *b)
{
    bool all = b->frozen && a->cycles.median == b->cycles.median;
    for (unsigned k = 0; k < s->events; k++) all &= a->count[k].median == b->count[k].median;
    return all;
}

/* How many of the first rows are the same in the empty bracket? */
static void compare_empty(struct sweep *w)
{
    struct steps *s = w->out;
    struct step row;
    for (; s->as_empty < s->n; s->as_empty++) {
        row.asked = s->at[s->as_empty].asked;
        repeat_step(w, preset_empty, &row);
        if (s->run.status != RUN_OK || !same(s, &s->at[s->as_empty], &row)) return;
    }
}

static bool allocate(struct sweep *w)
{
    struct steps *s = w->out;
    struct measuring *t = &w->t;
    for (unsigned k = 0; k <= s->events && s->run.status == RUN_OK; k++) {
        s->write[k].counter = t->group->counter[k];
        w->value[k] = run_alloc(&s->run, t->arena, s->run.reps * sizeof *w->value[k], 64, "repetitions");
    }
    return s->run.status == RUN_OK;
}

/* bracket_many reads by RDPMC alone. */
static bool suits(const struct measuring *t)
{
    if (t->reader != READER_RDPMC)
        return run_refuse(t->run, RUN_PMU, "steps= reads counters by RDPMC, which cannot be used here");
    if (!t->run->bench.stamp_count && !t->run->bench.reads) return true;
    return run_refuse(t->run, RUN_PREPARE,
                      "steps= needs a payload that does not read the time or the counters by itself");
}

static bool freeze(struct steps *s)
{
    char *why = s->run.bench.error;
    pmu_stop(s->pmu);
    if (s->pmu->ops->freeze(s->pmu, s->write[s->events].counter, why, sizeof s->run.bench.error)) return true;
    s->run.status = RUN_PMU;
    return false;
}

static void measure(void *ctx)
{
    struct sweep *w = ctx;
    struct measuring *t = &w->t;
    struct steps *s = w->out;
    struct run *run = &s->run;
    arm_choose(t);
    if (!execution_prepare(run, t->cpu, t->opt, t->arena) || !suits(t)) return;
    run->reps = t->opt->reps;
    if (!execution_open(&t->x, run, t->opt->ring, t->arena) || !allocate(w)) return;
    if (!arm(t) || !freeze(s)) return;
    keep_readings(t);
    execution_watch(&t->x, run, t->opt, t->cpu);
    t->x.before = write_counters;
    if (run->bench.once) execute(&t->x, run->bench.once, run->bench.arg);
    find_lead(w);
    for (unsigned i = 0; i < t->opt->warmup; i++) call(w, run->bench.payload);
    repeat_whole(w, preset_empty, &s->empty);
    repeat_whole(w, run->bench.payload, &s->whole);
    run_find_unmodelled(run, t->cpu);
    const struct step_range r = s->range = range_of(w);
    s->at = run_alloc(run, t->arena, ((r.to - r.from) / r.by + 1) * sizeof *s->at, 64, "so many steps");
    if (run->status == RUN_OK && do_stop(w) && rows(w, &r)) compare_empty(w);
}

static void on_its_processor(void *ctx)
{
    struct sweep w = *(const struct sweep *)ctx; /* in no line that the processor which waits uses */
    struct measuring *t = &w.t;
    struct run *run = t->run;
    cpu_state_save(&t->state);
    run_guarded(run, measure, &w);
    watchdog_end();
    run_judge_end(run);
    cpu_state_restore(&t->state); /* after a trap, too */
    pmu_stop(t->cpu->pmu);
    t->cpu->pmu->ops->freeze_end(t->cpu->pmu);
}

/* ---- public ---- */

static bool parse(const struct pmu *pmu, const char *word, struct pmu_code *out)
{
    char why[8], near[8];
    return pmu->ops && pmu_event_parse(pmu, word, strlen(word), out, why, sizeof why, near, 0);
}

/* The highest, since a fixed counter comes after the general ones, and leaves these for events. */
static unsigned cycle_counter(const struct pmu *pmu, const struct pmu_code *cycles)
{
    const uint32_t fits = cycles->counters & pmu->usable & ~pmu->freezes_late;
    return fits ? 31 - (unsigned)__builtin_clz(fits) : PMU_COUNTERS;
}

static unsigned refuse(char *why, size_t cap, const char *text)
{
    strncpy(why, text, cap - 1);
    why[cap - 1] = '\0';
    return 0;
}

unsigned steps_schedule(const struct options *given, const struct pmu *pmu, struct options *with,
                        struct group *out, char *why, size_t cap)
{
    static struct group whole[EVENTS_MAX];
    *with = *given;
    if (!pmu->freezes)
        return refuse(why, cap,
                      "this CPU's counters do not stop by themselves, as steps= needs; sample=pmi or timer "
                      "shows where events and time go");
    if (given->n_event_words && !given->n_events)
        return refuse(why, cap, "none of events= can be counted here");
    if (!with->n_events && parse(pmu, "instructions", &with->event[0])) with->n_events = 1;
    const unsigned last = with->n_events;
    struct pmu_code *cycles = &with->event[last];
    if (!with->n_events || !parse(pmu, "cycles", cycles) || cycle_counter(pmu, cycles) == PMU_COUNTERS)
        return refuse(why, cap, "no usable counter can count core cycles or instructions here");
    const unsigned counter = cycle_counter(pmu, cycles);
    for (unsigned i = 0; i < last; i++) with->event[i].counters &= ~(1u << counter | pmu->freezes_late);
    unsigned n = schedule_groups(pmu, with->event, last, whole);
    n = schedule_split(whole, n, STEPS_EVENTS, out);
    for (unsigned g = 0; g < n; g++) {
        out[g].counter[out[g].n] = (uint8_t)counter;
        out[g].event[out[g].n++] = (uint8_t)last;
    }
    return n ? n
             : refuse(why, cap,
                      "no counter is left for these events: one counts cycles, and some stop too late");
}

void steps_run(const struct plan_item *item, const struct options *opt, const struct cpu *cpu,
               const struct group *group, struct arena *arena, struct steps *out)
{
    struct sweep w = {.out = out};
    struct run *run = &out->run;
    memset(out, 0, sizeof *out);
    run->item = item;
    run->cpu = cpu;
    run->program = bench_program(item->bench, item->variant);
    run->bench.fence = serializers[opt->serialize].fence;
    run->bench.fence_bytes = serializers[opt->serialize].fence_bytes;
    run_name_events(run, opt, group);
    out->events = group->n - 1u;
    out->pmu = cpu->pmu;
    w.t =
        (struct measuring){.run = run, .opt = opt, .cpu = cpu, .group = group, .arena = arena, .alone = true};
    arena->used = 0;
    if (!neighbours_begin(run, opt, cpu, arena)) return;
    run_elsewhere(cpu, run, on_its_processor, &w);
    neighbours_end(run, opt);
}
