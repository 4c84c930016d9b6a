/* Student's t, Welch's test and Holm's correction against values that others published, and against closed
 * forms. */
#include "host/statistics.h"
#include "unit.h"
#include <math.h>
#include <stdbool.h>

#define ALPHA     0.05
#define LENGTH(a) (sizeof(a) / sizeof *(a))

static void near(double value, double wanted, double off)
{
    if (!(fabs(value - wanted) <= off)) fail_msg("%.12g instead of %.12g", value, wanted);
}

/* ---- Student's t ---- */

/* With 1, 2 and 4 degrees of freedom the integral has a closed form. */
TEST(t_closed_forms)
{
    for (double t = 1e-3; t < 1e4; t *= 1.37) {
        const double s = t / sqrt(2 + t * t), r = t / sqrt(4 + t * t);
        near(t_two_sided(t, 1) / (2 / M_PI * atan(1 / t)), 1, 1e-12);
        near(t_two_sided(t, 2), 1 - s, 1e-14);
        near(t_two_sided(t, 4), 1 - r * (1.5 - 0.5 * r * r), 1e-14);
        near(t_two_sided(-t, 3), t_two_sided(t, 3), 0);
    }
    near(t_two_sided(0, 7.5), 1, 0);
    near(t_two_sided(INFINITY, 7.5), 0, 0);
}

/* The density, integrated by Simpson's rule. */
static double t_integrated(double t, double df)
{
    const int steps = 20000;
    const double front = exp(lgamma((df + 1) / 2) - lgamma(df / 2)) / sqrt(df * M_PI), h = t / steps;
    double sum = 0;
    for (int i = 0; i <= steps; i++) {
        const double x = i * h;
        sum += (i == 0 || i == steps ? 1 : i % 2 ? 4 : 2) * pow(1 + x * x / df, -(df + 1) / 2);
    }
    return 1 - 2 * front * sum * h / 3;
}

TEST(t_any_df)
{
    static const double df[] = {0.8, 1.5, 3.3, 17.776, 299.5, 1000};
    for (size_t i = 0; i < LENGTH(df); i++)
        for (double t = 0.1; t < 8; t *= 1.9) near(t_two_sided(t, df[i]), t_integrated(t, df[i]), 1e-11);
}

/* NIST/SEMATECH e-Handbook, table 1.3.6.7.2, columns 0.95, 0.975, 0.99, 0.995 and 0.999. */
TEST(t_table)
{
    static const double tail[] = {0.05, 0.025, 0.01, 0.005, 0.001};
    static const struct {
        double df, t[5];
    } row[] = {
        {1, {6.314, 12.706, 31.821, 63.657, 318.309}},   {2, {2.920, 4.303, 6.965, 9.925, 22.327}},
        {5, {2.015, 2.571, 3.365, 4.032, 5.893}},        {10, {1.812, 2.228, 2.764, 3.169, 4.144}},
        {30, {1.697, 2.042, 2.457, 2.750, 3.385}},       {100, {1.660, 1.984, 2.364, 2.626, 3.174}},
        {INFINITY, {1.645, 1.960, 2.326, 2.576, 3.090}},
    };
    for (size_t i = 0; i < LENGTH(row); i++)
        for (size_t k = 0; k < LENGTH(tail); k++) near(t_critical(2 * tail[k], row[i].df), row[i].t[k], 6e-4);
}

TEST(t_critical_inverts)
{
    for (double df = 0.7; df < 3e9; df *= 3.1)
        for (double p = 0.9; p > 1e-9; p /= 5) near(t_two_sided(t_critical(p, df), df) / p, 1, 1e-8);
    near(t_critical(1, 5), 0, 1e-6);
    assert_true(isinf(t_critical(0, 5)));
    near(t_two_sided(2.5, 0.999e7), t_two_sided(2.5, 1.001e7),
         1e-7); /* where the normal distribution begins */
}

/* ---- Welch ---- */

static struct difference compare(const double *a, size_t n, const double *b, size_t m)
{
    const struct sample x = sample_of(a, n, 0), y = sample_of(b, m, 0);
    return welch(&x, &y);
}

