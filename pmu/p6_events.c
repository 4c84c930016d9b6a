/* Events and unit masks of the P6 family.
 *
 * Codes, names, counters and unit masks: SDM vol. 3B (order 325384-059) table 19-37, for Pentium M table
 * 19-36; the models that have an event also as in libpfm4 4.13 (tables ppro, pii, p6 and pm). What is said
 * beyond that: Heller's commentary (seed 001).
 *
 * Where sources differ: table 19-36 gives bits 5:4 of Pentium M's prefetch unit masks as 00 without, 01 only,
 * 10 and 11 with the hardware prefetcher, libpfm4 calls 10 "without"; 11 means all for both and is what
 * "both" says here. D4h has its segments one bit higher in the SDM's print than D5h; libpfm4 and oprofile
 * have both alike.
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
    {"ld_blocks", 0x03, 0x00, BOTH, ALL, NULL,
     "loads held back by a store whose address or data is not yet known", OCCURS},
    {"sb_drains", 0x04, 0x00, BOTH, ALL, NULL, "clocks while the store buffer drains", CLOCKS},
    {"misalign_mem_ref", 0x05, 0x00, BOTH, ALL, NULL,
     "clocks in which a load or store that crosses 64 bits is issued; approximate", OCCURS},
    {"segment_reg_loads", 0x06, 0x00, BOTH, ALL, NULL, "segment register loads", OCCURS},
    {"emon_kni_pref_dispatched", 0x07, 0x00, BOTH, FROM_PIII, "prefetch",
     "SSE prefetches and weakly ordered stores issued, speculative ones too", OCCURS},
    {"fp_comp_ops_exe", 0x10, 0x00, CTR0, ALL, NULL,
     "floating-point operations executed, speculative and integer multiplications too", OCCURS},
    {"fp_assist", 0x11, 0x00, CTR1, ALL, NULL, "floating-point exceptions that microcode handled", OCCURS},
    {"mul", 0x12, 0x00, CTR1, ALL, NULL, "multiplications, integer ones and speculative ones too", OCCURS},
    {"div", 0x13, 0x00, CTR1, ALL, NULL, "divisions, integer ones and speculative ones too", OCCURS},
    {"cycles_div_busy", 0x14, 0x00, CTR0, ALL, NULL, "clocks the divider is busy", CLOCKS},
    {"l2_ads", 0x21, 0x00, BOTH, ALL, NULL, "address strobes of L2", OCCURS},
    {"l2_dbus_busy", 0x22, 0x00, BOTH, ALL, NULL, "clocks the bus between L1 and L2 is busy", CLOCKS},
    {"l2_dbus_busy_rd", 0x23, 0x00, BOTH, ALL, NULL, "clocks the bus between L1 and L2 carries data to L1",
     CLOCKS},
    {"l2_lines_in", 0x24, 0x00, BOTH, NOT_PM, NULL, "lines allocated in L2", OCCURS},
    {"l2_lines_in", 0x24, 0x3f, BOTH, P6_PM, "mesi_prefetch", "lines allocated in L2", OCCURS},
    {"l2_m_lines_inm", 0x25, 0x00, BOTH, ALL, NULL, "lines allocated in L2 for modification", OCCURS},
    {"l2_lines_out", 0x26, 0x00, BOTH, NOT_PM, NULL, "lines removed from L2, for whatever reason", OCCURS},
    {"l2_lines_out", 0x26, 0x3f, BOTH, P6_PM, "mesi_prefetch", "lines removed from L2, for whatever reason",
     OCCURS},
    {"l2_m_lines_outm", 0x27, 0x00, BOTH, NOT_PM, NULL, "modified lines removed from L2, for whatever reason",
     OCCURS},
    {"l2_m_lines_outm", 0x27, 0x3f, BOTH, P6_PM, "mesi_prefetch",
     "modified lines removed from L2, for whatever reason", OCCURS},
    {"l2_ifetch", 0x28, 0x0f, BOTH, ALL, "mesi", "fetches of code from L2", OCCURS},
    {"l2_ld", 0x29, 0x0f, BOTH, NOT_PM, "mesi", "loads of data from L2", OCCURS},
    {"l2_ld", 0x29, 0x3f, BOTH, P6_PM, "mesi_prefetch", "loads of data from L2", OCCURS},
    {"l2_st", 0x2a, 0x0f, BOTH, ALL, "mesi", "stores of data to L2", OCCURS},
    {"l2_rqsts", 0x2e, 0x0f, BOTH, ALL, "mesi", "requests to L2: l2_ifetch, l2_ld and l2_st together",
     OCCURS},
    {"data_mem_refs", 0x43, 0x00, BOTH, ALL, NULL,
     "loads and stores, cacheable or not, retries too; an 80-bit one twice", OCCURS},
    {"dcu_lines_in", 0x45, 0x00, BOTH, ALL, NULL, "lines allocated in L1D", OCCURS},
    {"dcu_m_lines_in", 0x46, 0x00, BOTH, ALL, NULL, "lines allocated in L1D for modification", OCCURS},
    {"dcu_m_lines_out", 0x47, 0x00, BOTH, ALL, NULL, "modified lines evicted from L1D, replaced or snooped",
     OCCURS},
    {"dcu_miss_outstanding", 0x48, 0x00, BOTH, ALL, NULL,
     "clocks times L1D misses outstanding; 2 too few for each that misses L2", WEIGHTED},
    {"emon_kni_pref_miss", 0x4b, 0x00, BOTH, FROM_PIII, "prefetch",
     "SSE prefetches and weakly ordered stores that miss all caches", OCCURS},
    {"emon_est_trans", 0x58, 0x00, BOTH, P6_PM, "speedstep", "SpeedStep transitions", OCCURS},
    {"emon_thermal_trip", 0x59, 0x00, BOTH, P6_PM, NULL,
     "clocks beyond the thermal trip point; with edge, times it was passed", CLOCKS},
    {"bus_req_outstanding", 0x60, 0x00, BOTH, ALL, NULL,
     "clocks times full-line reads by L1D that wait for the bus", WEIGHTED},
    {"bus_bnr_drv", 0x61, 0x00, BOTH, ALL, NULL, "bus clocks this CPU drives BNR (block next request)", BUS},
    {"bus_drdy_clocks", 0x62, 0x00, BOTH, ALL, "agent",
     "DRDY: bus clocks driven by this CPU, or with any: CPU clocks driven by anyone", BUS},
    {"bus_lock_clocks", 0x63, 0x00, BOTH, ALL, "agent", "clocks LOCK is asserted", CLOCKS},
    {"bus_data_rcv", 0x64, 0x00, BOTH, ALL, NULL, "bus clocks this CPU receives data", BUS},
    {"bus_tran_brd", 0x65, 0x00, BOTH, ALL, "agent", "burst reads of a line", OCCURS},
    {"bus_tran_rfo", 0x66, 0x00, BOTH, ALL, "agent", "reads of a line for ownership", OCCURS},
    {"bus_trans_wb", 0x67, 0x00, BOTH, ALL, "agent", "write-backs of a line", OCCURS},
    {"bus_tran_ifetch", 0x68, 0x00, BOTH, ALL, "agent", "reads of a line of code", OCCURS},
    {"bus_tran_inval", 0x69, 0x00, BOTH, ALL, "agent", "invalidations of a line", OCCURS},
    {"bus_tran_pwr", 0x6a, 0x00, BOTH, ALL, "agent", "partial writes", OCCURS},
    {"bus_trans_p", 0x6b, 0x00, BOTH, ALL, "agent", "partial transactions", OCCURS},
    {"bus_trans_io", 0x6c, 0x00, BOTH, ALL, "agent", "I/O transactions", OCCURS},
    {"bus_tran_def", 0x6d, 0x00, BOTH, ALL, "agent", "deferred transactions", OCCURS},
    {"bus_tran_burst", 0x6e, 0x00, BOTH, ALL, "agent", "burst transactions, one line each", OCCURS},
    {"bus_tran_mem", 0x6f, 0x00, BOTH, ALL, "agent", "memory transactions", OCCURS},
    {"bus_tran_any", 0x70, 0x00, BOTH, ALL, "agent", "transactions of any kind", OCCURS},
    {"cpu_clk_unhalted", 0x79, 0x00, BOTH, ALL, NULL, "clocks not halted", CLOCKS},
    {"bus_hit_drv", 0x7a, 0x00, BOTH, ALL, NULL, "bus clocks this CPU drives HIT, snoop stalls included",
     BUS},
    {"bus_hitm_drv", 0x7b, 0x00, BOTH, ALL, NULL, "bus clocks this CPU drives HITM, snoop stalls included",
     BUS},
    {"bus_snoop_stall", 0x7e, 0x00, BOTH, ALL, NULL, "bus clocks the bus is stalled by a snoop", BUS},
    {"ifu_ifetch", 0x80, 0x00, BOTH, ALL, NULL,
     "fetches of 16 bytes of code, cacheable or not, speculative ones too", OCCURS},
    {"ifu_ifetch_miss", 0x81, 0x00, BOTH, ALL, NULL, "fetches of code that miss L1I, uncacheable ones too",
     OCCURS},
    {"itlb_miss", 0x85, 0x00, BOTH, ALL, NULL, "code TLB misses", OCCURS},
    {"ifu_mem_stall", 0x86, 0x00, BOTH, ALL, NULL, "clocks the fetch stage waits for memory or the TLB",
     CLOCKS},
    {"ild_stall", 0x87, 0x00, BOTH, ALL, NULL, "clocks the instruction length decoder is stalled", CLOCKS},
    {"br_inst_exec", 0x88, 0x00, BOTH, P6_PM, NULL, "branches executed, retired or not", OCCURS},
    {"br_missp_exec", 0x89, 0x00, BOTH, P6_PM, NULL, "branches executed and found mispredicted", OCCURS},
    {"br_bac_missp_exec", 0x8a, 0x00, BOTH, P6_PM, NULL, "branches found mispredicted by the front end",
     OCCURS},
    {"br_cnd_exec", 0x8b, 0x00, BOTH, P6_PM, NULL, "conditional branches executed", OCCURS},
    {"br_cnd_missp_exec", 0x8c, 0x00, BOTH, P6_PM, NULL, "conditional branches executed and mispredicted",
     OCCURS},
    {"br_ind_exec", 0x8d, 0x00, BOTH, P6_PM, NULL, "indirect branches executed", OCCURS},
    {"br_ind_missp_exec", 0x8e, 0x00, BOTH, P6_PM, NULL, "indirect branches executed and mispredicted",
     OCCURS},
    {"br_ret_exec", 0x8f, 0x00, BOTH, P6_PM, NULL, "returns executed", OCCURS},
    {"br_ret_missp_exec", 0x90, 0x00, BOTH, P6_PM, NULL, "returns executed and mispredicted", OCCURS},
    {"br_ret_bac_missp_exec", 0x91, 0x00, BOTH, P6_PM, NULL, "returns found mispredicted by the front end",
     OCCURS},
    {"br_call_exec", 0x92, 0x00, BOTH, P6_PM, NULL, "calls executed", OCCURS},
    {"br_call_missp_exec", 0x93, 0x00, BOTH, P6_PM, NULL, "calls executed and mispredicted", OCCURS},
    {"br_ind_call_exec", 0x94, 0x00, BOTH, P6_PM, NULL, "indirect calls executed", OCCURS},
    {"resource_stalls", 0xa2, 0x00, BOTH, ALL, NULL,
     "clocks renaming waits for a register, buffer entry or unit", CLOCKS},
    {"mmx_instr_exec", 0xb0, 0x00, BOTH, P6_PII, NULL, "MMX instructions executed", OCCURS},
    {"mmx_sat_instr_exec", 0xb1, 0x00, BOTH, FROM_PII, NULL, "saturating MMX instructions executed", OCCURS},
    {"mmx_uops_exec", 0xb2, 0x0f, BOTH, FROM_PII, NULL,
     "MMX micro-operations executed; the unit mask must be 0x0f", OCCURS},
    {"mmx_instr_type_exec", 0xb3, 0x3f, BOTH, FROM_PII, "mmx_type", "MMX instructions executed, by kind",
     OCCURS},
    {"inst_retired", 0xc0, 0x00, BOTH, ALL, NULL, "instructions retired", OCCURS},
    {"flops", 0xc1, 0x00, CTR0, ALL, NULL, "floating-point operations retired", OCCURS},
    {"uops_retired", 0xc2, 0x00, BOTH, ALL, NULL, "micro-operations retired", OCCURS},
    {"br_inst_retired", 0xc4, 0x00, BOTH, ALL, NULL, "branches retired", OCCURS},
    {"br_miss_pred_retired", 0xc5, 0x00, BOTH, ALL, NULL, "mispredicted branches retired", OCCURS},
    {"cycles_int_masked", 0xc6, 0x00, BOTH, ALL, NULL, "clocks with interrupts disabled", CLOCKS},
    {"cycles_int_pending_and_masked", 0xc7, 0x00, BOTH, ALL, NULL,
     "clocks with interrupts disabled and one pending", CLOCKS},
    {"hw_int_rx", 0xc8, 0x00, BOTH, ALL, NULL, "hardware interrupts received", OCCURS},
    {"br_taken_retired", 0xc9, 0x00, BOTH, ALL, NULL, "taken branches retired", OCCURS},
    {"br_miss_pred_taken_ret", 0xca, 0x00, BOTH, ALL, NULL, "mispredicted taken branches retired", OCCURS},
    {"fp_mmx_trans", 0xcc, 0x00, BOTH, FROM_PII, "transition",
     "changes between MMX and x87, in one direction", OCCURS},
    {"mmx_assist", 0xcd, 0x00, BOTH, FROM_PII, NULL, "MMX assists: EMMS instructions executed", OCCURS},
    {"mmx_instr_ret", 0xce, 0x00, BOTH, P6_PII, NULL, "MMX instructions retired", OCCURS},
    {"emon_simd_instr_retired", 0xce, 0x00, BOTH, P6_PM, NULL, "MMX instructions retired", OCCURS},
    {"inst_decoded", 0xd0, 0x00, BOTH, ALL, NULL, "instructions decoded, up to 3 a clock", OCCURS},
    {"partial_rat_stalls", 0xd2, 0x00, BOTH, ALL, NULL, "clocks stalled on a partial register", CLOCKS},
    {"emon_synch_uops", 0xd3, 0x00, BOTH, P6_PM, NULL, "micro-operations that synchronise the stack pointer",
     OCCURS},
    {"seg_rename_stalls", 0xd4, 0x0f, BOTH, FROM_PII, "segment",
     "clocks stalled on renaming a segment register", CLOCKS},
    {"seg_reg_renames", 0xd5, 0x0f, BOTH, FROM_PII, "segment", "renames of a segment register", OCCURS},
    {"ret_seg_renames", 0xd6, 0x00, BOTH, FROM_PII, NULL, "renames of a segment register retired", OCCURS},
    {"emon_esp_uops", 0xd7, 0x00, BOTH, P6_PM, NULL, "stack-pointer micro-operations that the decoder saved",
     OCCURS},
    {"emon_kni_inst_retired", 0xd8, 0x00, BOTH, P6_PIII, "sse", "SSE instructions retired", OCCURS},
    {"emon_kni_inst_retired", 0xd8, 0x00, BOTH, P6_PM, "sse_pm", "SSE and SSE2 instructions retired, by kind",
     OCCURS},
    {"emon_kni_comp_inst_ret", 0xd9, 0x00, BOTH, P6_PIII, "sse", "computational SSE instructions retired",
     OCCURS},
    {"emon_kni_comp_inst_ret", 0xd9, 0x00, BOTH, P6_PM, "sse_comp_pm",
     "computational SSE and SSE2 instructions retired, by kind", OCCURS},
    {"emon_fused_uops_ret", 0xda, 0x00, BOTH, P6_PM, "fused", "fused micro-operations retired", OCCURS},
    {"emon_unfusion", 0xdb, 0x00, BOTH, P6_PM, NULL, "fused micro-operations taken apart after an exception",
     OCCURS},
    {"br_inst_decoded", 0xe0, 0x00, BOTH, ALL, NULL, "branches decoded", OCCURS},
    {"btb_misses", 0xe2, 0x00, BOTH, ALL, NULL, "branches not found in the branch target buffer", OCCURS},
    {"br_bogus", 0xe4, 0x00, BOTH, ALL, NULL, "branches predicted where there is none", OCCURS},
    {"baclears", 0xe6, 0x00, BOTH, ALL, NULL, "static predictions: times BACLEAR is asserted", OCCURS},
    {"emon_pref_rqsts_up", 0xf0, 0x00, BOTH, P6_PM, NULL, "prefetch requests upwards", OCCURS},
    {"emon_pref_rqsts_dn", 0xf8, 0x00, BOTH, P6_PM, NULL, "prefetch requests downwards", OCCURS},
};

const struct pmu_umask pmu_p6_umasks[] = {
    {"mesi", "i", 0x01, 0x0f, false},                        /* line invalid: a miss */
    {"mesi", "s", 0x02, 0x0f, false},                        /* line shared */
    {"mesi", "e", 0x04, 0x0f, false},                        /* line exclusive */
    {"mesi", "m", 0x08, 0x0f, false},                        /* line modified */
    {"mesi_prefetch", "i", 0x01, 0x0f, false},               /* line invalid: a miss */
    {"mesi_prefetch", "s", 0x02, 0x0f, false},               /* line shared */
    {"mesi_prefetch", "e", 0x04, 0x0f, false},               /* line exclusive */
    {"mesi_prefetch", "m", 0x08, 0x0f, false},               /* line modified */
    {"mesi_prefetch", "demand", 0x00, 0x30, true},           /* without the hardware prefetcher */
    {"mesi_prefetch", "hw_prefetch", 0x10, 0x30, true},      /* by the hardware prefetcher alone */
    {"mesi_prefetch", "both", 0x30, 0x30, true},             /* with the hardware prefetcher */
    {"agent", "self", 0x00, 0x20, true},                     /* by this CPU */
    {"agent", "any", 0x20, 0x20, true},                      /* by any agent on the bus */
    {"prefetch", "nta", 0x00, 0x03, true},                   /* PREFETCHNTA */
    {"prefetch", "t1", 0x01, 0x03, true},                    /* PREFETCHT1 (rabbit: T0) */
    {"prefetch", "t2", 0x02, 0x03, true},                    /* PREFETCHT2 (rabbit: T1 and T2) */
    {"prefetch", "weak", 0x03, 0x03, true},                  /* weakly ordered stores */
    {"speedstep", "all", 0x00, 0x02, true},                  /* all transitions */
    {"speedstep", "freq", 0x02, 0x02, true},                 /* of the frequency only */
    {"mmx_type", "mul", 0x01, 0x3f, false},                  /* packed multiply */
    {"mmx_type", "shift", 0x02, 0x3f, false},                /* packed shift */
    {"mmx_type", "pack", 0x04, 0x3f, false},                 /* pack */
    {"mmx_type", "unpack", 0x08, 0x3f, false},               /* unpack */
    {"mmx_type", "logical", 0x10, 0x3f, false},              /* packed logical */
    {"mmx_type", "arith", 0x20, 0x3f, false},                /* packed arithmetic */
    {"transition", "mmx_to_fp", 0x00, 0x01, true},           /* from MMX to x87 */
    {"transition", "fp_to_mmx", 0x01, 0x01, true},           /* from x87 to MMX */
    {"segment", "es", 0x01, 0x0f, false},                    /* ES */
    {"segment", "ds", 0x02, 0x0f, false},                    /* DS */
    {"segment", "fs", 0x04, 0x0f, false},                    /* FS */
    {"segment", "gs", 0x08, 0x0f, false},                    /* GS */
    {"sse", "all", 0x00, 0x01, true},                        /* packed and scalar */
    {"sse", "scalar", 0x01, 0x01, true},                     /* scalar */
    {"sse_pm", "sse_all", 0x00, 0x03, true},                 /* SSE packed and scalar single */
    {"sse_pm", "sse_scalar", 0x01, 0x03, true},              /* SSE scalar single */
    {"sse_pm", "sse2_packed_double", 0x02, 0x03, true},      /* SSE2 packed double */
    {"sse_pm", "sse2_scalar_double", 0x03, 0x03, true},      /* SSE2 scalar double */
    {"sse_comp_pm", "sse_packed", 0x00, 0x03, true},         /* SSE packed single */
    {"sse_comp_pm", "sse_scalar", 0x01, 0x03, true},         /* SSE scalar single */
    {"sse_comp_pm", "sse2_packed_double", 0x02, 0x03, true}, /* SSE2 packed double */
    {"sse_comp_pm", "sse2_scalar_double", 0x03, 0x03, true}, /* SSE2 scalar double */
    {"fused", "all", 0x00, 0x03, true},                      /* all */
    {"fused", "load_op", 0x01, 0x03, true},                  /* load and operation */
    {"fused", "std_sta", 0x02, 0x03, true},                  /* both halves of a store */
};

_Static_assert(sizeof pmu_p6_events / sizeof pmu_p6_events[0] == PMU_P6_EVENTS,
               "PMU_P6_EVENTS is the number of rows");
_Static_assert(sizeof pmu_p6_umasks / sizeof pmu_p6_umasks[0] == PMU_P6_UMASKS,
               "PMU_P6_UMASKS is the number of rows");
