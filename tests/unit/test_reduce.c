/* Flags, culling and the noise figures; the statistics themselves are test_stats.c's. */
#include "measure/reduce.h"
#include "tests/unit/sim_hw.h"
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
    memset(&res, 0xa5, sizeof res); /* an earlier result's */
}

static bool reduce_one(const struct options *o, const struct machine *m, struct arena *a, struct result *r)
{
    reduce_flags(&run, m, a);
    return reduce(&run, 0, o, m, a, r);
}

TEST(test_slow)
{
    static const uint64_t v[] = {1100, 1100, 1105, 1100, 1211, 1100, 1210};
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
    given(v, 7);
    const struct machine model = {.modelled = true};
    assert_true(reduce_one(&opt, &model, &arena, &res));
    assert_int_equal(res.slow, 0);
}

/* More than 10 % and more than a microsecond above the median, which is that of an even number's upper half.
 */
TEST(test_margin)
{
    static const struct {
        uint64_t median, rate, last;
        bool slow;
    } cases[] = {{1000, 1000000, 1100, false},  {1000, 1000000, 1101, true}, {1000, 300000000, 1300, false},
                 {1000, 300000000, 1301, true}, {1000, 0, 1101, true},       {3999, 400999999, 4399, false},
                 {3999, 400999999, 4400, true}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t v[] = {cases[i].median - 500, cases[i].median - 400, cases[i].median + 50,
                              cases[i].last, cases[i].median};
        const struct machine m = {.clock.tsc_hz = cases[i].rate};
        given(v, 5);
        assert_true(reduce_one(&opt, &m, &arena, &res));
        assert_int_equal(res.slow, cases[i].slow);
        assert_int_equal(flags[3], cases[i].slow ? REP_SLOW : 0);
        const uint64_t first[] = {v[3], v[0], v[1], v[2], v[4]};
        given(first, 5);
        assert_true(reduce_one(&opt, &m, &arena, &res));
        assert_int_equal(flags[0], cases[i].slow ? REP_SLOW : 0);
    }
}

/* Disturbances of the run as a whole are added to those of repetitions. */
TEST(test_disturbed)
{
    static const uint64_t v[] = {1000, 1000, 1000, 1000};
    given(v, 4);
    flags[1] = REP_SMI | REP_STRAY;
    flags[3] = REP_STRAY;
    run.smis = 10;
    run.strays = 20;
    assert_true(reduce_one(&opt, &machine, &arena, &res));
    assert_true(res.smi == 11 && res.stray == 22 && res.slow == 0 && !res.is_series);
    assert_int_equal(res.noise.least, 0); /* of a series alone */
    assert_int_equal(res.noise.late_min, 0);
}

/* Values in steps of 36 ticks do not become sharper than half a step by all being equal. */
TEST(test_step)
{
    static const uint64_t v[] = {1108, 1108, 1108, 1108};
    given(v, 4);
    assert_true(reduce_one(&opt, &coarse, &arena, &res));
    assert_float_equal(res.stats.ci, 1.8, 1e-12); /* 18 ticks, 10 operations */
    assert_true(reduce_one(&opt, &machine, &arena, &res));
    assert_true(res.stats.ci == 0);
    static const struct machine two = {.clock.step = 2}, one = {.clock.step = 1};
    assert_true(reduce_one(&opt, &two, &arena, &res));
    assert_float_equal(res.stats.ci, 0.1, 1e-12);
    assert_true(reduce_one(&opt, &one, &arena, &res)); /* every value is possible */
    assert_true(res.stats.ci == 0);
    run.count[1] = run.count[0]; /* a counter counts each event */
    assert_true(reduce(&run, 1, &opt, &coarse, &arena, &res));
    assert_true(res.stats.ci == 0);
}

