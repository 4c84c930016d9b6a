/* The period of sampling where the payload runs once: one that is found out, and jitter. */
#include "tests/unit/sampling_drive.h"
#include "tests/unit/sim_hw.h"
#include "tests/unit/unit.h"

static bool is_prime(uint64_t n)
{
    for (uint64_t d = 2; d * d <= n; d++)
        if (n % d == 0) return false;
    return n > 1;
}

TEST(test_auto)
{
    plug("p3", NULL);
    static const unsigned wanted[] = {1, 10, 500, 900};
    for (unsigned i = 0; i < 4; i++) {
        ask(SAMPLE_BY_PMI, "inst_retired:u", 0);
        opt.samples = wanted[i];
        ok();
        assert_true(is_prime(out.period));
        assert_true(out.tries <= SAMPLING_TRIES);
        if (wanted[i] > 1) assert_true(out.samples.n >= wanted[i] / 2 && out.samples.n <= 2 * wanted[i]);
        assert_int_equal(out.samples.n, N / out.period);
    }
    ask(SAMPLE_BY_PMI, "inst_retired:u", 0);
    ok();
    assert_int_equal(out.wanted, SAMPLES_DEF);
    assert_int_equal(out.period, 101);
    opt.samples = 7000; /* a hundred events are the least, whatever is wanted */
    ok();
    assert_int_equal(out.period, 101);
    assert_int_equal(out.samples.n, N / 101);
}

/* The handler's time is a part of the pass: a longer period makes it a tenth or less, and costs samples. */
TEST(test_share)
{
    for (unsigned cost = 60; cost <= 6000; cost *= 10) {
        plug("p3", NULL);
        sim_hw_rdtsc_takes = cost; /* the handler's, mostly */
        ask(SAMPLE_BY_PMI, "inst_retired:u", 0);
        ok();
        assert_true(sampling_share(&out) > 0.05 && sampling_share(&out) < SHARE_MOST);
        assert_true(out.period > 9 * cost && out.period < 20 * cost);
        assert_int_equal(out.samples.n, N / out.period);
    }
    plug("p3", NULL);
    sim_hw_rdtsc_takes = 600;
    ask(SAMPLE_BY_PMI, "inst_retired:u", 1000); /* which is used as it is */
    ok();
    assert_int_equal(out.period, 1000);
    assert_true(sampling_share(&out) > SHARE_MOST);
}

TEST(test_jitter)
{
    static uint64_t first[200];
    unsigned n = 0, differ = 0, low = 1000, high = 0;
    plug("p3", NULL);
    for (unsigned seed = 1; seed <= 2; seed++)
        for (unsigned again = 0; again < 2; again++) {
            ask(SAMPLE_BY_PMI, "inst_retired:u", 1000);
            opt.jitter = 100;
            opt.jitter_seed = seed;
            ok();
            assert_true(out.samples.n >= N / 1100 && out.samples.n <= N / 900);
            if (seed == 1 && !again) n = out.samples.n;
            for (unsigned i = 0; i < out.samples.n; i++) {
                uint64_t k = out.samples.at[i].reg[0];
                if (seed == 1 && !again)
                    first[i] = k;
                else if (seed == 1)
                    assert_int_equal(k, first[i]); /* the same seed, the same samples */
                else
                    differ += k != first[i];
                if (i == 0) continue;
                unsigned gap = (unsigned)(k - out.samples.at[i - 1].reg[0]);
                assert_true(gap >= 900 && gap <= 1100);
                if (gap < low) low = gap;
                if (gap > high) high = gap;
            }
        }
    assert_true(n > 0 && differ > n / 2);
    assert_true(low < 930 && high > 1070); /* it uses its range */
}

/* Both ends of the range are drawn, and nothing beyond. */
TEST(test_jitter_range)
{
    unsigned seen[5] = {0};
    plug("p3", NULL);
    ask(SAMPLE_BY_PMI, "inst_retired:u", 100);
    opt.jitter = 2;
    ok();
    for (unsigned i = 1; i < out.samples.n; i++) {
        const uint64_t gap = out.samples.at[i].reg[0] - out.samples.at[i - 1].reg[0];
        assert_in_range(gap, 98, 102);
        seen[gap - 98]++;
    }
    for (unsigned k = 0; k < 5; k++) assert_true(seen[k] > out.samples.n / 10);
}

/* No period is drawn that period= could not give, or that takes force_ovf. */
TEST(test_jitter_bounds)
{
    plug("willamette", NULL);
    ask(SAMPLE_BY_PMI, "instr_retired:u", 0);
    opt.samples = 900;
    opt.jitter = 1 << 30;
    ok();
    assert_true(out.period >= 100 && out.jitter == out.period - 2);
    assert_true(out.samples.n > 450);
    ask(SAMPLE_BY_PMI, "instr_retired:u", 100);
    opt.jitter = 98;
    ok();
    assert_true(out.samples.n > 900 && out.samples.n < 1100);
    ask(SAMPLE_BY_PMI, "instr_retired:u", 0x7fffffff - 5);
    opt.jitter = 100;
    ok();
    assert_int_equal(out.jitter, 5);
}
