/* What the registers of a sample of IBS mean. */
#include "pmu/ibs.h"

#define BITS(value, from, n) ((uint32_t)((value) >> (from)) & ((1u << (n)) - 1))

/* Data sources: DATA2 bits 2:0, from Zen 4 on 7:6 above these (Linux' g_data_src and g_zen4_data_src;
 * amd-sample-raw.c; those before Zen are from AMD's Research IBS toolkit). node: DATA2's bit 4, "remote",
 * makes another one of it. state: bit 5 says whether the line was modified. */
struct source {
    uint8_t level, remote;
    bool state;
};
static const struct source before_zen4[8] = {
    [1] = {LEVEL_L3, LEVEL_L3, false},
    [2] = {LEVEL_OTHER_CACHE, LEVEL_REMOTE_CACHE, true},
    [3] = {LEVEL_MEMORY, LEVEL_REMOTE_MEMORY, false},
    [4] = {LEVEL_REMOTE_CACHE, LEVEL_REMOTE_CACHE, false},
    [7] = {LEVEL_IO, LEVEL_IO, false},
};
static const struct source since_zen4[32] = {
    [1] = {LEVEL_L3, LEVEL_L3, true},
    [2] = {LEVEL_OTHER_CACHE, LEVEL_OTHER_CACHE, true},
    [3] = {LEVEL_MEMORY, LEVEL_REMOTE_MEMORY, false},
    [5] = {LEVEL_REMOTE_CACHE, LEVEL_REMOTE_CACHE, true},
    [6] = {LEVEL_MEMORY, LEVEL_REMOTE_MEMORY, false},
    [7] = {LEVEL_IO, LEVEL_IO, false},
    [8] = {LEVEL_MEMORY, LEVEL_REMOTE_MEMORY, false},
    [12] = {LEVEL_REMOTE_MEMORY, LEVEL_REMOTE_MEMORY, false},
};

/* Bits of DATA3 and DATA1 that are traits by themselves. */
static const struct {
    uint32_t bit;
    uint16_t trait;
} of_data3[] = {{IBS_LOAD, SAMPLE_LOAD},
                {IBS_STORE, SAMPLE_STORE},
                {IBS_LOCKED, SAMPLE_LOCKED},
                {IBS_MISALIGNED, SAMPLE_MISALIGNED},
                {IBS_PREFETCH, SAMPLE_PREFETCH}};

static uint8_t tlb(bool missed_l1, bool missed_l2)
{
    return !missed_l1 ? TLB_L1 : !missed_l2 ? TLB_L2 : TLB_WALK;
}

static bool source_holds(const struct ibs *ibs, uint32_t data3)
{
    if (!(data3 & IBS_LOAD)) return false;
    if (ibs->quirks & IBS_PREFETCH_BAD && data3 & (IBS_PREFETCH | IBS_NO_MAB)) return false;
    return !(ibs->quirks & IBS_COMBINING_BAD && data3 & IBS_WRITE_COMB);
}

static uint8_t source_level(const struct ibs *ibs, uint64_t data2, uint16_t *traits)
{
    const bool zen4 = ibs->caps & IBS_CAPS_ZEN4;
    const unsigned number = BITS(data2, 0, 3) | (zen4 ? BITS(data2, 6, 2) << 3 : 0);
    const struct source *s = zen4 ? &since_zen4[number] : &before_zen4[number];
    const bool remote = BITS(data2, 4, 1) && !(ibs->quirks & IBS_NO_NODE);
    if (s->state && !BITS(data2, 5, 1) && !(ibs->quirks & IBS_NO_STATE)) *traits |= SAMPLE_WAS_MODIFIED;
    /* On Zen to Zen 3 one number stands for the L3 and for what is found through it. */
    if (number == 2 && ibs->quirks & IBS_LOCAL_L3 && !remote) return LEVEL_L3;
    return remote ? s->remote : s->level;
}

/* As Linux' perf_ibs_get_mem_lvl(). Where DATA3 has no L2Miss, a miss that never asked the northbridge (DATA2
 * has no source) and found no line on its way was answered by the L2. */
static uint8_t op_level(const struct ibs *ibs, uint32_t data3, uint64_t data2, uint16_t *traits)
{
    const bool holds = source_holds(ibs, data3), blind = ibs->quirks & IBS_NO_L2_MISS;
    const bool bad = ibs->quirks & IBS_PREFETCH_BAD && data3 & (IBS_PREFETCH | IBS_NO_MAB);
    uint16_t more = 0;
    const uint8_t level = holds ? source_level(ibs, data2, &more) : LEVEL_UNKNOWN;
    if (data3 & IBS_UNCACHED) return level == LEVEL_IO ? LEVEL_IO : LEVEL_UNCACHED;
    if (!(data3 & IBS_DC_MISS)) return LEVEL_L1;
    if (!blind && !bad && !(data3 & IBS_L2_MISS)) return LEVEL_L2;
    *traits |= level ? more : 0;
    if (level) return level;
    if (data3 & IBS_NO_MAB) return LEVEL_FILL_BUFFER;
    return blind && holds ? LEVEL_L2 : LEVEL_UNKNOWN;
}

