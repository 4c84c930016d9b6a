#include "measure/pairs.h"

struct pair pair_at(unsigned n, uint32_t taken, uint32_t k)
{
    uint32_t i = (uint32_t)((uint64_t)k * pairs_of(n) / taken);
    unsigned distance = 1;
    for (; i >= n - distance; distance++) i -= n - distance;
    return (struct pair){i, i + distance};
}
