#include "measure/quantiles.h"

/* The least one that so many of 100 do not exceed. */
static uint32_t rank(const uint64_t *ascending, uint32_t n, unsigned percent)
{
    const uint64_t at = ((uint64_t)n * percent + 99) / 100;
    return (uint32_t)ascending[at - 1];
}

void quantiles_of(const uint64_t *ascending, uint32_t n, struct quantiles *out)
{
    *out = (struct quantiles){.n = n};
    if (!n) return;
    out->least = (uint32_t)ascending[0];
    out->median = rank(ascending, n, 50);
    out->p95 = rank(ascending, n, 95);
    out->most = (uint32_t)ascending[n - 1];
}
