/* The events of AMD's processors, and the translation of a PERF_CTL into the tallies that its counter adds.
 */
#include "sim/amd.h"
#include <string.h>

/* clang-format off */

/* For the oracle, and by code for the counters. Names are libpfm's, with its unit masks behind a colon. Rows without
 * terms are not modelled. Of an event with unit masks each row is one of them, or several that can only be claimed
 * together (these first); a mask is made of rows. */
enum { OLD = AMD_K8 | AMD_10H | AMD_15H, K10 = AMD_K8 | AMD_10H, ZENS = AMD_ZEN | AMD_ZEN4 };
/* Linux, amd_get_event_constraints_f15h: what the module's shared parts count is for counters 0 to 2. */
enum { CTR_0_2 = 7 };
#define ON(models, event, umask, name, ...) {name, AMD_CODE(event, umask), {__VA_ARGS__}, 0, models}
/* The same on all counters of K8 and 10h and on three of 15h. */
#define SHARED(event, umask, name, ...) \
    {name, AMD_CODE(event, umask), {__VA_ARGS__}, 0, K10}, \
    {name, AMD_CODE(event, umask), {__VA_ARGS__}, CTR_0_2, AMD_15H}
/* Zen 4's fills from caches of other complexes, other nodes and extension memory. */
#define FROM_OTHERS(event, name) \
    ON(AMD_ZEN4, event, 0x04, name ":NEAR_CACHE_NEAR_FAR", AMD_NEVER), \
    ON(AMD_ZEN4, event, 0x10, name ":FAR_CACHE_NEAR_FAR", AMD_NEVER), \
    ON(AMD_ZEN4, event, 0x40, name ":DRAM_IO_FAR", AMD_NEVER), \
    ON(AMD_ZEN4, event, 0x80, name ":ALT_MEM_NEAR_FAR", AMD_NEVER)
#define UNMODELLED 0
#define DC_SYSTEM AMD_DC_LOAD_SYSTEM, AMD_DC_STORE_SYSTEM, AMD_DC_PREFETCH_SYSTEM
#define ANY_DC_MISS AMD_DC_LOAD_L2, AMD_DC_STORE_L2, AMD_DC_PREFETCH_L2, DC_SYSTEM
#define ANY_IC_MISS AMD_IC_L2, AMD_IC_SYSTEM

