/* The PMU model of the P5 and P55C: registers, modes, pins, branch prediction, and Safford's two programs. */
#include "tests/unit/oracle_json.h"
#include "tests/unit/p5_drive.h"
#include <string.h>

/* ---- registers ---- */

TEST(test_registers)
{
    for (unsigned m = 0; model_at(m); m++) {
        uint64_t value = 1;
        given(model_at(m), NULL);
        assert_int_equal(msr(CESR), 0);
        assert_int_equal(msr(CTR0), 0);
        assert_int_equal(msr(CTR1), 0);
        assert_int_equal(sim_wrmsr(sim, CESR, 0x03FF03FF), 1);
        assert_int_equal(msr(CESR), 0x03FF03FF);
        for (unsigned bit = 0; bit < 64; bit++) {
            bool defined = bit < 26 && (bit & 15) < 10;
            sim_wrmsr(sim, CESR, 0);
            assert_int_equal(sim_wrmsr(sim, CESR, UINT64_C(1) << bit), defined);
            assert_int_equal(msr(CESR), defined ? UINT64_C(1) << bit : 0);
        }
        for (unsigned k = 0; k < 2; k++) {
            assert_int_equal(sim_wrmsr(sim, CTR0 + k, UINT64_MAX), 1);
            assert_int_equal(msr(CTR0 + k), MASK);
            assert_int_equal(sim_wrmsr(sim, CTR0 + k, 0x80C0000001), 1);
            assert_int_equal(msr(CTR0 + k), 0x80C0000001);
        }
        assert_int_equal(sim_wrmsr(sim, CESR, 0), 1); /* leaves the counters alone */
        assert_int_equal(msr(CTR0), 0x80C0000001);
        /* The TSC is the emulator's, the P6's registers are nobody's. */
        static const uint32_t others[] = {0x0, 0x10, 0x14, 0xC1, 0x186, 0x11000};
        for (unsigned k = 0; k < sizeof others / sizeof *others; k++) {
            assert_int_equal(sim_rdmsr(sim, others[k], &value), -1);
            assert_int_equal(sim_wrmsr(sim, others[k], 0), -1);
        }
        sim_reset(sim);
        assert_int_equal(msr(CTR0), 0);
    }
}

TEST(test_rdpmc)
{
    uint64_t value = 0;
    given("p5", NULL);
    assert_int_equal(sim_rdpmc(sim, 0, 0, true, true, &value), SIM_RDPMC_UD);
    assert_int_equal(sim_rdpmc(sim, 7, 3, false, true, &value), SIM_RDPMC_UD);
    given("p55c", NULL);
    sim_wrmsr(sim, CTR0, 0x1122334455);
    sim_wrmsr(sim, CTR1, 0xFFFFFFFFFF);
    assert_int_equal(sim_rdpmc(sim, 0, 0, false, true, &value), SIM_RDPMC_OK);
    assert_int_equal(value, 0x1122334455);
    assert_int_equal(sim_rdpmc(sim, 1, 3, true, true, &value), SIM_RDPMC_OK);
    assert_int_equal(value, 0xFFFFFFFFFF);
    value = 5;
    assert_int_equal(sim_rdpmc(sim, 1, 3, false, true, &value), SIM_RDPMC_GP);
    assert_int_equal(sim_rdpmc(sim, 1, 1, false, true, &value), SIM_RDPMC_GP);
    assert_int_equal(sim_rdpmc(sim, 2, 0, true, true, &value), SIM_RDPMC_GP);
    assert_int_equal(sim_rdpmc(sim, 0x80000000, 0, true, true, &value), SIM_RDPMC_GP);
    assert_int_equal(value, 5);
    assert_int_equal(sim_rdpmc(sim, 1, 0, false, false, &value), SIM_RDPMC_OK); /* real mode */
}

