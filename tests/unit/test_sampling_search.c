/* The search for a period alone: primes and powers of two, limits, and what results of a try say of the next.
 */
#include "kernel/user.h"
#include "measure/sampling_job.h"
#include "tests/unit/sampling_machine.h"
#include "tests/unit/unit.h"
#include "tests/unit/user_stack.h"
#include <math.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof(a)[0])

/* Nothing is run here. */
void user_call(void *top, user_fn *bracket, void *code, void *arg, void *reading)
{
    (void)top, (void)bracket, (void)code, (void)arg, (void)reading;
}

static struct machine machine;
static const struct cpu cpu = {.machine = &machine, USER_STACK};
static struct options opt;
static struct sampling out;
static const struct pmu_code event;
static struct job j;

static void given(enum sampling_by by, enum sampling_timer timer)
{
    memset(&out, 0, sizeof out);
    opt = (struct options){.sample = by};
    out.unit = "events";
    j = (struct job){.opt = &opt,
                     .cpu = &cpu,
                     .out = &out,
                     .event = by == SAMPLE_BY_TIMER ? NULL : &event,
                     .timer = timer};
    if (by == SAMPLE_BY_PEBS) pebs_plain(&j.pebs, 0, true);
}

static uint32_t found(double wanted)
{
    sampling_find_period(&j, wanted);
    return out.period;
}

static bool is_prime(uint32_t n)
{
    for (uint32_t d = 2; (uint64_t)d * d <= n; d++)
        if (n % d == 0) return false;
    return n > 1;
}

/* The first prime from the wanted number on, and from the least one; the greatest period even where it is
 * none. */
TEST(primes)
{
    static const struct {
        enum sampling_by by;
        uint32_t from, to, least, most;
    } cases[] = {{SAMPLE_BY_PMI, 1, 3000, 100, INT32_MAX},
                 {SAMPLE_BY_PMI, 46341u * 46341u - 5, 46341u * 46341u + 5, 100, INT32_MAX},
                 {SAMPLE_BY_PMI, INT32_MAX - 20u, INT32_MAX + 3u, 100, INT32_MAX},
                 {SAMPLE_BY_TIMER, 0, 2000, 2, 65535},
                 {SAMPLE_BY_TIMER, 52400, 52500, 2, 52428}, /* so that with jitter none is above 65535 */
                 {SAMPLE_BY_TIMER, 65500, 65540, 2, 65535}};
    for (unsigned i = 0; i < N(cases); i++)
        for (uint32_t wanted = cases[i].from; wanted < cases[i].to; wanted++) {
            given(cases[i].by, TIMER_PIT);
            if (cases[i].by == SAMPLE_BY_PMI) j.timer = TIMER_AUTO;
            opt.jitter_given = cases[i].most == 65535;
            uint32_t n = wanted < cases[i].least ? cases[i].least : wanted;
            while (n < cases[i].most && !is_prime(n)) n++;
            assert_int_equal(found(wanted), n < cases[i].most ? n : cases[i].most);
        }
    given(SAMPLE_BY_PMI, TIMER_AUTO);
    assert_int_equal(found(1e12), INT32_MAX);
}

/* The RTC's powers of two: more than 2/3 of the wanted number, and at most 4/3 of it. */
TEST(powers_of_two)
{
    given(SAMPLE_BY_TIMER, TIMER_RTC);
    for (uint32_t wanted = 1; wanted < 40000; wanted++) {
        const uint32_t n = found(wanted);
        assert_true(n >= 4 && n <= 16384 && (n & (n - 1)) == 0);
        assert_true(n * 3 > wanted * 2 || n == 16384);
        assert_true(n * 3 <= wanted * 4 || n == 4);
    }
}

/* A timer's period is at least 5 us, beyond the facility's least one; at 4 GHz where the TSC's rate is
 * unknown. */
