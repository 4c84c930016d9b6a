/* The quantiles of numbers: least, median, 95 %, most, each of them one of the numbers (nearest rank). */
#pragma once
#include <stdint.h>

struct quantiles {
    uint32_t n; /* numbers; 0: there are none, and the others mean nothing */
    uint32_t least, median, p95, most;
};

/* Of the lower halves of n ascending numbers. */
void quantiles_of(const uint64_t *ascending, uint32_t n, struct quantiles *out);