TEST(test_cpuid)
{
    static const struct {
        const char *model;
        uint32_t signature, edx;
    } cpus[] = {{"p5", 0x525, 0x3BF}, {"p55c", 0x543, 0x8003BF}};
    for (unsigned k = 0; k < 2; k++) {
        char vendor[13] = "";
        given(cpus[k].model, NULL);
        uint32_t r[4] = {9, 9, 9, 9};
        sim_cpuid(sim, 0, 0, r);
        assert_int_equal(r[0], 1);
        memcpy(vendor, &r[1], 4);
        memcpy(vendor + 4, &r[3], 4);
        memcpy(vendor + 8, &r[2], 4);
        assert_string_equal(vendor, "GenuineIntel");
        sim_cpuid(sim, 1, 0, r);
        assert_int_equal(r[0], cpus[k].signature);
        assert_int_equal(r[1] | r[2], 0);
        assert_int_equal(r[3], cpus[k].edx);
        r[0] = 7;
        sim_cpuid(sim, 0x80000000, 0, r);
        assert_int_equal(r[0] | r[1] | r[2] | r[3], 0);
    }
}

/* ---- modes ---- */

TEST(test_modes)
{
    for (unsigned cc = 0; cc < 8; cc++) {
        for (unsigned cpl = 0; cpl < 4; cpl++) {
            for (unsigned k = 0; k < 2; k++) {
                given("p5", NULL);
                sim_oracle_begin(sim, "");
                assert_int_equal(sim_wrmsr(sim, CESR, (cc << 6 | INSNS) << (16 * k)), 1);
                sim_instruction(
                    sim, &(struct sim_insn){.lin = 0x1000, .phys = 0x1000, .len = 1, .cpl = (uint8_t)cpl});
                sim_ticks(sim, 10, false, cpl);
                sim_ticks(sim, 30, true, cpl);
                bool level = cpl == 3 ? cc & 2 : cc & 1;
                assert_int_equal(msr(CTR0 + k), !level ? 0 : cc & 4 ? 40 : 1);
                assert_int_equal(msr(CTR0 + !k), 0);
            }
        }
    }
    /* The ring before the instruction counts, not the one after it: an IRET to CPL 3 is the kernel's. */
    given("p5", NULL);
    sim_wrmsr(sim, CESR, (0x40 | INSNS) | (0x80u | INSNS) << 16);
    sim_instruction(sim, &(struct sim_insn){.lin = 0x1000,
                                            .phys = 0x1000,
                                            .len = 1,
                                            .cpl_after = 3,
                                            .op = OP_BRANCH | OP_TAKEN | OP_FAR | OP_SERIALIZE});
    assert_int_equal(msr(CTR0), 1);
    assert_int_equal(msr(CTR1), 0);
    /* Into a handler at CPL 0: from there one segment register, from outside the stack's as well. */
    given("p5", NULL);
    count(0x0F, 0x27);
    sim_interrupt(sim, 32, false, 0);
    assert_int_equal(msr(CTR0), 1);
    sim_exception(sim, 13, 3);
    assert_int_equal(msr(CTR0), 3);
    sim_interrupt(sim, 2, true, 3);
    assert_int_equal(msr(CTR0), 5);
    assert_int_equal(msr(CTR1), 2);
    /* Safford's figure B.1: data read misses and data reads, at CPL 3. */
    given("p5", NULL);
    sim_wrmsr(sim, CESR, 0x00800083);
    for (unsigned cpl = 0; cpl < 4; cpl += 3) {
        struct sim_insn i = {.lin = 0x1000, .phys = 0x1000, .len = 2, .cpl = (uint8_t)cpl, .n_access = 1};
        for (unsigned k = 0; k < 8; k++) {
            i.access[0] = mem(0x8000 + 0x1000 * cpl + 16 * k, 4, SIM_READ);
            sim_instruction(sim, &i);
        }
    }
    assert_int_equal(msr(CTR0), 4);
    assert_int_equal(msr(CTR1), 8);
}

/* ---- overflow and pins ---- */

static unsigned pulses[2][2]; /* pin, overflow */

static void pulse(void *ctx, unsigned pin, bool overflow)
{
    assert_ptr_equal(ctx, pulses);
    pulses[pin][overflow]++;
}

static void no_pmi(void *ctx)
{
    (void)ctx;
    fail(); /* the P5 has none */
}

