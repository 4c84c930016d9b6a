/* Events and unit masks of the P6 family.
 *
 * Codes, names, counters and unit masks: SDM vol. 3B (order 325384-059) table 19-37, for Pentium M table
 * 19-36; the models with an event also agree with libpfm4 4.13 (tables ppro, pii, p6 and pm). Additional
 * facts: Heller's commentary (seed 001).
 *
 * Where sources differ: table 19-36 gives bits 5:4 of Pentium M's prefetch unit masks as 00 without, 01 only,
 * 10 and 11 with the hardware prefetcher, libpfm4 calls 10 "without". In both sources 11 means all; it is
 * "both" here. The SDM prints D4h's segments one bit higher than D5h's; libpfm4 and oprofile have the same
 * bits for both.
 */
#include "pmu/p6.h"

#define BOTH      3
#define CTR0      1
#define CTR1      2
#define ALL       0
#define NOT_PM    (P6_PPRO | P6_PII | P6_PIII)
#define FROM_PII  (P6_PII | P6_PIII | P6_PM)
#define FROM_PIII (P6_PIII | P6_PM)
#define OCCURS    KIND_OCCURRENCE
#define CLOCKS    KIND_CYCLES
#define BUS       KIND_BUS_CYCLES
#define WEIGHTED  KIND_WEIGHTED

