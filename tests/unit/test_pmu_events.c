/* Event tables against the manual's, and every form of an event word. */
#include "pmu/p5.h"
#include "pmu/p6.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

static struct pmu cpu(const struct pmu_ops *ops, const char *model, uint32_t models)
{
    return (struct pmu){.ops = ops, .model = model, .models = models, .counters = 2};
}
static struct pmu p5(void) { return cpu(&pmu_p5_ops, "Pentium", P5_PLAIN); }
static struct pmu p55c(void) { return cpu(&pmu_p5_ops, "Pentium MMX", P5_MMX); }
static struct pmu ppro(void) { return cpu(&pmu_p6_ops, "Pentium Pro", P6_PPRO); }
static struct pmu p2(void) { return cpu(&pmu_p6_ops, "Pentium II", P6_PII); }
static struct pmu p3(void) { return cpu(&pmu_p6_ops, "Pentium III", P6_PIII); }
static struct pmu pm(void) { return cpu(&pmu_p6_ops, "Pentium M", P6_PM); }

/* ---- parsing, with the answers at hand ---- */

static struct {
    struct pmu_code code;
    char why[200], near[200];
} got;

static bool parse(struct pmu pmu, const char *word)
{
    memset(&got, 0xa5, sizeof got);
    return pmu_event_parse(&pmu, word, strlen(word), &got.code, got.why, sizeof got.why, got.near,
                           sizeof got.near);
}

#define ACCEPTS(pmu, word, want_select, want_counters)            \
    do {                                                          \
        if (!parse(pmu, word)) fail_msg("%s: %s", word, got.why); \
        assert_int_equal(got.code.select, want_select);           \
        assert_int_equal(got.code.counters, want_counters);       \
        assert_string_equal(got.code.name, word);                 \
    } while (0)

/* part: what the message must contain; near: the whole list. */
#define REFUSES(pmu, word, part, want_near)                                                     \
    do {                                                                                        \
        if (parse(pmu, word)) fail_msg("%s was accepted", word);                                \
        if (!strstr(got.why, part)) fail_msg("%s: \"%s\" without \"%s\"", word, got.why, part); \
        assert_string_equal(got.near, want_near);                                               \
    } while (0)

/* ---- tables: SDM vol. 3B (order 325384-059) 19-38 and 19-37/19-36, written down apart from the driver's
 * ---- */

