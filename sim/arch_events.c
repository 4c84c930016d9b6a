/* The events of the processors with architectural performance monitoring, and the translation of a select
 * into the tallies that its counter adds. Architectural events: facts 4.2, under libpfm4's names; others:
 * libpfm4's tables of the CPUs (facts 8). */
#include "sim/arch.h"
#include <stdio.h>
#include <string.h>

/* clang-format off */

/* Rows without terms are not modelled. The first row of a code on a model is the one that resolves it. */
#define ALL(code, name, ...) {name, code, {__VA_ARGS__}, 0, 0}
#define OF(models, code, name, ...) {name, code, {__VA_ARGS__}, 0, models}
#define UNMODELLED 0
#define NEAR_TAKEN T_COND_TAKEN, T_CALL, T_RET, T_JUMP
#define BRANCHES NEAR_TAKEN, T_COND_NOT_TAKEN, T_FAR
#define CONDITIONAL T_COND_TAKEN, T_COND_NOT_TAKEN
#define PREFETCHES T_PREFETCH_NTA, T_PREFETCH_T0, T_PREFETCH_T1, T_PREFETCH_T2, T_PREFETCH_W
/* On one counter only. */
#define ON_COUNTER(n, models, code, name, ...) {name, code, {__VA_ARGS__}, 1 << (n), models}
/* References to the L1D by the line's state: mask bits 0 I, 1 S, 2 E, 3 M. */
#define L1D_STATES(models, event, name, ref) \
    OF(models, 0x0f00 | (event), name ":MESI", L1D(ref, I), L1D(ref, S), L1D(ref, E), L1D(ref, M)), \
    OF(models, 0x0100 | (event), name ":I_STATE", L1D(ref, I)), \
    OF(models, 0x0200 | (event), name ":S_STATE", L1D(ref, S)), \
    OF(models, 0x0400 | (event), name ":E_STATE", L1D(ref, E)), \
    OF(models, 0x0800 | (event), name ":M_STATE", L1D(ref, M))
#define L1D(ref, state) ARCH_L1D(REF_##ref, STATE_##state)
#define L1D_OF(ref) L1D(ref, I), L1D(ref, S), L1D(ref, E), L1D(ref, M)
#define L1D_ANY L1D_OF(LOAD), L1D_OF(STORE), L1D_OF(LOCK)
/* Requests of an L1 for a line in the L2. */
#define L2(who, state) ARCH_L2(REQUEST_##who, STATE_##state)
#define L2_HIT(who) L2(who, S), L2(who, E), L2(who, M)
#define L2_MISS(who) L2(who, I)
#define L2_ALL(who) L2_MISS(who), L2_HIT(who)
/* Of this core (40h); 70h: with the prefetcher's, which there is not. Which of E and M a line is that was asked for to
 * be owned, no manual says. */
#define L2_STATES(models, event, with, name, ...) \
    OF(models, (with) << 8 | 0x0f00 | (event), name ":MESI", __VA_ARGS__)
#define L2_SHARED(models, event, with, name, ...) \
    OF(models, (with) << 8 | 0x0200 | (event), name ":S_STATE", __VA_ARGS__)
#define L2_INVALID(models, event, with, name, ...) \
    OF(models, (with) << 8 | 0x0100 | (event), name ":I_STATE", __VA_ARGS__)

enum {
    BRIDGE = ARCH_SANDYBRIDGE | ARCH_HASWELL | ARCH_SKYLAKE,
    LAKE = ARCH_ICELAKE | ARCH_TIGERLAKE,
    NEW = BRIDGE | LAKE,
    RETIRED_LOADS = ARCH_SKYLAKE | LAKE, /* before, D0h and D1h count micro-operations */
    DUO = ARCH_COREDUO | ARCH_CORE2
};


