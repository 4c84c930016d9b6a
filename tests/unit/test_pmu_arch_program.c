/* Intel's architectural counters against registers: exact writes in their order, restoring, and
 * hardware that misbehaves. */
#include "tests/unit/arch_machines.h"

/* ---- programming ---- */

TEST_WITH(version_4, on_skylake, NULL)
{
    struct pmu_code misses = code("llc_misses:u"), instr = code("instructions:k"), cycles = code("cycles"),
                    ref = code("ref-cycles:u");
    fake_pmu_msr(STATUS, 0x8000000000000001ull); /* left over */
    assert_true(PROGRAM(&misses, NULL, &cycles, NULL, &instr, NULL, &ref));
    pmu_start(&pmu);
    pmu_stop(&pmu);
    static const struct fake_write want[] = {
        {GLOBAL, 0},         {SEL0, 0},
        {SEL0 + 1, 0},       {SEL0 + 2, 0},
        {SEL0 + 3, 0},       {FIXED_CTRL, 0},
        {PMC0, 0},           {PMC0 + 1, 0},
        {PMC0 + 2, 0},       {PMC0 + 3, 0},
        {FIXED0, 0},         {FIXED0 + 1, 0},
        {FIXED0 + 2, 0},     {ACK, 0x8000000000000001ull},
        {DEBUGCTL, 0x4000}, /* freeze while in SMM */
        {SEL0, 0x41412e},    {SEL0 + 2, 0x43003c},
        {FIXED_CTRL, 0x201}, {GLOBAL, 0x500000005ull}, /* all at once */
        {GLOBAL, 0},
    };
    fake_pmu_assert_log(want, N(want));
}

/* The new addresses for all counters; they take all bits. */
TEST_WITH(version_6_registers, on_lunar_lake, NULL)
{
    struct cpu_id id = id_of(&lunar_lake);
    struct pmu_code c = code("branches"), instr = code("instructions");
    assert_int_equal(pmu.usable, 0x3fff);
    assert_true(PROGRAM([9] = &c, [10] = &instr));
    static const struct fake_write selected[] = {{V6_SEL0 + 9 * V6_STEP, 0x4300c4}, {FIXED_CTRL, 3}};
    const struct fake_write *log;
    const size_t n = fake_pmu_log(&log);
    assert_memory_equal(log + n - 2, selected, sizeof selected);
    fake_pmu_clear_log();
    assert_true(pmu.ops->arm(&pmu, 9, 1000, why, sizeof why));
    pmu_start(&pmu);
    static const struct fake_write armed[] = {{V6_SEL0 + 9 * V6_STEP, 0x5300c4},
                                              {V6_PMC0 + 9 * V6_STEP, 0xffffffffffff - 999},
                                              {GLOBAL, 0x100000200ull}};
    fake_pmu_assert_log(armed, N(armed));
    hw_rdtsc();
    assert_int_equal(pmu.ops->read(&pmu, 9), 0xffffffffffff - 999 + 7);
    pmu_stop(&pmu);
    fake_pmu_msr(STATUS, 1 << 9);
    fake_pmu_clear_log();
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 1 << 9);
    static const struct fake_write again[] = {{GLOBAL, 0},
                                              {ACK, 1 << 9},
                                              {V6_PMC0 + 9 * V6_STEP, 0xffffffffffff - 999},
                                              FAKE_PMI_AGAIN,
                                              {GLOBAL, 0x100000200ull}};
    fake_pmu_assert_log(again, N(again));

    machine(&lunar_lake); /* what was there comes back */
    fake_pmu_msr(V6_PMC0 + 8 * V6_STEP, 0x923456789abc);
    fake_pmu_msr(V6_SEL0 + 8 * V6_STEP, 0x1301c2);
    probe(&id);
    pmu.ops->release(&pmu);
    assert_int_equal(fake_pmu_value(V6_PMC0 + 8 * V6_STEP), 0x923456789abc);
    assert_int_equal(fake_pmu_value(V6_SEL0 + 8 * V6_STEP), 0x1301c2);

    machine(&ice_lake); /* a hypervisor that says 6 and has the older addresses only */
    id = id_of(&ice_lake);
    id.fa.eax = (id.fa.eax & ~0xffu) | 6;
    probe(&id);
    assert_int_equal(pmu.usable, 0xfff);
    assert_int_equal(pmu.counter_msr[7], PMC0 + 7);
    assert_int_equal(pmu.counter_msr[8], FIXED0);
}

