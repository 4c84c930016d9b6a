/* AMD model: registers of each processor, enables, overflow, CPUID. */
#include "tests/unit/amd_drive.h"
#include <string.h>

/* ---- registers ---- */

TEST(test_which_msrs)
{
    for (unsigned m = 0; m < MODELS; m++) {
        struct sim *s = machine(models[m].name);
        for (uint32_t msr = 0xc00102f0; msr-- > 0xc00101f0;) {
            uint64_t v;
            const bool there = models[m].extended && msr >= CTL0 && msr < CTL0 + 12;
            assert_int_equal(sim_rdmsr(s, msr, &v), there ? 1 : -1);
            assert_int_equal(sim_wrmsr(s, msr, 0), there ? 1 : -1);
        }
        for (uint32_t msr = 0xc000fff0; msr < 0xc0010020; msr++) {
            uint64_t v;
            const bool there = msr >= SEL0 && msr < SEL0 + 8;
            assert_int_equal(sim_rdmsr(s, msr, &v), there ? 1 : -1);
            assert_int_equal(sim_wrmsr(s, msr, 0), there ? 1 : -1);
        }
        for (uint32_t msr = 0xc00002f0; msr < 0xc0000310; msr++) {
            uint64_t v;
            const bool there = models[m].v2 && msr >= STATUS && msr <= SET;
            assert_int_equal(sim_rdmsr(s, msr, &v), there ? 1 : -1);
            assert_int_equal(sim_wrmsr(s, msr, 0), there ? 1 : -1);
        }
        /* Intel's, HWCR, the northbridge's counters */
        static const uint32_t others[] = {0x10, 0xc1, 0x186, 0x38f, 0xc0010015, 0xc0010240};
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            assert_int_equal(sim_wrmsr(s, others[k], 0), -1);
        sim_free(s);
    }
}

/* Reserved bits take a write and stay 0. */
TEST(test_select_bits)
{
    for (unsigned m = 0; m < MODELS; m++) {
        struct sim *s = machine(models[m].name);
        for (unsigned n = 0; n < 4; n++) {
            assert_int_equal(rd(s, SEL0 + n), 0);
            for (unsigned bit = 0; bit < 64; bit++) {
                wr(s, SEL0 + n, UINT64_C(1) << bit);
                assert_int_equal(rd(s, SEL0 + n), UINT64_C(1) << bit & models[m].select);
            }
            wr(s, SEL0 + n, 0);
        }
        sim_free(s);
    }
}

TEST(test_counters_have_48_bits)
{
    for (unsigned m = 0; m < MODELS; m++) {
        struct sim *s = machine(models[m].name);
        for (unsigned n = 0; n < 4; n++) {
            wr(s, CTR0 + n, 0xfedcba9876543210);
            assert_int_equal(rd(s, CTR0 + n), 0xba9876543210);
        }
        sim_free(s);
    }
}

/* The legacy four are the first four of six. */
TEST(test_aliases)
{
    for (unsigned m = 2; m < MODELS; m++) {
        struct sim *s = machine(models[m].name);
        for (unsigned n = 0; n < 6; n++) {
            wr(s, CTL0 + 2 * n, 0x1300c0 + n);
            wr(s, CTL0 + 2 * n + 1, 0x1234567890 + n);
        }
        for (unsigned n = 0; n < 4; n++) {
            assert_int_equal(rd(s, SEL0 + n), 0x1300c0 + n);
            assert_int_equal(rd(s, CTR0 + n), 0x1234567890 + n);
            wr(s, SEL0 + n, 0x76 + n);
            wr(s, CTR0 + n, 100 + n);
            assert_int_equal(rd(s, CTL0 + 2 * n), 0x76 + n);
            assert_int_equal(rd(s, CTL0 + 2 * n + 1), 100 + n);
        }
        assert_int_equal(rd(s, CTL0 + 10), 0x1300c5);
        assert_int_equal(rd(s, CTL0 + 11), 0x1234567895);
        sim_free(s);
    }
}

