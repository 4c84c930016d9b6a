/* NetBurst's driver against registers: exact writes in their order, tags, cascades, interrupts and PEBS, and
 * hardware that misbehaves. */
#include "tests/unit/netburst_machines.h"

/* ---- registers ---- */

/* All CCCRs stopped, all ESCRs written, all counters zero, then what is used. */
static void exact_writes(void **state)
{
    (void)state;
    struct pmu_code instr = code("instr_retired:u"), cycles = code("cycles");
    const struct pmu_code *codes[PMU_COUNTERS] = {[12] = &instr, [2] = &cycles};
    assert_true(program(codes));
    pmu.ops->start(&pmu);
    pmu.ops->stop(&pmu);
    const struct fake_write *log;
    size_t n = fake_pmu_log(&log), at = 0;
    bool seen[0x42] = {false};
    assert_int_equal(n, 18 + 43 + 2 + 18 + 2 + 2 + 2);
    for (unsigned i = 0; i < 18; i++, at++) {
        assert_int_equal(log[at].msr, CCCR0 + i);
        assert_int_equal(log[at].value, 0x30000);
    }
    for (unsigned i = 0; i < 43; i++, at++) {
        assert_in_range(log[at].msr, 0x3a0, 0x3e1);
        assert_false(seen[log[at].msr - 0x3a0]);
        seen[log[at].msr - 0x3a0] = true;
        assert_int_equal(log[at].value, log[at].msr == 0x3b8   ? 0x04000604
                                        : log[at].msr == 0x3a3 ? 0x2600020c
                                                               : 0);
    }
    assert_false(seen[0x1a] || seen[0x1b] || seen[0x1f]);
    assert_true(log[at].msr == ENABLE && log[at].value == 0);
    assert_true(log[at + 1].msr == VERT && log[at + 1].value == 0);
    at += 2;
    for (unsigned i = 0; i < 18; i++, at++) assert_true(log[at].msr == CTR0 + i && log[at].value == 0);
    static const struct fake_write rest[] = {{CCCR0 + 2, 0x3c000}, {CCCR0 + 12, 0x38000},  /* selected */
                                             {CCCR0 + 2, 0x3d000}, {CCCR0 + 12, 0x39000},  /* start */
                                             {CCCR0 + 2, 0x3c000}, {CCCR0 + 12, 0x38000}}; /* stop */
    for (unsigned i = 0; i < N(rest); i++, at++) {
        assert_int_equal(log[at].msr, rest[i].msr);
        assert_int_equal(log[at].value, rest[i].value);
    }
}

static void counts_and_reads(void **state)
{
    (void)state;
    struct pmu_code kernel = code("instr_retired:k"), user = code("uops_retired:u");
    const struct pmu_code *codes[PMU_COUNTERS] = {[12] = &kernel, [14] = &user};
    assert_true(program(codes));
    hw_rdtsc();
    assert_int_equal(pmu.ops->read(&pmu, 12), 0);
    pmu.ops->start(&pmu);
    for (unsigned i = 0; i < 10; i++) hw_rdtsc();
    pmu.ops->stop(&pmu);
    hw_rdtsc();
    assert_int_equal(pmu.ops->read(&pmu, 12), 70);
    assert_int_equal(pmu.ops->read(&pmu, 14), 0);
    fake_pmu_msr(CTR0 + 14, 0xfff123456789abull);
    assert_int_equal(pmu.ops->read(&pmu, 14), 0x23456789abull);
}

