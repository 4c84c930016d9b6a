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

/* The last reading before the watch, after eight trials; and the watch's first. */
enum { TRIALS = 8 * (1 + 100), WATCH = TRIALS + 1 };

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
TEST(gaps)
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
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned more = 0; more < 2; more++) {
            const uint64_t gap = cases[i].threshold + more;
            const struct quiet q = check(cases[i].hz, cases[i].step, cases[i].at, gap, false);
            assert_true(q.watch.typical == cases[i].typical && q.watch.threshold == cases[i].threshold);
            assert_true(q.watch.largest == gap && q.watch.gaps == more && q.smis == 0);
            assert_int_equal(q.verdict, more ? QUIET_DISTURBED : QUIET_YES);
        }
}

/* The usual distance is the least mean of eight trials; of a disturbed one nothing is seen. */
TEST(typical)
{
    assert_int_equal(check(1000000000, 100, 2, 30, false).watch.typical, 99);
    assert_int_equal(check(1000000000, 100, TRIALS, 30, false).watch.typical, 99);
    assert_int_equal(check(1000000000, 100, WATCH, 30, false).watch.typical, 100);
    const struct quiet q = check(1000000000, 100, 500, 99999, false); /* is not watched yet */
    assert_true(q.watch.typical == 100 && q.watch.largest == 100 && q.watch.gaps == 0);
}

/* A millisecond; without a rate a million readings; and no end of time where it stands still. */
TEST(length)
{
    assert_int_equal(check(1000000000, 100, 0, 0, false).watch.watched, 1000000);
    assert_int_equal(reads, WATCH + 10000);
    assert_int_equal(check(2500000000, 100, 0, 0, false).watch.watched, 2500000);
    assert_int_equal(check(0, 3, 0, 0, false).watch.watched, 3000000);
    for (unsigned rate = 0; rate < 2; rate++) {
        assert_int_equal(check(rate * 1000000000, 0, 0, 0, false).verdict, QUIET_UNKNOWN);
        assert_true(reads >= WATCH + 1000000 && reads <= WATCH + 1000001);
    }
    /* One that begins to run only then, slowly, is waited for. */
    assert_int_equal(check(1000000000, 1, 0, 0, false).watch.watched, 1000000);
}

/* Each distance is in the histogram: the usual ones as such, the others by powers of two. A gap has its time.
 */
TEST(histogram)
{
    static const struct {
        uint64_t distance;
        unsigned bin;
        bool gap;
    } cases[] = {{200, 0, false},  {201, 7, false}, {255, 7, false},  {256, 8, false},
                 {1000, 9, false}, {1001, 9, true}, {1024, 10, true}, {900000, 19, true}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct quiet q = check(1000000000, 100, WATCH + 5, cases[i].distance, false);
        uint64_t all = q.watch.usual;
        for (unsigned b = 0; b < WATCH_BINS; b++) {
            assert_int_equal(q.watch.bin[b], cases[i].bin == b && cases[i].bin);
            all += q.watch.bin[b];
        }
        assert_int_equal(all, reads - WATCH - (cases[i].bin != 0)); /* one more after what is not usual */
        assert_int_equal(q.watch.gaps, cases[i].gap);
        assert_int_equal(q.watch.kept, cases[i].gap);
        if (!cases[i].gap) continue;
        assert_int_equal(q.watch.gap[0].ticks, cases[i].distance);
        assert_int_equal(q.watch.gap[0].at, 12345 + 100 * (WATCH + 4));
    }
}

/* Calls add up; of each the first gaps are kept with their times, and all are counted. */
TEST(several_calls)
{
    static struct watch w;
    now = 0, reads = 0, step = 100, other = 0;
    watch_begin(&w, 1000000000);
    w.threshold = 99; /* each distance is longer; but what is usual is no gap */
    assert_true(watch_for(&w, 1000));
    assert_true(w.gaps == 0 && w.usual == 10 && w.watched == 1000);
    step = 2001;
    assert_true(watch_for(&w, 2 * 2001 * (WATCH_GAPS + 7))); /* and a reading after each */
    assert_true(w.gaps == WATCH_GAPS + 7 && w.kept == WATCH_GAPS && w.usual == 10 && w.largest == 2001);
    other = reads + 2, other_gap = 100;
    assert_true(watch_for(&w, 100));
    assert_true(w.gaps == WATCH_GAPS + 7 && w.kept == 0 && w.usual == 11 && w.largest == 2001);
}

TEST(interrupts_of_the_firmware)
{
    const struct quiet q = check(1000000000, 100, 0, 0, true);
    assert_true(q.smis == 2 && q.watch.gaps == 0 && q.verdict == QUIET_DISTURBED);
}
