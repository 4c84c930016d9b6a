/* Other names of the Pentium's events (pmu/names.h).
 *
 * perf's words. Linux has no driver for this family. cycles is counter control's clocks mode (SDM vol. 3B
 * 18.23.1) on both counters: 30h, clocks not halted, is the Pentium MMX's only, and on counter 0 only; no
 * payload halts, so that the two agree. branches and instructions have one event each. cache-misses is perf's
 * word for the last level of cache that belongs to the CPU: here L1, since the second level is on the board.
 * 29h does not include code misses (0Eh); Linux resolves its words likewise for the Pentium's descendant
 * Knights Corner (arch/x86/events/intel/knc.c: 16h, 12h, 29h). Words for caches are those of Knights Corner,
 * if the event is the same: data accesses, code reads and their misses, branches. Other words are absent: no
 * event has their meaning.
 *
 * Aliases: the enumerated names of Safford's p5mon and run_p5mon (seed 003, tables 3.2 and C.1);
 * event_disable, which counts nothing, is left out.
 */
#include "pmu/names.h"
#include "pmu/p5.h"

const struct pmu_words pmu_p5_words = {.event = {[CYCLES] = "/clocks/",
                                                 [INSTRUCTIONS] = "instructions_executed",
                                                 [BRANCHES] = "branches",
                                                 [CACHE_MISSES] = "data_read_miss_or_write_miss",
                                                 [CACHE_REFERENCES] = "data_read_or_write",
                                                 [L1D_LOADS] = "data_read",
                                                 [L1D_LOAD_MISSES] = "data_read_miss",
                                                 [L1D_STORES] = "data_write",
                                                 [L1D_STORE_MISSES] = "data_write_miss",
                                                 [L1I_LOADS] = "code_read",
                                                 [L1I_LOAD_MISSES] = "code_cache_miss",
                                                 [ITLB_LOADS] = "code_read",
                                                 [ITLB_LOAD_MISSES] = "code_tlb_miss",
                                                 [BRANCH_LOADS] = "branches"}};

const struct pmu_alias pmu_p5_aliases[PMU_P5_ALIASES] = {
    ALIAS(0, "count_clocks", "/clocks/"),
    ALIAS(0, "data_read_or_write_miss", "data_read_miss_or_write_miss"),
    ALIAS(0, "write_to_m_or_e_lines", "write_hit_to_m_or_e_state_lines"),
    ALIAS(0, "data_cache_snooping_hits", "external_data_cache_snoop_hits"),
    ALIAS(0, "segment_register_loaded", "any_segment_register_loaded"),
    ALIAS(0, "instructions_executed_in_v_pipe", "instructions_executed_v_pipe"),
    ALIAS(0, "clocks_while_bus_cycle_in_progress", "bus_cycle_duration"),
    ALIAS(0, "clocks_stalled_full_write_buffers", "write_buffer_full_stall_duration"),
    ALIAS(0, "clocks_stalled_waiting_data_read", "waiting_for_data_memory_read_stall_duration"),
    ALIAS(0, "clocks_stalled_write_to_m_or_e_line", "stall_on_write_to_an_e_or_m_state_line"),
    ALIAS(0, "non_cacheable_memory_reads", "noncacheable_memory_reads"),
    ALIAS(0, "pipeline_stalled_address_generation_interlock", "pipeline_agi_stalls"),
    ALIAS(0, "breakpoint_match_dr0", "breakpoint_match_on_dr0_register"),
    ALIAS(0, "breakpoint_match_dr1", "breakpoint_match_on_dr1_register"),
    ALIAS(0, "breakpoint_match_dr2", "breakpoint_match_on_dr2_register"),
    ALIAS(0, "breakpoint_match_dr3", "breakpoint_match_on_dr3_register"),
};
