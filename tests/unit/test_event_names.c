/* Names that events have elsewhere: the seeds', libpfm4's, each with what it has to be. */
#include "pmu/driver.h"
#include "pmu/names.h"
#include "pmu/netburst.h"
#include "tests/unit/event_cpus.h"
#include <stdio.h>

static struct pmu_code code;
static char why[200], near[200];

static bool parse(const struct pmu *pmu, const char *word)
{
    return pmu_event_parse(pmu, word, strlen(word), &code, why, sizeof why, near, sizeof near);
}

static struct pmu prescott(void)
{
    struct pmu pmu = cpu(&pmu_netburst_ops, "Pentium 4 (Prescott)", 1 << 3 | NB_F27 | NB_NO_IQ_ESCR);
    pmu.counters = NETBURST_COUNTERS;
    pmu.words = &pmu_netburst_words;
    return pmu;
}

/* Both words are the same program. */
static void assert_same(const struct pmu *pmu, const char *alias, const char *word)
{
    if (!parse(pmu, word)) fail_msg("%s: %s", word, why);
    const struct pmu_code want = code;
    if (!parse(pmu, alias)) fail_msg("%s: %s", alias, why);
    if (!pmu_code_same(&code, &want) || code.counters != want.counters) fail_msg("%s is not %s", alias, word);
    assert_string_equal(code.name, alias);
}

/* ---- seed 003: Safford, tables 3.2 and C.1 ---- */

TEST(test_safford)
{
    static const struct {
        const char *name;
        unsigned code;
    } names[] = {{"data_read", 0x00},
                 {"data_write", 0x01},
                 {"data_read_or_write", 0x28},
                 {"data_tlb_miss", 0x02},
                 {"data_read_miss", 0x03},
                 {"data_write_miss", 0x04},
                 {"data_read_or_write_miss", 0x29},
                 {"write_to_M_or_E_lines", 0x05},
                 {"data_cache_lines_written_back", 0x06},
                 {"external_snoops", 0x07},
                 {"data_cache_snooping_hits", 0x08},
                 {"memory_accesses_in_both_pipes", 0x09},
                 {"bank_conflicts", 0x0a},
                 {"misaligned_data_memory_or_IO_references", 0x0b},
                 {"code_read", 0x0c},
                 {"code_tlb_miss", 0x0d},
                 {"code_cache_miss", 0x0e},
                 {"segment_register_loaded", 0x0f},
                 {"branches", 0x12},
                 {"btb_hits", 0x13},
                 {"taken_branch_or_btb_hit", 0x14},
                 {"pipeline_flushes", 0x15},
                 {"instructions_executed", 0x16},
                 {"instructions_executed_in_v_pipe", 0x17},
                 {"clocks_while_bus_cycle_in_progress", 0x18},
                 {"clocks_stalled_full_write_buffers", 0x19},
                 {"clocks_stalled_waiting_data_read", 0x1a},
                 {"clocks_stalled_write_to_M_or_E_line", 0x1b},
                 {"locked_bus_cycle", 0x1c},
                 {"IO_read_or_write_cycle", 0x1d},
                 {"non_cacheable_memory_reads", 0x1e},
                 {"pipeline_stalled_address_generation_interlock", 0x1f},
                 {"flops", 0x22},
                 {"breakpoint_match_DR0", 0x23},
                 {"breakpoint_match_DR1", 0x24},
                 {"breakpoint_match_DR2", 0x25},
                 {"breakpoint_match_DR3", 0x26},
                 {"hardware_interrupts", 0x27},
                 {"count_clocks", 0x100}}; /* counter control's clocks mode */
    const struct pmu cpus[] = {p5(), p55c()};
    unsigned refused = 0;
    for (unsigned c = 0; c < N(cpus); c++)
        for (unsigned i = 0; i < N(names); i++) {
            bool good = parse(&cpus[c], names[i].name);
            if (!good) print_message("%s is refused: %s\n", names[i].name, why);
            refused += !good;
            if (good) assert_int_equal(code.select, names[i].code | 0xc0);
        }
    if (refused) fail_msg("%u of %u names are refused, on two CPUs", refused, (unsigned)(2 * N(names)));
    assert_same(&cpus[0], "breakpoint_match_DR0:u", "r23:u");
    assert_false(parse(&cpus[0], "event_disable")); /* counts nothing */
}

