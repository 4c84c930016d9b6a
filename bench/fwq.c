/* Fixed work quanta: the same work again and again, and the time of each quantum. Something else took the
 * time by which a quantum exceeds the shortest one. The noise benchmark of the HPC world (Sottile and
 * Minnich, CLUSTER 2004).
 *
 * Time stamps follow one another without a gap, so that no interruption falls between two quanta unseen.
 */
#include "bench/fwq.h"
#include "bench/bench.h"
#include <stdio.h>

enum { QUANTA, US };

/* One stamp more than quanta, so that every quantum is the same stretch of code from stamp to stamp. */
PAYLOAD void fwq_quanta(void *arg)
{
    const struct fwq_series *s = arg;
    uint32_t *out = (uint32_t *)s->stamps, left = s->quanta + 1, work;
    __asm__ volatile("1:\n\t"
                     "rdtsc\n\t"
                     "movl %%eax, (%0)\n\t"
                     "movl %%edx, 4(%0)\n\t"
                     "lea 8(%0), %0\n\t"
                     "movl %3, %2\n"
                     "2:\n\t"
                     "decl %2\n\t"
                     "jnz 2b\n\t"
                     "decl %1\n\t"
                     "jnz 1b"
                     : "+r"(out), "+r"(left), "=&r"(work)
                     : "rm"(s->work)
                     : "eax", "edx", "cc", "memory");
}

uint32_t fwq_calibrate(uint64_t *stamps, uint64_t tsc_hz, uint32_t us)
{
    const uint32_t trial = 2000;
    uint64_t least = UINT64_MAX;
    struct fwq_series s = {stamps, 16, trial};
    for (unsigned round = 0; round < 4; round++) {
        fwq_quanta(&s);
        for (unsigned i = 0; i < 16; i++)
            if (stamps[i + 1] - stamps[i] < least) least = stamps[i + 1] - stamps[i];
    }
    if (least == 0) return 0;
    double turns = (double)trial * ((double)tsc_hz * us / 1e6) / (double)least;
    return turns < 1 ? 1 : turns > 4e9 ? 4000000000u : (uint32_t)turns;
}

/* The stamps, and what measure/run.c and measure/reduce.c need: the differences, a flag for each, and a
 * sorted copy. */
static uint64_t memory(const int64_t *param, const struct cache_info *caches)
{
    (void)caches;
    return ((uint64_t)param[QUANTA] + 1) * (3 * sizeof(uint64_t) + 1);
}

static bool prepare(struct bench_run *run)
{
    uint32_t n = (uint32_t)run->param[QUANTA], us = (uint32_t)run->param[US];
    if (run->tsc_hz == 0) {
        snprintf(run->error, sizeof run->error,
                 "the TSC's rate is unknown, so us=%u cannot be met; give tsc=HZ", (unsigned)us);
        return false;
    }
    uint64_t *stamps = arena_alloc(run->arena, ((size_t)n + 1) * sizeof *stamps, 64);
    if (!stamps) {
        snprintf(run->error, sizeof run->error,
                 "quanta=%u needs %llu bytes of memory, but only %llu are free", (unsigned)n,
                 (unsigned long long)(n + 1ull) * sizeof *stamps, (unsigned long long)arena_left(run->arena));
        return false;
    }
    for (uint32_t i = 0; i <= n; i++) stamps[i] = 0; /* touched: no first-use cost in the series */
    struct fwq_series *s = run->arg;
    *s = (struct fwq_series){stamps, n, fwq_calibrate(stamps, run->tsc_hz, us)};
    if (s->work == 0) {
        snprintf(run->error, sizeof run->error, "the TSC stood still during calibration");
        return false;
    }
    run->stamps = stamps;
    run->stamp_count = n;
    return true;
}

BENCHMARK(fwq) = {
    .program = {.name = "fwq",
                .desc = "fixed work quanta: shows how quiet the machine is",
                .payload = fwq_quanta,
                .prepare = prepare},
    .op = "quantum",
    .cost = "no quantum longer than the shortest + 10 %; an untuned Linux has 250 in 100,000",
    BENCH_PARAM_LIST([QUANTA] = {"quanta", "quanta", "quanta in the series", 16, 4000000, 1, 10000, false},
                     [US] = {"us", "microseconds", "length of a quantum, calibrated warm", 1, 100000, 1, 10,
                             false}),
    .memory = memory,
};
