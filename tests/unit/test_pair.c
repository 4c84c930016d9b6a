/* The slowdown of a pair, and its interval. */
#include "measure/pair.h"
#include "tests/unit/unit.h"
#include <math.h>
#include <string.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

TEST(exact)
{
    const struct slowdown s = pair_slowdown(4, 0, 6, 0);
    NEAR(s.ratio, 1.5);
    NEAR(s.low, 1.5);
    NEAR(s.high, 1.5);
}

/* With a certain denominator it is the numerator's own interval, divided. */
TEST(certain_denominator)
{
    const struct slowdown s = pair_slowdown(4, 0, 6, 1);
    NEAR(s.low, 1.25);
    NEAR(s.high, 1.75);
}

/* Fieller's condition: at each end r of the interval, (b - r a)^2 is the square of b's and r a's half widths
 * together. */
TEST(ends)
{
    static const double at[][4] = {{4, 1, 6, 1}, {1, 0.5, 1, 0.1}, {100, 3, 80, 20}, {0.5, 0.1, 0, 0.2}};
    for (unsigned i = 0; i < sizeof at / sizeof *at; i++) {
        const double a = at[i][0], ha = at[i][1], b = at[i][2], hb = at[i][3];
        const struct slowdown s = pair_slowdown(a, ha, b, hb);
        const double end[2] = {s.low, s.high};
        assert_true(s.low < s.ratio && s.ratio < s.high);
        for (unsigned k = 0; k < 2; k++)
            NEAR((b - end[k] * a) * (b - end[k] * a), hb * hb + end[k] * end[k] * ha * ha);
    }
}

TEST(none)
{
    assert_true(isnan(pair_slowdown(0, 0, 6, 0).ratio));
    assert_true(isnan(pair_slowdown(-1, 0, 6, 0).ratio));
    struct slowdown s = pair_slowdown(4, NAN, 6, 1); /* one repetition */
    NEAR(s.ratio, 1.5);
    assert_true(isnan(s.low) && isnan(s.high));
    s = pair_slowdown(4, 1, 6, NAN);
    assert_true(isnan(s.low) && isnan(s.high));
    s = pair_slowdown(4, 4, 6, 1); /* the denominator may be 0 */
    NEAR(s.ratio, 1.5);
    assert_true(isnan(s.low) && isnan(s.high));
}

/* ---- how often it holds the true ratio ---- */

static uint64_t seed = 1;
static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}
static double normal(double mean, double sd)
{
    return mean + sd * sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static void sampled(double mean, double sd, unsigned n, double *m, double *ci)
{
    double v[32], sum = 0, squares = 0;
    for (unsigned i = 0; i < n; i++) sum += v[i] = normal(mean, sd);
    *m = sum / n;
    for (unsigned i = 0; i < n; i++) squares += (v[i] - *m) * (v[i] - *m);
    *ci = student_t(95, n - 1) * sqrt(squares / (n - 1) / n);
}

#define TRIALS 20000
TEST(coverage)
{
    for (unsigned n = 5; n <= 20; n += 15) {
        unsigned held = 0;
        for (unsigned i = 0; i < TRIALS; i++) {
            double a, ha, b, hb;
            sampled(10, 1, n, &a, &ha);
            sampled(17, 3, n, &b, &hb);
            const struct slowdown s = pair_slowdown(a, ha, b, hb);
            held += s.low <= 1.7 && s.high >= 1.7;
        }
        assert_in_range(held, TRIALS * 0.945, TRIALS * 0.985);
    }
}

/* ---- what is kept ---- */

TEST(kept)
{
    static struct pair_side side;
    static struct run run = {.count = {{.event = "tsc"}, {.event = "cycles", .overhead_lowered = true}},
                             .bench = {.param = {7, 8}}};
    pair_keep(&side, &run, 0, &(struct stats){.mean = 3, .ci = 0.5});
    pair_keep(&side, &run, 1, &(struct stats){.mean = 4, .ci = NAN});
    assert_int_equal(side.n, 2);
    assert_string_equal(side.at[1].event, "cycles");
    assert_true(side.at[1].overhead_lowered && !side.at[0].overhead_lowered);
    NEAR(side.at[0].mean, 3);
    NEAR(side.at[0].ci, 0.5);
    assert_int_equal(side.param[1], 8);
    for (unsigned i = 0; i < 2 * EVENTS_MAX; i++) pair_keep(&side, &run, 0, &(struct stats){.mean = 3});
    assert_int_equal(side.n, 1 + EVENTS_MAX);
}
