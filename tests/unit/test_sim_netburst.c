/* NetBurst model: registers, RDPMC, CPUID, routing and qualification. */
#include "tests/unit/netburst_drive.h"

/* ---- registers ---- */

TEST_WITH(test_other_msrs, NULL, teardown)
{
    static const uint32_t others[] = {0x10,  0x11,  0xc1,  0x186, 0x1d9, 0x2ff, 0x312, 0x35f, 0x372, 0x38f,
                                      0x39f, 0x3bf, 0x3c6, 0x3c7, 0x3ce, 0x3df, 0x3e2, 0x3f3, 0x5ff, 0x601};
    given("northwood", NULL);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        uint64_t v;
        assert_int_equal(sim_rdmsr(sim, others[i], &v), -1);
        assert_int_equal(sim_wrmsr(sim, others[i], 0), -1);
    }
}

/* SDM table 18-63: 45 ESCRs, without the two of the IQ from model 3 on. */
TEST_WITH(test_escr_presence, NULL, teardown)
{
    for (unsigned m = 0; model_at(m); m++) {
        unsigned n = 0;
        uint64_t v;
        given(model_at(m), NULL);
        for (uint32_t msr = 0x3a0; msr <= 0x3e1; msr++) n += sim_rdmsr(sim, msr, &v) == 1;
        assert_int_equal(n, m == 2 ? 43 : 45);
        assert_int_equal(sim_rdmsr(sim, 0x3ba, &v), m == 2 ? -1 : 1);
        assert_int_equal(sim_wrmsr(sim, 0x3bb, 0), m == 2 ? -1 : 1);
    }
}

static void check_bits(uint32_t msr, uint64_t allowed, uint64_t always)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        const uint64_t value = always | UINT64_C(1) << bit;
        const bool ok = (allowed | always) >> bit & 1;
        wr(msr, 0);
        assert_int_equal(sim_wrmsr(sim, msr, value), ok ? 1 : 0);
        assert_int_equal(rd(msr), ok ? value : 0);
    }
    wr(msr, 0);
}

/* SDM figures 18-43, 18-45; tables 18-65, 35-41: what is reserved raises #GP, and nothing is written. */
TEST_WITH(test_reserved_bits, NULL, teardown)
{
    for (unsigned m = 0; model_at(m); m++) {
        given(model_at(m), NULL);
        check_bits(0x3b8, 0x7ffffffc, 0);
        check_bits(0x3a0, 0x7ffffffc, 0);
        for (unsigned n = 0; n < 18; n++) {
            const bool extended = m > 0 && (n == 12 || n == 15 || n == 16 || n == 17);
            check_bits(CCCR(n), 0xc7fff000 | (extended ? 0x800 : 0), THREAD);
        }
        check_bits(0x3f1, 0x03019fff, 0);
        check_bits(0x3f2, 0x13, 0);
    }
}

/* Bits 17:16 "must be set to 11B", wherever the counter may run; all 0 is how it is cleared. */
TEST_WITH(test_active_thread, NULL, teardown)
{
    given("willamette", NULL);
    for (unsigned thread = 0; thread < 4; thread++) {
        assert_int_equal(sim_wrmsr(sim, CCCR(0), thread << 16 | 1u << 12), thread == 3 ? 1 : 0);
        assert_int_equal(sim_wrmsr(sim, CCCR(0), thread << 16 | 1u << 30), thread == 3 ? 1 : 0);
        assert_int_equal(sim_wrmsr(sim, CCCR(0), thread << 16), 1);
    }
}

TEST_WITH(test_counters_take_40_bits, NULL, teardown)
{
    given("prescott", NULL);
    for (unsigned n = 0; n < 18; n++) {
        wr(COUNTER(n), UINT64_MAX);
        assert_int_equal(rd(COUNTER(n)), MASK40);
        wr(COUNTER(n), UINT64_C(0x1234000000) + n);
        assert_int_equal(rd(COUNTER(n)), UINT64_C(0x1234000000) + n);
    }
}

/* Table 35-41: bits 7, 11, 12 are read-only. There is a PMU and PEBS; BTS is not modelled. */
TEST_WITH(test_misc_enable, NULL, teardown)
{
    for (unsigned m = 0; model_at(m); m++) {
        given(model_at(m), NULL);
        assert_int_equal(rd(0x1a0) & 0x1880, 0x880);
        wr(0x1a0, 0);
        assert_int_equal(rd(0x1a0), 0x880);
        wr(0x1a0, 0x1001);
        assert_int_equal(rd(0x1a0), 0x881);
    }
}

