/* The P5's event table against the manual's. */
#include "tests/unit/event_cpus.h"

/* SDM vol. 3B (order 325384-059) 19-38, written down apart from the driver's */
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

TEST(p5_rows)
{
    struct pmu plain = p5(), mmx = p55c();
    unsigned old = 0;
    for (unsigned i = 0; i < N(p5_table); i++) {
        const struct row *want = &p5_table[i];
        const struct pmu_event *e = find(&mmx, want->name);
        if (!e) fail_msg("%s is missing", want->name);
        assert_int_equal(e->code, want->code);
        assert_int_equal(e->counters, want->counters);
        assert_int_equal(e->kind, want->clocks ? KIND_CYCLES : KIND_OCCURRENCE);
        assert_true(e->umask == 0 && e->umasks == 0); /* a Pentium has none */
        assert_int_equal(find(&plain, want->name) != NULL, want->code < 0x2a);
        old += want->code < 0x2a;
    }
    assert_int_equal(N(p5_table), 73);
    assert_int_equal(old, 38);
    assert_int_equal(count(&plain), 38); /* and nothing beyond the table */
    assert_int_equal(count(&mmx), 73);
}

/* What Safford's appendix A says about counts that are too high or too low (facts 1.3). */
TEST(p5_errata)
{
    static const struct {
        unsigned code;
        const char *says;
    } want[] = {{0x02, "two if they fault"},         {0x03, "misaligned one twice"},
                {0x04, "misaligned one twice"},      {0x0b, "FSTP twice (erratum)"},
                {0x0d, "two if they fault"},         {0x0f, "twice if privilege changes"},
                {0x15, "VERR too (erratum)"},        {0x16, "wrong in V-pipe faults"},
                {0x17, "wrong in V-pipe faults"},    {0x1a, "2 for 3 where misaligned (erratum)"},
                {0x1e, "reads of I/O too (erratum)"}};
    struct pmu pmu = p5();
    for (unsigned i = 0; i < N(want); i++) {
        const struct pmu_event *e;
        for (e = NULL; (e = pmu_event_next(&pmu, e)) && e->code != want[i].code;) {
        }
        assert_non_null(e);
        if (!strstr(e->desc, want[i].says)) fail_msg("%s: \"%s\"", e->name, e->desc);
    }
}
