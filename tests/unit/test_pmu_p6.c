/* The P6 family's driver against registers: exact writes in their order, restoring, and hardware that
 * misbehaves. */
#include "pmu/p6.h"
#include "tests/unit/drive_pmu.h"
#include "tests/unit/fake_pmu.h"
#include "tests/unit/unit.h"
#include <string.h>

/* Numbers from the SDM (vol. 3B, order 325384-059, 18.22 and table 35-46), not from the driver's header. */
enum { CTR0 = 0xc1, CTR1 = 0xc2, SEL0 = 0x186, SEL1 = 0x187, DEBUGCTL = 0x1d9, MISC = 0x1a0 };

/* CPL 0: OS in the counter's own select, EN in that of counter 0. */
static bool counting(unsigned i)
{
    return fake_pmu_value(SEL0) >> 22 & 1 && fake_pmu_value(i ? SEL1 : SEL0) >> 17 & 1;
}

/* 18.22.2: a counter takes 32 bits, bits 39:32 copy bit 31. */
static uint64_t store(uint32_t msr, uint64_t value)
{
    if (msr != CTR0 && msr != CTR1) return value;
    return (uint32_t)value | (value >> 31 & 1 ? 0xff00000000ull : 0);
}
static const struct fake_pmu_rules rules = {{CTR0, CTR1}, counting, store};

static struct cpu_id intel(unsigned model, unsigned stepping)
{
    return (struct cpu_id){.vendor = "GenuineIntel", .family = 6, .model = model, .stepping = stepping};
}

/* A machine on which somebody was counting. */
static void machine(void)
{
    fake_pmu_reset(&rules);
    fake_pmu_msr(CTR0, 0xff80000001ull);
    fake_pmu_msr(CTR1, 77);
    fake_pmu_msr(SEL0, 0x5300c0);
    fake_pmu_msr(SEL1, 0x130079);
    fake_pmu_msr(DEBUGCTL, 0);
    fake_pmu_rdpmc(FAKE_RDPMC_READS);
}

static int p3(void **state)
{
    (void)state;
    struct cpu_id id = intel(8, 6);
    machine();
    probe(&id);
    fake_pmu_clear_log();
    return 0;
}

/* ---- detection ---- */

TEST(models)
{
    static const struct {
        unsigned model;
        const char *name, *own; /* an event that others lack */
    } want[] = {{0, "Pentium Pro", "inst_retired"},
                {1, "Pentium Pro", "inst_retired"},
                {3, "Pentium II", "mmx_instr_exec"},
                {5, "Pentium II", "mmx_instr_exec"},
                {6, "Pentium II", "mmx_instr_exec"},
                {7, "Pentium III", "emon_kni_inst_retired:scalar"},
                {8, "Pentium III", "emon_kni_inst_retired:scalar"},
                {10, "Pentium III", "emon_kni_inst_retired:scalar"},
                {11, "Pentium III", "emon_kni_inst_retired:scalar"}};
    for (unsigned i = 0; i < N(want); i++) {
        struct cpu_id id = intel(want[i].model, 9);
        machine();
        probe(&id);
        assert_string_equal(pmu.ops->family, "P6");
        assert_string_equal(pmu.model, want[i].name);
        code(want[i].own);
        assert_int_equal(pmu.counters, 2);
        assert_int_equal(pmu.width, 40);
        assert_int_equal(pmu.usable, 3);
        assert_true(pmu.rdpmc && pmu.user_rdpmc && pmu.lbr);
        assert_false(pmu.pebs || pmu.ds || pmu.ibs);
        assert_int_equal(pmu.counter_msr[0], CTR0);
        assert_int_equal(pmu.counter_msr[1], CTR1);
    }
}

/* Pentium M says in 1A0h bit 7 whether there are counters. */
TEST(pentium_m)
{
    static const unsigned dothan[] = {9, 13};
    for (unsigned i = 0; i < N(dothan); i++) {
        struct cpu_id id = intel(dothan[i], 6);
        id.f1_edx = 1u << 21;
        machine();
        fake_pmu_msr(MISC, 1u << 7);
        probe(&id);
        assert_string_equal(pmu.model, "Pentium M");
        assert_int_equal(pmu.usable, 3);
        assert_true(pmu.ds);
        code("emon_esp_uops");

        machine();
        fake_pmu_msr(MISC, 0);
        fake_pmu_clear_log();
        probe(&id);
        assert_int_equal(pmu.counters, 0);
        assert_int_equal(pmu.usable, 0);
        assert_false(pmu.rdpmc);
        pmu.ops->release(&pmu);
        fake_pmu_assert_log(NULL, 0); /* hands off */
    }
}

