/* How much the time-stamp counters of processors differ, and how the difference grows.
 *
 * The processor that comes first and another one exchange messages (measure/skew.h): of each exchange it is
 * certain between which two numbers the offset lies, and of thousands the tightest bounds are kept. After a
 * while the same again: the change of the offset is the drift. */
#include "experiments/several.h"
#include "kernel/madt.h"
#include "measure/skew.h"

enum { EXCHANGES, MILLISECONDS };

#define UNKNOWN_HZ 1000000000u /* of a TSC whose rate is unknown: for the time between the two only */

/* One line for each direction. */
struct mail {
    _Alignas(LINES_APART) volatile uint32_t asked;
    _Alignas(LINES_APART) volatile uint32_t answered;
    volatile uint32_t low, high; /* of the other one's TSC; in the line of the answer, and before it */
};

struct side {
    struct mail *mail;
    struct barrier *barrier;
    void (*fence)(void);
    unsigned me, exchanges;
    uint64_t patience;
    struct skew skew;
    uint64_t at; /* of the first one's TSC: the middle of the exchanges */
    bool through;
};

/* RDTSC may be executed before the load in front of it has ended, so something has to hold it back; that it comes before
 * a store behind it needs nothing, since stores leave when they retire. */
__attribute__((section(".text.isa.lfence"), noinline)) static void by_lfence(void)
{
    __asm__ volatile("lfence" ::: "memory");
}
static void by_cpuid(void) { hw_cpuid(0, 0); }

static void asks(void *arg)
{
    struct side *s = arg;
    struct mail *m = s->mail;
    if (!barrier_wait(s->barrier, s->me)) return;
    const uint64_t begin = hw_rdtsc();
    for (uint32_t i = 1; i <= s->exchanges; i++) {
        const uint64_t sent = hw_rdtsc();
        m->asked = i;
        if (!WAIT_UNTIL(m->answered == i, s->barrier, s->patience)) return;
        s->fence();
        const uint64_t back = hw_rdtsc();
        skew_add(&s->skew, sent, (uint64_t)m->high << 32 | m->low, back);
    }
    s->at = begin + (hw_rdtsc() - begin) / 2;
    s->through = true;
}

static void answers(void *arg)
{
    struct side *s = arg;
    struct mail *m = s->mail;
    if (!barrier_wait(s->barrier, s->me)) return;
    for (uint32_t i = 1; i <= s->exchanges; i++) {
        if (!WAIT_UNTIL(m->asked == i, s->barrier, s->patience)) return;
        s->fence();
        const uint64_t now = hw_rdtsc();
        m->low = (uint32_t)now;
        m->high = (uint32_t)(now >> 32);
        m->answered = i;
    }
    s->through = true;
}

/* What both need, in lines of their own. */
struct pair_of {
    struct side *side[2];
};

static struct skew exchange(struct lab *lab, const struct pair_of *p, unsigned cpu, uint64_t *at)
{
    const struct lab_job job[] = {{0, asks, p->side[0]}, {cpu, answers, p->side[1]}};
    p->side[0]->mail->asked = p->side[0]->mail->answered = 0;
    barrier_init(p->side[0]->barrier, 2, lab_patience(lab));
    for (unsigned i = 0; i < 2; i++) p->side[i]->through = false;
    p->side[0]->skew = SKEW_UNKNOWN;
    lab_together(lab, job, 2);
    if (!p->side[0]->through || !p->side[1]->through)
        lab_fail(lab, "processors %u and %u: one has waited for the other longer than limit= allows",
                 lab_processor(lab, 0), lab_processor(lab, cpu));
    *at = p->side[0]->at;
    return p->side[0]->skew;
}

static void pass_time(struct lab *lab, uint64_t ticks)
{
    struct watch w;
    watch_begin(&w, lab->tsc_hz);
    lab_gaps(lab, &w, ticks);
}

static void run(struct lab *lab)
{
    static struct skew before[PROCESSORS_MAX];
    static uint64_t at[PROCESSORS_MAX];
    struct pair_of p;
    several_needed(lab, 2);
    const uint64_t apart =
        (lab->tsc_hz ? lab->tsc_hz : UNKNOWN_HZ) / 1000 * (uint64_t)lab->param[MILLISECONDS];
    struct barrier *barrier = lab_barrier(lab, 2);
    struct mail *mail = lab_alloc(lab, sizeof *mail, LINES_APART);
    for (unsigned i = 0; i < 2; i++) {
        p.side[i] = lab_alloc(lab, sizeof *p.side[i], LINES_APART);
        *p.side[i] = (struct side){.mail = mail,
                                   .barrier = barrier,
                                   .fence = lab->lfence ? by_lfence : by_cpuid,
                                   .me = i,
                                   .exchanges = (unsigned)lab->param[EXCHANGES],
                                   .patience = lab_patience(lab)};
    }
    for (unsigned i = 1; i < lab->cpus; i++) before[i] = exchange(lab, &p, i, &at[i]);
    pass_time(lab, apart);
    for (unsigned i = 1; i < lab->cpus; i++) {
        uint64_t later;
        double low, high;
        const struct skew after = exchange(lab, &p, i, &later);
        skew_drift(&before[i], &after, later - at[i], &low, &high);
        const struct lab_quantity cpu = known("cpu", "", lab_processor(lab, i)),
                                  q[] = {cpu,
                                         times("offset", "tsc", skew_offset(&before[i])),
                                         times("+/-", "tsc", skew_uncertainty(&before[i])),
                                         times("drift", "ppm", (low + high) / 2 * 1e6),
                                         times("+/-", "ppm", (high - low) / 2 * 1e6)};
        if (skew_consistent(&before[i]) && skew_consistent(&after))
            lab_row(lab, "its TSC less that of the first one", q, ARRAY_N(q));
        else
            lab_value(lab, &cpu, "no offset agrees with all exchanges: a TSC jumps, or their rates differ");
    }
}

EXPERIMENT(tsc_skew) = {
    .program = {.name = "tsc_skew", .desc = "offset and drift between the time-stamp counters of processors"},
    .experiment = run,
    .processors = true,
    .op = "exchange",
    .cost = "0 within 20 to 100 ticks: firmware sets them together, and one clock drives them",
    BENCH_PARAM_LIST([EXCHANGES] = {"exchanges", "exchanges", "with each processor, before and after", 1, 1000000, 1,
                                    10000, false},
                     [MILLISECONDS] = {"ms", "milliseconds", "between the two, for the drift", 1, 3600000, 1, 100,
                                       false}),
};
