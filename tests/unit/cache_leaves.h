/* For tests of cache_probe(): leaves to give it, and caches to look for in its answer. */
#pragma once
#include "kernel/cache.h"
#include "tests/unit/fake_hw.h"
#include "unit.h"
#include <string.h>

#define FULL CACHE_FULLY_ASSOCIATIVE
enum { D = CACHE_DATA, I = CACHE_CODE, U = CACHE_UNIFIED };

#define INTEL_MAX(leaf)                                                   \
    {                                                                     \
        0, FAKE_ANY_SUBLEAF, { leaf, 0x756e6547, 0x6c65746e, 0x49656e69 } \
    }
#define AMD_MAX(leaf)                                                     \
    {                                                                     \
        0, FAKE_ANY_SUBLEAF, { leaf, 0x68747541, 0x444d4163, 0x69746e65 } \
    }
#define SIGNATURE(s)                        \
    {                                       \
        1, FAKE_ANY_SUBLEAF, { s, 0, 0, 0 } \
    }

static inline void probe(struct cache_info *info)
{
    struct cpu_id id;
    cpu_identify(&id);
    memset(info, 0xa5, sizeof *info);
    cache_probe(&id, info);
}

static inline bool has(const struct cache_info *info, unsigned level, unsigned kind, unsigned kib,
                       unsigned ways, unsigned line)
{
    for (unsigned i = 0; i < info->n; i++) {
        const struct cache *c = &info->c[i];
        if (c->level == level && c->kind == kind && c->bytes == kib * 1024 && c->ways == ways &&
            c->line == line)
            return true;
    }
    return false;
}
