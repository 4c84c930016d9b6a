/* P6 model: registers, enables, overflow, CPUID. */
#include "tests/unit/p6_drive.h"
#include <string.h>

/* ---- registers ---- */

TEST(test_other_msrs)
{
    static const uint32_t others[] = {0,     0x10,  0x11,  0x12,  0x1b,  0xc0,  0xc3,  0x119,     0x185,
                                      0x188, 0x1a0, 0x1d9, 0x1db, 0x300, 0x309, 0x38f, 0xc0010000};
    struct sim *s = machine("p2");
    uint64_t v;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(sim_rdmsr(s, others[i], &v), -1);
        assert_int_equal(sim_wrmsr(s, others[i], 0), -1);
    }
    sim_free(s);
}

/* SDM 18.22.1: bit 21 is reserved, bit 22 is there in PerfEvtSel0 only; all else can be written and read. */
TEST(test_select_bits)
{
    for (unsigned m = 0; m < 3; m++) {
        struct sim *s = machine(models[m]);
        for (unsigned n = 0; n < 2; n++) {
            assert_int_equal(rd(s, SEL0 + n), 0);
            for (unsigned bit = 0; bit < 64; bit++) {
                const bool allowed = bit < 32 && bit != 21 && !(bit == 22 && n == 1);
                wr(s, SEL0 + n, 0x79);
                assert_int_equal(sim_wrmsr(s, SEL0 + n, 1ull << bit), allowed ? 1 : 0);
                assert_int_equal(rd(s, SEL0 + n), allowed ? 1ull << bit : 0x79);
            }
        }
        wr(s, SEL0, 0xffdfffff);
        wr(s, SEL1, 0xff9fffff);
        assert_int_equal(rd(s, SEL0), 0xffdfffff);
        assert_int_equal(rd(s, SEL1), 0xff9fffff);
        sim_free(s);
    }
}

/* SDM 18.22.2: only the low 32 bits are written; bit 31 fills the upper eight. */
TEST(test_counter_writes)
{
    static const struct {
        uint64_t written, read;
    } rows[] = {
        {0, 0},
        {1, 1},
        {0x7fffffff, 0x7fffffff},
        {0x80000000, 0xff80000000},
        {0xffffffff, 0xffffffffff},
        {0xfffffffffffffff0, 0xfffffffff0},
        {0x1234567800000001, 1},
        {0x000000ff00000000, 0},
        {0x0000007f80000001, 0xff80000001},
    };
    struct sim *s = machine("ppro");
    for (unsigned n = 0; n < 2; n++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            uint64_t v;
            wr(s, CTR0 + n, rows[i].written);
            assert_int_equal(rd(s, CTR0 + n), rows[i].read);
            assert_int_equal(sim_rdpmc(s, n, 0, false, true, &v), SIM_RDPMC_OK);
            assert_int_equal(v, rows[i].read);
        }
    sim_free(s);
}

TEST(test_rdpmc)
{
    struct sim *s = machine("p3");
    uint64_t v = 77;
    wr(s, CTR0, 5);
    wr(s, CTR1, 6);
    for (unsigned cpl = 0; cpl < 4; cpl++)
        for (unsigned pce = 0; pce < 2; pce++)
            assert_int_equal(sim_rdpmc(s, 1, cpl, pce, true, &v),
                             cpl == 0 || pce ? SIM_RDPMC_OK : SIM_RDPMC_GP);
    assert_int_equal(v, 6);
    /* real mode has no privilege levels to gate */
    assert_int_equal(sim_rdpmc(s, 0, 3, false, false, &v), SIM_RDPMC_OK);
    assert_int_equal(v, 5);
    static const uint32_t bad[] = {2, 3, 0x40000000, 0x80000000, 0x80000001, 0xffffffff};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(sim_rdpmc(s, bad[i], 0, true, true, &v), SIM_RDPMC_GP);
    sim_free(s);
}

/* ---- enable and privilege ---- */

TEST(test_single_enable)
{
    struct sim *s = machine("p2");
    assert_false(sim_wants_facts(s));
    wr(s, SEL1, 0xc0 | BOTH);
    wr(s, SEL0, 0xc0 | BOTH);
    assert_false(sim_wants_facts(s));
    retire(s, 10, 0, 0);
    assert_int_equal(rd(s, CTR0), 0);
    assert_int_equal(rd(s, CTR1), 0);

    wr(s, SEL0, 0xc0 | BOTH | EN);
    assert_true(sim_wants_facts(s));
    retire(s, 10, 0, 0);
    assert_int_equal(rd(s, CTR0), 10);
    assert_int_equal(rd(s, CTR1), 10);

    wr(s, SEL1, 0); /* stops counter 1 only */
    retire(s, 5, 0, 0);
    assert_int_equal(rd(s, CTR0), 15);
    assert_int_equal(rd(s, CTR1), 10);

    wr(s, SEL1, 0xc0 | BOTH);
    wr(s, SEL0, EN); /* stops counter 0 only */
    retire(s, 5, 0, 0);
    assert_int_equal(rd(s, CTR0), 15);
    assert_int_equal(rd(s, CTR1), 15);

    wr(s, SEL0, 0xc0 | BOTH); /* stops both */
    retire(s, 5, 0, 0);
    assert_int_equal(rd(s, CTR0), 15);
    assert_int_equal(rd(s, CTR1), 15);
    assert_true(sim_wants_facts(s)); /* has been enabled: the caches go on */

    sim_reset(s);
    assert_int_equal(rd(s, SEL0) | rd(s, SEL1) | rd(s, CTR0) | rd(s, CTR1), 0);
    assert_false(sim_wants_facts(s));
    sim_free(s);
}