/* ---- seed 001: rabbit's names for the P6 ---- */

TEST(test_rabbit)
{
    enum { ALL, PII, PIII }; /* the commentary's "Pentium II only", "Pentium III only" */
    static const struct {
        const char *name;
        unsigned code, only;
    } names[] = {{"ld_blocks", 0x03, ALL},
                 {"sb_drains", 0x04, ALL},
                 {"misalign_mem_ref", 0x05, ALL},
                 {"segment_reg_loads", 0x06, ALL},
                 {"emon_sse_pre_dispatched", 0x07, PIII},
                 {"fp_comp_ops_exe", 0x10, ALL},
                 {"fp_assist", 0x11, ALL},
                 {"mul", 0x12, ALL},
                 {"div", 0x13, ALL},
                 {"cycles_div_busy", 0x14, ALL},
                 {"l2_ads", 0x21, ALL},
                 {"l2_dbus_busy", 0x22, ALL},
                 {"l2_dbus_busy_rd", 0x23, ALL},
                 {"l2_lines_in", 0x24, ALL},
                 {"l2_m_lines_inm", 0x25, ALL},
                 {"l2_lines_out", 0x26, ALL},
                 {"l2_m_lines_outm", 0x27, ALL},
                 {"l2_ifetch", 0x28, ALL},
                 {"l2_ld", 0x29, ALL},
                 {"l2_st", 0x2a, ALL},
                 {"l2_rqsts", 0x2e, ALL},
                 {"data_mem_refs", 0x43, ALL},
                 {"dcu_lines_in", 0x45, ALL},
                 {"dcu_m_lines_in", 0x46, ALL},
                 {"dcu_m_lines_out", 0x47, ALL},
                 {"dcu_miss_outstanding", 0x48, ALL},
                 {"emon_sse_pre_miss", 0x4b, PIII},
                 {"PII_0x52", 0x52, PII},
                 {"bus_req_outstanding", 0x60, ALL},
                 {"bus_bnr_drv", 0x61, ALL},
                 {"bus_drdy_clocks", 0x62, ALL},
                 {"bus_lock_clocks", 0x63, ALL},
                 {"bus_data_rcv", 0x64, ALL},
                 {"bus_tran_brd", 0x65, ALL},
                 {"bus_tran_rfo", 0x66, ALL},
                 {"bus_trans_wb", 0x67, ALL},
                 {"bus_tran_ifetch", 0x68, ALL},
                 {"bus_tran_inval", 0x69, ALL},
                 {"bus_tran_pwr", 0x6a, ALL},
                 {"bus_trans_p", 0x6b, ALL},
                 {"bus_trans_io", 0x6c, ALL},
                 {"bus_tran_def", 0x6d, ALL},
                 {"bus_tran_burst", 0x6e, ALL},
                 {"bus_tran_mem", 0x6f, ALL},
                 {"bus_tran_any", 0x70, ALL},
                 {"cpu_clk_unhalted", 0x79, ALL},
                 {"bus_hit_drv", 0x7a, ALL},
                 {"bus_hitm_drv", 0x7b, ALL},
                 {"bus_snoop_stall", 0x7e, ALL},
                 {"ifu_ifetch", 0x80, ALL},
                 {"ifu_ifetch_miss", 0x81, ALL},
                 {"itlb_miss", 0x85, ALL},
                 {"ifu_mem_stall", 0x86, ALL},
                 {"ild_stall", 0x87, ALL},
                 {"resource_stalls", 0xa2, ALL},
                 {"MMX_instr_exec", 0xb0, PII},
                 {"MMX_sat_instr_exec", 0xb1, PII},
                 {"MMX_uops_exec", 0xb2, PII},
                 {"MMX_instr_type_exec", 0xb3, PII},
                 {"inst_retired", 0xc0, ALL},
                 {"flops", 0xc1, ALL},
                 {"uops_retired", 0xc2, ALL},
                 {"br_inst_retired", 0xc4, ALL},
                 {"br_miss_pred_retired", 0xc5, ALL},
                 {"cycles_int_masked", 0xc6, ALL},
                 {"cycles_int_pending_and_masked", 0xc7, ALL},
                 {"hw_int_rx", 0xc8, ALL},
                 {"br_taken_retired", 0xc9, ALL},
                 {"br_miss_pred_taken_ret", 0xca, ALL},
                 {"fp_MMX_trans", 0xcc, PII},
                 {"MMX_assist", 0xcd, PII},
                 {"MMX_instr_ret", 0xce, PII},
                 {"PII_0xCF", 0xcf, PII},
                 {"inst_decoder", 0xd0, ALL},
                 {"partial_rat_stalls", 0xd2, ALL},
                 {"seg_rename_stalls", 0xd4, PII},
                 {"seg_reg_renames", 0xd5, PII},
                 {"ret_seg_renames", 0xd6, PII},
                 {"emon_sse_inst_retired", 0xd8, PIII},
                 {"emon_sse_comp_inst_ret", 0xd9, PIII},
                 {"br_inst_decoded", 0xe0, ALL},
                 {"btb_misses", 0xe2, ALL},
                 {"br_bogus", 0xe4, ALL},
                 {"baclears", 0xe6, ALL}};
    const struct pmu cpus[] = {ppro(), p2(), p3()};
    unsigned refused = 0;
    for (unsigned c = 0; c < N(cpus); c++)
        for (unsigned i = 0; i < N(names); i++) {
            if (names[i].only != ALL && names[i].only != c) continue;
            bool good = parse(&cpus[c], names[i].name);
            if (!good) print_message("%s is refused: %s\n", names[i].name, why);
            refused += !good;
            if (good) assert_int_equal(code.select & 0xff, names[i].code);
        }
    if (refused) fail_msg("%u names are refused", refused);
    /* T0, T1 and T2, weakly ordered: 1, 2, 3 */
    assert_same(&cpus[2], "emon_sse_pre_dispatched:t0", "emon_kni_pref_dispatched:0x1");
    assert_same(&cpus[2], "emon_sse_pre_miss:t0:u", "r014b:u");
    assert_same(&cpus[2], "emon_sse_inst_retired:scalar", "r01d8");
    assert_false(parse(&cpus[2], "emon_sse_pre_miss:t0:t1"));
    assert_false(parse(&cpus[0], "pii_0x52"));
    assert_false(parse(&cpus[2], "pii_0x52:0x01")); /* nothing is known of its unit mask */
}

