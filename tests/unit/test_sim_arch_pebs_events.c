/* PEBS of the architectural model: its registers, and which events and counters record. */
#include "tests/unit/arch_pebs_drive.h"

/* ---- registers ---- */

TEST(test_registers)
{
    static const struct {
        const char *model;
        uint64_t enable, data_cfg, latency, frontend;
    } rows[] = {{"core2", 1, 0, 0, 0},
                {"sandybridge", 0x8000000f0000000f, 0, 0xffff, 0},
                {"haswell", 0xf0000000f, 0, 0xffff, 0},
                {"skylake", 0xf0000000f, 0, 0xffff, 0x7fff17},
                {"icelake", 0xf000000ff, 0xff00000f, 0xffff, 0x7fff17},
                {"tigerlake", 0xf000000ff, 0xff00000f, 0xffff, 0x7fff17}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct sim *s = machine(rows[k].model);
        const struct {
            uint32_t msr;
            uint64_t mask;
        } regs[] = {{PEBS_ON, rows[k].enable},
                    {DATA_CFG, rows[k].data_cfg},
                    {LATENCY, rows[k].latency},
                    {FRONTEND, rows[k].frontend}};
        for (size_t r = 0; r < sizeof regs / sizeof *regs; r++) {
            if (!regs[r].mask) {
                absent(s, regs[r].msr);
                continue;
            }
            assert_int_equal(rd(s, regs[r].msr), 0);
            writable(s, regs[r].msr, regs[r].mask);
        }
        wr(s, DS_AREA, 0xffff800012345678);
        faults(s, DS_AREA, 0x800000000000); /* not canonical */
        assert_int_equal(rd(s, DS_AREA), 0xffff800012345678);
        wr(s, DS_AREA, 0x7fffffffffff);
        wr(s, PEBS_ON, 1);
        sim_reset(s);
        assert_int_equal(rd(s, DS_AREA), 0);
        assert_int_equal(rd(s, PEBS_ON), 0);
        sim_free(s);
    }
    struct sim *s = machine("coreduo");
    for (uint32_t msr = PEBS_ON; msr <= FRONTEND; msr++) absent(s, msr);
    absent(s, DS_AREA);
    sim_free(s);
}

/* SDM 9.11.7.1: software writes 0, executes CPUID, reads. */
TEST(test_microcode)
{
    struct sim *s = machine("sandybridge");
    uint32_t regs[4];
    assert_int_equal(rd(s, 0x8b), 0x2f00000000);
    wr(s, 0x8b, 0);
    assert_int_equal(rd(s, 0x8b), 0);
    sim_cpuid(s, 0, 0, regs);
    assert_int_equal(rd(s, 0x8b), 0);
    sim_cpuid(s, 1, 0, regs);
    assert_int_equal(rd(s, 0x8b), 0x2f00000000); /* Linux wants 28h for PEBS */
    sim_free(s);
}

/* ---- which events ---- */

/* Precise events from the tables, others, and qualifiers. */
TEST(test_which_events)
{
    static const struct {
        const char *model;
        unsigned counter;
        uint64_t select;
        bool precise;
    } rows[] = {
        {"core2", 0, 0x00c0, true},
        {"core2", 0, 0x00c0 | INV | CMASK(16), true}, /* Linux' cycles:p */
        {"core2", 0, 0x00c0 | INV | CMASK(2), false},
        {"core2", 0, 0x00c4, false},
        {"core2", 0, 0x003c, false},
        {"sandybridge", 0, 0x00c0, false},
        {"sandybridge", 0, 0x00c4, false},
        {"sandybridge", 0, 0x04c4, true},
        {"sandybridge", 3, 0x20c4, true},
        {"sandybridge", 0, 0x20c4 | E, false},
        {"sandybridge", 0, 0x20c4 | CMASK(1), false},
        {"haswell", 2, 0x00c4, true},
        {"haswell", 2, 0x003c, false},
        {"skylake", 0, 0x00c4, true},
        {"skylake", 0, 0x00c4 | BIT(21), false}, /* AnyThread */
        {"skylake", 0, 0x00c0 | INV | CMASK(16), true},
        {"skylake", 1, 0x01c0 | INV | CMASK(16), true},
        {"skylake", 0, 0x00c0, false},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        given(rows[k].model);
        sample_more(rows[k].counter, 0, MINUS(2), MINUS(1000), rows[k].select);
        for (unsigned n = 0; n < 12; n++) branch_at(0x3000);
        if ((records() == 1) != rows[k].precise)
            fail_msg("%s %llx: %u records", rows[k].model, (unsigned long long)rows[k].select, records());
        if (!rows[k].precise) assert_int_equal(guest.pmi, 0);
        finish();
    }
}

/* From Ice Lake on other events, too, at the next instruction, whatever that does. */
TEST(test_extended)
{
    static const char *const models[] = {"icelake", "tigerlake"};
    for (unsigned m = 0; m < 2; m++) {
        given(models[m]);
        sample_more(5, 0x20c4, MINUS(1), MINUS(100), E); /* a qualifier */
        sample_more(6, 0x0151, MINUS(1), MINUS(100), 0);
        sample_more(7, 0x00c0, MINUS(1), MINUS(100), 0);
        wr(sim, PEBS_ON, BIT(7));
        nop_at(0x3000);
        assert_int_equal(records(), 0);
        assert_int_equal(rd(sim, STATUS), BIT(7));
        nop_at(0x3003);
        assert_int_equal(records(), 1);
        assert_int_equal(field(0, 0x8), 0x3003);
        assert_int_equal(field(0, 0x10), BIT(7));
        assert_int_equal(rd(sim, PMC0 + 7), MINUS(100) & COUNT48);
        finish();
    }
}

/* Only counters whose bit there is; and none without its bit. */
TEST(test_which_counters)
{
    EACH_MODEL(m)
    {
        given(*m);
        const unsigned general = LEAF_A_GENERAL(((struct arch *)sim->state)->traits);
        for (unsigned n = 0; n < general; n++) {
            wr(sim, PEBS_ON, 0);
            const bool can = sim_wrmsr(sim, PEBS_ON, BIT(n)) == 1;
            assert_int_equal(can, strcmp(*m, "core2") == 0           ? n < 1
                                  : strstr(*m, "lake") && **m != 's' ? n < 8
                                                                     : n < 4);
            if (!can) continue;
            sample(n, **m == 'c' ? 0x00c0 : 0x20c4, 1);
            branch_at(0x3000);
            branch_at(0x3000);
            assert_int_equal(records(), 1);
            ds_area(16, 16);
            wr(sim, PEBS_ON, 0);
            wr(sim, PMC0 + n, MINUS(1));
            branch_at(0x3000);
            branch_at(0x3000);
            assert_int_equal(records(), 0);
            wr(sim, SEL0 + n, 0);
        }
        finish();
    }
}
