/* Model of architectural performance monitoring: enables, overflow, freezing. */
#include "tests/unit/arch_drive.h"

/* ---- enables ---- */

TEST(test_general_enable)
{
    EACH_CPU(c)
    {
        struct sim *s = machine(c->name);
        for (unsigned n = 0; n < c->general; n++) {
            if (c->version >= 2) wr(s, CTRL, c->ctrl & ~BIT(n));
            wr(s, SEL0 + n, 0xc0 | BOTH);
            retire(s, 3, 0, 0);
            assert_int_equal(rd(s, IA32_PMC(n)), 0);
            wr(s, SEL0 + n, 0xc0 | BOTH | EN);
            retire(s, 4, 0, 0);
            assert_int_equal(rd(s, IA32_PMC(n)), c->version >= 2 ? 0 : 4);
            if (c->version >= 2) wr(s, CTRL, BIT(n));
            wr(s, IA32_PMC(n), 0);
            retire(s, 5, 0, 0);
            retire(s, 6, 0, 3);
            assert_int_equal(rd(s, IA32_PMC(n)), 11);
            wr(s, SEL0 + n, 0xc0 | USR | EN);
            retire(s, 5, 0, 0);
            retire(s, 2, 0, 3);
            retire(s, 1, 0, 1);
            assert_int_equal(rd(s, IA32_PMC(n)), 14);
            wr(s, SEL0 + n, 0xc0 | OS | EN);
            retire(s, 5, 0, 0);
            retire(s, 2, 0, 3);
            assert_int_equal(rd(s, IA32_PMC(n)), 19);
            wr(s, SEL0 + n, 0xc0 | EN);
            retire(s, 5, 0, 0);
            assert_int_equal(rd(s, IA32_PMC(n)), 19);
            wr(s, SEL0 + n, 0);
        }
        sim_free(s);
    }
}

TEST(test_fixed_enable)
{
    EACH_CPU(c)
    {
        struct sim *s = machine(c->name);
        for (unsigned n = 0; n < c->fixed; n++) {
            static const unsigned wanted[4] = {0, 5, 6, 11}; /* by ring field: 5 at CPL 0, 6 at CPL 3 */
            for (unsigned field = 0; field < 4; field++) {
                wr(s, CTRL, c->ctrl & ~BIT(32 + n));
                wr(s, FIXED_CTRL, (uint64_t)field << 4 * n);
                wr(s, FIXED0 + n, 0);
                retire(s, 7, 0, 0);
                assert_int_equal(rd(s, FIXED0 + n), 0);
                wr(s, CTRL, BIT(32 + n));
                retire(s, 5, 0, 0);
                retire(s, 6, 0, 3);
                /* The fourth, slots, has no value here. */
                assert_int_equal(rd(s, FIXED0 + n), n == 3 ? 0 : wanted[field]);
            }
        }
        sim_free(s);
    }
}

/* Instructions, core cycles, reference cycles. */
TEST(test_what_fixed_counters_count)
{
    EACH_CPU(c)
    {
        struct sim *s = machine(c->name);
        if (!c->fixed) {
            sim_free(s);
            continue;
        }
        wr(s, CTRL, c->ctrl);
        wr(s, FIXED_CTRL, 0x333);
        sim_ticks(s, 100, true, 0); /* halted: nobody counts */
        sim_ticks(s, 10, false, 0);
        retire(s, 3, 0, 0);
        assert_int_equal(rd(s, FIXED0), 3);
        assert_int_equal(rd(s, FIXED0 + 1), 13);
        assert_int_equal(rd(s, FIXED0 + 2), 13);
        sim_free(s);
    }
}

TEST(test_wants_facts)
{
    EACH_CPU(c)
    {
        struct sim *s = machine(c->name);
        assert_false(sim_wants_facts(s));
        wr(s, SEL0, 0xc0 | BOTH);
        assert_false(sim_wants_facts(s));
        wr(s, SEL0, 0xc0 | BOTH | EN);
        assert_true(sim_wants_facts(s));
        sim_reset(s);
        assert_false(sim_wants_facts(s));
        assert_int_equal(rd(s, SEL0), 0);
        if (c->version >= 2) assert_int_equal(rd(s, CTRL), c->ctrl_reset);
        sim_free(s);
    }
}

/* ---- overflow ---- */

static uint64_t status(struct sim *s, const struct expected *c)
{
    return c->version >= 2 ? rd(s, STATUS) : 0;
}

TEST(test_overflow)
{
    EACH_CPU(c)
    {
        struct sim *s = machine(c->name);
        enable_all(s, c);
        for (unsigned n = 0; n < c->general; n++) {
            for (unsigned with = 0; with < 2; with++) {
                seen.pmi = 0;
                wr(s, SEL0 + n, 0xc0 | BOTH | EN | (with ? INT : 0));
                wr(s, IA32_PMC(n), (uint32_t)-3);
                retire(s, 2, 0, 0);
                assert_int_equal(seen.pmi, 0);
                assert_int_equal(status(s, c), 0);
                retire(s, 1, 0, 0);
                assert_int_equal(rd(s, IA32_PMC(n)), 0);
                assert_int_equal(seen.pmi, with);
                if (c->version >= 2) {
                    assert_int_equal(rd(s, STATUS), BIT(n));
                    wr(s, RESET, BIT(n));
                    assert_int_equal(rd(s, RESET), 0);
                    assert_int_equal(rd(s, STATUS), 0);
                }
                retire(s, 4, 0, 0); /* goes on from 0, and is not asked for again */
                assert_int_equal(rd(s, IA32_PMC(n)), 4);
                assert_int_equal(seen.pmi, with);
            }
            wr(s, SEL0 + n, 0);
        }
        for (unsigned n = 0; n < c->fixed && n < 3; n++) {
            for (unsigned with = 0; with < 2; with++) {
                seen.pmi = 0;
                wr(s, FIXED_CTRL, (with ? 0xbull : 0x3) << 4 * n);
                wr(s, FIXED0 + n, WIDTH(c) - 1);
                retire(s, 2, 0, 3);
                assert_int_equal(rd(s, STATUS), BIT(32 + n));
                assert_int_equal(seen.pmi, with);
                wr(s, RESET, rd(s, STATUS));
                assert_int_equal(rd(s, STATUS), 0);
            }
        }
        sim_free(s);
    }
}

