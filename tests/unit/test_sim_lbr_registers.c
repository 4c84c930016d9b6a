/* Intel's last branch records in the model: registers, freezing, threads, batches (SDM vol. 3, June
 * 2016, 17.4 and 17.7 to 17.10; docs/pmu-model.md, "Last branch records"). */
#include "tests/unit/arch_lbr_drive.h"

/* ---- registers ---- */

TEST(test_registers)
{
    EACH(k)
    {
        struct sim *s = machine(stacks[k].name);
        const unsigned n = stacks[k].depth;
        const uint32_t bases[] = {stacks[k].from, stacks[k].to, stacks[k].info};
        assert_int_equal(rd(s, CAPABILITIES) & 0x3f, stacks[k].format);
        for (unsigned b = 0; b < 3; b++)
            for (uint32_t i = 0; bases[b] && i <= n; i++) {
                if (i == n && n != 32) refused(s, bases[b] + i);
                if (i == n) break;
                assert_int_equal(rd(s, bases[b] + i), 0);
                wr(s, bases[b] + i, 0x1000 * (b + 1) + i);
            }
        for (unsigned b = 0; b < 3; b++)
            for (uint32_t i = 0; bases[b] && i < n; i++)
                assert_int_equal(rd(s, bases[b] + i), 0x1000 * (b + 1) + i);
        if (!stacks[k].info) refused(s, 0xdc0);
        if (stacks[k].from == 0x40) refused(s, 0x680);
        if (stacks[k].from != 0x40) refused(s, 0x40), refused(s, 0x67);
        absent(s, 0x1ca);
        absent(s, 0x6e0);
        absent(s, 0xde0);
        if (stacks[k].select)
            writable(s, LBR_SELECT_MSR, stacks[k].select);
        else
            refused(s, LBR_SELECT_MSR);
        writable(s, TOS, n - 1);
        sim_reset(s);
        assert_int_equal(rd(s, stacks[k].from), 0);
        sim_free(s);
    }
    /* The Core Duo's, of another form, are not modelled. */
    struct sim *s = on("coreduo");
    const uint32_t none[] = {0x40, 0x47, 0x60, 0x680, 0x6c0, 0xdc0, LBR_SELECT_MSR, TOS};
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) refused(s, none[i]);
    assert_int_equal(sim_lbr_entries(s, NULL, 4), 0);
    assert_false(sim_wants_facts(s));
    sim_free(s);
}

/* Addresses have signs, LBR_INFO has reserved bits. */
TEST(test_written)
{
    EACH(k)
    {
        struct sim *s = machine(stacks[k].name);
        const uint32_t from = stacks[k].from + 1, to = stacks[k].to + 1;
        const bool checked = stacks[k].format > 2, flags_in_from = checked && !stacks[k].info;
        wr(s, from, CANONICAL | 0x1234);
        assert_int_equal(rd(s, from), CANONICAL | 0x1234);
        wr(s, to, CANONICAL);
        for (unsigned bit = 47; bit < 64; bit++) {
            const bool flag = flags_in_from && bit == 63;
            assert_int_equal(sim_wrmsr(s, from, CANONICAL ^ BIT(bit)), !checked || flag);
            assert_int_equal(sim_wrmsr(s, from, BIT(bit)), !checked || flag);
            assert_int_equal(sim_wrmsr(s, to, CANONICAL ^ BIT(bit)), !checked);
        }
        if (flags_in_from) wr(s, from, SIGN_62);
        if (checked) wr(s, to, 0), assert_int_equal(rd(s, to), 0);
        for (unsigned bit = 0; stacks[k].info && bit < 64; bit++)
            assert_int_equal(sim_wrmsr(s, stacks[k].info, BIT(bit)), bit < 16 || bit > 60);
        sim_free(s);
    }
}

/* ---- freezing ---- */

