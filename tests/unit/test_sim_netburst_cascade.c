/* NetBurst model: cascades and errata. */
#include "tests/unit/netburst_drive.h"

/* ---- cascades ---- */

static void clear_all(void)
{
    for (unsigned n = 0; n < 18; n++) {
        wr(CCCR(n), 0);
        wr(COUNTER(n), 0);
    }
}

/* The pairs of 18.15.5.6 and no others: from overflows into with this bit of its CCCR. */
static bool starts(unsigned from, unsigned into)
{
    static const uint8_t pairs[][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}};
    if (from >= 16) return false;
    if (into == 16) return from == 14;
    if (into == 17) return from == 15;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        if ((from == pairs[k][0] && into == pairs[k][1]) || (from == pairs[k][1] && into == pairs[k][0]))
            return true;
    return false;
}

static bool starts_extended(unsigned from, unsigned into)
{
    return (from == 16 && (into == 12 || into == 17)) || (from == 17 && (into == 15 || into == 16));
}

static void select_something(void)
{
    wr(0x3a2, EVENT(0x13, 1) | BOTH);
    wr(0x3a3, EVENT(0x13, 1) | BOTH);
    wr(0x3c2, EVENT(0x04, 0x1e) | BOTH);
    wr(0x3c3, EVENT(0x04, 0x1e) | BOTH);
    wr(0x3a4, EVENT(0x04, 0x8000) | BOTH);
    wr(0x3a5, EVENT(0x04, 0x8000) | BOTH);
    wr(CRU_ESCR0, INSTR_RETIRED | BOTH);
    wr(CRU_ESCR1, INSTR_RETIRED | BOTH);
}

static uint32_t esel_of(unsigned n) { return ESEL(n < 4 ? 6 : n < 8 ? 2 : n < 12 ? 1 : 4); }

static void everything(void) { insn_at(0x1000, OP_BRANCH | OP_COND | OP_X87 | OP_FLOP, NULL, 0); }

static void check_cascade(uint32_t bit, bool (*expected)(unsigned, unsigned))
{
    for (unsigned from = 0; from < 18; from++)
        for (unsigned into = 0; into < 18; into++) {
            if (from == into || (bit != CASCADE && into != 12 && into < 15)) continue;
            clear_all();
            wr(COUNTER(from), MASK40 - 1);
            wr(CCCR(into), esel_of(into) | bit);
            wr(CCCR(from), esel_of(from) | ENABLE);
            for (unsigned k = 0; k < 5; k++) everything();
            /* Two to overflow, three are left. */
            assert_int_equal(rd(COUNTER(into)), expected(from, into) ? 3 : 0);
            /* Clearing the starter's OVF stops it. */
            wr(CCCR(from), esel_of(from) | ENABLE);
            everything();
            assert_int_equal(rd(COUNTER(into)), expected(from, into) ? 3 : 0);
        }
}

TEST_WITH(test_cascade, NULL, teardown)
{
    given("willamette", NULL);
    select_something();
    check_cascade(CASCADE, starts);
}

TEST_WITH(test_extended_cascade, NULL, teardown)
{
    given("northwood", NULL);
    select_something();
    check_cascade(CASCADE, starts);
    check_cascade(CASCNT, starts_extended);
}

/* M events, then N, then the interrupt: "at exactly the right one". */
static void cascade_m_n(unsigned from, unsigned into, uint32_t bit, unsigned m, unsigned n)
{
    clear_all();
    wr(COUNTER(from), -(uint64_t)m & MASK40);
    wr(COUNTER(into), (UINT64_C(1) - n) & MASK40);
    wr(CCCR(into), esel_of(into) | bit | OVF_PMI);
    const uint64_t before = sim->retired;
    wr(CCCR(from), esel_of(from) | ENABLE);
    host.pmi = 0;
    host.masked = false;
    for (unsigned k = 0; k < m + n + 5; k++) everything();
    assert_int_equal(host.pmi, 1);
    assert_int_equal(host.at - before, m + n);
}

