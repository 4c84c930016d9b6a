/* NetBurst's tables as the manual has them (SDM vol. 3B, order 325384-059, table 18-63 and tables 19-28 to
 * 19-34), written down apart from the driver's, for its tests. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Which counters see which column of the routing. */
static const uint32_t nb_column[8] = {0x00003, 0x0000c, 0x00030, 0x000c0, 0x00300, 0x00c00, 0x13000, 0x2c000};
/* ESCR by ESEL and column; 0: none. */
static const uint16_t nb_route[8][8] = {
    {0x3b2, 0x3b3, 0x3c0, 0x3c1, 0x3a6, 0x3a7, 0x3ba, 0x3bb},
    {0x3b4, 0x3b5, 0x3c4, 0x3c5, 0x3a4, 0x3a5, 0x3ca, 0x3cb},
    {0x3aa, 0x3ab, 0x3c2, 0x3c3, 0x3ae, 0x3af, 0x3bc, 0x3bd},
    {0x3b6, 0x3b7, 0, 0, 0x3b0, 0x3b1, 0x3be, 0},
    {0x3ac, 0x3ad, 0, 0, 0, 0, 0x3b8, 0x3b9},
    {0x3c8, 0x3c9, 0, 0, 0x3a8, 0x3a9, 0x3cc, 0x3cd},
    {0x3a2, 0x3a3, 0, 0, 0, 0, 0x3e0, 0x3e1},
    {0x3a0, 0x3a1, 0, 0, 0, 0, 0, 0},
};

