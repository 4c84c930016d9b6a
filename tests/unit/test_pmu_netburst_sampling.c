/* NetBurst's driver, interrupts: periods, which counter has overflowed, and PEBS. */
#include "pmu/pebs.h"
#include "tests/unit/netburst_machines.h"
#include "tests/unit/sole_drive.h"

/* ---- interrupts ---- */

TEST_WITH(arming, northwood, NULL)
{
    struct pmu_code c = code("uops_retired:u"), forced = code("uops_retired:force_ovf");
    assert_false(arm(12, 100));
    assert_non_null(strstr(why, "nothing is programmed"));
    assert_true(program_one(&c, 12));
    assert_false(arm(12, 0));
    assert_false(arm(12, 1ull << 31));
    assert_false(arm(12, 1));
    assert_non_null(strstr(why, "force_ovf"));
    assert_true(arm(12, (1ull << 31) - 1));
    assert_int_equal(fake_pmu_value(CTR0 + 12), 0x10000000000ull - 0x7ffffffe);
    assert_true(arm(12, 100000));
    assert_int_equal(fake_pmu_value(CTR0 + 12), 0x10000000000ull - 99999); /* 18.15.5.8: -N + 1 */
    assert_int_equal(NETBURST_PRESET(100000), 0x10000000000ull - 99999);
    assert_int_equal(pmu.netburst.counter[12].cccr, 0x04039000);
    assert_true(program_one(&forced, 12));
    assert_false(arm(12, 2));
    assert_non_null(strstr(why, "a period of 1"));
    assert_true(arm(12, 1));
    assert_int_equal(fake_pmu_value(CTR0 + 12), 0xffffffffffull);
    assert_true(program_one(&c, 12)); /* nothing is left of it */
    assert_int_equal(pmu.sampling, 0);
    assert_int_equal(pmu.period[12], 0);

    /* erratum: F2xh, and F0xh and F1xh after stepping 9 */
    static const struct {
        unsigned model, stepping;
        bool mute;
    } cpus[] = {{0, 9, false}, {1, 10, true}, {2, 4, true}, {2, 9, true}, {3, 4, false}, {6, 2, false}};
    for (unsigned i = 0; i < N(cpus); i++) {
        plug(cpus[i].model, cpus[i].stepping);
        assert_true(cascade("instr_retired+>uops_retired"));
        const struct pmu_code *codes[PMU_COUNTERS] = {[12] = &half[0], [14] = &half[1]};
        assert_true(program(codes) && arm(12, 10));
        assert_int_equal(arm(14, 10), !cpus[i].mute);
        if (cpus[i].mute) assert_non_null(strstr(why, "erratum"));
    }
}

TEST_WITH(overflows, northwood, NULL)
{
    struct pmu_code a = code("uops_retired:u"), b = code("instr_retired:u"), c = code("cycles");
    const struct pmu_code *codes[PMU_COUNTERS] = {[12] = &a, [15] = &b, [0] = &c};
    assert_true(program(codes) && arm(12, 1000) && arm(15, 2000));
    pmu_start(&pmu);
    fake_pmu_clear_log();
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 0); /* somebody else's interrupt */
    fake_pmu_assert_pmi_only();

    fake_pmu_msr(CCCR0 + 12, 0x84039000);
    fake_pmu_msr(CTR0 + 12, 3);
    fake_pmu_msr(CCCR0 + 0, 0x8003d000); /* it counts, and does not sample */
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 1 << 12);
    static const struct fake_write want[] = {{CCCR0 + 12, 0x04038000},
                                             {CTR0 + 12, 0x10000000000ull - 999},
                                             {CCCR0 + 12, 0x04039000},
                                             FAKE_PMI_AGAIN};
    fake_pmu_assert_log(want, N(want));

    fake_pmu_msr(CTR0 + 15, 1); /* past zero without OVF */
    fake_pmu_clear_log();
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 1 << 15);
    assert_int_equal(fake_pmu_value(CTR0 + 15), 0x10000000000ull - 1999);
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 0);
}

