/* IBS: what a processor has of it, arming, and what its handler reads. */
#include "pmu/ibs.h"
#include "kernel/hw.h"
#include "pmu/driver.h"
#include "pmu/ibs_take.h"

#define FETCH_LEAST 0x10u /* Linux' min_period */
#define OP_LEAST    0x90u
#define SHORT_MOST  0xffff0u
#define LONG_MOST   0x7fffff0u

#define LAT_LEAST      128u
#define OP_LAT_MOST    2048u
#define FETCH_LAT_MOST 1920u

/* Models from the first to the last of a family. Numbers are those of AMD's revision guides. */
static const struct {
    uint8_t family, from, to;
    uint16_t quirks;
} rows[] = {
    /* 420: "IBS may generate an interrupt that cannot be cleared" (order 41322; perf_ibs_disable_event()). */
    {0x10, 0x00, 0xff, IBS_CLEAR_COUNT_FIRST | IBS_NO_L2_MISS | IBS_NO_FETCH_L2},
    {0x12, 0x00, 0xff, IBS_NO_L2_MISS | IBS_NO_FETCH_L2},
    /* 484: DATA2 of write-combining memory. That bits 4 and 5 are not there: AMD's IBS toolkit,
       ibs-msr-index.h. */
    {0x14, 0x00, 0xff, IBS_NO_L2_MISS | IBS_NO_FETCH_L2 | IBS_COMBINING_BAD | IBS_NO_STATE | IBS_NO_NODE},
    /* 718: the toolkit clears DATA3 before each sample. */
    {0x15, 0x00, 0x1f, IBS_NO_L2_MISS | IBS_NO_FETCH_L2 | IBS_CLEAR_DATA3},
    {0x15, 0x20, 0x2f, IBS_NO_L2_MISS | IBS_NO_FETCH_L2},
    {0x15, 0x30, 0x5f, IBS_NO_FETCH_L2},
    /* perf_ibs_fetch_init(): "some chips fail to reset the fetch count when it is written". */
    {0x16, 0x00, 0xff, IBS_NEW_EDGE | IBS_NO_FETCH_L2 | IBS_NO_STATE | IBS_NO_NODE},
    {0x17, 0x00, 0xff, IBS_NEW_EDGE | IBS_LOCAL_L3},
    {0x18, 0x00, 0xff, IBS_NEW_EDGE | IBS_LOCAL_L3},
    /* 1197: fetches at 0; 1238: IcMiss; 1293: prefetches (order 56683; ibs.c, tools' amd-sample-raw.c). State
     * of the line: perf_ibs_cache_hit_st_valid(). */
    {0x19, 0x00, 0x0f, IBS_LOCAL_L3 | IBS_ZERO_RIP | IBS_NO_IC_MISS | IBS_PREFETCH_BAD | IBS_NO_STATE},
    {0x19, 0x20, 0x5f, IBS_LOCAL_L3 | IBS_NO_STATE},
    /* Zen 5, by the models of pmu/amd.c (perf_ibs_init()). */
    {0x1a, 0x00, 0x4f, IBS_LAT_NEEDS_L3},
    {0x1a, 0x60, 0x7f, IBS_LAT_NEEDS_L3},
};

static uint32_t quirks_of(const struct cpu_id *id)
{
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].family == id->family && rows[i].from <= id->model && id->model <= rows[i].to)
            return rows[i].quirks;
    return 0;
}

uint32_t ibs_caps(const struct cpu_id *id)
{
    if (!cpu_is_amd(id) || !(id->x1_ecx & CPUID_X1_ECX_IBS)) return 0;
    return id->x1b_eax & IBS_CAPS_VALID ? id->x1b_eax : IBS_CAPS_VALID | IBS_CAPS_FETCH | IBS_CAPS_OP;
}

