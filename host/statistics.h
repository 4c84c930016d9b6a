/* Do two sets of measurements differ, and by how much? Student's t, Welch's test, Holm's correction.
 *
 * Written here and not taken from the GNU Scientific Library: that is under the GPL, and this program is not.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* P(|T| > t) of Student's t with df degrees of freedom; df > 0, any real number, INFINITY for the normal
 * distribution. By the incomplete beta function, DLMF 8.17 (https://dlmf.nist.gov/8.17). Relative error below
 * 1e-11 for df to 1000, and 1e-5 above. */
double t_two_sided(double t, double df);

/* The t >= 0 with P(|T| > t) = p. 0 < p <= 1; INFINITY where p is 0. */
double t_critical(double p, double df);

/* Independent measurements of one thing. */
struct sample {
    size_t n;
    double mean;
    double variance; /* of one measurement, divisor n - 1; 0 where n < 2 */
    double step;     /* values come in steps of this size; 0: any value can come */
};

/* Of n >= 1 values. */
struct sample sample_of(const double *value, size_t n, double step);

/* How far b's mean lies above a's. */
struct difference {
    double mean, error; /* and its standard error */
    double df;
    double p; /* that two equal things differ this much or more: two-sided */
};

/* B. L. Welch, Biometrika 34 (1947), 28-35: the variances may differ. Each side's n is 2 or more.
 *
 * Where values come in steps, the error of a mean is no less than step / sqrt(12), with df infinite: GUM
 * (JCGM 100:2008) F.2.2.1 and G.4.2. Without this, equal readings of a coarse clock would look certain. */
struct difference welch(const struct sample *a, const struct sample *b);

/* S. Holm, Scandinavian Journal of Statistics 6 (1979), 65-70: the chance that any of n equal things is
 * called different stays at alpha, whatever depends on what.
 *
 * level[i] is the level at which p[i] was judged: alpha / n for the smallest, alpha / (n - 1) for the next,
 * and so on; from the first that is not significant on, they stay. So p[i] <= level[i] says that i is
 * significant, and an interval at 1 - level[i] excludes no difference exactly then. False: no memory. */
bool holm_levels(const double *p, size_t n, double alpha, double *level);