TEST(test_rdpmc)
{
    for (unsigned m = 0; m < MODELS; m++) {
        struct sim *s = machine(models[m].name);
        uint64_t v;
        for (unsigned n = 0; n < models[m].counters; n++) {
            wr(s, models[m].extended ? CTL0 + 1 + 2 * n : CTR0 + n, MASK48 - n);
            assert_int_equal(sim_rdpmc(s, n, 0, false, true, &v), SIM_RDPMC_OK);
            assert_int_equal(v, MASK48 - n);
            assert_int_equal(sim_rdpmc(s, n, 3, true, true, &v), SIM_RDPMC_OK);
            assert_int_equal(sim_rdpmc(s, n, 3, false, true, &v), SIM_RDPMC_GP);
            assert_int_equal(sim_rdpmc(s, n, 3, false, false, &v), SIM_RDPMC_OK); /* real mode */
        }
        assert_int_equal(sim_rdpmc(s, models[m].counters, 0, true, true, &v), SIM_RDPMC_GP);
        assert_int_equal(sim_rdpmc(s, 0x40000000, 0, true, true, &v), SIM_RDPMC_GP);
        sim_free(s);
    }
}

/* ---- counting ---- */

TEST(test_each_counter_by_itself)
{
    for (unsigned m = 0; m < MODELS; m++) {
        struct sim *s = machine(models[m].name);
        assert_false(sim_wants_facts(s));
        wr(s, SEL0, 0x300c0);
        assert_false(sim_wants_facts(s));
        wr(s, SEL0 + 1, 0xc0 | ON);
        assert_true(sim_wants_facts(s));
        wr(s, SEL0 + 2, 0xc0 | USR | EN);
        wr(s, SEL0 + 3, 0xc0 | OS | EN);
        retire(s, 5, 0, 0);
        retire(s, 3, 0, 3);
        retire(s, 2, 0, 1);
        assert_int_equal(rd(s, CTR0), 0);
        assert_int_equal(rd(s, CTR0 + 1), 10);
        assert_int_equal(rd(s, CTR0 + 2), 5);
        assert_int_equal(rd(s, CTR0 + 3), 5);
        wr(s, SEL0 + 1, 0xc0 | EN); /* neither ring */
        retire(s, 4, 0, 0);
        assert_int_equal(rd(s, CTR0 + 1), 10);
        sim_free(s);
    }
}

/* SVM is off: with one of the bits it does not count. */
TEST(test_guest_and_host)
{
    for (unsigned m = 1; m < MODELS; m++) {
        struct sim *s = machine(models[m].name);
        wr(s, SEL0, 0xc0 | ON | GUEST_ONLY);
        wr(s, SEL0 + 1, 0xc0 | ON | HOST_ONLY);
        wr(s, SEL0 + 2, 0xc0 | ON | HOST_ONLY | GUEST_ONLY);
        wr(s, SEL0 + 3, 0xc0 | ON);
        retire(s, 7, 0, 0);
        assert_int_equal(rd(s, CTR0), 0);
        assert_int_equal(rd(s, CTR0 + 1), 0);
        assert_int_equal(rd(s, CTR0 + 2), 7);
        assert_int_equal(rd(s, CTR0 + 3), 7);
        sim_free(s);
    }
}

