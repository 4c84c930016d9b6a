/* Other names of the P6 family's events (pmu/names.h).
 *
 * perf's words, as Linux has them (arch/x86/events/intel/p6.c: 79h, C0h, C4h, 62h, and 2Eh with unit mask I,
 * the requests to L2 that find no line; p6_hw_cache_event_ids). 62h does not count all of the bus's clocks,
 * only those in which this CPU drives DRDY. L1-dcache-loads includes stores.
 *
 * Aliases: rabbit's (Heller, seed 001), which knows the emon_kni events as emon_sse, and calls PREFETCHT1's
 * unit mask, 01h, t0; and libpfm4's (its tables ppro, pii, p6, pm). PII_0x52 (self-modifying code) and
 * PII_0xCF (saturating MMX instructions retired) are undocumented and available as codes only. Missing names
 * and the reasons: docs/events.md, whose completeness tests/unit/test_library_names.c checks.
 */
#include "pmu/names.h"
#include "pmu/p6.h"

const struct pmu_words pmu_p6_words = {.event = {[CYCLES] = "cpu_clk_unhalted",
                                                 [INSTRUCTIONS] = "inst_retired",
                                                 [BRANCHES] = "br_inst_retired",
                                                 [CACHE_MISSES] = "l2_rqsts:i",
                                                 [CACHE_REFERENCES] = "l2_rqsts:m:e:s:i",
                                                 [BRANCH_MISSES] = "br_miss_pred_retired",
                                                 [BUS_CYCLES] = "bus_drdy_clocks",
                                                 [L1D_LOADS] = "data_mem_refs",
                                                 [L1D_LOAD_MISSES] = "dcu_lines_in",
                                                 [L1D_STORE_MISSES] = "r0f29",
                                                 [L1I_LOADS] = "ifu_ifetch",
                                                 [L1I_LOAD_MISSES] = "l2_ifetch:m:e:s:i",
                                                 [LLC_STORE_MISSES] = "l2_m_lines_inm",
                                                 [DTLB_LOADS] = "data_mem_refs",
                                                 [ITLB_LOADS] = "ifu_ifetch",
                                                 [ITLB_LOAD_MISSES] = "itlb_miss",
                                                 [BRANCH_LOADS] = "br_inst_retired",
                                                 [BRANCH_LOAD_MISSES] = "br_miss_pred_retired"}};

#define FROM_PIII (P6_PIII | P6_PM)

const struct pmu_alias pmu_p6_aliases[PMU_P6_ALIASES] = {
    ALIAS(P6_PPRO, "ppro::", "p6::"),
    ALIAS(P6_PII, "pii::", "p6::"),
    ALIAS(P6_PM, "pm::", "p6::"),
    ALIAS(0, "bus_trans_brd", "bus_tran_brd"),
    ALIAS(0, "bus_trans_rfo", "bus_tran_rfo"),
    ALIAS(0, "bus_data_recv", "bus_data_rcv"),
    ALIAS(0, "inst_decoder", "inst_decoded"),
    ALIAS(P6_PII | P6_PIII, "pii_0x52", "r0052"),
    ALIAS(P6_PII | P6_PIII, "pii_0xcf", "r00cf"),
    ALIAS(FROM_PIII, "emon_sse_inst_retired", "emon_kni_inst_retired"),
    ALIAS(FROM_PIII, "emon_sse_comp_inst_ret", "emon_kni_comp_inst_ret"),
    ALIAS(FROM_PIII, "emon_sse_pre_dispatched", "emon_kni_pref_dispatched"),
    ALIAS(FROM_PIII, "emon_sse_pre_miss", "emon_kni_pref_miss"),
    ALIAS(P6_PM, "emon_sse_sse2_inst_retired", "emon_kni_inst_retired"),
    ALIAS(P6_PM, "emon_sse_sse2_comp_inst_retired", "emon_kni_comp_inst_ret"),
    ALIAS(P6_PM, "l2_m_lines_out", "l2_m_lines_outm"),
    ALIAS_UMASK(PREFETCH, "t0", "t1"),
    ALIAS_UMASK(TRANSITION, "to_fp", "mmx_to_fp"),
    ALIAS_UMASK(TRANSITION, "to_mmx", "fp_to_mmx"),
    ALIAS_UMASK(SSE, "packed_scalar", "all"),
    ALIAS_UMASK(SSE_PM, "sse_packed_scalar_single", "sse_all"),
    ALIAS_UMASK(SSE_PM, "sse_scalar_single", "sse_scalar"),
    ALIAS_UMASK(SSE_COMP_PM, "sse_packed_scalar_single", "sse_packed"),
    ALIAS_UMASK(SSE_COMP_PM, "sse_scalar_single", "sse_scalar"),
    ALIAS_UMASK(FUSED, "ld_op", "load_op"),
    ALIAS_UMASK(MESI_PREFETCH, "excl_hw_prefetch", "demand"),
    ALIAS_UMASK(MESI_PREFETCH, "only_hw_prefetch", "hw_prefetch"),
};