struct nb_event {
    const char *name; /* as printed */
    unsigned select, esel;
    uint16_t escr[2]; /* 0: none */
    uint32_t counters;
    bool ti;           /* thread-independent */
    const char *masks; /* "bit NAME,..."; '-': no name printed */
};
static const struct nb_event nb_events[] = {
    {"TC_deliver_mode", 0x01, 1, {0x3c4, 0x3c5}, 0x000f0, true, "0 DD,1 DB,2 DI,3 BD,4 BB,5 BI,6 ID,7 IB"},
    {"BPU_fetch_request", 0x03, 0, {0x3b2, 0x3b3}, 0x0000f, false, "0 TCMISS"},
    {"ITLB_reference", 0x18, 3, {0x3b6, 0x3b7}, 0x0000f, false, "0 HIT,1 MISS,2 HIT_UC"},
    {"memory_cancel", 0x02, 5, {0x3a8, 0x3a9}, 0x00f00, false, "2 ST_RB_FULL,3 64K_CONF"},
    {"memory_complete", 0x08, 2, {0x3ae, 0x3af}, 0x00f00, false, "0 LSC,1 SSC"},
    {"load_port_replay", 0x04, 2, {0x3ae, 0x3af}, 0x00f00, false, "1 SPLIT_LD"},
    {"store_port_replay", 0x05, 2, {0x3ae, 0x3af}, 0x00f00, false, "1 SPLIT_ST"},
    {"MOB_load_replay",
     0x03,
     2,
     {0x3aa, 0x3ab},
     0x0000f,
     false,
     "1 NO_STA,3 NO_STD,4 PARTIAL_DATA,5 UNALGN_ADDR"},
    {"page_walk_type", 0x01, 4, {0x3ac, 0x3ad}, 0x0000f, true, "0 DTMISS,1 ITMISS"},
    {"BSQ_cache_reference",
     0x0c,
     7,
     {0x3a0, 0x3a1},
     0x0000f,
     false,
     "0 RD_2ndL_HITS,1 RD_2ndL_HITE,2 RD_2ndL_HITM,3 RD_3rdL_HITS,4 RD_3rdL_HITE,5 RD_3rdL_HITM,8 "
     "RD_2ndL_MISS,9 RD_3rdL_MISS,10 WR_2ndL_MISS"},
    {"IOQ_allocation",
     0x03,
     6,
     {0x3a2, 0x3a3},
     0x0000f,
     false,
     "0 DEFAULT,5 ALL_READ,6 ALL_WRITE,7 MEM_UC,8 MEM_WC,9 MEM_WT,10 MEM_WP,11 MEM_WB,13 OWN,14 OTHER,15 "
     "PREFETCH"},
    {"IOQ_active_entries",
     0x1a,
     6,
     {0x3a3, 0},
     0x0000c,
     false,
     "0 DEFAULT,5 ALL_READ,6 ALL_WRITE,7 MEM_UC,8 MEM_WC,9 MEM_WT,10 MEM_WP,11 MEM_WB,13 OWN,14 OTHER,15 "
     "PREFETCH"},
    {"FSB_data_activity",
     0x17,
     6,
     {0x3a2, 0x3a3},
     0x0000f,
     true,
     "0 DRDY_DRV,1 DRDY_OWN,2 DRDY_OTHER,3 DBSY_DRV,4 DBSY_OWN,5 DBSY_OTHER"},
    {"BSQ_allocation",
     0x05,
     7,
     {0x3a0, 0},
     0x00003,
     false,
     "0 REQ_TYPE0,1 REQ_TYPE1,2 REQ_LEN0,3 REQ_LEN1,5 REQ_IO_TYPE,6 REQ_LOCK_TYPE,7 REQ_CACHE_TYPE,8 "
     "REQ_SPLIT_TYPE,9 REQ_DEM_TYPE,10 REQ_ORD_TYPE,11 MEM_TYPE0,12 MEM_TYPE1,13 MEM_TYPE2"},
    {"bsq_active_entries",
     0x06,
     7,
     {0x3a1, 0},
     0x0000c,
     false,
     "0 REQ_TYPE0,1 REQ_TYPE1,2 REQ_LEN0,3 REQ_LEN1,5 REQ_IO_TYPE,6 REQ_LOCK_TYPE,7 REQ_CACHE_TYPE,8 "
     "REQ_SPLIT_TYPE,9 REQ_DEM_TYPE,10 REQ_ORD_TYPE,11 MEM_TYPE0,12 MEM_TYPE1,13 MEM_TYPE2"},
    {"SSE_input_assist", 0x34, 1, {0x3a4, 0x3a5}, 0x00f00, true, "15 ALL"},
    {"packed_SP_uop", 0x08, 1, {0x3a4, 0x3a5}, 0x00f00, true, "15 ALL"},
    {"packed_DP_uop", 0x0c, 1, {0x3a4, 0x3a5}, 0x00f00, true, "15 ALL"},
    {"scalar_SP_uop", 0x0a, 1, {0x3a4, 0x3a5}, 0x00f00, true, "15 ALL"},
    {"scalar_DP_uop", 0x0e, 1, {0x3a4, 0x3a5}, 0x00f00, true, "15 ALL"},
    {"64bit_MMX_uop", 0x02, 1, {0x3a4, 0x3a5}, 0x00f00, true, "15 ALL"},
    {"128bit_MMX_uop", 0x1a, 1, {0x3a4, 0x3a5}, 0x00f00, true, "15 ALL"},
    {"x87_FP_uop", 0x04, 1, {0x3a4, 0x3a5}, 0x00f00, true, "15 ALL"},
    {"TC_misc", 0x06, 1, {0x3c4, 0x3c5}, 0x000f0, false, "4 FLUSH"},
    {"global_power_events", 0x13, 6, {0x3a2, 0x3a3}, 0x0000f, false, "0 RUNNING"},
    {"tc_ms_xfer", 0x05, 0, {0x3c0, 0x3c1}, 0x000f0, false, "0 CISC"},
    {"uop_queue_writes",
     0x09,
     0,
     {0x3c0, 0x3c1},
     0x000f0,
     false,
     "0 FROM_TC_BUILD,1 FROM_TC_DELIVER,2 FROM_ROM"},
    {"retired_mispred_branch_type",
     0x05,
     2,
     {0x3c2, 0x3c3},
     0x000f0,
     false,
     "1 CONDITIONAL,2 CALL,3 RETURN,4 INDIRECT"},
    {"retired_branch_type",
     0x04,
     2,
     {0x3c2, 0x3c3},
     0x000f0,
     false,
     "1 CONDITIONAL,2 CALL,3 RETURN,4 INDIRECT"},
    {"resource_stall", 0x01, 1, {0x3ca, 0x3cb}, 0x3f000, false, "5 SBFULL"},
    {"WC_Buffer", 0x05, 5, {0x3a8, 0x3a9}, 0x00f00, true, "0 WCB_EVICTS,1 WCB_FULL_EVICT"},
    {"b2b_cycles", 0x16, 6, {0x3a2, 0x3a3}, 0x0000f, false, "1 BIT1,2 BIT2,3 BIT3,4 BIT4,5 BIT5,6 BIT6"},
    {"bnr", 0x08, 6, {0x3a2, 0x3a3}, 0x0000f, false, "0 BIT0,1 BIT1,2 BIT2"},
    {"snoop", 0x06, 6, {0x3a2, 0x3a3}, 0x0000f, false, "2 BIT2,6 BIT6,7 BIT7"},
    {"response", 0x04, 6, {0x3a2, 0x3a3}, 0x0000f, false, "1 BIT1,2 BIT2,8 BIT8,9 BIT9"},
    {"front_end_event", 0x08, 5, {0x3cc, 0x3cd}, 0x3f000, false, "0 NBOGUS,1 BOGUS"},
    {"execution_event",
     0x0c,
     5,
     {0x3cc, 0x3cd},
     0x3f000,
     false,
     "0 NBOGUS0,1 NBOGUS1,2 NBOGUS2,3 NBOGUS3,4 BOGUS0,5 BOGUS1,6 BOGUS2,7 BOGUS3"},
    {"replay_event", 0x09, 5, {0x3cc, 0x3cd}, 0x3f000, false, "0 NBOGUS,1 BOGUS"},
    {"instr_retired",
     0x02,
     4,
     {0x3b8, 0x3b9},
     0x3f000,
     false,
     "0 NBOGUSNTAG,1 NBOGUSTAG,2 BOGUSNTAG,3 BOGUSTAG"},
    {"uops_retired", 0x01, 4, {0x3b8, 0x3b9}, 0x3f000, false, "0 NBOGUS,1 BOGUS"},
    {"uop_type", 0x02, 2, {0x3bc, 0x3bd}, 0x3f000, false, "1 TAGLOADS,2 TAGSTORES"},
    {"branch_retired", 0x06, 5, {0x3cc, 0x3cd}, 0x3f000, false, "0 MMNP,1 MMNM,2 MMTP,3 MMTM"},
    {"mispred_branch_retired", 0x03, 4, {0x3b8, 0x3b9}, 0x3f000, false, "0 NBOGUS"},
    {"x87_assist", 0x03, 5, {0x3cc, 0x3cd}, 0x3f000, false, "0 FPSU,1 FPSO,2 POAO,3 POAU,4 PREA"},
    {"machine_clear", 0x02, 5, {0x3cc, 0x3cd}, 0x3f000, false, "0 CLEAR,2 MOCLEAR,6 SMCLEAR"},
    {"instr_completed", 0x07, 4, {0x3b8, 0x3b9}, 0x3f000, false, "0 NBOGUS,1 BOGUS"},
};