TEST(not_ours)
{
    struct cpu_id yonah = intel(14, 8), core2 = intel(15, 2), k7 = intel(8, 1), p4 = intel(2, 9);
    strcpy(k7.vendor, "AuthenticAMD");
    p4.family = 15;
    machine();
    assert_false(pmu_probe(&yonah, &pmu));
    assert_false(pmu_probe(&core2, &pmu));
    assert_false(pmu_p6_ops.detect(&k7, &pmu));
    assert_false(pmu_p6_ops.detect(&p4, &pmu));
    assert_null(pmu.ops);
}

TEST(erratum_26)
{
    static const struct {
        unsigned model, stepping;
        bool user;
    } want[] = {{1, 8, false}, {1, 9, true}, {0, 1, false}, {3, 3, true}, {8, 1, true}};
    for (unsigned i = 0; i < N(want); i++) {
        struct cpu_id id = intel(want[i].model, want[i].stepping);
        machine();
        probe(&id);
        assert_true(pmu.rdpmc);
        assert_int_equal(pmu.user_rdpmc, want[i].user);
    }
}

TEST(rdpmc)
{
    static const enum fake_rdpmc bad[] = {FAKE_RDPMC_UD, FAKE_RDPMC_ZERO};
    struct cpu_id id = intel(8, 6);
    for (unsigned i = 0; i < N(bad); i++) {
        machine();
        fake_pmu_rdpmc(bad[i]);
        probe(&id);
        assert_int_equal(pmu.usable, 3);
        assert_false(pmu.rdpmc || pmu.user_rdpmc);
    }
}

TEST_WITH(probe_leaves_no_trace, p3, NULL)
{
    (void)state; /* p3() probed */
    assert_int_equal(fake_pmu_value(SEL0), 0x5300c0);
    assert_int_equal(fake_pmu_value(SEL1), 0x130079);
    assert_int_equal(fake_pmu_value(CTR0), 0xff80000001ull);
    assert_int_equal(fake_pmu_value(CTR1), 77);
}

/* ---- programming ---- */

TEST_WITH(single_enable, p3, NULL)
{
    struct pmu_code instr = code("inst_retired:k"), loads = code("l2_ld:m:e:edge:cmask=2:inv:u");
    assert_true(PROGRAM(&instr, &loads));
    pmu_start(&pmu);
    pmu_stop(&pmu);
    static const struct fake_write want[] = {
        {SEL0, 0},          {SEL1, 0}, /* stopped, nothing stale */
        {CTR0, 0},          {CTR1, 0},
        {SEL1, 0x02850c29}, /* CMASK 2, INV, E, USR, unit mask M and E; bit 22 is reserved here */
        {SEL0, 0x000200c0}, /* not enabled yet */
        {SEL0, 0x004200c0}, /* one bit starts both */
        {SEL0, 0x000200c0},
    };
    fake_pmu_assert_log(want, N(want));
}

/* Counter 1 alone: EvtSel0 has to enable it and must not count itself. */
TEST_WITH(counter_1_alone, p3, NULL)
{
    struct pmu_code mul = code("mul");
    assert_true(PROGRAM(NULL, &mul));
    pmu_start(&pmu);
    static const struct fake_write want[] = {{SEL0, 0}, {SEL1, 0},       {CTR0, 0},
                                             {CTR1, 0}, {SEL1, 0x30012}, {SEL0, 0x400000}};
    fake_pmu_assert_log(want, N(want));
    hw_rdtsc();
    assert_int_equal(pmu.ops->read(&pmu, 0), 0);
    assert_int_equal(pmu.ops->read(&pmu, 1), 7);

    struct pmu_code flops = code("flops"); /* the next group uses counter 0 only */
    assert_true(PROGRAM(&flops, NULL));
    assert_int_equal(fake_pmu_value(SEL1), 0);
    assert_true(PROGRAM(NULL, NULL));
    pmu_start(&pmu);
    hw_rdtsc();
    assert_int_equal(pmu.ops->read(&pmu, 0), 0);
    assert_int_equal(pmu.ops->read(&pmu, 1), 0);
}

