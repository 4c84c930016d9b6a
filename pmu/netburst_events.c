/* Events and event masks of NetBurst.
 *
 * Names, codes, ESCRs, counters and masks: SDM vol. 3B (order 325384-059) tables 19-28 to 19-30, thread type
 * table 19-34; metrics: tables 19-31 to 19-33.
 *
 * Where sources differ: b2b_cycles, bnr, snoop and response are printed with ESEL 3, but table 18-63 has
 * FSB_ESCR at 6 and ITLB_ESCR at 3; routed by table 18-63 here. Table 19-34 has masks that the events' own
 * entries lack (tc_deliver_mode IB is in both): they can be given as a number. Tables 19-32 and 19-34 refer
 * to x87_simd_moves_uop, which has no entry; its code comes from perfctr.
 *
 * Default masks without a name: everything that retires and that the event can count (NBOGUS); for
 * ioq_allocation the Optimization manual's "bus accesses from the processor", for bsq_allocation cacheable
 * demand reads of whole lines of write-back memory.
 */
#include "pmu/netburst.h"

#define SIDE0(block)  ((block) == 3 ? 1u << 12 | 1u << 13 | 1u << 16 : 3u << 4 * (block))
#define SIDE1(block)  ((block) == 3 ? 1u << 14 | 1u << 15 | 1u << 17 : 12u << 4 * (block))
#define BPU           (SIDE0(0) | SIDE1(0))
#define MS            (SIDE0(1) | SIDE1(1))
#define FLAME         (SIDE0(2) | SIDE1(2))
#define IQ            (SIDE0(3) | SIDE1(3))
#define FROM_PRESCOTT (1u << 3 | 1u << 4 | 1u << 6)

#define TS(esel, select) NB_CODE(esel, select)
#define TI(esel, select) (NB_CODE(esel, select) | NB_TI)
#define OCCURS           KIND_OCCURRENCE
#define CLOCKS           KIND_CYCLES
#define WEIGHTED         KIND_WEIGHTED

#define FE_METRIC     NB_FRONT_END, 0x01, IQ, 0
#define EXE_METRIC    NB_EXECUTION, 0x01, IQ, 0
#define REPLAY_METRIC NB_REPLAY, 0x01, IQ, 0

/* Sets of event masks. */
enum {
    ALL = NB_MASKS_UOP,
    NBOGUS = NB_MASKS_MISPRED,
    REPLAY = NB_MASKS_REPLAY,
    TC = NB_MASKS_OWN,
    TCMISS,
    ITLB,
    CANCEL,
    COMPLETE,
    SPLIT_LD,
    SPLIT_ST,
    MOB,
    WALK,
    BSQ_REF,
    IOQ,
    FSB,
    BSQ,
    MOVES,
    FLUSH,
    RUNNING,
    CISC,
    QUEUE,
    BRANCH,
    SBFULL,
    WCB,
    B2B,
    BNR,
    SNOOP,
    RESPONSE,
    BOGUS,
    EXE,
    INSTR,
    TYPE,
    TAKEN,
    ASSIST,
    CLEAR
};

