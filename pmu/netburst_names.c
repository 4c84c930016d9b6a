/* Other names of NetBurst's events (pmu/names.h).
 *
 * perf's words. cycles and cache-misses as Linux has them (arch/x86/events/intel/p4.c): clocks not halted by
 * global_power_events, which, unlike non-sleep clockticks (execution_event compared with 15), respects the
 * privilege level; L2's and L3's misses. The others differ from Linux. Linux' instructions count bogus ones,
 * which did not retire; its branches are retired_branch_type, which has no mask for unconditional jumps and
 * may count too much (table 19-28): branch_retired, with all its masks, is the Optimization manual's
 * "branches retired". Words for caches are p4_hw_cache_event_ids. Other words are absent: no event has their
 * meaning.
 *
 * Aliases: libpfm4's (its tables netburst and netburst_p), which has the replay metrics as unit masks of
 * replay_event and the execution tags as unit masks of the upstream event; TAGn is bit n of the tag's value.
 * Its mispred_branch_retired:BOGUS is bit 0, NBOGUS in SDM table 19-29. Missing names and the reasons:
 * docs/events.md, whose completeness tests/unit/test_library_names.c checks.
 */
#include "pmu/names.h"
#include "pmu/netburst.h"

const struct pmu_words pmu_netburst_words = {
    .event = {[CYCLES] = "global_power_events",
              [INSTRUCTIONS] = "instr_retired",
              [BRANCHES] = "branch_retired",
              [CACHE_MISSES] = "bsq_cache_reference:rd_2ndl_miss:rd_3rdl_miss:wr_2ndl_miss",
              [BRANCH_MISSES] = "mispred_branch_retired",
              [L1D_LOAD_MISSES] = "1stl_cache_load_miss_retired",
              [LLC_LOAD_MISSES] = "2ndl_cache_load_miss_retired",
              [DTLB_LOAD_MISSES] = "dtlb_load_miss_retired",
              [DTLB_STORE_MISSES] = "dtlb_store_miss_retired",
              [ITLB_LOADS] = "itlb_reference:hit",
              [ITLB_LOAD_MISSES] = "itlb_reference:miss"}};

const struct pmu_alias pmu_netburst_aliases[PMU_NETBURST_ALIASES] = {
    ALIAS(NB_NO_IQ_ESCR, "netburst_p::", "netburst::"),
    ALIAS(0, "uops_type", "uop_type"),
    ALIAS_UMASK(NB_MASKS_MISPRED, "bogus", "nbogus"),
    ALIAS_UMASK(NB_MASKS_UOP, "tag0", "tag=1"),
    ALIAS_UMASK(NB_MASKS_UOP, "tag1", "tag=2"),
    ALIAS_UMASK(NB_MASKS_UOP, "tag2", "tag=4"),
    ALIAS_UMASK(NB_MASKS_UOP, "tag3", "tag=8"),
    ALIAS_ROW(NB_MASKS_REPLAY, "l1_ld_miss", "1stl_cache_load_miss_retired"),
    ALIAS_ROW(NB_MASKS_REPLAY, "l2_ld_miss", "2ndl_cache_load_miss_retired"),
    ALIAS_ROW(NB_MASKS_REPLAY, "dtlb_ld_miss", "dtlb_load_miss_retired"),
    ALIAS_ROW(NB_MASKS_REPLAY, "dtlb_st_miss", "dtlb_store_miss_retired"),
    ALIAS_ROW(NB_MASKS_REPLAY, "dtlb_all_miss", "dtlb_all_miss_retired"),
    ALIAS_ROW(NB_MASKS_REPLAY, "br_msp", "tagged_mispred_branch"),
    ALIAS_ROW(NB_MASKS_REPLAY, "mob_ld_replay", "mob_load_replay_retired"),
    ALIAS_ROW(NB_MASKS_REPLAY, "sp_ld_ret", "split_load_retired"),
    ALIAS_ROW(NB_MASKS_REPLAY, "sp_st_ret", "split_store_retired"),
};