TEST(test_overflows_at_once)
{
    struct sim *s = machine("skylake");
    wr(s, CTRL, 0x70000000f);
    for (unsigned n = 0; n < 2; n++) {
        wr(s, SEL0 + n, 0xc0 | BOTH | EN | INT);
        wr(s, IA32_PMC(n), (uint32_t)-1);
    }
    retire(s, 1, 0, 0);
    assert_int_equal(rd(s, STATUS), 3);
    assert_int_equal(seen.pmi, 1);
    /* Ticks overflow a counter of clocks in HLT's neighbourhood too: by many at once. */
    wr(s, FIXED_CTRL, 0xb0);
    wr(s, FIXED0 + 1, 0xffffffffff00);
    sim_ticks(s, 0x180, false, 0);
    retire(s, 1, 0, 0);
    assert_int_equal(rd(s, FIXED0 + 1), 0x81);
    assert_int_equal(seen.pmi, 2);
    sim_free(s);
}

TEST(test_status_writes)
{
    EACH_CPU(c)
    {
        struct sim *s = machine(c->name);
        for (unsigned bit = 0; bit < 64; bit++) {
            const bool there = c->ovf >> bit & 1;
            if (c->version >= 2) assert_int_equal(sim_wrmsr(s, RESET, BIT(bit)), there);
            if (c->version < 4) continue;
            assert_int_equal(sim_wrmsr(s, SET, BIT(bit)), there && bit != 63);
            assert_int_equal(rd(s, STATUS), there && bit != 63 ? BIT(bit) : 0);
            assert_int_equal(rd(s, SET), 0);
            wr(s, RESET, c->ovf);
            assert_int_equal(rd(s, STATUS), 0);
        }
        assert_int_equal(seen.pmi, 0);
        sim_free(s);
    }
}

TEST(test_in_use)
{
    struct sim *s = machine("icelake");
    assert_int_equal(rd(s, INUSE), 0);
    wr(s, SEL0 + 3, 0xc0);
    wr(s, SEL0 + 4, 0xff00 | EN); /* only the event select tells */
    assert_int_equal(rd(s, INUSE), 8);
    wr(s, FIXED_CTRL, 0x2010);
    assert_int_equal(rd(s, INUSE), 0xa00000008);
    wr(s, SEL0 + 5, INT);
    assert_int_equal(rd(s, INUSE), 0x8000000a00000008);
    wr(s, SEL0 + 5, 0);
    wr(s, FIXED_CTRL, 0x8000);
    assert_int_equal(rd(s, INUSE), 0x8000000000000008);
    faults(s, INUSE, 0);
    sim_free(s);
}

/* ---- freezing ---- */

TEST(test_freeze)
{
    EACH_CPU(c)
    {
        if (c->version < 2) continue;
        struct sim *s = machine(c->name);
        wr(s, DEBUGCTL, 0x1801); /* counters, LBRs */
        wr(s, CTRL, c->ctrl);
        wr(s, FIXED_CTRL, 3);
        wr(s, SEL0, 0xc0 | BOTH | EN);
        wr(s, IA32_PMC(0), (uint32_t)-2);
        retire(s, 3, 0, 0); /* an overflow without an interrupt freezes nothing */
        assert_int_equal(rd(s, STATUS), 1);
        assert_int_equal(rd(s, CTRL), c->ctrl);
        assert_int_equal(rd(s, DEBUGCTL), 0x1801);
        wr(s, RESET, 1);

        wr(s, SEL0, 0xc0 | BOTH | EN | INT);
        wr(s, IA32_PMC(0), (uint32_t)-2);
        wr(s, FIXED0, 0);
        retire(s, 10, 0, 0);
        assert_int_equal(seen.pmi, 1);
        assert_int_equal(rd(s, IA32_PMC(0)), 0);
        assert_int_equal(rd(s, FIXED0), 2);
        if (c->version < 4) {
            assert_int_equal(rd(s, STATUS), 1);
            assert_int_equal(rd(s, CTRL), 0);
            assert_int_equal(rd(s, DEBUGCTL), 0x1800);
            wr(s, CTRL, c->ctrl);
        } else {
            assert_int_equal(rd(s, STATUS), BIT(59) | BIT(58) | 1);
            assert_int_equal(rd(s, CTRL), c->ctrl);
            assert_int_equal(rd(s, DEBUGCTL), 0x1801);
            wr(s, RESET, 1);
            retire(s, 10, 0, 0);
            assert_int_equal(rd(s, FIXED0), 2);
            wr(s, RESET, BIT(59) | BIT(58));
        }
        retire(s, 5, 0, 0);
        assert_int_equal(rd(s, IA32_PMC(0)), 5);
        assert_int_equal(rd(s, FIXED0), 7);
        if (c->version >= 4) { /* software can freeze by itself */
            wr(s, SET, BIT(59));
            retire(s, 5, 0, 0);
            assert_int_equal(rd(s, FIXED0), 7);
        }
        sim_free(s);
    }
}
