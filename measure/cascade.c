#include "measure/cascade.h"
#include "measure/elsewhere.h"
#include "measure/execute.h"
#include "measure/sampler.h"
#include <stdio.h>
#include <string.h>

#define INTERRUPTS 2
#define SAMPLES    8 /* room to detect too many */

/* The payload's same events at execution, and at retirement, which the counters of extended cascades count
 * (SDM vol. 3B table 18-65). One tag: two of them share an ESCR. */
static const char executed[] = "x87_fp_uop+>x87_fp_uop";
static const char retired[] = "x87_fp_retired:tag=1+>x87_fp_retired:tag=1";

/* ---- the payload ---- */

/* Two zeros, and sums of them: one event for each instruction of two bytes, with no other instruction
 * between. */
#define HEAD 4
static const uint8_t head[HEAD] = {0xd9, 0xee, 0xd9, 0xee};   /* FLDZ, FLDZ */
static const uint8_t tail[] = {0xdd, 0xd8, 0xdd, 0xd8, 0xc3}; /* FSTP ST(0), FSTP ST(0), RET */
static const uint8_t fadd[] = {0xd8, 0xc1};                   /* FADD ST, ST(1) */

/* Long enough for the interrupts, plus half of that. */
static bool write_payload(struct bench_run *run)
{
    const uint16_t *events = run->own;
    const unsigned sum = events[0] + events[1], n = INTERRUPTS * sum + sum / 2;
    uint8_t *at = arena_alloc(run->arena, HEAD + n * sizeof fadd + sizeof tail, 4096);
    run->payload = (payload_fn *)(uintptr_t)at;
    if (!at) {
        snprintf(run->error, sizeof run->error, "not enough memory for the payload");
        return false;
    }
    at = (uint8_t *)memcpy(at, head, HEAD) + HEAD;
    for (unsigned i = 0; i < n; i++, at += sizeof fadd) memcpy(at, fadd, sizeof fadd);
    memcpy(at, tail, sizeof tail);
    return true;
}

/* ---- the trials ---- */

/* One counter starts another; of extended cascades, the pairs. */
struct trial {
    struct truth_program truth; /* the program's own data are M and N, as two uint16_t */
    uint8_t counter[2];
};

#define TRIAL(name, desc, m, n, ...)                                                           \
    {                                                                                          \
        {.program = {name, desc, .prepare = write_payload, .own = (const uint16_t[2]){m, n}}}, \
        {                                                                                      \
            __VA_ARGS__                                                                        \
        }                                                                                      \
    }
#define EXTENDED(name, ...) \
    TRIAL(name, "1,000 events start a counter that interrupts after 7", 1000, 7, __VA_ARGS__)

static const struct trial trials[] = {
    TRIAL("cascade_1000_7", "1,000 events start a counter that interrupts after 7", 1000, 7, 0),
    TRIAL("cascade_1_500", "1 event starts a counter that interrupts after 500", 1, 500, 0),
    TRIAL("cascade_500_2", "500 events start a counter that interrupts after 2", 500, 2, 0),
    EXTENDED("cascade_16_to_12", 16, 12),
    EXTENDED("cascade_17_to_15", 17, 15),
    EXTENDED("cascade_17_to_16", 17, 16),
    EXTENDED("cascade_16_to_17", 16, 17),
};
#define TRIALS (sizeof trials / sizeof *trials)

/* One session of trials. */
struct cascades {
    const struct options *opt;
    const struct cpu *cpu;
    struct arena *arena;
    const struct truth_sink *sink;
    struct truth_totals *totals;
    const struct trial *now;
    const uint16_t *events; /* M and N of that */
    const char *word;
    struct pmu_code half[2];
    uint8_t counter[2];
    struct run run; /* its error also holds the driver's, if that refuses */
    struct execution x;
    struct sampler sampler;
    struct samples samples;
    struct sample sample[SAMPLES];
    bool lacks; /* one of the halves counts an event that the PMU model lacks */
};

/* ---- one pass ---- */

/* False: the driver refuses. */
static bool pass(struct cascades *s)
{
    struct pmu *pmu = s->cpu->pmu;
    const struct bench_run *b = &s->run.bench;
    const struct pmu_code *code[PMU_COUNTERS] = {NULL};
    char *why = s->run.bench.error;
    for (unsigned i = 0; i < 2; i++) code[s->counter[i]] = &s->half[i];
    if (!pmu->ops->program(pmu, code, why, sizeof b->error)) return false;
    for (unsigned i = 0; i < 2; i++)
        if (!pmu->ops->arm(pmu, s->counter[i], s->events[i], why, sizeof b->error)) return false;
    sampler_begin(&s->sampler, &s->samples, &s->cpu->apic);
    sampler_counters(&s->sampler, pmu, s->opt->pmi_nmi ? SAMPLER_NMI : SAMPLER_FIXED);
    execution_ready(&s->x);
    sampler_open(&s->sampler);
    pmu_start(pmu);
    execution_call(&s->x, b->payload, b->arg, true);
    s->lacks = cpu_lacks(s->cpu, s->counter[0]) || cpu_lacks(s->cpu, s->counter[1]);
    pmu_stop(pmu);
    sampler_off(&s->sampler);
    s->samples.n = (unsigned)(s->sampler.next - s->sample);
    return true;
}

/* The number of its events before this sample. */
static unsigned event_of(const struct cascades *s, const struct sample *sample)
{
    return (unsigned)(sample->ip - (uintptr_t)s->run.bench.payload - HEAD) / sizeof fadd;
}

