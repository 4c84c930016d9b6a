/* Two threads of a Prescott: what they share, and which of them an event is of (SDM vol. 3, 18.16;
 * docs/pmu-model.md, "Two threads"). PEBS: test_sim_netburst_threads_pebs.c. */
#include "tests/unit/netburst_threads.h"
#include "tests/unit/oracle_json.h"

/* ---- registers ---- */

static void test_registers(void **state)
{
    (void)state;
    wr(0, COUNTER(12), 0x123456789a);
    assert_int_equal(rd(1, COUNTER(12)), 0x123456789a);
    wr(1, CRU_ESCR0, INSTR_RETIRED(0xf));
    assert_int_equal(rd(0, CRU_ESCR0), INSTR_RETIRED(0xf));
    wr(0, CCCR(12), ON_IQ | 1u << 26 | 1u << 27);
    assert_int_equal(rd(1, CCCR(12)), ON_IQ | 1u << 26 | 1u << 27);
    for (uint32_t active = 0; active < 4; active++) wr(1, CCCR(12), (ON_IQ & ~ANY) | active << 16);
    refused(0, CCCR(12), ON_IQ | 1u << 28);
    refused(0, CRU_ESCR0, 1u << 31);
    wr(0, 0x600, 0x1000); /* DS area: each thread's own */
    wr(1, 0x600, 0x2000);
    assert_int_equal(rd(0, 0x600), 0x1000);
    assert_int_equal(rd(1, 0x600), 0x2000);
    assert_false(rd(0, 0x1a0) & 1u << 12); /* PEBS is there */
}

static void test_one_thread(void **state)
{
    static const char *const others[] = {"willamette", "northwood", "p3", "core2", "zen4", "p5"};
    const struct sim_host host = {.ctx = NULL};
    (void)state;
    struct sim *s = sim_new("prescott", NULL, &host);
    assert_int_equal(sim_wrmsr(s, CRU_ESCR0, INSTR_RETIRED(1)), 0);
    assert_int_equal(sim_wrmsr(s, CCCR(12), ON_IQ | 1u << 27), 0);
    assert_int_equal(sim_wrmsr(s, CCCR(12), ON_IQ & ~ANY), 0);
    sim_free(s);
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
        s = sim_new(others[i], NULL, &host);
        assert_null(sim_thread(s, &host));
        sim_free(s);
    }
    assert_null(sim_thread(thread[0].sim, &host)); /* it has its second one */
}

static void test_cpuid(void **state)
{
    (void)state;
    for (unsigned t = 0; t < 2; t++) {
        uint32_t regs[4] = {0, t << 24, 0, 0};
        sim_cpuid(thread[t].sim, 1, 0, regs);
        assert_int_equal(regs[1] >> 16 & 0xff, 2);
        assert_int_equal(regs[1] >> 24, t);
        assert_true(regs[3] & 1u << 28); /* HTT */
    }
    struct sim *s = sim_new("prescott", NULL, NULL);
    uint32_t regs[4] = {0};
    sim_cpuid(s, 1, 0, regs);
    assert_int_equal(regs[1] >> 16 & 0xff, 1);
    sim_free(s);
}

/* ---- whose event ---- */

/* All sixteen choices of T0 and T1 at OS and USR; the article's own is T0_USR with T1_OS. */
static void test_levels(void **state)
{
    static const unsigned n[2][2] = {{20, 10}, {7, 5}}; /* by thread, at CPL 0 and 3 */
    (void)state;
    for (unsigned bits = 0; bits < 16; bits++) {
        unsigned expected = 0;
        wr(0, CRU_ESCR0, INSTR_RETIRED(bits));
        wr(0, COUNTER(12), 0);
        wr(0, CCCR(12), ON_IQ);
        for (unsigned t = 0; t < 2; t++)
            for (unsigned user = 0; user < 2; user++) {
                /* SDM figure 18-47: T1_USR, T1_OS, T0_USR, T0_OS from bit 0 on */
                if (bits >> (2 * (1 - t) + (user ? 0 : 1)) & 1) expected += n[t][user];
                retire(t, n[t][user], user ? 3 : 0, 0, 0);
            }
        assert_int_equal(rd(1, COUNTER(12)), expected);
        wr(0, CCCR(12), 0);
    }
}

