/* Runs of one plan item on a machine whose RDPMC is made up (trap_rdpmc.h): how wide counters are read. */
#include "kernel/model.h"
#include "tests/unit/run_drive.h"

/* Each repetition's count: of so many events, and the readings inside of counter k's own. */
static void check(uint64_t events, unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        const unsigned inside = 2 * (n - k) - 1;
        assert_int_equal(out.count[1 + k].overhead, inside);
        for (unsigned i = 0; i < opt.reps; i++) assert_int_equal(out.count[1 + k].raw[i], events + inside);
    }
}

/* Of one counter's overhead and repetitions there are more readings. */
#define LAST 200

static void check_readings(bool fast)
{
    assert_true(trap_rdpmc_count > LAST);
    for (unsigned i = trap_rdpmc_count - LAST; i < trap_rdpmc_count; i++)
        assert_int_equal(trap_rdpmc_index[i % TRAP_RDPMC_LOG] & PMU_RDPMC_FAST, fast ? PMU_RDPMC_FAST : 0);
    assert_string_equal(out.read, fast ? "fast rdpmc" : "rdpmc");
}

/* As many as 32 bits can tell from less than nothing; more. */
PAYLOAD static void most(void *arg)
{
    (void)arg;
    trap_rdpmc_now += INT32_MAX - 100;
}

PAYLOAD static void more(void *arg)
{
    (void)arg;
    trap_rdpmc_now += INT32_MAX;
}

/* By brackets of their own and by the slots, with readings that go past 2^32 in between. */
TEST_WITH(test_fast, given, NULL)
{
    static const unsigned n[] = {1, 2, 3, PMU_COUNTERS};
    for (unsigned i = 0; i < sizeof n / sizeof *n; i++) {
        run(few, n[i], false);
        check(1000, n[i]);
        check_readings(true);
        run(most, n[i], false);
        check(INT32_MAX - 100, n[i]);
        check_readings(true);
        run(more, n[i], false);
        check(INT32_MAX, n[i]);
        check_readings(false);
    }
}

/* A payload that times itself: it is called once, and the differences of its stamps are the repetitions. */
static uint64_t stamps[6];
static unsigned series_calls;

PAYLOAD static void stamping(void *arg)
{
    static const uint64_t at[] = {1000, 1007, 1011, 1111, 1111, 5000};
    (void)arg;
    series_calls++;
    strays += 3;
    memcpy(stamps, at, sizeof stamps);
}

static bool with_stamps(struct bench_run *b)
{
    b->stamps = stamps;
    b->stamp_count = 5;
    return true;
}

TEST_WITH(test_series, given, NULL)
{
    static const uint64_t apart[] = {7, 4, 100, 0, 3889};
    prepare = with_stamps;
    series_calls = 0;
    strays = 2;
    run_any(stamping, 0, false);
    assert_int_equal(out.status, RUN_OK);
    assert_int_equal(series_calls, 1);
    assert_int_equal(out.strays, 3);
    assert_int_equal(out.n, 1);
    assert_int_equal(out.reps, 5);
    for (unsigned i = 0; i < 5; i++) assert_int_equal(out.count[0].raw[i], apart[i]);
}

/* A program without a plan's item. */
TEST_WITH(test_program, given, NULL)
{
    by_program = true;
    run(few, 2, false);
    check(1000, 2);
    assert_string_equal(out.program.name, "payload");
}

TEST_WITH(test_fast_ring3, given, NULL)
{
    opt.ring = 3;
    run(few, 2, false);
    check(1000, 2);
    check_readings(true);
    assert_true(at_ring3 > opt.reps);
}

/* The overhead is the least of the warm brackets: of no cold one, and of all the others. */
TEST_WITH(test_overhead, given, NULL)
{
    opt.ring = 3;
    opt.serialize = SERIALIZE_LFENCE; /* full readings, so nothing is measured twice */
    disturbed = true;
    run(few, 1, false);
    assert_int_equal(out.count[1].overhead, 1 + 5);
    for (unsigned i = 0; i < opt.reps; i++) assert_int_equal(out.count[1].raw[i], 1000 + 1);
    assert_int_equal(at_ring3, EMPTY + opt.warmup + opt.reps);
}

/* Seen in the first warm-up. The overhead, too, is measured anew: the log holds the full readings last. */
TEST_WITH(test_too_long, given, NULL)
{
    static const unsigned n[] = {1, 3};
    for (unsigned i = 0; i < sizeof n / sizeof *n; i++) {
        long_calls = 0;
        run(too_many, n[i], false);
        check((5ull << 32) + 7, n[i]);
        assert_int_equal(long_calls, 1 + opt.warmup + opt.reps);
        assert_true(trap_rdpmc_count > 2 * LAST);
        check_readings(false);
        for (unsigned r = 0; r < opt.reps; r++) {
            assert_true(out.count[0].raw[r] >= LONG);
            assert_true(out.count[1].upper_bits && !out.count[0].upper_bits);
            assert_int_equal(out.flags[r], 0);
        }
    }
}

/* Where the CPU has no fast reading, and where regions add up what they read. */
TEST_WITH(test_full, given, NULL)
{
    run(few, 2, true);
    check_readings(false);
    pmu.fast_rdpmc = false;
    run(few, 2, false);
    check(1000, 2);
    check_readings(false);
    run(more, 18, false);
    check(INT32_MAX, 18);
    check_readings(false);
    for (unsigned k = 0; k < 19; k++) assert_false(out.count[k].wrapped || out.count[k].upper_bits);
}

