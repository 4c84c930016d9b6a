/* Statistics against values computed by hand, and Student's t against published tables and its own
 * definition. */
#include "measure/stats.h"
#include "tests/unit/unit.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static void near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance)) fail_msg("got %.9g, want %.9g +- %g", got, want, tolerance);
}

/* ---- order statistics and moments ---- */

/* Raw 12 10 14 10 19, overhead 2, 4 operations: corrected ticks 8 8 10 12 17, mean 11, squares of the
 * deviations 9 + 9 + 1 + 1 + 36 = 56, variance 56/4 = 14. Per operation: all of it over 4. t(4) = 2.776
 * and 4.604. */
TEST(five_values_by_hand)
{
    struct stats s;
    uint64_t v[] = {12, 10, 14, 10, 19};
    stats_compute(v, 5, 2, 4, 95, &s);
    assert_int_equal(s.n, 5);
    near(s.min, 2.0, 0);
    near(s.median, 2.5, 0);
    near(s.mode, 2.0, 0);
    near(s.mean, 2.75, 1e-15);
    near(s.max, 4.25, 0);
    near(s.sd, 0.9354143467, 1e-10);
    near(s.ci, 1.161284, 1e-6);
    stats_compute(v, 5, 2, 4, 99, &s);
    near(s.ci, 1.925991, 1e-6);
}

TEST(median_of_an_even_number)
{
    struct stats s;
    uint64_t v[] = {10, 1, 3, 2};
    stats_compute(v, 4, 0, 1, 95, &s);
    near(s.median, 2.5, 0);
    near(s.mean, 4.0, 0);
}

TEST(mode_takes_the_least_of_a_tie)
{
    struct stats s;
    uint64_t tie[] = {7, 3, 9, 7, 3}, last[] = {1, 9, 2, 9};
    stats_compute(tie, 5, 0, 1, 95, &s);
    near(s.mode, 3.0, 0);
    stats_compute(last, 4, 0, 1, 95, &s);
    near(s.mode, 9.0, 0);
    uint64_t longer[] = {1, 2, 2, 3, 3, 3}; /* behind one that was the longest so far */
    stats_compute(longer, 6, 0, 1, 95, &s);
    near(s.mode, 3.0, 0);
}

TEST(one_value_has_no_interval)
{
    struct stats s;
    uint64_t v[] = {42};
    stats_compute(v, 1, 2, 10, 95, &s);
    assert_int_equal(s.n, 1);
    near(s.min, 4.0, 0);
    near(s.median, 4.0, 0);
    near(s.mode, 4.0, 0);
    near(s.mean, 4.0, 0);
    near(s.max, 4.0, 0);
    near(s.sd, 0.0, 0);
    assert_true(isnan(s.ci));
}

TEST(equal_values_have_no_spread)
{
    struct stats s;
    uint64_t v[1000];
    for (unsigned i = 0; i < 1000; i++) v[i] = 5021;
    stats_compute(v, 1000, 21, 1000, 95, &s);
    near(s.min, 5.0, 0);
    near(s.mean, 5.0, 0);
    near(s.max, 5.0, 0);
    near(s.sd, 0.0, 0);
    near(s.ci, 0.0, 0);
}

/* A TSC that has run for years: the values themselves do not fit a double, their differences do. */
TEST(huge_values_lose_nothing)
{
    struct stats s;
    const uint64_t big = 1ull << 63;
    uint64_t v[] = {big + 3, big + 1, big + 2};
    stats_compute(v, 3, big, 1, 95, &s);
    near(s.min, 1.0, 0);
    near(s.median, 2.0, 0);
    near(s.mean, 2.0, 0);
    near(s.max, 3.0, 0);
    near(s.sd, 1.0, 0);
}

TEST(below_the_overhead_is_negative)
{
    struct stats s;
    uint64_t v[] = {90, 110};
    stats_compute(v, 2, 100, 10, 95, &s);
    near(s.min, -1.0, 0);
    near(s.mean, 0.0, 0);
    near(s.max, 1.0, 0);
}

/* ---- sorting in place ---- */

static uint32_t lcg(uint32_t *x) { return *x = *x * 1664525u + 1013904223u; }

