/* B. Sprunt's data-address profile, IEEE Micro 22(4), 2002, table 1: a load that visits eight lines in a
 * circle, 8 KiB apart, which map to one set of four ways. Every load misses; samples give the addresses.
 * Where the L1 has eight ways, as from the Prescott on (CPUID leaf 2, descriptor 60h), there are sixteen
 * lines; of twelve ways, as from Ice Lake on, 32, a power of two.
 *
 * The load leaves its address register alone, and a second instruction moves on: the registers of PEBS on
 * Core 2 are those after the load, and its address is computed from them. Later CPUs record the address. */
#include "bench/chase.h"
#include "bench/experiment.h"
#include "pmu/pmu.h"

#define SAMPLES 800 /* the article's */
#define ABOVE   8   /* cycles: an L1 hit takes fewer, even as PEBS counts them, and an L2 hit more */
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
    void *p = r->start, *next;
    uintptr_t n = r->n;
    __asm__ volatile(".globl l1_profile_load\n"
                     "l1_profile_load:\n\t"
                     "mov (%0), %2\n\t"
                     "mov %2, %0\n\t"
                     "loop l1_profile_load"
                     : "+a"(p), "+c"(n), "=&d"(next)::"memory");
}

static bool prepare(struct bench_run *run)
{
    void *start = chase_ring(run, sprunt_lines(run->caches), sprunt_stride(run->caches));
    *(struct round *)run->arg = (struct round){start, (uintptr_t)run->param[N]};
    run->ops = (double)run->param[N];
    return start != NULL;
}

static uint64_t memory(const int64_t *param, const struct cache_info *caches)
{
    (void)param;
    return chase_bytes(sprunt_lines(caches), sprunt_stride(caches));
}

/* One less than a divisor of the number of misses. It is odd where that divisor is even, and so has no factor
 * in common with a power of two: no line is sampled more often than another. */
static uint32_t period(const int64_t *param) { return (uint32_t)(param[N] / SAMPLES - 1); }

/* A turn of the loop has three ops or more: at least SAMPLES loads. */
static uint32_t ops(const int64_t *param) { return period_of_ops(param[N] / SAMPLES); }

static const struct bench_figure figures[] = {
    {"L1 load misses", "misses", MISSES, WAY_PEBS, FIGURE_EVENTS, 0,
     "the article's 1 million rounds of 8 loads are 8 million; 80 million take 10 million rounds (n=); the "
     "one more is the load of the starting address"},
    {"samples", "samples", SAMPLES, WAY_PEBS, FIGURE_SAMPLES, 0,
     "every 99,999 misses (preset -99,998); every 100,000, a multiple of 8, would always hit the same "
     "address"},
    {"instructions sampled", "instructions", 1, WAY_PEBS | WAY_LATENCY, FIGURE_INSTRUCTIONS, 0, 0},
    {"data addresses", "addresses", 8, WAY_ANY, FIGURE_ADDRESSES, 0,
     "twice L1's ways, or the next power of two: 4 ways on the article's Pentium 4, 8 on most since the "
     "Prescott, 12 from Ice Lake on"},
    {"from one to the next", "bytes", SPRUNT_STRIDE, WAY_ANY, FIGURE_DIFFERENCE, 0, 0},
    {"fewest samples of an address", "samples", 88, WAY_ANY, FIGURE_FEWEST, 0, 0},
    {"most samples of an address", "samples", 106, WAY_ANY, FIGURE_MOST, 0,
     "other programs disturbed the article's machine; here nothing does, but jitter= would"},
    {"found in the L2", "%", NO_FIGURE, WAY_LATENCY | WAY_IBS, FIGURE_LEVEL, LEVEL_L2, 0},
    {"median latency", "core cycles", NO_FIGURE, WAY_LATENCY | WAY_IBS, FIGURE_LATENCY, 0, 0},
    {0},
};

/* Misses give the article's table; load latency tells the level and how long it took. */
static const struct bench_way ways[] = {
    {WAY_PEBS, SAMPLE_BY_PEBS, 0, CLASS_NETBURST, 0, "1stl_cache_load_miss_retired:u", 0},
    {WAY_PEBS, SAMPLE_BY_PEBS, 0, CLASS_CORE2, 0, "mem_load_retired:l1d_miss:u", 0},
    {WAY_PEBS, SAMPLE_BY_PEBS, 0, CLASS_LAKE, 0, "mem_load_retired:l1_miss:u", 0},
    /* Goldmont has the first, Nehalem the second. */
    {WAY_PEBS, SAMPLE_BY_PEBS, 0, CLASS_ARCH, CLASS_BRIDGE, "mem_load_uops_retired:l1_miss:u", 0},
    {WAY_PEBS, SAMPLE_BY_PEBS, 0, CLASS_ARCH, CLASS_BRIDGE, "mem_load_retired:l2_hit:u", 0},
    {WAY_LATENCY, SAMPLE_BY_PEBS, ABOVE, CLASS_BRIDGE, 0, "r01cd:u", period_automatic},
    {WAY_IBS, SAMPLE_BY_IBS, 0, 0, 0, NULL, ops},
    {0},
};

static const struct bench_sampling sampling = {.way = ways, .period = period, .figure = figures};

BENCHMARK(l1_profile) = {
    .program = {.name = "l1_profile",
                .desc =
                    "80 million L1 misses of one load, at two addresses or more for each of L1's ways, by "
                    "PEBS or IBS: Sprunt's table 1",
                .payload = round_loads,
                .prepare = prepare},
    .op = "load",
    .cost = "800 samples: 100 at each of eight addresses, 50 at each of sixteen, 25 at each of 32",
    .target = l1_profile_load,
    .sampling = &sampling,
    BENCH_PARAM_LIST([N] = {"n", "loads", "loads, each a miss; the period is n/800 - 1", 8 * SAMPLES,
                            1000000000, 1, MISSES, false}),
    .memory = memory,
};