TEST(timer_rate)
{
    given(SAMPLE_BY_TIMER, TIMER_APIC);
    out.occurred = 1000000; /* 100 MHz in a hundredth of a second of 1 GHz */
    out.tsc[0] = 10000000;
    machine.clock.tsc_hz = 1000000000;
    assert_int_equal(found(1), 503); /* 2 + 500, and the next prime */
    assert_int_equal(found(600), 601);
    machine.clock.tsc_hz = 0;
    assert_int_equal(found(1), 2003);
}

TEST(jitter)
{
    static const struct {
        uint32_t period, wanted, got;
    } cases[] = {
        {100, 0, 0}, {100, 98, 98},          {100, 99, 98},           {1, 5, 0}, {2, 5, 0}, {3, 5, 1},
        {4, 2, 2},   {INT32_MAX - 5u, 4, 4}, {INT32_MAX - 5u, 100, 5}};
    for (unsigned i = 0; i < N(cases); i++) {
        given(SAMPLE_BY_PMI, TIMER_AUTO);
        opt.jitter = cases[i].wanted;
        sampling_use_period(&j, cases[i].period);
        assert_int_equal(out.period, cases[i].period);
        assert_int_equal(out.jitter, cases[i].got);
    }
}

TEST(limits)
{
    static const struct {
        enum sampling_by by;
        enum sampling_timer timer;
        uint32_t least, most;
        const char *why;
    } cases[] = {
        {SAMPLE_BY_PMI, TIMER_AUTO, 1, INT32_MAX, "period= takes 1 to 2147483647 events here"},
        {SAMPLE_BY_NMI, TIMER_AUTO, 1, INT32_MAX, "period= takes 1 to 2147483647 events here"},
        {SAMPLE_BY_PEBS, TIMER_AUTO, 2, INT32_MAX, "period= takes 2 to 2147483647 events here"},
        {SAMPLE_BY_TIMER, TIMER_APIC, 2, INT32_MAX, "period= takes 2 to 2147483647 events here"},
        {SAMPLE_BY_TIMER, TIMER_PIT, 2, 65535, "period= takes 2 to 65535 events here"},
        {SAMPLE_BY_TIMER, TIMER_RTC, 4, 16384, "period= takes 4 to 16384 events here"},
    };
    for (unsigned i = 0; i < N(cases); i++) {
        const uint32_t periods[] = {0, cases[i].least, cases[i].most, cases[i].least - 1, cases[i].most + 1};
        for (unsigned k = 0; k < N(periods); k++) {
            const bool good = k < 3 || periods[k] == 0; /* 0: to be found */
            given(cases[i].by, cases[i].timer);
            opt.period = periods[k];
            assert_int_equal(sampling_period_possible(&j), good);
            assert_int_equal(out.run.status == RUN_OK, good);
            assert_string_equal(out.run.bench.error, good ? "" : cases[i].why);
        }
    }
}

/* A processor whose PEBS takes multiples of 64 from 128 on: those alone, and none drawn. */
TEST(multiples)
{
    for (unsigned k = 0; k < 5; k++) {
        static const uint32_t period[] = {128, 192, 64, 129, 0x7fffffc0};
        given(SAMPLE_BY_PEBS, TIMER_AUTO);
        j.pebs.least = 128;
        j.pebs.step = 64;
        opt.period = period[k];
        assert_int_equal(sampling_period_possible(&j), k != 2 && k != 3);
        if (k == 3) assert_non_null(strstr(out.run.bench.error, "multiples of 64 here, without jitter="));
        if (k == 2) assert_non_null(strstr(out.run.bench.error, "period= takes 128 to"));
    }
    for (unsigned k = 0; k < 2; k++) {
        given(SAMPLE_BY_PEBS, TIMER_AUTO);
        j.pebs.least = 128;
        j.pebs.step = 64;
        opt.jitter = k;
        opt.period = 0;
        assert_int_equal(sampling_period_possible(&j), !k);
    }
    opt.jitter = 0;
    assert_int_equal(found(0), 128);
    assert_int_equal(found(129), 192);
    assert_int_equal(found(1000), 1024);
    assert_int_equal(found(1024), 1024);
    j.pebs.step = 1; /* with a least period alone, primes again, and what is drawn is no less */
    opt.jitter = 1000;
    assert_int_equal(found(50), 131);
    assert_int_equal(out.jitter, 3);
}

