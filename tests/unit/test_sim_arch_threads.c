/* Two threads of a modelled Core: counters of their own, caches that they share, and AnyThread (SDM vol.
 * 3, 18.2.3.1; docs/pmu-model.md, "AnyThread"). */
#include "sim/arch.h"
#include "tests/unit/oracle_json.h"
#include "tests/unit/unit.h"
#include <string.h>

enum {
    SEL0 = 0x186,
    PMC0 = 0xc1,
    FIXED_CTR0 = 0x309,
    FIXED_CTRL = 0x38d,
    GLOBAL_STATUS = 0x38e,
    GLOBAL_CTRL = 0x38f
};
#define INSTRUCTIONS 0x00c0u
#define CYCLES       0x003cu
#define ALL          (SEL_USR | SEL_OS)

static struct thread {
    struct sim *sim;
    unsigned pmi;
    bool inactive;
} thread[2];

static void on_pmi(void *ctx) { ((struct thread *)ctx)->pmi++; }
static bool inactive(void *ctx) { return ((const struct thread *)ctx)->inactive; }

static void wr(unsigned t, uint32_t msr, uint64_t v)
{
    assert_int_equal(sim_wrmsr(thread[t].sim, msr, v), 1);
}
static uint64_t rd(unsigned t, uint32_t msr)
{
    uint64_t v = 0xdeadbeef;
    assert_int_equal(sim_rdmsr(thread[t].sim, msr, &v), 1);
    return v;
}

static void plug(const char *model)
{
    memset(thread, 0, sizeof thread);
    for (unsigned t = 0; t < 2; t++) {
        const struct sim_host host = {.ctx = &thread[t], .pmi = on_pmi, .inactive = inactive};
        thread[t].sim = t ? sim_thread(thread[0].sim, &host) : sim_new(model, NULL, &host);
        assert_non_null(thread[t].sim);
    }
    for (unsigned t = 0; t < 2; t++) wr(t, GLOBAL_CTRL, 0x7ull << 32 | 0xf);
}
static int unplug(void **state)
{
    (void)state;
    for (unsigned t = 2; t--;) sim_free(thread[t].sim);
    return 0;
}
static int skylake(void **state)
{
    (void)state;
    plug("skylake");
    return 0;
}

/* n instructions of a tick each at lin, each with a load of the line at phys where that is not 0. */
static void retire_at(unsigned t, uint64_t lin, unsigned n, unsigned cpl, uint64_t phys)
{
    struct sim_insn i = {.lin = lin, .phys = lin, .len = 2, .cpl = (uint8_t)cpl, .cpl_after = (uint8_t)cpl};
    if (phys)
        i.access[i.n_access++] = (struct sim_access){.lin = phys, .phys = phys, .bytes = 4, .kind = SIM_READ};
    while (n--) {
        sim_ticks(thread[t].sim, 1, false, cpl);
        sim_instruction(thread[t].sim, &i);
    }
}
static void retire(unsigned t, unsigned n, unsigned cpl) { retire_at(t, 0x1000, n, cpl, 0); }

/* ---- what each has of its own ---- */

static void test_counters(void **state)
{
    (void)state;
    for (unsigned t = 0; t < 2; t++) {
        wr(t, SEL0, INSTRUCTIONS | ALL | SEL_EN);
        wr(t, FIXED_CTRL, FIXED_OS | FIXED_USR);
    }
    for (unsigned k = 0; k < 100; k++) {
        retire(0, k % 3, 0);
        retire(1, k % 7, 3);
    }
    const uint64_t n[] = {99, 14 * 21 + 1};
    for (unsigned t = 0; t < 2; t++) {
        assert_int_equal(rd(t, PMC0), n[t]);
        assert_int_equal(rd(t, FIXED_CTR0), n[t]);
    }
    wr(0, PMC0, 0); /* the other's goes on */
    assert_int_equal(rd(1, PMC0), n[1]);
    wr(0, GLOBAL_CTRL, 0);
    retire(0, 5, 0);
    retire(1, 5, 0);
    assert_int_equal(rd(0, PMC0), 0);
    assert_int_equal(rd(1, PMC0), n[1] + 5);
}

