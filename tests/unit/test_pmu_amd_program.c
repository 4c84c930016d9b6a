/* AMD's core counters against registers: exact writes in their order, interrupts with and without a global
 * register, and hardware that misbehaves. */
#include "tests/unit/amd_machines.h"
#include "tests/unit/sole_drive.h"
#include "tests/unit/unit.h"

static int on_k8(void **state) { return (void)state, start_on(&parts[K8]), 0; }
static int on_zen(void **state) { return (void)state, start_on(&parts[ZEN]), 0; }
static int on_zen4(void **state) { return (void)state, start_on(&parts[ZEN4]), 0; }

/* ---- programming ---- */

TEST_WITH(legacy, on_k8, NULL)
{
    struct pmu_code instr = code("instructions:k"), cycles = code("cycles");
    assert_true(PROGRAM(&instr, NULL, NULL, &cycles));
    pmu_start(&pmu);
    hw_rdtsc();
    pmu_stop(&pmu);
    hw_rdtsc();
    assert_int_equal(pmu.ops->read(&pmu, 0), 7);
    assert_int_equal(pmu.ops->read(&pmu, 1), 0);
    assert_int_equal(pmu.ops->read(&pmu, 3), 7);
    static const struct fake_write want[] = {
        {OLD_CTL, 0},       {OLD_CTL + 1, 0},       {OLD_CTL + 2, 0},    {OLD_CTL + 3, 0},
        {OLD_CTR, 0},       {OLD_CTR + 1, 0},       {OLD_CTR + 2, 0},    {OLD_CTR + 3, 0},
        {OLD_CTL, 0x200c0}, {OLD_CTL + 3, 0x30076}, {OLD_CTL, 0x4200c0}, {OLD_CTL + 3, 0x430076},
        {OLD_CTL, 0x200c0}, {OLD_CTL + 3, 0x30076},
    };
    fake_pmu_assert_log(want, N(want));
}

TEST_WITH(global, on_zen4, NULL)
{
    struct pmu_code ref = code("ref-cycles"), instr = code("instructions:u");
    assert_true(PROGRAM(NULL, &ref, NULL, NULL, NULL, &instr));
    pmu_start(&pmu);
    hw_rdtsc();
    pmu_stop(&pmu);
    assert_int_equal(pmu.ops->read(&pmu, 1), 7);
    assert_int_equal(pmu.ops->read(&pmu, 5), 0);
    static const struct fake_write want[] = {
        {GLOBAL, 0},          {CTL, 0},
        {CTL + 2, 0},         {CTL + 4, 0},
        {CTL + 6, 0},         {CTL + 8, 0},
        {CTL + 10, 0},        {CTR, 0},
        {CTR + 2, 0},         {CTR + 4, 0},
        {CTR + 6, 0},         {CTR + 8, 0},
        {CTR + 10, 0},        {CTL + 2, 0x100430120ull},
        {CTL + 10, 0x4100c0}, {GLOBAL, 0x22},
        {GLOBAL, 0},
    };
    fake_pmu_assert_log(want, N(want));
}

TEST(release)
{
    struct cpu_id id = id_of(&parts[ZEN4]);
    machine(&parts[ZEN4]);
    fake_pmu_msr(GLOBAL, 0x3f);
    fake_pmu_msr(ctr(2), 0x800000000001);
    fake_pmu_msr(ctl(2), 0x1000100a1);
    probe(&id);
    struct pmu_code c = code("cycles");
    assert_true(PROGRAM(&c, NULL, &c));
    pmu_start(&pmu);
    pmu.ops->release(&pmu);
    assert_int_equal(fake_pmu_value(GLOBAL), 0x3f);
    assert_int_equal(fake_pmu_value(ctl(0)), 0);
    assert_int_equal(fake_pmu_value(ctl(2)), 0x1000100a1);
    assert_int_equal(fake_pmu_value(ctr(2)), 0x800000000001);
}

/* ---- interrupts ---- */