/* After a try with a period of 1,010, of which 10 events or clocks were the interrupt's own. */
TEST(better)
{
    static const struct {
        bool repeat, storm;
        uint64_t occurred;
        unsigned inside, outside, lost, wanted;
        uint64_t handler; /* beside 1,000 ticks without it */
        double better, least;
    } cases[] = {
        {0, 1, 1000000, 900, 60, 40, 500, 0, 4040, 0},
        {0, 0, 1000000, 0, 0, 0, 500, 0, 1010 / 8.0, 0},
        {1, 0, 1000000, 0, 0, 0, 500, 0, 1010, 0},
        {0, 0, 1000000, 900, 60, 40, 500, 0, 2010, 0},
        {0, 0, 1000000, 900, 60, 40, 2000, 0, 510, 0},
        {0, 0, 0, 900, 60, 40, 250, 0, 4040, 0},
        {1, 0, 1000000, 900, 60, 40, 940, 0, 1010, 0}, /* as many as wanted, no more calls */
        {1, 0, 1000000, 900, 60, 40, 939, 0, 1000000 / 939.0 + 10, 0},
        {0, 0, 1000000, 900, 60, 40, 2000, 110, 510, 0},          /* 9.9 % */
        {0, 0, 1000000, 900, 60, 40, 2000, 250, 10 + 2875, 2885}, /* 20 %: 1000 * 0.25 * 0.92 / 0.08 */
        {0, 0, 1000000, 900, 60, 40, 100, 250, 10010, 2885},
        {1, 0, 1000000, 900, 60, 40, 2000, 1000, 10 + 11500, 11510},
    };
    for (unsigned i = 0; i < N(cases); i++) {
        given(SAMPLE_BY_PMI, TIMER_AUTO);
        out.period = 1010;
        j.repeat = cases[i].repeat;
        out.storm = cases[i].storm;
        out.occurred = cases[i].occurred;
        out.inside = cases[i].inside;
        out.outside = cases[i].outside;
        out.samples.lost = cases[i].lost;
        out.wanted = cases[i].wanted;
        out.tsc[0] = 1000;
        out.tsc[1] = 1000 + cases[i].handler;
        const double next = sampling_better_period(&j);
        if (fabs(next - cases[i].better) > 1e-6 || fabs(j.least - cases[i].least) > 1e-6)
            fail_msg("case %u: %.9g, at least %.9g", i, next, j.least);
    }
    /* No later try uses less than one has shown to be needed. */
    out.tsc[1] = 1000;
    j.repeat = false;
    assert_true(fabs(sampling_better_period(&j) - 11510) < 1e-6);
    out.tsc[1] = 1250;
    assert_true(fabs(sampling_better_period(&j) - 11510) < 1e-6);
}

/* The timer that is asked for, else the APIC's where there is one. */
TEST(timers)
{
    static const struct {
        enum sampling_timer wanted;
        bool apic;
        enum sampling_timer got; /* TIMER_AUTO: none */
        const char *unit;
    } cases[] = {
        {TIMER_AUTO, true, TIMER_APIC, "apic-clocks"}, {TIMER_AUTO, false, TIMER_PIT, "pit-clocks"},
        {TIMER_APIC, true, TIMER_APIC, "apic-clocks"}, {TIMER_APIC, false, TIMER_AUTO, NULL},
        {TIMER_PIT, true, TIMER_PIT, "pit-clocks"},    {TIMER_PIT, false, TIMER_PIT, "pit-clocks"},
        {TIMER_RTC, true, TIMER_RTC, "rtc-clocks"},    {TIMER_RTC, false, TIMER_RTC, "rtc-clocks"},
    };
    for (unsigned i = 0; i < N(cases); i++) {
        const struct cpu with = {
            .machine = &machine, USER_STACK, .apic.mode = cases[i].apic ? APIC_XAPIC : APIC_DISABLED};
        given(SAMPLE_BY_TIMER, TIMER_AUTO);
        opt.timer = cases[i].wanted;
        j.cpu = &with;
        assert_int_equal(sampling_facility(&j), cases[i].got != TIMER_AUTO);
        assert_int_equal(out.run.status, cases[i].got ? RUN_OK : RUN_PMU);
        if (!cases[i].got) continue;
        assert_int_equal(j.timer, cases[i].got);
        assert_string_equal(out.unit, cases[i].unit);
    }
}

