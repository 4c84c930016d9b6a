#include "kernel/hw.h"
#include "kernel/pic.h"
#include "kernel/rtc.h"
#include "kernel/user.h"
#include "measure/sampling_handler.h"
#include "measure/sampling_job.h"
#include <stdio.h>
#include <string.h>

#define USER_STACK      16384
#define AUTO_RESERVE    2     /* the buffer holds twice the wanted number: it is never met exactly */
#define TIMER_SILENT    16    /* periods without an interrupt: there is none */
#define TIMER_START     10000 /* ticks, where auto has nothing to go by */
#define TSC_HZ_UNKNOWN  1000000000
#define PROBE_EVENTS    1000 /* tell well enough how often an event happens, */
#define PROBE_PART      64   /* but looking for them takes no longer than this part of REPEAT_S */
#define NEAR(n, wanted) ((n) > ((wanted)-1) / 2 && (n) <= (wanted)*2)

static void *take(struct job *j, struct arena *arena, size_t bytes, size_t align)
{
    void *p = arena_alloc(arena, bytes, align);
    if (p) return memset(p, 0, bytes);
    sampling_refuse(j, "not enough memory for so many samples");
    j->out->run.status = RUN_MEMORY;
    return NULL;
}

/* ---- a pass over the payload ---- */

static void call_payload(struct job *j, bool sampling)
{
    struct bench_run *b = &j->out->run.bench;
    if (j->user_stack) {
        user_call(j->user_stack, (user_fn *)j->bracket, (void *)b->payload, b->arg, j->reading);
        return;
    }
    if (sampling) hw_interrupts_on();
    j->bracket(b->payload, b->arg, j->reading);
    hw_interrupts_off();
}

/* A counter of what the PMU model does not have would not overflow however often the event occurs. */
static bool is_modelled(struct job *j)
{
    const struct pmu_ops *ops = j->cpu->pmu->ops;
    char why[PMU_NAME + 40];
    /* Nothing is started for a question that only the model answers. */
    if (!j->cpu->machine->modelled) return true;
    ops->start(j->cpu->pmu);
    const bool lacks = cpu_lacks(j->cpu, j->out->counter);
    ops->stop(j->cpu->pmu);
    if (!lacks) return true;
    snprintf(why, sizeof why, "the model lacks %s", j->event->name);
    return sampling_refuse(j, why);
}

/* Shall the payload be called again after so many calls, which took so long? */
static bool more(const struct job *j, bool sampling, unsigned calls, uint64_t ticks)
{
    const struct sampling *s = j->out;
    const uint64_t any = (uint64_t)s->inside + s->outside + sampler.lost + sampler.late;
    if (!sampling || !j->repeat) return calls < s->run.reps;
    if (sampling_came(s) >= s->wanted || s->samples.n == s->samples.cap || sampler.stopped) return false;
    if (calls == REPS_MAX || ticks >= j->ticks) return false;
    if (!s->inside && s->outside + sampler.late >= s->wanted) return false; /* the harness's events only */
    if (j->event && j->per_call == 0) return calls < s->run.reps; /* as long as was looked for it already */
    if (!j->event && ticks < j->ticks / REPEAT_S) return true; /* an emulator's timer may be late by many */
    return any || j->per_call * calls < (TIMER_SILENT + 1) * (double)s->period;
}

/* Not one interrupt came in a pass in which many of the timer's were due. (Where the payload is repeated some
 * after a call's end are enough: how many do not meet it is then told.) */
static bool is_silent(const struct job *j)
{
    const struct sampling *s = j->out;
    if (j->event || s->inside || s->outside || sampler.lost || (j->repeat && sampler.late)) return false;
    return j->per_call * s->run.reps >= TIMER_SILENT * (double)s->period;
}