const struct pmu_event pmu_netburst_events[] = {
    {"tc_deliver_mode", TI(1, 0x01), 0xff, MS, 0, "delivering, building traces", TC, CLOCKS},
    {"bpu_fetch_request", TS(0, 0x03), 0x01, BPU, 0, "code fetches", TCMISS, OCCURS},
    {"itlb_reference", TS(3, 0x18), 0x07, BPU, 0, "code TLB lookups", ITLB, OCCURS},
    {"memory_cancel", TS(5, 0x02), 0x0c, FLAME, 0, "requests cancelled", CANCEL, OCCURS},
    {"memory_complete", TS(2, 0x08), 0x03, FLAME, 0, "split accesses completed", COMPLETE, OCCURS},
    {"load_port_replay", TS(2, 0x04), 0x02, FLAME, 0, "replays at the load port", SPLIT_LD, OCCURS},
    {"store_port_replay", TS(2, 0x05), 0x02, FLAME, 0, "replays at the store port", SPLIT_ST, OCCURS},
    {"mob_load_replay", TS(2, 0x03), 0x3a, BPU, 0, "loads replayed", MOB, OCCURS},
    {"page_walk_type", TI(4, 0x01), 0x03, BPU, 0, "page walks", WALK, OCCURS},
    {"bsq_cache_reference", TS(7, 0x0c), 0x73f, BPU, 0, "L2, L3; half to twice as many (erratum)", BSQ_REF,
     OCCURS},
    {"ioq_allocation", TS(6, 0x03), 0xafe1, BPU, NB_F27, "bus transactions; use edge", IOQ, OCCURS},
    {"ioq_allocation", TS(6, 0x03) | NB_ANY_CPL, 0xafe1, SIDE0(0), NB_BEFORE_F27,
     "bus transactions; use edge", IOQ, OCCURS},
    {"ioq_active_entries", TS(6, 0x1a) | NB_ANY_CPL, 0xafe1, SIDE1(0), 0, "bus transactions queued", IOQ,
     WEIGHTED},
    {"fsb_data_activity", TI(6, 0x17), 0x3f, BPU, 0, "DRDY, DBSY on the bus; use edge", FSB, OCCURS},
    {"bsq_allocation", TS(7, 0x05), 0x368c, SIDE0(0), 0, "bus requests; use edge", BSQ, OCCURS},
    {"bsq_active_entries", TS(7, 0x06), 0x368c, SIDE1(0), 0, "bus requests active", BSQ, WEIGHTED},
    {"sse_input_assist", TI(1, 0x34), 0x8000, FLAME, 0, "SSE assists for input", ALL, OCCURS},
    {"packed_sp_uop", TI(1, 0x08), 0x8000, FLAME, 0, "uops of this kind", ALL, OCCURS},
    {"packed_dp_uop", TI(1, 0x0c), 0x8000, FLAME, 0, "uops of this kind", ALL, OCCURS},
    {"scalar_sp_uop", TI(1, 0x0a), 0x8000, FLAME, 0, "uops of this kind", ALL, OCCURS},
    {"scalar_dp_uop", TI(1, 0x0e), 0x8000, FLAME, 0, "uops of this kind", ALL, OCCURS},
    {"64bit_mmx_uop", TI(1, 0x02), 0x8000, FLAME, 0, "uops of this kind", ALL, OCCURS},
    {"128bit_mmx_uop", TI(1, 0x1a), 0x8000, FLAME, 0, "uops of this kind", ALL, OCCURS},
    {"x87_fp_uop", TI(1, 0x04), 0x8000, FLAME, 0, "uops of this kind", ALL, OCCURS},
    {"x87_simd_moves_uop", TI(1, 0x2e), 0x18, FLAME, 0, "uops of this kind; undocumented", MOVES, OCCURS},
    {"tc_misc", TS(1, 0x06), 0x10, MS, 0, "trace cache flushes, 2 each", FLUSH, OCCURS},
    {"global_power_events", TS(6, 0x13), 0x01, BPU, 0, "clocks not halted", RUNNING, CLOCKS},
    {"tc_ms_xfer", TS(0, 0x05), 0x01, MS, 0, "switches to microcode ROM", CISC, OCCURS},
    {"uop_queue_writes", TS(0, 0x09), 0x07, MS, 0, "uops written to the queue", QUEUE, OCCURS},
    {"retired_mispred_branch_type", TS(2, 0x05), 0x1e, MS, 0, "branches mispredicted", BRANCH, OCCURS},
    {"retired_branch_type", TS(2, 0x04), 0x1e, MS, 0, "branches retired; may count too many", BRANCH, OCCURS},
    {"resource_stall", TS(1, 0x01), 0x20, IQ, 0, "stalls of the allocator; not on all", SBFULL, CLOCKS},
    {"wc_buffer", TI(5, 0x05), 0x03, FLAME, 0, "write-combining evictions", WCB, OCCURS},
    {"b2b_cycles", TS(6, 0x16), 0x7e, BPU, 0, "back-to-back bus cycles; not on all; routing unconfirmed", B2B,
     OCCURS},
    {"bnr", TS(6, 0x08), 0x07, BPU, 0, "bus not ready; not on all; routing unconfirmed", BNR, OCCURS},
    {"snoop", TS(6, 0x06), 0xc4, BPU, 0, "snoops; not on all; routing unconfirmed", SNOOP, OCCURS},
    {"response", TS(6, 0x04), 0x306, BPU, 0, "bus responses; not on all; routing unconfirmed", RESPONSE,
     OCCURS},
    {"front_end_event", NB_FRONT_END, 0x01, IQ, 0, "uops with front-end tag", BOGUS, OCCURS},
    {"execution_event", NB_EXECUTION, 0x0f, IQ, 0, "uops with execution tag", EXE, OCCURS},
    {"replay_event", NB_REPLAY, 0x01, IQ, 0, "uops with replay tag", REPLAY, OCCURS},
    {"instr_retired", TS(4, 0x02), 0x03, IQ, 0, "instructions retired", INSTR, OCCURS},
    {"uops_retired", TS(4, 0x01), 0x01, IQ, 0, "uops retired", BOGUS, OCCURS},
    {"uop_type", TS(2, 0x02), 0x06, IQ, 0, "sets front-end tags, counts nothing", TYPE, OCCURS},
    {"branch_retired", TS(5, 0x06), 0x0f, IQ, 0, "branches retired", TAKEN, OCCURS},
    {"mispred_branch_retired", TS(4, 0x03), 0x01, IQ, 0, "branches mispredicted", NBOGUS, OCCURS},
    {"x87_assist", TS(5, 0x03), 0x1f, IQ, 0, "x87 assists", ASSIST, OCCURS},
    {"machine_clear", TS(5, 0x02), 0x01, IQ, 0, "clocks in clears; edge: clears", CLEAR, CLOCKS},
    {"instr_completed", TS(4, 0x07), 0x01, IQ, FROM_PRESCOTT, "instructions retired", BOGUS, OCCURS},

    /* Metrics: the order is that of pmu_netburst_upstream. */
    {"memory_loads", FE_METRIC, "loads", BOGUS, OCCURS},
    {"memory_stores", FE_METRIC, "stores; may miss some on x87 stack faults", BOGUS, OCCURS},
    {"packed_sp_retired", EXE_METRIC, "uops of this kind", BOGUS, OCCURS},
    {"packed_dp_retired", EXE_METRIC, "uops of this kind", BOGUS, OCCURS},
    {"scalar_sp_retired", EXE_METRIC, "uops of this kind", BOGUS, OCCURS},
    {"scalar_dp_retired", EXE_METRIC, "uops of this kind", BOGUS, OCCURS},
    {"64_bit_mmx_retired", EXE_METRIC, "uops of this kind", BOGUS, OCCURS},
    {"128_bit_mmx_retired", EXE_METRIC, "uops of this kind", BOGUS, OCCURS},
    {"x87_fp_retired", EXE_METRIC, "uops of this kind", BOGUS, OCCURS},
    {"x87_simd_memory_moves_retired", EXE_METRIC, "uops of this kind; undocumented", BOGUS, OCCURS},
    {"1stl_cache_load_miss_retired", REPLAY_METRIC, "loads that missed L1", BOGUS, OCCURS},
    {"2ndl_cache_load_miss_retired", REPLAY_METRIC, "loads that missed L2, if found soon", BOGUS, OCCURS},
    {"dtlb_load_miss_retired", REPLAY_METRIC, "loads that missed the data TLB", BOGUS, OCCURS},
    {"dtlb_store_miss_retired", REPLAY_METRIC, "stores that missed the data TLB", BOGUS, OCCURS},
    {"dtlb_all_miss_retired", REPLAY_METRIC, "loads, stores that missed the data TLB", BOGUS, OCCURS},
    {"tagged_mispred_branch", REPLAY_METRIC, "branches mispredicted", BOGUS, OCCURS},
    {"mob_load_replay_retired", REPLAY_METRIC, "loads replayed", BOGUS, OCCURS},
    {"split_load_retired", REPLAY_METRIC, "loads across two lines", BOGUS, OCCURS},
    {"split_store_retired", REPLAY_METRIC, "stores across two lines", BOGUS, OCCURS},
};