static void check_sorted(uint64_t *v, size_t n)
{
    struct stats s;
    uint64_t sum = 0, sum_after = 0, mix = 0, mix_after = 0;
    for (size_t i = 0; i < n; i++) sum += v[i], mix ^= v[i] * v[i];
    stats_compute(v, n, 0, 1, 95, &s);
    for (size_t i = 0; i < n; i++) {
        sum_after += v[i], mix_after ^= v[i] * v[i];
        assert_true(i == 0 || v[i - 1] <= v[i]);
    }
    assert_true(sum == sum_after && mix == mix_after);
    near(s.min, (double)v[0], 0);
    near(s.max, (double)v[n - 1], 0);
}

TEST(sorts_in_place)
{
    uint64_t v[257];
    uint32_t x = 1;
    for (size_t n = 1; n <= 257; n++) {
        for (size_t i = 0; i < n; i++) v[i] = lcg(&x) >> 16; /* any order */
        check_sorted(v, n);
        for (size_t i = 0; i < n; i++) v[i] = lcg(&x) >> 30; /* hardly any different values */
        check_sorted(v, n);
        for (size_t i = 0; i < n; i++) v[i] = n - i;
        check_sorted(v, n);
    }
}

/* The clock stepped half-way: all of the first half below all of the second. 400,000 values are done at once
 * by a sort of n log n, and not within a test's patience (minutes) by one that is quadratic here. */
TEST(sorts_a_frequency_step)
{
    size_t n = 400000;
    uint32_t x = 7;
    uint64_t *v = malloc(n * sizeof *v);
    assert_non_null(v);
    for (size_t i = 0; i < n; i++) v[i] = (i < n / 2 ? 0 : 1u << 20) + (lcg(&x) >> 16);
    check_sorted(v, n);
    free(v);
}

/* ---- Student's t ---- */

/* NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2: columns 0.975 and 0.995. */
static const struct {
    unsigned df;
    double t95, t99;
} published[] = {
    {1, 12.706, 63.657}, {2, 4.303, 9.925},   {3, 3.182, 5.841},   {4, 2.776, 4.604},
    {5, 2.571, 4.032},   {6, 2.447, 3.707},   {7, 2.365, 3.499},   {8, 2.306, 3.355},
    {9, 2.262, 3.250},   {10, 2.228, 3.169},  {11, 2.201, 3.106},  {12, 2.179, 3.055},
    {13, 2.160, 3.012},  {14, 2.145, 2.977},  {15, 2.131, 2.947},  {16, 2.120, 2.921},
    {17, 2.110, 2.898},  {18, 2.101, 2.878},  {19, 2.093, 2.861},  {20, 2.086, 2.845},
    {21, 2.080, 2.831},  {22, 2.074, 2.819},  {23, 2.069, 2.807},  {24, 2.064, 2.797},
    {25, 2.060, 2.787},  {26, 2.056, 2.779},  {27, 2.052, 2.771},  {28, 2.048, 2.763},
    {29, 2.045, 2.756},  {30, 2.042, 2.750},  {31, 2.040, 2.744},  {40, 2.021, 2.704},
    {60, 2.000, 2.660},  {100, 1.984, 2.626}, {120, 1.980, 2.617}, {UINT_MAX, 1.960, 2.576},
};

TEST(t_agrees_with_published_tables)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const double off =
            published[i].df <= 30 ? 1e-9 : 1e-3; /* the table is this one, the series is near */
        near(student_t(95, published[i].df), published[i].t95, off);
        near(student_t(99, published[i].df), published[i].t99, off);
    }
}

/* P(|T| <= x): twice the integral of the density from 0 to x, by Simpson's rule in u with t = sqrt(df)
 * tan(u). */
static double t_probability(double x, double df)
{
    const int steps = 2000;
    double scale = exp(lgamma((df + 1) / 2) - lgamma(df / 2)) / sqrt(acos(-1)), end = atan(x / sqrt(df));
    double h = end / steps, sum = 1 + pow(cos(end), df - 1);
    for (int i = 1; i < steps; i++) sum += (i % 2 ? 4 : 2) * pow(cos(i * h), df - 1);
    return 2 * scale * sum * h / 3;
}

/* The definition, so that a slip in copying a table cannot hide: a t off by 0.001 is off by less than 6e-4 in
 * P. */