TEST(test_privilege)
{
    static const struct {
        uint32_t bits;
        unsigned want[4];
    } rows[] = {{0, {0, 0, 0, 0}}, {USR, {0, 1, 1, 1}}, {OS, {1, 0, 0, 0}}, {BOTH, {1, 1, 1, 1}}};
    struct sim *s = machine("ppro");
    for (unsigned n = 0; n < 2; n++)
        for (unsigned r = 0; r < 4; r++)
            for (unsigned cpl = 0; cpl < 4; cpl++) {
                program(s, n, 0xc0 | rows[r].bits);
                retire(s, 3, 0, cpl);
                assert_int_equal(rd(s, CTR0 + n), 3 * rows[r].want[cpl]);
                assert_int_equal(rd(s, CTR0 + !n), 0);
            }
    /* The level before the instruction: IRET to CPL 3 is the kernel's. */
    struct sim_insn iret = {.lin = 0x2000, .len = 1, .op = OP_BRANCH | OP_TAKEN | OP_FAR | OP_SERIALIZE};
    iret.cpl_after = 3;
    wr(s, SEL0, 0xc0 | OS | EN);
    wr(s, SEL1, 0xc0 | USR);
    wr(s, CTR0, 0);
    wr(s, CTR1, 0);
    sim_instruction(s, &iret);
    assert_int_equal(rd(s, CTR0), 1);
    assert_int_equal(rd(s, CTR1), 0);
    sim_free(s);
}

/* What happened before a WRMSR belongs to the old programming. */
TEST(test_settling)
{
    struct sim *s = machine("p3");
    program(s, 0, 0x79 | OS);
    sim_ticks(s, 7, false, 0);
    wr(s, SEL1, 0x79 | OS);
    sim_ticks(s, 5, false, 0);
    assert_int_equal(rd(s, CTR0), 12);
    assert_int_equal(rd(s, CTR1), 5);
    sim_free(s);
}

/* ---- overflow ---- */

TEST(test_overflow)
{
    for (unsigned n = 0; n < 2; n++) {
        struct sim *s = machine("p3");
        program(s, n, 0xc0 | OS | INT);
        wr(s, CTR0 + n, (uint64_t)-5);
        retire(s, 4, 0, 0);
        assert_int_equal(rd(s, CTR0 + n), MASK40);
        assert_int_equal(seen.pmi, 0);
        retire(s, 1, 0, 0);
        assert_int_equal(rd(s, CTR0 + n), 0);
        assert_int_equal(seen.pmi, 1);
        assert_int_equal(seen.overflows[n], 1);
        retire(s, 1000, 0, 0);
        assert_int_equal(rd(s, CTR0 + n), 1000);
        assert_int_equal(seen.pmi, 1);
        /* bit 31 to 32 is no overflow: the counter has 40 bits */
        wr(s, CTR0 + n, 0x7fffffff);
        retire(s, 2, 0, 0);
        assert_int_equal(rd(s, CTR0 + n), 0x80000001);
        assert_int_equal(seen.pmi, 1);
        /* INT off: silent; and once per overflow, not once per event */
        program(s, n, 0xc0 | OS);
        wr(s, CTR0 + n, (uint64_t)-1);
        retire(s, 2, 0, 0);
        assert_int_equal(seen.pmi, 1);
        program(s, n, 0x79 | OS | INT);
        wr(s, CTR0 + n, (uint64_t)-3);
        sim_ticks(s, 100, false, 0);
        assert_int_equal(rd(s, CTR0 + n), 97);
        assert_int_equal(seen.pmi, 2);
        sim_free(s);
    }
    /* periodic sampling: one interrupt each */
    struct sim *s = machine("ppro");
    program(s, 1, 0xc0 | OS | INT);
    for (unsigned k = 1; k <= 20; k++) {
        wr(s, CTR1, (uint64_t)-100);
        while (seen.pmi < k) retire(s, 1, 0, 0);
        assert_int_equal(rd(s, CTR1), 0);
    }
    sim_free(s);
}