/* One counter that interrupts, whichever, by its OVF in its own CCCR: the short way writes the same. */
TEST_WITH(sole, northwood, NULL)
{
    for (unsigned i = 0; i < NETBURST_COUNTERS; i++) {
        if (i == 1) continue; /* erratum */
        struct pmu_code c = code(i < 4    ? "cycles"
                                 : i < 8  ? "tc_deliver_mode"
                                 : i < 12 ? "memory_complete"
                                          : "uops_retired");
        assert_true(program_one(&c, i) && arm(i, 1000));
        pmu_start(&pmu);
        const uint32_t cccr = pmu.netburst.counter[i].cccr;
        if (i) fake_pmu_msr(CCCR0 - i, 1u << 31); /* another register, whatever it holds */
        fake_pmu_msr(CCCR0 + i, cccr);
        fake_pmu_clear_log();
        assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 0);
        fake_pmu_assert_pmi_only();
        fake_pmu_msr(CCCR0 + i, 1u << 31 | cccr);
        assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 1u << i);
        const struct fake_write want[] = {{CCCR0 + i, cccr & ~0x1000u},
                                          {CTR0 + i, 0x10000000000ull - 999},
                                          {CCCR0 + i, cccr},
                                          FAKE_PMI_AGAIN};
        fake_pmu_assert_log(want, N(want));
        fake_pmu_clear_log();
        assert_false(sole_overflowed(&pmu));
        fake_pmu_assert_log(want, 0);
        fake_pmu_msr(CCCR0 + i, 1u << 31 | cccr);
        assert_true(sole_overflowed(&pmu));
        fake_pmu_assert_log(want, N(want));
    }
    struct pmu_code forced = code("uops_retired:force_ovf");
    assert_true(program_one(&forced, 12) && arm(12, 1));
    fake_pmu_msr(CCCR0 + 12, 1u << 31 | pmu.netburst.counter[12].cccr);
    assert_true(sole_overflowed(&pmu));
    assert_int_equal(fake_pmu_value(CTR0 + 12), 0xffffffffff);
    struct pmu_code c = code("uops_retired");
    const struct pmu_code *codes[PMU_COUNTERS] = {[12] = &c, [14] = &c};
    assert_true(program(codes) && arm(12, 1000) && arm(14, 1000));
    assert_true(no_sole(&pmu));
}

/* ---- PEBS ---- */

static bool pebs(const struct pmu_code *c, unsigned counter)
{
    const struct pebs buffer = {.ds = (uint8_t *)0x200000};
    return pmu.ops->pebs_arm(&pmu, counter, c, &buffer, why, sizeof why);
}

TEST_WITH(precise, northwood, NULL)
{
    struct pmu_code l1 = code("1stl_cache_load_miss_retired:u"), loads = code("memory_loads"),
                    instr = code("instr_retired");
    assert_true(program_one(&l1, 16));
    assert_false(pebs(&l1, 16));
    assert_non_null(strstr(why, "period"));
    assert_true(arm(16, 100000));
    fake_pmu_clear_log();
    assert_true(pebs(&l1, 16));
    static const struct fake_write want[] = {{DS, 0x200000}, {ENABLE, 0x03000001}};
    fake_pmu_assert_log(want, N(want));
    pmu_start(&pmu);
    fake_pmu_clear_log();
    fake_pmu_msr(CTR0 + 16, 5); /* the hardware reloads it: hands off */
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 0);
    fake_pmu_assert_pmi_only();
    fake_pmu_msr(CCCR0 + 16, 0x8403b000);
    assert_int_equal(pmu.ops->overflowed(&pmu, &fake_pmi), 1 << 16);
    static const struct fake_write cleared[] = {{CCCR0 + 16, 0x0403b000}, FAKE_PMI_AGAIN};
    fake_pmu_assert_log(cleared, 2);
    pmu.ops->pebs_stop(&pmu);
    assert_int_equal(fake_pmu_value(ENABLE), 0x01000001); /* still tagging */

    assert_true(program_one(&l1, 17) && arm(17, 10));
    assert_false(pebs(&l1, 17));
    assert_string_equal(why, "PEBS works on counter 16 only, not on counter 17");
    assert_true(program_one(&instr, 16) && arm(16, 10));
    assert_false(pebs(&instr, 16));
    assert_non_null(strstr(why, "not instr_retired"));
    const struct pmu_code *two[PMU_COUNTERS] = {[16] = &l1, [15] = &loads};
    assert_true(program(two) && arm(16, 10));
    assert_false(pebs(&l1, 16));
    assert_non_null(strstr(why, "one tagging mechanism"));
    const struct pmu_code *beside[PMU_COUNTERS] = {[16] = &l1, [15] = &instr};
    assert_true(program(beside) && arm(16, 10) && pebs(&l1, 16));

    threads(1); /* the other logical processor has the other counter */
    assert_true(program_one(&l1, 17) && arm(17, 10) && pebs(&l1, 17));

    struct cpu_id id = intel(2, 9);
    machine(2);
    fake_pmu_msr(MISC, 0x1080);
    assert_true(pmu_probe(&id, &pmu));
    assert_true(program_one(&l1, 16) && arm(16, 10));
    assert_false(pebs(&l1, 16));
    assert_string_equal(why, "this CPU has no PEBS");
}
