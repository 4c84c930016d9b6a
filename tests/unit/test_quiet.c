/* The quiet check, on a TSC whose readings a test spaces. */
#include "kernel/hw.h"
#include "kernel/smi.h"
#include "measure/quiet.h"
#include "tests/unit/unit.h"

static uint64_t now, step, other_gap;
static unsigned reads, other; /* before the reading number `other` passes another time */
uint64_t hw_rdtsc(void) { return now += ++reads == other ? other_gap : step; }

static uint32_t smis;
uint32_t smi_counter_read(void) { return smis += 2; }

enum { TRIAL = 1 + 1000, WATCH = TRIAL + 1 }; /* the last readings before the watch, and its first */

static struct quiet check(uint64_t hz, uint64_t usual, unsigned at, uint64_t gap, bool smi_counter)
{
    const struct machine machine = {.clock.tsc_hz = hz};
    const struct cpu cpu = {.machine = &machine, .smi_counter = smi_counter};
    struct quiet q;
    now = 12345, reads = 0, smis = UINT32_MAX - 1; /* which wraps */
    step = usual, other = at, other_gap = gap;
    quiet_check(&cpu, &q, 1);
    assert_int_equal(q.smi_counter, smi_counter);
    return q;
}

/* A gap is longer than ten usual distances and than a microsecond. */
static void gaps(void **state)
{
    static const struct {
        uint64_t hz, step, typical, threshold;
        unsigned at;
    } cases[] = {
        {1000000000, 100, 100, 1000, WATCH + 1},
        {1000000000, 10, 10, 1000, WATCH + 7},
        {1000000000, 200, 200, 2000, WATCH + 9},
        {133000000, 7, 7, 133, WATCH + 1},
        {0, 20, 20, 200, WATCH + 1},
        {0, 20, 20, 200, WATCH + 1000000},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned more = 0; more < 2; more++) {
            const uint64_t gap = cases[i].threshold + more;
            const struct quiet q = check(cases[i].hz, cases[i].step, cases[i].at, gap, false);
            assert_true(q.typical == cases[i].typical && q.threshold == cases[i].threshold);
            assert_true(q.largest == gap && q.gaps == more && q.smis == 0);
            assert_int_equal(q.verdict, more ? QUIET_DISTURBED : QUIET_YES);
        }
}

/* The usual distance is the least of a thousand, whichever of them it is; no other. */
static void typical(void **state)
{
    (void)state;
    assert_int_equal(check(1000000000, 100, 2, 30, false).typical, 30);
    assert_int_equal(check(1000000000, 100, TRIAL, 30, false).typical, 30);
    assert_int_equal(check(1000000000, 100, WATCH, 30, false).typical, 100);
    const struct quiet q = check(1000000000, 100, 500, 99999, false); /* is not watched yet */
    assert_true(q.typical == 100 && q.largest == 100 && q.gaps == 0);
}

/* A millisecond; without a rate a million readings; and no end of time where it stands still. */
static void length(void **state)
{
    (void)state;
    assert_int_equal(check(1000000000, 100, 0, 0, false).watched_tsc, 1000000);
    assert_int_equal(reads, WATCH + 10000);
    assert_int_equal(check(2500000000, 100, 0, 0, false).watched_tsc, 2500000);
    assert_int_equal(check(0, 3, 0, 0, false).watched_tsc, 3000000);
    for (unsigned rate = 0; rate < 2; rate++) {
        assert_int_equal(check(rate * 1000000000, 0, 0, 0, false).verdict, QUIET_UNKNOWN);
        assert_true(reads >= WATCH + 1000000 && reads <= WATCH + 1000001);
    }
    /* One that begins to run only then, slowly, is waited for. */
    assert_int_equal(check(1000000000, 1, 0, 0, false).watched_tsc, 1000000);
}

static void interrupts_of_the_firmware(void **state)
{
    (void)state;
    const struct quiet q = check(1000000000, 100, 0, 0, true);
    assert_true(q.smis == 2 && q.gaps == 0 && q.verdict == QUIET_DISTURBED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gaps), cmocka_unit_test(typical),
                                       cmocka_unit_test(length),
                                       cmocka_unit_test(interrupts_of_the_firmware)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
