/* Intel's last branch records in the model: what is recorded, and how (SDM vol. 3, June 2016, 17.4 and 17.7
 * to 17.10; docs/pmu-model.md, "Last branch records"). */
#include "tests/unit/arch_lbr_drive.h"

TEST(test_recording)
{
    EACH(k)
    {
        const unsigned n = stacks[k].depth;
        struct sim *s = machine(stacks[k].name);
        jump(s, 0);
        assert_false(sim_wants_facts(s));
        wr(s, DEBUGCTL, LBR);
        assert_true(sim_wants_facts(s)); /* though no counter counts */
        retire(s, 3, 0, 0);
        go(s, 0x500, 0x600, NO_JCC, 0, 0);
        assert_int_equal(recorded(s), 0);
        assert_int_equal(rd(s, TOS), 0);
        jump(s, 1);
        assert_int_equal(rd(s, TOS), 1); /* incremented before */
        assert_int_equal(rd(s, stacks[k].from + 1), 0x1010);
        assert_int_equal(rd(s, stacks[k].to + 1), 0x8010);
        assert_int_equal(rd(s, stacks[k].from), 0);
        for (unsigned i = 2; i <= n; i++) jump(s, i);
        assert_int_equal(rd(s, TOS), 0);
        jump(s, n + 1);
        assert_int_equal(rd(s, TOS), 1);
        assert_int_equal(recorded(s), n);
        for (unsigned i = 0; i < n; i++)
            is_newest(s, i, 0x1000 + 16 * (n + 1 - i), 0x8000 + 16 * (n + 1 - i));
        wr(s, DEBUGCTL, 0); /* what is there stays */
        jump(s, 99);
        is_newest(s, 0, 0x1000 + 16 * (n + 1), 0x8000 + 16 * (n + 1));
        sim_free(s);
    }
}

TEST(test_formats)
{
    EACH(k)
    {
        struct sim *s = on(stacks[k].name);
        go(s, KERNEL, KERNEL + 0x100, CALL, 0, 0);
        is_newest(s, 0, stacks[k].kernel, KERNEL + 0x100);
        assert_int_equal(rd(s, stacks[k].from + 1), stacks[k].kernel);
        sim_free(s);
    }
}

static const struct {
    uint32_t op;
    unsigned bit;
} kinds[] = {{JCC, 2},
             {CALL, 3},
             {IND_CALL, 4},
             {RET, 5},
             {IND_JMP, 6},
             {JMP, 7},
             {FAR, 8},
             {IRET, 8},
             {INT_N, 8},
             {FAR | OP_CALL, 8},
             {FAR | OP_COND | OP_SOFTINT, 8},
             {FAR | OP_INDIRECT, 8}};

/* Each bit of the select register takes its kind away, and no other. */
TEST(test_kinds)
{
    static const char *const models[] = {"sandybridge", "haswell", "skylake", "tigerlake"};
    for (unsigned m = 0; m < 4; m++) {
        struct sim *s = on(models[m]);
        for (unsigned bit = 2; bit <= 8; bit++) {
            wr(s, LBR_SELECT_MSR, BIT(bit));
            for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
                const uint64_t from = 0x1000 + 0x100 * bit + k;
                go(s, from, 0x9000, kinds[k].op, 0, 0);
                assert_int_equal(newest(s, 0).from == from, kinds[k].bit != bit);
            }
            deliver(s, 0x7000 + bit, 0xa000, 0x40, false, 3);
            assert_int_equal(newest(s, 0).from == 0x7000 + bit, bit != 8);
            deliver(s, 0x7100 + bit, 0xa000, 14, true, 3);
            assert_int_equal(newest(s, 0).from == 0x7100 + bit, bit != 8);
        }
        sim_free(s);
    }
}

/* By the level in which the branch ends. */
TEST(test_levels)
{
    struct sim *s = on("skylake");
    wr(s, LBR_SELECT_MSR, 1); /* not those that end at level 0 */
    jump(s, 0);
    go(s, 0x2000, 0x3000, FAR | OP_CALL, 3, 0);
    deliver(s, 0x2100, 0x3100, 0x40, false, 3);
    assert_int_equal(recorded(s), 0);
    go(s, 0x2200, 0x3200, JCC, 3, 3);
    go(s, 0x2300, 0x3300, IRET, 0, 3);
    go(s, 0x2400, 0x3400, JMP, 1, 1);
    is_newest(s, 0, 0x2400, 0x3400);
    is_newest(s, 1, 0x2300, 0x3300);
    is_newest(s, 2, 0x2200, 0x3200);
    wr(s, LBR_SELECT_MSR, 2); /* not those that end above it */
    go(s, 0x4200, 0x5200, JCC, 3, 3);
    go(s, 0x4300, 0x5300, IRET, 0, 3);
    is_newest(s, 0, 0x2400, 0x3400);
    go(s, 0x4000, 0x5000, FAR | OP_CALL, 3, 0);
    deliver(s, 0x4100, 0x5100, 0x40, false, 3);
    is_newest(s, 0, 0x4100, 0x5100);
    is_newest(s, 1, 0x4000, 0x5000);
    wr(s, LBR_SELECT_MSR, 3);
    jump(s, 1);
    is_newest(s, 0, 0x4100, 0x5100);
    sim_free(s);
}

