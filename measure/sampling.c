#include "kernel/cpu_state.h"
#include "kernel/hw.h"
#include "kernel/linux_timer.h"
#include "kernel/pic.h"
#include "kernel/rtc.h"
#include "measure/breakpoint.h"
#include "measure/elsewhere.h"
#include "measure/neighbour.h"
#include "measure/refuse.h"
#include "measure/sampling_job.h"
#include "measure/watchdog.h"
#include <string.h>

#define AUTO_RESERVE       2     /* the buffer holds twice the wanted number, which is never met exactly */
#define TIMER_SILENT       16    /* after this many periods without an interrupt, none will come */
#define TIMER_START        10000 /* ticks, where auto has no other data */
#define TSC_HZ_UNKNOWN     1000000000
#define FETCH_INSTRUCTIONS 32   /* at most: a fetch is of 32 bytes or less */
#define PROBE_EVENTS       1000 /* enough to know how often an event happens, */
#define PROBE_PART         64   /* but looking for them takes no longer than this part of REPEAT_S */
#define NEAR(n, wanted)    ((n) > ((wanted)-1) / 2 && (n) <= (wanted)*2)

/* ---- a pass over the payload ---- */

/* A counter of an event that the PMU model lacks would never overflow. Only the model answers this question,
 * so nothing is started elsewhere. */
static bool is_modelled(struct job *j)
{
    if (!j->cpu->machine->modelled) return true;
    if (is_ibs(j)) return sampling_ibs_modelled(j);
    pmu_start(j->cpu->pmu);
    bool lacks = false;
    for (unsigned e = 0; e < events_of(j) && !lacks; e++) {
        sampling_view(j->out, e);
        lacks = cpu_lacks(j->cpu, j->out->counter);
        j->out->clocked = cpu_unmodelled(j->cpu, j->out->counter);
        if (j->out->at_once) j->out->each[e].clocked = j->out->clocked;
    }
    pmu_stop(j->cpu->pmu);
    return !lacks || run_refuse(&j->out->run, RUN_PMU, "the model lacks %s", j->out->event);
}

/* Does each event have as many samples as are wanted? */
static bool enough(const struct job *j)
{
    const struct sampling *s = j->out;
    for (const struct sampling_event *e = s->each; e < s->each + s->at_once; e++)
        if (e->inside + j->each[e->counter].lost < s->wanted) return false;
    return s->at_once || sampling_came(s) >= s->wanted;
}

/* Of the event that comes most often: whole periods in so many calls. */
static double periods(const struct job *j, unsigned calls)
{
    const struct sampling *s = j->out;
    double most = s->at_once ? 0 : j->per_call * calls / s->period;
    for (const struct sampling_event *e = s->each; e < s->each + s->at_once; e++)
        if (e->per_call * calls / e->period > most) most = e->per_call * calls / e->period;
    return most;
}

/* Is the payload to be called again, after this many calls in this time? */
static bool more(const struct job *j, bool sampling, unsigned calls, uint64_t ticks)
{
    const struct sampling *s = j->out;
    const uint64_t any = (uint64_t)s->inside + s->outside + j->sampler.lost + j->sampler.late;
    if (!sampling || !j->repeat) return calls < s->run.reps;
    if (enough(j) || s->samples.n == s->samples.cap || j->sampler.stopped) return false;
    if (calls == REPS_MAX || ticks >= j->ticks) return false;
    if (!s->inside && s->outside + j->sampler.late >= s->wanted) return false; /* the harness's events only */
    if (j->event && !is_ibs(j) && periods(j, 1) == 0)
        return calls < s->run.reps;                            /* as long as the search took already */
    if (!j->event && ticks < j->ticks / REPEAT_S) return true; /* an emulator's timer may be late by many */
    return any || periods(j, calls) < (TIMER_SILENT + 1) * (j->ibs.asked.fetch ? FETCH_INSTRUCTIONS : 1);
}

/* No interrupt came in a pass in which many of the timer's were due. (If the payload is repeated, some
 * interrupts after a call's end are enough: the number outside of the payload is then reported.) */
static bool is_silent(const struct job *j)
{
    const struct sampling *s = j->out;
    if (j->event || s->inside || s->outside || j->sampler.lost) return false;
    if (j->repeat && j->sampler.late) return false;
    return j->per_call * s->run.reps >= TIMER_SILENT * (double)s->period;
}

