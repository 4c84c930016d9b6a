/* Intel's architectural counters against registers: interrupts by version, and periods. */
#include "tests/unit/arch_machines.h"
#include "tests/unit/sole_drive.h"

TEST_WITH(interrupt, on_skylake, NULL)
{
    struct pmu_code instr = code("instructions"), misses = code("llc_misses");
    assert_true(PROGRAM(NULL, &misses, NULL, NULL, &instr));
    fake_pmu_clear_log();
    assert_true(pmu.ops->arm(&pmu, 1, 100000, why, sizeof why));
    assert_true(pmu.ops->arm(&pmu, 4, 1, why, sizeof why));
    pmu_start(&pmu);
    static const struct fake_write armed[] = {
        {SEL0 + 1, 0x53412e},     {A_PMC0 + 1, 0xffffffffffff - 99999},
        {FIXED_CTRL, 0xb},        {FIXED0, 0xffffffffffff},
        {GLOBAL, 0x100000002ull},
    };
    fake_pmu_assert_log(armed, N(armed));

    fake_pmu_clear_log();
    fake_pmu_msr(STATUS, FIXED_BIT(0) | 1ull << 63);
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 1 << 4);
    static const struct fake_write one[] = {{GLOBAL, 0},
                                            {ACK, 0x8000000100000000ull},
                                            {FIXED0, 0xffffffffffff},
                                            FAKE_PMI_AGAIN,
                                            {GLOBAL, 0x100000002ull}};
    fake_pmu_assert_log(one, N(one));
    assert_int_equal(fake_pmu_value(STATUS), 0);

    assert_true(no_sole(&pmu)); /* two of them */
    fake_pmu_msr(STATUS, FIXED_BIT(0) | 2);
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 1 << 4 | 1 << 1);

    fake_pmu_clear_log(); /* somebody else's NMI: everything runs on */
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 0);
    static const struct fake_write none[] = {{GLOBAL, 0}, FAKE_PMI_AGAIN, {GLOBAL, 0x100000002ull}};
    fake_pmu_assert_log(none, N(none));

    assert_true(PROGRAM(&misses)); /* the next program does not interrupt */
    assert_int_equal(fake_pmu_value(FIXED_CTRL), 0);
    pmu_start(&pmu);
    fake_pmu_msr(STATUS, 3);
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 0);
}

/* One alone: the same writes. */
TEST_WITH(interrupt_sole, on_skylake, NULL)
{
    struct pmu_code instr = code("instructions"), misses = code("llc_misses");
    assert_true(no_sole(&pmu));
    for (unsigned fixed = 0; fixed < 2; fixed++) {
        const unsigned i = fixed ? 4 : 1;
        const uint64_t bit = fixed ? FIXED_BIT(0) : 2, all = 0x100000002ull;
        assert_true(PROGRAM(NULL, &misses, NULL, NULL, &instr));
        assert_true(no_sole(&pmu));
        assert_true(pmu.ops->arm(&pmu, i, 1000, why, sizeof why));
        pmu_start(&pmu);
        fake_pmu_msr(STATUS, bit | 1ull << 63);
        fake_pmu_clear_log();
        assert_true(sole_overflowed(&pmu));
        const struct fake_write want[] = {{GLOBAL, 0},
                                          {ACK, bit | 1ull << 63},
                                          {fixed ? FIXED0 : A_PMC0 + 1, 0xffffffffffff - 999},
                                          FAKE_PMI_AGAIN,
                                          {GLOBAL, all}};
        fake_pmu_assert_log(want, N(want));
        fake_pmu_msr(STATUS, bit ^ all); /* the other one's bit */
        fake_pmu_clear_log();
        assert_false(sole_overflowed(&pmu));
        fake_pmu_assert_log(want, 1);
        assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 0); /* goes on from there */
        assert_int_equal(fake_pmu_value(GLOBAL), all);
        assert_int_equal(fake_pmu_value(STATUS), 0);
    }
}

TEST_WITH(interrupt_version_1, on_yonah, NULL)
{
    struct pmu_code instr = code("instructions");
    assert_true(PROGRAM(NULL, &instr));
    fake_pmu_clear_log();
    assert_true(pmu.ops->arm(&pmu, 1, 1000, why, sizeof why));
    pmu_start(&pmu);
    static const struct fake_write armed[] = {
        {SEL0 + 1, 0x1300c0}, {PMC0 + 1, 0xfffffc18}, {SEL0 + 1, 0x5300c0}};
    fake_pmu_assert_log(armed, N(armed));
    fake_pmu_clear_log();
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 0); /* still below zero */
    fake_pmu_assert_pmi_only();
    fake_pmu_msr(PMC0 + 1, 3);
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 2);
    static const struct fake_write again[] = {
        FAKE_PMI_AGAIN, {SEL0 + 1, 0x1300c0}, {PMC0 + 1, 0xfffffc18}, {SEL0 + 1, 0x5300c0}};
    fake_pmu_assert_log(again, N(again));
    fake_pmu_clear_log();
    assert_false(sole_overflowed(&pmu));
    fake_pmu_assert_pmi_only();
    fake_pmu_msr(PMC0 + 1, 3);
    assert_true(sole_overflowed(&pmu));
    fake_pmu_assert_log(again, N(again));

    struct pmu_code misses = code("llc_misses"); /* two of them: each for itself, one or both */
    assert_true(PROGRAM(&misses, &instr));
    assert_true(pmu.ops->arm(&pmu, 0, 2, why, sizeof why));
    assert_true(pmu.ops->arm(&pmu, 1, 1000, why, sizeof why));
    pmu_start(&pmu);
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 0);
    for (unsigned over = 1; over < 4; over++) {
        for (unsigned i = 0; i < 2; i++)
            if (over >> i & 1) fake_pmu_msr(PMC0 + i, 3);
        assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), over);
        assert_int_equal((uint32_t)fake_pmu_value(PMC0), -2u);
        assert_int_equal((uint32_t)fake_pmu_value(PMC0 + 1), -1000u);
    }
}

/* Without the alias WRMSR takes 32 bits, which a period must leave below zero. */
TEST_WITH(periods, on_penryn, NULL)
{
    static const uint64_t bad[] = {0, 0x80000000, UINT64_MAX};
    struct pmu_code instr = code("instructions");
    assert_true(PROGRAM(&instr));
    for (unsigned i = 0; i < N(bad); i++) {
        assert_false(pmu.ops->arm(&pmu, 0, bad[i], why, sizeof why));
        assert_string_equal(why, "a period must be from 1 to 2147483647 here");
    }
    assert_true(pmu.ops->arm(&pmu, 0, 0x7fffffff, why, sizeof why));
    assert_int_equal(fake_pmu_value(PMC0) & 0xffffffffff, 0xff80000001);
    assert_false(pmu.ops->arm(&pmu, 1, 1, why, sizeof why));
    assert_string_equal(why, "nothing is programmed on counter 1");
}