TEST_WITH(counts_and_reads, p3, NULL)
{
    struct pmu_code kernel = code("instructions:k"), user = code("instructions:u");
    assert_true(PROGRAM(&kernel, &user));
    hw_rdtsc();
    assert_int_equal(pmu.ops->read(&pmu, 0), 0);
    pmu_start(&pmu);
    for (unsigned i = 0; i < 10; i++) hw_rdtsc();
    assert_int_equal(pmu.ops->read(&pmu, 0), 70);
    pmu_stop(&pmu);
    hw_rdtsc();
    assert_int_equal(pmu.ops->read(&pmu, 0), 70);
    assert_int_equal(pmu.ops->read(&pmu, 1), 0);
    fake_pmu_msr(CTR1, 0x123456789abcdefull);
    assert_int_equal(pmu.ops->read(&pmu, 1), 0x6789abcdefull);
}

TEST_WITH(release, p3, NULL)
{
    struct pmu_code a = code("flops"), b = code("mul");
    assert_true(PROGRAM(&a, &b));
    pmu_start(&pmu);
    fake_pmu_clear_log();
    pmu.ops->release(&pmu);
    static const struct fake_write want[] = {
        {SEL0, 0}, {CTR0, 0x80000001}, {CTR1, 77}, {SEL1, 0x130079}, {SEL0, 0x5300c0}};
    fake_pmu_assert_log(want, N(want));
    assert_int_equal(fake_pmu_value(CTR0), 0xff80000001ull); /* through the sign */
    assert_int_equal(pmu.p6.select[0] | pmu.p6.select[1], 0);
}

/* ---- what goes wrong ---- */

TEST_WITH(wrong_counter, p3, NULL)
{
    struct pmu_code flops = code("flops"), mul = code("mul");
    assert_false(PROGRAM(&mul, &flops));
    assert_string_equal(why, "mul cannot be counted on counter 0");
    assert_true(PROGRAM(&flops, &mul));
}

TEST(no_registers)
{
    struct cpu_id id = intel(8, 6);
    fake_pmu_reset(&rules);
    fake_pmu_rdpmc(FAKE_RDPMC_UD);
    probe(&id);
    assert_int_equal(pmu.usable, 0);
    assert_int_equal(pmu.state[0], COUNTER_ABSENT);
    assert_int_equal(pmu.state[1], COUNTER_ABSENT);
    assert_false(pmu.rdpmc || pmu.user_rdpmc || pmu.lbr);
    struct pmu_code c = code("cycles");
    assert_false(PROGRAM(&c, NULL));
    assert_string_equal(why, "MSR 186h faults when 0h is written to it");
}

TEST(deaf_registers)
{
    static const uint32_t all[] = {CTR0, CTR1, SEL0, SEL1};
    struct cpu_id id = intel(8, 6);
    machine();
    for (unsigned i = 0; i < N(all); i++) fake_pmu_fault(all[i], FAKE_SWALLOWS);
    probe(&id);
    assert_int_equal(pmu.usable, 0);
    assert_int_equal(pmu.state[1], COUNTER_ABSENT);
    assert_false(pmu.rdpmc);
    struct pmu_code c = code("cycles");
    assert_false(PROGRAM(&c, NULL));
    assert_string_equal(why, "MSR 186h does not keep the value written to it: 30079h became 0h");
}

TEST(stuck_counter)
{
    struct cpu_id id = intel(8, 6);
    machine();
    fake_pmu_fault(CTR1, FAKE_STUCK);
    probe(&id);
    assert_int_equal(pmu.state[0], COUNTER_OK);
    assert_int_equal(pmu.state[1], COUNTER_NOT_ADVANCING);
    assert_int_equal(pmu.usable, 1);
}

TEST(one_select_faults)
{
    struct cpu_id id = intel(8, 6);
    machine();
    fake_pmu_fault(SEL1, FAKE_NO_WRITE);
    probe(&id);
    assert_int_equal(pmu.state[0], COUNTER_OK);
    assert_int_equal(pmu.state[1], COUNTER_ABSENT);
    struct pmu_code c = code("cycles");
    assert_false(PROGRAM(&c, &c));
    assert_string_equal(why, "MSR 187h faults when 0h is written to it");
    assert_true(PROGRAM(&c, NULL));

    machine(); /* EvtSel0 holds the only enable bit: without it there is nothing */
    fake_pmu_fault(SEL0, FAKE_NO_WRITE);
    probe(&id);
    assert_int_equal(pmu.usable, 0);
    assert_int_equal(pmu.state[1], COUNTER_ABSENT);

    machine();
    fake_pmu_fault(CTR0, FAKE_NO_WRITE);
    probe(&id);
    assert_int_equal(pmu.state[0], COUNTER_ABSENT);
    assert_int_equal(pmu.state[1], COUNTER_OK);
}