/* What the probe and release() leave behind is what was found. */
static void no_trace(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(fake_pmu_value(0x3b8), 0x04000204);
        assert_int_equal(fake_pmu_value(CCCR0 + 12), 0x39000);
        assert_int_equal(fake_pmu_value(CCCR0 + 3), 0x30000);
        for (unsigned i = 0; i < 18; i++) assert_int_equal(fake_pmu_value(CTR0 + i), 0x1234500000ull + i);
        assert_int_equal(fake_pmu_value(DS), 0xabc000);
        struct pmu_code c = code("split_load_retired");
        assert_true(program_one(&c, 16));
        pmu.ops->start(&pmu);
        assert_int_equal(fake_pmu_value(ENABLE), 0x01000400);
        pmu.ops->release(&pmu);
        assert_int_equal(fake_pmu_value(ENABLE), 0);
        assert_int_equal(fake_pmu_value(0x3af), 0);
        const struct fake_write *log;
        size_t n = fake_pmu_log(&log);
        assert_in_range(log[n - 1].msr, CCCR0, CCCR0 + 17); /* last: they start counters */
    }
}

/* ---- tagging ---- */

static void tagging(void **state)
{
    (void)state;
    struct pmu_code sp = code("packed_sp_retired"), dp = code("packed_dp_retired:bogus"),
                    loads = code("memory_loads"), l1 = code("1stl_cache_load_miss_retired");
    const struct pmu_code *codes[PMU_COUNTERS] = {[12] = &sp, [14] = &dp};
    assert_true(program(codes));
    /* two kinds, two upstream ESCRs, two tag values, and the downstream masks that belong to them */
    uint32_t up[2] = {(uint32_t)fake_pmu_value(0x3a4), (uint32_t)fake_pmu_value(0x3a5)};
    unsigned first = up[0] >> 25 == 0x08 ? 0 : 1;
    assert_int_equal(up[first] >> 25, 0x08);
    assert_int_equal(up[!first] >> 25, 0x0c);
    unsigned tag_sp = up[first] >> 5 & 15, tag_dp = up[!first] >> 5 & 15;
    assert_int_equal(up[0] & up[1] & 0x10, 0x10);
    assert_int_equal(tag_sp & tag_dp, 0);
    assert_int_equal(fake_pmu_value(0x3cc), 0x1800000cu | tag_sp << 9);
    assert_int_equal(fake_pmu_value(0x3cd), 0x1800000cu | tag_dp << 13);
    assert_int_equal(up[first], 0x1100001cu | tag_sp << 5);
    /* a counter of the upstream ESCRs runs, so that they have power */
    assert_true((pmu.armed[8] | pmu.armed[9]) & 1 << 12 && (pmu.armed[10] | pmu.armed[11]) & 1 << 12);

    assert_true(program_one(&loads, 17));
    assert_int_equal(fake_pmu_value(0x3cd), 0x1000020c);
    assert_int_equal(fake_pmu_value(0x3bc) | fake_pmu_value(0x3bd), 0x0400040c);
    assert_int_equal(fake_pmu_value(0x3a4) | fake_pmu_value(0x3a5), 0); /* nothing tags any more */

    assert_true(program_one(&l1, 12));
    assert_int_equal(fake_pmu_value(0x3cc), 0x1200020c);
    assert_int_equal(fake_pmu_value(ENABLE), 0x01000001);
    assert_int_equal(fake_pmu_value(VERT), 1);
    assert_int_equal(fake_pmu_value(0x3bc) | fake_pmu_value(0x3bd), 0);
    assert_true(program_one(&sp, 12));
    assert_int_equal(fake_pmu_value(ENABLE), 0);
    assert_int_equal(fake_pmu_value(VERT), 0);
}

/* IOQ_active_entries: its masks in both ESCRs (table 19-28). */
static void companions(void **state)
{
    (void)state;
    struct pmu_code ioq = code("ioq_active_entries:u"), bsq = code("bsq_active_entries:0x40");
    const struct pmu_code *codes[PMU_COUNTERS] = {[2] = &ioq, [3] = &bsq};
    assert_true(program(codes));
    assert_int_equal(fake_pmu_value(0x3a3), 0x34000004u | 0xafe1 << 9);
    assert_int_equal(fake_pmu_value(0x3a2), 0x06000004u | 0xafe1 << 9);
    assert_int_equal(fake_pmu_value(0x3a1), 0x0c00000cu | 0x40 << 9);
    assert_int_equal(fake_pmu_value(0x3a0), 0x0a00000cu | 0x40 << 9);
}