const struct sim_event amd_events[AMD_EVENTS] = {
    ON(OLD, 0x24, 0x01, "LOCKED_OPS:EXECUTED", AMD_LOCKED),
    ON(OLD, 0x20, 0x7f, "SEGMENT_REGISTER_LOADS:ALL", AMD_SEGMENT),
    ON(AMD_ZEN, 0x25, 0x01, "LOCKS:BUS_LOCK", AMD_BUS_LOCK),
    ON(AMD_ZEN4, 0x25, 0x01, "RETIRED_LOCK_INSTRUCTIONS:BUS_LOCK", AMD_BUS_LOCK),
    ON(OLD | AMD_ZEN4, 0x26, 0, "RETIRED_CLFLUSH_INSTRUCTIONS", AMD_CLFLUSH),
    ON(AMD_15H, 0x30, 0, "EXECUTED_CLFLUSH_INSTRUCTIONS", AMD_CLFLUSH),
    ON(OLD | ZENS, 0x4b, 0x01, "PREFETCH_INSTRUCTIONS_DISPATCHED:LOAD", AMD_PREFETCH),
    ON(OLD | ZENS, 0x4b, 0x02, "PREFETCH_INSTRUCTIONS_DISPATCHED:STORE", AMD_PREFETCH_W),
    ON(OLD | ZENS, 0x4b, 0x04, "PREFETCH_INSTRUCTIONS_DISPATCHED:NTA", AMD_PREFETCH_NTA),
    ON(K10, 0x4c, 0x02, "DCACHE_MISSES_BY_LOCKED_INSTRUCTIONS:DATA_CACHE_MISSES_BY_LOCKED_INSTRUCTIONS", AMD_DC_LOCKED_MISS),
    ON(AMD_10H | AMD_15H, 0x52, 0x01, "INEFFECTIVE_SW_PREFETCHES:SW_PREFETCH_HIT_IN_L1", AMD_PREFETCH_HIT),
    ON(AMD_10H | AMD_15H, 0x52, 0x08, "INEFFECTIVE_SW_PREFETCHES:SW_PREFETCH_HIT_IN_L2", AMD_DC_PREFETCH_L2),
    ON(ZENS, 0x52, 0x01, "INEFFECTIVE_SOFTWARE_PREFETCH:DATA_PIPE_SW_PF_DC_HIT", AMD_PREFETCH_HIT),
    ON(AMD_ZEN, 0x59, 0x5a, "SOFTWARE_PREFETCH_DATA_CACHE_FILLS:SYSTEM", AMD_DC_PREFETCH_SYSTEM),
    ON(AMD_ZEN, 0x59, 0x10, "SOFTWARE_PREFETCH_DATA_CACHE_FILLS:LS_MABRESP_LCL_RMT_CACHE", AMD_NEVER),
    ON(AMD_ZEN, 0x59, 0x40, "SOFTWARE_PREFETCH_DATA_CACHE_FILLS:LS_MABRESP_LCL_RMT_DRAM", AMD_NEVER),
    ON(AMD_ZEN4, 0x59, 0xde, "SOFTWARE_PREFETCH_DATA_CACHE_FILLS:BEYOND_L2", AMD_DC_PREFETCH_SYSTEM),
    FROM_OTHERS(0x59, "SOFTWARE_PREFETCH_DATA_CACHE_FILLS"),
    ON(ZENS, 0x59, 0x01, "SOFTWARE_PREFETCH_DATA_CACHE_FILLS:LCL_L2", AMD_DC_PREFETCH_L2),
    ON(AMD_10H, 0x8b, 0, "INSTRUCTION_CACHE_VICTIMS", AMD_IC_OUT),
    {"INSTRUCTION_CACHE_VICTIMS", AMD_CODE(0x8b, 0), {AMD_IC_OUT}, CTR_0_2, AMD_15H},
    ON(AMD_ZEN4, 0x2c, 0, "INTERRUPT_TAKEN", AMD_INTERRUPT),
    ON(OLD | ZENS, 0x40, 0, "DATA_CACHE_ACCESSES", AMD_DC_ACCESS),
    ON(K10, 0x41, 0, "DATA_CACHE_MISSES", ANY_DC_MISS),
    ON(AMD_15H, 0x41, 0x01, "DATA_CACHE_MISSES:DC_MISS_STREAMING_STORE", ANY_DC_MISS),
    ON(AMD_15H, 0x41, 0x02, "DATA_CACHE_MISSES:STREAMING_STORE", UNMODELLED),
    ON(AMD_ZEN, 0x41, 0, "MAB_ALLOCATION_BY_PIPE", UNMODELLED),
    ON(AMD_ZEN4, 0x41, 0x3f, "MAB_ALLOCATION_BY_TYPE:LS", ANY_DC_MISS),
    ON(AMD_ZEN4, 0x41, 0x40, "MAB_ALLOCATION_BY_TYPE:HW_PF", UNMODELLED),
    ON(K10, 0x42, 0x01, "DATA_CACHE_REFILLS:SYSTEM", DC_SYSTEM),
    ON(K10, 0x42, 0x02, "DATA_CACHE_REFILLS:L2_SHARED", AMD_DC_L2_S),
    ON(K10, 0x42, 0x04, "DATA_CACHE_REFILLS:L2_EXCLUSIVE", AMD_DC_L2_E),
    ON(K10, 0x42, 0x08, "DATA_CACHE_REFILLS:L2_OWNED", AMD_DC_L2_O),
    ON(K10, 0x42, 0x10, "DATA_CACHE_REFILLS:L2_MODIFIED", AMD_DC_L2_M),
    ON(AMD_15H, 0x42, 0x01, "DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE:GOOD", ANY_DC_MISS),
    ON(K10, 0x43, 0x1f, "DATA_CACHE_REFILLS_FROM_SYSTEM:ALL", DC_SYSTEM),
    {"DATA_CACHE_REFILLS_FROM_NORTHBRIDGE", AMD_CODE(0x43, 0), {DC_SYSTEM},
     CTR_0_2, AMD_15H},
    ON(AMD_ZEN4, 0x43, 0xde, "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:BEYOND_L2", AMD_DC_LOAD_SYSTEM, AMD_DC_STORE_SYSTEM),
    ON(AMD_ZEN4, 0x43, 0x01, "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:LCL_L2", AMD_DC_LOAD_L2, AMD_DC_STORE_L2),
    FROM_OTHERS(0x43, "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM"),
    ON(AMD_ZEN4, 0x44, 0xde, "ANY_DATA_CACHE_FILLS_FROM_SYSTEM:BEYOND_L2", DC_SYSTEM),
    FROM_OTHERS(0x44, "ANY_DATA_CACHE_FILLS_FROM_SYSTEM"),
    ON(AMD_ZEN4, 0x44, 0x01, "ANY_DATA_CACHE_FILLS_FROM_SYSTEM:LCL_L2", AMD_DC_LOAD_L2, AMD_DC_STORE_L2, AMD_DC_PREFETCH_L2),
    ON(K10, 0x44, 0x01, "DATA_CACHE_LINES_EVICTED:INVALID", UNMODELLED),
    ON(K10, 0x44, 0x02, "DATA_CACHE_LINES_EVICTED:SHARED", AMD_DC_OUT_S),
    ON(K10, 0x44, 0x04, "DATA_CACHE_LINES_EVICTED:EXCLUSIVE", AMD_DC_OUT_E),
    ON(K10, 0x44, 0x08, "DATA_CACHE_LINES_EVICTED:OWNED", AMD_DC_OUT_O),
    ON(K10, 0x44, 0x10, "DATA_CACHE_LINES_EVICTED:MODIFIED", AMD_DC_OUT_M),
    ON(K10, 0x47, 0, "MISALIGNED_ACCESSES", AMD_MISALIGNED),
    ON(AMD_15H, 0x47, 0, "MISALIGNED_ACCESSES", UNMODELLED),
    ON(AMD_ZEN, 0x47, 0, "MISALIGNED_LOADS", UNMODELLED),
    ON(AMD_ZEN4, 0x47, 0x01, "MISALIGNED_LOADS:MA64", AMD_SPLIT_LINE),
    ON(AMD_ZEN4, 0x47, 0x02, "MISALIGNED_LOADS:MA4K", AMD_SPLIT_PAGE),
    ON(ZENS, 0x60, 0x80, "REQUESTS_TO_L2_GROUP1:RD_BLK_L", AMD_DC_LOAD_L2, AMD_DC_LOAD_SYSTEM, AMD_DC_PREFETCH_L2, AMD_DC_PREFETCH_SYSTEM),
    ON(ZENS, 0x60, 0x40, "REQUESTS_TO_L2_GROUP1:RD_BLK_X", AMD_DC_STORE_L2, AMD_DC_STORE_SYSTEM),
    ON(ZENS, 0x60, 0x20, "REQUESTS_TO_L2_GROUP1:LS_RD_BLK_C_S", AMD_NEVER),
    ON(ZENS, 0x60, 0x10, "REQUESTS_TO_L2_GROUP1:CACHEABLE_IC_READ", ANY_IC_MISS),
    ON(ZENS, 0x60, 0x08, "REQUESTS_TO_L2_GROUP1:CHANGE_TO_X", AMD_CHANGE_TO_X),
    ON(ZENS, 0x60, 0x07, "REQUESTS_TO_L2_GROUP1:PREFETCH_OR_OTHER", UNMODELLED),
    ON(ZENS, 0x64, 0x80, "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C_S", AMD_NEVER),
    ON(ZENS, 0x64, 0x40, "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_L_HIT_X", AMD_DC_LOAD_L2, AMD_DC_PREFETCH_L2),
    ON(ZENS, 0x64, 0x20, "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_L_HIT_S", AMD_NEVER),
    ON(ZENS, 0x64, 0x10, "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_X", AMD_DC_STORE_L2),
    ON(ZENS, 0x64, 0x08, "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C", DC_SYSTEM),
    ON(ZENS, 0x64, 0x06, "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:IC_FILL_HIT", AMD_IC_L2),
    ON(ZENS, 0x64, 0x01, "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:IC_FILL_MISS", AMD_IC_SYSTEM),
    SHARED(0x76, 0, "CPU_CLK_UNHALTED", AMD_CYCLES),
    ON(ZENS, 0x76, 0, "CYCLES_NOT_IN_HALT", AMD_CYCLES),
    SHARED(0x7d, 0x01, "REQUESTS_TO_L2:INSTRUCTIONS", ANY_IC_MISS),
    SHARED(0x7d, 0x02, "REQUESTS_TO_L2:DATA", ANY_DC_MISS),
    SHARED(0x7d, 0x04, "REQUESTS_TO_L2:TLB_WALK", UNMODELLED),
    SHARED(0x7d, 0x08, "REQUESTS_TO_L2:SNOOP", AMD_PROBE),
    SHARED(0x7e, 0x01, "L2_CACHE_MISS:INSTRUCTIONS", AMD_IC_SYSTEM),
    SHARED(0x7e, 0x02, "L2_CACHE_MISS:DATA", DC_SYSTEM),
    SHARED(0x7e, 0x04, "L2_CACHE_MISS:TLB_WALK", UNMODELLED),
    ON(OLD, 0x80, 0, "INSTRUCTION_CACHE_FETCHES", UNMODELLED),
    ON(ZENS, 0x80, 0, "32_BYTE_INSTRUCTION_CACHE_FETCH", UNMODELLED),
    SHARED(0x81, 0, "INSTRUCTION_CACHE_MISSES", ANY_IC_MISS),
    ON(ZENS, 0x81, 0, "32_BYTE_INSTRUCTION_CACHE_MISSES", UNMODELLED),
    SHARED(0x82, 0, "INSTRUCTION_CACHE_REFILLS_FROM_L2", AMD_IC_L2),
    SHARED(0x83, 0, "INSTRUCTION_CACHE_REFILLS_FROM_SYSTEM", AMD_IC_SYSTEM),
    ON(ZENS, 0x82, 0, "INSTRUCTION_CACHE_REFILLS_FROM_L2", AMD_IC_L2),
    ON(ZENS, 0x83, 0, "INSTRUCTION_CACHE_REFILLS_FROM_SYSTEM", AMD_IC_SYSTEM),
    ON(OLD, 0xc0, 0, "RETIRED_INSTRUCTIONS", AMD_INSN, AMD_EXCEPTION, AMD_INTERRUPT),
    ON(ZENS, 0xc0, 0, "RETIRED_INSTRUCTIONS", AMD_INSN),
    ON(OLD | AMD_ZEN, 0xc1, 0, "RETIRED_UOPS", UNMODELLED),
    ON(AMD_ZEN4, 0xc1, 0, "RETIRED_OPS", UNMODELLED),
    ON(OLD | ZENS, 0xc2, 0, "RETIRED_BRANCH_INSTRUCTIONS", AMD_BRANCH, AMD_EXCEPTION, AMD_INTERRUPT),
    ON(OLD, 0xc3, 0, "RETIRED_MISPREDICTED_BRANCH_INSTRUCTIONS", UNMODELLED),
    ON(ZENS, 0xc3, 0, "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", UNMODELLED),
    ON(OLD | ZENS, 0xc4, 0, "RETIRED_TAKEN_BRANCH_INSTRUCTIONS", AMD_TAKEN, AMD_EXCEPTION, AMD_INTERRUPT),
    ON(OLD | ZENS, 0xc5, 0, "RETIRED_TAKEN_BRANCH_INSTRUCTIONS_MISPREDICTED", UNMODELLED),
    ON(OLD | ZENS, 0xc6, 0, "RETIRED_FAR_CONTROL_TRANSFERS", AMD_FAR, AMD_EXCEPTION, AMD_INTERRUPT),
    ON(OLD | AMD_ZEN, 0xc7, 0, "RETIRED_BRANCH_RESYNCS", UNMODELLED),
    ON(OLD | ZENS, 0xc8, 0, "RETIRED_NEAR_RETURNS", AMD_RETURN),
    ON(OLD | ZENS, 0xc9, 0, "RETIRED_NEAR_RETURNS_MISPREDICTED", UNMODELLED),
    ON(OLD, 0xca, 0, "RETIRED_INDIRECT_BRANCHES_MISPREDICTED", UNMODELLED),
    ON(ZENS, 0xca, 0, "RETIRED_INDIRECT_BRANCH_INSTRUCTIONS_MISPREDICTED", UNMODELLED),
    ON(AMD_K8, 0xcb, 0x0c, "RETIRED_MMX_AND_FP_INSTRUCTIONS:SSE_AND_SSE2", AMD_SSE),
    ON(AMD_K8, 0xcb, 0x04, "RETIRED_MMX_AND_FP_INSTRUCTIONS:PACKED_SSE_AND_SSE2", UNMODELLED),
    ON(AMD_K8, 0xcb, 0x08, "RETIRED_MMX_AND_FP_INSTRUCTIONS:SCALAR_SSE_AND_SSE2", UNMODELLED),
    ON(K10, 0xcb, 0x01, "RETIRED_MMX_AND_FP_INSTRUCTIONS:X87", AMD_X87),
    ON(K10, 0xcb, 0x02, "RETIRED_MMX_AND_FP_INSTRUCTIONS:MMX_AND_3DNOW", AMD_MMX),
    ON(AMD_10H, 0xcb, 0x04, "RETIRED_MMX_AND_FP_INSTRUCTIONS:PACKED_SSE_AND_SSE2", AMD_SSE),
    ON(AMD_15H, 0xcb, 0x01, "RETIRED_MMX_FP_INSTRUCTIONS:X87", AMD_X87),
    ON(AMD_15H, 0xcb, 0x02, "RETIRED_MMX_FP_INSTRUCTIONS:MMX", AMD_MMX),
    ON(AMD_15H, 0xcb, 0x04, "RETIRED_MMX_FP_INSTRUCTIONS:SSE", AMD_SSE),
    ON(ZENS, 0xcb, 0x01, "RETIRED_MMX_FP_INSTRUCTIONS:X87_INSTR", AMD_X87),
    ON(ZENS, 0xcb, 0x02, "RETIRED_MMX_FP_INSTRUCTIONS:MMX_INSTR", AMD_MMX),
    ON(ZENS, 0xcb, 0x04, "RETIRED_MMX_FP_INSTRUCTIONS:SSE_INSTR", AMD_SSE),
    ON(AMD_ZEN4, 0xcc, 0, "RETIRED_INDIRECT_BRANCH_INSTRUCTIONS", UNMODELLED),
    ON(OLD, 0xcd, 0, "INTERRUPTS_MASKED_CYCLES", UNMODELLED),
    ON(OLD, 0xce, 0, "INTERRUPTS_MASKED_CYCLES_WITH_INTERRUPT_PENDING", UNMODELLED),
    ON(OLD, 0xcf, 0, "INTERRUPTS_TAKEN", AMD_INTERRUPT),
    ON(OLD, 0xd0, 0, "DECODER_EMPTY", UNMODELLED),
    ON(OLD, 0xd1, 0, "DISPATCH_STALLS", UNMODELLED),
    ON(ZENS, 0xd1, 0, "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS", AMD_COND),
    ON(ZENS, 0x120, 0x01, "P0_FREQ_CYCLES_NOT_IN_HALT:P0_FREQ_CYCLES", AMD_CYCLES),
};
/* clang-format on */