const struct pmu_event pmu_p6_events[] = {
    {"ld_blocks", 0x03, 0x00, BOTH, ALL, "loads held back by a store whose address or data is not yet known",
     0, OCCURS},
    {"sb_drains", 0x04, 0x00, BOTH, ALL, "clocks while the store buffer drains", 0, CLOCKS},
    {"misalign_mem_ref", 0x05, 0x00, BOTH, ALL,
     "clocks in which a load or store that crosses 64 bits is issued; approximate", 0, OCCURS},
    {"segment_reg_loads", 0x06, 0x00, BOTH, ALL, "segment register loads", 0, OCCURS},
    {"emon_kni_pref_dispatched", 0x07, 0x00, BOTH, FROM_PIII,
     "SSE prefetches and weakly ordered stores issued, speculative ones too", PREFETCH, OCCURS},
    {"fp_comp_ops_exe", 0x10, 0x00, CTR0, ALL,
     "floating-point operations executed, speculative and integer multiplications too", 0, OCCURS},
    {"fp_assist", 0x11, 0x00, CTR1, ALL, "floating-point exceptions that microcode handled", 0, OCCURS},
    {"mul", 0x12, 0x00, CTR1, ALL, "multiplications, integer ones and speculative ones too", 0, OCCURS},
    {"div", 0x13, 0x00, CTR1, ALL, "divisions, integer ones and speculative ones too", 0, OCCURS},
    {"cycles_div_busy", 0x14, 0x00, CTR0, ALL, "clocks the divider is busy", 0, CLOCKS},
    {"l2_ads", 0x21, 0x00, BOTH, ALL, "address strobes of L2", 0, OCCURS},
    {"l2_dbus_busy", 0x22, 0x00, BOTH, ALL, "clocks the bus between L1 and L2 is busy", 0, CLOCKS},
    {"l2_dbus_busy_rd", 0x23, 0x00, BOTH, ALL, "clocks the bus between L1 and L2 carries data to L1", 0,
     CLOCKS},
    {"l2_lines_in", 0x24, 0x00, BOTH, NOT_PM, "lines allocated in L2", 0, OCCURS},
    {"l2_lines_in", 0x24, 0x3f, BOTH, P6_PM, "lines allocated in L2", MESI_PREFETCH, OCCURS},
    {"l2_m_lines_inm", 0x25, 0x00, BOTH, ALL, "lines allocated in L2 for modification", 0, OCCURS},
    {"l2_lines_out", 0x26, 0x00, BOTH, NOT_PM, "lines removed from L2, for whatever reason", 0, OCCURS},
    {"l2_lines_out", 0x26, 0x3f, BOTH, P6_PM, "lines removed from L2, for whatever reason", MESI_PREFETCH,
     OCCURS},
    {"l2_m_lines_outm", 0x27, 0x00, BOTH, NOT_PM, "modified lines removed from L2, for whatever reason", 0,
     OCCURS},
    {"l2_m_lines_outm", 0x27, 0x3f, BOTH, P6_PM, "modified lines removed from L2, for whatever reason",
     MESI_PREFETCH, OCCURS},
    {"l2_ifetch", 0x28, 0x0f, BOTH, ALL, "fetches of code from L2", MESI, OCCURS},
    {"l2_ld", 0x29, 0x0f, BOTH, NOT_PM, "loads of data from L2", MESI, OCCURS},
    {"l2_ld", 0x29, 0x3f, BOTH, P6_PM, "loads of data from L2", MESI_PREFETCH, OCCURS},
    {"l2_st", 0x2a, 0x0f, BOTH, ALL, "stores of data to L2", MESI, OCCURS},
    {"l2_rqsts", 0x2e, 0x0f, BOTH, ALL, "requests to L2: l2_ifetch, l2_ld and l2_st together", MESI, OCCURS},
    {"data_mem_refs", 0x43, 0x00, BOTH, ALL,
     "loads and stores, cacheable or not, retries too; an 80-bit one twice", 0, OCCURS},
    {"dcu_lines_in", 0x45, 0x00, BOTH, ALL, "lines allocated in L1D", 0, OCCURS},
    {"dcu_m_lines_in", 0x46, 0x00, BOTH, ALL, "lines allocated in L1D for modification", 0, OCCURS},
    {"dcu_m_lines_out", 0x47, 0x00, BOTH, ALL, "modified lines evicted from L1D, replaced or snooped", 0,
     OCCURS},
    {"dcu_miss_outstanding", 0x48, 0x00, BOTH, ALL,
     "clocks times L1D misses outstanding; 2 too few for each that misses L2", 0, WEIGHTED},
    {"emon_kni_pref_miss", 0x4b, 0x00, BOTH, FROM_PIII,
     "SSE prefetches and weakly ordered stores that miss all caches", PREFETCH, OCCURS},
    {"emon_est_trans", 0x58, 0x00, BOTH, P6_PM, "SpeedStep transitions", SPEEDSTEP, OCCURS},
    {"emon_thermal_trip", 0x59, 0x00, BOTH, P6_PM,
     "clocks beyond the thermal trip point; with edge, times it was passed", 0, CLOCKS},
    {"bus_req_outstanding", 0x60, 0x00, BOTH, ALL,
     "clocks times full-line reads by L1D that wait for the bus", 0, WEIGHTED},
    {"bus_bnr_drv", 0x61, 0x00, BOTH, ALL, "bus clocks this CPU drives BNR (block next request)", 0, BUS},
    {"bus_drdy_clocks", 0x62, 0x00, BOTH, ALL,
     "DRDY: bus clocks driven by this CPU, or with any: CPU clocks driven by anyone", AGENT, BUS},
    {"bus_lock_clocks", 0x63, 0x00, BOTH, ALL, "clocks LOCK is asserted", AGENT, CLOCKS},
    {"bus_data_rcv", 0x64, 0x00, BOTH, ALL, "bus clocks this CPU receives data", 0, BUS},
    {"bus_tran_brd", 0x65, 0x00, BOTH, ALL, "burst reads of a line", AGENT, OCCURS},
    {"bus_tran_rfo", 0x66, 0x00, BOTH, ALL, "reads of a line for ownership", AGENT, OCCURS},
    {"bus_trans_wb", 0x67, 0x00, BOTH, ALL, "write-backs of a line", AGENT, OCCURS},
    {"bus_tran_ifetch", 0x68, 0x00, BOTH, ALL, "reads of a line of code", AGENT, OCCURS},
    {"bus_tran_inval", 0x69, 0x00, BOTH, ALL, "invalidations of a line", AGENT, OCCURS},
    {"bus_tran_pwr", 0x6a, 0x00, BOTH, ALL, "partial writes", AGENT, OCCURS},
    {"bus_trans_p", 0x6b, 0x00, BOTH, ALL, "partial transactions", AGENT, OCCURS},
    {"bus_trans_io", 0x6c, 0x00, BOTH, ALL, "I/O transactions", AGENT, OCCURS},
    {"bus_tran_def", 0x6d, 0x00, BOTH, ALL, "deferred transactions", AGENT, OCCURS},
    {"bus_tran_burst", 0x6e, 0x00, BOTH, ALL, "burst transactions, one line each", AGENT, OCCURS},
    {"bus_tran_mem", 0x6f, 0x00, BOTH, ALL, "memory transactions", AGENT, OCCURS},
    {"bus_tran_any", 0x70, 0x00, BOTH, ALL, "transactions of any kind", AGENT, OCCURS},
    {"cpu_clk_unhalted", 0x79, 0x00, BOTH, ALL, "clocks not halted", 0, CLOCKS},
    {"bus_hit_drv", 0x7a, 0x00, BOTH, ALL, "bus clocks this CPU drives HIT, snoop stalls included", 0, BUS},
    {"bus_hitm_drv", 0x7b, 0x00, BOTH, ALL, "bus clocks this CPU drives HITM, snoop stalls included", 0, BUS},
    {"bus_snoop_stall", 0x7e, 0x00, BOTH, ALL, "bus clocks the bus is stalled by a snoop", 0, BUS},
    {"ifu_ifetch", 0x80, 0x00, BOTH, ALL,
     "fetches of 16 bytes of code, cacheable or not, speculative ones too", 0, OCCURS},
    {"ifu_ifetch_miss", 0x81, 0x00, BOTH, ALL, "fetches of code that miss L1I, uncacheable ones too", 0,
     OCCURS},
    {"itlb_miss", 0x85, 0x00, BOTH, ALL, "code TLB misses", 0, OCCURS},
    {"ifu_mem_stall", 0x86, 0x00, BOTH, ALL, "clocks the fetch stage waits for memory or the TLB", 0, CLOCKS},
    {"ild_stall", 0x87, 0x00, BOTH, ALL, "clocks the instruction length decoder is stalled", 0, CLOCKS},
    {"br_inst_exec", 0x88, 0x00, BOTH, P6_PM, "branches executed, retired or not", 0, OCCURS},
    {"br_missp_exec", 0x89, 0x00, BOTH, P6_PM, "branches executed and found mispredicted", 0, OCCURS},
    {"br_bac_missp_exec", 0x8a, 0x00, BOTH, P6_PM, "branches found mispredicted by the front end", 0, OCCURS},
    {"br_cnd_exec", 0x8b, 0x00, BOTH, P6_PM, "conditional branches executed", 0, OCCURS},
    {"br_cnd_missp_exec", 0x8c, 0x00, BOTH, P6_PM, "conditional branches executed and mispredicted", 0,
     OCCURS},
    {"br_ind_exec", 0x8d, 0x00, BOTH, P6_PM, "indirect branches executed", 0, OCCURS},
    {"br_ind_missp_exec", 0x8e, 0x00, BOTH, P6_PM, "indirect branches executed and mispredicted", 0, OCCURS},
    {"br_ret_exec", 0x8f, 0x00, BOTH, P6_PM, "returns executed", 0, OCCURS},
    {"br_ret_missp_exec", 0x90, 0x00, BOTH, P6_PM, "returns executed and mispredicted", 0, OCCURS},
    {"br_ret_bac_missp_exec", 0x91, 0x00, BOTH, P6_PM, "returns found mispredicted by the front end", 0,
     OCCURS},
    {"br_call_exec", 0x92, 0x00, BOTH, P6_PM, "calls executed", 0, OCCURS},
    {"br_call_missp_exec", 0x93, 0x00, BOTH, P6_PM, "calls executed and mispredicted", 0, OCCURS},
    {"br_ind_call_exec", 0x94, 0x00, BOTH, P6_PM, "indirect calls executed", 0, OCCURS},
    {"resource_stalls", 0xa2, 0x00, BOTH, ALL, "clocks renaming waits for a register, buffer entry or unit",
     0, CLOCKS},
    {"mmx_instr_exec", 0xb0, 0x00, BOTH, P6_PII, "MMX instructions executed", 0, OCCURS},
    {"mmx_sat_instr_exec", 0xb1, 0x00, BOTH, FROM_PII, "saturating MMX instructions executed", 0, OCCURS},
    {"mmx_uops_exec", 0xb2, 0x0f, BOTH, FROM_PII, "MMX micro-operations executed; the unit mask must be 0x0f",
     0, OCCURS},
    {"mmx_instr_type_exec", 0xb3, 0x3f, BOTH, FROM_PII, "MMX instructions executed, by kind", MMX_TYPE,
     OCCURS},
    {"inst_retired", 0xc0, 0x00, BOTH, ALL,
     "instructions retired; one too few for an interrupt in REP STOS's last round, for an SMI in HLT", 0,
     OCCURS},
    {"flops", 0xc1, 0x00, CTR0, ALL, "floating-point operations retired", 0, OCCURS},
    {"uops_retired", 0xc2, 0x00, BOTH, ALL, "micro-operations retired", 0, OCCURS},
    {"br_inst_retired", 0xc4, 0x00, BOTH, ALL, "branches retired", 0, OCCURS},
    {"br_miss_pred_retired", 0xc5, 0x00, BOTH, ALL, "mispredicted branches retired", 0, OCCURS},
    {"cycles_int_masked", 0xc6, 0x00, BOTH, ALL, "clocks with interrupts disabled", 0, CLOCKS},
    {"cycles_int_pending_and_masked", 0xc7, 0x00, BOTH, ALL,
     "clocks with interrupts disabled and one pending", 0, CLOCKS},
    {"hw_int_rx", 0xc8, 0x00, BOTH, ALL, "hardware interrupts received", 0, OCCURS},
    {"br_taken_retired", 0xc9, 0x00, BOTH, ALL, "taken branches retired", 0, OCCURS},
    {"br_miss_pred_taken_ret", 0xca, 0x00, BOTH, ALL, "mispredicted taken branches retired", 0, OCCURS},
    {"fp_mmx_trans", 0xcc, 0x00, BOTH, FROM_PII, "changes between MMX and x87, in one direction", TRANSITION,
     OCCURS},
    {"mmx_assist", 0xcd, 0x00, BOTH, FROM_PII, "MMX assists: EMMS instructions executed", 0, OCCURS},
    {"mmx_instr_ret", 0xce, 0x00, BOTH, P6_PII, "MMX instructions retired", 0, OCCURS},
    {"emon_simd_instr_retired", 0xce, 0x00, BOTH, P6_PM, "MMX instructions retired", 0, OCCURS},
    {"inst_decoded", 0xd0, 0x00, BOTH, ALL, "instructions decoded, up to 3 a clock", 0, OCCURS},
    {"partial_rat_stalls", 0xd2, 0x00, BOTH, ALL, "clocks stalled on a partial register", 0, CLOCKS},
    {"emon_synch_uops", 0xd3, 0x00, BOTH, P6_PM, "micro-operations that synchronise the stack pointer", 0,
     OCCURS},
    {"seg_rename_stalls", 0xd4, 0x0f, BOTH, FROM_PII, "clocks stalled on renaming a segment register",
     SEGMENT, CLOCKS},
    {"seg_reg_renames", 0xd5, 0x0f, BOTH, FROM_PII, "renames of a segment register", SEGMENT, OCCURS},
    {"ret_seg_renames", 0xd6, 0x00, BOTH, FROM_PII, "renames of a segment register retired", 0, OCCURS},
    {"emon_esp_uops", 0xd7, 0x00, BOTH, P6_PM, "stack-pointer micro-operations that the decoder saved", 0,
     OCCURS},
    {"emon_kni_inst_retired", 0xd8, 0x00, BOTH, P6_PIII, "SSE instructions retired", SSE, OCCURS},
    {"emon_kni_inst_retired", 0xd8, 0x00, BOTH, P6_PM, "SSE and SSE2 instructions retired, by kind", SSE_PM,
     OCCURS},
    {"emon_kni_comp_inst_ret", 0xd9, 0x00, BOTH, P6_PIII, "computational SSE instructions retired", SSE,
     OCCURS},
    {"emon_kni_comp_inst_ret", 0xd9, 0x00, BOTH, P6_PM,
     "computational SSE and SSE2 instructions retired, by kind", SSE_COMP_PM, OCCURS},
    {"emon_fused_uops_ret", 0xda, 0x00, BOTH, P6_PM, "fused micro-operations retired", FUSED, OCCURS},
    {"emon_unfusion", 0xdb, 0x00, BOTH, P6_PM, "fused micro-operations taken apart after an exception", 0,
     OCCURS},
    {"br_inst_decoded", 0xe0, 0x00, BOTH, ALL, "branches decoded", 0, OCCURS},
    {"btb_misses", 0xe2, 0x00, BOTH, ALL, "branches not found in the branch target buffer", 0, OCCURS},
    {"br_bogus", 0xe4, 0x00, BOTH, ALL, "branches predicted where there is none", 0, OCCURS},
    {"baclears", 0xe6, 0x00, BOTH, ALL, "static predictions: times BACLEAR is asserted", 0, OCCURS},
    {"emon_pref_rqsts_up", 0xf0, 0x00, BOTH, P6_PM, "prefetch requests upwards", 0, OCCURS},
    {"emon_pref_rqsts_dn", 0xf8, 0x00, BOTH, P6_PM, "prefetch requests downwards", 0, OCCURS},
};

