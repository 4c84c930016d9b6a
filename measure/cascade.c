#include "measure/cascade.h"
#include "kernel/hw.h"
#include "kernel/user.h"
#include "measure/reading.h"
#include "measure/sampling_handler.h"
#include <stdio.h>
#include <string.h>

#define USER_STACK 16384
#define INTERRUPTS 2
#define SAMPLES    8 /* room to see that there are too many */

/* The same events of the payload where they execute, and where they retire, which is what the counters of
 * extended cascades see (SDM vol. 3B table 18-65). One tag: two of them share an ESCR. */
static const char executed[] = "x87_fp_uop+>x87_fp_uop";
static const char retired[] = "x87_fp_retired:tag=1+>x87_fp_retired:tag=1";

/* M and N events; extended cascades: of which counter and which other. */
static const struct trial {
    const char *name, *desc;
    uint16_t events[2];
    uint8_t counter[2];
} trials[] = {
    {"cascade_1000_7", "1,000 events start a counter that interrupts after 7", {1000, 7}, {0}},
    {"cascade_1_500", "1 event starts a counter that interrupts after 500", {1, 500}, {0}},
    {"cascade_500_2", "500 events start a counter that interrupts after 2", {500, 2}, {0}},
#define EXTENDED \
    "1,000 events start a counter that interrupts after 7", { 1000, 7 }
    {"cascade_16_to_12", EXTENDED, {16, 12}},
    {"cascade_17_to_15", EXTENDED, {17, 15}},
    {"cascade_17_to_16", EXTENDED, {17, 16}},
    {"cascade_16_to_17", EXTENDED, {16, 17}},
};
#define TRIALS (sizeof trials / sizeof *trials)

static struct {
    const struct options *opt;
    const struct cpu *cpu;
    const struct trial *now;
    struct truth_program program; /* name and description of that */
    const char *word;
    struct pmu_code half[2];
    uint8_t counter[2];
    bracket_fn *bracket;
    struct reading *reading;
    void *user_stack; /* its top; NULL: ring 0 */
    uint8_t *code;
    struct samples samples;
    struct sample sample[SAMPLES];
    char why[160];
    bool lacks; /* one of the halves counts what the PMU model does not have */
} job;

/* ---- the payload ---- */

/* Two zeros, and sums of them: one event each, of two bytes, no other instruction between them. */
#define HEAD 4
static const uint8_t head[HEAD] = {0xd9, 0xee, 0xd9, 0xee};   /* FLDZ, FLDZ */
static const uint8_t tail[] = {0xdd, 0xd8, 0xdd, 0xd8, 0xc3}; /* FSTP ST(0), FSTP ST(0), RET */
static const uint8_t fadd[] = {0xd8, 0xc1};                   /* FADD ST, ST(1) */
#define EVENTS_MOST (INTERRUPTS * (1000 + 7) + 1000)

static void write_payload(unsigned events)
{
    uint8_t *at = memcpy(job.code, head, HEAD);
    at += HEAD;
    for (unsigned i = 0; i < events; i++, at += sizeof fadd) memcpy(at, fadd, sizeof fadd);
    memcpy(at, tail, sizeof tail);
}

/* After how many of its events this is. */
static unsigned event_of(const struct sample *s)
{
    return (unsigned)(s->ip - (uintptr_t)job.code - HEAD) / sizeof fadd;
}

/* ---- one pass ---- */

static void interrupts_on(void)
{
    const struct apic *apic = &job.cpu->apic;
    memset(&job.samples, 0, sizeof job.samples);
    job.samples.at = job.sample;
    sampler = (struct sampler){
        .next = job.sample,
        .end = job.sample + SAMPLES,
        .samples = &job.samples,
        .valid = SAMPLE_IP | SAMPLE_COUNTER,
        .limit = SAMPLES_DEF,
        .pmu = job.cpu->pmu,
        .overflowed = job.cpu->pmu->ops->overflowed,
        .fixed = !job.opt->pmi_nmi,
        /* Only NetBurst has cascades, and none of it an x2APIC (from Nehalem on). */
        .pmi = {.at = apic_pmi_register(apic), .entry = job.opt->pmi_nmi ? LVT_NMI : VECTOR_SAMPLE},
        .eoi = job.opt->pmi_nmi ? &sampler.nowhere : apic_eoi_register(apic)};
    trap_interrupt = sampling_interrupt;
    user_flags = USER_FLAGS_PLAIN | USER_FLAGS_IF;
    apic_pmi(apic, sampler.pmi.entry);
}

