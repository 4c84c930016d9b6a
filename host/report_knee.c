#include "host/report_knee.h"
#include <math.h>

#define LEFT_OF_VARIANCE 0.25 /* at most, by two levels */
#define LEFT_OF_LINE     0.5
#define LEVELS_APART     0.1  /* of the greater one */
#define RANGE_APART      0.03 /* of the whole curve's range */

/* Squares of the differences from the mean of y[0..n). */
static double around_mean(const double *y, size_t n, double *mean)
{
    double m = 0, sum = 0;
    for (size_t i = 0; i < n; i++) m += y[i];
    m /= (double)n;
    for (size_t i = 0; i < n; i++) sum += (y[i] - m) * (y[i] - m);
    *mean = m;
    return sum;
}

/* The same from the line of least squares, over x or log x. */
static double around_line(const double *x, const double *y, size_t n, bool logarithm)
{
    double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    if (logarithm && !(x[0] > 0)) return (double)INFINITY;
    for (size_t i = 0; i < n; i++) {
        mx += logarithm ? log(x[i]) : x[i];
        my += y[i];
    }
    mx /= (double)n;
    my /= (double)n;
    for (size_t i = 0; i < n; i++) {
        const double dx = (logarithm ? log(x[i]) : x[i]) - mx, dy = y[i] - my;
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
    }
    return xx > 0 ? yy - xy * xy / xx : yy;
}

/* The best place to part [from, to); how much of the squares it takes away, 0: it is no knee. */
static double part(const double *x, const double *y, size_t from, size_t to, double range, size_t *at)
{
    const size_t n = to - from;
    double mean, least = (double)INFINITY;
    if (n < 3) return 0;
    /* Sums from the whole's mean on, so that little is lost by taking squares of large numbers away. */
    const double whole = around_mean(y + from, n, &mean);
    double sum = 0, before = 0, after = 0;
    for (size_t i = from + 1; i < to; i++) {
        const double n_left = (double)(i - from), n_right = (double)(to - i);
        sum += y[i - 1] - mean;
        const double squares = whole - sum * sum / n_left - sum * sum / n_right;
        if (squares >= least) continue;
        least = squares;
        before = mean + sum / n_left;
        after = mean - sum / n_right;
        *at = i;
    }
    const double line =
        fmin(around_line(x + from, y + from, n, false), around_line(x + from, y + from, n, true));
    const double difference = fabs(after - before);
    const bool apart =
        difference >= LEVELS_APART * fmax(fabs(after), fabs(before)) && difference >= RANGE_APART * range;
    if (!(whole > 0) || !apart || least > LEFT_OF_VARIANCE * whole || least > LEFT_OF_LINE * line) return 0;
    return whole - least;
}

/* The mean of the points from one knee to the next. */
static void levels(const double *y, size_t n, struct knee *k, size_t found)
{
    for (size_t i = 0; i < found; i++) {
        const size_t from = i ? k[i - 1].at : 0, to = i + 1 < found ? k[i + 1].at : n;
        around_mean(y + from, k[i].at - from, &k[i].before);
        around_mean(y + k[i].at, to - k[i].at, &k[i].after);
    }
}

size_t knees(const double *x, const double *y, size_t n, struct knee *k, size_t max)
{
    size_t found = 0;
    double least_y = (double)INFINITY, most_y = -(double)INFINITY;
    for (size_t i = 0; i < n; i++) {
        least_y = fmin(least_y, y[i]);
        most_y = fmax(most_y, y[i]);
    }
    while (found < max) {
        double most = 0;
        size_t place = 0, slot = 0;
        for (size_t i = 0; i <= found; i++) {
            const size_t from = i ? k[i - 1].at : 0, to = i < found ? k[i].at : n;
            size_t at = 0;
            const double gain = part(x, y, from, to, most_y - least_y, &at);
            if (gain <= most) continue;
            most = gain;
            place = at;
            slot = i;
        }
        if (most <= 0) break;
        for (size_t i = found; i > slot; i--) k[i] = k[i - 1];
        k[slot].at = place;
        found++;
    }
    levels(y, n, k, found);
    return found;
}

bool grows_by_factors(const double *x, size_t n)
{
    if (n < 3 || !(x[0] > 0) || x[n - 1] < 8 * x[0]) return false;
    size_t factors = 0;
    for (size_t i = 1; i < n; i++) factors += x[i] >= 1.4 * x[i - 1];
    return factors * 4 >= (n - 1) * 3;
}
