/* What samples say of accesses to memory: where the data came from, how its address was translated, and how
 * long it took. What a facility does not say of a sample stays unknown, and is in no figure. */
#pragma once
#include "kernel/arena.h"
#include "measure/profile.h"
#include "measure/quantiles.h"

#define MEMORY_TRAITS  12 /* bits of enum sample_trait */
#define MEMORY_BUCKETS 33 /* of latencies: 0, 1, 2 to 3, 4 to 7, ... */

/* Those of one level, of one kind of translation, or all. */
struct memory_row {
    uint32_t samples;
    struct quantiles latency, cache, retire; /* core cycles, of those that have one */
    uint32_t trait[MEMORY_TRAITS];           /* bit i of traits: of so many */
};

struct memory_profile {
    bool no_tlbs;     /* set by the caller: what was recorded of translations is a model's that has none */
    uint64_t samples; /* of the payload, with those that are not accesses or of which nothing is said */
    struct memory_row all, level[LEVELS], tlb[TLBS];
    uint32_t histogram[MEMORY_BUCKETS]; /* [0]: latencies of 0; [i]: from 2^(i-1) to 2^i - 1 */
};

/* Is it an access? A facility that samples other instructions, too, says which ones are. */
bool memory_is_access(const struct sample *s);

/* Of the accesses that pass the filter: level[LEVEL_UNKNOWN] and tlb[TLB_UNKNOWN] have those whose level or
 * translation is not known. False: the arena is full; what was taken of it is released. */
bool memory_profile(const struct samples *s, const struct profile_filter *filter, struct arena *arena,
                    struct memory_profile *out);
