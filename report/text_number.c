/* Numbers of a table: seven columns, five digits if there are that many. */
#include <math.h>
#include <stdio.h>

#include "report/text.h"

#define TOO_LARGE 1e16 /* for a suffix in seven columns */

static const struct {
    double below, unit;
    int decimals;
    const char *suffix;
} forms[] = {
    {0.1, 1, 5, ""},    {1e3, 1, 3, ""},    {1e4, 1, 2, ""},     {1e5, 1, 1, ""},           {1e7, 1, 0, ""},
    {1e8, 1e6, 3, "M"}, {1e9, 1e6, 2, "M"}, {1e11, 1e9, 3, "G"}, {TOO_LARGE, 1e12, 1, "T"},
};

void text_number(char *s, size_t cap, double v, double scale)
{
    unsigned f = sizeof forms / sizeof *forms - 1;
    const double size = v < 0 ? -v : v;
    while (f && !(scale >= forms[f - 1].below)) f--;
    if (!isfinite(v))
        snprintf(s, cap, "-");
    else if (v == 0) /* exactly 0: 0.000 may also come from rounding */
        snprintf(s, cap, "0");
    else if (scale < 0.0005 || size >= TOO_LARGE)
        snprintf(s, cap, "%.*e", size < 1e100, v);
    else
        snprintf(s, cap, "%.*f%s", forms[f].decimals, v / forms[f].unit, forms[f].suffix);
}

double text_core_cycles(const struct record *r)
{
    const double ratio = rec_number(r, "core_per_tsc", 1);
    return ratio <= 0 || (ratio > 0.995 && ratio < 1.005) ? 0 : rec_number(r, "core_per_op", 0);
}
