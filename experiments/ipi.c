/* How long an interprocessor interrupt takes: from before the write to the sender's interrupt command
 * register until the receiver's handler reads its TSC, as the first thing that it does; and until the sender
 * sees that.
 *
 * The way there is between two time stamps of two processors, so their offset is measured first, and its
 * uncertainty is the result's. The round trip needs no other clock. */
#include "experiments/exchange.h"

enum { REST, IPIS };
enum { SPINNING, HALTED };

#define EXCHANGES 5000
#define SETTLE    50 /* pauses before each: the receiver goes back to its rest */

struct side {
    struct lab_ipi *ipi;
    const struct lab *lab;
    struct barrier *barrier;
    unsigned me, cpu, n, rest;
    volatile uint32_t *all; /* interrupts that will come: n, or with the budget spent fewer */
    unsigned done;          /* of which are measured */
    uint64_t patience, budget;
    uint64_t *there, *back; /* ticks of each */
    bool through, busy;
};

static void receives(void *arg)
{
    struct side *s = arg;
    if (!barrier_wait(s->barrier, s->me)) return;
    lab_ipi_let(s->ipi);
    for (unsigned i = 0; i < *s->all; i++) {
        if (s->rest == HALTED) lab_ipi_rest(s->ipi, i);
        if (!WAIT_UNTIL(s->ipi->n != i, s->barrier, s->patience)) break;
    }
    s->through = s->ipi->n == *s->all;
    lab_ipi_let(NULL);
}

static void sends(void *arg)
{
    struct side *s = arg;
    if (!barrier_wait(s->barrier, s->me)) return;
    const uint64_t begin = hw_rdtsc();
    for (unsigned i = 0; i < *s->all; i++) {
        for (unsigned k = 0; k < SETTLE; k++) SPIN_PAUSE();
        const uint64_t sent = hw_rdtsc();
        if (!lab_ipi_send(s->lab, s->cpu)) {
            s->busy = true;
            barrier_break(s->barrier);
            return;
        }
        if (!WAIT_UNTIL(s->ipi->n != i, s->barrier, s->patience)) return;
        s->back[i] = hw_rdtsc() - sent;
        s->there[i] = s->ipi->at - sent;
        s->done = i + 1;
        /* The receiver may rest already, and one more interrupt lets it see that this was all. */
        if (sent - begin > s->budget && i + 2 < *s->all) *s->all = i + 2;
    }
    s->through = true;
}

/* Between the TSCs of two processors a way may be negative, and statistics take what is not: so they are of
 * what each exceeds the least by. */
static double median(uint64_t *ticks, unsigned n)
{
    struct stats stats;
    int64_t least = INT64_MAX;
    for (unsigned i = 0; i < n; i++)
        if ((int64_t)ticks[i] < least) least = (int64_t)ticks[i];
    for (unsigned i = 0; i < n; i++) ticks[i] -= (uint64_t)least;
    stats_compute(ticks, n, 0, 1, 95, &stats);
    return stats.median + (double)least;
}

static void to(struct lab *lab, struct side *const *side, struct exchange *x, unsigned cpu)
{
    struct lab_job job[] = {{0, sends, side[0]}, {cpu, receives, side[1]}};
    uint64_t at;
    const struct skew skew = exchange_with(lab, x, cpu, &at);
    if (!lab_ipi_open(lab, cpu, side[0]->ipi))
        lab_fail(lab, "processor %u or the one that booted has no local APIC that is enabled",
                 lab_processor(lab, cpu));
    barrier_init(side[0]->barrier, 2, lab_patience(lab));
    for (unsigned i = 0; i < 2; i++) side[i]->cpu = cpu, side[i]->through = false;
    *side[0]->all = side[0]->n;
    lab_together(lab, job, 2);
    if (side[0]->busy)
        lab_fail(lab, "the APIC still sends the interrupt before this one to processor %u",
                 lab_processor(lab, cpu));
    if (!side[0]->through || !side[1]->through)
        lab_fail(lab,
                 "processor %u has not taken an interrupt within half of limit=", lab_processor(lab, cpu));
    const unsigned n = side[0]->done;
    const double there = median(side[0]->there, n) - skew_offset(&skew), back = median(side[0]->back, n);
    const struct lab_quantity q[] = {known("to cpu", "", lab_processor(lab, cpu)),
                                     times("there", "tsc", there),
                                     times("+/-", "tsc", skew_uncertainty(&skew)),
                                     times("trip", "tsc", back),
                                     times("there", "ns", lab->tsc_hz ? ns_of(lab, there) : 0),
                                     times("trip", "ns", lab->tsc_hz ? ns_of(lab, back) : 0)};
    if (!skew_consistent(&skew))
        lab_fail(lab, "the TSC of processor %u jumps, or runs at another rate: bench=tsc_skew",
                 lab_processor(lab, cpu));
    lab_row(lab, "medians, from the write to the command register", q, lab->tsc_hz ? 6 : 4);
    if (n < side[0]->n) several_fewer(lab, "interrupts", n, side[0]->n, cpu);
}

static void run(struct lab *lab)
{
    struct side *side[2];
    several_needed(lab, 2);
    if (lab_processor(lab, 0) != 0) lab_fail(lab, "processor 0 sends the interrupts: cpu= has to name it");
    struct exchange *x = exchange_open(lab, EXCHANGES);
    struct barrier *barrier = lab_barrier(lab, 2);
    struct lab_ipi *ipi = lab_alloc(lab, sizeof *ipi, LINES_APART);
    const unsigned n = (unsigned)lab->param[IPIS];
    volatile uint32_t *all = lab_alloc(lab, sizeof *all, LINES_APART);
    uint64_t *ticks = lab_alloc(lab, 2 * n * sizeof *ticks, LINES_APART);
    for (unsigned i = 0; i < 2; i++) {
        side[i] = lab_alloc(lab, sizeof *side[i], LINES_APART);
        *side[i] = (struct side){.ipi = ipi,
                                 .lab = lab,
                                 .barrier = barrier,
                                 .me = i,
                                 .n = n,
                                 .rest = (unsigned)lab->param[REST],
                                 .all = all,
                                 .patience = lab_patience(lab),
                                 .budget = several_budget(lab),
                                 .there = ticks,
                                 .back = ticks + n};
    }
    for (unsigned i = 1; i < lab->cpus; i++) to(lab, side, x, i);
}

EXPERIMENT(ipi) = {
    .program = {.name = "ipi", .desc = "how long an interprocessor interrupt takes, there and back"},
    .experiment = run,
    .processors = true,
    .op = "interrupt",
    .cost = "0.3 to 2 us to a processor that spins, more to one in HLT",
    BENCH_PARAM_LIST([REST] = {"rest", "", "the receiver 0: spins, 1: rests in HLT", SPINNING, HALTED, 1,
                               SPINNING, true},
                     [IPIS] = {"ipis", "interrupts", "to each processor", 1, 1000000, 1, 200, false}),
};
