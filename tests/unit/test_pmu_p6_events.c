/* The P6's event table and unit masks against the manual's. */
#include "tests/unit/event_cpus.h"
#include <string.h>

/* SDM vol. 3B (order 325384-059) 19-37/19-36, written down apart from the driver's */
enum { PPRO = P6_PPRO, PII = P6_PII, PIII = P6_PIII, PM = P6_PM, ALL = PPRO | PII | PIII | PM };
static const struct {
    unsigned code, counters, models;
    char kind; /* E event, C clocks of the CPU, B of the bus, W weighted */
    const char *name;
} p6_table[] = {
    {0x03, 3, ALL, 'E', "ld_blocks"},
    {0x04, 3, ALL, 'C', "sb_drains"},
    {0x05, 3, ALL, 'E', "misalign_mem_ref"},
    {0x06, 3, ALL, 'E', "segment_reg_loads"},
    {0x07, 3, PIII | PM, 'E', "emon_kni_pref_dispatched"},
    {0x10, 1, ALL, 'E', "fp_comp_ops_exe"},
    {0x11, 2, ALL, 'E', "fp_assist"},
    {0x12, 2, ALL, 'E', "mul"},
    {0x13, 2, ALL, 'E', "div"},
    {0x14, 1, ALL, 'C', "cycles_div_busy"},
    {0x21, 3, ALL, 'E', "l2_ads"},
    {0x22, 3, ALL, 'C', "l2_dbus_busy"},
    {0x23, 3, ALL, 'C', "l2_dbus_busy_rd"},
    {0x24, 3, ALL, 'E', "l2_lines_in"},
    {0x25, 3, ALL, 'E', "l2_m_lines_inm"},
    {0x26, 3, ALL, 'E', "l2_lines_out"},
    {0x27, 3, ALL, 'E', "l2_m_lines_outm"},
    {0x28, 3, ALL, 'E', "l2_ifetch"},
    {0x29, 3, ALL, 'E', "l2_ld"},
    {0x2a, 3, ALL, 'E', "l2_st"},
    {0x2e, 3, ALL, 'E', "l2_rqsts"},
    {0x43, 3, ALL, 'E', "data_mem_refs"},
    {0x45, 3, ALL, 'E', "dcu_lines_in"},
    {0x46, 3, ALL, 'E', "dcu_m_lines_in"},
    {0x47, 3, ALL, 'E', "dcu_m_lines_out"},
    {0x48, 3, ALL, 'W', "dcu_miss_outstanding"},
    {0x4b, 3, PIII | PM, 'E', "emon_kni_pref_miss"},
    {0x58, 3, PM, 'E', "emon_est_trans"},
    {0x59, 3, PM, 'C', "emon_thermal_trip"},
    {0x60, 3, ALL, 'W', "bus_req_outstanding"},
    {0x61, 3, ALL, 'B', "bus_bnr_drv"},
    {0x62, 3, ALL, 'B', "bus_drdy_clocks"},
    {0x63, 3, ALL, 'C', "bus_lock_clocks"},
    {0x64, 3, ALL, 'B', "bus_data_rcv"},
    {0x65, 3, ALL, 'E', "bus_tran_brd"},
    {0x66, 3, ALL, 'E', "bus_tran_rfo"},
    {0x67, 3, ALL, 'E', "bus_trans_wb"},
    {0x68, 3, ALL, 'E', "bus_tran_ifetch"},
    {0x69, 3, ALL, 'E', "bus_tran_inval"},
    {0x6a, 3, ALL, 'E', "bus_tran_pwr"},
    {0x6b, 3, ALL, 'E', "bus_trans_p"},
    {0x6c, 3, ALL, 'E', "bus_trans_io"},
    {0x6d, 3, ALL, 'E', "bus_tran_def"},
    {0x6e, 3, ALL, 'E', "bus_tran_burst"},
    {0x6f, 3, ALL, 'E', "bus_tran_mem"},
    {0x70, 3, ALL, 'E', "bus_tran_any"},
    {0x79, 3, ALL, 'C', "cpu_clk_unhalted"},
    {0x7a, 3, ALL, 'B', "bus_hit_drv"},
    {0x7b, 3, ALL, 'B', "bus_hitm_drv"},
    {0x7e, 3, ALL, 'B', "bus_snoop_stall"},
    {0x80, 3, ALL, 'E', "ifu_ifetch"},
    {0x81, 3, ALL, 'E', "ifu_ifetch_miss"},
    {0x85, 3, ALL, 'E', "itlb_miss"},
    {0x86, 3, ALL, 'C', "ifu_mem_stall"},
    {0x87, 3, ALL, 'C', "ild_stall"},
    {0x88, 3, PM, 'E', "br_inst_exec"},
    {0x89, 3, PM, 'E', "br_missp_exec"},
    {0x8a, 3, PM, 'E', "br_bac_missp_exec"},
    {0x8b, 3, PM, 'E', "br_cnd_exec"},
    {0x8c, 3, PM, 'E', "br_cnd_missp_exec"},
    {0x8d, 3, PM, 'E', "br_ind_exec"},
    {0x8e, 3, PM, 'E', "br_ind_missp_exec"},
    {0x8f, 3, PM, 'E', "br_ret_exec"},
    {0x90, 3, PM, 'E', "br_ret_missp_exec"},
    {0x91, 3, PM, 'E', "br_ret_bac_missp_exec"},
    {0x92, 3, PM, 'E', "br_call_exec"},
    {0x93, 3, PM, 'E', "br_call_missp_exec"},
    {0x94, 3, PM, 'E', "br_ind_call_exec"},
    {0xa2, 3, ALL, 'C', "resource_stalls"},
    {0xb0, 3, PII, 'E', "mmx_instr_exec"},
    {0xb1, 3, PII | PIII | PM, 'E', "mmx_sat_instr_exec"},
    {0xb2, 3, PII | PIII | PM, 'E', "mmx_uops_exec"},
    {0xb3, 3, PII | PIII | PM, 'E', "mmx_instr_type_exec"},
    {0xc0, 3, ALL, 'E', "inst_retired"},
    {0xc1, 1, ALL, 'E', "flops"},
    {0xc2, 3, ALL, 'E', "uops_retired"},
    {0xc4, 3, ALL, 'E', "br_inst_retired"},
    {0xc5, 3, ALL, 'E', "br_miss_pred_retired"},
    {0xc6, 3, ALL, 'C', "cycles_int_masked"},
    {0xc7, 3, ALL, 'C', "cycles_int_pending_and_masked"},
    {0xc8, 3, ALL, 'E', "hw_int_rx"},
    {0xc9, 3, ALL, 'E', "br_taken_retired"},
    {0xca, 3, ALL, 'E', "br_miss_pred_taken_ret"},
    {0xcc, 3, PII | PIII | PM, 'E', "fp_mmx_trans"},
    {0xcd, 3, PII | PIII | PM, 'E', "mmx_assist"},
    {0xce, 3, PII, 'E', "mmx_instr_ret"},
    {0xce, 3, PM, 'E', "emon_simd_instr_retired"},
    {0xd0, 3, ALL, 'E', "inst_decoded"},
    {0xd2, 3, ALL, 'C', "partial_rat_stalls"},
    {0xd3, 3, PM, 'E', "emon_synch_uops"},
    {0xd4, 3, PII | PIII | PM, 'C', "seg_rename_stalls"},
    {0xd5, 3, PII | PIII | PM, 'E', "seg_reg_renames"},
    {0xd6, 3, PII | PIII | PM, 'E', "ret_seg_renames"},
    {0xd7, 3, PM, 'E', "emon_esp_uops"},
    {0xd8, 3, PIII | PM, 'E', "emon_kni_inst_retired"},
    {0xd9, 3, PIII | PM, 'E', "emon_kni_comp_inst_ret"},
    {0xda, 3, PM, 'E', "emon_fused_uops_ret"},
    {0xdb, 3, PM, 'E', "emon_unfusion"},
    {0xe0, 3, ALL, 'E', "br_inst_decoded"},
    {0xe2, 3, ALL, 'E', "btb_misses"},
    {0xe4, 3, ALL, 'E', "br_bogus"},
    {0xe6, 3, ALL, 'E', "baclears"},
    {0xf0, 3, PM, 'E', "emon_pref_rqsts_up"},
    {0xf8, 3, PM, 'E', "emon_pref_rqsts_dn"},
};