TEST(test_overflow)
{
    struct sim_host host = {.ctx = pulses, .pmi = no_pmi, .pin = pulse};
    sim_free(sim);
    sim = sim_new("p5", NULL, &host);
    memset(pulses, 0, sizeof pulses);
    sim_wrmsr(sim, CTR0, MASK - 1);
    sim_wrmsr(sim, CTR1, MASK - 2);
    sim_wrmsr(sim, CESR, (ANY_CPL | INSNS | PIN) | (ANY_CPL | DATA_READ) << 16);
    data(0x5000, 4, SIM_READ);
    assert_int_equal(msr(CTR0), MASK);
    assert_int_equal(pulses[0][1], 0);
    data(0x5000, 4, SIM_READ);
    assert_int_equal(msr(CTR0), 0); /* bit 40 is not there */
    assert_int_equal(pulses[0][1], 1);
    data(0x5001, 4, SIM_READ); /* misaligned: 2 more, past the end */
    assert_int_equal(msr(CTR1), 1);
    assert_int_equal(msr(CTR0), 1);
    assert_int_equal(pulses[0][1], 1);
    assert_int_equal(pulses[0][0], 0); /* PC = 1: not on increments */
    assert_int_equal(pulses[1][0], 3); /* PC = 0: on increments, once for the step by two */
    assert_int_equal(pulses[1][1], 0);
}

static void assert_pins(json_t *line, int up0, int up1, int over0, int over1)
{
    int n[4];
    assert_int_equal(json_unpack(json_object_get(line, "pins"), "{s[ii]s[ii]}", "increment", &n[0], &n[1],
                                 "overflow", &n[2], &n[3]),
                     0);
    json_decref(line);
    assert_true(n[0] == up0 && n[1] == up1 && n[2] == over0 && n[3] == over1);
}

/* The oracle's line has them, of its bracket alone; without a host that has pins there are none. */
TEST(test_pulses)
{
    const struct sim_host host = {.ctx = pulses, .pmi = no_pmi, .pin = pulse};
    sim_free(sim);
    sim = sim_new("p5", NULL, &host);
    sim_wrmsr(sim, CTR0, MASK - 2);
    sim_wrmsr(sim, CESR, (ANY_CPL | INSNS | PIN) | (ANY_CPL | DATA_READ) << 16);
    data(0x5000, 4, SIM_READ);
    sim_oracle_begin(sim, "outer");
    data(0x5000, 4, SIM_READ);
    sim_oracle_begin(sim, "inner");
    data(0x5001, 4, SIM_READ); /* misaligned, one pulse; and the third instruction is the overflow */
    json_t *line = oracle_line(sim);
    assert_pins(line, 0, 1, 1, 0);
    data(0x5000, 4, SIM_READ);
    line = oracle_line(sim);
    assert_pins(line, 0, 3, 1, 0);
    given("p5", NULL);
    sim_oracle_begin(sim, "none");
    line = oracle_line(sim);
    assert_null(json_object_get(line, "pins"));
    json_decref(line);
}

/* ---- Safford's programs ---- */

/* Program 1, figure 5.10, what is inside the measured region: 304 instructions by its listing (table 5.3 has
 * 305: a call or ret of the region must be with them). */
static void program1(void)
{
    struct sim_access push = mem(0x7FFC, 4, SIM_WRITE);
    insn_at(0x1000, 1, 0, &push);
    insn_at(0x1001, 2, 0, NULL);
    insn_at(0x1003, 5, 0, NULL);
    for (unsigned k = 0; k < 100; k++) {
        bool taken = k < 99;
        insn_at(0x1008, 1, 0, NULL);
        insn_at(0x1009, 1, 0, NULL);
        branch_at(0x100A, 2, OP_COND | (taken ? OP_TAKEN : 0), 0x1008);
    }
    insn_at(0x100C, 2, 0, NULL);
}

static void measure(void (*program)(void), const char *model, unsigned es, uint64_t cold, uint64_t warm)
{
    given(model, NULL);
    count(es, es);
    program();
    assert_int_equal(msr(CTR0), cold);
    assert_int_equal(msr(CTR1), cold);
    program();
    assert_int_equal(msr(CTR0), cold + warm);
}

TEST(test_program1)
{
    for (unsigned k = 0; model_at(k); k++) {
        measure(program1, model_at(k), BRANCHES, 100, 100);
        measure(program1, model_at(k), BTB_HITS, 98, 99); /* warm, the first one hits as well */
        measure(program1, model_at(k), TAKEN_OR, 100, 100);
        measure(program1, model_at(k), FLUSHES, 2, 1);
        measure(program1, model_at(k), INSNS, 304, 304);
    }
}