TEST(test_overflow)
{
    for (unsigned m = 0; m < MODELS; m++) {
        struct sim *s = machine(models[m].name);
        wr(s, CTR0, (uint64_t)-5);
        wr(s, SEL0, 0xc0 | ON | INT);
        retire(s, 4, 0, 0);
        assert_int_equal(seen.pmi, 0);
        assert_int_equal(rd(s, CTR0), MASK48);
        retire(s, 1, 0, 0);
        assert_int_equal(seen.pmi, 1);
        assert_int_equal(rd(s, CTR0), 0);
        retire(s, 9, 0, 0); /* goes on, and no second interrupt */
        assert_int_equal(seen.pmi, 1);
        assert_int_equal(rd(s, CTR0), 9);
        wr(s, SEL0, 0xc0 | ON); /* without INT */
        wr(s, CTR0, (uint64_t)-1);
        retire(s, 2, 0, 0);
        assert_int_equal(seen.pmi, 1);
        assert_int_equal(rd(s, CTR0), 1);
        sim_free(s);
    }
}

TEST(test_global_registers)
{
    struct sim *s = machine("zen4");
    assert_int_equal(rd(s, GLOBAL), 0x3f); /* software for version 1 need not know of it */
    wr(s, GLOBAL, UINT64_MAX);
    assert_int_equal(rd(s, GLOBAL), 0x3f);
    wr(s, GLOBAL, 0x21);
    for (unsigned n = 0; n < 6; n++) wr(s, CTL0 + 2 * n, 0xc0 | ON | (n == 5 ? INT : 0));
    retire(s, 3, 0, 0);
    for (unsigned n = 0; n < 6; n++) assert_int_equal(rd(s, CTL0 + 2 * n + 1), n == 0 || n == 5 ? 3 : 0);

    wr(s, CTL0 + 1, (uint64_t)-1);
    retire(s, 1, 0, 0);
    assert_int_equal(rd(s, STATUS), 1); /* also without an interrupt */
    assert_int_equal(seen.pmi, 0);
    wr(s, CTL0 + 11, (uint64_t)-1);
    retire(s, 1, 0, 0);
    assert_int_equal(rd(s, STATUS), 0x21);
    assert_int_equal(seen.pmi, 1);
    wr(s, STATUS, 0); /* read-only */
    assert_int_equal(rd(s, STATUS), 0x21);
    wr(s, CLEAR, 0x3e);
    assert_int_equal(rd(s, STATUS), 1);
    assert_int_equal(rd(s, CLEAR), 0);
    wr(s, SET, UINT64_MAX); /* overflows; LBRSF, PMCF */
    assert_int_equal(rd(s, STATUS), 0x3f | UINT64_C(3) << 58);
    assert_int_equal(rd(s, SET), 0);
    sim_reset(s);
    assert_int_equal(rd(s, STATUS), 0);
    assert_int_equal(rd(s, GLOBAL), 0x3f);
    sim_free(s);
}

/* Off globally, the selects alone keep nobody interested. */
TEST(test_global_enable_starts)
{
    struct sim *s = machine("zen4");
    wr(s, GLOBAL, 0);
    wr(s, CTL0 + 8, 0xc0 | ON);
    assert_false(sim_wants_facts(s));
    wr(s, GLOBAL, 0x10);
    assert_true(sim_wants_facts(s));
    retire(s, 6, 0, 3);
    wr(s, GLOBAL, 0);
    retire(s, 6, 0, 3);
    assert_int_equal(rd(s, CTL0 + 9), 6);
    sim_free(s);
}

/* ---- CPUID ---- */

