/* perf's words on AMD's CPUs (pmu/names.h). Which CPU has which table: pmu/amd.c.
 *
 * As Linux has them (arch/x86/events/amd/core.c: amd_perfmon_event_map, amd_zen1_perfmon_event_map and its
 * successors; amd_hw_cache_event_ids, and from Zen on amd_hw_cache_event_ids_f17h). Differences from Linux:
 * it gives all CPUs before Zen the same codes, but some CPUs lack the event according to libpfm4's tables (in
 * families 15h and 16h the northbridge and the L2 have counters of their own). It also gives the K7 and
 * family 16h the K8's events 7Dh and 7Eh. The K7's manual does not have these, nor does libpfm4's table of
 * family 16h. Both have accesses to the data cache, and its refills from the system, which L2 could not
 * serve.
 */
#include "pmu/amd.h"
#include "pmu/names.h"

#define EVERYWHERE                                                                                       \
    [CYCLES] = "r0076", [INSTRUCTIONS] = "r00c0", [BRANCHES] = "r00c2", [BRANCH_MISSES] = "r00c3",       \
    [L1D_LOADS] = "r0040", [L1I_LOADS] = "r0080", [L1I_LOAD_MISSES] = "r0081", [BRANCH_LOADS] = "r00c2", \
    [BRANCH_LOAD_MISSES] = "r00c3"

/* ---- before Zen ---- */

#define OLD                                                                                        \
    EVERYWHERE, [L1D_LOAD_MISSES] = "r0141", [DTLB_LOADS] = "r0040", [DTLB_LOAD_MISSES] = "r0746", \
                [ITLB_LOADS] = "r0080", [ITLB_LOAD_MISSES] = "r0385"
#define L1D_PREFETCH [L1D_PREFETCHES] = "r0267", [L1D_PREFETCH_MISSES] = "r0167"
#define L1I_PREFETCH [L1I_PREFETCHES] = "r014b"
#define L2                                                                         \
    [CACHE_MISSES] = "r077e", [CACHE_REFERENCES] = "r077d", [LLC_LOADS] = "r037d", \
    [LLC_LOAD_MISSES] = "r037e", [LLC_STORES] = "r017f"
#define NO_L2 [CACHE_MISSES] = "r1f43", [CACHE_REFERENCES] = "r0040"
#define NODE  [NODE_LOADS] = "rb8e9", [NODE_LOAD_MISSES] = "r98e9"

const struct pmu_words pmu_words_k7 = {.event = {OLD, NO_L2}};
const struct pmu_words pmu_words_k8_early = {.event = {OLD, L2, L1D_PREFETCH, L1I_PREFETCH}};
const struct pmu_words pmu_words_k8 = {.event = {OLD, L2, L1D_PREFETCH, L1I_PREFETCH, NODE}};
const struct pmu_words pmu_words_bobcat = {.event = {OLD, L2, L1I_PREFETCH, NODE}};
const struct pmu_words pmu_words_bulldozer = {.event = {OLD, L2, L1D_PREFETCH, L1I_PREFETCH}};
const struct pmu_words pmu_words_jaguar = {.event = {OLD, NO_L2, L1D_PREFETCH, L1I_PREFETCH}};

/* ---- Zen ---- */

#define ZEN                                                                                          \
    EVERYWHERE, [CACHE_MISSES] = "r0964", [CACHE_REFERENCES] = "rff60", [L1D_LOAD_MISSES] = "rc860", \
                [L1D_PREFETCHES] = "rff5a", [DTLB_LOADS] = "rff45", [DTLB_LOAD_MISSES] = "rf045",    \
                [ITLB_LOADS] = "r0084", [ITLB_LOAD_MISSES] = "rff85"

const struct pmu_words pmu_words_zen = {.event = {ZEN}};
const struct pmu_words pmu_words_zen4 = {.event = {ZEN, [REF_CYCLES] = "r100000120"}};