/* Program 2, figure 5.11. %ebp is 0x8000 after the push. leave reads the saved %ebp. Its loop has 3 branches
 * (the table says 4: a call or ret of the region is with them). */
static void program2(void)
{
    struct sim_access push = mem(0x8000, 4, SIM_WRITE), pop = mem(0x8000, 4, SIM_READ);
    insn_at(0x1000, 1, 0, &push);
    insn_at(0x1001, 2, 0, NULL);
    insn_at(0x1003, 6, 0, NULL);
    insn_at(0x1009, 2, 0, NULL);
    for (unsigned edx = 0; edx < 3; edx++) {
        struct sim_access inc = mem(0x8000 - 511 + 4 * edx, 4, SIM_RMW);
        insn_at(0x1010, 7, 0, &inc);
        insn_at(0x1017, 1, 0, NULL);
        insn_at(0x1018, 3, 0, NULL);
        branch_at(0x101B, 2, OP_COND | (edx < 2 ? OP_TAKEN : 0), 0x1010);
    }
    insn_at(0x1020, 1, 0, &pop);
}

TEST(test_program2)
{
    static const struct {
        unsigned es;
        uint64_t expected, erratum;
    } table[] = {
        {DATA_READ, 7, 7},  {DATA_WRITE, 7, 7}, {READ_MISS, 1, 2}, {WRITE_MISS, 0, 0},
        {WRITE_BACK, 0, 0}, {MISALIGNED, 6, 6}, {BRANCHES, 3, 3},  {WRITE_HIT, 7, 7},
    };
    for (unsigned k = 0; k < sizeof table / sizeof *table; k++) {
        for (unsigned erratum = 0; erratum < 2; erratum++) {
            given("p5", erratum ? "misaligned-misses" : NULL);
            count(0, 0);
            data(0x8000, 4, SIM_READ); /* the stack's line is in the cache, as there */
            count(table[k].es, table[k].es);
            program2();
            assert_int_equal(msr(CTR0), erratum ? table[k].erratum : table[k].expected);
        }
    }
}

/* ---- branch prediction ---- */

TEST(test_btb)
{
    given("p5", NULL);
    count(BTB_HITS, FLUSHES);
    /* Not taken: no entry, ever. */
    for (unsigned k = 0; k < 5; k++) branch_at(0x1000, 2, OP_COND, 0);
    assert_int_equal(msr(CTR0), 0);
    assert_int_equal(msr(CTR1), 0);
    branch_at(0x1000, 2, OP_COND | OP_TAKEN, 0x2000); /* enters as strongly taken */
    assert_int_equal(msr(CTR1), 1);
    branch_at(0x1000, 2, OP_COND | OP_TAKEN, 0x2000);
    assert_int_equal(msr(CTR0), 1);
    assert_int_equal(msr(CTR1), 1);
    branch_at(0x1000, 2, OP_COND | OP_TAKEN, 0x3000); /* elsewhere */
    assert_int_equal(msr(CTR0), 2);
    assert_int_equal(msr(CTR1), 2);
    branch_at(0x1000, 2, OP_COND | OP_TAKEN, 0x3000); /* has been learnt */
    assert_int_equal(msr(CTR1), 2);
    /* Down from 3: wrong, wrong, right; state 0 is an empty entry, so the next taken one misses. */
    count(TAKEN_OR, FLUSHES);
    branch_at(0x1000, 2, OP_COND, 0);
    branch_at(0x1000, 2, OP_COND, 0);
    assert_int_equal(msr(CTR1), 2);
    branch_at(0x1000, 2, OP_COND, 0);
    assert_int_equal(msr(CTR1), 2);
    assert_int_equal(msr(CTR0), 3); /* not taken, but hits */
    branch_at(0x1000, 2, OP_COND, 0);
    assert_int_equal(msr(CTR0), 3);
    branch_at(0x1000, 2, OP_COND | OP_TAKEN, 0x3000);
    assert_int_equal(msr(CTR1), 3);
    branch_at(0x1000, 2, OP_COND, 0); /* 3 again, so it was predicted taken */
    assert_int_equal(msr(CTR1), 4);

    /* Four ways: a fifth branch of the same set takes the place of one. */
    given("p5", NULL);
    count(BTB_HITS, FLUSHES);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned k = 0; k < 4; k++) branch_at(0x1000 + 256 * k, 2, OP_TAKEN, 0x2000);
    }
    assert_int_equal(msr(CTR0), 4);
    assert_int_equal(msr(CTR1), 4);
    branch_at(0x1004, 2, OP_TAKEN, 0x2000); /* the next set has room */
    for (unsigned k = 0; k < 4; k++) branch_at(0x1000 + 256 * k, 2, OP_TAKEN, 0x2000);
    assert_int_equal(msr(CTR0), 8);
    branch_at(0x1400, 2, OP_TAKEN, 0x2000);
    unsigned before = (unsigned)msr(CTR0);
    for (unsigned k = 1; k < 4; k++) branch_at(0x1000 + 256 * k, 2, OP_TAKEN, 0x2000);
    assert_int_equal(msr(CTR0), before + 3);
    branch_at(0x1000, 2, OP_TAKEN, 0x2000);
    assert_int_equal(msr(CTR0), before + 3);
}