/* For the timer, in its own units, like the period; 0: unknown. */
static uint64_t clocks(const struct job *j)
{
    const struct sampling *out = j->out;
    static const uint32_t hz[] = {[TIMER_PIT] = PIT_HZ, [TIMER_RTC] = RTC_HZ, [TIMER_LINUX] = LINUX_TIMER_HZ};
    const uint64_t tsc_hz = j->cpu->machine->clock.tsc_hz;
    if (j->timer != TIMER_APIC)
        return tsc_hz ? (uint64_t)((double)out->tsc[0] * hz[j->timer] / (double)tsc_hz) : 0;
    const uint32_t all = UINT32_MAX - apic_timer_left(&j->cpu->apic);
    /* It has run between the calls as well. */
    return out->run.reps > 1 ? (uint64_t)((double)all * (double)out->tsc[0] / (double)j->elapsed) : all;
}

/* Of a counter that began at 0, or a difference of two of its readings: above half of its width it is below
 * 0, which the code itself has done. False: the run is refused. */
static bool is_count(struct job *j, const char *of, uint64_t count)
{
    const uint64_t mask = UINT64_MAX >> (64 - j->cpu->pmu->width);
    count &= mask;
    return count <= mask >> 1 || run_refuse_count(&j->out->run, of, count, mask);
}

/* What is counted without interrupts. */
static bool take_counts(struct job *j)
{
    struct sampling *out = j->out;
    struct pmu *pmu = j->cpu->pmu;
    j->counted = j->event ? pmu->ops->read(pmu, out->counter) : clocks(j);
    if (j->event && !out->at_once && !is_count(j, out->event, j->counted)) return false;
    out->occurred = is_ibs(j) && !j->ibs_counts ? 0 : j->counted;
    for (unsigned e = 0; e < out->at_once; e++) {
        struct sampling_event *each = &out->each[e];
        each->occurred = pmu->ops->read(pmu, each->counter);
        if (!is_count(j, each->code->name, each->occurred)) return false;
    }
    return true;
}

