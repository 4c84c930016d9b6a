#include "measure/preset.h"
#include "kernel/repeated.h"
#include <stddef.h>
#include <string.h>

#define COLD 4 /* brackets before those that count */
#define WARM 20

/* For the payloads of preset_mark.S. */
struct preset_mark {
    uint32_t select;            /* in: as in reading.select */
    _Alignas(8) uint64_t value; /* out */
};
_Static_assert(offsetof(struct preset_mark, value) == 8, "preset_mark.S");

/* measure/preset_mark.S */
payload_fn preset_empty, preset_mark1_rdpmc, preset_mark2_rdpmc, preset_mark1_rdmsr, preset_mark2_rdmsr;
#ifdef __x86_64__
#define preset_mark1_gate NULL /* as in serialize.c */
#define preset_mark2_gate NULL
#else
payload_fn preset_mark1_gate, preset_mark2_gate;
#endif

struct presets {
    struct pmu *pmu;
    const struct execution *x;
    bool begun, users;
    bool counted; /* there was a bracket since: its first reading tells how far off the presets were */
    unsigned n;
    struct one {
        struct preset out;
        bool target;   /* of a cascade: it stands still until it is started */
        uint64_t head; /* its events from the bracket's first reading to the payload */
        uint64_t tail; /* from the payload's end to the last reading */
    } at[BRACKET_FEW];
    struct preset_write write[BRACKET_FEW]; /* by event, as at[] */
    struct msr_list list;                   /* by which they are written */
    struct preset_mark mark;
};

/* ---- before each bracket ---- */

static inline __attribute__((always_inline)) uint64_t moved(const struct execution *x, unsigned k,
                                                            int64_t from)
{
    return (x->reading->start[k] - (uint64_t)from) & x->mask;
}

/* How far the counter stood from init, when the payload began. */
REPEATED_BEHIND static void look(struct presets *p)
{
    for (unsigned k = 0; k < p->n; k++) {
        struct one *o = &p->at[k];
        const uint64_t d = moved(p->x, k, o->out.init - (int64_t)o->head);
        const uint64_t off = d > p->x->mask / 2 ? p->x->mask - d + 1 : d;
        if (o->out.given && !o->target && off > o->out.off) o->out.off = off;
    }
}

REPEATED_BEHIND static void write_presets(const struct bench_run *b)
{
    struct presets *p = b->presets;
    if (p->begun && p->users)
        execution_before_users(b);
    else if (p->begun && b->before)
        b->before(b);
    if (p->counted) look(p);
    p->counted = p->begun;
    msr_list_write(&p->list); /* choose_preset() has written them all */
}

/* ---- what the harness counts ---- */

/* The least of some warm brackets. */
struct span {
    uint64_t lead;  /* from the start of the counter to the first reading */
    uint64_t mark;  /* from there to a payload's own reading */
    uint64_t whole; /* from there to the last reading */
};

static void lower(uint64_t *least, uint64_t value)
{
    if (value < *least) *least = value;
}

static struct span span_of(struct presets *p, unsigned k, payload_fn *payload)
{
    struct span s = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
    const struct execution *x = p->x;
    p->mark.select = x->reading->select[k];
    presets_list(p->pmu, p->write, p->n, &p->list);
    for (unsigned i = 0; i < COLD + WARM; i++) {
        execute(x, payload, &p->mark);
        if (i < COLD) continue;
        lower(&s.lead, moved(x, k, p->write[k].value));
        lower(&s.mark, (p->mark.value - x->reading->start[k]) & x->mask);
        lower(&s.whole, execution_count(x, k));
    }
    return s;
}

/* With each event counted from the start, also a cascade's target. */
static bool measure_harness(struct presets *p, const struct measuring *t)
{
    static payload_fn *const once[READER_COUNT] = {NULL, preset_mark1_rdpmc, preset_mark1_rdmsr,
                                                   preset_mark1_gate};
    static payload_fn *const twice[READER_COUNT] = {NULL, preset_mark2_rdpmc, preset_mark2_rdmsr,
                                                    preset_mark2_gate};
    const struct pmu_code *code[PMU_COUNTERS] = {NULL};
    struct pmu_code plain[BRACKET_FEW];
    char *why = t->run->bench.error;
    for (unsigned k = 0; k < p->n; k++) {
        plain[k] = t->opt->event[t->group->event[k]];
        plain[k].cascade = CASCADE_NONE;
        code[p->write[k].counter] = &plain[k];
    }
    pmu_stop(p->pmu);
    if (!p->pmu->ops->program(p->pmu, code, why, sizeof t->run->bench.error)) {
        t->run->status = RUN_PMU;
        return false;
    }
    for (unsigned k = 0; k < p->n; k++) {
        const uint64_t whole = span_of(p, k, preset_empty).whole;
        const uint64_t first = span_of(p, k, once[t->reader]).mark,
                       second = span_of(p, k, twice[t->reader]).mark;
        const uint64_t load = second > first ? second - first : 0;
        struct one *o = &p->at[k];
        o->head = first > load ? first - load : 0;
        if (o->head > whole) o->head = whole;
        o->tail = whole - o->head;
    }
    pmu_stop(p->pmu);
    return true;
}