/* A Sandy Bridge's eight counters are four of each thread; later ones say what they have either way. */
static void test_how_many(void **state)
{
    static const struct {
        const char *model;
        unsigned alone, of_two;
    } rows[] = {
        {"sandybridge", 8, 4}, {"haswell", 4, 4}, {"skylake", 4, 4}, {"icelake", 8, 8}, {"tigerlake", 8, 8}};
    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++) {
        uint32_t regs[4] = {0};
        struct sim *s = sim_new(rows[r].model, NULL, NULL);
        sim_cpuid(s, 0xa, 0, regs);
        assert_int_equal(regs[0] >> 8 & 0xff, rows[r].alone);
        sim_free(s);
        plug(rows[r].model);
        for (unsigned t = 0; t < 2; t++) {
            sim_cpuid(thread[t].sim, 0xa, 0, regs);
            assert_int_equal(regs[0] >> 8 & 0xff, rows[r].of_two);
            assert_int_equal(sim_wrmsr(thread[t].sim, PMC0 + rows[r].of_two - 1, 1), 1);
            assert_int_not_equal(sim_wrmsr(thread[t].sim, PMC0 + rows[r].of_two, 1), 1);
        }
        unplug(state);
    }
    static const char *const one[] = {"coreduo", "core2"};
    for (unsigned k = 0; k < 2; k++) {
        struct sim *s = sim_new(one[k], NULL, NULL);
        assert_null(sim_thread(s, NULL));
        sim_free(s);
    }
}

/* ---- what they share ---- */

static json_int_t event(unsigned t, json_t *line, const char *name)
{
    (void)t;
    return json_integer_value(json_object_get(json_object_get(json_object_get(line, "events"), name), "k"));
}

static void test_caches(void **state)
{
    (void)state;
    for (unsigned t = 0; t < 2; t++) sim_oracle_begin(thread[t].sim, "caches");
    retire_at(0, 0x1000, 1, 0, 0x40000); /* brings it */
    retire_at(1, 0x1000, 3, 0, 0x40000); /* has it, and the code too */
    json_t *line = oracle_line(thread[1].sim);
    assert_int_equal(event(1, line, "MEM_LOAD_RETIRED:L1_HIT"), 3);
    assert_int_equal(event(1, line, "MEM_LOAD_RETIRED:L1_MISS"), 0);
    assert_int_equal(event(1, line, "L2_RQSTS:ALL_CODE_RD"), 0);
    json_decref(line);
    line = oracle_line(thread[0].sim);
    assert_int_equal(event(0, line, "MEM_LOAD_RETIRED:L1_MISS"), 1);
    assert_int_equal(event(0, line, "L2_RQSTS:ALL_CODE_RD"), 1);
    json_decref(line);
}

/* The line of code that one fetched last can be evicted by the other's code: nine lines of a set of eight
 * ways. */
static void test_code(void **state)
{
    (void)state;
    sim_oracle_begin(thread[0].sim, "code");
    retire_at(0, 0x1000, 2, 0, 0);
    for (unsigned k = 1; k <= 8; k++) retire_at(1, 0x1000 + 4096 * k, 1, 0, 0);
    retire_at(0, 0x1000, 2, 0, 0);
    json_t *line = oracle_line(thread[0].sim);
    assert_int_equal(event(0, line, "L2_RQSTS:ALL_CODE_RD"), 2);
    json_decref(line);
}

/* WBINVD of one empties the caches of both: the code that the other one is in comes again. */
static void test_flush(void **state)
{
    (void)state;
    sim_oracle_begin(thread[1].sim, "flush");
    retire_at(1, 0x1000, 2, 0, 0);
    sim_cache_flush(thread[0].sim, true);
    retire_at(1, 0x1000, 2, 0, 0);
    json_t *line = oracle_line(thread[1].sim);
    assert_int_equal(event(1, line, "L2_RQSTS:ALL_CODE_RD"), 2);
    json_decref(line);
}

/* ---- AnyThread ---- */

/* The owner reads while the other one is in the middle of an instruction. */
static void test_read(void **state)
{
    uint64_t value = 0;
    (void)state;
    wr(0, SEL0, CYCLES | ALL | SEL_EN | SEL_ANY);
    thread[0].inactive = true;
    sim_ticks(thread[1].sim, 7, false, 0);
    assert_int_equal(rd(0, PMC0), 7);
    sim_ticks(thread[1].sim, 2, false, 0);
    assert_int_equal(sim_rdpmc(thread[0].sim, 0, 0, false, true, &value), SIM_RDPMC_OK);
    assert_int_equal(value, 9);
}