/* Of a family that judges sets: with the handler's instructions if both fit, else without. */
static unsigned most; /* events that fit together */
static bool allocate(const struct pmu *pmu, const struct pmu_code *const *codes, unsigned n, uint8_t *counter)
{
    (void)pmu;
    assert_ptr_equal(codes[0], j.event);
    for (unsigned i = 0; i < n; i++) counter[i] = (uint8_t)((n == 2 ? 14 : 10) + i);
    return n <= most;
}
static bool program(struct pmu *pmu, const struct pmu_code *const *codes, char *why, size_t cap)
{
    (void)pmu, (void)codes, (void)why, (void)cap;
    return true;
}

TEST(sets)
{
    for (most = 0; most <= 2; most++) {
        plug("willamette", NULL);
        struct pmu_ops ops = *m.pmu.ops;
        const struct pmu_code counted = {.counters = 0x3ffff};
        ops.allocate = allocate;
        ops.program = program;
        m.pmu.ops = &ops;
        const struct cpu with = {.machine = &machine, USER_STACK, .pmu = &m.pmu};
        given(SAMPLE_BY_PMI, TIMER_AUTO);
        j.cpu = &with;
        j.event = &counted;
        assert_int_equal(sampling_counters(&j), most > 0);
        if (most == 0) {
            assert_string_equal(out.run.bench.error, "no usable counter can count this event");
            continue;
        }
        assert_int_equal(out.counted, most == 2);
        assert_int_equal(out.counter, most == 2 ? 14 : 10);
        for (unsigned c = 0; c < PMU_COUNTERS; c++)
            assert_ptr_equal(j.code[c], c == out.counter       ? &counted
                                        : most == 2 && c == 15 ? &j.kernel
                                                               : NULL);
        if (most == 2) assert_int_equal(j.kernel_counter, 15);
    }
}

/* Independent counters: the event's is one that leaves another for the handler's instructions, which a
 * Pentium III counts on 0 and 1. */
TEST(counters)
{
    static const struct {
        uint32_t event, usable;
        int counter, kernel; /* -1: none */
    } cases[] = {{3, 3, 0, 1},  {1, 3, 0, 1},   {2, 3, 1, 0}, {3, 1, 0, -1},
                 {3, 2, 1, -1}, {1, 2, -1, -1}, {5, 7, 2, 0}, {6, 6, 2, 1}};
    for (unsigned i = 0; i < N(cases); i++) {
        plug("p3", NULL);
        struct pmu_ops ops = *m.pmu.ops;
        const struct pmu_code counted = {.counters = cases[i].event};
        ops.program = program;
        m.pmu.ops = &ops;
        m.pmu.usable = cases[i].usable;
        const struct cpu with = {.machine = &machine, USER_STACK, .pmu = &m.pmu};
        given(SAMPLE_BY_PMI, TIMER_AUTO);
        j.cpu = &with;
        j.event = &counted;
        assert_int_equal(sampling_counters(&j), cases[i].counter >= 0);
        if (cases[i].counter < 0) continue;
        assert_int_equal(out.counter, cases[i].counter);
        assert_int_equal(out.counted, cases[i].kernel >= 0);
        for (int c = 0; c < PMU_COUNTERS; c++)
            assert_ptr_equal(j.code[c], c == cases[i].counter  ? &counted
                                        : c == cases[i].kernel ? &j.kernel
                                                               : NULL);
    }
}
