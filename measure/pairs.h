/* Which pairs of n processors are measured: all of them, or some of each. */
#pragma once
#include <stdint.h>

struct pair {
    unsigned a, b; /* a < b < n */
};

/* How many pairs n processors have. */
static inline uint32_t pairs_of(unsigned n) { return n < 2 ? 0 : n * (n - 1) / 2; }

/* The k-th of `taken` pairs, k < taken <= pairs_of(n). They are all different, and the same ones each time.
 * Of a sample each distance b - a has its share, and so have near ones (the threads of a core, by most
 * firmwares' order) and far ones: the pairs in the order of their distances, in equal steps. */
struct pair pair_at(unsigned n, uint32_t taken, uint32_t k);
