/* The needs of NetBurst's tagging metrics besides their downstream event: SDM vol. 3B (order 325384-059)
 * tables 19-31 (front-end), 19-32 (execution) and 19-33 (replay), 18.15.6; and the companions that table
 * 19-28 requires.
 *
 * Where sources differ: 18.15.7.1 calls bit 24 of IA32_PEBS_ENABLE the enable bit, tables 35-41 and 19-33 bit
 * 25, and 24 the bit that turns replay tagging on; so does Linux. split_store_retired takes SAAT_ESCR0 as in
 * table 19-33 (the event's own entry says ESCR1).
 */
#include "pmu/netburst.h"

/* First ESCR, block, ESEL, sides */
#define RAT  0x1c, 3, 2, 3
#define FIRM 0x04, 2, 1, 3
#define MOB  0x0a, 0, 2, 3
#define NONE 0, 0, 0, 0

#define LOADS    1
#define STORES   2
#define BRANCHES 16
#define BIT(n)   (PEBS_UOP_TAG | 1u << (n))

const struct netburst_upstream pmu_netburst_upstream[NB_UPSTREAMS] = {
    {RAT, 0x02, 0, 1 << 1, 0},                      /* memory_loads: uop_type, TAGLOADS */
    {RAT, 0x02, 0, 1 << 2, 0},                      /* memory_stores: uop_type, TAGSTORES */
    {FIRM, 0x08, 0, 1 << 15, 0},                    /* packed_sp_retired: packed_SP_uop, ALL, and so on */
    {FIRM, 0x0c, 0, 1 << 15, 0},                    /* packed_dp_retired */
    {FIRM, 0x0a, 0, 1 << 15, 0},                    /* scalar_sp_retired */
    {FIRM, 0x0e, 0, 1 << 15, 0},                    /* scalar_dp_retired */
    {FIRM, 0x02, 0, 1 << 15, 0},                    /* 64_bit_mmx_retired */
    {FIRM, 0x1a, 0, 1 << 15, 0},                    /* 128_bit_mmx_retired */
    {FIRM, 0x04, 0, 1 << 15, 0},                    /* x87_fp_retired */
    {FIRM, 0x2e, 0, 3 << 3, 0},                     /* x87_simd_memory_moves_retired: ALLP0 and ALLP2 */
    {NONE, 0, LOADS, 0, BIT(0)},                    /* 1stl_cache_load_miss_retired */
    {NONE, 0, LOADS, 0, BIT(1)},                    /* 2ndl_cache_load_miss_retired */
    {NONE, 0, LOADS, 0, BIT(2)},                    /* dtlb_load_miss_retired */
    {NONE, 0, STORES, 0, BIT(2)},                   /* dtlb_store_miss_retired */
    {NONE, 0, LOADS | STORES, 0, BIT(2)},           /* dtlb_all_miss_retired */
    {NONE, 0, BRANCHES, 0, BIT(15) | BIT(16)},      /* tagged_mispred_branch */
    {MOB, 0x03, LOADS, 3 << 4, BIT(9)},             /* mob_load_replay_retired: PARTIAL_DATA, UNALGN_ADDR */
    {0x0e, 2, 2, 2, 0x04, LOADS, 1 << 1, BIT(10)},  /* split_load_retired: load_port_replay, SAAT_ESCR1 */
    {0x0e, 2, 2, 1, 0x05, STORES, 1 << 1, BIT(10)}, /* split_store_retired: store_port_replay, SAAT_ESCR0 */
    {0x02, 0, 6, 1, 0x03, 0, NB_SAME_MASK, 0},      /* ioq_active_entries: IOQ_allocation, FSB_ESCR0 */
    {0x00, 0, 7, 1, 0x05, 0, NB_SAME_MASK, 0},      /* bsq_active_entries: BSQ_allocation, BSU_ESCR0 */
};

int pmu_netburst_upstream_of(const struct pmu_event *row)
{
    int metric = (int)(row - (pmu_netburst_events + PMU_NETBURST_EVENTS - NB_METRICS));
    if (metric >= 0) return metric;
    return row->code == (NB_CODE(6, 0x1a) | NB_ANY_CPL) ? NB_METRICS
           : row->code == NB_CODE(7, 0x06)              ? NB_METRICS + 1
                                                        : -1;
}
