/* Model of architectural performance monitoring: registers, CPUID, what a select counts. */
#include "tests/unit/arch_drive.h"
#include <string.h>

/* ---- registers ---- */

TEST(test_which_registers)
{
    EACH_CPU(c)
    {
        static const uint32_t never[] = {0x10,  0xc0,  0x18e, 0x1a2, 0x1ca, 0x308, 0x30d,
                                         0x328, 0x344, 0x393, 0x3f4, 0x4c0, 0x4c9};
        struct sim *s = machine(c->name);
        for (size_t i = 0; i < sizeof never / sizeof *never; i++) absent(s, never[i]);
        for (unsigned n = 0; n < 8; n++) {
            if (n < c->general) {
                assert_int_equal(rd(s, IA32_PMC(n)), 0);
                assert_int_equal(rd(s, SEL0 + n), 0);
            } else {
                absent(s, IA32_PMC(n));
                absent(s, SEL0 + n);
            }
            if (n < c->general && FULL_WRITE(c))
                assert_int_equal(rd(s, A_PMC0 + n), 0);
            else
                absent(s, A_PMC0 + n);
        }
        for (unsigned n = 0; n < 4; n++)
            if (n < c->fixed)
                assert_int_equal(rd(s, FIXED0 + n), 0);
            else
                absent(s, FIXED0 + n);
        for (uint32_t msr = FIXED_CTRL; msr <= RESET; msr++)
            if (c->version < 2) absent(s, msr);
        if (c->version < 4) {
            absent(s, SET);
            absent(s, INUSE);
        }
        if (c->version < 3) absent(s, PREFETCH);
        if (!(c->capabilities >> 15 & 1)) absent(s, METRICS);
        assert_int_equal(rd(s, CAPABILITIES), c->capabilities);
        faults(s, CAPABILITIES, c->capabilities);
        sim_free(s);
    }
}

TEST(test_writable_bits)
{
    EACH_CPU(c)
    {
        struct sim *s = machine(c->name);
        for (unsigned n = 0; n < c->general; n++) writable(s, SEL0 + n, c->select);
        writable(s, DEBUGCTL, c->debugctl);
        if (c->version >= 2) {
            assert_int_equal(rd(s, CTRL), c->ctrl_reset);
            writable(s, FIXED_CTRL, c->fixed_ctrl);
            writable(s, CTRL, c->ctrl);
            faults(s, STATUS, 0);
        }
        if (c->version >= 3) writable(s, PREFETCH, 0xf);
        if (c->capabilities >> 15 & 1) writable(s, METRICS, UINT64_MAX);
        sim_free(s);
    }
}

/* Low half, sign-extended; the alias and the fixed counters as it is, nothing above the width. */
TEST(test_counter_writes)
{
    EACH_CPU(c)
    {
        struct sim *s = machine(c->name);
        const uint64_t all = WIDTH(c);
        for (unsigned n = 0; n < c->general; n++) {
            const struct {
                uint64_t written, read;
            } rows[] = {{1, 1},
                        {0x7fffffff, 0x7fffffff},
                        {0x80000000, all & 0xffffffff80000000},
                        {0xffffffff, all},
                        {0xfffffffffffffff0, all & ~15ull},
                        {0x1234567800000001, 1}};
            for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                uint64_t v;
                wr(s, IA32_PMC(n), rows[i].written);
                assert_int_equal(rd(s, IA32_PMC(n)), rows[i].read);
                assert_int_equal(sim_rdpmc(s, n, 0, false, true, &v), SIM_RDPMC_OK);
                assert_int_equal(v, rows[i].read);
            }
            if (!FULL_WRITE(c)) continue;
            wr(s, A_PMC0 + n, 0x123456789abc);
            assert_int_equal(rd(s, IA32_PMC(n)), 0x123456789abc);
            assert_int_equal(rd(s, A_PMC0 + n), 0x123456789abc);
            for (unsigned bit = 0; bit < 64; bit++)
                assert_int_equal(sim_wrmsr(s, A_PMC0 + n, BIT(bit)), bit < c->width);
            assert_int_equal(rd(s, IA32_PMC(n)), BIT(c->width - 1));
        }
        for (unsigned n = 0; n < c->fixed; n++) {
            uint64_t v;
            for (unsigned bit = 0; bit < 64; bit++)
                assert_int_equal(sim_wrmsr(s, FIXED0 + n, BIT(bit)), bit < c->width);
            assert_int_equal(rd(s, FIXED0 + n), BIT(c->width - 1));
            assert_int_equal(sim_rdpmc(s, 0x40000000 + n, 0, false, true, &v), SIM_RDPMC_OK);
            assert_int_equal(v, BIT(c->width - 1));
        }
        sim_free(s);
    }
}

