/* Arming counters for their overflow: exact writes, at register level. */
#include "pmu/p5.h"
#include "pmu/p6.h"
#include "tests/unit/fake_pmu.h"
#include "tests/unit/sole_drive.h"
#include "tests/unit/unit.h"
#include <string.h>

static struct pmu pmu;
static char why[160];
static bool never(unsigned counter) { return (void)counter, false; }

static void plug(const struct pmu_ops *ops, const struct fake_pmu_rules *rules, unsigned family,
                 unsigned model, const uint32_t *msr, unsigned n)
{
    struct cpu_id id = {.vendor = "GenuineIntel", .family = family, .model = model};
    fake_pmu_reset(rules);
    for (unsigned i = 0; i < n; i++) fake_pmu_msr(msr[i], 0);
    memset(&pmu, 0, sizeof pmu);
    assert_true(ops->detect(&id, &pmu));
    pmu.ops = ops;
}

static void program(unsigned counter, uint64_t select)
{
    struct pmu_code code = {.name = "x", .select = select, .counters = 3};
    const struct pmu_code *by[PMU_COUNTERS] = {NULL};
    by[counter] = &code;
    assert_true(pmu.ops->program(&pmu, by, why, sizeof why));
    fake_pmu_clear_log();
}

static const struct fake_pmu_rules p6_rules = {{0xc1, 0xc2}, never, NULL};
static const uint32_t p6_msr[] = {0xc1, 0xc2, 0x186, 0x187};

/* INT is bit 20; WRMSR takes 32 bits of the counter; the select of counter 0 is written by start(). */
TEST(test_p6)
{
    plug(&pmu_p6_ops, &p6_rules, 6, 8, p6_msr, 4);
    program(0, 0x100c0);
    assert_true(pmu.ops->arm(&pmu, 0, 1000, why, sizeof why));
    pmu_start(&pmu);
    const struct fake_write first[] = {{0xc1, 0xfffffc18}, {0x186, 0x5100c0}};
    fake_pmu_assert_log(first, 2);

    program(1, 0x100c0);
    assert_true(pmu.ops->arm(&pmu, 1, 0x7fffffff, why, sizeof why));
    pmu_start(&pmu);
    const struct fake_write second[] = {{0x187, 0x1100c0}, {0xc2, 0x80000001}, {0x186, 0x400000}};
    fake_pmu_assert_log(second, 3);
    assert_false(pmu.ops->arm(&pmu, 1, 0x80000000, why, sizeof why));
    assert_string_equal(why, "a period must be from 1 to 2147483647 here");
    assert_false(pmu.ops->arm(&pmu, 1, 0, why, sizeof why));
}

/* Only an armed counter that is not negative has overflowed; it is reloaded with 32 bits. */
TEST(test_p6_overflowed)
{
    plug(&pmu_p6_ops, &p6_rules, 6, 8, p6_msr, 4);
    program(0, 0x100c0);
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 0); /* none is armed */
    assert_true(pmu.ops->arm(&pmu, 0, 1000, why, sizeof why));
    fake_pmu_msr(0xc1, 0xffffffffff);
    fake_pmu_clear_log();
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 0);
    fake_pmu_assert_pmi_only();
    for (unsigned since = 0; since <= 3; since += 3) { /* none more since, or three */
        fake_pmu_clear_log();
        fake_pmu_msr(0xc1, since);
        assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 1);
        const struct fake_write reload[] = {FAKE_PMI_AGAIN, {0xc1, 0xfffffc18}};
        fake_pmu_assert_log(reload, 2);
        fake_pmu_clear_log();
        assert_false(sole_overflowed(&pmu));
        fake_pmu_assert_pmi_only();
        fake_pmu_msr(0xc1, since);
        assert_true(sole_overflowed(&pmu));
        fake_pmu_assert_log(reload, 2);
    }
    assert_true(pmu.ops->arm(&pmu, 1, 1000, why, sizeof why));
    assert_true(no_sole(&pmu));
    program(0, 0x100c0); /* programming anew disarms */
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 0);
    fake_pmu_assert_pmi_only();
    assert_true(no_sole(&pmu));
    assert_true(pmu.ops->arm(&pmu, 1, 1000, why, sizeof why));
    fake_pmu_msr(0xc2, 0);
    assert_true(sole_overflowed(&pmu));
    assert_int_equal(fake_pmu_value(0xc2) & 0xffffffff, 0xfffffc18);
}

static const struct fake_pmu_rules p5_rules = {{0x12, 0x13}, never, NULL};
static const uint32_t p5_msr[] = {0x11, 0x12, 0x13};

/* PC0 is bit 9 of CESR, the counter takes all of its 40 bits. */
TEST(test_p5)
{
    plug(&pmu_p5_ops, &p5_rules, 5, 2, p5_msr, 3);
    assert_true(pmu.pin_nmi);
    program(0, 0x96);
    assert_true(pmu.ops->arm(&pmu, 0, 1000, why, sizeof why));
    pmu_start(&pmu);
    const struct fake_write arm[] = {{0x12, 0xfffffffc18}, {0x11, 0x216}, {0x11, 0x296}};
    fake_pmu_assert_log(arm, 3);
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 0);
    fake_pmu_msr(0x12, 0);
    fake_pmu_clear_log();
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 1);
    const struct fake_write reload[] = {{0x12, 0xfffffffc18}};
    fake_pmu_assert_log(reload, 1);
    assert_false(sole_overflowed(&pmu));
    fake_pmu_msr(0x12, 0);
    assert_true(sole_overflowed(&pmu));
    assert_int_equal(fake_pmu_value(0x12), 0xfffffffc18);
    assert_false(pmu.ops->arm(&pmu, 1, 1000, why, sizeof why));
    assert_non_null(strstr(why, "PM0"));
    assert_false(pmu.ops->arm(&pmu, 0, 0, why, sizeof why));
    assert_true(pmu.ops->arm(&pmu, 0, P5_PERIOD_MAX, why, sizeof why));
    assert_int_equal(fake_pmu_value(0x12), 0x10000000000 - P5_PERIOD_MAX);
    assert_int_equal(fake_pmu_value(0x12) >> 39, 1); /* below zero */
    assert_false(pmu.ops->arm(&pmu, 0, P5_PERIOD_MAX + 1ull, why, sizeof why));
    assert_non_null(strstr(why, "a period must be from 1 to 2147483647 here"));
}

/* A board whose firmware had set the pin's bits finds them so again. */
TEST(test_p5_pin_bits)
{
    fake_pmu_reset(&p5_rules);
    plug(&pmu_p5_ops, &p5_rules, 5, 2, p5_msr, 3);
    program(0, 0x96);
    assert_true(pmu.ops->arm(&pmu, 0, 1000, why, sizeof why));
    pmu_start(&pmu);
    pmu_stop(&pmu);
    assert_int_equal(fake_pmu_value(0x11), 0x216);
    program(0, 0x96);
    assert_int_equal(fake_pmu_value(0x11), 0x16);
    pmu.ops->release(&pmu);
    assert_int_equal(fake_pmu_value(0x11), 0);
}