static void refused_programs(void **state)
{
    (void)state;
    struct pmu_code a = code("instr_retired"), b = code("uops_retired"),
                    l1 = code("1stl_cache_load_miss_retired"), tlb = code("dtlb_load_miss_retired"),
                    cycles = code("cycles");
    const struct pmu_code *one_escr[PMU_COUNTERS] = {[12] = &a, [13] = &b};
    const struct pmu_code *two_escrs[PMU_COUNTERS] = {[12] = &a, [14] = &b};
    const struct pmu_code *same[PMU_COUNTERS] = {[12] = &a, [13] = &a};
    const struct pmu_code *replays[PMU_COUNTERS] = {[12] = &l1, [14] = &tlb};
    assert_false(program(one_escr));
    assert_non_null(strstr(why, "one ESCR"));
    assert_true(program(two_escrs));
    assert_true(program(same)); /* one selection may be counted twice */
    assert_false(program(replays));
    assert_false(program_one(&a, 0));
    assert_string_equal(why, "instr_retired cannot be counted on counter 0");
    assert_false(program_one(&cycles, 1)); /* erratum */
    assert_string_equal(why, "cycles cannot be counted on counter 1");
}

/* ---- cascades ---- */

static struct pmu_code half[2];
static bool cascade(const char *word)
{
    return pmu_cascade_parse(&pmu, word, strlen(word), half, got.why, sizeof got.why, got.near,
                             sizeof got.near);
}

static void cascades(void **state)
{
    (void)state;
    assert_true(cascade("instr_retired:u+>uops_retired:u"));
    assert_string_equal(half[0].name, "instr_retired:u+>uops_retired:u");
    assert_string_equal(half[1].name, half[0].name);
    const struct pmu_code *codes[PMU_COUNTERS] = {[12] = &half[0], [14] = &half[1]};
    assert_true(program(codes));
    assert_int_equal(pmu.armed[12] & 0xffffffff, 0x39000);
    assert_int_equal(pmu.armed[14] & 0xffffffff, 0x40038000); /* CASCADE, not ENABLE */
    assert_true(arm(12, 1000) && arm(14, 50));
    assert_int_equal(fake_pmu_value(CTR0 + 12), 0x10000000000ull - 1000); /* overflows at its last event */
    assert_int_equal(fake_pmu_value(CTR0 + 14), 0x10000000000ull - 49);   /* interrupts with the next */
    assert_int_equal(pmu.sampling, 1 << 14);                              /* the starter does not */
    assert_int_equal(pmu.armed[12] >> 26 & 3, 0);
    fake_pmu_clear_log();
    pmu.ops->start(&pmu);
    static const struct fake_write want[] = {{CCCR0 + 14, 0x44038000}, {CCCR0 + 12, 0x39000}};
    fake_pmu_assert_log(want, N(want));

    /* B has overflowed: it stops, A is wound up again, and only then waits B for it */
    fake_pmu_msr(CCCR0 + 12, 0x80039000);
    fake_pmu_msr(CCCR0 + 14, 0xc4038000);
    fake_pmu_clear_log();
    assert_int_equal(pmu.ops->overflowed(&pmu), 1 << 14);
    static const struct fake_write again[] = {{CCCR0 + 14, 0x04038000}, {CTR0 + 14, 0x10000000000ull - 49},
                                              {CCCR0 + 12, 0x00038000}, {CTR0 + 12, 0x10000000000ull - 1000},
                                              {CCCR0 + 14, 0x44038000}, {CCCR0 + 12, 0x00039000}};
    fake_pmu_assert_log(again, N(again));

    /* pairs: 18.15.5.6; bit 11 of the target's CCCR on models that have it */
    const struct pmu_code *wrong[PMU_COUNTERS] = {[12] = &half[0], [16] = &half[1]};
    assert_false(program(wrong));
    assert_non_null(strstr(why, "cannot start"));
    const struct pmu_code *extended[PMU_COUNTERS] = {[17] = &half[0], [16] = &half[1]};
    assert_true(program(extended));
    assert_int_equal(pmu.armed[16] & 0xffffffff, 0x38800);
    plug(1, 2);
    assert_true(cascade("instr_retired:u+>uops_retired:u"));
    assert_false(program(extended));
    const struct pmu_code *plain[PMU_COUNTERS] = {[15] = &half[0], [17] = &half[1]};
    assert_false(program(plain)); /* one ESCR for two events */
    assert_true(cascade("instr_retired:u+>instr_retired:u"));
    assert_true(program(plain));

    assert_false(cascade("instr_retired+>cycles"));
    assert_non_null(strstr(got.why, "no counter of instr_retired can start one of cycles"));
    assert_false(cascade("instr_retired"));
    assert_non_null(strstr(got.why, "A+>B"));
    assert_false(cascade("nothing+>cycles"));
    assert_false(cascade("+>"));
}

