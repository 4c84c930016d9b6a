/* fwq on several processors at once: how quiet each of them is while the others work as well.
 *
 * All begin at a barrier and write their time stamps into memory of their own. What takes a quantum longer
 * than the shortest is a neighbour that shares something (a core, its power, a bus), or what disturbs one
 * alone. */
#include "bench/fwq.h"
#include "experiments/several.h"

enum { QUANTA, US };

struct side {
    struct fwq_series series;
    struct barrier *barrier;
    unsigned me;
    bool through;
};

static void all(void *arg)
{
    struct side *s = arg;
    if (!barrier_wait(s->barrier, s->me)) return;
    fwq_quanta(&s->series);
    s->through = true;
}

/* The stamps become distances, sorted. */
static void row(struct lab *lab, unsigned cpu, struct side *s)
{
    uint64_t *t = s->series.stamps;
    const uint32_t n = s->series.quanta;
    uint32_t late = 0;
    for (uint32_t i = 0; i < n; i++) t[i] = t[i + 1] - t[i];
    stats_sort(t, n);
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += (double)t[i];
        late += t[i] - t[0] > t[0] / 10;
    }
    const double shortest = (double)t[0], us = 1e6 / (double)lab->tsc_hz;
    const struct lab_quantity q[] = {known("cpu", "", lab_processor(lab, cpu)),
                                     times("shortest", "us", shortest * us),
                                     times("median", "us", (double)t[n / 2] * us),
                                     times("longest", "us", (double)t[n - 1] * us),
                                     times("late", "", late),
                                     times("lost", "%", 100 * (1 - shortest * n / sum))};
    lab_row(lab, "quanta of all at once; late: 10 % longer than the shortest", q, ARRAY_N(q));
}

static void run(struct lab *lab)
{
    const uint32_t n = (uint32_t)lab->param[QUANTA];
    struct barrier *barrier = lab_barrier(lab, lab->cpus);
    struct side **side = lab_alloc(lab, lab->cpus * sizeof *side, 8);
    struct lab_job *job = lab_alloc(lab, lab->cpus * sizeof *job, 8);
    if (!lab->tsc_hz) lab_fail(lab, "the TSC's rate is unknown, so us= cannot be met; give tsc=HZ");
    uint32_t work = 0;
    for (unsigned i = 0; i < lab->cpus; i++) {
        side[i] = lab_alloc(lab, sizeof *side[i], LINES_APART);
        uint64_t *stamps = lab_alloc(lab, (n + (size_t)1) * sizeof *stamps, LINES_APART);
        if (!work) work = fwq_calibrate(stamps, lab->tsc_hz, (uint32_t)lab->param[US]);
        if (!work) lab_fail(lab, "the TSC stood still during calibration");
        *side[i] = (struct side){{stamps, n, work}, barrier, i, false};
        job[i] = (struct lab_job){i, all, side[i]};
    }
    lab_together(lab, job, lab->cpus);
    for (unsigned i = 0; i < lab->cpus; i++) {
        if (!side[i]->through) lab_fail(lab, "processor %u has not begun", lab_processor(lab, i));
        row(lab, i, side[i]);
    }
}

EXPERIMENT(fwq_together) = {
    .program = {.name = "fwq_together", .desc = "fixed work quanta on all processors at once"},
    .experiment = run,
    .processors = true,
    .op = "quantum",
    .cost = "as fwq alone; longer where two are threads of one core, or share their power",
    BENCH_PARAM_LIST([QUANTA] = {"quanta", "quanta", "in each series", 16, 1000000, 1, 10000, false},
                     [US] = {"us", "microseconds",
                             "length of a quantum, calibrated on the processor that booted", 1, 100000, 1, 10,
                             false}),
};
