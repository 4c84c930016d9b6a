/* Conclusions from a profile by data address: B. Sprunt's deduction from table 1 (IEEE Micro 22(4), 2002).
 */
#pragma once
#include "kernel/cache.h"
#include "measure/profile.h"

enum deduce_verdict {
    DEDUCE_NOTHING,  /* no address is known */
    DEDUCE_UNKNOWN,  /* the cache's geometry is unknown */
    DEDUCE_CONFLICT, /* some set has more lines than ways: they evict each other */
    DEDUCE_CAPACITY, /* the same in a cache whose sets are all in use, by more lines than it holds */
    DEDUCE_FITS,     /* the cache holds all of them: misses have another reason */
    DEDUCE_SPARSE,   /* it holds those that were sampled, and there must be many others */
};

/* Addresses with fewer samples than an eighth of the average are noise and left out; so are those whose data
 * was in the L1 most of the time, where the samples say so. */
struct deduction {
    uint32_t addresses, left_out; /* distinct addresses considered; others */
    uint64_t noise;               /* so many samples of an address are too few */
    uint64_t samples;             /* of those considered */
    uint32_t once;                /* of those considered: addresses with one sample */
    uint64_t first;               /* the lowest of them */
    uint64_t difference; /* between neighbours, if all distances are the same; 0: they are not, or there is
                            one address */
    uint32_t level, ways,
        set_count;      /* of the cache; fully associative: as many ways as lines, one set. 0: unknown */
    uint32_t lines;     /* cache lines that hold the addresses; 0: this and the following are unknown */
    uint32_t sets;      /* sets that these map to */
    uint32_t set;       /* the fullest of them; of several the lowest */
    uint32_t set_lines; /* lines in it */
    enum deduce_verdict verdict;
    uint64_t period;  /* of the sampling, as given */
    unsigned shared;  /* greatest common divisor of the period and the number of addresses */
    bool period_fits; /* the period may have sampled the same part of the pattern every time */
};

/* Is this line of the profile one of those considered? */
bool deduce_counts(const struct deduction *d, const struct profile_line *l);

/* p: by data address, keys ascending. cache: the one whose misses were sampled; NULL: unknown. period: events
 * from one sample to the next; 0: it was jittered, or is not counted in events. Sets are those of the linear
 * addresses, which are the physical ones here. arena: for scratch memory of a few bytes per line, which is
 * released; if it is full, the verdict is DEDUCE_UNKNOWN.
 *
 * period_fits: a period that shares a factor with the length of a repeating pattern samples only a part of
 * it, for ever if nothing disturbs the machine: with 8 addresses and a period of 100,000, one of them. The
 * signs are that only one address was seen, or that the number of addresses seen shares a factor with the
 * period. A part whose size shares none gives no sign. */
void deduce(const struct profile *p, const struct cache *cache, uint64_t period, struct arena *arena,
            struct deduction *d);
