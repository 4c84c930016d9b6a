/* perf's words for caches, TLBs and branch prediction (pmu/cache_words.c), behind the words of pmu/generic.c.
 */
#pragma once
#include "pmu/pmu.h"

#define PMU_CACHE_WORDS 32

extern const char *const pmu_cache_word_names[PMU_CACHE_WORDS]; /* as perf writes them: "L1-dcache-loads" */

/* Fills in event and msr of the word of this number; event NULL: this CPU has nothing for it. */
void pmu_cache_word(const struct pmu *pmu, unsigned i, struct pmu_word *out);
