/* NetBurst's driver against registers: exact writes in their order, tags, and hardware that misbehaves. */
#include "tests/unit/netburst_machines.h"

/* ---- registers ---- */

/* All CCCRs stopped, all ESCRs written, all counters zero, then what is used. */
TEST_WITH(exact_writes, prescott, NULL)
{
    struct pmu_code instr = code("instr_retired:u"), cycles = code("cycles");
    const struct pmu_code *codes[PMU_COUNTERS] = {[12] = &instr, [2] = &cycles};
    assert_true(program(codes));
    pmu_start(&pmu);
    pmu_stop(&pmu);
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

TEST_WITH(counts_and_reads, northwood, NULL)
{
    struct pmu_code kernel = code("instr_retired:k"), user = code("uops_retired:u");
    const struct pmu_code *codes[PMU_COUNTERS] = {[12] = &kernel, [14] = &user};
    assert_true(program(codes));
    hw_rdtsc();
    assert_int_equal(pmu.ops->read(&pmu, 12), 0);
    pmu_start(&pmu);
    for (unsigned i = 0; i < 10; i++) hw_rdtsc();
    pmu_stop(&pmu);
    hw_rdtsc();
    assert_int_equal(pmu.ops->read(&pmu, 12), 70);
    assert_int_equal(pmu.ops->read(&pmu, 14), 0);
    fake_pmu_msr(CTR0 + 14, 0xfff123456789abull);
    assert_int_equal(pmu.ops->read(&pmu, 14), 0x23456789abull);
}

/* What the probe and release() leave behind is what was found. */
TEST_WITH(no_trace, northwood, NULL)
{
    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(fake_pmu_value(0x3b8), 0x04000204);
        assert_int_equal(fake_pmu_value(CCCR0 + 12), 0x39000);
        assert_int_equal(fake_pmu_value(CCCR0 + 3), 0x30000);
        for (unsigned i = 0; i < 18; i++) assert_int_equal(fake_pmu_value(CTR0 + i), 0x1234500000ull + i);
        assert_int_equal(fake_pmu_value(DS), 0xabc000);
        struct pmu_code c = code("split_load_retired");
        assert_true(program_one(&c, 16));
        pmu_start(&pmu);
        assert_int_equal(fake_pmu_value(ENABLE), 0x01000400);
        pmu.ops->release(&pmu);
        assert_int_equal(fake_pmu_value(ENABLE), 0);
        assert_int_equal(fake_pmu_value(0x3af), 0);
        const struct fake_write *log;
        size_t n = fake_pmu_log(&log);
        assert_in_range(log[n - 1].msr, CCCR0, CCCR0 + 17); /* last: they start counters */
    }
}

/* Registers of precise events, which nobody had left at 0: as release() finds them, after an event that needs
 * others. */
TEST_WITH(no_trace_in_precise_events, northwood, NULL)
{
    const struct cpu_id id = intel(2, 9);
    fake_pmu_msr(ENABLE, 0x02000001);
    fake_pmu_msr(VERT, 0x2);
    assert_true(pmu_probe(&id, &pmu));
    struct pmu_code c = code("split_load_retired");
    assert_true(program_one(&c, 16));
    assert_int_equal(fake_pmu_value(ENABLE), 0x01000400);
    assert_int_equal(fake_pmu_value(VERT), 1);
    pmu.ops->release(&pmu);
    assert_int_equal(fake_pmu_value(ENABLE), 0x02000001);
    assert_int_equal(fake_pmu_value(VERT), 2);
}

/* ---- tagging ---- */

