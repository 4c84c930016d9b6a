/* One table for every name that an event has elsewhere.
 *
 * P5: the enumerated names of Safford's p5mon and run_p5mon (seed 003, tables 3.2 and C.1); event_disable,
 * which counts nothing, is left out. P6: rabbit's (Heller, seed 001), which knows the emon_kni events as
 * emon_sse, and calls PREFETCHT1's unit mask, 01h, t0. PII_0x52 (self-modifying code) and PII_0xCF
 * (saturating MMX instructions retired) are undocumented and stay the codes that they are. All others are
 * libpfm4's (its tables ppro, pii, p6, pm, netburst and netburst_p). What is not here, with the reason:
 * docs/events.md, which tests/unit/test_library_names.c holds complete.
 *
 * libpfm4 has NetBurst's replay metrics as unit masks of replay_event and its execution tags as unit masks of
 * the upstream event; TAGn is bit n of the tag's value. Its mispred_branch_retired:BOGUS is bit 0, NBOGUS in
 * SDM table 19-29.
 */
#include "pmu/aliases.h"
#include "pmu/driver.h"
#include "pmu/netburst.h"
#include "pmu/p6.h"
#include <string.h>

#define EVENT(family, models, name, stands_for) \
    {                                           \
        family, name, stands_for, models, 0, 0  \
    }
#define UMASK(family, set, name, stands_for) \
    {                                        \
        family, name, stands_for, 0, set, 0  \
    }
#define ROW(family, set, name, stands_for)  \
    {                                       \
        family, name, stands_for, 0, set, 1 \
    }

#define FROM_PII  (P6_PII | P6_PIII | P6_PM)
#define FROM_PIII (P6_PIII | P6_PM)

