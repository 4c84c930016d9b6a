/* B. Sprunt's data-address profile, IEEE Micro 22(4), 2002, table 1: a load that visits eight lines in a
 * circle, 8 KiB apart, which map to one set of four ways. Every load misses; samples give the addresses. On a
 * Prescott, whose L1 has eight ways (CPUID leaf 2, descriptor 60h), there are sixteen lines. */
#include "bench/chase.h"
#include "bench/experiment.h"

#define SAMPLES 800 /* the article's */
#define MISSES  80000000

enum { N };

struct round {
    void *start;
    uintptr_t n;
};

extern const char l1_profile_load[];

PAYLOAD static void round_loads(void *arg)
{
    const struct round *r = arg;
    void *p = r->start;
    uintptr_t n = r->n;
    __asm__ volatile(".globl l1_profile_load\n"
                     "l1_profile_load:\n\t"
                     "mov (%0), %0\n\t"
                     "loop l1_profile_load"
                     : "+a"(p), "+c"(n)::"memory");
}

static bool prepare(struct bench_run *run)
{
    void *start = chase_ring(run, sprunt_lines(run->caches), SPRUNT_STRIDE);
    *(struct round *)run->arg = (struct round){start, (uintptr_t)run->param[N]};
    run->ops = (double)run->param[N];
    return start != NULL;
}

static uint64_t memory(const int64_t *param, const struct cache_info *caches)
{
    (void)param;
    return chase_bytes(sprunt_lines(caches), SPRUNT_STRIDE);
}

/* One less than a divisor of the number of misses. It is odd where that divisor is even, and so has no factor
 * in common with a power of two: no line is sampled more often than another. */
static uint32_t period(const int64_t *param) { return (uint32_t)(param[N] / SAMPLES - 1); }

static const struct bench_figure figures[] = {
    {"L1 load misses", "misses", MISSES, SAMPLE_BY_NONE, FIGURE_EVENTS, 0,
     "the article's 1 million rounds of 8 loads are 8 million; 80 million take 10 million rounds (n=); the "
     "one more is the load of the starting address"},
    {"samples", "samples", SAMPLES, SAMPLE_BY_NONE, FIGURE_SAMPLES, 0,
     "every 99,999 misses (preset -99,998); every 100,000, a multiple of 8, would always hit the same "
     "address"},
    {"instructions sampled", "instructions", 1, SAMPLE_BY_NONE, FIGURE_INSTRUCTIONS, 0, 0},
    {"data addresses", "addresses", 8, SAMPLE_BY_NONE, FIGURE_ADDRESSES, 0,
     "twice L1's ways: 4 on the article's Pentium 4, 8 on a Prescott"},
    {"from one to the next", "bytes", SPRUNT_STRIDE, SAMPLE_BY_NONE, FIGURE_DIFFERENCE, 0, 0},
    {"fewest samples of an address", "samples", 88, SAMPLE_BY_NONE, FIGURE_FEWEST, 0, 0},
    {"most samples of an address", "samples", 106, SAMPLE_BY_NONE, FIGURE_MOST, 0,
     "other programs disturbed the article's machine; here nothing does, but jitter= would"},
    {0},
};

static const struct bench_sampling sampling = {
    .event = {"1stl_cache_load_miss_retired:u"},
    .by = {SAMPLE_BY_PEBS},
    .period = period,
    .figure = figures,
};

BENCHMARK(l1_profile) = {
    .program =
        {.name = "l1_profile",
         .desc =
             "80 million L1 misses of one load at twice as many addresses as L1 has ways, sampled by PEBS: "
             "Sprunt's table 1",
         .payload = round_loads,
         .prepare = prepare},
    .op = "load",
    .cost = "800 samples: 100 at each of eight addresses, 50 at each of a Prescott's sixteen",
    .target = l1_profile_load,
    .sampling = &sampling,
    BENCH_PARAM_LIST([N] = {"n", "loads", "loads, each a miss; the period is n/800 - 1", 8 * SAMPLES,
                            1000000000, 1, MISSES, false}),
    .memory = memory,
};
