/* Sampling a short payload: it is repeated until the samples that are wanted are there, and no longer than it
 * makes sense. */
#include "tests/unit/sampling_drive.h"
#include "tests/unit/sim_hw.h"
#include "tests/unit/unit.h"
#include <string.h>

#define SHORT 700

PAYLOAD static void short_payload(void *arg)
{
    (void)arg;
    for (unsigned k = 0; k < SHORT; k++) {
        sim_hw_run(1, 3);
        if (m.pending) deliver(0x1000 + 2 * (k % 8), k);
    }
}

static void ask_repeated(const char *event, uint64_t period)
{
    plug("p3", NULL);
    ask(SAMPLE_BY_PMI, event, period);
    opt.repeat = true;
    repeat_ticks = 10000000;
    calls = 0;
}

static void run_repeated(void)
{
    run_payload(short_payload);
    if (out.run.status != RUN_OK) fail_msg("status %d: %s", (int)out.run.status, out.run.bench.error);
}

/* Both passes call the payload as often: all that is compared is of as much work. */
static void check_passes(void)
{
    assert_int_equal(out.occurred, out.run.reps * SHORT);
    assert_true(out.tsc[0] >= out.run.reps * SHORT && out.tsc[0] < out.run.reps * (SHORT + 10));
}

/* Each call begins anywhere in a period: on average they are as many as periods. */
static void check_rate(void)
{
    const double due = (double)out.run.reps * SHORT / out.period, off = (double)out.samples.n - due;
    assert_true(off * off <= 16 * due + 4);
}

TEST(test_as_many_as_wanted)
{
    static const unsigned wanted[] = {0, 1, 10, 5000};
    for (unsigned i = 0; i < 4; i++) {
        ask_repeated("inst_retired:u", 0);
        opt.samples = wanted[i];
        run_repeated();
        const unsigned n = wanted[i] ? wanted[i] : SAMPLES_DEF;
        assert_true(out.samples.n >= n && out.samples.n <= 2 * n);
        assert_true(out.period >= 100);
        check_rate();
        assert_int_equal(out.samples.lost, 0);
        check_passes();
    }
}

TEST(test_given_period)
{
    static const unsigned period[] = {10, 700, 12345};
    for (unsigned i = 0; i < 3; i++) {
        ask_repeated("inst_retired:u", period[i]);
        opt.samples = 200;
        run_repeated();
        assert_int_equal(out.period, period[i]);
        check_rate();
        assert_true(out.samples.n >= 200 && out.samples.n < 200 + SHORT / 10);
        check_passes();
    }
}

/* reps= is as many calls as it says. */
TEST(test_given_reps)
{
    ask_repeated("inst_retired:u", 0);
    opt.repeat = false;
    opt.reps = 30;
    run_repeated();
    assert_int_equal(out.run.reps, 30);
    assert_int_equal(out.period, 101);
    assert_int_equal(calls, 2 * 30);
    check_passes();
}

/* A costly handler: a longer period, more repetitions, and as many samples. */
TEST(test_share)
{
    ask_repeated("inst_retired:u", 0);
    sim_hw_rdtsc_takes = 300;
    run_repeated();
    assert_true(sampling_share(&out) < SHARE_MOST);
    assert_true(out.samples.n >= SAMPLES_DEF && out.samples.n <= 2 * SAMPLES_DEF);
}

TEST(test_time_is_up)
{
    ask_repeated("inst_retired:u", 0);
    repeat_ticks = 50000;
    run_repeated();
    assert_true(out.samples.n >= 300 && out.samples.n <= 500);
    check_passes();
    ask_repeated("inst_retired:u", 1000000);
    repeat_ticks = 50000;
    run_repeated();
    assert_int_equal(out.samples.n, 0);
    assert_true(calls < 300);
}

/* An event that does not happen is not waited for. */
TEST(test_never)
{
    ask_repeated("fp_assist:u", 0);
    run_repeated();
    assert_int_equal(out.occurred + out.samples.n, 0);
    assert_true(calls < 10000000 / SHORT / 4);
    assert_int_equal(calls, (4 * out.run.reps - 1) / 3 +
                                out.run.reps); /* the search's 1, 4, 16, ..., and the last again */
}

/* Nor are interrupts that do not come. */
TEST(test_deaf)
{
    ask_repeated("inst_retired:u", 1000);
    m.deaf = true;
    run_payload(short_payload);
    assert_int_equal(out.run.status, RUN_PMU);
    assert_non_null(strstr(out.run.bench.error, "no interrupt came"));
    assert_true(calls < 100);
}