/* ---- libpfm4's spellings (all of them: test_library_names.c) ---- */

TEST(test_replay)
{
    static const char *const metric[][2] = {{"L1_LD_MISS", "1stl_cache_load_miss_retired"},
                                            {"L2_LD_MISS", "2ndl_cache_load_miss_retired"},
                                            {"DTLB_LD_MISS", "dtlb_load_miss_retired"},
                                            {"DTLB_ST_MISS", "dtlb_store_miss_retired"},
                                            {"DTLB_ALL_MISS", "dtlb_all_miss_retired"},
                                            {"BR_MSP", "tagged_mispred_branch"},
                                            {"MOB_LD_REPLAY", "mob_load_replay_retired"},
                                            {"SP_LD_RET", "split_load_retired"},
                                            {"SP_ST_RET", "split_store_retired"}};
    static const char *const masks[] = {"", ":nbogus", ":bogus", ":nbogus:bogus"};
    const struct pmu pmu = prescott();
    char alias[96], word[96];
    for (unsigned i = 0; i < N(metric); i++)
        for (unsigned m = 0; m < N(masks); m++) {
            snprintf(word, sizeof word, "%s%s:u", metric[i][1], masks[m]);
            snprintf(alias, sizeof alias, "replay_event:%s%s:u", metric[i][0], masks[m]);
            assert_same(&pmu, alias, word);
            snprintf(alias, sizeof alias, "netburst_p::REPLAY_EVENT%s:%s:u", masks[m], metric[i][0]);
            assert_same(&pmu, alias, word);
        }
    assert_true(parse(&pmu, "replay_event"));
    assert_int_equal(code.netburst.upstream, 0);
    assert_false(parse(&pmu, "replay_event:l1_ld_miss:l2_ld_miss")); /* one load, one reason */
    assert_false(parse(&pmu, "uops_retired:l1_ld_miss"));
    assert_false(parse(&pmu, "front_end_event:br_msp"));
}

