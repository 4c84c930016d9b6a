/* Statistics of repetitions: order statistics on the integers, moments on the deviations from the least. */
#include "measure/stats.h"

#include <math.h>
#include <stdbool.h>

/* ---- private ---- */

struct t_row {
    uint16_t t95, t99; /* thousandths */
};

/* Two-sided critical values of Student's t, df 1..30: NIST/SEMATECH e-Handbook, table 1.3.6.7.2 (columns
 * 0.975 and 0.995). */
static const struct t_row t_table[] = {
    {12706, 63657}, {4303, 9925}, {3182, 5841}, {2776, 4604}, {2571, 4032}, {2447, 3707},
    {2365, 3499},   {2306, 3355}, {2262, 3250}, {2228, 3169}, {2201, 3106}, {2179, 3055},
    {2160, 3012},   {2145, 2977}, {2131, 2947}, {2120, 2921}, {2110, 2898}, {2101, 2878},
    {2093, 2861},   {2086, 2845}, {2080, 2831}, {2074, 2819}, {2069, 2807}, {2064, 2797},
    {2060, 2787},   {2056, 2779}, {2052, 2771}, {2048, 2763}, {2045, 2756}, {2042, 2750},
};
#define T_ROWS (sizeof t_table / sizeof *t_table)

static void sift_down(uint64_t *v, size_t root, size_t n)
{
    uint64_t x = v[root];
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && v[child + 1] > v[child]) child++;
        if (v[child] <= x) break;
        v[root] = v[child];
    }
    v[root] = x;
}

/* Heapsort. newlib's qsort() changes to insertion sort after a partition without swaps. This is quadratic on
 * a run whose clock changed half-way: two unsorted halves, each already on its side. */
void stats_sort(uint64_t *v, size_t n)
{
    for (size_t i = n / 2; i-- > 0;) sift_down(v, i, n);
    while (n-- > 1) {
        uint64_t top = v[0];
        v[0] = v[n];
        v[n] = top;
        sift_down(v, 0, n);
    }
}

static uint64_t mode_of_sorted(const uint64_t *v, size_t n)
{
    uint64_t mode = v[0];
    size_t best = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && v[end] == v[i]; end++) {
        }
        if (end - i > best) {
            best = end - i;
            mode = v[i];
        }
    }
    return mode;
}

/* Signed, so that a value below the overhead stays negative. */
static double deviation(uint64_t v, uint64_t from) { return (double)(int64_t)(v - from); }

/* ---- public ---- */

/* The kernel's libc has no libm; every CPU that this runs on has the instruction. */
double stats_root(double x)
{
    __asm__("fsqrt" : "+t"(x));
    return x;
}

/* Two-sided critical value of the normal distribution. */
static double normal(unsigned conf) { return conf == 99 ? 2.5758293 : 1.9599640; }

void stats_binomial(unsigned conf, unsigned hits, unsigned n, double *low, double *high)
{
    const double z = normal(conf), zz = z * z, p = (double)hits / n;
    const double middle = p + zz / (2.0 * n), half = z * stats_root((p * (1 - p) + zz / (4.0 * n)) / n);
    *low = hits ? (middle - half) / (1 + zz / n) : 0; /* at the ends exactly, without rounding */
    *high = hits < n ? (middle + half) / (1 + zz / n) : 1;
}

double student_t(unsigned conf, unsigned df)
{
    bool c99 = conf == 99;
    if (df <= T_ROWS) {
        const struct t_row *row = &t_table[df - 1];
        return (c99 ? row->t99 : row->t95) / 1000.0;
    }
    /* Abramowitz and Stegun 26.7.5, to the third order: off by less than 1e-4 from df = 31 on. */
    double x = normal(conf), x2 = x * x, v = df;
    double g1 = x * (x2 + 1) / 4;
    double g2 = x * (5 * x2 * x2 + 16 * x2 + 3) / 96;
    double g3 = x * (((3 * x2 + 19) * x2 + 17) * x2 - 15) / 384;
    return x + (g1 + (g2 + g3 / v) / v) / v;
}

void stats_compute(uint64_t *value, size_t n, uint64_t overhead, double ops, unsigned conf, struct stats *out)
{
    stats_sort(value, n);

    /* Deviations from the least are small even where values are huge, so rounding does no harm. */
    uint64_t least = value[0];
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) sum += deviation(value[i], least);
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        double d = deviation(value[i], least) - mean;
        squares += d * d;
    }
    double median = (deviation(value[(n - 1) / 2], least) + deviation(value[n / 2], least)) / 2;
    double mode = deviation(mode_of_sorted(value, n), least);
    double max = deviation(value[n - 1], least);
    double base = deviation(least, overhead);

    out->n = (unsigned)n;
    out->min = base / ops;
    out->median = (base + median) / ops;
    out->mode = (base + mode) / ops;
    out->mean = (base + mean) / ops;
    out->max = (base + max) / ops;
    out->sd = n > 1 ? stats_root(squares / (double)(n - 1)) / ops : 0;
    out->ci = n > 1 ? student_t(conf, (unsigned)(n - 1)) * out->sd / stats_root((double)n) : (double)NAN;
}

void stats_difference(const struct stats *longer, const struct stats *shorter, unsigned conf,
                      struct stats *out)
{
    const double a = longer->sd * longer->sd / longer->n, b = shorter->sd * shorter->sd / shorter->n;
    const struct stats d = {.n = longer->n,
                            .min = longer->min - shorter->min,
                            .median = longer->median - shorter->median,
                            .mode = longer->mode - shorter->mode,
                            .mean = longer->mean - shorter->mean,
                            .max = longer->max - shorter->max,
                            .sd = stats_root(longer->sd * longer->sd + shorter->sd * shorter->sd),
                            .ci = 0};
    const bool known = longer->n > 1 && shorter->n > 1;
    *out = d;
    if (!known) out->ci = (double)NAN;
    if (!known || a + b == 0) return;
    /* Welch and Satterthwaite's degrees of freedom, rounded down: not below the least of both. */
    const double df = (a + b) * (a + b) / (a * a / (longer->n - 1) + b * b / (shorter->n - 1));
    out->ci = student_t(conf, df < 1 ? 1 : (unsigned)df) * stats_root(a + b);
}