TEST_WITH(test_ds_area, NULL, teardown)
{
    given("northwood", NULL);
    wr(0x600, 0xfffffff0);
    assert_int_equal(rd(0x600), 0xfffffff0);
    assert_int_equal(sim_wrmsr(sim, 0x600, UINT64_C(1) << 32), 0);
    given("prescott", NULL);
    wr(0x600, UINT64_C(0xffff800000001000));
    assert_int_equal(rd(0x600), UINT64_C(0xffff800000001000));
    assert_int_equal(sim_wrmsr(sim, 0x600, UINT64_C(1) << 47), 0);
}

TEST_WITH(test_reset, NULL, teardown)
{
    given("northwood", NULL);
    count(12, CRU_ESCR0, INSTR_RETIRED | BOTH, ESEL(4));
    wr(0x3f1, 1 << 24);
    wr(0x600, 0x1000);
    retire(3);
    assert_true(sim_wants_facts(sim));
    sim_reset(sim);
    assert_false(sim_wants_facts(sim));
    assert_int_equal(rd(COUNTER(12)), 0);
    assert_int_equal(rd(CCCR(12)), 0);
    assert_int_equal(rd(CRU_ESCR0), 0);
    assert_int_equal(rd(0x3f1), 0);
    assert_int_equal(rd(0x3f0), 0xfc00);
    assert_int_equal(rd(0x600), 0);
}

TEST_WITH(test_rdpmc, NULL, teardown)
{
    uint64_t v;
    given("willamette", NULL);
    for (unsigned n = 0; n < 18; n++) {
        wr(COUNTER(n), UINT64_C(0xab00000000) + n);
        assert_int_equal(sim_rdpmc(sim, n, 0, false, true, &v), SIM_RDPMC_OK);
        assert_int_equal(v, UINT64_C(0xab00000000) + n);
        /* The fast read has the low half only. */
        assert_int_equal(sim_rdpmc(sim, n | 1u << 31, 0, false, true, &v), SIM_RDPMC_OK);
        assert_int_equal(v, n);
    }
    assert_int_equal(sim_rdpmc(sim, 18, 0, true, true, &v), SIM_RDPMC_GP);
    assert_int_equal(sim_rdpmc(sim, 1u << 31 | 18, 0, true, true, &v), SIM_RDPMC_GP);
    assert_int_equal(sim_rdpmc(sim, 1u << 30, 0, true, true, &v), SIM_RDPMC_GP);
    assert_int_equal(sim_rdpmc(sim, 0, 3, false, true, &v), SIM_RDPMC_GP);
    assert_int_equal(sim_rdpmc(sim, 0, 3, true, true, &v), SIM_RDPMC_OK);
    assert_int_equal(sim_rdpmc(sim, 0, 3, false, false, &v), SIM_RDPMC_OK);
}

TEST_WITH(test_cpuid, NULL, teardown)
{
    static const struct {
        uint32_t signature, ecx, eax2, edx2;
    } want[] = {{0xf12, 0, 0x665b5001, 0x007a7040},
                {0xf27, 0x400, 0x665b5101, 0x007b7040},
                {0xf41, 0x6515, 0x605b5101, 0x007c7040}};
    for (unsigned m = 0; model_at(m); m++) {
        uint32_t r[4] = {0, 0, 0, 0};
        given(model_at(m), NULL);
        sim_cpuid(sim, 0, 0, r);
        assert_memory_equal(&r[1], "Genu", 4);
        assert_int_equal(r[0], m == 2 ? 3 : 2);
        memset(r, 0, sizeof r);
        r[1] = 0x05000000;
        sim_cpuid(sim, 1, 0, r);
        assert_int_equal(r[0], want[m].signature);
        assert_int_equal(r[1] >> 8, 0x050108); /* the emulator's APIC number; one processor; lines of 64 */
        assert_int_equal(r[2], want[m].ecx);
        assert_int_equal(r[3] >> 21 & 1, 1); /* DS */
        assert_int_equal(r[3] >> 9 & 1, 0);  /* the APIC's bit is the emulator's */
        r[3] = 1u << 9;
        sim_cpuid(sim, 1, 0, r);
        assert_int_equal(r[3] >> 9 & 1, 1);
        sim_cpuid(sim, 2, 0, r);
        assert_int_equal(r[0], want[m].eax2);
        assert_int_equal(r[3], want[m].edx2);
        sim_cpuid(sim, 0x1234, 0, r); /* as the highest */
        assert_int_equal(r[0], m == 2 ? 0 : want[m].eax2);
        char name[48];
        for (unsigned k = 0; k < 3; k++) {
            sim_cpuid(sim, 0x80000002 + k, 0, r);
            memcpy(name + 16 * k, r, 16);
        }
        assert_string_equal(name + 14, m == 0   ? "Intel(R) Pentium(R) 4 CPU 1.80GHz"
                                       : m == 1 ? "Intel(R) Pentium(R) 4 CPU 2.00GHz"
                                                : "Intel(R) Pentium(R) 4 CPU 2.80GHz");
        r[2] = 0x77;
        sim_cpuid(sim, 0x80000006, 0, r);
        assert_int_equal(r[2], m == 2 ? 0x04006040 : 0x77);
    }
}