/* ---- event and unit mask ---- */

#define CODE_EVENT 0xff00ffu /* of sim_event.code: the select without the mask */

static unsigned umask_of(const struct sim_event *e) { return e->code >> 8 & 0xff; }

static void append(uint8_t *terms, unsigned *n, const struct sim_event *e)
{
    for (unsigned k = 0; k < SIM_TERMS && e->terms[k] && *n < SIM_TERMS; k++) terms[(*n)++] = e->terms[k];
}

/* The terms of a select on counter n. An event that has no unit masks ignores the field: Linux has 0141h for
 * the data cache misses of K8 and 10h as of 15h. False: not modelled. */
static bool gather(const struct sim *s, unsigned n, struct sim_counter *c, const char **name)
{
    const uint32_t event = AMD_CODE(AMD_EVENT(c->select), 0);
    unsigned left = SEL_UMASK(c->select), terms = 0;

    *name = NULL;
    for (const struct sim_event *e = amd_events; e < amd_events + AMD_EVENTS; e++) {
        const unsigned mask = umask_of(e);
        if ((e->code & CODE_EVENT) != event || !(e->models & s->model_bit)) continue;
        if (!*name) *name = e->name;
        if ((left & mask) != mask) continue;
        *name = e->name;
        if (!sim_event_modelled(s, e) || !sim_event_fits(e, n, s->model_bit)) return false;
        append(c->terms, &terms, e);
        left = mask ? left & ~mask : 0;
    }
    return *name && !left;
}

