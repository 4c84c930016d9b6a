/* A hidden experiment that tests what experiments with several processors use, and each way to end. */
#include "experiments/several.h"
#include "kernel/hw.h"
#include "pmu/pmu.h"

enum { WHAT, N };
#define IA32_TSC 0x10 /* MSR */

struct side {
    struct barrier *barrier;
    volatile uint32_t *said; /* [round & 1][party], in lines of their own */
    unsigned me;
    uint32_t rounds, wrong;
    int64_t ticks;
    volatile uint32_t stuck;
};

#define SLOT(round, party) (((round)&1) * 2 * LINES_APART + (party)*LINES_APART) / 4

/* What the other one has said before a barrier is seen behind it, and nothing that comes later: the slot of a
 * round is used again in the next but one, which nobody reaches before both have been in between. */
static void hammer(void *arg)
{
    struct side *s = arg;
    for (uint32_t round = 1; round <= s->rounds; round++) {
        s->said[SLOT(round, s->me)] = round;
        if (!barrier_wait(s->barrier, s->me)) return;
        s->wrong += s->said[SLOT(round, !s->me)] != round;
    }
}

static void endless(void *arg)
{
    struct side *s = arg;
    while (!s->stuck) SPIN_PAUSE();
}

static void invalid(void *arg)
{
    (void)arg;
    __asm__ volatile(".byte 0xf0, 0x90"); /* LOCK NOP */
}

static void set_tsc(void *arg)
{
    const struct side *s = arg;
    hw_wrmsr(IA32_TSC, hw_rdtsc() + (uint64_t)s->ticks);
}

static void one(struct lab *lab, struct side *s, void (*fn)(void *))
{
    lab_together(lab, &(struct lab_job){1, fn, s}, 1);
}

static void barriers(struct lab *lab, struct side *s)
{
    struct lab_job job[2];
    for (unsigned i = 0; i < 2; i++) job[i] = (struct lab_job){i, hammer, &s[i]};
    lab_together(lab, job, 2);
    const struct lab_quantity passed = known("barriers", "", s->barrier->passed),
                              wrong = known("wrong", "", s[0].wrong + s[1].wrong);
    lab_value(lab, &passed, NULL);
    lab_value(lab, &wrong, NULL);
}

static void never_returns(struct lab *lab, struct side *s) { one(lab, s, endless); }
static void traps(struct lab *lab, struct side *s) { one(lab, s, invalid); }
static void skew(struct lab *lab, struct side *s) { one(lab, s, set_tsc); }

/* The other one never comes to the barrier. */
static void alone(struct lab *lab, struct side *s)
{
    const struct lab_job job[] = {{0, hammer, s}, {1, endless, &s[1]}};
    lab_together(lab, job, 2);
}

static void count_backwards(void *arg)
{
    struct lab_counting *c = arg;
    lab_counted(c, 0);
    wrmsr_safe(c->pmu->counter_msr[c->counter[0]], 0);
    lab_counted(c, 0);
}

static void set_back(struct lab *lab, struct side *s)
{
    static struct lab_counting c;
    (void)s;
    lab_count_on(lab, 1, (const char *const[]){"instructions", NULL}, &c);
    lab_together(lab, &(struct lab_job){1, count_backwards, &c}, 1);
}

static void (*const tests[])(struct lab *lab, struct side *s) = {barriers, never_returns, traps,
                                                                 skew,     alone,         set_back};

static void run(struct lab *lab)
{
    several_needed(lab, 2);
    struct barrier *b = lab_barrier(lab, 2);
    volatile uint32_t *said = lab_alloc(lab, 4 * LINES_APART, LINES_APART);
    struct side *s = lab_alloc(lab, 2 * sizeof *s, LINES_APART);
    for (unsigned i = 0; i < 2; i++)
        s[i] = (struct side){b, said, i, (uint32_t)lab->param[N], 0, lab->param[N], 0};
    tests[lab->param[WHAT]](lab, s);
}

EXPERIMENT(test_several) = {
    .program = {.name = "test_several", .desc = "tests what experiments with several processors use"},
    .experiment = run,
    .processors = true,
    .op = "test",
    .cost = "",
    .hidden = true,
    BENCH_PARAM_LIST([WHAT] = {"what", "", "which test", 0, sizeof tests / sizeof *tests - 1, 1, 0, true},
                     [N] = {"n", "", "rounds of the barrier; ticks that the TSC is set ahead", 1, 1000000000,
                            1, 1000000, false}),
};
