/* A steady stream of independent loads that all miss L1 and hit the next level.
 *
 * The sweep takes one line at a time, and each load is on another page than the previous one: hardware
 * prefetchers do not cross pages, so the lines are not fetched ahead. One page plus one line separates
 * neighbours, which spreads them over all sets. The sweep returns to a line after all others, long after L1
 * has replaced it.
 */
#include "bench/bench.h"
#include <stdio.h>

#define PAGE     4096u
#define LINE_MAX 256u /* bytes */

enum { BYTES, SWEEPS };

struct sweep {
    const uint8_t *base;
    uint32_t stride;  /* bytes between loads: a page and a line */
    uint32_t quads;   /* groups of four loads in a column */
    uint32_t line;    /* bytes */
    uint32_t columns; /* lines in a page */
    uint32_t sweeps;
};

/* Pointers are advanced, not computed by a multiplication, and parameters stay in registers: on a Pentium the
 * bookkeeping of a column would otherwise cost as much as some of its loads. */
PAYLOAD static void sweep_loads(void *arg)
{
    const struct sweep *s = arg;
    const uintptr_t stride = s->stride, line = s->line, stride3 = 3 * stride;
    const uint32_t quads = s->quads;
    const uint8_t *const end = s->base + s->columns * s->line;
    for (uint32_t k = s->sweeps; k; k--)
        for (const uint8_t *column = s->base; column != end; column += line) {
            const uint8_t *p = column;
            uint32_t n = quads, sink;
            __asm__ volatile("1:\n\t"
                             "movl (%0), %2\n\t"
                             "movl (%0,%3), %2\n\t"
                             "movl (%0,%3,2), %2\n\t"
                             "movl (%0,%4), %2\n\t"
                             "lea (%0,%3,4), %0\n\t"
                             "decl %1\n\t"
                             "jnz 1b"
                             : "+r"(p), "+r"(n), "=&r"(sink)
                             : "r"(stride), "r"(stride3)
                             : "cc", "memory");
        }
}

/* Four times L1, but not more than half of the next level, where that is known: a sweep of this size misses
 * L1 under any replacement policy near LRU. */
static bool choose_bytes(struct bench_run *run)
{
    const struct cache *l1 = cache_data(run->caches, 1), *l2 = cache_data(run->caches, 2);
    if (!l1) {
        snprintf(run->error, sizeof run->error, "the CPU does not report its cache geometry; give bytes=");
        return false;
    }
    uint32_t bytes = 4 * l1->bytes;
    if (l2 && bytes > l2->bytes / 2) bytes = l2->bytes / 2;
    run->param[BYTES] = (bytes + 4 * PAGE - 1) / (4 * PAGE) * (4 * PAGE);
    if (l2 && run->param[BYTES] <= l1->bytes) {
        snprintf(run->error, sizeof run->error,
                 "L2 (%u bytes) is too small for L1 (%u bytes); give bytes=", (unsigned)l2->bytes,
                 (unsigned)l1->bytes);
        return false;
    }
    return true;
}

static uint32_t line_size(const struct cache_info *caches)
{
    const struct cache *l1 = cache_data(caches, 1);
    return l1 && l1->line >= 16 && l1->line <= LINE_MAX ? l1->line : 32;
}

/* The sweep skips one line in each stride. */
static uint64_t span_of(uint64_t bytes, uint32_t line) { return bytes / PAGE * (PAGE + line); }

static uint64_t memory(const int64_t *param, const struct cache_info *caches)
{
    return span_of((uint64_t)param[BYTES], line_size(caches));
}

static bool prepare(struct bench_run *run)
{
    if (run->param[BYTES] == PARAM_AUTO && !choose_bytes(run)) return false;
    uint32_t line = line_size(run->caches);
    uint32_t pages = (uint32_t)(run->param[BYTES] / PAGE);
    size_t span = (size_t)span_of((uint64_t)run->param[BYTES], line);
    uint8_t *base = arena_alloc(run->arena, span, PAGE);
    if (!base) {
        snprintf(run->error, sizeof run->error,
                 "bytes=%lld needs %llu bytes of memory, but only %llu are free",
                 (long long)run->param[BYTES], (unsigned long long)span,
                 (unsigned long long)arena_left(run->arena));
        return false;
    }
    for (size_t i = 0; i < span; i += line) *(volatile uint8_t *)(base + i) = 0;
    struct sweep *s = run->arg;
    *s = (struct sweep){base, PAGE + line, pages / 4, line, PAGE / line, (uint32_t)run->param[SWEEPS]};
    run->ops = (double)pages * s->columns * s->sweeps;
    return true;
}

BENCHMARK(l1_miss) = {
    .program = {.name = "l1_miss",
                .desc = "independent loads that all miss L1 and hit the next level",
                .payload = sweep_loads,
                .prepare = prepare},
    .op = "load",
    .cost = "the throughput of the next level, which is below its latency: 1.3 core cycles on Golden Cove, "
            "10 and "
            "more on others",
    .main_job = true,
    BENCH_PARAM_LIST([BYTES] = {"bytes", "bytes", "working set; by default four times L1, at most half of L2",
                                4 * PAGE, 1ll << 30, 4 * PAGE, PARAM_AUTO, false},
                     [SWEEPS] = {"sweeps", "sweeps", "times through the working set in one repetition", 1,
                                 10000, 1, 4, false}),
    .memory = memory,
};