static void every_cascade_pair(void **state)
{
    (void)state;
    /* 18.15.5.6: both ways; one way; table 18-65 */
    static const uint8_t both[][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}};
    static const uint8_t once[][2] = {{14, 16}, {15, 17}},
                         more[][2] = {{16, 12}, {17, 15}, {17, 16}, {16, 17}};
    uint32_t want[18][18] = {{0}};
    for (unsigned i = 0; i < N(both); i++)
        want[both[i][0]][both[i][1]] = want[both[i][1]][both[i][0]] = 1u << 30;
    for (unsigned i = 0; i < N(once); i++) want[once[i][0]][once[i][1]] = 1u << 30;
    for (unsigned i = 0; i < N(more); i++) want[more[i][0]][more[i][1]] = 1u << 11;
    for (unsigned from = 0; from < 18; from++)
        for (unsigned to = 0; to < 18; to++)
            assert_int_equal(pmu_netburst_cascade(&pmu, from, to), want[from][to]);
}

/* ---- interrupts ---- */

static void arming(void **state)
{
    (void)state;
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
    assert_int_equal(pmu.armed[12] & 0xffffffff, 0x04039000);
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

static void overflows(void **state)
{
    (void)state;
    struct pmu_code a = code("uops_retired:u"), b = code("instr_retired:u"), c = code("cycles");
    const struct pmu_code *codes[PMU_COUNTERS] = {[12] = &a, [15] = &b, [0] = &c};
    assert_true(program(codes) && arm(12, 1000) && arm(15, 2000));
    pmu.ops->start(&pmu);
    fake_pmu_clear_log();
    assert_int_equal(pmu.ops->overflowed(&pmu), 0); /* somebody else's interrupt */
    fake_pmu_assert_log(NULL, 0);

    fake_pmu_msr(CCCR0 + 12, 0x84039000);
    fake_pmu_msr(CTR0 + 12, 3);
    fake_pmu_msr(CCCR0 + 0, 0x8003d000); /* it counts, and does not sample */
    assert_int_equal(pmu.ops->overflowed(&pmu), 1 << 12);
    static const struct fake_write want[] = {
        {CCCR0 + 12, 0x04038000}, {CTR0 + 12, 0x10000000000ull - 999}, {CCCR0 + 12, 0x04039000}};
    fake_pmu_assert_log(want, N(want));

    fake_pmu_msr(CTR0 + 15, 1); /* past zero without OVF */
    fake_pmu_clear_log();
    assert_int_equal(pmu.ops->overflowed(&pmu), 1 << 15);
    assert_int_equal(fake_pmu_value(CTR0 + 15), 0x10000000000ull - 1999);
    assert_int_equal(pmu.ops->overflowed(&pmu), 0);
}

/* ---- PEBS ---- */

static bool pebs(const struct pmu_code *c, unsigned counter)
{
    return pmu.ops->pebs_arm(&pmu, counter, c, 0x200000, why, sizeof why);
}

static void precise(void **state)
{
    (void)state;
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
    pmu.ops->start(&pmu);
    fake_pmu_clear_log();
    fake_pmu_msr(CTR0 + 16, 5); /* the hardware reloads it: hands off */
    assert_int_equal(pmu.ops->overflowed(&pmu), 0);
    fake_pmu_msr(CCCR0 + 16, 0x8403b000);
    assert_int_equal(pmu.ops->overflowed(&pmu), 1 << 16);
    static const struct fake_write cleared[] = {{CCCR0 + 16, 0x0403b000}};
    fake_pmu_assert_log(cleared, 1);
    pmu.ops->pebs_stop(&pmu);
    assert_int_equal(fake_pmu_value(ENABLE), 0x01000001); /* still tagging */

    assert_true(program_one(&l1, 17) && arm(17, 10));
    assert_false(pebs(&l1, 17));
    assert_string_equal(why, "PEBS is counter 16's only, not counter 17's");
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

/* ---- what goes wrong ---- */

static void broken_registers(void **state)
{
    (void)state;
    struct cpu_id id = intel(2, 9);
    machine(2);
    fake_pmu_fault(CTR0 + 4, FAKE_STUCK);
    fake_pmu_fault(CTR0 + 5, FAKE_NO_READ);
    fake_pmu_fault(CCCR0 + 13, FAKE_NO_WRITE);
    fake_pmu_fault(CCCR0 + 14, FAKE_SWALLOWS);
    assert_true(pmu_probe(&id, &pmu));
    assert_int_equal(pmu.state[4], COUNTER_NOT_ADVANCING);
    assert_int_equal(pmu.state[5], COUNTER_ABSENT);
    assert_int_equal(pmu.state[13], COUNTER_ABSENT);
    assert_int_equal(pmu.state[14], COUNTER_ABSENT);
    assert_int_equal(pmu.usable, 0x3fffd & ~(1u << 4 | 1u << 5 | 1u << 13 | 1u << 14));
    struct pmu_code c = code("instr_retired"), replay = code("dtlb_load_miss_retired");
    assert_false(program_one(&c, 13));
    assert_string_equal(why, "MSR 36Dh faults when 30000h is written to it");
    assert_false(program_one(&c, 14));
    assert_string_equal(why, "MSR 36Eh does not keep what is written to it: 38000h became 0h");
    assert_true(program_one(&c, 12));
    fake_pmu_fault(0x3b8, FAKE_SWALLOWS);
    assert_false(program_one(&c, 12));
    assert_non_null(strstr(why, "MSR 3B8h does not keep"));
    assert_true(program_one(&c, 15)); /* its ESCR is the other */
    fake_pmu_fault(ENABLE, FAKE_NO_WRITE);
    assert_true(program_one(&c, 15));
    assert_false(program_one(&replay, 15));
    assert_string_equal(why, "MSR 3F1h faults when 1000004h is written to it");

    machine(2);
    fake_pmu_rdpmc(FAKE_RDPMC_ZERO);
    assert_true(pmu_probe(&id, &pmu));
    assert_false(pmu.rdpmc || pmu.user_rdpmc || pmu.fast_rdpmc);
    rules.fast_rdpmc = false; /* RDPMC takes no ECX[31] */
    machine(2);
    assert_true(pmu_probe(&id, &pmu));
    assert_true(pmu.rdpmc && !pmu.fast_rdpmc);
    rules.fast_rdpmc = true;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(exact_writes, prescott), cmocka_unit_test_setup(counts_and_reads, northwood),
        cmocka_unit_test_setup(no_trace, northwood),    cmocka_unit_test_setup(tagging, northwood),
        cmocka_unit_test_setup(companions, northwood),  cmocka_unit_test_setup(refused_programs, northwood),
        cmocka_unit_test_setup(cascades, prescott),     cmocka_unit_test_setup(every_cascade_pair, prescott),
        cmocka_unit_test_setup(arming, northwood),      cmocka_unit_test_setup(overflows, northwood),
        cmocka_unit_test_setup(precise, northwood),     cmocka_unit_test(broken_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