const struct sim_event arch_events[ARCH_EVENTS] = {
    /* Architectural, in the order of their bits in CPUID.0AH:EBX. */
    ALL(0x003c, "UNHALTED_CORE_CYCLES", T_CYCLES),
    ALL(0x00c0, "INSTRUCTION_RETIRED", T_INSN),
    ALL(0x013c, "UNHALTED_REFERENCE_CYCLES", T_CYCLES),
    ALL(0x4f2e, "LLC_REFERENCES", T_LLC_REFERENCE),
    ALL(0x412e, "LLC_MISSES", T_LLC_MISS),
    ALL(0x00c4, "BRANCH_INSTRUCTIONS_RETIRED", BRANCHES),
    ALL(0x00c5, "MISPREDICTED_BRANCH_RETIRED", UNMODELLED),
    OF(LAKE, 0x01a4, "TOPDOWN_SLOTS", UNMODELLED),

    OF(ARCH_CORE2, 0x01c0, "INST_RETIRED:LOADS", T_LOADS),
    OF(ARCH_CORE2, 0x02c0, "INST_RETIRED:STORES", T_STORES),
    OF(ARCH_CORE2, 0x0cc4, "BR_INST_RETIRED:TAKEN", NEAR_TAKEN, T_FAR),
    OF(ARCH_CORE2, 0x0f45, "L1D_REPL", T_L1D_IN),
    OF(ARCH_CORE2, 0x0081, "L1I_MISSES", T_L1I_IN),
    OF(ARCH_CORE2, 0x1fc7, "SIMD_INST_RETIRED:ANY", T_SSE),
    OF(ARCH_CORE2, 0x00c8, "HW_INT_RCV", T_INTERRUPT),
    OF(ARCH_CORE2, 0x01cb, "MEM_LOAD_RETIRED:L1D_MISS", T_BEYOND_L1),
    OF(ARCH_CORE2, 0x04cb, "MEM_LOAD_RETIRED:L2_MISS", T_BEYOND_L2),

    OF(BRIDGE, 0x01c4, "BR_INST_RETIRED:CONDITIONAL", CONDITIONAL),
    OF(LAKE, 0x01c4, "BR_INST_RETIRED:COND_TAKEN", T_COND_TAKEN),
    OF(NEW, 0x02c4, "BR_INST_RETIRED:NEAR_CALL", T_CALL),
    OF(BRIDGE, 0x04c4, "BR_INST_RETIRED:ALL_BRANCHES", BRANCHES),
    OF(NEW, 0x08c4, "BR_INST_RETIRED:NEAR_RETURN", T_RET),
    OF(BRIDGE, 0x10c4, "BR_INST_RETIRED:NOT_TAKEN", T_COND_NOT_TAKEN),
    OF(LAKE, 0x10c4, "BR_INST_RETIRED:COND_NTAKEN", T_COND_NOT_TAKEN),
    OF(LAKE, 0x11c4, "BR_INST_RETIRED:COND", CONDITIONAL),
    OF(NEW, 0x20c4, "BR_INST_RETIRED:NEAR_TAKEN", NEAR_TAKEN),
    OF(NEW, 0x40c4, "BR_INST_RETIRED:FAR_BRANCH", T_FAR),
    OF(NEW, 0x0151, "L1D:REPLACEMENT", T_L1D_IN),
    OF(ARCH_SKYLAKE, 0x01cb, "HW_INTERRUPTS:RECEIVED", T_INTERRUPT),
    OF(RETIRED_LOADS, 0x81d0, "MEM_INST_RETIRED:ALL_LOADS", T_LOADS, PREFETCHES),
    OF(RETIRED_LOADS, 0x82d0, "MEM_INST_RETIRED:ALL_STORES", T_STORES),
    OF(RETIRED_LOADS, 0x01d1, "MEM_LOAD_RETIRED:L1_HIT", T_FROM_L1, PREFETCHES),
    OF(RETIRED_LOADS, 0x02d1, "MEM_LOAD_RETIRED:L2_HIT", T_FROM_L2),
    OF(RETIRED_LOADS, 0x04d1, "MEM_LOAD_RETIRED:L3_HIT", T_FROM_L3),
    OF(RETIRED_LOADS, 0x08d1, "MEM_LOAD_RETIRED:L1_MISS", T_BEYOND_L1),
    OF(RETIRED_LOADS, 0x10d1, "MEM_LOAD_RETIRED:L2_MISS", T_BEYOND_L2),
    OF(RETIRED_LOADS, 0x20d1, "MEM_LOAD_RETIRED:L3_MISS", T_FROM_MEMORY, T_FROM_REMOTE),
    OF(NEW, ARCH_LOAD_LATENCY, "MEM_TRANS_RETIRED:LOAD_LATENCY", UNMODELLED), /* without a threshold */
    OF(ARCH_SANDYBRIDGE, 0x02cd, "MEM_TRANS_RETIRED:PRECISE_STORE", T_STORES),

    /* Core Duo and Core 2: the L1D */
    L1D_STATES(ARCH_CORE2, 0x40, "L1D_CACHE_LD", LOAD),
    L1D_STATES(ARCH_CORE2, 0x41, "L1D_CACHE_ST", STORE),
    L1D_STATES(ARCH_CORE2, 0x42, "L1D_CACHE_LOCK", LOCK),
    L1D_STATES(ARCH_COREDUO, 0x40, "DCACHE_CACHE_LD", LOAD),
    L1D_STATES(ARCH_COREDUO, 0x41, "DCACHE_CACHE_ST", STORE),
    L1D_STATES(ARCH_COREDUO, 0x42, "DCACHE_CACHE_LOCK", LOCK),
    OF(ARCH_CORE2, 0x0143, "L1D_ALL_REF", L1D_ANY, T_UNCACHED_ACCESS),
    OF(ARCH_CORE2, 0x0243, "L1D_ALL_CACHE_REF", L1D_ANY),
    OF(ARCH_COREDUO, 0x0143, "DATA_MEM_REF", L1D_ANY, T_UNCACHED_ACCESS),
    OF(ARCH_COREDUO, 0x0244, "DATA_MEM_CACHE_REF", L1D_ANY),
    OF(ARCH_COREDUO, 0x0f45, "DCACHE_REPL", T_L1D_IN),
    OF(ARCH_CORE2, 0x0046, "L1D_M_REPL", T_L1D_M_IN),
    OF(ARCH_COREDUO, 0x0046, "DCACHE_M_REPL", T_L1D_M_IN),
    OF(ARCH_CORE2, 0x0047, "L1D_M_EVICT", T_L1D_M_OUT, T_L1D_M_SNOOPED),
    OF(ARCH_COREDUO, 0x0047, "DCACHE_M_EVICT", T_L1D_M_OUT, T_L1D_M_SNOOPED),
    OF(ARCH_CORE2, 0x0149, "L1D_SPLIT:LOADS", T_ACCESS_SPLIT_LOAD),
    OF(ARCH_CORE2, 0x0249, "L1D_SPLIT:STORES", T_ACCESS_SPLIT_STORE),
    OF(ARCH_CORE2, 0x02cb, "MEM_LOAD_RETIRED:L1D_LINE_MISS", T_LOAD_LINES_BEYOND_L1),
    OF(ARCH_CORE2, 0x08cb, "MEM_LOAD_RETIRED:L2_LINE_MISS", T_LOAD_LINES_BEYOND_L2),
    OF(ARCH_COREDUO, 0x0081, "ICACHE_MISSES", T_L1I_IN),
    /* ... the L2, and what goes on to the bus */
    L2_STATES(DUO, 0x28, 0x40, "L2_IFETCH", L2_ALL(CODE)),
    L2_SHARED(DUO, 0x28, 0x40, "L2_IFETCH", L2(CODE, S)),
    L2_INVALID(DUO, 0x28, 0x40, "L2_IFETCH", L2_MISS(CODE)),
    L2_STATES(DUO, 0x29, 0x40, "L2_LD", L2_ALL(LOAD), L2_ALL(PREFETCH)),
    L2_SHARED(DUO, 0x29, 0x40, "L2_LD", L2(LOAD, S), L2(PREFETCH, S)),
    L2_INVALID(DUO, 0x29, 0x40, "L2_LD", L2_MISS(LOAD), L2_MISS(PREFETCH)),
    L2_STATES(ARCH_CORE2, 0x29, 0x70, "L2_LD:ANY", L2_ALL(LOAD), L2_ALL(PREFETCH)),
    L2_SHARED(ARCH_CORE2, 0x29, 0x70, "L2_LD:ANY", L2(LOAD, S), L2(PREFETCH, S)),
    L2_INVALID(ARCH_CORE2, 0x29, 0x70, "L2_LD:ANY", L2_MISS(LOAD), L2_MISS(PREFETCH)),
    L2_STATES(DUO, 0x2a, 0x40, "L2_ST", L2_ALL(OWN)),
    L2_SHARED(DUO, 0x2a, 0x40, "L2_ST", L2(OWN, S)),
    L2_INVALID(DUO, 0x2a, 0x40, "L2_ST", L2_MISS(OWN)),
    L2_STATES(DUO, 0x2e, 0x70, "L2_RQSTS", T_LLC_REFERENCE),
    L2_SHARED(DUO, 0x2e, 0x70, "L2_RQSTS", L2(CODE, S), L2(LOAD, S), L2(OWN, S), L2(PREFETCH, S)),
    L2_INVALID(DUO, 0x2e, 0x70, "L2_RQSTS", T_LLC_MISS),
    OF(DUO, 0x7024, "L2_LINES_IN:SELF", T_L2_IN),
    OF(DUO, 0x7026, "L2_LINES_OUT:SELF", T_L2_OUT, T_L2_M_OUT),
    OF(DUO, 0x7027, "L2_M_LINES_OUT:SELF", T_L2_M_OUT),
    OF(DUO, 0x4065, "BUS_TRANS_BRD:SELF", L2_MISS(LOAD), L2_MISS(PREFETCH)),
    OF(ARCH_CORE2, 0x4066, "BUS_TRANS_RFO:SELF", L2_MISS(OWN)),
    OF(ARCH_COREDUO, 0x7066, "BUS_TRANS_RFO:SELF", L2_MISS(OWN)),
    OF(ARCH_CORE2, 0x4068, "BUS_TRANS_IFETCH:SELF", L2_MISS(CODE)),
    OF(ARCH_COREDUO, 0x7068, "BUS_TRANS_IFETCH:SELF", L2_MISS(CODE)),
    OF(ARCH_CORE2, 0x4069, "BUS_TRANS_INVAL:SELF", T_INVALIDATE),
    OF(ARCH_COREDUO, 0x7069, "BUS_TRANS_INVAL:SELF", T_INVALIDATE),
    OF(ARCH_CORE2, 0x406c, "BUS_TRANS_IO:SELF", T_IO),
    OF(ARCH_COREDUO, 0x706c, "BUS_TRANS_IO:SELF", T_IO),
    OF(ARCH_CORE2, 0x406d, "BUS_TRANS_DEF:SELF", T_NEVER),
    OF(ARCH_COREDUO, 0x606d, "BUS_TRANS_DEF:SELF", T_NEVER),
    /* ... instructions */
    OF(ARCH_CORE2, 0x0006, "SEGMENT_REG_LOADS", T_SEGMENT),
    OF(ARCH_COREDUO, 0x0006, "SEG_REG_LOADS", T_SEGMENT),
    OF(ARCH_CORE2, 0x0007, "SSE_PRE_EXEC:NTA", T_PREFETCH_NTA),
    OF(ARCH_CORE2, 0x0107, "SSE_PRE_EXEC:L1", T_PREFETCH_T0),
    OF(ARCH_CORE2, 0x0207, "SSE_PRE_EXEC:L2", T_PREFETCH_T1, T_PREFETCH_T2),
    OF(ARCH_CORE2, 0x0307, "SSE_PRE_EXEC:STORES", T_NT_STORES),
    OF(ARCH_CORE2, 0x004b, "SSE_PRE_MISS:NTA", T_PREFETCH_NTA_MISS),
    OF(ARCH_CORE2, 0x014b, "SSE_PRE_MISS:L1", T_PREFETCH_T0_MISS),
    OF(ARCH_CORE2, 0x024b, "SSE_PRE_MISS:L2", T_PREFETCH_T1_MISS, T_PREFETCH_T2_MISS),
    OF(ARCH_COREDUO, 0x0007, "SSE_PREFETCH:NTA", T_PREFETCH_NTA),
    OF(ARCH_COREDUO, 0x0107, "SSE_PREFETCH:T1", T_PREFETCH_T1),
    OF(ARCH_COREDUO, 0x0207, "SSE_PREFETCH:T2", T_PREFETCH_T2),
    OF(ARCH_COREDUO, 0x0307, "SSE_NTSTORES_RET", T_NT_STORES),
    OF(ARCH_COREDUO, 0x004b, "SSE_PRE_MISS:NTA_MISS", T_PREFETCH_NTA_MISS),
    OF(ARCH_COREDUO, 0x014b, "SSE_PRE_MISS:T1_MISS", T_PREFETCH_T1_MISS),
    OF(ARCH_COREDUO, 0x024b, "SSE_PRE_MISS:T2_MISS", T_PREFETCH_T2_MISS),
    OF(ARCH_CORE2, 0x04c0, "INST_RETIRED:OTHER", T_NO_ACCESS),
    ON_COUNTER(0, ARCH_COREDUO, 0x0010, "FP_COMPS_OP_EXE", T_FP_OPS, T_INT_MUL_DIV),
    ON_COUNTER(1, ARCH_COREDUO, 0x0012, "MUL", T_MUL),
    ON_COUNTER(1, ARCH_COREDUO, 0x0013, "DIV", T_DIV),
    ON_COUNTER(0, ARCH_COREDUO, 0x00c1, "FP_COMP_INSTR_RET", T_FP_OPS),
    OF(ARCH_COREDUO, 0x00b0, "MMX_INSTR_EXEC", T_MMX),
    OF(ARCH_COREDUO, 0x00ce, "MMX_INSTR_RET", T_MMX),
    OF(ARCH_COREDUO, 0x00cd, "MMX_ASSIST", T_EMMS),
    OF(ARCH_CORE2, 0x00cd, "SIMD_ASSIST", T_EMMS),
    OF(ARCH_CORE2, 0x00ce, "SIMD_INSTR_RETIRED", T_MMX),
    OF(ARCH_COREDUO, 0x00c8, "HW_INT_RX", T_INTERRUPT),

    /* Sandy Bridge and later */
    ON_COUNTER(1, BRIDGE, 0x01c0, "INST_RETIRED:PREC_DIST", T_INSN),
    OF(LAKE, 0x80c4, "BR_INST_RETIRED:INDIRECT", T_INDIRECT),
    OF(ARCH_SANDYBRIDGE | ARCH_HASWELL, 0x015c, "CPL_CYCLES:RING0", T_CYCLES_RING0),
    OF(ARCH_SANDYBRIDGE | ARCH_HASWELL, 0x025c, "CPL_CYCLES:RING123", T_CYCLES_USER),
    OF(ARCH_SANDYBRIDGE, 0x0251, "L1D:ALLOCATED_IN_M", T_L1D_M_IN),
    OF(ARCH_SANDYBRIDGE, 0x0451, "L1D:M_EVICT", T_L1D_M_OUT),
    OF(ARCH_SANDYBRIDGE, 0x0851, "L1D:ALL_M_REPLACEMENT", T_L1D_M_OUT),
    OF(RETIRED_LOADS, 0x0283, "ICACHE_64B:IFTAG_MISS", T_L1I_IN),
    OF(ARCH_SANDYBRIDGE, 0x0124, "L2_RQSTS:ALL_DEMAND_RD_HIT", L2_HIT(LOAD), L2_HIT(PREFETCH)),
    OF(ARCH_SANDYBRIDGE, 0x0324, "L2_RQSTS:ALL_DEMAND_DATA_RD", L2_ALL(LOAD), L2_ALL(PREFETCH)),
    OF(ARCH_SANDYBRIDGE, 0x0424, "L2_RQSTS:RFO_HITS", L2_HIT(OWN)),
    OF(ARCH_SANDYBRIDGE, 0x0824, "L2_RQSTS:RFO_MISS", L2_MISS(OWN)),
    OF(ARCH_SANDYBRIDGE, 0x0c24, "L2_RQSTS:RFO_ANY", L2_ALL(OWN)),
    OF(ARCH_SANDYBRIDGE, 0x1024, "L2_RQSTS:CODE_RD_HIT", L2_HIT(CODE)),
    OF(ARCH_SANDYBRIDGE, 0x2024, "L2_RQSTS:CODE_RD_MISS", L2_MISS(CODE)),
    OF(ARCH_SANDYBRIDGE, 0x3024, "L2_RQSTS:ALL_CODE_RD", L2_ALL(CODE)),
    OF(ARCH_HASWELL | ARCH_SKYLAKE, 0x2124, "L2_RQSTS:DEMAND_DATA_RD_MISS", L2_MISS(LOAD), L2_MISS(PREFETCH)),
    OF(LAKE, 0x2124, "L2_RQSTS:DEMAND_DATA_RD_MISS", L2_MISS(LOAD)),
    OF(ARCH_HASWELL, 0x4124, "L2_RQSTS:DEMAND_DATA_RD_HIT", L2_HIT(LOAD), L2_HIT(PREFETCH)),
    OF(ARCH_SKYLAKE, 0xc124, "L2_RQSTS:DEMAND_DATA_RD_HIT", L2_HIT(LOAD), L2_HIT(PREFETCH)),
    OF(LAKE, 0xc124, "L2_RQSTS:DEMAND_DATA_RD_HIT", L2_HIT(LOAD)),
    OF(ARCH_HASWELL | ARCH_SKYLAKE | LAKE, 0x2224, "L2_RQSTS:RFO_MISS", L2_MISS(OWN)),
    OF(ARCH_HASWELL, 0x4224, "L2_RQSTS:RFO_HIT", L2_HIT(OWN)),
    OF(RETIRED_LOADS, 0xc224, "L2_RQSTS:RFO_HIT", L2_HIT(OWN)),
    OF(ARCH_HASWELL | ARCH_SKYLAKE | LAKE, 0x2424, "L2_RQSTS:CODE_RD_MISS", L2_MISS(CODE)),
    OF(ARCH_HASWELL, 0x4424, "L2_RQSTS:CODE_RD_HIT", L2_HIT(CODE)),
    OF(RETIRED_LOADS, 0xc424, "L2_RQSTS:CODE_RD_HIT", L2_HIT(CODE)),
    OF(LAKE, 0x2824, "L2_RQSTS:SWPF_MISS", L2_MISS(PREFETCH)),
    OF(LAKE, 0xc824, "L2_RQSTS:SWPF_HIT", L2_HIT(PREFETCH)),
    OF(ARCH_HASWELL | ARCH_SKYLAKE, 0x2724, "L2_RQSTS:ALL_DEMAND_MISS", L2_MISS(LOAD), L2_MISS(PREFETCH), L2_MISS(OWN), L2_MISS(CODE)),
    OF(LAKE, 0x2724, "L2_RQSTS:ALL_DEMAND_MISS", L2_MISS(LOAD), L2_MISS(OWN), L2_MISS(CODE)),
    OF(ARCH_HASWELL | ARCH_SKYLAKE, 0x3f24, "L2_RQSTS:MISS", L2_MISS(LOAD), L2_MISS(PREFETCH), L2_MISS(OWN), L2_MISS(CODE)),
    OF(ARCH_HASWELL | ARCH_SKYLAKE, 0xe124, "L2_RQSTS:ALL_DEMAND_DATA_RD", L2_ALL(LOAD), L2_ALL(PREFETCH)),
    OF(LAKE, 0xe124, "L2_RQSTS:ALL_DEMAND_DATA_RD", L2_ALL(LOAD)),
    OF(ARCH_HASWELL | ARCH_SKYLAKE | LAKE, 0xe224, "L2_RQSTS:ALL_RFO", L2_ALL(OWN)),
    OF(ARCH_HASWELL | ARCH_SKYLAKE | LAKE, 0xe424, "L2_RQSTS:ALL_CODE_RD", L2_ALL(CODE)),
    OF(ARCH_HASWELL | ARCH_SKYLAKE, 0xe724, "L2_RQSTS:ALL_DEMAND_REFERENCES", L2_ALL(LOAD), L2_ALL(PREFETCH), L2_ALL(OWN), L2_ALL(CODE)),
    OF(LAKE, 0xe724, "L2_RQSTS:ALL_DEMAND_REFERENCES", L2_ALL(LOAD), L2_ALL(OWN), L2_ALL(CODE)),
    OF(ARCH_HASWELL | ARCH_SKYLAKE, 0xff24, "L2_RQSTS:REFERENCES", L2_ALL(LOAD), L2_ALL(PREFETCH), L2_ALL(OWN), L2_ALL(CODE)),
    OF(ARCH_SANDYBRIDGE, 0x0127, "L2_STORE_LOCK_RQSTS:MISS", L2_MISS(OWN)),
    OF(ARCH_SANDYBRIDGE, 0x0f27, "L2_STORE_LOCK_RQSTS:ALL", L2_ALL(OWN)),
    OF(ARCH_SANDYBRIDGE, 0x0128, "L2_L1D_WB_RQSTS:MISS", T_L1D_WB + STATE_I),
    OF(ARCH_SANDYBRIDGE, 0x0228, "L2_L1D_WB_RQSTS:HIT_S", T_NEVER),
    OF(ARCH_SANDYBRIDGE, 0x0f28, "L2_L1D_WB_RQSTS:ALL", T_L1D_WB + STATE_I, T_L1D_WB + STATE_E, T_L1D_WB + STATE_M),
    OF(ARCH_HASWELL, 0x5027, "L2_DEMAND_RQSTS:WB_HIT", T_L1D_WB + STATE_E, T_L1D_WB + STATE_M),
    OF(ARCH_SANDYBRIDGE, 0x01f0, "L2_TRANS:LOAD", L2_ALL(LOAD), L2_ALL(PREFETCH)),
    OF(ARCH_HASWELL, 0x01f0, "L2_TRANS:DEMAND_DATA_RD", L2_ALL(LOAD), L2_ALL(PREFETCH)),
    OF(ARCH_SANDYBRIDGE | ARCH_HASWELL, 0x02f0, "L2_TRANS:RFO", L2_ALL(OWN)),
    OF(ARCH_SANDYBRIDGE | ARCH_HASWELL, 0x04f0, "L2_TRANS:CODE_RD", L2_ALL(CODE)),
    OF(ARCH_SANDYBRIDGE | ARCH_HASWELL, 0x10f0, "L2_TRANS:L1D_WB", T_L1D_WB + STATE_I, T_L1D_WB + STATE_E, T_L1D_WB + STATE_M),
    OF(ARCH_SANDYBRIDGE | ARCH_HASWELL, 0x20f0, "L2_TRANS:L2_FILL", T_L2_IN),
    OF(NEW, 0x40f0, "L2_TRANS:L2_WB", T_L2_M_OUT),
    OF(ARCH_SANDYBRIDGE, 0x07f1, "L2_LINES_IN:ANY", T_L2_IN),
    OF(ARCH_HASWELL, 0x07f1, "L2_LINES_IN:ALL", T_L2_IN),
    OF(RETIRED_LOADS, 0x1ff1, "L2_LINES_IN:ALL", T_L2_IN),
    OF(ARCH_SANDYBRIDGE, 0x01f2, "L2_LINES_OUT:DEMAND_CLEAN", T_L2_OUT),
    OF(ARCH_SANDYBRIDGE, 0x02f2, "L2_LINES_OUT:DEMAND_DIRTY", T_L2_M_OUT),
    OF(ARCH_HASWELL, 0x05f2, "L2_LINES_OUT:DEMAND_CLEAN", T_L2_OUT),
    OF(ARCH_HASWELL, 0x06f2, "L2_LINES_OUT:DEMAND_DIRTY", T_L2_M_OUT),
    OF(RETIRED_LOADS, 0x01f2, "L2_LINES_OUT:SILENT", T_L2_OUT),
    OF(RETIRED_LOADS, 0x02f2, "L2_LINES_OUT:NON_SILENT", T_L2_M_OUT),
    OF(NEW, 0x01b0, "OFFCORE_REQUESTS:DEMAND_DATA_RD", L2_MISS(LOAD)),
    OF(NEW, 0x02b0, "OFFCORE_REQUESTS:DEMAND_CODE_RD", L2_MISS(CODE)),
    OF(NEW, 0x04b0, "OFFCORE_REQUESTS:DEMAND_RFO", L2_MISS(OWN)),
    OF(NEW, 0x08b0, "OFFCORE_REQUESTS:ALL_DATA_RD", L2_MISS(LOAD), L2_MISS(PREFETCH)),
    OF(RETIRED_LOADS, 0x10b0, "OFFCORE_REQUESTS:L3_MISS_DEMAND_DATA_RD", T_BEYOND + REQUEST_LOAD),
    OF(RETIRED_LOADS, 0x21d0, "MEM_INST_RETIRED:LOCK_LOADS", T_LOCK_LOADS),
    OF(RETIRED_LOADS, 0x41d0, "MEM_INST_RETIRED:SPLIT_LOADS", T_SPLIT_LOADS),
    OF(RETIRED_LOADS, 0x42d0, "MEM_INST_RETIRED:SPLIT_STORES", T_SPLIT_STORES),
    OF(RETIRED_LOADS, 0x01d2, "MEM_LOAD_L3_HIT_RETIRED:XSNP_MISS", T_NEVER),
    OF(RETIRED_LOADS, 0x02d2, "MEM_LOAD_L3_HIT_RETIRED:XSNP_HIT", T_NEVER),
    OF(RETIRED_LOADS, 0x04d2, "MEM_LOAD_L3_HIT_RETIRED:XSNP_HITM", T_NEVER),
    OF(RETIRED_LOADS, 0x08d2, "MEM_LOAD_L3_HIT_RETIRED:XSNP_NONE", T_FROM_L3),
    OF(RETIRED_LOADS, 0x01d3, "MEM_LOAD_L3_MISS_RETIRED:LOCAL_DRAM", T_FROM_MEMORY),
    OF(ARCH_SKYLAKE, 0x02d3, "MEM_LOAD_L3_MISS_RETIRED:REMOTE_DRAM", T_NEVER),
    OF(ARCH_SKYLAKE, 0x04d3, "MEM_LOAD_L3_MISS_RETIRED:REMOTE_HITM", T_FROM_REMOTE),
    OF(ARCH_SKYLAKE, 0x08d3, "MEM_LOAD_L3_MISS_RETIRED:REMOTE_FWD", T_NEVER),
    OF(RETIRED_LOADS, 0x04d4, "MEM_LOAD_MISC_RETIRED:UC", T_UC_LOADS),
    OF(BRIDGE, 0x10f4, "SQ_MISC:SPLIT_LOCK", T_SPLIT_LOCK),
    OF(LAKE, 0x10f4, "SQ_MISC:BUS_LOCK", T_BUS_LOCK),
    OF(RETIRED_LOADS, 0x0132, "SW_PREFETCH_ACCESS:NTA", T_PREFETCH_NTA),
    OF(RETIRED_LOADS, 0x0232, "SW_PREFETCH_ACCESS:T0", T_PREFETCH_T0),
    OF(RETIRED_LOADS, 0x0432, "SW_PREFETCH_ACCESS:T1_T2", T_PREFETCH_T1, T_PREFETCH_T2),
    OF(RETIRED_LOADS, 0x0832, "SW_PREFETCH_ACCESS:PREFETCHW", T_PREFETCH_W),
};
/* clang-format on */