/* Counters run for as short as can be: what they count between two calls is nobody's. */
static bool call_payloads(struct job *j, bool sampling)
{
    struct sampling *out = j->out;
    struct pmu *pmu = j->cpu->pmu;
    const struct pmu_ops *ops = pmu->ops;
    const uint64_t begun = hw_rdtsc();
    unsigned calls = 0;
    out->tsc[sampling] = out->instructions[sampling] = 0;
    do {
        const uint64_t before = out->counted ? ops->read(pmu, j->kernel_counter) : 0;
        if (sampling) sampling_open(j);
        if (j->event && !(sampling && sampler.stopped)) ops->start(pmu);
        call_payload(j, sampling);
        if (j->event) ops->stop(pmu);
        if (out->counted) out->instructions[sampling] += ops->read(pmu, j->kernel_counter) - before;
        if (sampling && !sampling_close(j)) return false;
        out->tsc[sampling] += j->reading->tsc[1] - j->reading->tsc[0];
        calls++;
        if (j->cpu->cancelled && j->cpu->cancelled()) {
            out->run.status = RUN_CANCELLED;
            return false;
        }
    } while (more(j, sampling, calls, hw_rdtsc() - begun));
    out->run.reps = calls;
    j->elapsed = hw_rdtsc() - begun;
    return true;
}

/* Of the timer, in its own units, like the period; 0: not known. */
static uint64_t clocks(const struct job *j)
{
    const struct sampling *out = j->out;
    const unsigned hz = j->timer == TIMER_RTC ? RTC_HZ : PIT_HZ;
    const uint64_t tsc_hz = j->cpu->machine->clock.tsc_hz;
    if (j->timer != TIMER_APIC) return tsc_hz ? out->tsc[0] * hz / tsc_hz : 0;
    const uint32_t all = UINT32_MAX - apic_timer_left(&j->cpu->apic);
    /* It has run between the calls as well. */
    return out->run.reps > 1 ? (uint64_t)((double)all * (double)out->tsc[0] / (double)j->elapsed) : all;
}

static bool pass(struct job *j, bool sampling)
{
    struct sampling *out = j->out;
    struct pmu *pmu = j->cpu->pmu;
    if (j->event && !sampling_program(j)) return false;
    if (sampling && !sampling_on(j)) return false;
    if (!sampling && !j->event && j->timer == TIMER_APIC)
        apic_timer(&j->cpu->apic, LVT_MASKED | VECTOR_SAMPLE, UINT32_MAX);
    /* What the bracket loads off its stack shall be in L1, so that its miss is not counted as the payload's:
     * user_call()'s stores alone do not bring it there in an L1 that fills on loads only, as the model's. */
    if (j->user_stack) (void)((volatile uint8_t *)j->user_stack)[-1];
    if (!call_payloads(j, sampling)) return false;
    out->counted_part = out->counted && pmu->handler_stops;
    if (!sampling) {
        out->occurred = j->event ? pmu->ops->read(pmu, out->counter) : clocks(j);
        return true;
    }
    j->silent = is_silent(j);
    const bool answers = !j->silent || sampling_timer_answers(j);
    sampling_off(j);
    if (answers) return true;
    return sampling_refuse(j, "the timer does not interrupt; try another timer=apic, pit or rtc");
}

/* ---- both passes ---- */

/* How often the event happens, and how long the payload takes. A short payload that is to be repeated is
 * called until that is known well enough. */
static bool probe(struct job *j)
{
    struct sampling *out = j->out;
    const uint64_t begun = hw_rdtsc();
    for (;; out->run.reps *= 4) {
        if (!pass(j, false)) return false;
        j->per_call = (double)out->occurred / out->run.reps;
        if (!j->repeat || out->occurred >= PROBE_EVENTS || out->run.reps > REPS_MAX / 4) return true;
        if (hw_rdtsc() - begun > j->ticks / PROBE_PART) return true;
    }
}

/* The pass that samples, and one of as many calls without interrupts beside it. */
static bool sample(struct job *j)
{
    const unsigned reps = j->out->run.reps;
    unsigned tries = 0;
    do {
        if (tries++ == SAMPLING_TRIES)
            return sampling_refuse(j, "the timer interrupts only after the payload has ended; use a longer "
                                      "payload, or a less busy host for the emulator");
        if (!pass(j, true)) return false;
    } while (j->silent);
    return j->out->run.reps == reps || pass(j, false);
}

/* period=auto: from the first pass's count, then by what tries show, until the number of samples is near and
 * the handler's share small. */