/* The examples of R's ?t.test and what R 4 prints for them. Its signs are those of x - y. */
TEST(welch_as_r)
{
    static const double ten[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    static const double to_twenty[] = {7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 200};
    static const double drug_1[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    static const double drug_2[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

    struct difference d = compare(ten, 10, to_twenty, 14);
    near(d.mean / d.error, 5.4349, 5e-5);
    near(d.df, 21.982, 5e-4);
    near(d.p, 1.855e-5, 5e-9);
    near(d.mean - t_critical(ALPHA, d.df) * d.error, 4.947198, 5e-7);
    near(d.mean + t_critical(ALPHA, d.df) * d.error, 11.052802, 5e-7);

    d = compare(ten, 10, to_twenty, 15); /* with an outlier */
    near(d.mean / d.error, 1.6329, 5e-5);
    near(d.df, 14.165, 5e-4);
    near(d.p, 0.1245, 5e-5);
    near(d.mean - t_critical(ALPHA, d.df) * d.error, -6.376233, 5e-7);
    near(d.mean + t_critical(ALPHA, d.df) * d.error, 47.242900, 5e-7);

    d = compare(drug_1, 10, drug_2, 10); /* Student's own data: sleep */
    near(d.mean / d.error, 1.8608, 5e-5);
    near(d.df, 17.776, 5e-4);
    near(d.p, 0.07939, 5e-6);
    near(d.mean - t_critical(ALPHA, d.df) * d.error, -0.2054832, 5e-8);
    near(d.mean + t_critical(ALPHA, d.df) * d.error, 3.3654832, 5e-8);
}

TEST(welch_without_spread)
{
    static const double five[] = {5, 5, 5}, six[] = {6, 6};
    assert_true(compare(five, 3, five, 3).p == 1);
    assert_true(compare(five, 3, six, 2).p == 0);
}

/* Readings of a clock that ticks once a unit: 5 and 6 may be 5.49 and 5.51. */
TEST(welch_knows_the_step)
{
    static const double five[] = {5, 5, 5}, six[] = {6, 6}, scattered[] = {1, 5, 9};
    struct sample a = sample_of(five, 3, 1), b = sample_of(six, 2, 1);
    struct difference d = welch(&a, &b);
    near(d.error, sqrt(2.0 / 12), 1e-15);
    assert_true(isinf(d.df));
    near(d.p, erfc(sqrt(6) / M_SQRT2), 1e-15);
    /* It says nothing where the scatter is larger. */
    a = sample_of(scattered, 3, 1);
    b = sample_of(scattered, 3, 0);
    near(welch(&a, &a).error, welch(&b, &b).error, 0);
    near(welch(&a, &a).df, 4, 1e-12);
}

/* ---- Holm ---- */

/* An adjusted p is how large alpha must be for p to be significant: between its two neighbours here. */
static void expect_adjusted(const double *p, const double *adjusted, size_t n)
{
    double level[8];
    for (size_t i = 0; i < n; i++) {
        assert_true(holm_levels(p, n, adjusted[i] * (1 + 1e-9), level));
        assert_true(p[i] <= level[i]);
        assert_true(holm_levels(p, n, adjusted[i] * (1 - 1e-9), level));
        assert_true(p[i] > level[i]);
    }
}

TEST(holm_published)
{
    /* pingouin.holm()'s documentation; R's p.adjust(p, "holm") has the same. */
    static const double p1[] = {.50, .003, .32, .054, .0003}, a1[] = {0.64, 0.012, 0.64, 0.162, 0.0015};
    /* @stdlib/stats/padjust's documentation. */
    static const double p2[] = {0.319, 0.201, 0.4, 0.374, 0.113}, a2[] = {0.957, 0.804, 0.957, 0.957, 0.565};
    /* Wikipedia, "Holm-Bonferroni method". */
    static const double p3[] = {0.01, 0.04, 0.03, 0.005}, a3[] = {0.03, 0.06, 0.06, 0.02};
    expect_adjusted(p1, a1, LENGTH(p1));
    expect_adjusted(p2, a2, LENGTH(p2));
    expect_adjusted(p3, a3, LENGTH(p3));
}

/* Wikipedia's example once more, as Holm's article says it: which levels are used. */
TEST(holm_stops)
{
    static const double p[] = {0.01, 0.04, 0.03, 0.005};
    double level[4];
    assert_true(holm_levels(p, 4, ALPHA, level));
    near(level[3], ALPHA / 4, 1e-17);
    near(level[0], ALPHA / 3, 1e-17);
    near(level[2], ALPHA / 2, 1e-17); /* 0.03 > 0.025: the first that is not significant */
    near(level[1], ALPHA / 2, 1e-17); /* so 0.04 <= 0.05 does not help */
    assert_true(holm_levels(p, 0, ALPHA, level));
}
