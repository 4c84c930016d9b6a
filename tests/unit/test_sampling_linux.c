/* sample=timer in a Linux process: its one timer is chosen, counts nanoseconds, and keeps its period. */
#include "kernel/linux_timer.h"
#include "tests/unit/sampling_drive.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

#define TSC_HZ     10000000u /* an instruction takes a tick: 100 ns */
#define TICK_NS    100u
#define TIME_NS    ((uint64_t)N * TICK_NS)
#define PAYLOAD_AT 0x1000

const bool linux_timer_exists = true;

static struct {
    unsigned ns, starts, stops;
} timer;

bool linux_timer(unsigned ns)
{
    timer.ns = ns;
    if (ns)
        timer.starts++;
    else
        timer.stops++;
    return true;
}

PAYLOAD static void payload(void *arg)
{
    (void)arg;
    for (unsigned k = 1; k <= N; k++) {
        sim_hw_run(1, 3);
        if (timer.ns && (uint64_t)k * TICK_NS % timer.ns == 0)
            interrupt(VECTOR_SAMPLE, PAYLOAD_AT + 2 * (k % 8), k);
    }
}

static void begin(enum sampling_timer asked, uint32_t period)
{
    plug("p3", NULL);
    memset(&timer, 0, sizeof timer);
    tsc_hz = TSC_HZ;
    ask(SAMPLE_BY_TIMER, NULL, period);
    opt.timer = asked;
}

TEST(is_chosen)
{
    static const enum sampling_timer asked[] = {TIMER_AUTO, TIMER_LINUX};
    for (unsigned i = 0; i < 2; i++) {
        begin(asked[i], 1000000);
        run_payload(payload);
        assert_int_equal(out.run.status, RUN_OK);
        assert_string_equal(out.unit, "ns");
        assert_int_equal(out.samples.n, TIME_NS / 1000000);
        assert_in_range(out.occurred, TIME_NS, TIME_NS + 10 * TICK_NS);
        assert_int_equal(out.jitter, 0);
    }
}

/* The handler starts no timer: GS may be the payload's, and a system call needs it. */
TEST(starts_once)
{
    begin(TIMER_LINUX, 500000);
    run_payload(payload);
    assert_int_equal(out.run.status, RUN_OK);
    assert_int_equal(out.samples.n, TIME_NS / 500000);
    assert_int_equal(timer.starts, 1);
    assert_int_equal(timer.stops, 1);
    assert_int_equal(timer.ns, 0);
    assert_int_equal(trap_strays, 0);
    assert_int_equal(m.eois, 0);
}

/* 10 us to the greatest int32_t; below, signals would take all the time. */
TEST(periods)
{
    static const struct {
        uint32_t period;
        bool possible;
    } cases[] = {{9999, false}, {10000, true}, {INT32_MAX, true}, {1u << 31, false}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(TIMER_LINUX, cases[i].period);
        run_payload(payload);
        if (cases[i].possible) continue;
        assert_int_equal(out.run.status, RUN_PMU);
        assert_string_equal(out.run.bench.error, "period= takes 10000 to 2147483647 ns here");
        assert_int_equal(timer.starts, 0);
    }
}

TEST(period_auto)
{
    begin(TIMER_LINUX, 0);
    opt.samples = 5000; /* more than its shortest period can give: every 2 us */
    opt.reps = 1;
    run_payload(payload);
    assert_true(out.period >= LINUX_TIMER_MIN);
}

/* More interrupts than four times the buffer and a thousand end sampling: without a system call, too. */
static unsigned stops_inside;
PAYLOAD static void storm(void *arg)
{
    (void)arg;
    for (unsigned k = 0; timer.ns && k < N; k++) {
        sim_hw_run(1, 3);
        interrupt(VECTOR_SAMPLE, PAYLOAD_AT, k);
    }
    stops_inside += timer.stops;
}

TEST(ends_a_storm)
{
    begin(TIMER_LINUX, LINUX_TIMER_MIN);
    opt.samples = 10;
    run_payload(storm);
    assert_true(out.storm);
    assert_int_equal(stops_inside, 0);
    assert_int_equal(timer.stops, 1);
}