/* What is asked for, the capability that it needs, and what can be done without. */
static const struct {
    uint32_t caps;
    const char *what, *instead;
} needs[] = {
    {IBS_CAPS_FETCH, "fetches", "sample=ibs"},
    {IBS_CAPS_OP, "ops", "sample=ibs-fetch"},
    {IBS_CAPS_OP_COUNT, "count of ops", "sample=ibs ibs=cycles"},
    {IBS_CAPS_ZEN4, "L3 filter", "no l3miss"},
    {IBS_CAPS_LATENCY, "latency filter", "no latency="},
    {IBS_CAPS_FETCH_LAT, "latency filter", "no latency="},
};

static bool possible(const struct ibs *ibs, const char *name, char *why, size_t cap)
{
    const struct ibs_asked *asked = &ibs->asked;
    const unsigned most = asked->fetch ? FETCH_LAT_MOST : OP_LAT_MOST;
    const uint32_t needed = (asked->fetch    ? IBS_CAPS_FETCH
                             : asked->cycles ? IBS_CAPS_OP
                                             : IBS_CAPS_OP | IBS_CAPS_OP_COUNT) |
                            (asked->l3miss ? IBS_CAPS_ZEN4 : 0) |
                            (!asked->latency ? 0
                             : asked->fetch  ? IBS_CAPS_FETCH_LAT
                                             : IBS_CAPS_LATENCY);
    for (unsigned i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (needed & ~ibs->caps & needs[i].caps)
            return pmu_refuse(why, cap, "IBS of this CPU (%s) has no %s; use %s", name, needs[i].what,
                              needs[i].instead);
    if (asked->latency && (asked->latency < LAT_LEAST || asked->latency > most))
        return pmu_refuse(why, cap, "latency= takes %u to %u cycles here", LAT_LEAST, most);
    return true;
}

/* What is the same in every period. */
static void control_of(struct ibs *ibs)
{
    const struct ibs_asked *asked = &ibs->asked;
    const bool l3 = asked->l3miss || (asked->latency && ibs->quirks & IBS_LAT_NEEDS_L3);
    const uint64_t lat = asked->latency / IBS_OP_LAT_STEP;
    if (asked->fetch) {
        ibs->again = IBS_FETCH_EN | IBS_FETCH_RAND | (asked->l3miss ? IBS_FETCH_L3_ONLY : 0);
        ibs->filter = IBS_FETCH_LAT(lat);
        return;
    }
    ibs->again = IBS_OP_EN | (asked->cycles ? 0 : IBS_OP_OPS) | (l3 ? IBS_OP_L3_ONLY : 0) |
                 (lat ? IBS_OP_LAT(lat) | IBS_OP_LAT_EN : 0);
    /* Counting ops, the processor preloads them when it takes the sample (perf_ibs_handle_irq()). */
    if (!asked->cycles && ibs->caps & IBS_CAPS_READ_COUNT) ibs->keep = (uint32_t)(IBS_OP_RANDOM >> 32);
}

/* The second control register, and what is written before the first one enables it (struct ibs). The three
 * cases are those of different families. */
static void registers_of(struct ibs *ibs)
{
    const bool fetch = ibs->asked.fetch, disable = ibs->caps & IBS_CAPS_DISABLE;
    if (disable || (fetch && ibs->caps & IBS_CAPS_FETCH_LAT))
        ibs->second = fetch ? MSR_IBS_FETCH_CTL2 : MSR_IBS_OP_CTL2;
    if (disable) {
        ibs->before = ibs->second;
        ibs->before_set = IBS_DISABLE;
    } else if (fetch && ibs->quirks & IBS_NEW_EDGE) {
        ibs->before = MSR_IBS_FETCH_CTL;
        ibs->before_mask = ~IBS_FETCH_EN;
    } else if (!fetch && ibs->quirks & IBS_CLEAR_DATA3) {
        ibs->before = MSR_IBS_OP_DATA3;
    }
    ibs->special = ibs->before || ibs->second;
}

bool ibs_init(struct ibs *ibs, const struct cpu_id *id, const struct ibs_asked *asked, const char *name,
              char *why, size_t cap)
{
    uint64_t value;
    *ibs = (struct ibs){.asked = *asked, .caps = ibs_caps(id), .quirks = quirks_of(id)};
    if (!asked->ops && !(ibs->caps & IBS_CAPS_OP_COUNT)) ibs->asked.cycles = true;
    if (!ibs->caps)
        return pmu_refuse(why, cap, "this CPU (%s) has no Instruction-Based Sampling; use sample=pmi", name);
    if (!possible(ibs, name, why, cap)) return false;
    const uint32_t control = asked->fetch ? MSR_IBS_FETCH_CTL : MSR_IBS_OP_CTL;
    ibs->val = asked->fetch ? IBS_FETCH_VAL : IBS_OP_VAL;
    ibs->least = asked->fetch ? FETCH_LEAST : OP_LEAST;
    ibs->most = !asked->fetch && ibs->caps & IBS_CAPS_LONG_COUNT ? LONG_MOST : SHORT_MOST;
    ibs->max = IBS_MAX | (asked->fetch ? 0 : IBS_OP_MAX_LONG);
    if (ibs->caps & IBS_CAPS_TARGET) ibs->branch = (uint32_t)(IBS_BRANCH >> 32);
    control_of(ibs);
    registers_of(ibs);
    /* Hypervisors show CPUID's bit and lack the registers, or lose what is written. */
    if (!rdmsr_safe(control, &ibs->found) || (ibs->second && !rdmsr_safe(ibs->second, &ibs->second_found)) ||
        !wrmsr_safe(control, ibs->least / 16) || !rdmsr_safe(control, &value) ||
        (value & IBS_MAX) != ibs->least / 16)
        return pmu_refuse(why, cap,
                          "CPUID reports IBS (%s), but its registers do not work here; use sample=pmi", name);
    ibs->control = control;
    ibs_stop(ibs);
    return true;
}

static bool is_prime(uint32_t n)
{
    for (uint32_t d = 2; d * d <= n; d++)
        if (n % d == 0) return false;
    return n > 1;
}

uint32_t ibs_period_near(const struct ibs *ibs, uint32_t n)
{
    const uint32_t least = ibs->least / 16, most = ibs->most / 16;
    uint32_t p = n / 16 < least ? least : n / 16 > most ? most : n / 16;
    while (p < most && !is_prime(p)) p++;
    while (!is_prime(p)) p--;
    return 16 * (p > least ? p : least);
}

static uint64_t max_count(const struct ibs *ibs, uint32_t period)
{
    return ibs->asked.fetch ? period / 16 : period / 16 % 0x10000 | (period & IBS_OP_MAX_LONG);
}

void ibs_arm(struct ibs *ibs, uint32_t first, uint32_t period)
{
    const uint64_t same = ibs->again & ~ibs->max;
    const bool begun = !ibs->asked.fetch && ibs->caps & IBS_CAPS_READ_COUNT;
    const uint64_t before =
        begun ? -first % 16 : 0; /* of the count: what first has less than a multiple of 16 */
    first = (first + 15) / 16 * 16;
    if (first < ibs->least) first = ibs->least;
    if (first > period) first = period;
    ibs->first = same | before << 32 | max_count(ibs, first);
    ibs->again = same | max_count(ibs, period);
}

void ibs_start(const struct ibs *ibs)
{
    ibs_control(ibs, ibs->asked.fetch, ibs->special, (uint32_t)ibs->first, (uint32_t)(ibs->first >> 32));
}

bool ibs_stop(const struct ibs *ibs)
{
    const bool had = hw_rdmsr(ibs->control) & ibs->val;
    if (ibs->caps & IBS_CAPS_DISABLE) hw_wrmsr(ibs->second, IBS_DISABLE);
    if (ibs->quirks & IBS_CLEAR_COUNT_FIRST) hw_wrmsr(ibs->control, ibs->again & ~ibs->max);
    hw_wrmsr(ibs->control, 0);
    return had;
}

void ibs_release(const struct ibs *ibs)
{
    if (!ibs->control) return;
    ibs_stop(ibs);
    hw_wrmsr(ibs->control, ibs->found);
    if (ibs->second) hw_wrmsr(ibs->second, ibs->second_found);
}