TEST(test_rdpmc)
{
    EACH_CPU(c)
    {
        static const uint32_t bad[] = {8,          0x20000001, 0x40000004, 0x60000000,
                                       0x80000000, 0xc0000000, 0xffffffff};
        struct sim *s = machine(c->name);
        uint64_t v;
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
            assert_int_equal(sim_rdpmc(s, bad[i], 0, true, true, &v), SIM_RDPMC_GP);
        assert_int_equal(sim_rdpmc(s, c->general, 0, true, true, &v), SIM_RDPMC_GP);
        assert_int_equal(sim_rdpmc(s, 0x40000000 + c->fixed, 0, true, true, &v), SIM_RDPMC_GP);
        for (unsigned cpl = 0; cpl < 4; cpl++)
            for (unsigned pce = 0; pce < 2; pce++)
                assert_int_equal(sim_rdpmc(s, 1, cpl, pce, true, &v),
                                 cpl == 0 || pce ? SIM_RDPMC_OK : SIM_RDPMC_GP);
        assert_int_equal(sim_rdpmc(s, 0, 3, false, false, &v), SIM_RDPMC_OK); /* real mode */
        const bool metrics = c->capabilities >> 15 & 1;
        if (metrics) wr(s, METRICS, 0x1122334455667788);
        assert_int_equal(sim_rdpmc(s, 0x20000000, 0, true, true, &v), metrics ? SIM_RDPMC_OK : SIM_RDPMC_GP);
        if (metrics) assert_int_equal(v, 0x1122334455667788);
        sim_free(s);
    }
}

TEST(test_misc_enable)
{
    EACH_CPU(c)
    {
        struct sim *s = machine(c->name);
        /* Performance monitoring is there, BTS is not, nor is the Core Duo's PEBS. */
        const uint64_t fixed = c->version == 1 ? 0x1880 : 0x880;
        assert_int_equal(rd(s, MISC), 0x50009 | fixed);
        wr(s, MISC, 0); /* read-only bits stay */
        assert_int_equal(rd(s, MISC), fixed);
        wr(s, MISC, fixed);
        for (unsigned bit = 0; bit < 64; bit++) {
            static const uint64_t core =
                BIT(3) | BIT(10) | BIT(13) | BIT(16) | BIT(18) | BIT(20) | BIT(22) | BIT(34);
            const uint64_t may = 0x1880 | (c->version == 1   ? core
                                           : c->version == 2 ? core | BIT(0) | BIT(9) | BIT(19) | BIT(23) |
                                                                   BIT(37) | BIT(38) | BIT(39)
                                                             : 0x4400c50009);
            assert_int_equal(sim_wrmsr(s, MISC, BIT(bit)), may >> bit & 1);
            assert_int_equal(rd(s, MISC) & 0x1880, fixed);
        }
        sim_free(s);
    }
}

TEST(test_cpuid)
{
    EACH_CPU(c)
    {
        struct sim *s = machine(c->name);
        uint32_t r[4] = {1, 2, 3, 4};
        sim_cpuid(s, 0xa, 0, r);
        assert_memory_equal(r, c->leaf_a, sizeof r);
        memset(r, 0, sizeof r);
        sim_cpuid(s, 1, 0, r);
        /* PDCM: IA32_PERF_CAPABILITIES is there; with PEBS DTES64 and DS */
        assert_int_equal(r[2], c->version == 1 ? 1u << 15 : 1u << 15 | 1u << 2);
        assert_int_equal(r[3], c->version == 1 ? 0 : 1u << 21);
        assert_int_equal(r[0] | r[1], 0);
        memset(r, 0xff, sizeof r);
        /* No IBPB is advertised, for no event sees what it would forget: WRMSR of IA32_PRED_CMD is a #GP. */
        r[0] = r[1] = r[2] = r[3] = UINT32_MAX;
        sim_cpuid(s, 7, 0, r);
        assert_int_equal(r[3], ~(1u << 26));
        assert_int_equal(r[1], UINT32_MAX);
        r[3] = UINT32_MAX;
        sim_cpuid(s, 7, 1, r);
        assert_int_equal(r[3], UINT32_MAX);
        faults(s, PRED_CMD, 1);
        sim_cpuid(s, 6, 0, r);
        assert_int_equal(r[0], 0xffffffff);
        assert_int_equal(r[2], 0xfffffffe);
        r[0] = 0x16;
        sim_cpuid(s, 0, 0, r);
        assert_int_equal(r[0], 0x16);
        memset(r, 0x77, sizeof r);
        sim_cpuid(s, 4, 0, r);
        assert_int_equal(r[0], 0x77777777);

        wr(s, MISC, BIT(22)); /* leaves above 2 are hidden */
        r[0] = 0x16;
        sim_cpuid(s, 0, 0, r);
        assert_int_equal(r[0], 2);
        sim_cpuid(s, 0xa, 0, r);
        assert_int_equal(r[0] | r[1] | r[2] | r[3], 0);
        if (c->version >= 2) {
            wr(s, MISC, BIT(38)); /* no turbo */
            memset(r, 0xff, sizeof r);
            sim_cpuid(s, 6, 0, r);
            assert_int_equal(r[0], 0xfffffffd);
        }
        sim_free(s);
    }
}

