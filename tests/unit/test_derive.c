/* Ratios of what was measured, and of nothing else; on the model's Pentium III. */
#include "measure/derive.h"
#include "tests/unit/sim_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

static struct pmu pmu;
static struct measured m;
static struct derived got[16];
static unsigned n;

static void add(const char *word, double value)
{
    static struct pmu_code codes[EVENTS_MAX];
    struct pmu_code *code = &codes[m.n];
    char why[96], near[96];
    assert_true(pmu_event_parse(&pmu, word, strlen(word), code, why, sizeof why, near, sizeof near));
    m.event[m.n].code = code;
    m.event[m.n].overhead_lowered = false;
    m.event[m.n++].value = value;
}

static void out(void *ctx, const struct derived *d)
{
    (void)ctx;
    got[n++] = *d;
}

static int setup(void **state)
{
    static const struct sim_host host;
    static struct cpu_id id;
    struct sim *sim = sim_new("p3", NULL, &host);
    sim_hw_plug(sim, &id);
    *state = sim;
    return pmu_probe(&id, &pmu) ? 0 : -1;
}

static int teardown(void **state)
{
    sim_free(*state);
    return 0;
}

static void test_ratios(void **state)
{
    (void)state;
    m.n = n = 0;
    add("inst_retired", 300); /* is what perf calls instructions */
    add("cycles", 200);
    m.event[1].overhead_lowered = true;
    add("dcu_lines_in", 10);
    add("dcu_miss_outstanding", 70);
    derive(&pmu, &m, out, NULL);
    assert_int_equal(n, 2);
    assert_string_equal(got[0].name, "IPC");
    assert_true(got[0].value == 1.5);
    assert_string_equal(got[1].name, "L1D miss penalty, cycles");
    assert_true(got[1].value == 7);
    assert_true(got[0].overhead_lowered && !got[1].overhead_lowered);
}

/* The article's throughput. */
static void test_uops(void **state)
{
    (void)state;
    m.n = n = 0;
    add("cycles", 100);
    add("uops_retired", 21);
    derive(&pmu, &m, out, NULL);
    assert_int_equal(n, 1);
    assert_string_equal(got[0].name, DERIVED_UOPS_PER_CYCLE);
    assert_string_equal(got[0].formula, "uops_retired / cycles");
    assert_true(got[0].value == 0.21);
}

/* Ratios with a term in common are none of them told instead of another. */
static void test_common_terms(void **state)
{
    static const char *const names[] = {"IPC", DERIVED_UOPS_PER_CYCLE, "micro-operations per instruction"};
    (void)state;
    m.n = n = 0;
    add("cycles:k", 0.5);
    add("instructions:k", 1);
    add("uops_retired:k", 2);
    derive(&pmu, &m, out, NULL);
    assert_int_equal(n, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_string_equal(got[i].name, names[i]);
        assert_string_equal(got[i].suffix, ":k");
    }
    assert_true(got[0].value == 2 && got[1].value == 4 && got[2].value == 2);
}

static void test_privilege(void **state)
{
    (void)state;
    m.n = n = 0;
    add("instructions:u", 100);
    add("cycles:k", 50);
    derive(&pmu, &m, out, NULL);
    assert_int_equal(n, 0); /* terms of different privilege do not make a ratio */
    add("cycles:u", 400);
    derive(&pmu, &m, out, NULL);
    assert_int_equal(n, 1);
    assert_string_equal(got[0].suffix, ":u");
    assert_true(got[0].value == 0.25);
}

static void test_zero(void **state)
{
    (void)state;
    m.n = n = 0;
    add("instructions", 100);
    add("cycles", 0);
    derive(&pmu, &m, out, NULL);
    assert_int_equal(n, 0);
}

/* perf's words for caches; what two rows have in common is told once. */
static void test_cache_words(void **state)
{
    (void)state;
    m.n = n = 0;
    add("L1-dcache-loads", 40); /* data_mem_refs */
    add("L1-dcache-load-misses", 10);
    add("L1-icache-loads", 8); /* ifu_ifetch */
    add("L1-icache-load-misses", 2);
    add("LLC-store-misses", 1);
    derive(&pmu, &m, out, NULL);
    assert_int_equal(n, 2);
    assert_string_equal(got[0].name, "L1D miss ratio");
    assert_true(got[0].value == 0.25);
    assert_string_equal(got[1].name, "L1I load miss ratio");
    assert_true(got[1].value == 0.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ratios), cmocka_unit_test(test_privilege),
                                       cmocka_unit_test(test_zero),   cmocka_unit_test(test_cache_words),
                                       cmocka_unit_test(test_uops),   cmocka_unit_test(test_common_terms)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
