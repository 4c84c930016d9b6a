/* Flags, culling and the noise figures; the statistics themselves are test_stats.c's. */
#include "measure/reduce.h"
#include "tests/unit/unit.h"
#include <string.h>

static uint8_t memory[65536];
static struct arena arena;
static uint64_t raw[16];
static uint8_t flags[16];
static struct run run;
static struct options opt;
static struct result res;
static const struct machine machine, fast = {.clock.tsc_hz = 2000000000}, coarse = {.clock.step = 36};

static void given(const uint64_t *values, unsigned n)
{
    arena = (struct arena){memory, sizeof memory, 0};
    memset(&run, 0, sizeof run);
    memset(flags, 0, sizeof flags);
    memcpy(raw, values, n * sizeof *values);
    run.count[0].raw = raw;
    run.n = 1;
    run.flags = flags;
    run.reps = n;
    run.bench.ops = 10;
    run.count[0].overhead = 100;
    opt = (struct options){.conf = 95};
}

static bool reduce_one(const struct options *o, const struct machine *m, struct arena *a, struct result *r)
{
    reduce_flags(&run, m, a);
    return reduce(&run, 0, o, m, a, r);
}

static void test_slow(void **state)
{
    static const uint64_t v[] = {1100, 1100, 1105, 1100, 1211, 1100, 1210};
    (void)state;
    given(v, 7);
    flags[0] = REP_SMI;
    assert_true(reduce_one(&opt, &machine, &arena, &res)); /* rate unknown: 10 % alone */
    assert_int_equal(res.slow, 1);
    assert_int_equal(flags[4], REP_SLOW);
    assert_int_equal(flags[6], 0); /* exactly 10 % is not above */
    assert_int_equal(res.smi, 1);
    assert_int_equal(res.raw_min, 1100);
    assert_int_equal(raw[4], 1211); /* order is kept for all=1 */
    assert_true(res.stats.min == 100 && res.stats.max == 111.1);
    assert_int_equal(res.stats.n, 7);
    assert_int_equal(res.culled, 0);
    given(v, 7);
    assert_true(reduce_one(&opt, &fast, &arena, &res)); /* 1 us = 2000 ticks is more than 10 % */
    assert_int_equal(res.slow, 0);
}

/* Values in steps of 36 ticks do not become sharper than half a step by all being equal. */
static void test_step(void **state)
{
    static const uint64_t v[] = {1108, 1108, 1108, 1108};
    (void)state;
    given(v, 4);
    assert_true(reduce_one(&opt, &coarse, &arena, &res));
    assert_float_equal(res.stats.ci, 1.8, 1e-12); /* 18 ticks, 10 operations */
    assert_true(reduce_one(&opt, &machine, &arena, &res));
    assert_true(res.stats.ci == 0);
}

/* A raw value below the overhead lowers it, and the result says so. */
static void test_overhead_lowered(void **state)
{
    static const uint64_t v[] = {90, 95, 110};
    (void)state;
    given(v, 3);
    assert_true(reduce_one(&opt, &machine, &arena, &res));
    assert_true(run.count[0].overhead_lowered);
    assert_int_equal(run.count[0].overhead, 90);
    assert_true(res.stats.min == 0);
    static const uint64_t plain[] = {100, 105, 110};
    given(plain, 3);
    assert_true(reduce_one(&opt, &machine, &arena, &res));
    assert_false(run.count[0].overhead_lowered);
    assert_int_equal(run.count[0].overhead, 100);
}

static void test_cull(void **state)
{
    static const uint64_t v[] = {1100, 9000, 1100, 1100};
    (void)state;
    given(v, 4);
    opt.cull = true;
    assert_true(reduce_one(&opt, &machine, &arena, &res));
    assert_int_equal(res.culled, 1);
    assert_int_equal(res.stats.n, 3);
    assert_true(res.stats.max == 100);
    given(v, 4);
    opt.cull = true;
    memset(flags, REP_SMI, 4); /* all flagged: none is left out */
    assert_true(reduce_one(&opt, &machine, &arena, &res));
    assert_int_equal(res.culled, 0);
    assert_int_equal(res.stats.n, 4);
}

static void test_noise(void **state)
{
    static const uint64_t v[] = {1000, 1000, 1100, 1101, 1001, 1798};
    (void)state;
    given(v, 6);
    run.bench.stamp_count = 6;
    run.bench.ops = 1;
    run.count[0].overhead = 0;
    assert_true(reduce_one(&opt, &machine, &arena, &res));
    assert_true(res.is_series);
    assert_int_equal(res.noise.least, 1000);
    assert_int_equal(res.noise.late_min, 4);
    assert_int_equal(res.noise.late_10pct, 2); /* 1101 and 1798, not 1100 */
    assert_int_equal(res.noise.detour_max, 798);
    assert_float_equal(res.noise.lost_share, 1000.0 / 7000.0, 1e-12);
}

static void test_memory(void **state)
{
    static const uint64_t v[] = {1, 2, 3};
    (void)state;
    given(v, 3);
    arena.size = 8;
    assert_false(reduce_one(&opt, &machine, &arena, &res));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow), cmocka_unit_test(test_step),  cmocka_unit_test(test_overhead_lowered),
        cmocka_unit_test(test_cull), cmocka_unit_test(test_noise), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