static void test_both(void **state)
{
    (void)state;
    wr(0, SEL0, INSTRUCTIONS | ALL | SEL_EN | SEL_ANY);
    wr(0, SEL0 + 1, INSTRUCTIONS | SEL_USR | SEL_EN | SEL_ANY);
    wr(0, FIXED_CTRL, FIXED_OS | FIXED_USR | FIXED_ANY);
    retire(0, 10, 0);
    retire(1, 5, 3);
    retire(1, 3, 0);
    assert_int_equal(rd(0, PMC0), 18);
    assert_int_equal(rd(0, PMC0 + 1), 5); /* each at its own level */
    assert_int_equal(rd(0, FIXED_CTR0), 18);
    assert_int_equal(rd(1, PMC0), 0);
}

/* While both run a clock is one; while one halts it is the other's. Cycles at one level are nobody's. */
static void test_clocks(void **state)
{
    const char *name;
    (void)state;
    wr(1, SEL0, CYCLES | ALL | SEL_EN | SEL_ANY);
    wr(1, FIXED_CTRL, (FIXED_OS | FIXED_USR | FIXED_ANY) << 4);
    retire(0, 10, 0);
    retire(1, 7, 0);
    assert_int_equal(rd(1, PMC0), 10);
    assert_int_equal(rd(1, FIXED_CTR0 + 1), 10);
    thread[0].inactive = true;
    retire(1, 7, 0);
    assert_int_equal(rd(1, PMC0), 17);
    assert_int_equal(sim_unmodelled(thread[1].sim, &name, 1), 0);
    wr(1, SEL0, CYCLES | SEL_USR | SEL_EN | SEL_ANY);
    assert_int_equal(sim_unmodelled(thread[1].sim, &name, 1), 1);
    wr(1, SEL0, INSTRUCTIONS | ALL | SEL_EN | SEL_ANY | 1u << 24); /* CMASK */
    assert_int_equal(sim_unmodelled(thread[1].sim, &name, 1), 1);
    wr(1, SEL0, 0);
    wr(1, FIXED_CTRL, (FIXED_OS | FIXED_ANY) << 4);
    assert_int_equal(sim_unmodelled(thread[1].sim, &name, 1), 1);
    wr(1, FIXED_CTRL, FIXED_OS << 4);
    assert_int_equal(sim_unmodelled(thread[1].sim, &name, 1), 0);
}

/* The overflow is the owner's, whoever makes it. */
static void test_overflow(void **state)
{
    (void)state;
    wr(0, SEL0, INSTRUCTIONS | ALL | SEL_EN | SEL_ANY | SEL_INT);
    wr(0, PMC0, -(uint64_t)5 & 0xffffffff);
    assert_true(thread[1].sim->family->exact(thread[1].sim, 10));
    retire(1, 4, 0);
    assert_int_equal(thread[0].pmi + thread[1].pmi, 0);
    retire(1, 1, 0);
    assert_int_equal(thread[0].pmi, 1);
    assert_int_equal(thread[1].pmi, 0);
    assert_int_equal(rd(0, GLOBAL_STATUS), 1);
    assert_int_equal(rd(1, GLOBAL_STATUS), 0);
}

/* One thread alone: the bit says nothing, as before. */
static void test_alone(void **state)
{
    struct sim *s = sim_new("skylake", NULL, NULL);
    const char *name;
    (void)state;
    assert_int_equal(sim_wrmsr(s, GLOBAL_CTRL, 1), 1);
    assert_int_equal(sim_wrmsr(s, SEL0, CYCLES | SEL_USR | SEL_EN | SEL_ANY), 1);
    assert_int_equal(sim_unmodelled(s, &name, 1), 0);
    sim_free(s);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(test_##name, skylake, unplug)
    const struct CMUnitTest tests[] = {
        CASE(counters), cmocka_unit_test(test_how_many),
        CASE(caches),   CASE(code),
        CASE(both),     CASE(clocks),
        CASE(overflow), CASE(flush),
        CASE(read),     cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