/* An interrupt: from where it returns to; a fault: from its instruction. #DB is none, and ends recording. */
TEST(test_deliveries)
{
    EACH(k)
    {
        struct sim *s = on(stacks[k].name);
        deliver(s, 0x1000, 0x2000, 0x40, false, 3);
        deliver(s, 0x2000, 0x3000, 2, false, 0);
        deliver(s, 0x3000, 0x4000, 14, true, 0);
        is_newest(s, 0, 0x3000, 0x4000);
        is_newest(s, 1, 0x2000, 0x3000);
        is_newest(s, 2, 0x1000, 0x2000);
        deliver(s, 0x4000, 0x5000, 1, true, 0);
        is_newest(s, 0, 0x3000, 0x4000);
        assert_int_equal(rd(s, DEBUGCTL), 0);
        jump(s, 0);
        is_newest(s, 0, 0x3000, 0x4000);
        wr(s, DEBUGCTL, LBR);
        jump(s, 1); /* vector 1 as an interrupt is one like any other */
        deliver(s, 0x6000, 0x7000, 1, false, 0);
        is_newest(s, 0, 0x6000, 0x7000);
        assert_int_equal(rd(s, DEBUGCTL), LBR);
        sim_free(s);
    }
}

/* LBR_INFO: clocks since the stack changed, saturated. Nothing is mispredicted or in a transaction. */
TEST(test_clocks)
{
    struct sim *s = on("skylake");
    jump(s, 0);
    assert_int_equal(newest(s, 0).info, 0xffff); /* nothing was before */
    retire(s, 6, 0, 0);
    jump(s, 1);
    assert_int_equal(newest(s, 0).info, 7);
    assert_int_equal(rd(s, 0xdc0 + 2), 7);
    wr(s, LBR_SELECT_MSR, 1 << 2);
    go(s, 0x500, 0x600, JCC, 0, 0); /* no change */
    jump(s, 2);
    assert_int_equal(newest(s, 0).info, 2);
    sim_ticks(s, 1000, true, 0); /* HLT has no core clocks */
    jump(s, 3);
    assert_int_equal(newest(s, 0).info, 1);
    sim_ticks(s, 0xfffd, false, 0);
    jump(s, 4);
    assert_int_equal(newest(s, 0).info, 0xfffe);
    sim_ticks(s, 0x12345, false, 0);
    jump(s, 5);
    assert_int_equal(newest(s, 0).info, 0xffff);
    wr(s, DEBUGCTL, 0);
    retire(s, 9, 0, 0);
    wr(s, DEBUGCTL, LBR);
    jump(s, 6);
    assert_int_equal(newest(s, 0).info, 10);
    sim_free(s);
    s = on("haswell");
    jump(s, 0);
    jump(s, 1);
    assert_int_equal(newest(s, 0).info, 0);
    sim_free(s);
}

/* EN_CALLSTACK: a return takes the call away. */
TEST(test_call_stack)
{
    static const char *const models[] = {"haswell", "skylake", "icelake"};
    for (unsigned m = 0; m < 3; m++) {
        struct sim *s = on(models[m]);
        const uint64_t select = 0x3c4; /* JCC, both jumps, far: off */
        wr(s, LBR_SELECT_MSR, select | 1);
        go(s, 0x1000, 0x2000, CALL, 3, 3);
        go(s, 0x2000, 0x2100, JCC, 3, 3);
        go(s, 0x2100, 0x3000, IND_CALL, 3, 3);
        go(s, 0x3000, 0x3002, CALL, 3, 3); /* of zero length */
        deliver(s, 0x3010, 0x9000, 0x40, false, 3);
        go(s, 0x9000, 0x9002, RET, 0, 0); /* the other level's */
        is_newest(s, 0, 0x2100, 0x3000);
        is_newest(s, 1, 0x1000, 0x2000);
        assert_int_equal(recorded(s), 2);
        go(s, 0x3020, 0x2102, RET, 3, 3);
        assert_int_equal(recorded(s), 1);
        is_newest(s, 0, 0x1000, 0x2000);
        assert_int_equal(rd(s, TOS), 1);
        assert_int_equal(rd(s, 0x680 + 2), 0);
        assert_int_equal(rd(s, 0x6c0 + 2), 0);
        go(s, 0x2110, 0x4000, CALL, 3, 3);
        is_newest(s, 0, 0x2110, 0x4000);
        assert_int_equal(rd(s, TOS), 2);
        sim_free(s);
    }
}

TEST(test_entries)
{
    struct sim_lbr_entry e[3] = {{0}, {0}, {77, 77, 77}};
    struct sim *s = on("core2");
    for (unsigned i = 0; i < 9; i++) jump(s, i);
    assert_int_equal(sim_lbr_entries(s, e, 2), 2);
    assert_int_equal(e[0].from, 0x1080);
    assert_int_equal(e[1].from, 0x1070);
    assert_int_equal(e[2].from, 77);
    struct sim_lbr_entry all[SIM_LBR_DEPTH];
    assert_int_equal(sim_lbr_entries(s, all, SIM_LBR_DEPTH), 4);
    sim_free(s);
}
