/* How often values came: the bars of a distribution. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define HISTOGRAM_BARS 40

struct histogram {
    double from, width; /* of the first bar; of each */
    size_t bars;
    size_t count[HISTOGRAM_BARS], disturbed[HISTOGRAM_BARS]; /* disturbed ones are in count, too */
    size_t beyond; /* values above the last bar: a long tail would leave one bar for all others */
};

struct spread {
    size_t n, distinct, disturbed;
    double least, quarter, median, three_quarters, most;
};

/* Values that are no number are passed over. v is sorted, and with it `disturbed`. */
void spread_of(double *v, bool *disturbed, size_t n, struct spread *s);

/* v: sorted, s: of it, with .distinct > 1. A bar for each value where they are few and evenly apart;
 * otherwise bars of Freedman's and Diaconis' width (2 x quartile range / cube root of n), at most
 * HISTOGRAM_BARS. The last bar ends at the greatest value, or where ten quartile ranges above the third
 * quartile are left by less than a tenth of the values. */
void histogram_of(const double *v, const bool *disturbed, const struct spread *s, struct histogram *h);
