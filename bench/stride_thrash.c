/* A pointer chase over a few lines that all map to one set of the cache. As many lines as the set has ways
 * stay in it; with one more they evict each other. B. Sprunt's example of 8 lines 8 KiB apart, IEEE Micro
 * 22(4), 2002, table 1. */
#include "bench/chase.h"
#include <stdio.h>

#define UNROLL 50

enum { LINES, STRIDE, N };

struct chase {
    void *start;
    uint32_t rounds;
};

#define STR_(x) #x
#define STR(x)  STR_(x)

PAYLOAD static void chase_loads(void *arg)
{
    const struct chase *c = arg;
    void *p = c->start;
    uint32_t n = c->rounds;
    __asm__ volatile("1:\n\t"
                     ".rept " STR(UNROLL) "\n\t"
                                          "mov (%0), %0\n\t"
                                          ".endr\n\t"
                                          "decl %1\n\t"
                                          "jnz 1b"
                     : "+r"(p), "+r"(n)::"cc", "memory");
}

uint64_t chase_bytes(size_t lines, size_t stride) { return (uint64_t)(lines - 1) * stride + sizeof(void *); }

void *chase_ring(struct bench_run *run, size_t lines, size_t stride)
{
    size_t bytes = (size_t)chase_bytes(lines, stride);
    uint8_t *base = arena_alloc(run->arena, bytes, 4096);
    if (!base)
        snprintf(run->error, sizeof run->error,
                 "%u lines, %u bytes apart, do not fit into the %u free bytes of memory", (unsigned)lines,
                 (unsigned)stride, (unsigned)arena_left(run->arena));
    for (size_t i = 0; base && i < lines; i++)
        *(void **)(base + i * stride) = base + (i + 1) % lines * stride;
    return base;
}

size_t sprunt_lines(const struct cache_info *caches)
{
    const struct cache *l1 = cache_data(caches, 1);
    size_t lines = 8;
    while (l1 && l1->ways <= 64 && lines < 2 * l1->ways) lines *= 2;
    return lines;
}

size_t sprunt_stride(const struct cache_info *caches)
{
    const struct cache *l1 = cache_data(caches, 1);
    const size_t way = l1 && l1->ways ? l1->bytes / l1->ways : 0;
    return way > SPRUNT_STRIDE ? way : SPRUNT_STRIDE;
}

static uint64_t memory(const int64_t *param, const struct cache_info *caches)
{
    (void)caches;
    return chase_bytes((size_t)param[LINES], (size_t)param[STRIDE]);
}

static bool prepare(struct bench_run *run)
{
    void *base = chase_ring(run, (size_t)run->param[LINES], (size_t)run->param[STRIDE]);
    *(struct chase *)run->arg = (struct chase){base, (uint32_t)(run->param[N] / UNROLL)};
    run->ops = (double)run->param[N];
    return base != NULL;
}

BENCHMARK(stride_thrash) = {
    .program = {.name = "stride_thrash",
                .desc = "pointer chase over lines that share a cache set",
                .payload = chase_loads,
                .prepare = prepare},
    .op = "load",
    .cost =
        "L1 latency up to as many lines as the set has ways (4 on a Pentium 4, 8 on most), L2 latency beyond",
    .main_job = true,
    BENCH_PARAM_LIST([LINES] = {"lines", "lines",
                                "lines in the chase; a range such as 1..12 gives a result for each", 1, 4096,
                                1, 8, true},
                     [STRIDE] = {"stride", "bytes", "distance from one line to the next", 16, 1 << 24, 16,
                                 8192, false},
                     [N] = {"n", "loads", "loads in one repetition", UNROLL, 1000000, UNROLL, 1000, false}),
    .memory = memory,
};
