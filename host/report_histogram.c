#include "host/report_histogram.h"
#include <math.h>
#include <stdlib.h>

struct one {
    double v;
    bool disturbed;
};

static int by_value(const void *a, const void *b)
{
    const double x = ((const struct one *)a)->v, y = ((const struct one *)b)->v;
    return (x > y) - (x < y);
}

/* The value below which a share of the n sorted ones lies, between neighbours in proportion. */
static double quantile(const double *v, size_t n, double share)
{
    const double place = share * (double)(n - 1);
    const size_t i = (size_t)place;
    return i + 1 < n ? v[i] + (place - (double)i) * (v[i + 1] - v[i]) : v[n - 1];
}

void spread_of(double *v, bool *disturbed, size_t n, struct spread *s)
{
    struct one *all = calloc(n + 1, sizeof *all);
    size_t good = 0;
    if (!all) abort();
    *s = (struct spread){0};
    for (size_t i = 0; i < n; i++)
        if (isfinite(v[i])) all[good++] = (struct one){v[i], disturbed[i]};
    qsort(all, good, sizeof *all, by_value);
    for (size_t i = 0; i < good; i++) {
        v[i] = all[i].v;
        disturbed[i] = all[i].disturbed;
        s->distinct += i == 0 || v[i] != v[i - 1];
        s->disturbed += disturbed[i];
    }
    free(all);
    if (!(s->n = good)) return;
    s->least = v[0];
    s->most = v[good - 1];
    s->quarter = quantile(v, good, 0.25);
    s->median = quantile(v, good, 0.5);
    s->three_quarters = quantile(v, good, 0.75);
}

/* The least difference of neighbours. */
static double step_of(const double *v, size_t n)
{
    double step = (double)INFINITY;
    for (size_t i = 1; i < n; i++)
        if (v[i] > v[i - 1]) step = fmin(step, v[i] - v[i - 1]);
    return step;
}

void histogram_of(const double *v, const bool *disturbed, const struct spread *s, struct histogram *h)
{
    const double range = s->three_quarters - s->quarter, step = step_of(v, s->n);
    double last = s->most;
    *h = (struct histogram){.from = s->least};
    if (range > 0 && s->most > s->three_quarters + 10 * range &&
        quantile(v, s->n, 0.9) <= s->three_quarters + 10 * range)
        last = s->three_quarters + 10 * range;
    const double steps = (last - s->least) / step;
    const double wanted = range > 0 ? 2 * range / cbrt((double)s->n) : (last - s->least) / HISTOGRAM_BARS;
    if (steps < HISTOGRAM_BARS - 0.5) {
        h->width = step;
        h->from -= step / 2; /* a value stands in the middle of its bar */
    } else
        h->width = fmax(wanted, (last - s->least) / (HISTOGRAM_BARS - 0.5));
    for (size_t i = 0; i < s->n; i++) {
        const double bar = floor((v[i] - h->from) / h->width);
        if (v[i] > last || bar >= HISTOGRAM_BARS) {
            h->beyond++;
            continue;
        }
        const size_t b = bar > 0 ? (size_t)bar : 0;
        h->count[b]++;
        h->disturbed[b] += disturbed[i];
        if (b >= h->bars) h->bars = b + 1;
    }
}