/* A raw value below the overhead lowers it, and the result says so. */
TEST(test_overhead_lowered)
{
    static const uint64_t v[] = {90, 95, 110};
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

TEST(test_cull)
{
    static const uint64_t v[] = {1100, 9000, 1100, 1100};
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

TEST(test_noise)
{
    static const uint64_t v[] = {1000, 1000, 1100, 1101, 1001, 1798};
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
    static const uint64_t none[] = {0, 0};
    given(none, 2);
    run.bench.stamp_count = 2;
    assert_true(reduce_one(&opt, &machine, &arena, &res));
    assert_true(res.is_series && res.noise.lost_share == 0);
}

TEST(test_memory)
{
    static const uint64_t v[] = {1, 2, 3};
    given(v, 3);
    arena.size = 8;
    assert_false(reduce_one(&opt, &machine, &arena, &res));
}

/* With a baseline each statistic is a difference, to the integer; flags count in both. */
TEST(test_baseline)
{
    static const uint64_t v[] = {1700, 1690, 1710, 2900, 1700};
    static uint64_t base[] = {700, 720, 690, 700, 890};
    static uint8_t base_flags[5];
    given(v, 5);
    memset(base_flags, 0, sizeof base_flags);
    base_flags[1] = REP_SMI;
    flags[0] = REP_SMI | REP_STRAY;
    run.count[0].base = base;
    run.base_flags = base_flags;
    run.count[0].overhead = 0;
    assert_true(reduce_one(&opt, &machine, &arena, &res));
    assert_int_equal(res.raw_min, 1690);
    assert_int_equal(run.count[0].overhead, 690);
    assert_false(run.count[0].overhead_lowered);
    assert_true(res.stats.min == 100 && res.stats.median == 100 && res.stats.mode == 100);
    assert_true(res.stats.max == (2900 - 890) / 10.0);
    assert_float_equal(res.stats.mean, (1940 - 740) / 10.0, 1e-9);
    assert_int_equal(res.smi, 2);
    assert_int_equal(res.stray, 1);
    assert_int_equal(res.slow, 2); /* 2900 and 890 */
    assert_int_equal(flags[3], REP_SLOW);
    assert_int_equal(base_flags[4], REP_SLOW);
    assert_true(res.stats.ci > 0);
    assert_true(base[1] == 720 && raw[1] == 1690); /* the order is kept */
    opt.cull = true;
    assert_true(reduce_one(&opt, &machine, &arena, &res));
    assert_int_equal(res.culled, 2);
    assert_true(res.stats.max == (1710 - 700) / 10.0);
    given(v, 5); /* a payload that seems shorter than its baseline: negative, not lowered */
    static uint64_t more[] = {1800, 1800, 1800, 1800, 1800};
    run.count[0].base = more;
    run.base_flags = base_flags;
    assert_true(reduce_one(&opt, &machine, &arena, &res));
    assert_true(res.stats.min == -11 && res.below_zero && !run.count[0].overhead_lowered);
    static const uint64_t same[] = {2800, 2800, 2800, 2800, 2800};
    given(same, 5);
    run.count[0].base = more;
    run.base_flags = base_flags;
    assert_true(reduce_one(&opt, &coarse, &arena, &res)); /* a step of 36 ticks at either end */
    assert_float_equal(res.stats.ci, 3.6, 1e-12);
    assert_true(reduce_one(&opt, &machine, &arena, &res));
    assert_true(res.stats.ci == 0 && res.stats.min == 100 && res.stats.mean == 100);
}

/* A payload contains its baseline: it may count less by noise alone. Instructions are
 * exact. */
TEST(test_below_baseline)
{
    static const struct {
        uint64_t value, base;
        double ops;
        const char *event; /* NULL: the time stamp */
        bool error;
    } cases[] = {
        {1000, 1000, 10, "data_read", false},
        {936, 1000, 10, "data_read", false},
        {935, 1000, 10, "data_read", true},
        {900, 1000, 100, "data_read", false},
        {899, 1000, 100, "data_read", true},
        {999, 1000, 100, "instructions", true},
        {1000, 1000, 100, "instructions", false},
        {999, 1000, 1, "instructions:u", true},
        {999, 1000, 1, "instructions_executed", true},
        {936, 1000, 1, "cycles", false},
        {935, 1000, 1, "cycles", true},
        {750, 1000, 10, NULL, false},
        {749, 1000, 10, NULL, true},
        {0, 64, 1, NULL, false},
        {0, 65, 1, NULL, true},
    };
    static struct pmu pmu;
    static const struct sim_host host;
    static struct cpu_id p5;
    static const struct cpu cpu = {.pmu = &pmu};
    struct sim *sim = sim_new("p5", NULL, &host);
    sim_hw_plug(sim, &p5);
    assert_true(pmu_probe(&p5, &pmu));
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t v[] = {cases[i].value, cases[i].value, cases[i].value, 9000};
        uint64_t base[] = {10, cases[i].base, cases[i].base,
                           cases[i].base}; /* one outlier in each does not hide it */
        const unsigned k = cases[i].event != NULL;
        given(v, 4);
        run.cpu = &cpu;
        run.bench.ops = cases[i].ops;
        run.count[k].raw = raw;
        run.count[k].base = base;
        run.count[k].event = cases[i].event ? cases[i].event : "tsc";
        run.count[0].raw = raw;
        const bool good = reduce(&run, k, &opt, &machine, &arena, &res);
        if (good == cases[i].error) fail_msg("case %u", i);
        assert_int_equal(run.status, good ? RUN_OK : RUN_IMPOSSIBLE);
        assert_int_equal(res.below_zero, cases[i].value < cases[i].base);
        if (!good)
            assert_non_null(strstr(run.bench.error, "but its baseline, which is part of it, counted "));
        assert_int_equal(arena.used, 0);
        const struct machine emulator = {.time_origin = ORIGIN_EMULATED};
        run.status = RUN_OK;
        assert_int_equal(reduce(&run, k, &opt, &emulator, &arena, &res), good || k == 0);
        run.count[k].unmodelled = true; /* what is no count anyway */
        run.status = RUN_OK;
        assert_true(reduce(&run, k, &opt, &machine, &arena, &res));
    }
    sim_free(sim);
}

/* By the flags of the payload and of its baseline, and of a series as a whole. */
TEST(test_disturbance)
{
    static const uint64_t v[] = {1100, 1000, 1300, 1001, 1002, 1003};
    static uint8_t base_flags[6] = {0, REP_SLOW | REP_SMI, 0, 0, 0, REP_STRAY};
    struct disturbance d;
    given(v, 6);
    reduce_flags(&run, &machine, &arena);
    assert_true(reduce_disturbance(&run, &arena, &d));
    assert_true(disturbed(&d) && d.slow == 1 && d.smi == 0 && d.stray == 0);
    assert_true(d.median == 1003 && d.max == 1300);
    assert_int_equal(arena.used, 0);
    assert_int_equal(raw[0], 1100);
    given(v + 3, 3);
    assert_true(reduce_disturbance(&run, &arena, &d));
    assert_false(disturbed(&d));
    run.base_flags = base_flags;
    run.reps = 6;
    assert_true(reduce_disturbance(&run, &arena, &d));
    assert_true(disturbed(&d) && d.slow == 1 && d.smi == 1 && d.stray == 1);
    given(v + 3, 3);
    run.strays = 2;
    assert_true(reduce_disturbance(&run, &arena, &d) && disturbed(&d) && d.stray == 2);
    run.strays = 0, run.smis = 1;
    assert_true(reduce_disturbance(&run, &arena, &d) && disturbed(&d) && d.smi == 1);
    assert_true(reduce(&run, 0, &opt, &machine, &arena, &res) && res.smi == 1 && res.smis == 0);
    run.counts_smis = true; /* by a counter of the run's, and not by repetition */
    assert_true(reduce_disturbance(&run, &arena, &d) && disturbed(&d) && d.smi == 1);
    assert_true(reduce(&run, 0, &opt, &machine, &arena, &res) && res.smi == 0 && res.smis == 1);
    arena.size = 8;
    assert_false(reduce_disturbance(&run, &arena, &d));
}