#define BIT(set, name, n, field)           \
    {                                      \
        name, 1u << (n), set, field, false \
    }

const struct pmu_umask pmu_netburst_umasks[] = {
    /* logical processor 0, then 1: D delivers, B builds, I idle */
    BIT(TC, "dd", 0, 0),
    BIT(TC, "db", 1, 0),
    BIT(TC, "di", 2, 0),
    BIT(TC, "bd", 3, 0),
    BIT(TC, "bb", 4, 0),
    BIT(TC, "bi", 5, 0),
    BIT(TC, "id", 6, 0),
    BIT(TC, "ib", 7, 0),
    BIT(TCMISS, "tcmiss", 0, 0),
    BIT(ITLB, "hit", 0, 0),
    BIT(ITLB, "miss", 1, 0),
    BIT(ITLB, "hit_uc", 2, 0),
    BIT(CANCEL, "st_rb_full", 2, 0),
    BIT(CANCEL, "64k_conf", 3, 0),
    BIT(COMPLETE, "lsc", 0, 0),
    BIT(COMPLETE, "ssc", 1, 0),
    BIT(SPLIT_LD, "split_ld", 1, 0),
    BIT(SPLIT_ST, "split_st", 1, 0),
    BIT(MOB, "no_sta", 1, 0),
    BIT(MOB, "no_std", 3, 0),
    BIT(MOB, "partial_data", 4, 0),
    BIT(MOB, "unalgn_addr", 5, 0),
    BIT(WALK, "dtmiss", 0, 0),
    BIT(WALK, "itmiss", 1, 0),
    BIT(BSQ_REF, "rd_2ndl_hits", 0, 0),
    BIT(BSQ_REF, "rd_2ndl_hite", 1, 0),
    BIT(BSQ_REF, "rd_2ndl_hitm", 2, 0),
    BIT(BSQ_REF, "rd_3rdl_hits", 3, 0),
    BIT(BSQ_REF, "rd_3rdl_hite", 4, 0),
    BIT(BSQ_REF, "rd_3rdl_hitm", 5, 0),
    BIT(BSQ_REF, "rd_2ndl_miss", 8, 0),
    BIT(BSQ_REF, "rd_3rdl_miss", 9, 0),
    BIT(BSQ_REF, "wr_2ndl_miss", 10, 0),
    BIT(IOQ, "default", 0, 0), /* of the bus request type */
    BIT(IOQ, "all_read", 5, 1),
    BIT(IOQ, "all_write", 6, 1),
    BIT(IOQ, "mem_uc", 7, 2),
    BIT(IOQ, "mem_wc", 8, 2),
    BIT(IOQ, "mem_wt", 9, 2),
    BIT(IOQ, "mem_wp", 10, 2),
    BIT(IOQ, "mem_wb", 11, 2),
    BIT(IOQ, "own", 13, 3),
    BIT(IOQ, "other", 14, 3),
    BIT(IOQ, "prefetch", 15, 4),
    BIT(IOQ, "type_bit0", 0, 0), /* libpfm4's for the bus request type, of five bits */
    BIT(IOQ, "type_bit1", 1, 0),
    BIT(IOQ, "type_bit2", 2, 0),
    BIT(IOQ, "type_bit3", 3, 0),
    BIT(IOQ, "type_bit4", 4, 0),
    BIT(FSB, "drdy_drv", 0, 0),
    BIT(FSB, "drdy_own", 1, 0),
    BIT(FSB, "drdy_other", 2, 0),
    BIT(FSB, "dbsy_drv", 3, 0),
    BIT(FSB, "dbsy_own", 4, 0),
    BIT(FSB, "dbsy_other", 5, 0),
    BIT(BSQ, "req_type0", 0, 0),
    BIT(BSQ, "req_type1", 1, 0),
    BIT(BSQ, "req_len0", 2, 0),
    BIT(BSQ, "req_len1", 3, 0),
    BIT(BSQ, "req_io_type", 5, 0),
    BIT(BSQ, "req_lock_type", 6, 0),
    BIT(BSQ, "req_cache_type", 7, 0),
    BIT(BSQ, "req_split_type", 8, 0),
    BIT(BSQ, "req_dem_type", 9, 0),
    BIT(BSQ, "req_ord_type", 10, 0),
    BIT(BSQ, "mem_type0", 11, 0),
    BIT(BSQ, "mem_type1", 12, 0),
    BIT(BSQ, "mem_type2", 13, 0),
    BIT(ALL, "all", 15, 0),
    BIT(MOVES, "allp0", 3, 0),
    BIT(MOVES, "allp2", 4, 0),
    BIT(FLUSH, "flush", 4, 0),
    BIT(RUNNING, "running", 0, 0),
    BIT(CISC, "cisc", 0, 0),
    BIT(QUEUE, "from_tc_build", 0, 0),
    BIT(QUEUE, "from_tc_deliver", 1, 0),
    BIT(QUEUE, "from_rom", 2, 0),
    BIT(BRANCH, "conditional", 1, 0),
    BIT(BRANCH, "call", 2, 0),
    BIT(BRANCH, "return", 3, 0),
    BIT(BRANCH, "indirect", 4, 0),
    BIT(SBFULL, "sbfull", 5, 0),
    BIT(WCB, "wcb_evicts", 0, 0),
    BIT(WCB, "wcb_full_evict", 1, 0),
    /* the bits of these four are not documented */
    BIT(B2B, "bit1", 1, 0),
    BIT(B2B, "bit2", 2, 0),
    BIT(B2B, "bit3", 3, 0),
    BIT(B2B, "bit4", 4, 0),
    BIT(B2B, "bit5", 5, 0),
    BIT(B2B, "bit6", 6, 0),
    BIT(BNR, "bit0", 0, 0),
    BIT(BNR, "bit1", 1, 0),
    BIT(BNR, "bit2", 2, 0),
    BIT(SNOOP, "bit2", 2, 0),
    BIT(SNOOP, "bit6", 6, 0),
    BIT(SNOOP, "bit7", 7, 0),
    BIT(RESPONSE, "bit1", 1, 0),
    BIT(RESPONSE, "bit2", 2, 0),
    BIT(RESPONSE, "bit8", 8, 0),
    BIT(RESPONSE, "bit9", 9, 0),
    BIT(NBOGUS, "nbogus", 0, 0),
    BIT(BOGUS, "nbogus", 0, 0),
    BIT(BOGUS, "bogus", 1, 0),
    BIT(REPLAY, "nbogus", 0, 0),
    BIT(REPLAY, "bogus", 1, 0),
    BIT(EXE, "nbogus0", 0, 0),
    BIT(EXE, "nbogus1", 1, 0),
    BIT(EXE, "nbogus2", 2, 0),
    BIT(EXE, "nbogus3", 3, 0),
    BIT(EXE, "bogus0", 4, 0),
    BIT(EXE, "bogus1", 5, 0),
    BIT(EXE, "bogus2", 6, 0),
    BIT(EXE, "bogus3", 7, 0),
    BIT(INSTR, "nbogusntag", 0, 0),
    BIT(INSTR, "nbogustag", 1, 0),
    BIT(INSTR, "bogusntag", 2, 0),
    BIT(INSTR, "bogustag", 3, 0),
    BIT(TYPE, "tagloads", 1, 0),
    BIT(TYPE, "tagstores", 2, 0),
    /* last two letters: not taken or taken, predicted or mispredicted */
    BIT(TAKEN, "mmnp", 0, 0),
    BIT(TAKEN, "mmnm", 1, 0),
    BIT(TAKEN, "mmtp", 2, 0),
    BIT(TAKEN, "mmtm", 3, 0),
    BIT(ASSIST, "fpsu", 0, 0),
    BIT(ASSIST, "fpso", 1, 0),
    BIT(ASSIST, "poao", 2, 0),
    BIT(ASSIST, "poau", 3, 0),
    BIT(ASSIST, "prea", 4, 0),
    BIT(CLEAR, "clear", 0, 0),
    BIT(CLEAR, "moclear", 2, 0),
    BIT(CLEAR, "smclear", 6, 0),
};

_Static_assert(sizeof pmu_netburst_events / sizeof pmu_netburst_events[0] == PMU_NETBURST_EVENTS,
               "PMU_NETBURST_EVENTS is the number of rows");
_Static_assert(sizeof pmu_netburst_umasks / sizeof pmu_netburst_umasks[0] == PMU_NETBURST_UMASKS,
               "PMU_NETBURST_UMASKS is the number of rows");