static void interrupts_off(void)
{
    apic_pmi(&job.cpu->apic, LVT_MASKED | VECTOR_SAMPLE);
    hw_interrupts_off();
    user_flags = USER_FLAGS_PLAIN;
    trap_interrupt = trap_stray;
    job.samples.n = (unsigned)(sampler.next - job.sample);
}

/* False: job.why. */
static bool pass(const uint16_t *events)
{
    struct pmu *pmu = job.cpu->pmu;
    const struct pmu_code *code[PMU_COUNTERS] = {NULL};
    for (unsigned i = 0; i < 2; i++) code[job.counter[i]] = &job.half[i];
    if (!pmu->ops->program(pmu, code, job.why, sizeof job.why)) return false;
    for (unsigned i = 0; i < 2; i++)
        if (!pmu->ops->arm(pmu, job.counter[i], events[i], job.why, sizeof job.why)) return false;
    interrupts_on();
    pmu->ops->start(pmu);
    if (job.user_stack) {
        user_call(job.user_stack, (user_fn *)job.bracket, job.code, NULL, job.reading);
    } else {
        hw_interrupts_on();
        job.bracket((payload_fn *)(uintptr_t)job.code, NULL, job.reading);
    }
    job.lacks = cpu_lacks(job.cpu, job.counter[0]) || cpu_lacks(job.cpu, job.counter[1]);
    pmu->ops->stop(pmu);
    interrupts_off();
    return true;
}

/* ---- results ---- */

enum { FIRST, SECOND, NUMBER, ROWS };

static void add(struct truth_count *c, double value)
{
    if (c->reps == 0 || value < c->min) c->min = value;
    if (c->reps == 0 || value > c->max) c->max = value;
    c->median = value; /* the last; where they differ min or max is not what is expected, and counts */
    c->reps++;
}

/* nothing: why there are no counts; else TRUTH_AGREES. */
static void judge(const struct truth_count *count, enum truth_verdict nothing, const struct truth_sink *sink,
                  struct truth_totals *totals)
{
    const bool counted = nothing == TRUTH_AGREES;
    const uint16_t *events = job.now->events;
    static const char *const what[ROWS] = {"1st interrupt", "2nd interrupt", "interrupts"};
    const unsigned sum = events[0] + events[1], expected[ROWS] = {sum, INTERRUPTS * sum, INTERRUPTS};
    for (unsigned k = 0; k < (counted ? ROWS : 1); k++) {
        /* A skid, if there is one, lets interrupts come late, and the next count begin late. */
        const struct truth_count *c = &count[k];
        const bool exact = c->min == c->max && c->median == expected[k];
        const bool late = !exact && k != NUMBER && c->min >= expected[k];
        char event[64];
        snprintf(event, sizeof event, "%s %s", job.word, what[k]);
        const struct truth_row row = {.event = event,
                                      .reason = nothing == TRUTH_REFUSED ? job.why
                                                : late                   ? "later, by the interrupt's skid"
                                                       : "after the event that completes the second count",
                                      .classes = CLASS_NETBURST,
                                      .tell = nothing == TRUTH_REFUSED || late};
        struct truth_result r = {.program = &job.program, .row = &row, .expected = expected[k], .count = *c};
        r.verdict = !counted ? nothing : exact ? TRUTH_AGREES : late ? TRUTH_WITHIN : TRUTH_DIFFERS;
        r.count.state = nothing;
        totals->verdict[r.verdict]++;
        sink->result(sink->ctx, &r);
    }
}