/* False: the hardware does not take it. */
static bool choose_preset(struct presets *p, struct one *o, uint64_t before, struct run *run)
{
    struct preset_write *w = &p->write[o - p->at];
    int64_t least, most;
    char why[8];
    w->value = o->out.init - (int64_t)before;
    pmu_presets(p->pmu, &least, &most);
    if (w->value >= least && pmu_begin_at(p->pmu, w->counter, w->value, why, sizeof why)) return true;
    return run_refuse(
        run, RUN_PMU,
        "init=%lld: the harness counts %llu before the payload, and a counter takes %lld at least",
        (long long)o->out.init, (unsigned long long)before, (long long)least);
}

/* What counts from the start of the counters to the first reading does so in the same way each time. */
static bool choose_presets(struct presets *p, struct run *run)
{
    for (unsigned k = 0; k < p->n; k++)
        if (!choose_preset(p, &p->at[k], p->at[k].target ? 0 : p->at[k].head, run)) return false;
    for (unsigned k = 0; k < p->n; k++) {
        struct one *o = &p->at[k];
        if (!o->target && !choose_preset(p, o, o->head + span_of(p, k, preset_empty).lead, run)) return false;
    }
    return true;
}

/* ---- public ---- */

void presets_list(const struct pmu *pmu, const struct preset_write *w, unsigned n, struct msr_list *out)
{
    out->n = 0;
    pmu->ops->switching(pmu, false, out);
    for (unsigned k = 0; k < n; k++) msr_list_add(out, pmu->ops->preset(pmu, w[k].counter, w[k].value));
    pmu->ops->switching(pmu, true, out);
}

bool presets_wanted(const struct measuring *t)
{
    for (unsigned i = 0; t->group && i < t->group->n; i++) {
        const struct pmu_code *c = &t->opt->event[t->group->event[i]];
        if (c->preset || c->cascade) return true;
    }
    return false;
}

static struct presets *allocate(struct measuring *t)
{
    struct presets *p = run_alloc(t->run, t->arena, sizeof *p, 64, "presets");
    const struct one *starter = NULL;
    if (!p) return NULL;
    p->pmu = t->cpu->pmu;
    p->x = &t->x;
    p->users = t->run->program.users;
    for (unsigned i = 0; i < t->group->n; i++) {
        const struct pmu_code *c = &t->opt->event[t->group->event[i]];
        p->write[p->n].counter = t->group->counter[i];
        struct one *o = &p->at[p->n++];
        o->target = c->cascade == CASCADE_TARGET;
        o->out = (struct preset){.given = c->preset, .init = c->init};
        if (c->cascade == CASCADE_STARTER) starter = o;
        if (!o->target || !starter) continue;
        o->out.starter = t->run->count[starter - p->at + 1].event;
        o->out.after = -(uint64_t)starter->out.init;
    }
    return p;
}

bool presets_calibrate(struct measuring *t)
{
    struct run *run = t->run;
    if (run->regions || run->bench.reads || run->bench.baseline || t->group->n > BRACKET_FEW)
        return run_refuse(run, RUN_PMU,
                          "init= and cascades need a payload that the bracket alone reads: not "
                          "one with regions, and no code=");
    if (t->opt->serialize != SERIALIZE_CPUID)
        return run_refuse(run, RUN_PMU, "init= and cascades are measured with serialize=cpuid");
    struct presets *p = run->bench.presets = allocate(t);
    if (!p) return false;
    t->x.before = write_presets;
    if (!measure_harness(p, t) || !arm_program(t)) return false;
    return choose_presets(p, run);
}

void presets_begin(struct measuring *t)
{
    struct presets *p = t->run->bench.presets;
    p->begun = true;
    presets_list(p->pmu, p->write, p->n, &p->list);
    t->x.before = write_presets;
}

/* Repetitions in which the payload's own events took a counter from its init past its highest value. */
static unsigned overflows(const struct presets *p, const struct one *o, const struct run *run,
                          const struct counted *c)
{
    const int64_t init = o->out.init;
    const uint64_t left = init < 0 ? -(uint64_t)init : (1ull << p->pmu->width) - (uint64_t)init;
    unsigned n = 0;
    for (unsigned i = 0; i < run->reps; i++) n += c->raw[i] >= c->overhead && c->raw[i] - c->overhead >= left;
    return n;
}

void presets_end(struct measuring *t)
{
    struct run *run = t->run;
    struct presets *p = run->bench.presets;
    if (run->status != RUN_OK) return;
    look(p);
    for (unsigned k = 0; k < p->n; k++) {
        struct counted *c = &run->count[k + 1];
        struct one *o = &p->at[k];
        if (o->target) { /* it stood still until it was started: there is nothing before the payload */
            c->overhead = o->tail;
            o->out.started = p->at[k - 1].out.overflowed;
        }
        for (unsigned i = 0; o->target && !o->out.started && i < run->reps; i++)
            lower(&c->overhead, c->raw[i]);
        if (o->out.given) o->out.overflowed = overflows(p, o, run, c);
        c->preset = &o->out;
    }
}