TEST(t_has_the_probability_it_claims)
{
    for (unsigned df = 1; df <= 300; df++) {
        double below95 = t_probability(student_t(95, df) - 1e-3, df);
        double above95 = t_probability(student_t(95, df) + 1e-3, df);
        double below99 = t_probability(student_t(99, df) - 1e-3, df);
        double above99 = t_probability(student_t(99, df) + 1e-3, df);
        if (!(below95 < 0.95 && above95 > 0.95 && below99 < 0.99 && above99 > 0.99))
            fail_msg("df %u: 95 %% is not in [%.7f, %.7f] or 99 %% not in [%.7f, %.7f]", df, below95, above95,
                     below99, above99);
    }
    /* Right behind the table the series is at its worst: Abramowitz and Stegun's next term is 1.7e-6 there,
     * which is 1.8e-7 in P. */
    near(t_probability(student_t(95, 31), 31), 0.95, 2.5e-7);
}

TEST(t_falls_with_df)
{
    for (unsigned df = 1; df < 2000; df++) {
        assert_true(student_t(95, df + 1) <= student_t(95, df));
        assert_true(student_t(99, df + 1) <= student_t(99, df));
    }
}

/* The interval's ends are the probabilities of which the draws are z standard deviations away: Wilson's own
 * definition. */
TEST(binomial_by_definition)
{
    static const unsigned n[] = {1, 7, 800, 1000000};
    static const double z[] = {1.9599640, 2.5758293};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        for (unsigned eighths = 0; eighths <= 8; eighths++)
            for (unsigned c = 0; c < 2; c++) {
                const unsigned hits = (unsigned)((uint64_t)n[i] * eighths / 8);
                const double p = (double)hits / n[i];
                double end[2];
                stats_binomial(c ? 99 : 95, hits, n[i], &end[0], &end[1]);
                assert_true(end[0] >= 0 && end[0] <= p && p <= end[1] && end[1] <= 1);
                for (unsigned e = 0; e < 2; e++) {
                    if (hits == (e ? n[i] : 0)) {
                        near(end[e], e, 0);
                        continue;
                    }
                    near(fabs(p - end[e]) / sqrt(end[e] * (1 - end[e]) / n[i]), z[c], 1e-6);
                }
            }
}

/* Welch's interval of two samples: NIST/SEMATECH e-Handbook, 1.3.5.3, AUTO83B: means 20.14458 and 30.48101,
 * deviations 6.41470 and 6.10771 of 249 and 79; T = -12.94627 (unequal variances), df 136.8750. */
TEST(test_difference)
{
    const struct stats us = {
        .n = 249, .min = 9, .median = 19, .mode = 18, .mean = 20.14458, .max = 39, .sd = 6.41470};
    const struct stats japan = {
        .n = 79, .min = 18, .median = 31, .mode = 32, .mean = 30.48101, .max = 47, .sd = 6.10771};
    struct stats d;
    stats_difference(&us, &japan, 95, &d);
    assert_true(d.n == 249 && d.min == -9 && d.median == -12 && d.mode == -14 && d.max == -8);
    assert_float_equal(d.mean, -10.33643, 1e-9);
    assert_float_equal(d.mean / (d.ci / student_t(95, 136)), -12.94627, 1e-4);
    assert_float_equal(d.sd * d.sd, 6.41470 * 6.41470 + 6.10771 * 6.10771, 1e-9);
    stats_difference(&us, &japan, 99, &d);
    assert_float_equal(d.mean / (d.ci / student_t(99, 136)), -12.94627, 1e-4);
    const struct stats steady = {.n = 20, .mean = 100}, one = {.n = 1, .mean = 1, .sd = 0};
    stats_difference(&steady, &steady, 95, &d);
    assert_true(d.ci == 0 && d.mean == 0 && d.sd == 0);
    stats_difference(&steady, &one, 95, &d);
    assert_true(isnan(d.ci));
    stats_difference(&one, &steady, 95, &d);
    assert_true(isnan(d.ci));
    const struct stats two = {.n = 2, .mean = 5, .sd = 3},
                       still = {.n = 2, .mean = 1}; /* one varies: its own df */
    stats_difference(&two, &still, 95, &d);
    assert_float_equal(d.ci, student_t(95, 1) * 3 / sqrt(2), 1e-9);
}
