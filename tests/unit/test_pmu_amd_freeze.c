/* AMD's counters that stop by themselves (8000_0022h EAX[2]): exact writes, and registers as they were. */
#include "tests/unit/amd_machines.h"
#include "tests/unit/unit.h"

#define DEBUGCTL   0x1d9
#define FREEZE_PMC 0x1000u
#define PMCF       (1ull << 59)

static void plugged(const struct part *p, uint64_t debugctl)
{
    struct cpu_id id = id_of(p);
    machine(p);
    fake_pmu_msr(DEBUGCTL, debugctl);
    probe(&id);
    fake_pmu_clear_log();
}

TEST(freeze)
{
    plugged(&parts[ZEN4], 0x2);
    assert_true(pmu.freezes);
    assert_int_equal(pmu.freezes_late, 0);
    struct pmu_code instr = code("instructions"), cycles = code("cycles");
    assert_true(PROGRAM(&instr, NULL, NULL, NULL, NULL, &cycles));
    assert_int_equal(fake_pmu_value(DEBUGCTL), 2);
    fake_pmu_clear_log();
    assert_true(pmu.ops->freeze(&pmu, 5, why, sizeof why));
    fake_pmu_msr(STATUS, PMCF | 1 << 5);
    pmu.ops->thaw(&pmu);
    pmu_start(&pmu);
    fake_pmu_msr(STATUS, PMCF | 1 << 5);
    pmu.ops->freeze_end(&pmu);
    static const struct fake_write want[] = {{CTL + 10, 0x530076},  {DEBUGCTL, 2 | FREEZE_PMC}, /* freeze */
                                             {GLOBAL, 0},           {CLEAR, PMCF | 1 << 5},
                                             {GLOBAL, 0x21}, /* thaw, start */
                                             {DEBUGCTL, 2},         {GLOBAL, 0},
                                             {CLEAR, PMCF | 1 << 5}}; /* freeze_end */
    fake_pmu_assert_log(want, N(want));
    pmu.ops->release(&pmu);
    assert_int_equal(fake_pmu_value(DEBUGCTL), 2);
}

/* What the firmware had set is off while we count, and comes back. */
TEST(found)
{
    plugged(&parts[ZEN4], FREEZE_PMC | 0x800);
    struct pmu_code cycles = code("cycles");
    assert_true(PROGRAM(&cycles));
    assert_int_equal(fake_pmu_value(DEBUGCTL), 0);
    pmu.ops->release(&pmu);
    assert_int_equal(fake_pmu_value(DEBUGCTL), FREEZE_PMC | 0x800);
}

/* Without the bit of CPUID, and without the register. */
TEST(cannot)
{
    struct part p = parts[ZEN4];
    plugged(&parts[ZEN3], 0);
    assert_false(pmu.freezes);
    p.x22_eax = 3;
    plugged(&p, 0);
    assert_false(pmu.freezes);
    start_on(&parts[ZEN4]);
    assert_false(pmu.freezes);
    struct pmu_code cycles = code("cycles");
    assert_true(PROGRAM(&cycles));
    assert_false(pmu.ops->freeze(&pmu, 0, why, sizeof why));
}