#define ARCHITECTURAL 8

/* The events of the fixed counters (SDM 18.2.2): rows of the table. */
static const uint8_t fixed_event[ARCH_FIXED] = {1, 0, 2, 7};

/* None of these events happens sixteen times in one clock (LX has instructions under CMASK=16 and INV count
 * every clock). */
#define MOST 15

static const struct sim_event *event_of(const struct sim *s, unsigned code)
{
    for (unsigned i = 0; i < ARCH_EVENTS; i++) {
        const struct sim_event *e = &arch_events[i];
        if (e->code == code && (!e->models || e->models & s->model_bit)) return e;
    }
    return NULL;
}

/* Reported as missing by CPUID.0AH:EBX. */
static bool unavailable(const struct arch_traits *t, const struct sim_event *e)
{
    const unsigned bit = (unsigned)(e - arch_events);
    return bit < ARCHITECTURAL && bit < LEAF_A_EVENTS(t) && LEAF_A_UNAVAILABLE(t) >> bit & 1;
}

/* In one clock; delivery takes many. */
static bool qualify(const struct sim *s, struct sim_counter *c)
{
    const bool apart = c->terms[0] == T_INTERRUPT;
    return sim_counter_qualify(s, c, c->terms[0] == T_CYCLES || apart ? 1 : MOST, apart);
}