const struct pmu_umask pmu_p6_umasks[] = {
    {"i", 0x01, MESI, 0, false},                        /* line invalid: a miss */
    {"s", 0x02, MESI, 0, false},                        /* line shared */
    {"e", 0x04, MESI, 0, false},                        /* line exclusive */
    {"m", 0x08, MESI, 0, false},                        /* line modified */
    {"i", 0x01, MESI_PREFETCH, 0, false},               /* line invalid: a miss */
    {"s", 0x02, MESI_PREFETCH, 0, false},               /* line shared */
    {"e", 0x04, MESI_PREFETCH, 0, false},               /* line exclusive */
    {"m", 0x08, MESI_PREFETCH, 0, false},               /* line modified */
    {"demand", 0x00, MESI_PREFETCH, 1, true},           /* without the hardware prefetcher */
    {"hw_prefetch", 0x10, MESI_PREFETCH, 1, true},      /* by the hardware prefetcher alone */
    {"both", 0x30, MESI_PREFETCH, 1, true},             /* with the hardware prefetcher */
    {"self", 0x00, AGENT, 0, true},                     /* by this CPU */
    {"any", 0x20, AGENT, 0, true},                      /* by any agent on the bus */
    {"nta", 0x00, PREFETCH, 0, true},                   /* PREFETCHNTA */
    {"t1", 0x01, PREFETCH, 0, true},                    /* PREFETCHT1 (rabbit: T0) */
    {"t2", 0x02, PREFETCH, 0, true},                    /* PREFETCHT2 (rabbit: T1 and T2) */
    {"weak", 0x03, PREFETCH, 0, true},                  /* weakly ordered stores */
    {"all", 0x00, SPEEDSTEP, 0, true},                  /* all transitions */
    {"freq", 0x02, SPEEDSTEP, 0, true},                 /* of the frequency only */
    {"mul", 0x01, MMX_TYPE, 0, false},                  /* packed multiply */
    {"shift", 0x02, MMX_TYPE, 0, false},                /* packed shift */
    {"pack", 0x04, MMX_TYPE, 0, false},                 /* pack */
    {"unpack", 0x08, MMX_TYPE, 0, false},               /* unpack */
    {"logical", 0x10, MMX_TYPE, 0, false},              /* packed logical */
    {"arith", 0x20, MMX_TYPE, 0, false},                /* packed arithmetic */
    {"mmx_to_fp", 0x00, TRANSITION, 0, true},           /* from MMX to x87 */
    {"fp_to_mmx", 0x01, TRANSITION, 0, true},           /* from x87 to MMX */
    {"es", 0x01, SEGMENT, 0, false},                    /* ES */
    {"ds", 0x02, SEGMENT, 0, false},                    /* DS */
    {"fs", 0x04, SEGMENT, 0, false},                    /* FS */
    {"gs", 0x08, SEGMENT, 0, false},                    /* GS */
    {"all", 0x00, SSE, 0, true},                        /* packed and scalar */
    {"scalar", 0x01, SSE, 0, true},                     /* scalar */
    {"sse_all", 0x00, SSE_PM, 0, true},                 /* SSE packed and scalar single */
    {"sse_scalar", 0x01, SSE_PM, 0, true},              /* SSE scalar single */
    {"sse2_packed_double", 0x02, SSE_PM, 0, true},      /* SSE2 packed double */
    {"sse2_scalar_double", 0x03, SSE_PM, 0, true},      /* SSE2 scalar double */
    {"sse_packed", 0x00, SSE_COMP_PM, 0, true},         /* SSE packed single */
    {"sse_scalar", 0x01, SSE_COMP_PM, 0, true},         /* SSE scalar single */
    {"sse2_packed_double", 0x02, SSE_COMP_PM, 0, true}, /* SSE2 packed double */
    {"sse2_scalar_double", 0x03, SSE_COMP_PM, 0, true}, /* SSE2 scalar double */
    {"all", 0x00, FUSED, 0, true},                      /* all */
    {"load_op", 0x01, FUSED, 0, true},                  /* load and operation */
    {"std_sta", 0x02, FUSED, 0, true},                  /* both halves of a store */
};

_Static_assert(sizeof pmu_p6_events / sizeof pmu_p6_events[0] == PMU_P6_EVENTS,
               "PMU_P6_EVENTS is the number of rows");
_Static_assert(sizeof pmu_p6_umasks / sizeof pmu_p6_umasks[0] == PMU_P6_UMASKS,
               "PMU_P6_UMASKS is the number of rows");
