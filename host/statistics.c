#include "host/statistics.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ---- Student's t ---- */

#define TERMS_MAX   10000
#define DF_NORMAL   1e7 /* from here on the normal distribution is as good */
#define NOT_ZERO(x) (fabs(x) < DBL_MIN ? DBL_MIN : (x))

/* The continued fraction of the incomplete beta function, DLMF 8.17.22, by Lentz's method with Thompson and
 * Barnett's change (J. Comput. Phys. 64 (1986), 490-509). It converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 0, value = 1, change = 0;
    for (int i = 1; i < TERMS_MAX && fabs(change - 1) > DBL_EPSILON; i++) {
        const int m = i / 2;
        const double term = i % 2 ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                                  : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / NOT_ZERO(1 + term * d);
        c = NOT_ZERO(1 + term / c);
        change = c * d;
        value *= change;
    }
    return 1 / value;
}

/* I_x(a, b). y: 1 - x, which the caller may know better. */
static double incomplete_beta(double a, double b, double x, double y)
{
    if (x <= 0 || y <= 0) return x > 0;
    const double front = exp(a * log(x) + b * log(y) + lgamma(a + b) - lgamma(a) - lgamma(b));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, y) / b; /* DLMF 8.17.4 */
}

double t_two_sided(double t, double df)
{
    if (isinf(t)) return 0;
    if (df > DF_NORMAL) return erfc(fabs(t) / M_SQRT2);
    const double sum = df + t * t;
    return incomplete_beta(df / 2, 0.5, df / sum, t * t / sum);
}

double t_critical(double p, double df)
{
    double low = 0, high = 1;
    if (p <= 0) return INFINITY;
    while (t_two_sided(high, df) > p && high < DBL_MAX / 2) {
        low = high;
        high *= 2;
    }
    for (double middle; (middle = low + (high - low) / 2) > low && middle < high;) {
        if (t_two_sided(middle, df) > p)
            low = middle;
        else
            high = middle;
        if (high - low < high * 1e-13) break;
    }
    return high;
}

/* ---- Welch ---- */

struct sample sample_of(const double *value, size_t n, double step)
{
    struct sample s = {.n = n, .step = step};
    for (size_t i = 0; i < n; i++) s.mean += (value[i] - s.mean) / (double)(i + 1);
    for (size_t i = 0; i < n; i++) s.variance += (value[i] - s.mean) * (value[i] - s.mean);
    s.variance = n > 1 ? s.variance / (double)(n - 1) : 0;
    return s;
}

/* The square of the standard error of a mean, and what it adds to the denominator of Satterthwaite's df. */
static double error_squared(const struct sample *s, double *share)
{
    const double spread = s->variance / (double)s->n, step = s->step * s->step / 12;
    *share = spread > step ? spread * spread / (double)(s->n - 1) : 0;
    return spread > step ? spread : step;
}

struct difference welch(const struct sample *a, const struct sample *b)
{
    struct difference d = {.mean = b->mean - a->mean};
    double share_a, share_b;
    const double squared = error_squared(a, &share_a) + error_squared(b, &share_b);
    d.error = sqrt(squared);
    d.df = share_a + share_b > 0 ? squared * squared / (share_a + share_b) : INFINITY;
    if (d.error > 0)
        d.p = t_two_sided(d.mean / d.error, d.df);
    else
        d.p = d.mean == 0;
    return d;
}

/* ---- Holm ---- */

struct ranked {
    double p;
    size_t at;
};

static int by_p(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->p > y->p) - (x->p < y->p);
}

bool holm_levels(const double *p, size_t n, double alpha, double *level)
{
    struct ranked *rank = malloc((n ? n : 1) * sizeof *rank);
    size_t left = n;
    if (!rank) return false;
    for (size_t i = 0; i < n; i++) rank[i] = (struct ranked){p[i], i};
    qsort(rank, n, sizeof *rank, by_p);
    for (size_t i = 0; i < n; i++) { /* what follows one that is not significant is not, either */
        level[rank[i].at] = alpha / (double)left;
        if (rank[i].p <= alpha / (double)left) left--;
    }
    free(rank);
    return true;
}
