#include "experiments/exchange.h"

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
    uint64_t patience, budget;
    struct skew skew;
    uint64_t at;   /* of the first one's TSC: the middle of the exchanges */
    unsigned done; /* exchanges: fewer where the budget was spent */
    bool through;
};

/* RDTSC may be executed before the load in front of it has ended, so something has to hold it back; that it
 * comes before a store behind it needs nothing, since stores leave when they retire. */
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
        s->done = i;
        if (back - begin <= s->budget) continue;
        barrier_break(s->barrier); /* the other side waits for the next */
        break;
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

struct exchange {
    struct side *side[2];
};

struct exchange *exchange_open(struct lab *lab, unsigned exchanges)
{
    struct exchange *x = lab_alloc(lab, sizeof *x, LINES_APART);
    struct barrier *barrier = lab_barrier(lab, 2);
    struct mail *mail = lab_alloc(lab, sizeof *mail, LINES_APART);
    for (unsigned i = 0; i < 2; i++) {
        x->side[i] = lab_alloc(lab, sizeof *x->side[i], LINES_APART);
        *x->side[i] = (struct side){.mail = mail,
                                    .barrier = barrier,
                                    .fence = lab->lfence ? by_lfence : by_cpuid,
                                    .me = i,
                                    .exchanges = exchanges,
                                    .patience = lab_patience(lab),
                                    .budget = several_budget(lab)};
    }
    return x;
}

struct skew exchange_with(struct lab *lab, struct exchange *x, unsigned cpu, uint64_t *at)
{
    const struct lab_job job[] = {{0, asks, x->side[0]}, {cpu, answers, x->side[1]}};
    x->side[0]->mail->asked = x->side[0]->mail->answered = 0;
    barrier_init(x->side[0]->barrier, 2, lab_patience(lab));
    for (unsigned i = 0; i < 2; i++) x->side[i]->through = false;
    x->side[0]->skew = SKEW_UNKNOWN;
    lab_together(lab, job, 2);
    const unsigned done = x->side[0]->done, wanted = x->side[0]->exchanges;
    if (!x->side[0]->through || (done == wanted && !x->side[1]->through)) several_waited(lab, 0, cpu);
    if (done < wanted) several_fewer(lab, "exchanges", done, wanted, cpu);
    *at = x->side[0]->at;
    return x->side[0]->skew;
}