/* ---- results ---- */

enum { FIRST, SECOND, NUMBER, ROWS };

static void add(struct truth_count *c, double value)
{
    if (c->reps == 0 || value < c->min) c->min = value;
    if (c->reps == 0 || value > c->max) c->max = value;
    c->median = value; /* the last; where repetitions differ, min or max differs from the expectation, and is
                          reported */
    c->reps++;
}

/* nothing: why there are no counts; else TRUTH_AGREES. */
static void judge(const struct cascades *s, const struct truth_count *count, enum truth_verdict nothing)
{
    const bool counted = nothing == TRUTH_AGREES;
    static const char *const what[ROWS] = {"1st interrupt", "2nd interrupt", "interrupts"};
    const unsigned sum = s->events[0] + s->events[1], expected[ROWS] = {sum, INTERRUPTS * sum, INTERRUPTS};
    for (unsigned k = 0; k < (counted ? ROWS : 1); k++) {
        /* With a skid interrupts come late, and the next count begins late. */
        const struct truth_count *c = &count[k];
        const bool exact = c->min == c->max && c->median == expected[k];
        const bool late = !exact && k != NUMBER && c->min >= expected[k];
        char event[64];
        snprintf(event, sizeof event, "%s %s", s->word, what[k]);
        const struct truth_row row = {.event = event,
                                      .reason = nothing == TRUTH_REFUSED ? s->run.bench.error
                                                : late                   ? "later, by the interrupt's skid"
                                                       : "after the event that completes the second count",
                                      .classes = CLASS_NETBURST,
                                      .tell = nothing == TRUTH_REFUSED || late};
        struct truth_result r = {
            .program = &s->now->truth, .row = &row, .expected = expected[k], .count = *c};
        r.verdict = !counted ? nothing : exact ? TRUTH_AGREES : late ? TRUTH_WITHIN : TRUTH_DIFFERS;
        r.count.state = nothing;
        s->totals->verdict[r.verdict]++;
        s->sink->result(s->sink->ctx, &r);
    }
}

/* Under a guard: a trap ends this trial, not the session. */
static void one_trial(void *ctx)
{
    struct cascades *s = ctx;
    struct truth_count count[ROWS] = {{0}};
    enum truth_verdict nothing = TRUTH_AGREES;
    if (!execution_prepare(&s->run, s->cpu, s->opt, s->arena)) return;
    if (!execution_open(&s->x, &s->run, s->opt->ring, s->arena)) return;
    execution_bracket(&s->x, s->opt->serialize, READER_NONE, 0);
    for (unsigned i = 0; i < s->opt->reps && nothing == TRUTH_AGREES; i++) {
        if (!pass(s)) {
            nothing = TRUTH_REFUSED;
            break;
        }
        if (s->lacks) nothing = TRUTH_UNMODELLED;
        for (unsigned k = FIRST; k <= SECOND; k++)
            add(&count[k], k < s->samples.n ? event_of(s, &s->sample[k]) : 0);
        add(&count[NUMBER], s->samples.n + s->sampler.lost);
    }
    for (unsigned k = 0; k < ROWS; k++) {
        count[k].groups = 1;
        count[k].counter = s->counter[1];
        count[k].raw_min = (uint64_t)count[k].min;
    }
    judge(s, count, nothing);
}

static void on_its_processor(void *ctx)
{
    struct cascades *s = ctx;
    run_guarded(&s->run, one_trial, s);
    sampler_off(&s->sampler);
    pmu_stop(s->cpu->pmu);
}

static void run_trial(struct cascades *s)
{
    s->totals->programs++;
    s->run = (struct run){.program = s->now->truth.program};
    s->arena->used = 0;
    run_elsewhere(s->cpu, &s->run, on_its_processor, s);
    if (s->run.status == RUN_OK) return;
    s->totals->failed++;
    s->sink->failure(s->sink->ctx, &s->run);
}

/* The missing feature that this trial needs; NULL: none. */
static const char *missing(struct cascades *s)
{
    const struct pmu_code *codes[2] = {&s->half[0], &s->half[1]};
    const bool extended = s->now->counter[0] != 0;
    char why[160], near[8];
    s->word = extended ? retired : executed;
    if (!pmu_cascade_parse(s->cpu->pmu, s->word, strlen(s->word), s->half, why, sizeof why, near,
                           sizeof near))
        return "counters that start each other";
    for (unsigned i = 0; i < 2 && extended; i++) s->half[i].counters &= 1u << s->now->counter[i];
    if (!s->cpu->pmu->ops->allocate(s->cpu->pmu, codes, 2, s->counter))
        return extended ? "extended cascades" : "counters that start each other";
    return apic_has_pmi(&s->cpu->apic) ? NULL : "a local APIC with a performance entry";
}

void cascade_run(const struct options *opt, const struct cpu *cpu, struct arena *arena,
                 const struct truth_sink *sink, struct truth_totals *totals)
{
    struct cascades s = {.opt = opt, .cpu = cpu, .arena = arena, .sink = sink, .totals = totals};
    s.samples.at = s.sample;
    s.samples.cap = SAMPLES;
    memset(totals, 0, sizeof *totals);
    for (unsigned t = 0; t < TRIALS; t++) {
        s.now = &trials[t];
        s.events = trials[t].truth.program.own;
        const char *what = missing(&s);
        if (what)
            sink->left_out(sink->ctx, &s.now->truth, what);
        else
            run_trial(&s);
    }
}