static void one_trial(const struct truth_sink *sink, struct truth_totals *totals)
{
    struct truth_count count[ROWS] = {{0}};
    enum truth_verdict nothing = TRUTH_AGREES;
    const uint16_t *events = job.now->events;
    const unsigned sum = events[0] + events[1];
    write_payload(INTERRUPTS * sum + sum / 2);
    for (unsigned i = 0; i < job.opt->reps && nothing == TRUTH_AGREES; i++) {
        if (!pass(events)) {
            nothing = TRUTH_REFUSED;
            break;
        }
        if (job.lacks) nothing = TRUTH_UNMODELLED;
        for (unsigned k = FIRST; k <= SECOND; k++)
            add(&count[k], k < job.samples.n ? event_of(&job.sample[k]) : 0);
        add(&count[NUMBER], job.samples.n + sampler.lost);
    }
    for (unsigned k = 0; k < ROWS; k++) {
        count[k].groups = 1;
        count[k].counter = job.counter[1];
        count[k].raw_min = (uint64_t)count[k].min;
    }
    judge(count, nothing, sink, totals);
}

/* A trap ends it, not the session. */
static void guarded(const struct truth_sink *sink, struct truth_totals *totals)
{
    static struct bench bench;
    static struct plan_item item;
    static struct run run;
    struct trap_guard guard;
    totals->programs++;
    if (trap_guard_arm(&guard) == 0) {
        one_trial(sink, totals);
        trap_guard_disarm(&guard);
        return;
    }
    job.cpu->pmu->ops->stop(job.cpu->pmu);
    interrupts_off();
    bench.name = job.now->name;
    bench.variant[0].name = "";
    item.bench = &bench;
    run.item = &item;
    run.status = RUN_TRAP;
    run.trap = guard.trap;
    totals->failed++;
    sink->failure(sink->ctx, &run);
}

/* What is missing for this one; NULL: nothing. */
static const char *missing(void)
{
    const struct pmu_code *codes[2] = {&job.half[0], &job.half[1]};
    const bool extended = job.now->counter[0] != 0;
    char near[8];
    job.word = extended ? retired : executed;
    if (!pmu_cascade_parse(job.cpu->pmu, job.word, strlen(job.word), job.half, job.why, sizeof job.why, near,
                           sizeof near))
        return "counters that start each other";
    for (unsigned i = 0; i < 2 && extended; i++) job.half[i].counters &= 1u << job.now->counter[i];
    if (!job.cpu->pmu->ops->allocate(job.cpu->pmu, codes, 2, job.counter))
        return extended ? "extended cascades" : "counters that start each other";
    return apic_has_pmi(&job.cpu->apic) ? NULL : "a local APIC with a performance entry";
}

static bool memory(struct arena *arena)
{
    job.bracket = bracket_find(job.opt->serialize, READER_NONE, 0);
    job.reading = arena_alloc(arena, sizeof *job.reading, 512);
    job.code = arena_alloc(arena, HEAD + sizeof fadd * EVENTS_MOST + sizeof tail, 4096);
    uint8_t *stack = job.opt->ring == 3 ? arena_alloc(arena, USER_STACK, 4096) : NULL;
    job.user_stack = stack ? stack + USER_STACK : NULL;
    return job.bracket && job.reading && job.code && (stack || job.opt->ring == 0);
}

void cascade_run(const struct options *opt, const struct cpu *cpu, struct arena *arena,
                 const struct truth_sink *sink, struct truth_totals *totals)
{
    memset(totals, 0, sizeof *totals);
    job.opt = opt;
    job.cpu = cpu;
    arena->used = 0;
    const bool enough = memory(arena);
    for (unsigned t = 0; t < TRIALS; t++) {
        job.now = &trials[t];
        job.program.name = trials[t].name;
        job.program.desc = trials[t].desc;
        const char *what = enough ? missing() : "more memory";
        if (what)
            sink->left_out(sink->ctx, &job.program, what);
        else
            guarded(sink, totals);
    }
}