/* A name for a code that is in no table; it stays as long as the model. */
static const char *raw_name(struct arch *p, unsigned code)
{
    char name[sizeof p->raw[0]];
    snprintf(name, sizeof name, "r%04x", code);
    for (unsigned i = 0; i < ARCH_RAW_NAMES; i++) {
        if (!p->raw[i][0]) memcpy(p->raw[i], name, sizeof name);
        if (strcmp(p->raw[i], name) == 0) return p->raw[i];
    }
    return "RESERVED";
}

/* Of two threads one clock may have two events, and whose level decides about a clock of both is nowhere
 * said. */
static bool of_two_threads(const struct sim_counter *c, bool fixed)
{
    const uint64_t qualifiers = SEL_EDGE | SEL_INV | UINT64_C(0xff) << 24;
    if (!fixed && c->select & qualifiers) return false;
    if (c->terms[0] == T_CYCLES)
        return fixed ? (c->select & (FIXED_OS | FIXED_USR)) == (FIXED_OS | FIXED_USR)
                     : (c->select & (SEL_OS | SEL_USR)) == (SEL_OS | SEL_USR);
    return c->terms[0] != T_CYCLES_RING0 && c->terms[0] != T_CYCLES_USER;
}

/* In a batch these come from its steps: accesses and near branches. Instructions, cycles and lines of code do
 * not. */