/* The P55C learns patterns of four, and where its calls came from. */
TEST(test_later_predictor)
{
    uint64_t wrong[2];
    for (unsigned m = 0; model_at(m); m++) {
        given(model_at(m), NULL);
        count(FLUSHES, 0);
        for (unsigned k = 0; k < 100; k++) branch_at(0x1000, 2, OP_COND | (k % 2 ? 0 : OP_TAKEN), 0x2000);
        count(FLUSHES, 0);
        for (unsigned k = 0; k < 100; k++) branch_at(0x1000, 2, OP_COND | (k % 2 ? 0 : OP_TAKEN), 0x2000);
        wrong[m] = msr(CTR0);
    }
    assert_in_range(wrong[0], 50, 100);
    assert_int_equal(wrong[1], 0);

    /* One function called from two places: a BTB sends its return to the other place each time. */
    for (unsigned m = 0; model_at(m); m++) {
        given(model_at(m), NULL);
        count(FLUSHES, 0);
        for (unsigned k = 0; k < 22; k++) {
            uint64_t caller = k % 2 ? 0x1100 : 0x1000;
            if (k == 2) count(FLUSHES, 0);
            branch_at(caller, 5, OP_TAKEN | OP_CALL, 0x3000);
            branch_at(0x3010, 1, OP_TAKEN | OP_RET | OP_INDIRECT, caller + 5);
        }
        assert_int_equal(msr(CTR0), m ? 0 : 20);
    }
    given("p55c", NULL);
    for (unsigned depth = 3; depth < 7; depth++) { /* four deep, no deeper */
        for (unsigned round = 0; round < 2; round++) {
            count(0x37, 0x37);
            for (unsigned k = 0; k < depth; k++)
                branch_at(0x1000 + 16 * k, 5, OP_TAKEN | OP_CALL, 0x1010 + 16 * k);
            for (unsigned k = depth; k--;) branch_at(0x2000 + 16 * k, 1, OP_TAKEN | OP_RET, 0x1005 + 16 * k);
        }
        /* The entries beyond are predicted by nothing: right only in what the stack held. */
        assert_int_equal(msr(CTR1), depth < 4 ? depth : 4);
        assert_int_equal(msr(CTR0), depth < 4 ? 0 : depth - 4);
    }
    /* Recursion returns to one place six times; what has left the stack is not found there again. */
    given("p55c", NULL);
    for (unsigned round = 0; round < 2; round++) {
        count(0x37, 0x37);
        for (unsigned k = 0; k < 6; k++) branch_at(0x1000, 5, OP_TAKEN | OP_CALL, 0x1000);
        for (unsigned k = 0; k < 6; k++) branch_at(0x1010, 1, OP_TAKEN | OP_RET, 0x1005);
    }
    assert_int_equal(msr(CTR1), 4);
    assert_int_equal(msr(CTR0), 2);
}

AROUND_ALL(NULL, teardown);
