/* The events of NetBurst (SDM tables 19-28 and 19-29; facts 3.7). */
#include "sim/netburst.h"

/* clang-format off */

/* By unit, event select and event mask. A row whose mask has several bits needs all of them, and comes before
 * those of the single bits; one with NB_ANY_MASK is the event as a whole. Rows without terms are not
 * modelled. */
#define ROW(unit, select, mask, name, ...) {name, NB_CODE(unit, select, mask), {__VA_ARGS__}, 0, 0}
#define LATE(unit, select, mask, name, ...) \
    {name, NB_CODE(unit, select, mask), {__VA_ARGS__}, 0, NB_PRESCOTT}
/* For the oracle only: the counts of a tag, whether or not it is programmed. */
#define METRIC(name, ...) {name, NB_CODE(U_NONE, 0, 0), {__VA_ARGS__}, 0, 0}
#define BIT(n) (1u << (n))
#define UNMODELLED 0

/* Tag bits 1 to 15 that have bit n. */
#define TAGGED(n) \
    T_EXECUTION + TAG_WITH(n, 0), T_EXECUTION + TAG_WITH(n, 1), T_EXECUTION + TAG_WITH(n, 2), \
    T_EXECUTION + TAG_WITH(n, 3), T_EXECUTION + TAG_WITH(n, 4), T_EXECUTION + TAG_WITH(n, 5), \
    T_EXECUTION + TAG_WITH(n, 6), T_EXECUTION + TAG_WITH(n, 7)
/* The k-th of the eight values with bit n: k's bits below n, the bit, k's bits from n on. */
#define TAG_WITH(n, k) (((k) >> (n) << ((n) + 1)) | BIT(n) | ((k) & (BIT(n) - 1)))

#define MISPREDICTED(mask, name) ROW(U_TBPU, 0x05, mask, "retired_mispred_branch_type:" name, UNMODELLED)
#define BUS(select, name) ROW(U_FSB, select, NB_ANY_MASK, name, UNMODELLED)