/* Counter by counter, as there is no register for all of them. */
TEST_WITH(version_1, on_yonah, NULL)
{
    struct pmu_code a = code("instructions"), b = code("cycles:k");
    assert_true(PROGRAM(&a, &b));
    pmu_start(&pmu);
    hw_rdtsc();
    assert_int_equal(pmu.ops->read(&pmu, 1), 7);
    pmu_stop(&pmu);
    hw_rdtsc();
    assert_int_equal(pmu.ops->read(&pmu, 1), 7);
    static const struct fake_write want[] = {
        {SEL0, 0},       {SEL0 + 1, 0},       {PMC0, 0},        {PMC0 + 1, 0},
        {SEL0, 0x300c0}, {SEL0 + 1, 0x2003c}, {SEL0, 0x4300c0}, {SEL0 + 1, 0x42003c},
        {SEL0, 0x300c0}, {SEL0 + 1, 0x2003c},
    };
    fake_pmu_assert_log(want, N(want));
}

/* Errata AAK100, AAP53, BD53: four selects that are no events, enabled together, before what is programmed.
 */
TEST(nehalem)
{
    static const struct {
        const char *name, *database;
        unsigned model;
    } all[] = {{"Nehalem", "nhm", 0x1a}, {"Nehalem", "nhm", 0x1e}, {"Westmere-EP", "wsm_dp", 0x2c}};
    for (unsigned k = 0; k < N(all); k++) {
        const struct part p = {all[k].name, all[k].database, all[k].model, 0x07300403, 0, 0x603, 4, 3, 0,
                               true};
        start_on(&p);
        struct pmu_code instr = code("r01c0:u");
        assert_true(PROGRAM(NULL, &instr));
        static const struct fake_write want[] = {
            {GLOBAL, 0},
            {SEL0, 0x4300b5},
            {PMC0, 0},
            {SEL0 + 1, 0x4300d2},
            {PMC0 + 1, 0},
            {SEL0 + 2, 0x4300b1},
            {PMC0 + 2, 0},
            {SEL0 + 3, 0x4300b1},
            {PMC0 + 3, 0},
            {GLOBAL, 15},
            {GLOBAL, 0},
            {GLOBAL, 0},
            {SEL0, 0},
            {SEL0 + 1, 0},
            {SEL0 + 2, 0},
            {SEL0 + 3, 0},
            {FIXED_CTRL, 0},
            {PMC0, 0},
            {PMC0 + 1, 0},
            {PMC0 + 2, 0},
            {PMC0 + 3, 0},
            {FIXED0, 0},
            {FIXED0 + 1, 0},
            {FIXED0 + 2, 0},
            {SEL0 + 1, 0x4101c0},
        };
        fake_pmu_assert_log(want, N(want));
    }
    struct cpu_id id = id_of(&sandy); /* a guest of two counters has two */
    id.model = 0x1a;
    id.fa.eax = 0x07300203;
    machine(&sandy);
    probe(&id);
    fake_pmu_clear_log();
    assert_true(PROGRAM(NULL));
    const struct fake_write *log;
    assert_true(fake_pmu_log(&log) > 6);
    assert_int_equal(log[3].msr, SEL0 + 1);
    assert_int_equal(log[5].msr, GLOBAL);
    assert_int_equal(log[5].value, 15);
}

TEST_WITH(nothing_stale, on_skylake, NULL)
{
    struct pmu_code instr = code("instructions"), any = code("unhalted_core_cycles:any");
    assert_true(PROGRAM(&instr, &instr, &instr, &instr, &instr, &any, NULL));
    assert_int_equal(fake_pmu_value(FIXED_CTRL), 0x73);
    assert_true(PROGRAM(NULL, &instr));
    assert_int_equal(fake_pmu_value(FIXED_CTRL), 0);
    assert_int_equal(fake_pmu_value(SEL0), 0);
    pmu_start(&pmu);
    assert_int_equal(fake_pmu_value(GLOBAL), 2);
    hw_rdtsc();
    for (unsigned i = 0; i < 7; i++) assert_int_equal(pmu.ops->read(&pmu, i), i == 1 ? 7 : 0);
}