/* Counters of each thread beside each other, however they alternate, and each thread's oracle. */
static void test_apart(void **state)
{
    unsigned n[2] = {0, 0};
    uint32_t seed = 1;
    (void)state;
    wr(0, CRU_ESCR0, EVENT(0x01, 1, 0xc)); /* uops_retired, of the first ... */
    wr(0, CRU_ESCR1, EVENT(0x01, 1, 0x3)); /* ... and of the second */
    wr(0, CCCR(12), ON_IQ);
    wr(1, CCCR(14), ON_IQ);
    for (unsigned t = 0; t < 2; t++) sim_oracle_begin(thread[t].sim, "apart");
    for (unsigned k = 0; k < 500; k++) {
        seed = seed * 1664525 + 1013904223;
        const unsigned t = seed >> 31, many = seed >> 16 & 15;
        retire(t, many, seed >> 8 & 1 ? 3 : 0, 0x5000, 0);
        n[t] += 2 * many; /* the instruction, and its load */
    }
    assert_int_equal(rd(0, COUNTER(12)), n[0]);
    assert_int_equal(rd(0, COUNTER(14)), n[1]);
    for (unsigned t = 0; t < 2; t++) {
        json_t *line = oracle_line(thread[t].sim),
               *uops = json_object_get(json_object_get(line, "events"), "uops_retired:NBOGUS");
        assert_int_equal(json_integer_value(json_object_get(line, "insns")), n[t] / 2);
        assert_int_equal(json_integer_value(json_object_get(uops, "k")) +
                             json_integer_value(json_object_get(uops, "u")),
                         n[t]);
        json_decref(line);
    }
}

/* "Active thread": events count while none, exactly one, both, or any of the threads run. */
static void test_active(void **state)
{
    static const struct {
        bool other; /* runs */
        unsigned counts[4];
    } rows[] = {{false, {0, 10, 0, 10}}, {true, {0, 0, 10, 10}}};
    (void)state;
    wr(0, CRU_ESCR0, INSTR_RETIRED(0xf));
    for (unsigned r = 0; r < 2; r++)
        for (unsigned active = 0; active < 4; active++) {
            thread[1].inactive = !rows[r].other;
            wr(0, COUNTER(12), 0);
            wr(0, CCCR(12), (ON_IQ & ~ANY) | active << 16);
            retire(0, 10, 0, 0, 0);
            assert_int_equal(rd(0, COUNTER(12)), rows[r].counts[active]);
            wr(0, CCCR(12), 0);
        }
}

/* ---- the interrupt ---- */

static void test_interrupts(void **state)
{
    (void)state;
    for (unsigned asks = 1; asks < 4; asks++)
        for (unsigned by = 0; by < 2; by++) {
            for (unsigned t = 0; t < 2; t++) thread[t].pmi = 0;
            wr(0, CRU_ESCR0, INSTR_RETIRED(0xf));
            wr(0, COUNTER(12), NB_COUNTER_MASK - 3);
            wr(0, CCCR(12), ON_IQ | asks << 26);
            retire(by, 3, 0, 0, 0);
            assert_int_equal(thread[0].pmi + thread[1].pmi, 0);
            retire(by, 4, 0, 0, 0);
            for (unsigned t = 0; t < 2; t++) assert_int_equal(thread[t].pmi > 0, asks >> t & 1);
            /* held until OVF is cleared, by whomever: offered again at each instruction */
            for (unsigned t = 0; t < 2; t++) thread[t].pmi = 0;
            for (unsigned t = 0; t < 2; t++) retire(t, 2, 0, 0, 0);
            for (unsigned t = 0; t < 2; t++) assert_int_equal(thread[t].pmi > 0, asks >> t & 1);
            wr(1 - by, CCCR(12), 0);
            for (unsigned t = 0; t < 2; t++) thread[t].pmi = 0;
            for (unsigned t = 0; t < 2; t++) retire(t, 2, 0, 0, 0);
            assert_int_equal(thread[0].pmi + thread[1].pmi, 0);
        }
}

/* ---- what they share ---- */