/* No status: bit 47 tells. */
TEST_WITH(interrupt_legacy, on_zen, NULL)
{
    struct pmu_code instr = code("instructions");
    assert_true(PROGRAM(NULL, NULL, &instr));
    fake_pmu_clear_log();
    assert_true(pmu.ops->arm(&pmu, 2, 1000, why, sizeof why));
    pmu_start(&pmu);
    static const struct fake_write armed[] = {
        {CTL + 4, 0x1300c0}, {CTR + 4, 0xfffffffffc18}, {CTL + 4, 0x5300c0}};
    fake_pmu_assert_log(armed, N(armed));
    fake_pmu_clear_log();
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 0);
    fake_pmu_assert_pmi_only();
    fake_pmu_msr(CTR + 4, 12);
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 4);
    static const struct fake_write again[] = {
        FAKE_PMI_AGAIN, {CTL + 4, 0x1300c0}, {CTR + 4, 0xfffffffffc18}, {CTL + 4, 0x5300c0}};
    fake_pmu_assert_log(again, N(again));
    fake_pmu_clear_log();
    assert_false(sole_overflowed(&pmu));
    fake_pmu_assert_pmi_only();
    fake_pmu_msr(CTR + 4, 12);
    assert_true(sole_overflowed(&pmu));
    fake_pmu_assert_log(again, N(again));
    assert_false(pmu.ops->arm(&pmu, 2, 0, why, sizeof why));
    assert_string_equal(why, "a period must be from 1 to 2147483647 here");
}

TEST_WITH(interrupt_global, on_zen4, NULL)
{
    struct pmu_code instr = code("instructions"), ref = code("ref-cycles");
    assert_true(PROGRAM(&instr, &ref));
    assert_true(pmu.ops->arm(&pmu, 1, 2, why, sizeof why));
    pmu_start(&pmu);
    assert_int_equal(fake_pmu_value(ctl(1)), 0x100530120);
    assert_int_equal(fake_pmu_value(ctl(0)), 0x4300c0);
    fake_pmu_clear_log();
    fake_pmu_msr(STATUS, 2);
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 2);
    static const struct fake_write want[] = {
        {GLOBAL, 0}, {CLEAR, 2}, {CTR + 2, 0xfffffffffffe}, FAKE_PMI_AGAIN, {GLOBAL, 3}};
    fake_pmu_assert_log(want, N(want));
    fake_pmu_msr(STATUS, 2);
    fake_pmu_clear_log();
    assert_true(sole_overflowed(&pmu));
    fake_pmu_assert_log(want, N(want));
    assert_int_equal(fake_pmu_value(STATUS), 0);
    fake_pmu_msr(STATUS, 1); /* not armed: cleared, not reported */
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 0);
    assert_int_equal(fake_pmu_value(STATUS), 0);
}

/* ---- what goes wrong ---- */

TEST(bad_hardware)
{
    struct cpu_id id = id_of(&parts[ZEN]);
    struct pmu_code c;
    machine(&parts[ZEN]);
    fake_pmu_fault(ctl(0), FAKE_SWALLOWS);
    fake_pmu_fault(ctl(1), FAKE_NO_WRITE);
    fake_pmu_fault(ctr(2), FAKE_STUCK);
    fake_pmu_fault(ctr(3), FAKE_NO_READ);
    probe(&id);
    assert_int_equal(pmu.usable, 0x30);
    assert_int_equal(pmu.state[0], COUNTER_ABSENT);
    assert_int_equal(pmu.state[1], COUNTER_ABSENT);
    assert_int_equal(pmu.state[2], COUNTER_NOT_ADVANCING);
    assert_int_equal(pmu.state[3], COUNTER_ABSENT);
    c = code("cycles");
    assert_false(PROGRAM(&c));
    assert_string_equal(why, "MSR C0010200h does not keep the value written to it: 30076h became 0h");
    assert_false(PROGRAM(NULL, &c));
    assert_string_equal(why, "MSR C0010202h faults when 0h is written to it");
    assert_true(PROGRAM(NULL, NULL, NULL, NULL, &c));

    fake_pmu_reset(&rules); /* an emulator without them */
    fake_pmu_rdpmc(FAKE_RDPMC_UD);
    here = &parts[ZEN4];
    id = id_of(here);
    probe(&id);
    assert_int_equal(pmu.usable, 0);
    assert_false(pmu.rdpmc || pmu.user_rdpmc);
    c = code("cycles");
    assert_false(PROGRAM(&c));
    assert_string_equal(why, "MSR C0000301h faults when 0h is written to it");
}