TEST_WITH(test_cascade_interrupt, NULL, teardown)
{
    given("northwood", NULL);
    select_something();
    cascade_m_n(0, 2, CASCADE, 10, 7);
    cascade_m_n(14, 16, CASCADE, 3, 2);
    cascade_m_n(16, 12, CASCNT, 5, 20);
    cascade_m_n(17, 16, CASCNT, 8, 9);
}

/* ---- errata ---- */

TEST_WITH(test_erratum_unflagged, NULL, teardown)
{
    given("northwood", "unflagged-overflow");
    arm_counter(12, MASK40, OVF_PMI);
    retire(2);
    assert_int_equal(host.pmi, 1);
    assert_false(rd(CCCR(12)) & OVF);
    assert_false(rd(COUNTER(12)) >> 39 & 1); /* what Linux goes by */
    host.masked = false;
    retire(3);
    assert_int_equal(host.pmi, 1); /* nothing holds the line */
}

TEST_WITH(test_erratum_n15, NULL, teardown)
{
    given("northwood", "n15");
    arm_counter(12, 5, 0);
    assert_int_equal(rd(COUNTER(12)), 5); /* written while disabled */
    wr(COUNTER(12), 50);
    assert_int_equal(rd(COUNTER(12)), 5);
    wr(COUNTER(12), 50);
    assert_int_equal(rd(COUNTER(12)), 50);
    wr(COUNTER(12), 60);
    assert_int_equal(rd(COUNTER(12)), 50);
}

TEST_WITH(test_erratum_n17, NULL, teardown)
{
    uint64_t v;
    given("northwood", "n17");
    wr(COUNTER(3), UINT64_C(0xab12345678));
    assert_int_equal(sim_rdpmc(sim, 3, 0, false, true, &v), SIM_RDPMC_OK);
    assert_int_equal(v, 0x12345678);
    assert_int_equal(rd(COUNTER(3)), UINT64_C(0xab12345678));
}

TEST_WITH(test_erratum_counter1, NULL, teardown)
{
    given("willamette", "counter1");
    select_something();
    wr(CCCR(0), ENABLE | ESEL(6));
    wr(CCCR(1), ENABLE | ESEL(6));
    retire(3);
    assert_int_equal(rd(COUNTER(0)), 3);
    assert_int_equal(rd(COUNTER(1)), 0);
}

TEST_WITH(test_erratum_bsq, NULL, teardown)
{
    for (unsigned on = 0; on < 2; on++) {
        given("willamette", on ? "bsq-double" : NULL);
        count(0, 0x3a0, EVENT(0x0c, 0x100) | BOTH, ESEL(7));
        for (unsigned k = 0; k < 5; k++) {
            struct sim_access a = mem(0x10000 + 64 * k, 4, SIM_READ);
            insn_at(0x1000, 0, &a, 0);
        }
        assert_int_equal(rd(COUNTER(0)), on ? 10 : 5);
    }
}

TEST_WITH(test_erratum_cascade_pmi, NULL, teardown)
{
    given("northwood", "cascade-pmi");
    select_something();
    wr(COUNTER(0), MASK40);
    wr(COUNTER(2), MASK40);
    wr(CCCR(2), ESEL(6) | CASCADE | OVF_PMI);
    wr(CCCR(0), ESEL(6) | ENABLE);
    retire(5);
    assert_true(rd(CCCR(2)) & OVF);
    assert_int_equal(host.pmi, 0);
    wr(CCCR(2), ESEL(6) | ENABLE | OVF_PMI);
    wr(COUNTER(2), MASK40);
    retire(2);
    assert_int_equal(host.pmi, 1);
}

TEST_WITH(test_errata_names, NULL, teardown)
{
    given("prescott", "unflagged-overflow,n15,n17,counter1,bsq-double,cascade-pmi");
    assert_null(sim_new("prescott", "n16", NULL));
}
