/* Numbers of a table: whole ones with all of their digits, others with five. No suffix stands for a power of
 * ten. */
#include <math.h>
#include <stdio.h>

#include "report/text.h"

#define LARGE    1e19 /* no time stamp has more digits */
#define WHOLE    0x1p53
#define DECIMALS 3 /* at most, so that a count is exact */

static const struct {
    double below;
    int decimals;
} forms[] = {{0.1, 5}, {1e3, 3}, {1e4, 2}, {1e5, 1}, {LARGE, 0}};

/* The decimals that v needs to be exact; 0: none, or more than DECIMALS. */
static int decimals_of(double v)
{
    double power = 1;
    if (!(__builtin_fabs(v) < WHOLE)) return 0;
    for (int n = 0; n <= DECIMALS; n++, power *= 10)
        if ((double)(int64_t)(v * power + (v < 0 ? -0.5 : 0.5)) / power == v) return n;
    return 0;
}

static void number(char *s, size_t cap, double v, double scale, int decimals)
{
    unsigned f = sizeof forms / sizeof *forms - 1;
    const double size = __builtin_fabs(v);
    while (f && !(scale >= forms[f - 1].below)) f--;
    if (!isfinite(v))
        snprintf(s, cap, "-");
    else if (v == 0) /* exactly 0: 0.000 may also come from rounding */
        snprintf(s, cap, "0");
    else if (scale < 0.0005 || size >= LARGE)
        snprintf(s, cap, "%.*e", size < 1e100, v);
    else
        snprintf(s, cap, "%.*f", decimals > forms[f].decimals ? decimals : forms[f].decimals, v);
}

void text_number(char *s, size_t cap, double v, double scale) { number(s, cap, v, scale, 0); }

void text_count(char *s, size_t cap, double v, double scale) { number(s, cap, v, scale, decimals_of(v)); }

void text_plain(char *s, size_t cap, double v)
{
    const bool whole = __builtin_fabs(v) < LARGE / 10 && v == (double)(int64_t)v;
    text_number(s, cap, v, whole ? LARGE : __builtin_fabs(v));
}

double text_core_cycles(const struct record *r)
{
    const double ratio = rec_number(r, "core_per_tsc", 1);
    return ratio <= 0 || (ratio > 0.995 && ratio < 1.005) ? 0 : rec_number(r, "core_per_op", 0);
}