/* LFENCE does not keep a second fast reading from being less than the first. */
TEST_WITH(test_lfence, given, NULL)
{
    opt.serialize = SERIALIZE_LFENCE;
    run(few, 2, false);
    check_readings(false);
}

/* As long as a counter takes that adds 15 a tick: 28 bits of ticks for one of 32 bits. */
TEST_WITH(test_wrapped, given, NULL)
{
    pmu.fast_rdpmc = false;
    pmu.width = 32;
    long_calls = 0;
    run(too_many, 1, false);
    assert_true(out.count[1].wrapped && !out.count[0].wrapped && !out.count[1].upper_bits);
    pmu.width = 40;
    long_calls = 0;
    run(too_many, 1, false);
    assert_false(out.count[1].wrapped);
}

/* The model is asked for each counter by its own number, and not where there is none. Its cycles and its time
 * stamp are no results either, but raw[] is right. */
TEST_WITH(test_unmodelled, given, NULL)
{
    static const struct fake_cpuid lacks[] = {
        {0, 0, {.eax = MODEL_LEAF_COUNTS}},
        {MODEL_LEAF_COUNTS, TRAP_RDPMC_INDEX + 1, {.eax = MODEL_LACKS}},
        {MODEL_LEAF_COUNTS, TRAP_RDPMC_INDEX + 2, {.eax = MODEL_CLOCKS}}};
    fake_reset();
    assert_false(model_present());
    fake_cpuid(lacks, 3);
    assert_false(model_present());
    assert_int_equal(model_lacks_parts(), 0);
    run(few, 3, false);
    for (unsigned k = 0; k <= 3; k++) assert_false(out.count[k].unmodelled);
    modelled = true;
    run(few, 3, false);
    for (unsigned k = 0; k <= 3; k++) {
        assert_int_equal(out.count[k].lacking, k == 2);
        assert_int_equal(out.count[k].unmodelled, k != 1);
    }
}

/* What sets a counter back has counted less than nothing. So it has in its last repetition alone. */
static unsigned backward_calls;
PAYLOAD static void backward(void *arg)
{
    (void)arg;
    trap_rdpmc_now += ++backward_calls == 1 + opt.warmup + opt.reps || opt.reps == 1 ? -(uint64_t)5000 : 10;
}

TEST_WITH(test_negative, given, NULL)
{
    static const struct fake_cpuid lacks[] = {{0, 0, {.eax = MODEL_LEAF_COUNTS}},
                                              {MODEL_LEAF_COUNTS, TRAP_RDPMC_INDEX, {.eax = 1}},
                                              {MODEL_LEAF_COUNTS, TRAP_RDPMC_INDEX + 1, {.eax = 1}}};
    for (unsigned reps = 1; reps <= 2; reps++)
        for (unsigned fast = 0; fast < 2; fast++)
            for (unsigned n = 1; n <= 3; n++) {
                pmu.fast_rdpmc = fast;
                backward_calls = fast ? 0 : 1; /* with fast readings the repetitions run twice */
                opt.reps = reps;
                if (fast && reps == 2) continue;
                run_any(backward, n, false);
                assert_int_equal(out.status, RUN_IMPOSSIBLE);
                assert_non_null(strstr(out.bench.error, "counted -49"));
            }
    fake_reset(); /* but for what the model lacks, which is no count anyway */
    fake_cpuid(lacks, 3);
    modelled = true;
    opt.reps = 1;
    run(backward, 2, false);
    assert_true(out.count[1].unmodelled && out.count[2].unmodelled);
}

/* Half of a counter's width, and what is above. */
static uint64_t step_by;
PAYLOAD static void by_step(void *arg)
{
    (void)arg;
    trap_rdpmc_now += step_by;
}

TEST_WITH(test_half, given, NULL)
{
    pmu.fast_rdpmc = false; /* which reads nothing above bit 31 */
    for (unsigned width = 32; width <= 48; width += 8) {
        pmu.width = width;
        step_by = (1ull << (width - 1)) - 1 - 1; /* and one reading */
        run(by_step, 1, false);
        assert_int_equal(out.count[1].raw[0], (1ull << (width - 1)) - 1);
        step_by++;
        run_any(by_step, 1, false);
        assert_int_equal(out.status, RUN_IMPOSSIBLE);
    }
}

/* A call that comes back without the bracket's end: in the overhead, in a warm-up, and in the last
 * repetition. */
TEST_WITH(test_astray, given, NULL)
{
    opt.ring = 3;
    opt.serialize = SERIALIZE_LFENCE;
    const unsigned last = EMPTY + opt.warmup + opt.reps;
    const unsigned calls[] = {1, EMPTY, EMPTY + 1, last};
    for (unsigned n = 0; n < 3; n++)
        for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
            at_ring3 = 0;
            astray = calls[i];
            run_any(few, n, false);
            assert_int_equal(at_ring3, astray);
            assert_int_equal(out.status, RUN_IMPOSSIBLE);
            assert_non_null(strstr(out.bench.error, "did not return to the bracket"));
        }
    at_ring3 = 0;
    astray = last + 1; /* never */
    run(few, 1, false);
}

/* The time stamp alone is not read by RDPMC. */
TEST_WITH(test_no_counters, given, NULL)
{
    run(few, 0, false);
    assert_int_equal(trap_rdpmc_count, 0);
    assert_null(out.read);
}