static void decode_access(const struct ibs *ibs, struct sample *s, uint64_t data3, uint64_t data2)
{
    const uint32_t low = (uint32_t)data3;
    s->level = op_level(ibs, low, data2, &s->traits);
    if (s->level) s->valid |= SAMPLE_LEVEL;
    if (low & IBS_LINEAR) {
        s->valid |= SAMPLE_DATA | SAMPLE_TLB;
        s->tlb = tlb(low & IBS_TLB1_MISS, low & IBS_TLB2_MISS);
    }
    if (low & IBS_PHYSICAL) s->valid |= SAMPLE_PHYSICAL;
    /* "Not valid for data cache writes or prefetch instructions" */
    if (low & IBS_LOAD && low & IBS_DC_MISS && !(low & (IBS_PREFETCH | IBS_UNCACHED))) {
        s->valid |= SAMPLE_LATENCY;
        s->latency = BITS(data3, 32, 16);
    }
}

static bool decode_op(const struct ibs *ibs, struct sample *s, uint64_t data1, uint64_t data2, uint64_t data3)
{
    if (ibs->caps & IBS_CAPS_RIP_INVALID && data1 & IBS_RIP_INVALID) return false;
    s->valid |= SAMPLE_RETIRE;
    s->retire = BITS(data1, 16, 16);
    s->completion = BITS(data1, 0, 16);
    for (unsigned i = 0; i < sizeof of_data3 / sizeof of_data3[0]; i++)
        if (data3 & of_data3[i].bit) s->traits |= of_data3[i].trait;
    if (data3 & (IBS_LOAD | IBS_STORE)) decode_access(ibs, s, data3, data2);
    if (data1 & IBS_BRANCH) {
        s->valid |= SAMPLE_OUTCOME | (ibs->branch ? SAMPLE_TARGET : 0);
        s->traits |= (data1 & IBS_TAKEN ? SAMPLE_TAKEN : 0) |
                     (data1 & IBS_MISPREDICT ? SAMPLE_MISPREDICTED : SAMPLE_PREDICTED);
    }
    return true;
}

/* The L3's bit came with Zen 4. What missed the L3 too came from memory or from another L3: it is not said.
 */
static uint8_t fetch_level(const struct ibs *ibs, uint64_t control)
{
    if (ibs->quirks & IBS_NO_IC_MISS || !(control & IBS_FETCH_DONE)) return LEVEL_UNKNOWN;
    if (!(control & IBS_FETCH_IC_MISS)) return LEVEL_L1;
    if (ibs->quirks & IBS_NO_FETCH_L2) return LEVEL_UNKNOWN;
    if (!(control & IBS_FETCH_L2_MISS)) return LEVEL_L2;
    if (!(ibs->caps & IBS_CAPS_ZEN4)) return LEVEL_UNKNOWN;
    return control & IBS_FETCH_L3_MISS ? LEVEL_MEMORY : LEVEL_L3;
}

static bool decode_fetch(const struct ibs *ibs, struct sample *s, uint64_t control)
{
    if (ibs->quirks & IBS_ZERO_RIP && s->ip == 0) return false;
    s->valid |= SAMPLE_LATENCY;
    s->latency = BITS(control, 32, 16);
    if (!(control & IBS_FETCH_DONE)) s->traits |= SAMPLE_ABANDONED;
    s->level = fetch_level(ibs, control);
    if (s->level) s->valid |= SAMPLE_LEVEL;
    if (!(control & IBS_FETCH_PHYS)) return true;
    s->valid |= SAMPLE_PHYSICAL | SAMPLE_TLB;
    s->tlb = tlb(control & IBS_FETCH_TLB1, control & IBS_FETCH_TLB2);
    return true;
}

/* The hardware's filter knows steps of 128 cycles, and lets others through (Linux, perf_ibs_handle_irq()). */
static bool is_asked_for(const struct ibs *ibs, const struct sample *s)
{
    return !ibs->asked.latency || (s->valid & SAMPLE_LATENCY && s->latency >= ibs->asked.latency);
}

bool ibs_decode(const struct ibs *ibs, struct sample *s)
{
    const uint64_t control = s->reg[0], data1 = s->reg[1], data2 = s->reg[2], data3 = s->reg[3];
    for (unsigned i = 0; i < 4; i++) s->reg[i] = 0;
    s->latency = s->cache_latency = s->retire = s->completion = 0;
    s->traits = s->level = s->tlb = 0;
    if (!(ibs->asked.fetch ? decode_fetch(ibs, s, control) : decode_op(ibs, s, data1, data2, data3)))
        return false;
    s->valid &= ~ibs->unknown;
    s->traits &= (uint16_t)~ibs->unknown_traits;
    if (!(s->valid & SAMPLE_TLB)) s->tlb = TLB_UNKNOWN;
    if (!(s->valid & SAMPLE_DATA)) s->data = 0;
    if (!(s->valid & SAMPLE_PHYSICAL)) s->physical = 0;
    if (!(s->valid & SAMPLE_TARGET)) s->target = 0;
    return is_asked_for(ibs, s);
}