TEST(p6_rows)
{
    const struct pmu cpus[] = {ppro(), p2(), p3(), pm()};
    const unsigned events[] = {68, 78, 80, 102}; /* libpfm4's tables ppro, pii, p6 and pm have as many */
    for (unsigned c = 0; c < N(cpus); c++) {
        unsigned n = 0;
        for (unsigned i = 0; i < N(p6_table); i++) {
            bool moved =
                c == 3 && strcmp(p6_table[i].name, "mmx_instr_ret") == 0; /* has another name there */
            bool has = (p6_table[i].models & cpus[c].models) && !moved;
            const struct pmu_event *e = find(&cpus[c], p6_table[i].name);
            if (has != (e != NULL)) fail_msg("%s on a %s", p6_table[i].name, cpus[c].model);
            if (!e) continue;
            n++;
            assert_int_equal(e->code, p6_table[i].code);
            assert_int_equal(e->counters, p6_table[i].counters);
            static const char kinds[] = {
                [KIND_OCCURRENCE] = 'E', [KIND_CYCLES] = 'C', [KIND_BUS_CYCLES] = 'B', [KIND_WEIGHTED] = 'W'};
            assert_int_equal(kinds[e->kind], p6_table[i].kind);
        }
        assert_int_equal(n, events[c]);
        assert_int_equal(count(&cpus[c]), events[c]);
    }
}