static const struct pmu_alias aliases[] = {
    EVENT(NULL, 0, "cpu-cycles", "cycles"), /* perf's */
    EVENT(NULL, 0, "branch-instructions", "branches"),

    EVENT("P5", 0, "count_clocks", "/clocks/"),
    EVENT("P5", 0, "data_read_or_write_miss", "data_read_miss_or_write_miss"),
    EVENT("P5", 0, "write_to_m_or_e_lines", "write_hit_to_m_or_e_state_lines"),
    EVENT("P5", 0, "data_cache_snooping_hits", "external_data_cache_snoop_hits"),
    EVENT("P5", 0, "segment_register_loaded", "any_segment_register_loaded"),
    EVENT("P5", 0, "instructions_executed_in_v_pipe", "instructions_executed_v_pipe"),
    EVENT("P5", 0, "clocks_while_bus_cycle_in_progress", "bus_cycle_duration"),
    EVENT("P5", 0, "clocks_stalled_full_write_buffers", "write_buffer_full_stall_duration"),
    EVENT("P5", 0, "clocks_stalled_waiting_data_read", "waiting_for_data_memory_read_stall_duration"),
    EVENT("P5", 0, "clocks_stalled_write_to_m_or_e_line", "stall_on_write_to_an_e_or_m_state_line"),
    EVENT("P5", 0, "non_cacheable_memory_reads", "noncacheable_memory_reads"),
    EVENT("P5", 0, "pipeline_stalled_address_generation_interlock", "pipeline_agi_stalls"),
    EVENT("P5", 0, "breakpoint_match_dr0", "breakpoint_match_on_dr0_register"),
    EVENT("P5", 0, "breakpoint_match_dr1", "breakpoint_match_on_dr1_register"),
    EVENT("P5", 0, "breakpoint_match_dr2", "breakpoint_match_on_dr2_register"),
    EVENT("P5", 0, "breakpoint_match_dr3", "breakpoint_match_on_dr3_register"),

    EVENT("P6", P6_PPRO, "ppro::", "p6::"),
    EVENT("P6", P6_PII, "pii::", "p6::"),
    EVENT("P6", P6_PM, "pm::", "p6::"),
    EVENT("P6", 0, "bus_trans_brd", "bus_tran_brd"),
    EVENT("P6", 0, "bus_trans_rfo", "bus_tran_rfo"),
    EVENT("P6", 0, "bus_data_recv", "bus_data_rcv"),
    EVENT("P6", 0, "inst_decoder", "inst_decoded"),
    EVENT("P6", P6_PII | P6_PIII, "pii_0x52", "r0052"),
    EVENT("P6", P6_PII | P6_PIII, "pii_0xcf", "r00cf"),
    EVENT("P6", FROM_PIII, "emon_sse_inst_retired", "emon_kni_inst_retired"),
    EVENT("P6", FROM_PIII, "emon_sse_comp_inst_ret", "emon_kni_comp_inst_ret"),
    EVENT("P6", FROM_PIII, "emon_sse_pre_dispatched", "emon_kni_pref_dispatched"),
    EVENT("P6", FROM_PIII, "emon_sse_pre_miss", "emon_kni_pref_miss"),
    EVENT("P6", P6_PM, "emon_sse_sse2_inst_retired", "emon_kni_inst_retired"),
    EVENT("P6", P6_PM, "emon_sse_sse2_comp_inst_retired", "emon_kni_comp_inst_ret"),
    EVENT("P6", P6_PM, "l2_m_lines_out", "l2_m_lines_outm"),
    UMASK("P6", PREFETCH, "t0", "t1"),
    UMASK("P6", TRANSITION, "to_fp", "mmx_to_fp"),
    UMASK("P6", TRANSITION, "to_mmx", "fp_to_mmx"),
    UMASK("P6", SSE, "packed_scalar", "all"),
    UMASK("P6", SSE_PM, "sse_packed_scalar_single", "sse_all"),
    UMASK("P6", SSE_PM, "sse_scalar_single", "sse_scalar"),
    UMASK("P6", SSE_COMP_PM, "sse_packed_scalar_single", "sse_packed"),
    UMASK("P6", SSE_COMP_PM, "sse_scalar_single", "sse_scalar"),
    UMASK("P6", FUSED, "ld_op", "load_op"),
    UMASK("P6", MESI_PREFETCH, "excl_hw_prefetch", "demand"),
    UMASK("P6", MESI_PREFETCH, "only_hw_prefetch", "hw_prefetch"),

    EVENT("NetBurst", NB_NO_IQ_ESCR, "netburst_p::", "netburst::"),
    EVENT("NetBurst", 0, "uops_type", "uop_type"),
    UMASK("NetBurst", NB_MASKS_MISPRED, "bogus", "nbogus"),
    UMASK("NetBurst", NB_MASKS_UOP, "tag0", "tag=1"),
    UMASK("NetBurst", NB_MASKS_UOP, "tag1", "tag=2"),
    UMASK("NetBurst", NB_MASKS_UOP, "tag2", "tag=4"),
    UMASK("NetBurst", NB_MASKS_UOP, "tag3", "tag=8"),
    ROW("NetBurst", NB_MASKS_REPLAY, "l1_ld_miss", "1stl_cache_load_miss_retired"),
    ROW("NetBurst", NB_MASKS_REPLAY, "l2_ld_miss", "2ndl_cache_load_miss_retired"),
    ROW("NetBurst", NB_MASKS_REPLAY, "dtlb_ld_miss", "dtlb_load_miss_retired"),
    ROW("NetBurst", NB_MASKS_REPLAY, "dtlb_st_miss", "dtlb_store_miss_retired"),
    ROW("NetBurst", NB_MASKS_REPLAY, "dtlb_all_miss", "dtlb_all_miss_retired"),
    ROW("NetBurst", NB_MASKS_REPLAY, "br_msp", "tagged_mispred_branch"),
    ROW("NetBurst", NB_MASKS_REPLAY, "mob_ld_replay", "mob_load_replay_retired"),
    ROW("NetBurst", NB_MASKS_REPLAY, "sp_ld_ret", "split_load_retired"),
    ROW("NetBurst", NB_MASKS_REPLAY, "sp_st_ret", "split_store_retired"),
};

#define END (aliases + sizeof aliases / sizeof aliases[0])

static bool has(const struct pmu *pmu, const struct pmu_alias *a)
{
    return (a->models == 0 || a->models & pmu->models) &&
           (!a->family || strcmp(a->family, pmu->ops->family) == 0);
}

const struct pmu_alias *pmu_alias_named(const struct pmu *pmu, unsigned umasks, const char *name)
{
    for (const struct pmu_alias *a = aliases; a < END; a++)
        if (a->umasks == umasks && strcmp(a->name, name) == 0 && has(pmu, a)) return a;
    return NULL;
}

const struct pmu_alias *pmu_alias_next(const struct pmu *pmu, const struct pmu_alias *after)
{
    for (const struct pmu_alias *a = after ? after + 1 : aliases; pmu->ops && a < END; a++)
        if (!a->umasks && !strchr(a->name, ':') && has(pmu, a)) return a;
    return NULL;
}