TEST(test_cpuid)
{
    for (unsigned m = 0; m < MODELS; m++) {
        struct sim *s = machine(models[m].name);
        uint32_t r[4] = {1, 2, UINT32_MAX, 4};
        sim_cpuid(s, 0x80000001, 0, r);
        const uint32_t ibs = m ? 1u << 10 : 0;
        assert_int_equal(r[2], (models[m].extended ? 0xe6ff7bff : 0xe67f7bff) | ibs); /* not LWP NB TSC L2I */
        assert_int_equal(r[3], 4);
        r[2] = 0;
        sim_cpuid(s, 0x80000001, 0, r);
        assert_int_equal(r[2], (models[m].extended ? 1u << 23 : 0) | ibs);
        r[2] = 9;
        sim_cpuid(s, 6, 0, r);
        assert_int_equal(r[2], 8);
        r[0] = r[1] = 0;
        sim_cpuid(s, 0x80000022, 0, r);
        assert_int_equal(r[0], models[m].v2 ? 7 : 0); /* and last branch records, and freezing */
        assert_int_equal(r[1], models[m].v2 ? 16 << 4 | 6 : 0);
        static const uint32_t caps[MODELS] = {0, 0, 0xff, 0x3ff, 0xbff}; /* fam10h ends before this leaf */
        uint32_t leaf[4] = {0x777, 1, 2, 3};
        sim_cpuid(s, 0x8000001b, 0, leaf);
        assert_int_equal(leaf[0], caps[m]);
        assert_int_equal(leaf[1] | leaf[2] | leaf[3], 0);
        sim_free(s);
    }
}

TEST(test_zen4_cpuid)
{
    struct sim *s = machine("zen4");
    uint32_t r[4] = {0x800f11, 5, 6, 7};
    char name[49] = "";
    sim_cpuid(s, 1, 0, r);
    assert_int_equal(r[0], 0xa60f12);
    assert_int_equal(r[1], 5);
    sim_cpuid(s, 0x80000000, 0, r);
    assert_int_equal(r[0], 0x80000022);
    for (unsigned k = 0; k < 3; k++) {
        sim_cpuid(s, 0x80000002 + k, 0, r);
        memcpy(name + 16 * k, r, 16);
    }
    assert_memory_equal(name, "AMD Ryzen 9 7950X", 17);
    sim_cpuid(s, 0x80000005, 0, r);
    assert_int_equal(r[2], 0x20080140);
    assert_int_equal(r[3], 0x20080140);
    sim_cpuid(s, 0x80000006, 0, r);
    assert_int_equal(r[2], 0x04006140);
    /* what leaf 8000001Dh says of a cache is what the model has */
    static const uint32_t kib[] = {32, 32, 1024, 32768};
    for (unsigned k = 0; k < 4; k++) {
        sim_cpuid(s, 0x8000001d, k, r);
        assert_int_equal((r[1] >> 22) + 1, k == 3 ? 16 : 8);
        assert_int_equal(((r[1] >> 22) + 1) * ((r[1] & 0xfff) + 1) * (r[2] + 1), kib[k] * 1024);
    }
    sim_free(s);
}

/* ---- as Linux 6.1's drivers use it ---- */

TEST(test_as_linux_does)
{
    struct sim *s = machine("zen4");
    for (unsigned n = 0; n < 6; n++) assert_false(rd(s, CTL0 + 2 * n) & EN); /* check_hw_exists() */
    const uint64_t v = rd(s, CTL0 + 1) ^ 0xffff;
    wr(s, CTL0 + 1, v);
    assert_int_equal(rd(s, CTL0 + 1), v);
    wr(s, GLOBAL, 0);
    wr(s, CLEAR, 0x3f);
    wr(s, CTL0 + 1, (uint64_t)-1000 & MASK48);
    wr(s, CTL0, 0xc0 | USR | INT | EN);
    wr(s, GLOBAL, 0x3f);
    retire(s, 500, 0, 0);
    retire(s, 999, 0, 3);
    assert_int_equal(seen.pmi, 0);
    assert_true(rd(s, CTL0 + 1) >> 47 & 1);
    retire(s, 1, 0, 3);
    assert_int_equal(seen.pmi, 1);
    wr(s, GLOBAL, 0);
    assert_int_equal(rd(s, STATUS), 1);
    wr(s, CTL0 + 1, (uint64_t)-1000 & MASK48);
    wr(s, CLEAR, 1);
    wr(s, GLOBAL, 0x3f);
    assert_int_equal(rd(s, STATUS), 0);
    retire(s, 1000, 0, 3);
    assert_int_equal(seen.pmi, 2);
    sim_free(s);
}