/* ---- qualification ---- */

TEST(test_qualification)
{
    /* 10 instructions, 16 clocks, one leaving of HLT, one interrupt. -1: not modelled. */
    static const struct {
        uint32_t select;
        int wanted;
    } rows[] = {
        {0xc0, 10},
        {0xc0 | INV, 10}, /* without CMASK it does nothing */
        {0xc0 | CMASK(1), -1},
        {0xc0 | CMASK(4), -1},
        {0xc0 | CMASK(16), 0},
        {0xc0 | CMASK(16) | INV, 16},
        {0xc0 | CMASK(16) | INV | E, 0},
        {0xc0 | CMASK(255) | INV, 16},
        {0xc0 | CMASK(2) | INV, -1},
        {0xc0 | E, -1},
        {0x3c, 16},
        {0x3c | CMASK(1), 16},
        {0x3c | CMASK(2), 0},
        {0x3c | CMASK(2) | INV, 16},
        {0x3c | CMASK(1) | INV, -1},
        {0x3c | E, 1},
        {0x3c | E | CMASK(1), 1},
        {0x13c, 16},
        {0x13c | E, 1},
        {0x01cb, 1},
        {0x01cb | E, 1},
        {0x01cb | CMASK(1), 1},
        {0x01cb | CMASK(2), 0},
        {0xc5, -1},
        {0x3d, -1},
        {0x123c, -1},
        {0, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sim *s = machine("skylake");
        wr(s, SEL0, rows[i].select | BOTH | EN);
        retire(s, 4, 0, 0);
        sim_ticks(s, 7, true, 0);
        sim_interrupt(s, 0x30, false, 0);
        sim_ticks(s, 6, false, 0);
        retire(s, 6, 0, 0);
        assert_int_equal(rd(s, IA32_PMC(0)), rows[i].wanted < 0 ? 0 : rows[i].wanted);
        const char *name = NULL;
        assert_int_equal(sim_unmodelled(s, &name, 1), rows[i].wanted < 0);
        if (i == sizeof rows / sizeof *rows - 2) assert_string_equal(name, "r123c");
        sim_free(s);
    }
}

TEST(test_unavailable)
{
    struct sim *s = machine("skylake");
    struct arch *p = s->state;
    struct arch_traits traits = *p->traits;
    const char *name;
    traits.leaf_a[1] = 1 << 5; /* branches are not there */
    p->traits = &traits;
    wr(s, SEL0, 0xc4 | BOTH | EN);
    assert_int_equal(sim_unmodelled(s, &name, 1), 1);
    assert_string_equal(name, "BRANCH_INSTRUCTIONS_RETIRED");
    wr(s, SEL0, 0xc0 | BOTH | EN);
    assert_int_equal(sim_unmodelled(s, &name, 1), 0);
    wr(s, SEL0, 0x1c4 | BOTH | EN); /* no architectural event */
    assert_int_equal(sim_unmodelled(s, &name, 1), 0);
    traits.leaf_a[0] = 0x05300404; /* the bit is beyond the vector's length */
    wr(s, SEL0, 0xc4 | BOTH | EN);
    assert_int_equal(sim_unmodelled(s, &name, 1), 0);
    sim_free(s);
}

/* What Linux's check_hw_exists() and its start look at. */
TEST(test_what_linux_does)
{
    EACH_CPU(c)
    {
        struct sim *s = machine(c->name);
        for (unsigned n = 0; n < c->general; n++) assert_false(rd(s, SEL0 + n) & EN);
        if (c->version >= 2) assert_int_equal(rd(s, FIXED_CTRL), 0);
        const uint64_t low = rd(s, IA32_PMC(0)) ^ 0xffff;
        wr(s, IA32_PMC(0), low);
        assert_int_equal(rd(s, IA32_PMC(0)), low);
        if (c->capabilities >> 12 & 1) { /* freeze_on_smi */
            wr(s, DEBUGCTL, rd(s, DEBUGCTL) | BIT(14));
            wr(s, DEBUGCTL, rd(s, DEBUGCTL) & ~BIT(14));
        }
        if (c->version >= 2) {
            wr(s, CTRL, 0);
            wr(s, RESET, rd(s, STATUS));
        }
        assert_true(rd(s, MISC) & BIT(7));
        sim_free(s);
    }
}
