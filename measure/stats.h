/* Statistics of repetitions. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct stats {
    unsigned n; /* values used */
    double min, median, mode, mean, max;
    double sd; /* sample standard deviation (n-1) */
    double ci; /* half-width of the confidence interval of the mean; NaN where n < 2 */
};

/* Statistics of (value[i] - overhead) / ops, i < n. value[] is sorted in place (integers, so the mode is
 * exact: the most frequent value, the least of them on a tie). conf: 95 or 99 (%). n >= 1, ops > 0. */
void stats_compute(uint64_t *value, size_t n, uint64_t overhead, double ops, unsigned conf,
                   struct stats *out);

/* Each statistic of one sample less the same of another; the interval is Welch's, of two samples whose
 * variances may differ (NIST/SEMATECH e-Handbook, 1.3.5.3). n is the longer one's. conf: 95 or 99 (%). */
void stats_difference(const struct stats *longer, const struct stats *shorter, unsigned conf,
                      struct stats *out);

/* Ascending, in place, never worse than n log n. */
void stats_sort(uint64_t *v, size_t n);

/* Two-sided Student's t: the x with P(|T| <= x) = conf %. df >= 1. Exact to 1e-3 for df 1..inf against
 * published tables. */
double student_t(unsigned conf, unsigned df);

/* The conf % interval of a probability after hits successes in n >= 1 independent draws: E. B. Wilson's (J.
 * Amer. Statist. Assoc. 22, 1927; NIST/SEMATECH e-Handbook, 7.2.4.1), which also holds near 0 and 1. 0 <=
 * *low <= hits / n <= *high <= 1. */
void stats_binomial(unsigned conf, unsigned hits, unsigned n, double *low, double *high);

/* The square root. */
double stats_root(double x);
