/* Where samples of an event fall: B. Sprunt, IEEE Micro 22(4), 2002, figure 5. One load that always misses L1
 * stands between long blocks of loads that always hit. */
#include "bench/chase.h"
#include "bench/experiment.h"
#include "pmu/pmu.h"

#define BEFORE  64 /* loads that hit */
#define BEHIND  160
#define PERIOD  99
#define ROUND   (BEFORE + 1 + BEHIND + 2) /* instructions; a prime number */
#define OPS     8000                      /* samples of all ops: 35 of them are misses */
#define ABOVE   8                         /* cycles: an L1 hit takes fewer, an L2 hit more */
#define STR_(x) #x
#define STR(x)  STR_(x)

enum { N };

struct walk {
    void *start;
    const void *hit;
    uintptr_t n;
};

extern const char pebs_vs_iebs_load[];

PAYLOAD static void walk_loads(void *arg)
{
    const struct walk *w = arg;
    void *p = w->start;
    uintptr_t n = w->n;
    uint32_t sink;
    __asm__ volatile("1:\n\t"
                     ".rept " STR(BEFORE) "\n\t"
                                          "movl (%3), %2\n\t"
                                          ".endr\n\t"
                                          ".globl pebs_vs_iebs_load\n"
                                          "pebs_vs_iebs_load:\n\t"
                                          "mov (%0), %0\n\t"
                                          ".rept " STR(BEHIND) "\n\t"
                                                               "movl (%3), %2\n\t"
                                                               ".endr\n\t"
                                                               "dec %1\n\t"
                                                               "jnz 1b"
                     : "+a"(p), "+c"(n), "=&d"(sink)
                     : "b"(w->hit)
                     : "cc", "memory");
}

/* The line that hits lies in another set than the lines that miss. */
static bool prepare(struct bench_run *run)
{
    void *start = chase_ring(run, sprunt_lines(run->caches), sprunt_stride(run->caches));
    *(struct walk *)run->arg = (struct walk){start, (const uint8_t *)start + 256, (uintptr_t)run->param[N]};
    run->ops = (double)run->param[N];
    return start != NULL;
}

static uint64_t memory(const int64_t *param, const struct cache_info *caches)
{
    (void)param;
    return chase_bytes(sprunt_lines(caches), sprunt_stride(caches));
}

static uint32_t period(const int64_t *param)
{
    (void)param;
    return PERIOD;
}

/* Two more than a multiple of the round, which would always meet the same instruction: each sample is two
 * instructions further on. */
static uint32_t period_of_instructions(const int64_t *param)
{
    (void)param;
    return PERIOD * ROUND + 2;
}

static uint32_t ops(const int64_t *param) { return period_of_ops(param[N] * ROUND / OPS); }

#define LATE                                                                        \
    "the delay belongs to the processor; on the model it is a setting (--skid, by " \
    "default 1) and not a finding"

static const struct bench_figure figures[] = {
    {"PEBS at +0", "%", 100, WAY_PEBS, FIGURE_SHARE, 0, 0},
    {"PMI at +0", "%", 0, WAY_PMI, FIGURE_SHARE, 0, 0},
    {"nearest sample by PMI", "instructions", 65, WAY_PMI, FIGURE_NEAREST, 0, LATE},
    {"PMI at +69", "%", 46.5f, WAY_PMI, FIGURE_SHARE, 69, LATE},
    {"PREC_DIST at +0", "%", NO_FIGURE, WAY_PREC_DIST, FIGURE_SHARE, 0,
     "the load is one of a round's 227 instructions: 0.44 %"},
    {"instructions by PREC_DIST", "instructions", NO_FIGURE, WAY_PREC_DIST, FIGURE_INSTRUCTIONS, 0, 0},
    {"L1 misses by IBS at +0", "%", NO_FIGURE, WAY_IBS, FIGURE_MISSES, 0, 0},
    {"instructions by IBS", "instructions", NO_FIGURE, WAY_IBS, FIGURE_INSTRUCTIONS, 0, 0},
    {0},
};

static const struct bench_way ways[] = {
    {WAY_PMI, SAMPLE_BY_PMI, 0, CLASS_NETBURST, 0, "1stl_cache_load_miss_retired:u", 0},
    {WAY_PMI, SAMPLE_BY_PMI, 0, CLASS_P6, 0, "dcu_lines_in:u", 0},
    {WAY_PMI, SAMPLE_BY_PMI, 0, CLASS_NOW, 0, "L1-dcache-load-misses:u", 0},
    {WAY_PEBS, SAMPLE_BY_PEBS, 0, CLASS_NETBURST, 0, "1stl_cache_load_miss_retired:u", 0},
    {WAY_PEBS, SAMPLE_BY_PEBS, 0, CLASS_P6, 0, "dcu_lines_in:u", 0}, /* is refused */
    {WAY_PEBS, SAMPLE_BY_PEBS, 0, CLASS_CORE2, 0, "mem_load_retired:l1d_miss:u", 0},
    {WAY_PEBS, SAMPLE_BY_PEBS, 0, CLASS_LAKE, 0, "mem_load_retired:l1_miss:u", 0},
    {WAY_PEBS, SAMPLE_BY_PEBS, ABOVE, CLASS_BRIDGE, 0, "r01cd:u", period_automatic}, /* to Broadwell */
    /* Goldmont has the first, Nehalem the second. */
    {WAY_PEBS, SAMPLE_BY_PEBS, 0, CLASS_ARCH, CLASS_BRIDGE, "mem_load_uops_retired:l1_miss:u", 0},
    {WAY_PEBS, SAMPLE_BY_PEBS, 0, CLASS_ARCH, CLASS_BRIDGE, "mem_load_retired:l2_hit:u", 0},
    {WAY_PREC_DIST, SAMPLE_BY_PEBS, 0, CLASS_BRIDGE, 0, "inst_retired:prec_dist:u", period_of_instructions},
    {WAY_IBS, SAMPLE_BY_IBS, 0, 0, 0, NULL, ops},
    {0},
};

static const struct bench_sampling sampling = {.way = ways, .period = period, .figure = figures};

BENCHMARK(pebs_vs_iebs) = {
    .program = {.name = "pebs_vs_iebs",
                .desc = "a load that misses L1 amid loads that hit, sampled by interrupt, PEBS and IBS: "
                        "Sprunt's figure 5",
                .payload = walk_loads,
                .prepare = prepare},
    .op = "miss",
    .cost = "PEBS finds the load; interrupts come tens of instructions late",
    .target = pebs_vs_iebs_load,
    .sampling = &sampling,
    BENCH_PARAM_LIST([N] = {"n", "misses", "rounds; " STR(PERIOD) " for each sample", PERIOD, 100000000, 1,
                            800 * PERIOD, false}),
    .memory = memory,
};