/* Counters run as briefly as possible: their counts between two calls belong to nothing. */
static bool call_payloads(struct job *j, bool sampling)
{
    struct sampling *out = j->out;
    const struct bench_run *b = &out->run.bench;
    struct pmu *pmu = j->cpu->pmu;
    const struct pmu_ops *ops = pmu->ops;
    const uint64_t begun = hw_rdtsc();
    unsigned calls = 0;
    out->tsc[sampling] = out->instructions[sampling] = 0;
    do {
        const uint64_t before = out->counted ? ops->read(pmu, j->kernel_counter) : 0;
        execution_ready(&j->x);
        if (sampling) sampler_open(&j->sampler);
        sampling_go(j, sampling);
        execution_call(&j->x, b->payload, b->arg, sampling);
        sampling_halt(j, sampling);
        const uint64_t ticks = execution_ticks(&j->x);
        if (ticks > TICKS_MOST) return run_refuse_count(&out->run, "the time stamp", ticks, UINT64_MAX);
        if (out->counted) {
            const uint64_t n = ops->read(pmu, j->kernel_counter) - before;
            if (!is_count(j, j->kernel.name, n)) return false;
            out->instructions[sampling] += n;
        }
        if (sampling && !sampling_close(j)) return false;
        out->tsc[sampling] += ticks;
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

static bool pass(struct job *j, bool sampling)
{
    struct sampling *out = j->out;
    struct pmu *pmu = j->cpu->pmu;
    if (j->event && !sampling_program(j)) return false;
    if (sampling && !sampling_on(j)) return false;
    if (sampling && is_traced(j)) trace_begin(out->run.trace);
    if (!sampling && !j->event && j->timer == TIMER_APIC)
        apic_timer(&j->cpu->apic, LVT_MASKED | VECTOR_SAMPLE, UINT32_MAX);
    if (!call_payloads(j, sampling)) return false;
    out->counted_part = out->counted && pmu->handler_stops && !is_ibs(j); /* whose handler lets them run */
    if (!sampling) return take_counts(j);
    if (is_traced(j)) trace_keep(out->run.trace);
    j->silent = is_silent(j);
    const bool answers = !j->silent || sampling_timer_answers(j);
    sampling_off(j);
    if (answers) return true;
    return sampling_refuse(j, "the timer does not interrupt; try another timer=apic, pit or rtc");
}

/* ---- both passes ---- */

/* Finds how often the event happens, and how long the payload takes. A short payload that is to be repeated
 * is called until both are known well enough. */
static bool probe(struct job *j)
{
    struct sampling *out = j->out;
    const uint64_t begun = hw_rdtsc();
    for (;; out->run.reps *= 4) {
        if (!pass(j, false)) return false;
        bool known = true;
        for (unsigned e = 0; e < events_of(j); e++) {
            sampling_view(out, e);
            const uint64_t counted = out->at_once ? out->occurred : j->counted;
            j->per_call = (double)counted / out->run.reps;
            if (out->at_once) out->each[e].per_call = j->per_call;
            known &= counted >= PROBE_EVENTS;
        }
        if (!j->repeat || known || out->run.reps > REPS_MAX / 4) return true;
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

/* With at_once: the event whose period is searched for, and what was found. */
static void turn_to(struct job *j, unsigned e)
{
    struct sampling *out = j->out;
    if (!out->at_once) return;
    sampling_view(out, e);
    j->per_call = out->each[e].per_call;
    j->least = out->each[e].least;
}

static void keep_period(const struct job *j, unsigned e)
{
    const struct sampling *out = j->out;
    if (!out->at_once) return;
    out->each[e].period = out->period;
    out->each[e].jitter = out->jitter;
    out->each[e].least = j->least;
}

/* period=auto: from the first pass's count, then from the results of tries, until the number of samples is
 * close and the handler's share small. */
static bool find_and_sample(struct job *j)
{
    struct sampling *out = j->out;
    const uint32_t given = j->opt->period;
    if (!probe(j)) return false;
    for (unsigned e = 0; e < events_of(j); e++) {
        turn_to(j, e);
        if (given)
            sampling_use_period(j, given);
        else
            sampling_find_period(j, j->per_call > 0 ? j->per_call / out->wanted * j->opt->reps : TIMER_START);
        keep_period(j, e);
    }
    for (out->tries = 1;; out->tries++) {
        bool other = false;
        if (!sample(j)) return false;
        if (given || out->tries == SAMPLING_TRIES) return true;
        for (unsigned e = 0; e < events_of(j); e++) {
            turn_to(j, e);
            const uint32_t period = out->period;
            if (NEAR(sampling_came(out), out->wanted) && !sampling_heavy(out) && !out->storm) continue;
            sampling_find_period(j, sampling_better_period(j));
            other |= out->period != period;
            keep_period(j, e);
        }
        if (!other) return true;
    }
}

/* ---- public ---- */

static bool prepare(struct job *j)
{
    struct sampling *out = j->out;
    const struct options *opt = j->opt;
    const struct machine *m = j->cpu->machine;
    struct run *run = &out->run;
    struct arena *arena = j->arena;
    struct samples *s = &out->samples;
    j->depth = opt->pebs_depth                                           ? opt->pebs_depth
               : opt->jitter || (opt->branches && !pebs_has_branches(j)) ? 1
                                                                         : PEBS_DEPTH_DEF;
    if (!execution_prepare(run, j->cpu, opt, arena)) return false;
    run->reps = opt->reps;
    out->wanted = opt->samples ? opt->samples : SAMPLES_DEF;
    j->repeat = opt->repeat && !run->bench.stamp_count;
    s->cap = opt->samples ? opt->samples : SAMPLES_BUFFER;
    if (!opt->period || (j->repeat && opt->samples)) s->cap = out->wanted * AUTO_RESERVE;
    s->cap *= events_of(j);
    if (!(s->at = run_alloc(run, arena, s->cap * sizeof *s->at, 64, "so many samples"))) return false;
    if (!execution_open(&j->x, run, opt->ring, arena)) return false;
    execution_bracket(&j->x, opt->serialize, READER_NONE, 0);
    j->bracket_code = bracket_code(opt->serialize);
    const uint64_t tsc_hz = m->clock.tsc_hz ? m->clock.tsc_hz : TSC_HZ_UNKNOWN;
    j->ticks = m->repeat_ticks ? m->repeat_ticks : REPEAT_S * tsc_hz;
    out->hoped = opt->samples || !opt->period || j->repeat;
    if (run->regions)
        regions_arm(run->regions, opt->serialize, READER_NONE, j->x.reading->select, 0, UINT64_MAX);
    if (!breakpoints_arm(run, opt)) return false;
    return sampling_facility(j) && sampling_branches(j) &&
           (!j->event || (out->at_once ? sampling_counters_at_once(j) : sampling_counters(j))) &&
           sampling_period_possible(j) && (!j->event || is_modelled(j));
}

/* The watchdog and the sampler need the same interrupts: code of the user's own is watched here, at least
 * once. The counters are the watchdog's meanwhile. */
static bool warm_up(struct job *j)
{
    static const struct pmu_code *const none[PMU_COUNTERS];
    const struct run *run = &j->out->run;
    const struct bench_run *b = &run->bench;
    const unsigned least = run->program.users ? 1 : 0;
    const unsigned n = j->opt->warmup > least ? j->opt->warmup : least;
    const bool counts = run->program.users && j->opt->limit && watchdog_program(j->cpu, none);
    if (counts) pmu_start(j->cpu->pmu);
    execution_watch(&j->x, run, j->opt, j->cpu);
    if (b->once) execute(&j->x, b->once, b->arg);
    for (unsigned i = 0; i < n; i++) execute(&j->x, b->payload, b->arg);
    watchdog_end();
    if (!run->program.before) j->x.before = NULL;
    if (is_traced(j)) trace_calibrate(run->trace, &j->x);
    return !counts || !j->event || sampling_program(j);
}

static void prepare_and_sample(void *ctx)
{
    struct job *j = ctx;
    if (prepare(j) && warm_up(j)) find_and_sample(j);
}

/* The counter passed its period: why did no interrupt come? */
static void judge_silence(struct job *j)
{
    const struct sampling *out = j->out;
    if (out->run.status != RUN_OK || out->interrupts || !out->period) return;
    if (!j->event || out->inside + out->outside > out->unanswered) return;
    if (is_ibs(j) && out->unanswered)
        sampling_refuse(j, "IBS took samples but no interrupt came; sample=pmi or timer may work");
    if (is_ibs(j)) return; /* a filter may leave nothing */
    if (j->opt->sample == SAMPLE_BY_NMI && out->occurred >= out->period)
        sampling_refuse(j,
                        "the counter passed its period but no NMI came; sampling by events needs a board (or "
                        "socket) that wires PM0 to NMI; sample=timer does not need it");
    else if (out->occurred / 2 >= out->period) /* the first one may be drawn almost twice as long */
        sampling_refuse(j, "the counter passed its period but no interrupt came; sample=timer may work");
}

void sampling_on_its_processor(void *ctx)
{
    const struct job *of = ctx;
    struct job job = *of; /* in no line that the processor which waits uses */
    struct run *run = &job.out->run;
    struct cpu_state state; /* before: code of the user's own may leave anything */
    cpu_state_save(&state);
    run_guarded(run, prepare_and_sample, &job);
    watchdog_end(); /* after a trap */
    cpu_state_restore(&state);
    sampling_off(&job);
    ibs_release(&job.ibs);
    ibs_entry_release(&job.ibs_entry);
    run_judge_end(run);
    if (job.event && job.cpu->pmu->ops) pmu_stop(job.cpu->pmu);
    for (unsigned e = 0; e < events_of(&job); e++) {
        if (run->status == RUN_OK) sampling_view(job.out, e);
        judge_silence(&job);
    }
    if (job.rest && run->status == RUN_OK) job.rest(&job);
}

void sampling_job(struct job *j, const struct plan_item *item, const struct options *opt,
                  const struct cpu *cpu, unsigned event, struct arena *arena, struct sampling *out)
{
    *j = (struct job){.opt = opt, .cpu = cpu, .arena = arena, .out = out};
    memset(out, 0, sizeof *out);
    j->event = opt->sample == SAMPLE_BY_TIMER ? NULL : &opt->event[event];
    out->event = j->event ? j->event->name : "time";
    if (j->event && !is_ibs(j)) out->errata = j->event->errata;
    if (is_ibs(j)) out->event = opt->sample == SAMPLE_BY_IBS ? "ibs_op" : "ibs_fetch";
    if (opt->at_once && opt->sample == SAMPLE_BY_PMI && opt->n_events > 1) out->at_once = opt->n_events;
    out->by = opt->sample;
    out->run.item = item;
    out->run.cpu = cpu;
    out->run.program = bench_program(item->bench, item->variant);
    out->run.n = 1;
    out->run.count[0].event = "tsc";
    arena->used = 0;
}

void sampling_run(const struct plan_item *item, const struct options *opt, const struct cpu *cpu,
                  unsigned event, struct arena *arena, struct sampling *out)
{
    struct job job;
    sampling_job(&job, item, opt, cpu, event, arena, out);
    if (!neighbours_begin(&out->run, opt, cpu, arena)) return;
    run_elsewhere(cpu, &out->run, sampling_on_its_processor, &job);
    neighbours_end(&out->run, opt);
}