/* 18.22: C1h, 10h and 14h on counter 0 only, 11h to 13h on counter 1 only, all others on both. */
TEST(p6_restrictions)
{
    for (unsigned i = 0; i < PMU_P6_EVENTS; i++) {
        unsigned c = pmu_p6_events[i].code;
        unsigned want = c == 0xc1 || c == 0x10 || c == 0x14 ? 1 : c >= 0x11 && c <= 0x13 ? 2 : 3;
        assert_int_equal(pmu_p6_events[i].counters, want);
    }
}

/* The set of a code's unit masks. Heller: 28h, 29h, 2Ah and 2Eh take MESI; 62h, 63h and 65h to 70h take the
 * bus agent. The manual's tables: all others. */
static unsigned set_of(unsigned code, bool pentium_m)
{
    switch (code) {
    case 0x24:
    case 0x26:
    case 0x27:
        return pentium_m ? MESI_PREFETCH : 0;
    case 0x29:
        return pentium_m ? MESI_PREFETCH : MESI;
    case 0x28:
    case 0x2a:
    case 0x2e:
        return MESI;
    case 0x62:
    case 0x63:
    case 0x65 ... 0x70:
        return AGENT;
    case 0x07:
    case 0x4b:
        return PREFETCH;
    case 0x58:
        return SPEEDSTEP;
    case 0xb3:
        return MMX_TYPE;
    case 0xcc:
        return TRANSITION;
    case 0xd4:
    case 0xd5:
        return SEGMENT;
    case 0xd8:
        return pentium_m ? SSE_PM : SSE;
    case 0xd9:
        return pentium_m ? SSE_COMP_PM : SSE;
    case 0xda:
        return FUSED;
    default:
        return 0;
    }
}

/* Without a unit mask: everything, where masks can be combined; otherwise the first, which is 0. */
TEST(p6_umask_sets)
{
    const struct pmu cpus[] = {ppro(), p2(), p3(), pm()};
    const struct pmu_event *e;
    for (unsigned c = 0; c < N(cpus); c++)
        for (e = NULL; (e = pmu_event_next(&cpus[c], e));) {
            const unsigned set = set_of(e->code, c == 3);
            unsigned all = e->code == 0xb2 ? 0x0f : 0; /* "must be" */
            for (unsigned i = 0; i < PMU_P6_UMASKS; i++)
                if (pmu_p6_umasks[i].set == set && (!pmu_p6_umasks[i].one_of || set == MESI_PREFETCH))
                    all |= pmu_p6_umasks[i].value;
            if (e->umasks != set || e->umask != all) fail_msg("%s on a %s", e->name, cpus[c].model);
        }
}

/* What table 19-37 says about counts that are too high or too low (facts 2.1). */
TEST(p6_errata)
{
    static const char *const want[][2] = {{"inst_retired", "one too few for an interrupt in REP STOS"},
                                          {"inst_retired", "SMI in HLT"},
                                          {"dcu_miss_outstanding", "2 too few"},
                                          {"data_mem_refs", "80-bit one twice"},
                                          {"misalign_mem_ref", "approximate"}};
    struct pmu pmu = p3();
    for (unsigned i = 0; i < N(want); i++)
        if (!strstr(find(&pmu, want[i][0])->desc, want[i][1])) fail_msg("%s: %s", want[i][0], want[i][1]);
}

TEST(umask_rows)
{
    for (unsigned i = 0; i < PMU_P6_UMASKS; i++) {
        const struct pmu_umask *u = &pmu_p6_umasks[i];
        bool used = false;
        assert_int_equal(u->field, u->set == MESI_PREFETCH && u->one_of); /* others are one field */
        assert_true(u->one_of || u->value);
        for (unsigned k = 0; k < PMU_P6_EVENTS; k++) used |= pmu_p6_events[k].umasks == u->set;
        assert_true(used);
        /* those that can be combined are bits, one after the other; the others count up, in the field's place
         */
        unsigned before = 0;
        for (unsigned k = 0; k < i; k++)
            before += pmu_p6_umasks[k].set == u->set && pmu_p6_umasks[k].one_of == u->one_of;
        assert_int_equal(u->value, !u->one_of                ? 1u << before
                                   : u->set == AGENT         ? before << 5
                                   : u->set == SPEEDSTEP     ? before << 1
                                   : u->set == MESI_PREFETCH ? (before ? before * 2 - 1 : 0) << 4
                                                             : before);
        for (unsigned k = 0; k < i; k++)
            assert_false(pmu_p6_umasks[k].set == u->set && strcmp(pmu_p6_umasks[k].name, u->name) == 0);
        /* not to be taken for a privilege, a modifier or a number */
        assert_true(u->name[strspn(u->name, "uk")]);
        assert_true(strcmp(u->name, "inv") != 0 && strcmp(u->name, "edge") != 0 && u->name[0] != '0');
    }
    for (unsigned k = 0; k < PMU_P6_EVENTS; k++) {
        unsigned rows = 0;
        for (unsigned i = 0; pmu_p6_events[k].umasks && i < PMU_P6_UMASKS; i++)
            rows += pmu_p6_umasks[i].set == pmu_p6_events[k].umasks;
        assert_int_equal(rows != 0, pmu_p6_events[k].umasks != 0);
    }
}
