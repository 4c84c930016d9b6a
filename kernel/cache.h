/* Cache geometry of this CPU, and its source. */
#pragma once
#include "kernel/cpuid.h"

enum cache_kind { CACHE_DATA = 1, CACHE_CODE = 2, CACHE_UNIFIED = 3 }; /* leaf 4's own encoding */

#define CACHE_FULLY_ASSOCIATIVE 0xffffu

struct cache {
    uint8_t level;  /* 1.. */
    uint8_t kind;   /* enum cache_kind */
    uint32_t bytes; /* total size */
    uint32_t line;  /* line size in bytes */
    uint32_t ways;  /* associativity, or CACHE_FULLY_ASSOCIATIVE; 0 unknown */
};

#define CACHE_MAX 8
struct cache_info {
    struct cache c[CACHE_MAX];
    unsigned n;
    const char *source; /* "cpuid.4", "cpuid.2", "cpuid.80000005h", "cpuid.8000001Dh", "table" or "unknown"
                           (then n == 0) */
};

/* Find the geometry: leaf 4 (Intel), 8000001Dh (AMD with topology extensions), leaf 2 descriptors,
 * 80000005h/80000006h, else a family/model table (the Pentium has none of the leaves). Bounded: a CPU that
 * never ends leaf 4 is cut off after CACHE_MAX entries. */
void cache_probe(const struct cpu_id *id, struct cache_info *info);

/* The data (or unified) cache of a level, or NULL. */
const struct cache *cache_data(const struct cache_info *info, unsigned level);

/* Number of sets; 1 where fully associative, 0 where the geometry is incomplete. */
uint32_t cache_sets(const struct cache *c);