/* ---- routing and qualification ---- */

/* Table 18-63, as it is printed: the ESCR that each ESEL gives to each counter. */
TEST_WITH(test_routing, NULL, teardown)
{
    static const uint16_t table[8][8] = {
        {0x3b2, 0x3b3, 0x3c0, 0x3c1, 0x3a6, 0x3a7, 0x3ba, 0x3bb},
        {0x3b4, 0x3b5, 0x3c4, 0x3c5, 0x3a4, 0x3a5, 0x3ca, 0x3cb},
        {0x3aa, 0x3ab, 0x3c2, 0x3c3, 0x3ae, 0x3af, 0x3bc, 0x3bd},
        {0x3b6, 0x3b7, 0, 0, 0x3b0, 0x3b1, 0x3be, 0},
        {0x3ac, 0x3ad, 0, 0, 0, 0, 0x3b8, 0x3b9},
        {0x3c8, 0x3c9, 0, 0, 0x3a8, 0x3a9, 0x3cc, 0x3cd},
        {0x3a2, 0x3a3, 0, 0, 0, 0, 0x3e0, 0x3e1},
        {0x3a0, 0x3a1, 0, 0, 0, 0, 0, 0},
    };
    static const uint8_t column[18] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 6, 7};
    const uint32_t every_clock = COMPARE | COMPLEMENT | THRESHOLD(15);
    given("willamette", NULL);
    for (unsigned n = 0; n < 18; n++)
        for (unsigned esel = 0; esel < 8; esel++)
            for (unsigned msr = 0x3a0; msr <= 0x3e1; msr++) {
                uint64_t v;
                if (sim_rdmsr(sim, msr, &v) != 1) continue;
                /* Any event selected in the right one lets the counter see clocks. */
                count(n, msr, EVENT(1, 1), ESEL(esel) | every_clock);
                retire(3);
                assert_int_equal(rd(COUNTER(n)), msr == table[esel][column[n]] ? 3 : 0);
                wr(msr, 0);
                wr(CCCR(n), 0);
            }
}

TEST_WITH(test_privilege, NULL, teardown)
{
    static const struct {
        uint32_t who;
        unsigned count;
    } rows[] = {{0, 0}, {OS, 2}, {USR, 15}, {BOTH, 17}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        given("northwood", NULL);
        count(12, CRU_ESCR0, INSTR_RETIRED | rows[i].who, ESEL(4));
        for (unsigned k = 0; k < 2; k++) insn_at(0x1000, 0, NULL, 0);
        for (unsigned k = 0; k < 4; k++) insn_at(0x1000, 0, NULL, 1);
        for (unsigned k = 0; k < 5; k++) insn_at(0x1000, 0, NULL, 2);
        for (unsigned k = 0; k < 6; k++) insn_at(0x1000, 0, NULL, 3);
        assert_int_equal(rd(COUNTER(12)), rows[i].count);
    }
}

/* Every counter counts alone and with all others. */
TEST_WITH(test_all_counters_at_once, NULL, teardown)
{
    given("willamette", NULL);
    wr(0x3a2, EVENT(0x13, 1) | BOTH); /* global_power_events on 0-3 */
    wr(0x3a3, EVENT(0x13, 1) | BOTH);
    wr(0x3c2, EVENT(0x04, 0x1e) | BOTH); /* retired_branch_type on 4-7 */
    wr(0x3c3, EVENT(0x04, 0x1e) | BOTH);
    wr(0x3a4, EVENT(0x04, 0x8000) | BOTH); /* x87_FP_uop on 8-11 */
    wr(0x3a5, EVENT(0x04, 0x8000) | BOTH);
    wr(CRU_ESCR0, INSTR_RETIRED | BOTH);
    wr(CRU_ESCR1, INSTR_RETIRED | BOTH);
    for (unsigned n = 0; n < 18; n++) wr(CCCR(n), ENABLE | ESEL(n < 4 ? 6 : n < 8 ? 2 : n < 12 ? 1 : 4));
    retire(5);
    insn_at(0x1000, OP_BRANCH | OP_COND, NULL, 0);
    insn_at(0x1000, OP_BRANCH | OP_COND, NULL, 3);
    insn_at(0x1000, OP_X87 | OP_FLOP, NULL, 0);
    for (unsigned n = 0; n < 18; n++)
        assert_int_equal(rd(COUNTER(n)), n < 4 ? 8 : n < 8 ? 2 : n < 12 ? 1 : 8);
}