TEST_WITH(tagging, northwood, NULL)
{
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
    /* a counter of the upstream ESCRs' pair runs, so that they have power */
    assert_int_equal((pmu.netburst.counter[8].cccr | pmu.netburst.counter[9].cccr |
                      pmu.netburst.counter[10].cccr | pmu.netburst.counter[11].cccr) &
                         0xf000,
                     0x3000);

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

/* Facts 3.3: an upstream ESCR has no power unless a counter is enabled for it or its pair. So it is the one
 * of the pair whose counters are left; none is left: the set does not fit. */
TEST_WITH(upstream_power, northwood, NULL)
{
    static const char *const words[] = {"memory_cancel", "memory_complete", "packed_sp_retired", "wc_buffer",
                                        "load_port_replay"};
    struct pmu_code c[N(words)];
    const struct pmu_code *list[N(words)], *codes[PMU_COUNTERS] = {NULL};
    uint8_t counter[N(words)];
    for (unsigned k = 0; k < N(words); k++) {
        c[k] = code(words[k]);
        list[k] = &c[k];
    }
    for (unsigned last = 9; last < 12; last += 2) { /* both halves: 8, 9; 10, 11 */
        c[0].counters = 1u << (last - 1);
        c[1].counters = 1u << last;
        assert_true(pmu.ops->allocate(&pmu, list, 3, counter));
        memset(codes, 0, sizeof codes);
        for (unsigned k = 0; k < 3; k++) codes[counter[k]] = list[k];
        assert_true(program(codes));
        const unsigned other = last == 9 ? 10 : 8, firm = last == 9 ? 0x3a5 : 0x3a4;
        assert_int_equal(fake_pmu_value(firm) >> 25, 0x08);
        pmu_start(&pmu);
        assert_int_equal(fake_pmu_value(CCCR0 + other), 0x33000);
    }
    c[0].counters = c[1].counters = 0xf00;
    assert_true(pmu.ops->allocate(&pmu, list, 4, counter));
    assert_false(pmu.ops->allocate(&pmu, list, 5, counter));
    c[3] = code("packed_sp_uop:tag=1"); /* which is counted through the pair */
    assert_true(pmu.ops->allocate(&pmu, list, 5, counter));
}

/* IOQ_active_entries: its masks in both ESCRs (table 19-28). */
TEST_WITH(companions, northwood, NULL)
{
    struct pmu_code ioq = code("ioq_active_entries"), bsq = code("bsq_active_entries:0x40");
    const struct pmu_code *codes[PMU_COUNTERS] = {[2] = &ioq, [3] = &bsq};
    assert_true(program(codes));
    assert_int_equal(fake_pmu_value(0x3a3), 0x3400000cu | 0xafe1 << 9);
    assert_int_equal(fake_pmu_value(0x3a2), 0x0600000cu | 0xafe1 << 9);
    assert_int_equal(fake_pmu_value(0x3a1), 0x0c00000cu | 0x40 << 9);
    assert_int_equal(fake_pmu_value(0x3a0), 0x0a00000cu | 0x40 << 9);
}

TEST_WITH(refused_programs, northwood, NULL)
{
    struct pmu_code a = code("instr_retired"), b = code("uops_retired"),
                    l1 = code("1stl_cache_load_miss_retired"), tlb = code("dtlb_load_miss_retired"),
                    cycles = code("cycles");
    const struct pmu_code *one_escr[PMU_COUNTERS] = {[12] = &a, [13] = &b};
    const struct pmu_code *two_escrs[PMU_COUNTERS] = {[12] = &a, [14] = &b};
    const struct pmu_code *same[PMU_COUNTERS] = {[12] = &a, [13] = &a};
    const struct pmu_code *replays[PMU_COUNTERS] = {[12] = &l1, [14] = &tlb};
    assert_false(program(one_escr));
    assert_non_null(strstr(why, "need the same ESCR"));
    assert_true(program(two_escrs));
    assert_true(program(same)); /* one selection may be counted twice */
    assert_false(program(replays));
    assert_false(program_one(&a, 0));
    assert_string_equal(why, "instr_retired cannot be counted on counter 0");
    assert_false(program_one(&cycles, 1)); /* erratum */
    assert_string_equal(why, "cycles cannot be counted on counter 1");
}

/* ---- what goes wrong ---- */

TEST(broken_registers)
{
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
    assert_string_equal(why, "MSR 36Eh does not keep the value written to it: 38000h became 0h");
    assert_true(program_one(&c, 12));
    fake_pmu_fault(0x3b8, FAKE_SWALLOWS);
    assert_false(program_one(&c, 12));
    assert_non_null(strstr(why, "MSR 3B8h does not keep"));
    assert_true(program_one(&c, 15)); /* its ESCR is the other */
    fake_pmu_fault(ENABLE, FAKE_NO_WRITE);
    assert_true(program_one(&c, 15));
    assert_false(program_one(&replay, 15));
    assert_string_equal(why, "MSR 3F1h faults when 1000004h is written to it");
    fake_pmu_fault(ENABLE, FAKE_SWALLOWS);
    assert_false(program_one(&replay, 15));
    assert_string_equal(why, "MSR 3F1h does not keep the value written to it: 1000004h became 0h");
    fake_pmu_fault(ENABLE, FAKE_SOUND);
    fake_pmu_fault(ENABLE + 1, FAKE_SWALLOWS);
    assert_false(program_one(&replay, 15));
    assert_string_equal(why, "MSR 3F2h does not keep the value written to it: 1h became 0h");
    fake_pmu_fault(ENABLE + 1, FAKE_SOUND);
    assert_true(program_one(&replay, 15));

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
