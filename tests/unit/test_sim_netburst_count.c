/* NetBurst model: threshold and edge, overflow and the interrupt. */
#include "tests/unit/netburst_drive.h"

/* ---- threshold, edge ---- */

/* uops_retired: 1 and one for each read and write, so that an instruction brings 1 to 4 in its clock. */
static void uops(unsigned n)
{
    struct sim_insn i = {.lin = 0x1000, .phys = 0x1000, .len = 2};
    for (unsigned k = 1; k < n; k++) i.access[i.n_access++] = mem(0x2000, 4, SIM_READ);
    sim_ticks(sim, 1, false, 0);
    sim_instruction(sim, &i);
}

TEST_WITH(test_threshold, NULL, teardown)
{
    for (unsigned threshold = 0; threshold < 16; threshold++)
        for (unsigned complement = 0; complement < 2; complement++) {
            static const uint8_t stream[] = {1, 2, 3, 4, 5, 1, 12, 16, 2};
            unsigned want = 0;
            given("northwood", NULL);
            count(12, CRU_ESCR0, EVENT(0x01, 1) | BOTH,
                  ESEL(4) | COMPARE | THRESHOLD(threshold) | (complement ? COMPLEMENT : 0));
            wr(COUNTER(12), 0);
            for (size_t k = 0; k < sizeof stream; k++) {
                const unsigned input = stream[k] < 15 ? stream[k] : 15; /* four lines */
                want += complement ? input <= threshold : input > threshold;
                uops(stream[k]);
            }
            assert_int_equal(rd(COUNTER(12)), want);
        }
}

TEST_WITH(test_edge, NULL, teardown)
{
    static const uint8_t stream[] = {1, 3, 3, 1, 3, 1, 1, 4, 4, 4, 2};
    given("northwood", NULL);
    count(12, CRU_ESCR0, EVENT(0x01, 1) | BOTH, ESEL(4) | COMPARE | THRESHOLD(2) | EDGE);
    for (size_t k = 0; k < sizeof stream; k++) uops(stream[k]);
    assert_int_equal(rd(COUNTER(12)), 3);
    /* COMPLEMENT: below the threshold again. The first clock rises from reset. */
    count(12, CRU_ESCR0, EVENT(0x01, 1) | BOTH, ESEL(4) | COMPARE | COMPLEMENT | THRESHOLD(2) | EDGE);
    for (size_t k = 0; k < sizeof stream; k++) uops(stream[k]);
    assert_int_equal(rd(COUNTER(12)), 4);
    /* Without COMPARE there is no threshold output: EDGE does nothing. */
    count(12, CRU_ESCR0, EVENT(0x01, 1) | BOTH, ESEL(4) | EDGE);
    uops(4);
    assert_int_equal(rd(COUNTER(12)), 4);
}

/* An instruction of many clocks: its events are in the last; a duration is in each. */
TEST_WITH(test_clocks_of_one_instruction, NULL, teardown)
{
    struct sim_insn i = {.lin = 0x1000, .phys = 0x1000, .len = 2};
    given("willamette", NULL);
    count(12, CRU_ESCR0, INSTR_RETIRED | BOTH, ESEL(4) | COMPARE | COMPLEMENT | THRESHOLD(0));
    count(0, 0x3a2, EVENT(0x13, 1) | BOTH, ESEL(6) | COMPARE);
    count(2, 0x3a3, EVENT(0x13, 1) | BOTH, ESEL(6) | COMPARE | THRESHOLD(1));
    sim_ticks(sim, 10, false, 0);
    sim_instruction(sim, &i);
    assert_int_equal(rd(COUNTER(12)), 9);
    assert_int_equal(rd(COUNTER(0)), 10);
    assert_int_equal(rd(COUNTER(2)), 0);
}

/* Threshold 15 with COMPLEMENT: clocks at any level, in HLT too, as long as some event is selected. */
TEST_WITH(test_non_sleep_clockticks, NULL, teardown)
{
    const uint32_t every = COMPARE | COMPLEMENT | THRESHOLD(15);
    given("northwood", NULL);
    count(12, CRU_ESCR2, EXECUTION(0xff), ESEL(5) | every); /* neither USR nor OS */
    count(14, CRU_ESCR3, BOTH, ESEL(5) | every);            /* event select 0 */
    count(0, 0x3a2, EVENT(0x13, 1) | BOTH, ESEL(6));
    retire(3);
    insn_at(0x1000, 0, NULL, 3);
    sim_ticks(sim, 100, true, 0);
    assert_int_equal(rd(COUNTER(12)), 104);
    assert_int_equal(rd(COUNTER(14)), 0);
    assert_int_equal(rd(COUNTER(0)), 4);
}

/* ---- overflow, interrupt ---- */

TEST_WITH(test_overflow_wraps_and_sticks, NULL, teardown)
{
    given("willamette", NULL);
    arm_counter(12, MASK40 - 1, 0);
    retire(1);
    assert_false(rd(CCCR(12)) & OVF);
    retire(1);
    assert_true(rd(CCCR(12)) & OVF);
    assert_int_equal(rd(COUNTER(12)), 0);
    retire(5);
    assert_int_equal(rd(COUNTER(12)), 5);
    assert_true(rd(CCCR(12)) & OVF);
    wr(CCCR(12), ENABLE | ESEL(4));
    assert_false(rd(CCCR(12)) & OVF);
    assert_int_equal(host.pmi, 0);
}