TEST(test_pins)
{
    struct sim *s = machine("ppro");
    program(s, 1, 0xc0 | OS | PC);
    wr(s, CTR1, (uint64_t)-2);
    retire(s, 6, 0, 0);
    assert_int_equal(seen.steps[1], 6);
    assert_int_equal(seen.overflows[1], 0);
    program(s, 0, 0xc0 | OS);
    wr(s, CTR0, (uint64_t)-2);
    retire(s, 6, 0, 0);
    assert_int_equal(seen.steps[0], 0);
    assert_int_equal(seen.overflows[0], 1);
    assert_int_equal(seen.pmi, 0);
    sim_free(s);
}

/* ---- who it says it is ---- */

TEST(test_cpuid)
{
    static const struct {
        const char *model;
        uint32_t max, signature, features, descriptors;
    } rows[] = {{"ppro", 2, 0x619, 0x0000fbff, 0x06040a42},
                {"p2", 2, 0x633, 0x0080fbff, 0x0c040843},
                {"p3", 3, 0x673, 0x0387fbff, 0x0c040843}};
    for (unsigned m = 0; m < 3; m++) {
        struct sim *s = machine(rows[m].model);
        uint32_t r[4] = {1, 2, 3, 4}, last[4];
        sim_cpuid(s, 0, 0, r);
        assert_int_equal(r[0], rows[m].max);
        assert_memory_equal(r + 1, "GenuntelineI", 12);
        for (unsigned apic = 0; apic < 2; apic++) {
            memset(r, 0xff, sizeof r);
            r[3] = apic << 9;
            sim_cpuid(s, 1, 0, r);
            assert_int_equal(r[0], rows[m].signature);
            assert_int_equal(r[1] | r[2], 0);
            assert_int_equal(r[3], apic ? rows[m].features : rows[m].features & ~(1u << 9));
        }
        memset(r, 0xff, sizeof r);
        sim_cpuid(s, 2, 0, r);
        assert_int_equal(r[0], 0x03020101);
        assert_int_equal(r[1] | r[2], 0);
        assert_int_equal(r[3], rows[m].descriptors);
        sim_cpuid(s, rows[m].max, 0, last);
        static const uint32_t beyond[] = {4, 0xa, 0x80000000, 0x80000001, 0xffffffff};
        for (unsigned i = 0; i < 5; i++) {
            memset(r, 0xff, sizeof r);
            sim_cpuid(s, beyond[i], 0, r);
            assert_memory_equal(r, last, sizeof r);
        }
        sim_free(s);
    }
}

/* Until BBL_CR_CTL bit 21 hides it, for good. */
TEST(test_serial_number)
{
    struct sim *s = machine("p3");
    uint32_t r[4] = {0}, id[4] = {0};
    sim_cpuid(s, 3, 0, id);
    assert_int_equal(id[0] | id[1], 0);
    assert_true(id[2] && id[3]);
    assert_int_equal(rd(s, 0x119), 0);
    wr(s, 0x119, 1u << 21);
    wr(s, 0x119, 0);
    assert_int_equal(rd(s, 0x119), 1u << 21);
    sim_cpuid(s, 0, 0, r);
    assert_int_equal(r[0], 2);
    r[3] = 0;
    sim_cpuid(s, 1, 0, r);
    assert_int_equal(r[3] >> 18 & 1, 0);
    sim_cpuid(s, 3, 0, r);
    assert_int_equal(r[0], 0x03020101);
    sim_reset(s);
    sim_cpuid(s, 0, 0, r);
    assert_int_equal(r[0], 3);
    sim_free(s);
}

/* As an operating system's driver does it (Linux's arch/x86/events/intel/p6.c: everything is stopped by the
 * enable of PerfEvtSel0, one counter by an event that counts nothing, periods are written as 32 bits). */
TEST(test_as_linux_does)
{
    struct sim *s = machine("p3");
    wr(s, SEL0, 0x2e);
    wr(s, SEL1, 0x2e);
    wr(s, SEL1, 0xc0 | USR | OS | INT);
    wr(s, CTR1, 0x100000000ull - 1000);
    wr(s, SEL0, rd(s, SEL0) | EN);
    retire(s, 999, 0, 3);
    assert_int_equal(seen.pmi, 0);
    assert_true(rd(s, CTR1) & 1u << 31);
    retire(s, 1, 0, 3);
    assert_int_equal(seen.pmi, 1);
    wr(s, SEL0, rd(s, SEL0) & ~(uint64_t)EN);
    assert_false(rd(s, CTR1) & 1u << 31); /* "overflowed" */
    wr(s, SEL0, 0x79 | OS | INT);
    wr(s, CTR0, 0x80000000);
    wr(s, SEL0, rd(s, SEL0) | EN);
    sim_ticks(s, 3, false, 0);
    assert_int_equal(rd(s, CTR0), 0xff80000003);
    wr(s, SEL0, 0x2e | EN); /* counter 0 off, counter 1 goes on */
    retire(s, 4, 0, 0);
    assert_int_equal(rd(s, CTR0), 0xff80000003);
    assert_int_equal(rd(s, CTR1), 4);
    sim_free(s);
}