struct row {
    unsigned code, counters;
    bool clocks;
    const char *name;
};
static const struct row p5_table[] = {
    {0x00, 3, false, "data_read"},
    {0x01, 3, false, "data_write"},
    {0x02, 3, false, "data_tlb_miss"},
    {0x03, 3, false, "data_read_miss"},
    {0x04, 3, false, "data_write_miss"},
    {0x05, 3, false, "write_hit_to_m_or_e_state_lines"},
    {0x06, 3, false, "data_cache_lines_written_back"},
    {0x07, 3, false, "external_snoops"},
    {0x08, 3, false, "external_data_cache_snoop_hits"},
    {0x09, 3, false, "memory_accesses_in_both_pipes"},
    {0x0a, 3, false, "bank_conflicts"},
    {0x0b, 3, false, "misaligned_data_memory_or_io_references"},
    {0x0c, 3, false, "code_read"},
    {0x0d, 3, false, "code_tlb_miss"},
    {0x0e, 3, false, "code_cache_miss"},
    {0x0f, 3, false, "any_segment_register_loaded"},
    {0x12, 3, false, "branches"},
    {0x13, 3, false, "btb_hits"},
    {0x14, 3, false, "taken_branch_or_btb_hit"},
    {0x15, 3, false, "pipeline_flushes"},
    {0x16, 3, false, "instructions_executed"},
    {0x17, 3, false, "instructions_executed_v_pipe"},
    {0x18, 3, true, "bus_cycle_duration"},
    {0x19, 3, true, "write_buffer_full_stall_duration"},
    {0x1a, 3, true, "waiting_for_data_memory_read_stall_duration"},
    {0x1b, 3, true, "stall_on_write_to_an_e_or_m_state_line"},
    {0x1c, 3, false, "locked_bus_cycle"},
    {0x1d, 3, false, "io_read_or_write_cycle"},
    {0x1e, 3, false, "noncacheable_memory_reads"},
    {0x1f, 3, true, "pipeline_agi_stalls"},
    {0x22, 3, false, "flops"},
    {0x23, 3, false, "breakpoint_match_on_dr0_register"},
    {0x24, 3, false, "breakpoint_match_on_dr1_register"},
    {0x25, 3, false, "breakpoint_match_on_dr2_register"},
    {0x26, 3, false, "breakpoint_match_on_dr3_register"},
    {0x27, 3, false, "hardware_interrupts"},
    {0x28, 3, false, "data_read_or_write"},
    {0x29, 3, false, "data_read_miss_or_write_miss"},
    {0x2a, 1, true, "bus_ownership_latency"},
    {0x2a, 2, false, "bus_ownership_transfers"},
    {0x2b, 1, false, "mmx_instructions_executed_u_pipe"},
    {0x2b, 2, false, "mmx_instructions_executed_v_pipe"},
    {0x2c, 1, false, "cache_m_state_line_sharing"},
    {0x2c, 2, false, "cache_line_sharing"},
    {0x2d, 1, false, "emms_instructions_executed"},
    {0x2d, 2, false, "transitions_between_mmx_and_fp_instructions"},
    {0x2e, 1, true, "bus_utilization_due_to_processor_activity"},
    {0x2e, 2, false, "writes_to_noncacheable_memory"},
    {0x2f, 1, false, "saturating_mmx_instructions_executed"},
    {0x2f, 2, false, "saturations_performed"},
    {0x30, 1, true, "number_of_cycles_not_in_halt_state"},
    {0x30, 2, true, "data_cache_tlb_miss_stall_duration"},
    {0x31, 1, false, "mmx_instruction_data_reads"},
    {0x31, 2, false, "mmx_instruction_data_read_misses"},
    {0x32, 1, true, "floating_point_stalls_duration"},
    {0x32, 2, false, "taken_branches"},
    {0x33, 1, false, "d1_starvation_and_fifo_is_empty"},
    {0x33, 2, false, "d1_starvation_and_only_one_instruction_in_fifo"},
    {0x34, 1, false, "mmx_instruction_data_writes"},
    {0x34, 2, false, "mmx_instruction_data_write_misses"},
    {0x35, 1, false, "pipeline_flushes_due_to_wrong_branch_predictions"},
    {0x35, 2, false, "pipeline_flushes_due_to_wrong_branch_predictions_resolved_in_wb_stage"},
    {0x36, 1, false, "misaligned_data_memory_reference_on_mmx_instructions"},
    {0x36, 2, true, "pipeline_istall_for_mmx_instruction_data_memory_reads"},
    {0x37, 1, false, "mispredicted_or_unpredicted_returns"},
    {0x37, 2, false, "predicted_returns"},
    {0x38, 1, true, "mmx_multiply_unit_interlock"},
    {0x38, 2, true, "movd_movq_store_stall_due_to_previous_mmx_operation"},
    {0x39, 1, false, "returns"},
    {0x3a, 1, false, "btb_false_entries"},
    {0x3a, 2, false, "btb_miss_prediction_on_not_taken_branch"},
    {0x3b, 1, true, "full_write_buffer_stall_duration_while_executing_mmx_instructions"},
    {0x3b, 2, true, "stall_on_mmx_instruction_write_to_e_or_m_state_line"},
};

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

#define N(a) (sizeof(a) / sizeof(a)[0])

static const struct pmu_event *find(const struct pmu *pmu, const char *name)
{
    const struct pmu_event *e, *found = NULL;
    for (unsigned i = 0; (e = pmu_event_at(pmu, i)); i++) {
        if (strcmp(e->name, name) != 0) continue;
        if (found) fail_msg("%s twice on a %s", name, pmu->model);
        found = e;
    }
    return found;
}

static unsigned count(const struct pmu *pmu)
{
    unsigned n = 0;
    while (pmu_event_at(pmu, n)) n++;
    return n;
}

static void p5_rows(void **state)
{
    (void)state;
    struct pmu plain = p5(), mmx = p55c();
    unsigned old = 0;
    for (unsigned i = 0; i < N(p5_table); i++) {
        const struct row *want = &p5_table[i];
        const struct pmu_event *e = find(&mmx, want->name);
        if (!e) fail_msg("%s is missing", want->name);
        assert_int_equal(e->code, want->code);
        assert_int_equal(e->counters, want->counters);
        assert_int_equal(e->kind, want->clocks ? KIND_CYCLES : KIND_OCCURRENCE);
        assert_int_equal(find(&plain, want->name) != NULL, want->code < 0x2a);
        old += want->code < 0x2a;
    }
    assert_int_equal(N(p5_table), 73);
    assert_int_equal(old, 38);
    assert_int_equal(count(&plain), 38); /* and nothing beyond the table */
    assert_int_equal(count(&mmx), 73);
}