/* ---- one clock ---- */

#define MANY 256u

/* The largest number in one clock; apart: never in two consecutive clocks. */
static unsigned most_in_a_clock(const struct sim *s, unsigned event, bool *apart)
{
    const struct amd *p = s->state;
    *apart = false;
    switch (event) {
    case 0x2c:
    case 0xc6:
    case 0xcf: /* delivery and far transfers take many clocks */
        *apart = true;
        return 1;
    case 0x76:
    case 0x120:
        return 1;
    case 0xc0:
    case 0xc2:
    case 0xc4:
    case 0xc8:
    case 0xcb:
        return p->traits->retired;
    default:
        return MANY;
    }
}

static bool resolve(const struct sim *s, unsigned n, struct sim_counter *c, const char **name)
{
    bool apart;
    const unsigned most = most_in_a_clock(s, AMD_EVENT(c->select), &apart);
    return gather(s, n, c, name) && sim_counter_qualify(s, c, most, apart);
}

void amd_resolve(const struct sim *s, unsigned n)
{
    struct amd *p = s->state;
    struct sim_counter *c = &p->counter[n];
    const char *name;

    memset(c->terms, 0, sizeof c->terms);
    const bool modelled = resolve(s, n, c, &name);
    sim_counter_resolved(c, modelled, name ? name : p->raw[AMD_EVENT(c->select)]);
}
