#include "kernel/hw.h"
#include "kernel/pic.h"
#include "kernel/rtc.h"
#include "kernel/user.h"
#include "measure/sampling_handler.h"
#include "measure/sampling_job.h"
#include <stdio.h>
#include <string.h>

#define USER_STACK      16384
#define AUTO_RESERVE    2 /* the buffer holds twice the wanted number: a period is never met exactly */
#define PIT_TICKS_MAX   65535
#define PIT_TICKS_MIN   2     /* mode 2 */
#define TIMER_SILENT    16    /* periods without an interrupt: there is none */
#define TIMER_LEAST_S   5e-6  /* ... which are no shorter than this: QEMU's timers never catch up with less */
#define TSC_HZ_AT_MOST  4e9   /* for that, where its rate is not known */
#define TIMER_START     10000 /* ticks, where auto has nothing to go by */
#define NEAR(n, wanted) ((n) > ((wanted)-1) / 2 && (n) <= (wanted)*2)

static void *take(struct job *j, struct arena *arena, size_t bytes, size_t align)
{
    void *p = arena_alloc(arena, bytes, align);
    if (p) return memset(p, 0, bytes);
    sampling_refuse(j, "no memory left for so many samples");
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

/* It would not overflow however often the event occurs. */
static bool refuse_unmodelled(struct job *j)
{
    char why[PMU_NAME + 40];
    snprintf(why, sizeof why, "the model does not have %s", j->event->name);
    return sampling_refuse(j, why);
}

static bool pass(struct job *j, bool sampling)
{
    struct sampling *out = j->out;
    struct pmu *pmu = j->m->pmu;
    out->tsc[sampling] = 0;
    if (j->event && !sampling_program(j)) return false;
    if (sampling && !sampling_on(j)) return false;
    if (!sampling && !j->event && j->timer == TIMER_APIC)
        apic_timer(j->m->apic, LVT_MASKED | VECTOR_SAMPLE, UINT32_MAX);
    /* What the bracket loads off its stack shall be in L1, so that its miss is not counted as the payload's:
     * user_call()'s stores alone do not bring it there in an L1 that fills on loads only, as the model's. */
    if (j->user_stack) (void)((volatile uint8_t *)j->user_stack)[-1];
    if (j->event) pmu->ops->start(pmu);
    for (unsigned i = 0; i < out->run.reps; i++) {
        call_payload(j, sampling);
        out->tsc[sampling] += out->run.count[0].raw[i] = j->reading->tsc[1] - j->reading->tsc[0];
        if (j->m->cancelled && j->m->cancelled()) {
            out->run.status = RUN_CANCELLED;
            return false;
        }
    }
    if (j->event) {
        if (machine_lacks(j->m, out->counter)) return refuse_unmodelled(j);
        pmu->ops->stop(pmu);
        out->counted_part = out->counted && pmu->handler_stops;
        if (out->counted) out->instructions[sampling] = pmu->ops->read(pmu, j->kernel_counter);
        if (!sampling) out->occurred = pmu->ops->read(pmu, out->counter);
    } else if (!sampling) {
        /* In units of the timer, like the period. */
        const unsigned hz = j->timer == TIMER_RTC ? RTC_HZ : PIT_HZ;
        out->occurred = j->timer == TIMER_APIC ? UINT32_MAX - apic_timer_left(j->m->apic)
                        : j->m->tsc_hz         ? out->tsc[0] * hz / j->m->tsc_hz
                                               : 0;
    }
    if (!sampling) return true;
    sampling_off(j);
    return true;
}

/* ---- the period ---- */

static void limits(const struct job *j, uint32_t *least, uint32_t *most)
{
    *least = !j->event ? PIT_TICKS_MIN : is_pebs(j) ? 2 : 1;
    *most = j->timer == TIMER_PIT ? PIT_TICKS_MAX : INT32_MAX;
    if (j->timer == TIMER_RTC) *least = RTC_TICKS_MIN, *most = RTC_TICKS_MAX;
}

/* period=N is used as it is, or not at all. */
static bool period_possible(struct job *j)
{
    uint32_t least, most, given = j->opt->period;
    limits(j, &least, &most);
    if (!given || (given >= least && given <= most)) return true;
    j->out->run.status = RUN_PMU;
    snprintf(j->out->run.bench.error, sizeof j->out->run.bench.error, "period= goes from %u to %u %s here",
             (unsigned)least, (unsigned)most, j->out->unit);
    return false;
}

static void use_period(struct job *j, uint32_t period)
{
    j->out->period = period;
    /* Any period that is drawn is one that period= could give, but 1. */
    const uint32_t below = period > 2 ? period - 2 : 0, above = INT32_MAX - period;
    const uint32_t most = below < above ? below : above;
    j->out->jitter = j->opt->jitter < most ? j->opt->jitter : most;
}

/* A prime near what is wanted, the next one upwards: a period that shares a factor with a loop's length would
 * hit the same few instructions for ever. (The RTC has nothing but powers of two: the nearest one. Its
 * crystal is not what the CPU's clock is made of, so that they drift.) Below 2^31 gaps are less than 300 and
 * square roots less than 46341; 2^31 - 1 is prime. */
static void find_period(struct job *j, double wanted)
{
    uint32_t least, most, d = 2, n;
    limits(j, &least, &most);
    if (j->event)
        least = 2;           /* 1 is for who asks for it: a storm, and not every driver takes it */
    else if (j->out->tsc[0]) /* how fast the timer counts was seen without sampling */
        least += (uint32_t)((double)j->out->occurred / (double)j->out->tsc[0] * TIMER_LEAST_S *
                            (j->m->tsc_hz ? (double)j->m->tsc_hz : TSC_HZ_AT_MOST));
    n = wanted < least ? least : wanted > most ? most : (uint32_t)wanted;
    if (j->timer == TIMER_RTC) {
        /* Of between 2/3 and 4/3 of what is wanted. */
        for (d = least; d < most && d * 3 <= n * 2; d *= 2) {
        }
        use_period(j, d);
        return;
    }
    for (; d * d <= n; d++)
        if (n % d == 0 && n < most) {
            n++;
            d = 1;
        }
    use_period(j, n);
}

/* From one try to the next. A period is longer than the work between two samples by what the interrupt itself
 * takes of it (the handler's time, of a timer; less than nothing where events go uncounted behind an
 * overflow), which this try has shown. */
static double better_period(const struct sampling *s, double came)
{
    double period = s->period, occurred = (double)s->occurred;
    if (s->storm) return period * 4;
    if (came == 0) return period / 8;
    if (occurred == 0) return period * came / s->wanted;
    return occurred / s->wanted + period - occurred / came;
}

/* period=auto: from the first pass's count, then by what tries show, until the number of samples is near. */
static bool find_and_sample(struct job *j)
{
    struct sampling *out = j->out;
    const uint32_t wanted = out->wanted, given = j->opt->period;
    if (given)
        use_period(j, given);
    else
        find_period(j, out->occurred ? (double)out->occurred / wanted : TIMER_START);
    for (out->tries = 1;; out->tries++) {
        uint32_t period = out->period;
        if (!pass(j, true)) return false;
        uint32_t came = out->samples.n + (uint32_t)out->samples.lost;
        if (given || NEAR(came, wanted) || out->tries == SAMPLING_TRIES) return true;
        find_period(j, better_period(out, came));
        if (out->period == period) return true;
    }
}

/* ---- public ---- */

static bool prepare(struct job *j, struct arena *arena)
{
    struct sampling *out = j->out;
    const struct options *opt = j->opt;
    struct samples *s = &out->samples;
    j->depth = opt->pebs_depth ? opt->pebs_depth : opt->jitter ? 1 : PEBS_DEPTH_DEF;
    if (!run_prepare(&out->run, opt, j->m, arena)) return false;
    out->wanted = opt->samples ? opt->samples : SAMPLES_DEF;
    s->cap = opt->period ? (opt->samples ? opt->samples : SAMPLES_BUFFER) : out->wanted * AUTO_RESERVE;
    if (!(s->at = take(j, arena, s->cap * sizeof *s->at, 64))) return false;
    if (!(j->reading = take(j, arena, sizeof *j->reading, 512))) return false;
    if (is_pebs(j) && !(j->ds = take(j, arena, pebs_bytes(pebs_wide(j), j->depth), 4096))) return false;
    if (opt->ring == 3) {
        uint8_t *stack = take(j, arena, USER_STACK, 4096);
        if (!stack) return false;
        j->user_stack = stack + USER_STACK;
    }
    j->bracket = bracket_find(opt->serialize, READER_NONE, 0);
    if (out->run.regions)
        regions_arm(out->run.regions, opt->serialize, READER_NONE, j->reading->select, 0, UINT64_MAX);
    return sampling_facility(j) && period_possible(j) && (!j->event || sampling_counters(j));
}

void sampling_run(const struct plan_item *item, const struct options *opt, const struct machine *m,
                  unsigned event, struct arena *arena, struct sampling *out)
{
    static struct job job; /* survives the longjmp of a trap */
    struct trap_guard guard;
    memset(out, 0, sizeof *out);
    job = (struct job){.opt = opt, .m = m, .out = out};
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
            if (pass(&job, false)) find_and_sample(&job);
        }
        trap_guard_disarm(&guard);
    }
    if (trap_interrupt == sampling_interrupt) sampling_off(&job);
    if (job.event && m->pmu->ops) m->pmu->ops->stop(m->pmu);
    if (out->run.status != RUN_OK || out->interrupts) return;
    if (!job.event && out->occurred / TIMER_SILENT >= out->period)
        sampling_refuse(&job, "the timer's interrupts do not come: another one of timer=apic, pit, rtc may");
    if (!job.event || out->samples.n) return;
    if (opt->sample == SAMPLE_BY_NMI && out->occurred >= out->period)
        sampling_refuse(&job,
                        "the counter passed its period and no NMI came: sampling by events needs a board (or "
                        "a socket) that has PM0 wired to NMI here; sample=timer does not");
    else if (out->occurred / 2 >= out->period) /* the first one may be drawn almost twice as long */
        sampling_refuse(&job, "the counter passed its period and no interrupt came: sample=timer may do");
}