static void p6_rows(void **state)
{
    (void)state;
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
static void p6_restrictions(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PMU_P6_EVENTS; i++) {
        unsigned c = pmu_p6_events[i].code;
        unsigned want = c == 0xc1 || c == 0x10 || c == 0x14 ? 1 : c >= 0x11 && c <= 0x13 ? 2 : 3;
        assert_int_equal(pmu_p6_events[i].counters, want);
    }
}

/* Heller: 28h, 29h, 2Ah and 2Eh take MESI; 62h, 63h and 65h to 70h take the bus agent. */
static void p6_umask_sets(void **state)
{
    (void)state;
    struct pmu pmu = p3();
    const struct pmu_event *e;
    for (unsigned i = 0; (e = pmu_event_at(&pmu, i)); i++) {
        unsigned c = e->code;
        bool mesi = c == 0x28 || c == 0x29 || c == 0x2a || c == 0x2e;
        bool agent = c == 0x62 || c == 0x63 || (c >= 0x65 && c <= 0x70);
        assert_int_equal(e->umasks == MESI, mesi);
        assert_int_equal(e->umasks == AGENT, agent);
        if (mesi) assert_int_equal(e->umask, 0x0f);
        if (agent) assert_int_equal(e->umask, 0);
    }
}

static void umask_rows(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PMU_P6_UMASKS; i++) {
        const struct pmu_umask *u = &pmu_p6_umasks[i];
        bool used = false;
        assert_true(u->field < 2);
        assert_true(u->one_of || u->value);
        for (unsigned k = 0; k < PMU_P6_EVENTS; k++) used |= pmu_p6_events[k].umasks == u->set;
        assert_true(used);
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

static void texts(void **state)
{
    (void)state;
    const struct pmu cpus[] = {p55c(), p2(), p3(), pm()};
    for (unsigned c = 0; c < N(cpus); c++) {
        const struct pmu_event *e;
        for (unsigned i = 0; (e = pmu_event_at(&cpus[c], i)); i++) {
            size_t name = strlen(e->name), desc = strlen(e->desc);
            assert_true(name > 0 && name + sizeof ":u" < PMU_NAME && desc > 0 && desc < 100);
            assert_int_equal(strspn(e->name, "abcdefghijklmnopqrstuvwxyz0123456789_"), name);
            for (size_t k = 0; k < desc; k++) assert_in_range(e->desc[k], 0x20, 0x7e);
        }
    }
}

/* ---- every name parses to its row ---- */

static void names(void **state)
{
    (void)state;
    const struct pmu fives[] = {p5(), p55c()}, sixes[] = {ppro(), p2(), p3(), pm()};
    const struct pmu_event *e;
    for (unsigned c = 0; c < N(fives); c++)
        for (unsigned i = 0; (e = pmu_event_at(&fives[c], i)); i++)
            ACCEPTS(fives[c], e->name, e->code | 0x0c0u, e->counters);
    for (unsigned c = 0; c < N(sixes); c++)
        for (unsigned i = 0; (e = pmu_event_at(&sixes[c], i)); i++)
            ACCEPTS(sixes[c], e->name, e->code | (uint32_t)e->umask << 8 | 0x30000u, e->counters);
}

static void words(void **state)
{
    (void)state;
    /* clocks mode at any CPL; 16h; 12h; 29h */
    ACCEPTS(p5(), "cycles", 0x1c0, 3);
    ACCEPTS(p55c(), "cycles", 0x1c0, 3);
    ACCEPTS(p5(), "instructions", 0x0d6, 3);
    ACCEPTS(p5(), "branches", 0x0d2, 3);
    ACCEPTS(p5(), "cache-misses", 0x0e9, 3);
    ACCEPTS(p5(), "cycles:u", 0x180, 3);
    ACCEPTS(p5(), "cycles:k", 0x140, 3);
    /* 79h, C0h, C4h, 2Eh with unit mask I */
    ACCEPTS(p3(), "cycles", 0x30079, 3);
    ACCEPTS(p3(), "instructions", 0x300c0, 3);
    ACCEPTS(p3(), "branches", 0x300c4, 3);
    ACCEPTS(p3(), "cache-misses", 0x3012e, 3);
    ACCEPTS(p3(), "instructions:u", 0x100c0, 3);
    ACCEPTS(p3(), "instructions:k", 0x200c0, 3);
    ACCEPTS(p3(), "P6::cycles:uk", 0x30079, 3);
    REFUSES(p3(), "cache-misses:m", "only u, k", "");
    ACCEPTS(p5(), "cache-references", 0x0e8, 3); /* 28h, as Knights Corner */
    REFUSES(p5(), "branch-misses", "absent on a", "");
    REFUSES(p3(), "ref-cycles", "absent on a", "");
    ACCEPTS(p3(), "cache-references", 0x30f2e, 3);
    ACCEPTS(p3(), "branch-misses", 0x300c5, 3);
    ACCEPTS(p3(), "bus-cycles", 0x30062, 3);

    struct pmu none = {.ops = NULL}, pmu = p3();
    static const char *const perf[] = {"cycles",           "instructions",  "branches",   "cache-misses",
                                       "cache-references", "branch-misses", "ref-cycles", "bus-cycles"};
    for (unsigned i = 0; i < N(perf); i++) {
        assert_string_equal(pmu_word_at(&pmu, i)->word, perf[i]);
        assert_string_equal(pmu_word_at(&none, i)->word, perf[i]);
        assert_null(pmu_word_at(&none, i)->event);
    }
    assert_null(pmu_word_at(&pmu, N(perf)));
    assert_null(pmu_event_at(&none, 0));
    REFUSES(none, "cycles", "no performance counters", "");

    struct pmu_ops other = pmu_p6_ops;
    other.family = "other";
    pmu.ops = &other;
    REFUSES(pmu, "cycles", "absent", "");
}

/* ---- what follows a name ---- */

static void modifiers(void **state)
{
    (void)state;
    ACCEPTS(p5(), "data_read:u", 0x080, 3);
    ACCEPTS(p5(), "data_read:k", 0x040, 3);
    ACCEPTS(p5(), "p5::DATA_READ:K:U", 0x0c0, 3);
    ACCEPTS(p55c(), "returns:u", 0x0b9, 1);
    ACCEPTS(p55c(), "taken_branches:u", 0x0b2, 2);

    ACCEPTS(p3(), "l2_rqsts:u", 0x10f2e, 3);
    ACCEPTS(p3(), "l2_rqsts:m", 0x3082e, 3);
    ACCEPTS(p3(), "l2_rqsts:M:E:S:I:k", 0x20f2e, 3);
    ACCEPTS(p3(), "l2_rqsts:0x03", 0x3032e, 3);
    ACCEPTS(p3(), "l2_rqsts:0x00", 0x3002e, 3);
    ACCEPTS(p3(), "bus_tran_any:any", 0x32070, 3);
    ACCEPTS(p3(), "bus_tran_any:self", 0x30070, 3);
    ACCEPTS(p3(), "mmx_instr_type_exec:mul:arith", 0x321b3, 3);
    ACCEPTS(p3(), "emon_kni_inst_retired:scalar", 0x301d8, 3);
    ACCEPTS(pm(), "emon_kni_inst_retired:sse2_scalar_double", 0x303d8, 3);
    ACCEPTS(p2(), "seg_reg_renames:es:gs", 0x309d5, 3);
    ACCEPTS(p2(), "fp_mmx_trans:fp_to_mmx:u", 0x101cc, 3);
    ACCEPTS(p3(), "flops:0x00:k", 0x200c1, 1);
    /* on a Pentium M two fields: the one that is not named keeps its default */
    ACCEPTS(pm(), "l2_ld", 0x33f29, 3);
    ACCEPTS(pm(), "l2_ld:m", 0x33829, 3);
    ACCEPTS(pm(), "l2_ld:hw_prefetch", 0x31f29, 3);
    ACCEPTS(pm(), "l2_ld:demand:i", 0x30129, 3);
    /* Heller: --duration is the edge bit, --compare gt2 is CMASK 3, le2 the same inverted */
    ACCEPTS(p3(), "dcu_miss_outstanding:edge", 0x70048, 3);
    ACCEPTS(p3(), "inst_decoded:cmask=3", 0x30300d0, 3);
    ACCEPTS(p3(), "inst_decoded:cmask=0x3:inv:u", 0x38100d0, 3);
}

static void fields(void **state)
{
    (void)state;
    ACCEPTS(p3(), "/event=0xc4,umask=0x01,cmask=1,inv/", 0x18301c4, 3);
    ACCEPTS(p3(), "/event=196,edge/u", 0x500c4, 3);
    ACCEPTS(p3(), "/cmask=255,event=0xC0/k", 0xff0200c0, 3);
    ACCEPTS(p3(), "/event=0xc0/uk", 0x300c0, 3);
    ACCEPTS(p3(), "/event=0xc0/:u", 0x100c0, 3);
    ACCEPTS(p3(), "/event=0x12/", 0x30012, 2); /* the table knows the code's counters */
    ACCEPTS(p3(), "/event=0x2e/", 0x30f2e, 3); /* ... and its unit mask */
    ACCEPTS(p3(), "/event=0x2e,umask=0/", 0x3002e, 3);
    ACCEPTS(p3(), "/event=0x52/", 0x30052, 3); /* undocumented */
    ACCEPTS(p5(), "/clocks/", 0x1c0, 3);
    ACCEPTS(p5(), "/clocks/u", 0x180, 3);
    ACCEPTS(p5(), "/event=0x16/k", 0x056, 3);
    ACCEPTS(p5(), "/event=0x3f/", 0x0ff, 3);

    REFUSES(p3(), "/event=0xc4", "slash", "");
    REFUSES(p3(), "/umask=1/", "event=", "");
    REFUSES(p3(), "//", "no field", "");
    REFUSES(p3(), "/event=0xc4,/", "no field", "");
    REFUSES(p3(), "/event=0xc4,event=1/", "twice", "");
    REFUSES(p3(), "/event=0xc4,any/", "event=, umask=, cmask=, inv, edge, clocks", "");
    REFUSES(p3(), "/event/", "number", "");
    REFUSES(p3(), "/event=/", "number", "");
    REFUSES(p3(), "/event=0x/", "number", "");
    REFUSES(p3(), "/event=-1/", "number", "");
    REFUSES(p3(), "/event=c4/", "number", "");
    REFUSES(p3(), "/event=0x1000000c4/", "number", "");
    REFUSES(p3(), "/event=0xc4,inv=1/", "no value", "");
    REFUSES(p3(), "/event=0x1c4/", "0xff", "");
    REFUSES(p3(), "/event=0xc4,umask=256/", "0xff", "");
    REFUSES(p3(), "/event=0xc4,cmask=256/", "0xff", "");
    REFUSES(p3(), "/event=0xc4,inv/", "cmask", ""); /* the hardware would ignore it */
    REFUSES(p3(), "/clocks/", "cycles", "");
    REFUSES(p3(), "/event=0xc4/x", "u, k", "");
    REFUSES(p5(), "/event=0x40/", "3Fh", "");
    REFUSES(p5(), "/event=0x16,umask=1/", "unit mask", "");
    REFUSES(p5(), "/event=0x16,cmask=1/", "cmask", "");
    REFUSES(p5(), "/event=0x16,inv/", "inv", "");
    REFUSES(p5(), "/event=0x16,edge/", "edge", "");
    REFUSES(p5(), "/event=0x16,clocks/", "leave event= out", "");
}

static void raw(void **state)
{
    (void)state;
    ACCEPTS(p3(), "r01c4", 0x301c4, 3);
    ACCEPTS(p3(), "rc0", 0x300c0, 3);
    ACCEPTS(p3(), "r2e", 0x3002e, 3); /* the unit mask is written out: none */
    ACCEPTS(p3(), "R0F2E:u", 0x10f2e, 3);
    ACCEPTS(p3(), "r10", 0x30010, 1);
    ACCEPTS(p5(), "r16:k", 0x056, 3);
    ACCEPTS(p5(), "r2a", 0x0ea, 3); /* means nothing on a Pentium */
    ACCEPTS(p55c(), "r39", 0x0f9, 1);
    REFUSES(p55c(), "r2a", "bus_ownership_latency on counter 0 and bus_ownership_transfers on counter 1", "");
    REFUSES(p5(), "r0116", "unit mask", "");
    REFUSES(p3(), "rc0:edge", "only :u, :k", "");
    REFUSES(p3(), "r101c4", "bits 16, 17, 19, 20 and 22", ""); /* USR */
    ACCEPTS(p3(), "r28401c4:u", 0x28501c4, 3);                 /* CMASK 2, INV, edge */
    REFUSES(p3(), "r8001c4", "inv", "");
    REFUSES(p3(), "r2001c4", "bit 21 is reserved", "");
    REFUSES(p3(), "r1000000c4", "go from 0 to 0xff", "");
    REFUSES(p3(), "r0000000000", "no event", ""); /* ten digits */
    REFUSES(p5(), "r1000016", "cmask", "");
}

static void typos(void **state)
{
    (void)state;
    REFUSES(p3(), "inst_retird", "no event", "inst_retired");
    REFUSES(p3(), "instruction", "no event", "instructions");
    REFUSES(p3(), "cycle", "no event", "cycles, bus-cycles, cycles_div_busy");
    REFUSES(p3(), "L2_RQST", "no event", "l2_rqsts, l2_st");
    REFUSES(p5(), "data_reads", "no event", "data_read");
    REFUSES(p5(), "branchs:u", "no event", "branches");
    REFUSES(p3(), "zzzzzzzz", "no event", "");
    REFUSES(ppro(), "mmx_assist", "another model", "");
    REFUSES(p5(), "returns", "another model", "");
    REFUSES(pm(), "mmx_instr_ret", "another model", "");
    REFUSES(p3(), "netburst::instr_retired", "p6::, not netburst::", "");
    REFUSES(p3(), "l2_rqsts:x", "it has i, s, e, m", "");
    REFUSES(p3(), "inst_retired:m", "no unit mask", "");
    REFUSES(p3(), "bus_tran_any:self:any", "exclude", "");
    REFUSES(p3(), "l2_rqsts:m:0x01", "whole unit mask", "");
    REFUSES(p3(), "l2_rqsts:0x01:m", "whole unit mask", "");
    REFUSES(p3(), "l2_rqsts:0x1g", "no number", "");
    REFUSES(p3(), "l2_rqsts:", "it has", "");
    REFUSES(p3(), "inst_decoded:inv", "cmask", "");
    REFUSES(p3(), "inst_decoded:cmask=x", "number", "");
    REFUSES(p5(), "data_read:0x01", "unit mask", "");
    REFUSES(p5(), "data_read:edge", "edge", "");
    REFUSES(p3(), "", "an event has a name", "");
    REFUSES(p3(), ":u", "no event", "");
}

/* The word is given with its length, may hold anything, and the texts may be given no room. */
static void bounds(void **state)
{
    (void)state;
    struct pmu pmu = p3();
    struct pmu_code code;
    char why[8], near[8], text[300];
    assert_true(pmu_event_parse(&pmu, "inst_retired,flops", 12, &code, why, sizeof why, near, sizeof near));
    assert_string_equal(code.name, "inst_retired");
    assert_false(pmu_event_parse(&pmu, "inst_retired\0x", 14, &code, why, sizeof why, near, sizeof near));
    assert_false(pmu_event_parse(&pmu, "inst_retird", 11, &code, why, sizeof why, near, sizeof near));
    assert_string_equal(near, "inst_re");
    assert_int_equal(strlen(why), 7);
    memset(text, 'a', sizeof text);
    for (size_t n = 80; n < 120; n++)
        assert_false(pmu_event_parse(&pmu, text, n, &code, why, sizeof why, near, sizeof near));
    memset(text, ':', sizeof text);
    assert_false(pmu_event_parse(&pmu, text, 95, &code, why, sizeof why, near, sizeof near));
    memset(text, '/', sizeof text);
    assert_false(pmu_event_parse(&pmu, text, 95, &code, why, sizeof why, near, sizeof near));

    /* every prefix of a good word is a good word or a refusal, under the sanitizers */
    static const char *const good[] = {"/event=0xc4,umask=0x01,cmask=1,inv,edge/uk",
                                       "p6::l2_rqsts:m:e:cmask=2:inv:u", "r01c4:u"};
    for (unsigned i = 0; i < N(good); i++)
        for (size_t n = 0; n <= strlen(good[i]); n++) {
            char *copy = malloc(n ? n : 1); /* ends where the word ends */
            memcpy(copy, good[i], n);
            bool ok = pmu_event_parse(&pmu, copy, n, &code, why, sizeof why, near, sizeof near);
            assert_true(ok || why[0]);
            free(copy);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p5_rows),       cmocka_unit_test(p6_rows),    cmocka_unit_test(p6_restrictions),
        cmocka_unit_test(p6_umask_sets), cmocka_unit_test(umask_rows), cmocka_unit_test(texts),
        cmocka_unit_test(names),         cmocka_unit_test(words),      cmocka_unit_test(modifiers),
        cmocka_unit_test(fields),        cmocka_unit_test(raw),        cmocka_unit_test(typos),
        cmocka_unit_test(bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