static void test_caches(void **state)
{
    struct sim *both[] = {thread[0].sim, thread[1].sim};
    (void)state;
    struct sim_bus *bus = sim_bus_new(both, 2);
    assert_non_null(bus);
    for (unsigned t = 0; t < 2; t++) sim_oracle_begin(thread[t].sim, "caches");
    retire(0, 1, 0, 0x40000, 0);
    retire(1, 3, 0, 0x40000, 0);
    json_t *line = oracle_line(thread[1].sim), *events = json_object_get(line, "events");
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(events, "1stL_cache_load_miss_retired"), "k")), 0);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(events, "memory_loads"), "k")), 3);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(line, "lines"), "in")), 0);
    assert_int_equal(json_integer_value(json_object_get(line, "cpu")), 1);
    json_decref(line);
    sim_bus_free(bus);
}

/* Misses of the DTLB by loads of each thread since the last call. */
static void is_walked(unsigned first, unsigned second)
{
    const unsigned expected[] = {first, second};
    for (unsigned t = 0; t < 2; t++) {
        json_t *line = oracle_line(thread[t].sim), *events = json_object_get(line, "events");
        const json_t *misses = json_object_get(json_object_get(events, "DTLB_load_miss_retired"), "k");
        if (json_integer_value(misses) != expected[t])
            fail_msg("thread %u: %d, not %u", t, (int)json_integer_value(misses), expected[t]);
        json_decref(line);
        sim_oracle_begin(thread[t].sim, "walks");
    }
}

/* The entries of the DTLB have their thread's number: the same page is another one's no more than its own. */
static void test_dtlb(void **state)
{
    (void)state;
    for (unsigned t = 0; t < 2; t++) sim_oracle_begin(thread[t].sim, "walks");
    for (unsigned k = 0; k < 3; k++)
        for (unsigned t = 0; t < 2; t++) retire(t, 2, 0, 0x40000, 0);
    is_walked(1, 1);
    sim_tlb_flush(thread[0].sim);
    for (unsigned t = 0; t < 2; t++) retire(t, 2, 0, 0x40000, 0);
    is_walked(1, 0);
    sim_tlb_invalidate(thread[1].sim, 0x40000);
    for (unsigned t = 0; t < 2; t++) retire(t, 2, 0, 0x40000, 0);
    is_walked(0, 1);
    /* 64 entries in all: the other one's take their places */
    retire(0, 1, 0, 0x40000, 0);
    for (unsigned k = 1; k <= 128; k++) retire(1, 1, 0, 0x40000 + 0x1000 * k, 0);
    retire(0, 1, 0, 0x40000, 0);
    is_walked(1, 128);
}

/* One reads a counter of the other's, which is in the middle of an instruction: what it has done so far
 * counts. */
static void test_read(void **state)
{
    (void)state;
    wr(0, 0x3a2, EVENT(0x13, 1, 0x2)); /* clocks of the second */
    wr(0, CCCR(0), ENABLE | ANY | ESEL(6));
    sim_ticks(thread[1].sim, 7, false, 0);
    assert_int_equal(rd(0, COUNTER(0)), 7);
    sim_ticks(thread[1].sim, 2, false, 0);
    uint64_t value = 0;
    assert_int_equal(sim_rdpmc(thread[0].sim, 0, 0, false, true, &value), SIM_RDPMC_OK);
    assert_int_equal(value, 9);
}

/* What one programs on the counters of both, the other one's oracle lists, too. */
static void test_programmed(void **state)
{
    (void)state;
    sim_oracle_begin(thread[1].sim, "programmed");
    wr(0, CRU_ESCR0, INSTR_RETIRED(0xf));
    wr(0, CCCR(12), ON_IQ | 1u << 18);
    wr(0, CCCR(12), 0);
    json_t *line = oracle_line(thread[1].sim), *names = json_object_get(line, "unmodelled");
    assert_int_equal(json_array_size(names), 1);
    assert_string_equal(json_string_value(json_array_get(names, 0)), "threshold of two threads");
    json_decref(line);
}

/* The front end tags the loads of the threads and levels that RAT_ESCR0 names. */
static void test_tags(void **state)
{
    (void)state;
    wr(0, 0x3bc, EVENT(0x02, 2, 0x3)); /* uop_type TAGLOADS of the second one */
    wr(0, CRU_ESCR2, EVENT(0x08, 1, 0xf));
    wr(0, CCCR(12), ENABLE | ANY | ESEL(5));
    wr(0, CCCR(13), ENABLE | ANY | ESEL(2)); /* powers the RAT's ESCR */
    wr(0, COUNTER(12), 0);
    retire(0, 5, 0, 0x5000, 0);
    assert_int_equal(rd(0, COUNTER(12)), 0);
    retire(1, 3, 3, 0x5000, 0);
    assert_int_equal(rd(0, COUNTER(12)), 3);
}