/* Sampling near branches: the counter overflows by the third of them, which is inside the stack. */
TEST(test_freeze)
{
    EACH(k)
    {
        struct sim *s = machine(stacks[k].name);
        const bool old = k == 0, streamlined = k > 2; /* versions 4 and 5 */
        const uint64_t width = k == 0 ? 40 : 48;
        if (old) wr(s, SEL0, EN | INT | BOTH | 0xc4);
        if (!old) wr(s, SEL0, EN | INT | BOTH | C4_TAKEN);
        wr(s, PMC0, (uint64_t)-3);
        wr(s, CTRL, 1);
        wr(s, DEBUGCTL, LBR | FREEZE);
        for (unsigned i = 0; i < 5; i++) jump(s, i);
        assert_int_equal(seen.pmi, 1);
        is_newest(s, 0, 0x1020, 0x8020);
        assert_int_equal(recorded(s), 3);
        deliver(s, 0x8050, 0x9000, 2, false, 0); /* nor is the interrupt */
        is_newest(s, 0, 0x1020, 0x8020);
        assert_int_equal(rd(s, DEBUGCTL), streamlined ? LBR | FREEZE : FREEZE);
        assert_int_equal(rd(s, STATUS), streamlined ? LBR_FRZ | 1 : 1);
        assert_int_equal(rd(s, PMC0), 2); /* which counts on */
        if (streamlined) {
            wr(s, DEBUGCTL, LBR | FREEZE);
            jump(s, 6);
            is_newest(s, 0, 0x1020, 0x8020);
            wr(s, RESET, LBR_FRZ | 1);
        } else {
            wr(s, DEBUGCTL, LBR | FREEZE);
        }
        jump(s, 7);
        is_newest(s, 0, 0x1070, 0x8070);
        /* A silent overflow freezes nothing. */
        wr(s, SEL0, EN | BOTH | (old ? 0xc4 : C4_TAKEN));
        wr(s, PMC0, (uint64_t)-1);
        jump(s, 8);
        jump(s, 9);
        assert_int_equal(rd(s, PMC0), 1);
        is_newest(s, 0, 0x1090, 0x8090);
        /* Nor does one without bit 11. */
        wr(s, DEBUGCTL, LBR);
        wr(s, SEL0, EN | INT | BOTH | (old ? 0xc4 : C4_TAKEN));
        wr(s, PMC0, (uint64_t)-1);
        jump(s, 10);
        jump(s, 11);
        is_newest(s, 0, 0x10b0, 0x80b0);
        if (streamlined) { /* by software */
            wr(s, SET, LBR_FRZ);
            jump(s, 12);
            is_newest(s, 0, 0x10b0, 0x80b0);
        }
        assert_true(rd(s, PMC0) < BIT(width));
        sim_free(s);
    }
}

/* At the overflow, although the interrupt comes later. */
TEST(test_freeze_and_skid)
{
    static const char *const models[] = {"haswell", "skylake"};
    for (unsigned m = 0; m < 2; m++) {
        struct sim *s = machine(models[m]);
        assert_true(sim_skid(s, "3", 0));
        wr(s, SEL0, EN | INT | BOTH | C4_TAKEN);
        wr(s, PMC0, (uint64_t)-2);
        wr(s, DEBUGCTL, LBR | FREEZE);
        for (unsigned i = 0; i < 4; i++) jump(s, i);
        assert_int_equal(seen.pmi, 0);
        is_newest(s, 0, 0x1010, 0x8010);
        jump(s, 4);
        assert_int_equal(seen.pmi, 1);
        is_newest(s, 0, 0x1010, 0x8010);
        sim_free(s);
    }
}

/* ---- others ---- */

TEST(test_threads)
{
    struct sim *first = on("skylake");
    struct sim *second = sim_thread(first, NULL);
    assert_non_null(second);
    wr(first, DEBUGCTL, LBR);
    jump(first, 1);
    jump(second, 2);
    assert_int_equal(recorded(second), 0);
    wr(second, DEBUGCTL, LBR);
    wr(second, LBR_SELECT_MSR, 1 << 2);
    jump(second, 3);
    is_newest(first, 0, 0x1010, 0x8010);
    is_newest(second, 0, 0x1030, 0x8030);
    assert_int_equal(rd(first, LBR_SELECT_MSR), 0);
    assert_int_equal(recorded(first), 1);
    sim_free(second);
    sim_free(first);
}

/* Only clocks need instructions one by one. */
TEST(test_batches)
{
    EACH(k)
    {
        struct sim *s = machine(stacks[k].name);
        wr(s, SEL0, EN | BOTH | 0xc0);
        enable_all(s, &cpus[k + 1]);
        assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
        wr(s, DEBUGCTL, LBR);
        assert_int_equal(sim_batches(s), stacks[k].info ? SIM_BATCH_NONE : SIM_BATCH_ALL);
        wr(s, DEBUGCTL, 0);
        assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
        sim_free(s);
    }
}
