/* Intel's counters that stop by themselves: exact writes by version, and registers as they were afterwards.
 */
#include "tests/unit/arch_machines.h"

#define FREEZE_PMC 0x1000u
#define FREEZE_SMM 0x4000u

/* Cycles on fixed counter 1, instructions on counter 0. */
static void programmed(void)
{
    static struct pmu_code instr, cycles;
    instr = code("instructions");
    cycles = code("cycles");
    assert_true(pmu.freezes);
    assert_true(PROGRAM(&instr, NULL, NULL, NULL, NULL, &cycles));
    fake_pmu_clear_log();
    assert_true(pmu.ops->freeze(&pmu, 5, why, sizeof why));
}

/* The overflow of the fixed counter interrupts, and the bit is set beside what is there already. */
TEST_WITH(freeze, on_skylake, NULL)
{
    programmed();
    static const struct fake_write set[] = {{FIXED_CTRL, 0xb0}, {DEBUGCTL, FREEZE_PMC | FREEZE_SMM}};
    fake_pmu_assert_log(set, N(set));
    fake_pmu_clear_log();

    fake_pmu_msr(STATUS, FIXED_BIT(1) | 1ull << 59); /* CTR_FRZ */
    pmu.ops->thaw(&pmu);
    pmu_start(&pmu);
    static const struct fake_write again[] = {
        {GLOBAL, 0}, {ACK, FIXED_BIT(1) | 1ull << 59}, {GLOBAL, FIXED_BIT(1) | 1}};
    fake_pmu_assert_log(again, N(again));
    assert_int_equal(fake_pmu_value(STATUS), 0);

    fake_pmu_clear_log(); /* nothing overflowed: nothing is acknowledged */
    pmu.ops->thaw(&pmu);
    static const struct fake_write none[] = {{GLOBAL, 0}};
    fake_pmu_assert_log(none, N(none));

    fake_pmu_clear_log();
    fake_pmu_msr(STATUS, 1ull << 59);
    pmu.ops->freeze_end(&pmu);
    static const struct fake_write end[] = {{DEBUGCTL, FREEZE_SMM}, {GLOBAL, 0}, {ACK, 1ull << 59}};
    fake_pmu_assert_log(end, N(end));

    fake_pmu_clear_log(); /* once is enough */
    pmu.ops->freeze_end(&pmu);
    fake_pmu_assert_log(NULL, 0);
}

/* A general counter, where there is no fixed one left. */
TEST_WITH(general_counter, on_skylake, NULL)
{
    struct pmu_code cycles = code("cycles");
    assert_true(PROGRAM(NULL, NULL, &cycles));
    fake_pmu_clear_log();
    assert_true(pmu.ops->freeze(&pmu, 2, why, sizeof why));
    static const struct fake_write set[] = {{SEL0 + 2, 0x53003c}, {DEBUGCTL, FREEZE_PMC | FREEZE_SMM}};
    fake_pmu_assert_log(set, N(set));
    assert_false(pmu.ops->freeze(&pmu, 1, why, sizeof why));
    assert_string_equal(why, "nothing is programmed on counter 1");
}

/* The next program() ends it, too, and so does release(), with what the firmware had. */
TEST_WITH(ends, on_skylake, NULL)
{
    struct pmu_code instr = code("instructions");
    programmed();
    assert_true(PROGRAM(&instr));
    assert_int_equal(fake_pmu_value(DEBUGCTL), FREEZE_SMM);
    assert_int_equal(fake_pmu_value(FIXED_CTRL), 0);
    programmed();
    fake_pmu_msr(STATUS, FIXED_BIT(1) | 1ull << 59);
    pmu.ops->release(&pmu);
    assert_int_equal(fake_pmu_value(DEBUGCTL), 0);
    assert_int_equal(fake_pmu_value(STATUS), 0);
    assert_int_equal(fake_pmu_value(GLOBAL), 15);
    assert_int_equal(fake_pmu_value(FIXED_CTRL), 0);
}

/* As the firmware left IA32_DEBUGCTL, less what belongs to interrupts. */
TEST(found)
{
    struct cpu_id id = id_of(&penryn);
    machine(&penryn);
    fake_pmu_msr(DEBUGCTL, 0x1801);
    probe(&id);
    struct pmu_code cycles = code("cycles");
    assert_true(PROGRAM(&cycles));
    assert_true(pmu.ops->freeze(&pmu, 0, why, sizeof why));
    assert_int_equal(fake_pmu_value(DEBUGCTL), 1 | FREEZE_PMC | FREEZE_SMM * pmu.freeze_smm);
    pmu.ops->freeze_end(&pmu);
    assert_int_equal(fake_pmu_value(DEBUGCTL), 1 | FREEZE_SMM * pmu.freeze_smm);
    pmu.ops->release(&pmu);
    assert_int_equal(fake_pmu_value(DEBUGCTL), 0x1801);
}

TEST_WITH(cannot, on_yonah, NULL)
{
    struct pmu_code cycles = code("cycles");
    assert_false(pmu.freezes);
    assert_true(PROGRAM(&cycles));
    fake_pmu_clear_log();
    assert_false(pmu.ops->freeze(&pmu, 0, why, sizeof why));
    assert_string_equal(why, "this CPU's counters do not stop by themselves");
    fake_pmu_assert_log(NULL, 0);
}

/* A hypervisor that drops the bit is found out. */
TEST_WITH(dropped, on_skylake, NULL)
{
    struct pmu_code cycles = code("cycles");
    assert_true(PROGRAM(&cycles));
    fake_pmu_fault(DEBUGCTL, FAKE_SWALLOWS);
    assert_false(pmu.ops->freeze(&pmu, 0, why, sizeof why));
    assert_non_null(strstr(why, "1D9h"));
}

/* Which counters stop late: by nanoBench, and all that has Golden Cove's core or one made of it. */
TEST(late)
{
    static const struct {
        unsigned model;
        uint32_t eax, late;
    } rows[] = {{23, 0x07280202, 0},        {42, 0x07300403, 0},        {0x3a, 0x07300403, 1 << 1},
                {0x3c, 0x07300403, 1 << 1}, {0x5e, 0x07300404, 1 << 1}, {0x7e, 0x08300805, 0},
                {0x97, 0x08300805, 1 << 0}, {0x9a, 0x08300805, 1 << 0}, {0xb7, 0x08300805, 1 << 0},
                {0xba, 0x08300805, 1 << 0}, {0xbf, 0x08300805, 1 << 0}, {0x8f, 0x08300805, 1 << 0},
                {0xcf, 0x08300805, 1 << 0}, {0xad, 0x08300805, 1 << 0}, {0xae, 0x08300805, 1 << 0},
                {0xaa, 0x08300805, 1 << 0}, {0xac, 0x08300805, 1 << 0}, {0xb5, 0x08300805, 1 << 0},
                {0x6a, 0x08300805, 0},      {0x8c, 0x08300805, 0},      {0xbe, 0x08300805, 0},
                {0x5c, 0x07300404, 1 << 1}};
    for (unsigned i = 0; i < N(rows); i++) {
        struct part p = (rows[i].eax & 0xff) == 5 ? ice_lake : (rows[i].eax & 0xff) == 2 ? penryn : sandy;
        p.model = rows[i].model;
        p.eax = rows[i].eax;
        start_on(&p);
        if (pmu.freezes_late != rows[i].late)
            fail_msg("model %xh: %x, not %x", rows[i].model, (unsigned)pmu.freezes_late,
                     (unsigned)rows[i].late);
    }
}