TEST(test_tags)
{
    const struct pmu pmu = prescott();
    assert_same(&pmu, "packed_sp_uop:all:tag0", "packed_sp_uop:tag=1");
    assert_same(&pmu, "packed_sp_uop:TAG3:all", "packed_sp_uop:tag=8");
    assert_false(parse(&pmu, "packed_sp_uop:tag0:tag1")); /* not the second alone */
    assert_string_equal(why, "tag is given twice");
    assert_false(parse(&pmu, "packed_sp_uop:tag=1:tag=2"));
    assert_false(parse(&pmu, "sse_input_assist:tag0"));
    assert_same(&pmu, "ioq_allocation:type_bit1:type_bit0", "ioq_allocation:0xafe3");
}

TEST(test_prefixes)
{
    struct pmu cpus[] = {ppro(), p2(), p3(), pm(), prescott()};
    static const char *const own[] = {"ppro::", "pii::", "p6::", "pm::", "netburst_p::"};
    char word[64];
    for (unsigned c = 0; c < N(cpus); c++)
        for (unsigned k = 0; k < N(own); k++) {
            snprintf(word, sizeof word, "%s%s", own[k], c == 4 ? "instr_retired" : "inst_retired");
            if (parse(&cpus[c], word) != (c == k || (c < 4 && k == 2))) fail_msg("%s: %s", word, why);
        }
}

/* Which CPUs know a name: libpfm4's tables and rabbit's commentary. */
TEST(test_models)
{
    static const struct {
        const char *name, *known; /* ppro, pii, p6, pm */
    } names[] = {{"bus_trans_brd", "1111"},
                 {"bus_trans_rfo", "1111"},
                 {"bus_data_recv", "1111"},
                 {"inst_decoder", "1111"},
                 {"pii_0x52", "0110"},
                 {"pii_0xcf", "0110"},
                 {"emon_sse_inst_retired", "0011"},
                 {"emon_sse_comp_inst_ret", "0011"},
                 {"emon_sse_pre_dispatched", "0011"},
                 {"emon_sse_pre_miss", "0011"},
                 {"emon_sse_sse2_inst_retired", "0001"},
                 {"emon_sse_sse2_comp_inst_retired", "0001"},
                 {"l2_m_lines_out", "0001"},
                 {"cpu-cycles", "1111"},
                 {"branch-instructions", "1111"}};
    const struct pmu cpus[] = {ppro(), p2(), p3(), pm()};
    for (unsigned i = 0; i < N(names); i++)
        for (unsigned c = 0; c < N(cpus); c++)
            if (parse(&cpus[c], names[i].name) != (names[i].known[c] == '1'))
                fail_msg("%s on a %s", names[i].name, cpus[c].model);
}

/* Every row of the table stands for something that its CPU has; no name is taken twice. */
TEST(test_table)
{
    const struct pmu cpus[] = {p5(), p55c(), ppro(), p2(), p3(), pm(), prescott()};
    const struct pmu_alias *a;
    for (unsigned c = 0; c < N(cpus); c++)
        for (a = NULL; (a = pmu_alias_next(&cpus[c], a)) != NULL;) {
            if (pmu_alias_named(&cpus[c], 0, a->stands_for)) fail_msg("%s is an alias", a->stands_for);
            if (pmu_event_named(&cpus[c], a->name)) fail_msg("%s is an event's own name", a->name);
            assert_same(&cpus[c], a->name, a->stands_for);
        }
    assert_false(parse(&cpus[4], "emon_sse_pre_mis"));
    assert_string_equal(near, "emon_sse_pre_miss, emon_kni_pref_miss");
}