static bool find_and_sample(struct job *j)
{
    struct sampling *out = j->out;
    const uint32_t given = j->opt->period;
    if (!probe(j)) return false;
    if (given)
        sampling_use_period(j, given);
    else
        sampling_find_period(j, out->occurred ? j->per_call / out->wanted * j->opt->reps : TIMER_START);
    for (out->tries = 1;; out->tries++) {
        const uint32_t period = out->period;
        if (!sample(j)) return false;
        if (given || out->tries == SAMPLING_TRIES) return true;
        if (NEAR(sampling_came(out), out->wanted) && !sampling_heavy(out) && !out->storm) return true;
        sampling_find_period(j, sampling_better_period(j));
        if (out->period == period) return true;
    }
}

/* ---- public ---- */

static bool prepare(struct job *j, struct arena *arena)
{
    struct sampling *out = j->out;
    const struct options *opt = j->opt;
    const struct machine *m = j->cpu->machine;
    struct samples *s = &out->samples;
    j->depth = opt->pebs_depth ? opt->pebs_depth : opt->jitter ? 1 : PEBS_DEPTH_DEF;
    if (!run_prepare(&out->run, opt, j->cpu, arena)) return false;
    out->wanted = opt->samples ? opt->samples : SAMPLES_DEF;
    j->repeat = opt->repeat && !out->run.bench.stamp_count;
    s->cap = opt->samples ? opt->samples : SAMPLES_BUFFER;
    if (!opt->period || (j->repeat && opt->samples)) s->cap = out->wanted * AUTO_RESERVE;
    if (!(s->at = take(j, arena, s->cap * sizeof *s->at, 64))) return false;
    if (!(j->reading = take(j, arena, sizeof *j->reading, 512))) return false;
    if (is_pebs(j) && !(j->ds = take(j, arena, pebs_bytes(pebs_wide(j), j->depth), 4096))) return false;
    if (opt->ring == 3) {
        uint8_t *stack = take(j, arena, USER_STACK, 4096);
        if (!stack) return false;
        j->user_stack = stack + USER_STACK;
    }
    j->bracket = bracket_find(opt->serialize, READER_NONE, 0);
    j->bracket_code = bracket_code(opt->serialize);
    j->ticks =
        m->repeat_ticks ? m->repeat_ticks : REPEAT_S * (m->clock.tsc_hz ? m->clock.tsc_hz : TSC_HZ_UNKNOWN);
    out->hoped = opt->samples || !opt->period || j->repeat;
    if (out->run.regions)
        regions_arm(out->run.regions, opt->serialize, READER_NONE, j->reading->select, 0, UINT64_MAX);
    return sampling_facility(j) && sampling_period_possible(j) &&
           (!j->event || (sampling_counters(j) && is_modelled(j)));
}

void sampling_run(const struct plan_item *item, const struct options *opt, const struct cpu *cpu,
                  unsigned event, struct arena *arena, struct sampling *out)
{
    static struct job job; /* survives the longjmp of a trap */
    struct trap_guard guard;
    memset(out, 0, sizeof *out);
    job = (struct job){.opt = opt, .cpu = cpu, .out = out};
    job.event = opt->sample == SAMPLE_BY_TIMER ? NULL : &opt->event[event];
    out->event = job.event ? job.event->name : "time";
    out->by = opt->sample;
    out->run.item = item;
    out->run.n = 1;
    out->run.count[0].event = "tsc";
    arena->used = 0;
    if (trap_guard_arm(&guard) != 0) {
        out->run.status = RUN_TRAP;
        out->run.trap = guard.trap;
    } else {
        if (prepare(&job, arena)) {
            for (unsigned i = 0; i < opt->warmup; i++) call_payload(&job, false);
            find_and_sample(&job);
        }
        trap_guard_disarm(&guard);
    }
    if (trap_interrupt == sampling_interrupt) sampling_off(&job);
    if (job.event && cpu->pmu->ops) cpu->pmu->ops->stop(cpu->pmu);
    if (out->run.status != RUN_OK || out->interrupts) return;
    if (!job.event || out->inside + out->outside > out->unanswered) return;
    if (opt->sample == SAMPLE_BY_NMI && out->occurred >= out->period)
        sampling_refuse(&job,
                        "the counter passed its period but no NMI came; sampling by events needs a board (or "
                        "socket) that wires PM0 to NMI; sample=timer does not need it");
    else if (out->occurred / 2 >= out->period) /* the first one may be drawn almost twice as long */
        sampling_refuse(&job, "the counter passed its period but no interrupt came; sample=timer may work");
}
