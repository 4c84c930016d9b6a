/* Other names of events: perf's words, which every CPU has or lacks, and other spellings of the drivers'
 * events (libpfm4's, Safford's, rabbit's). Each family's are in pmu/FAMILY_names.c; pmu/names.c looks them
 * up.
 */
#pragma once
#include "pmu/pmu.h"

/* perf's words, in the order in which they are listed. From L1D_LOADS on they are Linux' hw_cache_event_ids.
 */
enum pmu_word_number {
    CYCLES,
    INSTRUCTIONS,
    BRANCHES,
    CACHE_MISSES,
    CACHE_REFERENCES,
    BRANCH_MISSES,
    REF_CYCLES,
    BUS_CYCLES,
    L1D_LOADS,
    L1D_LOAD_MISSES,
    L1D_STORES,
    L1D_STORE_MISSES,
    L1D_PREFETCHES,
    L1D_PREFETCH_MISSES,
    L1I_LOADS,
    L1I_LOAD_MISSES,
    L1I_PREFETCHES,
    L1I_PREFETCH_MISSES,
    LLC_LOADS,
    LLC_LOAD_MISSES,
    LLC_STORES,
    LLC_STORE_MISSES,
    LLC_PREFETCHES,
    LLC_PREFETCH_MISSES,
    DTLB_LOADS,
    DTLB_LOAD_MISSES,
    DTLB_STORES,
    DTLB_STORE_MISSES,
    DTLB_PREFETCHES,
    DTLB_PREFETCH_MISSES,
    ITLB_LOADS,
    ITLB_LOAD_MISSES,
    BRANCH_LOADS,
    BRANCH_LOAD_MISSES,
    NODE_LOADS,
    NODE_LOAD_MISSES,
    NODE_STORES,
    NODE_STORE_MISSES,
    NODE_PREFETCHES,
    NODE_PREFETCH_MISSES,
    PMU_WORDS
};

/* The events of perf's words on a CPU. */
struct pmu_words {
    const char *event[PMU_WORDS]; /* in pmu_event_parse()'s syntax; NULL: absent. A row that the model lacks
                                     is absent too */
    struct {
        const char *event; /* the words with this event also need an MSR (Linux' extra_regs) */
        uint16_t msr;
    } second;
};

/* Rows of pmu_ops.aliases. */
#define ALIAS(models, name, stands_for) \
    {                                   \
        name, stands_for, models, 0, 0  \
    }
#define ALIAS_UMASK(set, name, stands_for) \
    {                                      \
        name, stands_for, 0, set, 0        \
    }
#define ALIAS_ROW(set, name, stands_for) \
    {                                    \
        name, stands_for, 0, set, 1      \
    }

/* Only ASCII's letters have another case. */
static inline char pmu_lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

/* This CPU's alias of this name (lower case) in the set of unit masks; set 0: of events and PMUs. NULL: none.
 */
const struct pmu_alias *pmu_alias_named(const struct pmu *pmu, unsigned umasks, const char *name);

/* The next alias of an event that this CPU has, after `after` (NULL: the first). NULL: no more. */
const struct pmu_alias *pmu_alias_next(const struct pmu *pmu, const struct pmu_alias *after);