/* Tables 19-31 to 19-33 (and x87_SIMD_moves_uop as perfctr has it). */
struct nb_metric {
    const char *name;
    unsigned down;     /* event select of the downstream event, at ESEL 5 of block IQ */
    uint16_t escr[2];  /* where the upstream event may be selected; 0: not there */
    uint32_t upstream; /* its ESCR's event and mask; 0: none */
    uint32_t enable;   /* IA32_PEBS_ENABLE without PEBS */
    uint32_t vert;     /* MSR_PEBS_MATRIX_VERT */
};
#define UP(select, bits) ((uint32_t)(select) << 25 | (uint32_t)(bits) << 9)
static const struct nb_metric nb_metrics[] = {
    {"memory_loads", 0x08, {0x3bc, 0x3bd}, UP(0x02, 0x0002), 0, 0},
    {"memory_stores", 0x08, {0x3bc, 0x3bd}, UP(0x02, 0x0004), 0, 0},
    {"packed_sp_retired", 0x0c, {0x3a4, 0x3a5}, UP(0x08, 0x8000), 0, 0},
    {"packed_dp_retired", 0x0c, {0x3a4, 0x3a5}, UP(0x0c, 0x8000), 0, 0},
    {"scalar_sp_retired", 0x0c, {0x3a4, 0x3a5}, UP(0x0a, 0x8000), 0, 0},
    {"scalar_dp_retired", 0x0c, {0x3a4, 0x3a5}, UP(0x0e, 0x8000), 0, 0},
    {"64_bit_mmx_retired", 0x0c, {0x3a4, 0x3a5}, UP(0x02, 0x8000), 0, 0},
    {"128_bit_mmx_retired", 0x0c, {0x3a4, 0x3a5}, UP(0x1a, 0x8000), 0, 0},
    {"x87_fp_retired", 0x0c, {0x3a4, 0x3a5}, UP(0x04, 0x8000), 0, 0},
    {"x87_simd_memory_moves_retired", 0x0c, {0x3a4, 0x3a5}, UP(0x2e, 0x0018), 0, 0},
    {"1stl_cache_load_miss_retired", 0x09, {0, 0}, 0, 0x01000001, 1},
    {"2ndl_cache_load_miss_retired", 0x09, {0, 0}, 0, 0x01000002, 1},
    {"dtlb_load_miss_retired", 0x09, {0, 0}, 0, 0x01000004, 1},
    {"dtlb_store_miss_retired", 0x09, {0, 0}, 0, 0x01000004, 2},
    {"dtlb_all_miss_retired", 0x09, {0, 0}, 0, 0x01000004, 3},
    {"tagged_mispred_branch", 0x09, {0, 0}, 0, 0x01018000, 0x10},
    {"mob_load_replay_retired", 0x09, {0x3aa, 0x3ab}, UP(0x03, 0x0030), 0x01000200, 1},
    {"split_load_retired", 0x09, {0, 0x3af}, UP(0x04, 0x0002), 0x01000400, 1},
    {"split_store_retired", 0x09, {0x3ae, 0}, UP(0x05, 0x0002), 0x01000400, 2},
};
