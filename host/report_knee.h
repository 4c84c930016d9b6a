/* Where a curve of levels changes level: the knee of a parameter's sweep, such as the size of a cache. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct knee {
    size_t at;            /* the level changes between points at - 1 and at */
    double before, after; /* the mean of the points on either side, to the next knee */
};

/* Finds up to `max` knees, those that explain most first, in the order of x in the end.
 *
 * x grows. A part of the curve has a knee where two levels describe it well: they leave less than a quarter
 * of the variance, less than half of what the best straight line leaves (over x or log x, so that a slope is
 * none), and differ by 10 % of the greater one and 3 % of the curve's range or more. Comes to how many there
 * are. */
size_t knees(const double *x, const double *y, size_t n, struct knee *to, size_t max);

/* Do values of x double, or grow so on the whole: are they for a logarithmic axis? */
bool grows_by_factors(const double *x, size_t n);