static bool of_step(unsigned term)
{
    return (term >= T_COND_TAKEN && term <= T_FAR) || (term >= T_LOADS && term <= T_L1D_IN) ||
           (term >= T_INDIRECT && term <= T_BUS_LOCK && term != T_NO_ACCESS) ||
           term == T_LOAD_LINES_BEYOND_L1 || term == T_LOAD_LINES_BEYOND_L2;
}

void arch_resolve(struct sim *s, unsigned n)
{
    struct arch *p = s->state;
    struct sim_counter *c = &p->counter[n];
    const bool fixed = n >= ARCH_GENERAL;
    const struct sim_event *e =
        fixed ? &arch_events[fixed_event[n - ARCH_GENERAL]] : event_of(s, SEL_CODE(c->select));
    bool modelled = e && sim_event_modelled(s, e) &&
                    (fixed || (sim_event_fits(e, n, s->model_bit) && !unavailable(p->traits, e)));
    if (modelled) memcpy(c->terms, e->terms, sizeof c->terms);
    if (!fixed && e && e->code == ARCH_LOAD_LATENCY) {
        modelled = true;
        memset(c->terms, 0, sizeof c->terms);
        c->terms[0] = T_LOAD_LATENCY;
    }
    c->both = s->sibling && c->select & (fixed ? FIXED_ANY : SEL_ANY);
    if (modelled && c->both) modelled = of_two_threads(c, fixed);
    if (modelled && !fixed) modelled = qualify(s, c);
    if (modelled && !fixed && !arch_counter_takes(s, n, SEL_CODE(c->select)))
        memset(c->terms, 0, sizeof c->terms); /* this counter does not see the event */
    sim_counter_resolved(c, modelled, e ? e->name : raw_name(p, SEL_CODE(c->select)));
    c->by_steps = true;
    for (unsigned k = 0; k < c->n_terms; k++) c->by_steps &= of_step(c->terms[k]);
}