/* What ignores the thread counts both at all levels; what depends on how they alternate has no count. */
static void test_unmodelled(void **state)
{
    static const struct {
        uint32_t escr_msr, escr, cccr;
        unsigned counter;
        const char *why; /* NULL: it counts */
        unsigned counts; /* of 4 instructions of the first, and 6 of the second, at CPL 0 */
    } rows[] = {
        {CRU_ESCR0, INSTR_RETIRED(0xf), ON_IQ, 12, NULL, 10},
        {CRU_ESCR0, INSTR_RETIRED(0xf), ON_IQ | 1u << 18, 12, "threshold of two threads", 0},
        {0x3a4, EVENT(0x04, 1u << 15, 0xf), ENABLE | ANY | ESEL(1), 8, NULL, 10},
        {0x3a4, EVENT(0x04, 1u << 15, 0x6), ENABLE | ANY | ESEL(1), 8, NULL, 10}, /* T0_USR, T1_OS: always */
        {0x3a4, EVENT(0x04, 1u << 15, 0xc), ENABLE | ANY | ESEL(1), 8, NULL, 10},
        {0x3a4, EVENT(0x04, 1u << 15, 0x8), ENABLE | ANY | ESEL(1), 8, "either thread's privilege level", 0},
        {0x3a2, EVENT(0x13, 1, 0x8), ENABLE | ANY | ESEL(6), 0, NULL, 4}, /* clocks of the first */
        {0x3a2, EVENT(0x13, 1, 0x2), ENABLE | ANY | ESEL(6), 0, NULL, 6},
        {0x3a2, EVENT(0x13, 1, 0xf), ENABLE | ANY | ESEL(6), 0, NULL,
         4}, /* both run: they have one together */
        {0x3a2, EVENT(0x13, 1, 0xa), ENABLE | ANY | ESEL(6), 0, "clocks of two threads", 0},
        /* every clock: COMPLEMENT with the highest threshold */
        {CRU_ESCR0, INSTR_RETIRED(0xc), ON_IQ | 1u << 18 | 1u << 19 | 15u << 20, 12, NULL, 4},
    };
    (void)state;
    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++) {
        const char *name = NULL;
        wr(0, rows[r].escr_msr, rows[r].escr);
        wr(0, COUNTER(rows[r].counter), 0);
        wr(0, CCCR(rows[r].counter), rows[r].cccr);
        const unsigned n = sim_unmodelled(thread[1].sim, &name, 1);
        if (n != (rows[r].why != NULL) || (n && strcmp(name, rows[r].why) != 0))
            fail_msg("row %u: %u unmodelled, %s", r, n, n ? name : "none");
        retire(0, 4, 0, 0, OP_X87 | OP_FLOP);
        retire(1, 6, 0, 0, OP_X87 | OP_FLOP);
        const uint64_t got = rd(0, COUNTER(rows[r].counter));
        if (got != rows[r].counts) fail_msg("row %u: %u, not %u", r, (unsigned)got, rows[r].counts);
        wr(0, CCCR(rows[r].counter), 0);
        wr(0, rows[r].escr_msr, 0);
    }
}

/* A clock in which one halts is the other's alone. */
static void test_clocks_halted(void **state)
{
    (void)state;
    wr(0, 0x3a2, EVENT(0x13, 1, 0xf));
    wr(0, CCCR(0), ENABLE | ANY | ESEL(6));
    thread[0].inactive = true;
    sim_ticks(thread[0].sim, 100, true, 0);
    retire(1, 6, 0, 0, 0);
    assert_int_equal(rd(0, COUNTER(0)), 6);
    thread[0].inactive = false;
    retire(0, 3, 0, 0, 0);
    retire(1, 5, 0, 0, 0);
    assert_int_equal(rd(0, COUNTER(0)), 9);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(test_##name, two_threads, end)
    const struct CMUnitTest tests[] = {
        CASE(registers),     CASE(one_thread), CASE(cpuid),  CASE(levels),     CASE(apart),
        CASE(active),        CASE(interrupts), CASE(caches), CASE(tags),       CASE(unmodelled),
        CASE(clocks_halted), CASE(dtlb),       CASE(read),   CASE(programmed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
