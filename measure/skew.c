#include "measure/skew.h"

/* Counters are reset now and then: differences are modulo 2^64. */
void skew_add(struct skew *s, uint64_t sent, uint64_t there, uint64_t back)
{
    const int64_t low = (int64_t)(there - back), high = (int64_t)(there - sent);
    if (low > s->low) s->low = low;
    if (high < s->high) s->high = high;
    s->exchanges++;
}

double skew_offset(const struct skew *s) { return ((double)s->low + (double)s->high) / 2; }

double skew_uncertainty(const struct skew *s) { return ((double)s->high - (double)s->low) / 2; }

void skew_drift(const struct skew *before, const struct skew *after, uint64_t ticks, double *low,
                double *high)
{
    *low = ((double)after->low - (double)before->high) / (double)ticks;
    *high = ((double)after->high - (double)before->low) / (double)ticks;
}