TEST(release)
{
    struct cpu_id id = id_of(&skylake);
    machine(&skylake);
    fake_pmu_msr(PMC0 + 1, 0x800000000001);
    fake_pmu_msr(FIXED0 + 1, 0x7654321);
    fake_pmu_msr(SEL0 + 1, 0x1301c2);
    fake_pmu_msr(DEBUGCTL, 1);
    probe(&id);
    struct pmu_code c = code("cycles");
    assert_true(PROGRAM(&c, &c, NULL, NULL, NULL, &c));
    pmu_start(&pmu);
    assert_int_equal(fake_pmu_value(DEBUGCTL), 0x4001);
    fake_pmu_clear_log();
    pmu.ops->release(&pmu);
    static const struct fake_write want[] = {
        {GLOBAL, 0},
        {SEL0, 0},
        {SEL0 + 1, 0},
        {SEL0 + 2, 0},
        {SEL0 + 3, 0},
        {FIXED_CTRL, 0},
        {PMC0, 0},
        {PMC0 + 1, 0},
        {PMC0 + 2, 0},
        {PMC0 + 3, 0},
        {FIXED0, 0},
        {FIXED0 + 1, 0},
        {FIXED0 + 2, 0},
        {A_PMC0, 0},
        {A_PMC0 + 1, 0x800000000001},
        {A_PMC0 + 2, 0},
        {A_PMC0 + 3, 0},
        {FIXED0, 0},
        {FIXED0 + 1, 0x7654321},
        {FIXED0 + 2, 0},
        {SEL0, 0},
        {SEL0 + 1, 0x1301c2},
        {SEL0 + 2, 0},
        {SEL0 + 3, 0},
        {FIXED_CTRL, 0},
        {DEBUGCTL, 1},
        {GLOBAL, 0xf},
    };
    fake_pmu_assert_log(want, N(want));
}

/* ---- what goes wrong ---- */

TEST_WITH(wrong_counter, on_skylake, NULL)
{
    struct pmu_code misses = code("llc_misses"), ref = code("ref-cycles");
    assert_false(PROGRAM(NULL, NULL, NULL, NULL, &misses));
    assert_string_equal(why, "llc_misses cannot be counted on counter 4");
    assert_false(PROGRAM(&ref));
}

TEST(no_registers)
{
    struct cpu_id id = id_of(&skylake);
    machine(&skylake);
    fake_pmu_reset(&rules);
    probe(&id);
    assert_int_equal(pmu.counters, 7);
    assert_int_equal(pmu.usable, 0);
    assert_int_equal(pmu.state[0], COUNTER_ABSENT);
    assert_false(pmu.rdpmc || pmu.lbr || pmu.freeze_smm);
    struct pmu_code c = code("cycles");
    assert_false(PROGRAM(&c));
    assert_string_equal(why, "MSR 38Fh faults when 0h is written to it");
}

TEST(swallowed)
{
    struct cpu_id id = id_of(&skylake);
    struct pmu_code c;
    machine(&skylake);
    for (unsigned i = 0; i < 4; i++) fake_pmu_fault(SEL0 + i, FAKE_SWALLOWS);
    fake_pmu_fault(FIXED_CTRL, FAKE_SWALLOWS);
    fake_pmu_fault(DEBUGCTL, FAKE_SWALLOWS);
    probe(&id);
    assert_int_equal(pmu.usable, 0);
    assert_int_equal(pmu.state[6], COUNTER_ABSENT);
    assert_false(pmu.freeze_smm); /* it was promised and did not stay */
    c = code("cycles");
    assert_false(PROGRAM(&c));
    assert_string_equal(why, "MSR 186h does not keep the value written to it: 43003Ch became 0h");

    machine(&skylake); /* the gate stays closed */
    fake_pmu_fault(GLOBAL, FAKE_SWALLOWS);
    fake_pmu_msr(GLOBAL, 0);
    probe(&id);
    assert_int_equal(pmu.usable, 0);
    assert_int_equal(pmu.state[0], COUNTER_NOT_ADVANCING);
}

TEST(some_registers)
{
    struct cpu_id id = id_of(&skylake);
    machine(&skylake);
    fake_pmu_fault(SEL0 + 1, FAKE_NO_WRITE);
    fake_pmu_fault(PMC0 + 2, FAKE_STUCK);
    fake_pmu_fault(FIXED0 + 1, FAKE_NO_READ);
    probe(&id);
    assert_int_equal(pmu.usable, 0x7f & ~(1u << 1) & ~(1u << 2) & ~(1u << 5));
    assert_int_equal(pmu.state[2], COUNTER_NOT_ADVANCING);

    machine(&skylake); /* a guest that was given general counters only */
    fake_pmu_fault(FIXED_CTRL, FAKE_NO_WRITE);
    probe(&id);
    assert_int_equal(pmu.usable, 0xf);
    struct pmu_code c = code("cycles");
    assert_true(PROGRAM(&c, &c));
    assert_false(PROGRAM(NULL, NULL, NULL, NULL, NULL, &c));
    assert_string_equal(why, "MSR 38Dh faults when 0h is written to it");
}

TEST(rdpmc)
{
    static const enum fake_rdpmc bad[] = {FAKE_RDPMC_UD, FAKE_RDPMC_ZERO};
    struct cpu_id id = id_of(&skylake);
    for (unsigned i = 0; i < N(bad); i++) {
        machine(&skylake);
        fake_pmu_rdpmc(bad[i]);
        probe(&id);
        assert_int_equal(pmu.usable, 0x7f);
        assert_false(pmu.rdpmc || pmu.user_rdpmc);
    }
}
