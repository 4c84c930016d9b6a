/* Offset and drift of two time stamps, against clocks whose difference is known. */
#include "measure/pairs.h"
#include "measure/skew.h"
#include "tests/unit/unit.h"
#include <math.h>

static uint64_t random_state = 1;
static uint64_t any(uint64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % below;
}

/* Exchanges whose ways there and back take 40 to 40 + spread ticks each. */
static struct skew exchanges(uint64_t begin, int64_t offset, unsigned n, uint64_t spread)
{
    struct skew s = SKEW_UNKNOWN;
    for (uint64_t at = begin; n--; at += 500) {
        const uint64_t there = at + 40 + any(spread), back = there + 40 + any(spread);
        skew_add(&s, at, there + (uint64_t)offset, back);
    }
    return s;
}

TEST(one_exchange)
{
    struct skew s = SKEW_UNKNOWN;
    skew_add(&s, 100, 1130, 160);
    assert_int_equal(s.low, 970);
    assert_int_equal(s.high, 1030);
    assert_float_equal(skew_offset(&s), 1000, 0);
    assert_float_equal(skew_uncertainty(&s), 30, 0);
    skew_add(&s, 1000, 2045, 1050); /* [995, 1045] */
    assert_int_equal(s.low, 995);
    assert_int_equal(s.high, 1030);
    assert_int_equal(s.exchanges, 2);
    assert_true(skew_consistent(&s));
    skew_add(&s, 2000, 3100, 2010); /* [1090, 1100] */
    assert_false(skew_consistent(&s));
}

/* Whatever the ways take, the truth lies inside; and many exchanges tell it as well as the fastest ways do.
 */
TEST(truth_is_inside)
{
    static const int64_t offsets[] = {0, 1, -1, 1000000, -123456789012345};
    static const uint64_t begins[] = {1000, UINT64_MAX - 700, 1ull << 63};
    for (unsigned i = 0; i < sizeof offsets / sizeof *offsets; i++)
        for (unsigned k = 0; k < sizeof begins / sizeof *begins; k++)
            for (unsigned n = 1; n <= 1000; n *= 10) {
                const struct skew s = exchanges(begins[k], offsets[i], n, 300);
                assert_true(s.low <= offsets[i] && offsets[i] <= s.high);
                assert_true(fabs(skew_offset(&s) - (double)offsets[i]) <= skew_uncertainty(&s));
                assert_true(skew_uncertainty(&s) >= 40);
                if (n == 1000) assert_true(skew_uncertainty(&s) < 45);
            }
}

TEST(drift)
{
    const uint64_t apart = 100000000;
    double low, high;
    for (int ppm = -20; ppm <= 20; ppm += 10) {
        const struct skew before = exchanges(1000, 500, 200, 100),
                          after = exchanges(1000 + apart, 500 + ppm * (int64_t)apart / 1000000, 200, 100);
        skew_drift(&before, &after, apart, &low, &high);
        assert_true(low <= ppm * 1e-6 && ppm * 1e-6 <= high);
        assert_true(high - low < 2e-6);
    }
}

TEST(all_pairs)
{
    for (unsigned n = 2; n < 40; n++) {
        unsigned seen[40][40] = {{0}};
        for (uint32_t k = 0; k < pairs_of(n); k++) {
            const struct pair p = pair_at(n, pairs_of(n), k);
            assert_true(p.a < p.b && p.b < n);
            assert_int_equal(seen[p.a][p.b]++, 0);
        }
    }
    assert_int_equal(pairs_of(0), 0);
    assert_int_equal(pairs_of(1), 0);
    assert_int_equal(pairs_of(256), 32640);
}

/* All different, and near and far ones by their shares. */
TEST(some_pairs)
{
    enum { N = 256, TAKEN = 300 };
    static unsigned seen[N][N];
    unsigned near = 0, used = 0, at[N] = {0};
    for (uint32_t k = 0; k < TAKEN; k++) {
        const struct pair p = pair_at(N, TAKEN, k);
        assert_true(p.a < p.b && p.b < N);
        assert_int_equal(seen[p.a][p.b]++, 0);
        near += p.b - p.a < N / 2;
        at[p.a] = at[p.b] = 1;
    }
    for (unsigned i = 0; i < N; i++) used += at[i];
    assert_true(near > TAKEN * 70 / 100 && near < TAKEN * 80 / 100);
    assert_true(used > N * 80 / 100);
}