/* SDM 18.15.5.8: on the next event after the overflow, so that -N + 1 makes it come after N. */
TEST_WITH(test_pmi_after_n, NULL, teardown)
{
    for (unsigned n = 2; n < 40; n += 7) {
        given("northwood", NULL);
        arm_counter(12, (UINT64_C(1) - n) & MASK40, OVF_PMI);
        const uint64_t before = sim->retired;
        retire(n - 1);
        assert_true(rd(CCCR(12)) & OVF);
        assert_int_equal(host.pmi, 0);
        retire(3);
        assert_int_equal(host.pmi, 1);
        assert_int_equal(host.at - before, n);
    }
}

/* An event at another level is none: the next that counts asks. */
TEST_WITH(test_pmi_waits_for_an_event, NULL, teardown)
{
    given("northwood", NULL);
    arm_counter(12, MASK40, OVF_PMI);
    wr(CRU_ESCR0, INSTR_RETIRED | USR);
    insn_at(0x1000, 0, NULL, 3);
    retire(10);
    assert_int_equal(host.pmi, 0);
    insn_at(0x1000, 0, NULL, 3);
    assert_int_equal(host.pmi, 1);
}

/* OVF holds the line: unmask before clearing it, and the interrupt comes again. */
TEST_WITH(test_line, NULL, teardown)
{
    given("northwood", NULL);
    arm_counter(12, MASK40, OVF_PMI);
    retire(2);
    assert_int_equal(host.pmi, 1);
    assert_true(host.masked);
    retire(4);
    assert_int_equal(host.pmi, 1);
    host.masked = false;
    retire(1);
    assert_int_equal(host.pmi, 2);
    wr(CCCR(12), ENABLE | ESEL(4) | OVF_PMI);
    host.masked = false;
    retire(10);
    assert_int_equal(host.pmi, 2);
}

/* Two counters: the line falls with the last OVF. */
TEST_WITH(test_line_of_two, NULL, teardown)
{
    given("northwood", NULL);
    arm_counter(12, MASK40, OVF_PMI);
    arm_counter(14, MASK40, OVF_PMI);
    retire(2);
    wr(CCCR(12), ENABLE | ESEL(4) | OVF_PMI);
    host.masked = false;
    retire(1);
    assert_int_equal(host.pmi, 2);
    wr(CCCR(14), 0);
    host.masked = false;
    retire(1);
    assert_int_equal(host.pmi, 2);
}

TEST_WITH(test_pmi_in_hlt, NULL, teardown)
{
    given("northwood", NULL);
    count(12, CRU_ESCR2, EXECUTION(1) | BOTH, ESEL(5) | COMPARE | COMPLEMENT | THRESHOLD(15) | OVF_PMI);
    assert_true(sim_skid(sim, "50", 0));
    wr(COUNTER(12), MASK40 - 9);
    sim_ticks(sim, 10, true, 0);
    assert_int_equal(host.pmi, 0);
    sim_ticks(sim, 1, true, 0);
    assert_int_equal(host.pmi, 1);
}

TEST_WITH(test_force_overflow, NULL, teardown)
{
    given("northwood", NULL);
    arm_counter(12, 100, FORCE_OVF | OVF_PMI);
    retire(1);
    assert_true(rd(CCCR(12)) & OVF);
    assert_int_equal(host.pmi, 0);
    retire(1);
    assert_int_equal(host.pmi, 1);
    assert_int_equal(rd(COUNTER(12)), 102);
    /* From then on each event asks, once OVF has been cleared. */
    for (unsigned k = 2; k < 6; k++) {
        wr(CCCR(12), ENABLE | ESEL(4) | FORCE_OVF | OVF_PMI);
        host.masked = false;
        retire(1);
        assert_int_equal(host.pmi, k);
    }
}

/* ---- what must be seen at its instruction ---- */

TEST_WITH(test_exact, NULL, teardown)
{
    given("northwood", NULL);
    assert_false(exact(1000));
    arm_counter(12, 0, OVF_PMI);
    assert_false(exact(1000));
    wr(COUNTER(12), MASK40 - 99);
    assert_false(exact(99));
    assert_true(exact(100));
    retire(99);
    assert_true(exact(1));
    retire(1); /* overflowed; the next asks */
    assert_true(exact(1));
    retire(1);
    assert_false(exact(1));
    assert_int_equal(sim_batches(sim), SIM_BATCH_NONE); /* the line */
    wr(CCCR(12), 0);
    assert_int_equal(sim_batches(sim), SIM_BATCH_ALL);
    arm_counter(12, 0, COMPARE);
    assert_true(exact(1));
    arm_counter(12, 0, COMPARE | COMPLEMENT | THRESHOLD(15));
    assert_false(exact(1));
    arm_counter(12, 0, FORCE_OVF);
    assert_true(exact(1));
}