const struct sim_event nb_events[NB_EVENTS] = {
    /* At retirement (table 19-29). */
    ROW(U_CRU0, 0x02, BIT(0), "instr_retired:NBOGUSNTAG", T_INSN),
    ROW(U_CRU0, 0x02, BIT(1), "instr_retired:NBOGUSTAG", T_INSN_TAGGED),
    ROW(U_CRU0, 0x02, BIT(2), "instr_retired:BOGUSNTAG", UNMODELLED),
    ROW(U_CRU0, 0x02, BIT(3), "instr_retired:BOGUSTAG", UNMODELLED),
    ROW(U_CRU0, 0x01, BIT(0), "uops_retired:NBOGUS", T_UOPS),
    ROW(U_CRU0, 0x01, BIT(1), "uops_retired:BOGUS", UNMODELLED),
    LATE(U_CRU0, 0x07, BIT(0), "instr_completed:NBOGUS", T_INSN, T_INSN_TAGGED),
    LATE(U_CRU0, 0x07, BIT(1), "instr_completed:BOGUS", UNMODELLED),
    ROW(U_CRU0, 0x03, BIT(0), "mispred_branch_retired:NBOGUS", UNMODELLED),
    ROW(U_CRU2, 0x08, BIT(0), "front_end_event:NBOGUS", T_FRONT_END),
    ROW(U_CRU2, 0x08, BIT(1), "front_end_event:BOGUS", UNMODELLED),
    ROW(U_CRU2, 0x0c, BIT(0), "execution_event:NBOGUS0", TAGGED(0)),
    ROW(U_CRU2, 0x0c, BIT(1), "execution_event:NBOGUS1", TAGGED(1)),
    ROW(U_CRU2, 0x0c, BIT(2), "execution_event:NBOGUS2", TAGGED(2)),
    ROW(U_CRU2, 0x0c, BIT(3), "execution_event:NBOGUS3", TAGGED(3)),
    ROW(U_CRU2, 0x0c, BIT(4), "execution_event:BOGUS0", UNMODELLED),
    ROW(U_CRU2, 0x0c, BIT(5), "execution_event:BOGUS1", UNMODELLED),
    ROW(U_CRU2, 0x0c, BIT(6), "execution_event:BOGUS2", UNMODELLED),
    ROW(U_CRU2, 0x0c, BIT(7), "execution_event:BOGUS3", UNMODELLED),
    ROW(U_CRU2, 0x09, BIT(0), "replay_event:NBOGUS", T_REPLAY),
    ROW(U_CRU2, 0x09, BIT(1), "replay_event:BOGUS", UNMODELLED),
    /* The prediction is not modelled, but the direction is: predicted and mispredicted together. */
    ROW(U_CRU2, 0x06, BIT(0) | BIT(1), "branch_retired:MMNP+MMNM", T_NOT_TAKEN),
    ROW(U_CRU2, 0x06, BIT(2) | BIT(3), "branch_retired:MMTP+MMTM", T_TAKEN),
    ROW(U_CRU2, 0x06, BIT(0), "branch_retired:MMNP", UNMODELLED),
    ROW(U_CRU2, 0x06, BIT(1), "branch_retired:MMNM", UNMODELLED),
    ROW(U_CRU2, 0x06, BIT(2), "branch_retired:MMTP", UNMODELLED),
    ROW(U_CRU2, 0x06, BIT(3), "branch_retired:MMTM", UNMODELLED),
    ROW(U_CRU2, 0x03, BIT(0), "x87_assist:FPSU", T_ASSIST + 0),
    ROW(U_CRU2, 0x03, BIT(1), "x87_assist:FPSO", T_ASSIST + 1),
    ROW(U_CRU2, 0x03, BIT(2), "x87_assist:POAO", T_ASSIST + 2),
    ROW(U_CRU2, 0x03, BIT(3), "x87_assist:POAU", T_ASSIST + 3),
    ROW(U_CRU2, 0x03, BIT(4), "x87_assist:PREA", T_ASSIST + 4),
    ROW(U_CRU2, 0x02, NB_ANY_MASK, "machine_clear", UNMODELLED),
    /* It tags; "the counter never increments". */
    ROW(U_RAT, 0x02, BIT(1), "uop_type:TAGLOADS", T_NEVER),
    ROW(U_RAT, 0x02, BIT(2), "uop_type:TAGSTORES", T_NEVER),

    /* Branches. A branch that is of two types counts once. */
    ROW(U_TBPU, 0x04, BIT(0), "retired_branch_type:UNCONDITIONAL", T_JMP),
    ROW(U_TBPU, 0x04, BIT(1), "retired_branch_type:CONDITIONAL", T_COND),
    ROW(U_TBPU, 0x04, BIT(2), "retired_branch_type:CALL", T_CALL, T_CALL_INDIRECT),
    ROW(U_TBPU, 0x04, BIT(3), "retired_branch_type:RETURN", T_RETURN),
    ROW(U_TBPU, 0x04, BIT(4), "retired_branch_type:INDIRECT", T_RETURN, T_CALL_INDIRECT, T_JMP_INDIRECT),
    MISPREDICTED(BIT(0), "UNCONDITIONAL"), MISPREDICTED(BIT(1), "CONDITIONAL"),
    MISPREDICTED(BIT(2), "CALL"), MISPREDICTED(BIT(3), "RETURN"), MISPREDICTED(BIT(4), "INDIRECT"),
    ROW(U_BPU, 0x03, BIT(0), "BPU_fetch_request:TCMISS", UNMODELLED),

    /* Front end. */
    ROW(U_TC, 0x01, NB_ANY_MASK, "TC_deliver_mode", UNMODELLED),
    ROW(U_TC, 0x06, BIT(4), "TC_misc:FLUSH", UNMODELLED),
    ROW(U_MS, 0x05, BIT(0), "tc_ms_xfer:CISC", UNMODELLED),
    ROW(U_MS, 0x09, NB_ANY_MASK, "uop_queue_writes", UNMODELLED),
    ROW(U_ITLB, 0x18, BIT(0), "ITLB_reference:HIT", UNMODELLED),
    ROW(U_ITLB, 0x18, BIT(1), "ITLB_reference:MISS", UNMODELLED),
    ROW(U_ITLB, 0x18, BIT(2), "ITLB_reference:HIT_UC", UNMODELLED),
    ROW(U_ALF, 0x01, BIT(5), "resource_stall:SBFULL", UNMODELLED),

    /* Memory. */
    ROW(U_PMH, 0x01, BIT(0), "page_walk_type:DTMISS", T_WALK),
    ROW(U_PMH, 0x01, BIT(1), "page_walk_type:ITMISS", UNMODELLED),
    ROW(U_SAAT, 0x04, BIT(1), "load_port_replay:SPLIT_LD", T_PORT_SPLIT_LD),
    ROW(U_SAAT, 0x05, BIT(1), "store_port_replay:SPLIT_ST", T_PORT_SPLIT_ST),
    ROW(U_SAAT, 0x08, BIT(0), "memory_complete:LSC", T_LSC),
    ROW(U_SAAT, 0x08, BIT(1), "memory_complete:SSC", T_SSC),
    ROW(U_SAAT, 0x08, BIT(2), "memory_complete:USC", UNMODELLED),
    ROW(U_SAAT, 0x08, BIT(3), "memory_complete:ULC", UNMODELLED),
    ROW(U_MOB, 0x03, BIT(1), "MOB_load_replay:NO_STA", UNMODELLED),
    ROW(U_MOB, 0x03, BIT(3), "MOB_load_replay:NO_STD", UNMODELLED),
    ROW(U_MOB, 0x03, BIT(4), "MOB_load_replay:PARTIAL_DATA", UNMODELLED),
    ROW(U_MOB, 0x03, BIT(5), "MOB_load_replay:UNALGN_ADDR", UNMODELLED),
    ROW(U_DAC, 0x02, BIT(2), "memory_cancel:ST_RB_FULL", UNMODELLED),
    ROW(U_DAC, 0x02, BIT(3), "memory_cancel:64K_CONF", UNMODELLED),
    ROW(U_DAC, 0x05, NB_ANY_MASK, "WC_Buffer", UNMODELLED),
    /* There are no shared lines, and there is no third level. */
    ROW(U_BSU, 0x0c, BIT(0), "BSQ_cache_reference:RD_2ndL_HITS", T_BSQ_HITS),
    ROW(U_BSU, 0x0c, BIT(1), "BSQ_cache_reference:RD_2ndL_HITE", T_BSQ_HITE),
    ROW(U_BSU, 0x0c, BIT(2), "BSQ_cache_reference:RD_2ndL_HITM", T_BSQ_HITM),
    ROW(U_BSU, 0x0c, BIT(3), "BSQ_cache_reference:RD_3rdL_HITS", T_NEVER),
    ROW(U_BSU, 0x0c, BIT(4), "BSQ_cache_reference:RD_3rdL_HITE", T_NEVER),
    ROW(U_BSU, 0x0c, BIT(5), "BSQ_cache_reference:RD_3rdL_HITM", T_NEVER),
    ROW(U_BSU, 0x0c, BIT(6), "BSQ_cache_reference:WR_2ndL_HIT", UNMODELLED),
    ROW(U_BSU, 0x0c, BIT(7), "BSQ_cache_reference:WR_3rdL_HIT", UNMODELLED),
    ROW(U_BSU, 0x0c, BIT(8), "BSQ_cache_reference:RD_2ndL_MISS", T_BSQ_MISS),
    ROW(U_BSU, 0x0c, BIT(9), "BSQ_cache_reference:RD_3rdL_MISS", T_NEVER),
    ROW(U_BSU, 0x0c, BIT(10), "BSQ_cache_reference:WR_2ndL_MISS", UNMODELLED),
    ROW(U_BSU, 0x0c, BIT(11), "BSQ_cache_reference:WR_3rdL_MISS", UNMODELLED),
    ROW(U_BSU, 0x05, NB_ANY_MASK, "BSQ_allocation", UNMODELLED),
    ROW(U_BSU, 0x06, NB_ANY_MASK, "bsq_active_entries", UNMODELLED),

    /* Bus and clock. */
    ROW(U_FSB, 0x13, BIT(0), "global_power_events:RUNNING", T_RUNNING),
    BUS(0x03, "IOQ_allocation"), BUS(0x1a, "IOQ_active_entries"), BUS(0x17, "FSB_data_activity"),
    BUS(0x16, "b2b_cycles"), BUS(0x08, "bnr"), BUS(0x06, "snoop"), BUS(0x04, "response"),

    /* Executed μops; upstream of execution tags. */
    ROW(U_FIRM, 0x08, BIT(15), "packed_SP_uop:ALL", T_CLASS + CLASS_PACKED_SP),
    ROW(U_FIRM, 0x0c, BIT(15), "packed_DP_uop:ALL", T_CLASS + CLASS_PACKED_DP),
    ROW(U_FIRM, 0x0a, BIT(15), "scalar_SP_uop:ALL", T_CLASS + CLASS_SCALAR_SP),
    ROW(U_FIRM, 0x0e, BIT(15), "scalar_DP_uop:ALL", T_CLASS + CLASS_SCALAR_DP),
    ROW(U_FIRM, 0x02, BIT(15), "64bit_MMX_uop:ALL", T_CLASS + CLASS_MMX64),
    ROW(U_FIRM, 0x1a, BIT(15), "128bit_MMX_uop:ALL", T_CLASS + CLASS_MMX128),
    ROW(U_FIRM, 0x04, BIT(15), "x87_FP_uop:ALL", T_CLASS + CLASS_X87),
    ROW(U_FIRM, 0x2e, BIT(3), "x87_SIMD_moves_uop:ALLP0", UNMODELLED),
    ROW(U_FIRM, 0x2e, BIT(4), "x87_SIMD_moves_uop:ALLP2", UNMODELLED),
    ROW(U_FIRM, 0x34, BIT(15), "SSE_input_assist:ALL", UNMODELLED),

    METRIC("memory_loads", T_LOADS),
    METRIC("memory_stores", T_STORES),
    METRIC("1stL_cache_load_miss_retired", T_LD_L1_MISS),
    METRIC("2ndL_cache_load_miss_retired", T_LD_L2_MISS),
    METRIC("DTLB_load_miss_retired", T_LD_DTLB_MISS),
    METRIC("DTLB_store_miss_retired", T_ST_DTLB_MISS),
    METRIC("DTLB_all_miss_retired", T_LD_DTLB_MISS, T_ST_DTLB_MISS),
    METRIC("split_load_retired", T_LD_SPLIT),
    METRIC("split_store_retired", T_ST_SPLIT),
};
/* clang-format on */
