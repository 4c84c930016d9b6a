/* perf's words on Intel's CPUs with architectural performance monitoring (pmu/names.h). Which CPU has which
 * table: pmu/arch_cpus.c.
 *
 * As Linux has them (arch/x86/events/intel/core.c): intel_perfmon_event_map, each where leaf 0AH has the
 * event; ref-cycles is the fixed counter's. For Nehalem Linux adds one that leaf 0AH reports as missing
 * (AAJ80: mispredictions as 89h/7Fh); here it is absent. Words for caches: hw_cache_event_ids, with
 * intel_pmu_init()'s changes for single models. So a word has the same meaning as there: on Nehalem and later
 * a "load" of the dTLB is an instruction that loads.
 *
 * LLC and node words from Nehalem on are off-core responses, which need MSR_OFFCORE_RSP_0 (1A6h), or
 * MSR_OMR_0 of a Panther Cove.
 */
#include "pmu/arch.h"
#include "pmu/names.h"

#define EVERYWHERE                                                                   \
    [CYCLES] = "unhalted_core_cycles", [INSTRUCTIONS] = "instruction_retired",       \
    [BRANCHES] = "branch_instruction_retired", [CACHE_MISSES] = "llc_misses",        \
    [CACHE_REFERENCES] = "llc_reference", [BRANCH_MISSES] = "branch_misses_retired", \
    [REF_CYCLES] = "cpu_clk_unhalted.ref_tsc", [BUS_CYCLES] = "unhalted_reference_cycles"

/* For a core whose words for caches Linux does not define. */
const struct pmu_words pmu_words_arch = {.event = {EVERYWHERE}};

/* core2_hw_cache_event_ids */
const struct pmu_words pmu_words_core2 = {.event = {EVERYWHERE,
                                                    [L1D_LOADS] = "r0f40",
                                                    [L1D_LOAD_MISSES] = "r0140",
                                                    [L1D_STORES] = "r0f41",
                                                    [L1D_STORE_MISSES] = "r0141",
                                                    [L1D_PREFETCHES] = "r104e",
                                                    [L1I_LOADS] = "r0080",
                                                    [L1I_LOAD_MISSES] = "r0081",
                                                    [LLC_LOADS] = "r4f29",
                                                    [LLC_LOAD_MISSES] = "r4129",
                                                    [LLC_STORES] = "r4f2a",
                                                    [LLC_STORE_MISSES] = "r412a",
                                                    [DTLB_LOADS] = "r0f40",
                                                    [DTLB_LOAD_MISSES] = "r0208",
                                                    [DTLB_STORES] = "r0f41",
                                                    [DTLB_STORE_MISSES] = "r0808",
                                                    [ITLB_LOADS] = "r00c0",
                                                    [ITLB_LOAD_MISSES] = "r1282",
                                                    [BRANCH_LOADS] = "r00c4",
                                                    [BRANCH_LOAD_MISSES] = "r00c5"}};

/* atom_hw_cache_event_ids */
const struct pmu_words pmu_words_bonnell = {
    .event = {EVERYWHERE, [L1D_LOADS] = "r2140", [L1D_STORES] = "r2240", [L1I_LOADS] = "r0380",
              [L1I_LOAD_MISSES] = "r0280", [LLC_LOADS] = "r4f29", [LLC_LOAD_MISSES] = "r4129",
              [LLC_STORES] = "r4f2a", [LLC_STORE_MISSES] = "r412a", [DTLB_LOADS] = "r2140",
              [DTLB_LOAD_MISSES] = "r0508", [DTLB_STORES] = "r2240", [DTLB_STORE_MISSES] = "r0608",
              [ITLB_LOADS] = "r00c0", [ITLB_LOAD_MISSES] = "r0282", [BRANCH_LOADS] = "r00c4",
              [BRANCH_LOAD_MISSES] = "r00c5"}};

#define OFFCORE "r01b7"
#define LLC_READ_WRITE \
    [LLC_LOADS] = OFFCORE, [LLC_LOAD_MISSES] = OFFCORE, [LLC_STORES] = OFFCORE, [LLC_STORE_MISSES] = OFFCORE
#define NODE_READ_WRITE                                                            \
    [NODE_LOADS] = OFFCORE, [NODE_LOAD_MISSES] = OFFCORE, [NODE_STORES] = OFFCORE, \
    [NODE_STORE_MISSES] = OFFCORE
#define LLC_PREFETCH  [LLC_PREFETCHES] = OFFCORE, [LLC_PREFETCH_MISSES] = OFFCORE
#define NODE_PREFETCH [NODE_PREFETCHES] = OFFCORE, [NODE_PREFETCH_MISSES] = OFFCORE

#define NEHALEM                                                                                         \
    [L1D_LOADS] = "r010b", [L1D_LOAD_MISSES] = "r0151", [L1D_STORES] = "r020b",                         \
    [L1D_STORE_MISSES] = "r0251", [L1D_PREFETCHES] = "r014e", [L1D_PREFETCH_MISSES] = "r024e",          \
    [L1I_LOADS] = "r0380", [L1I_LOAD_MISSES] = "r0280", LLC_READ_WRITE, LLC_PREFETCH, NODE_READ_WRITE,  \
    NODE_PREFETCH, [DTLB_LOAD_MISSES] = "r0108", [DTLB_STORE_MISSES] = "r010c", [ITLB_LOADS] = "r01c0", \
    [BRANCH_LOADS] = "r00c4", [BRANCH_LOAD_MISSES] = "r03e8"
const struct pmu_words pmu_words_nehalem = {
    .event = {EVERYWHERE,
              NEHALEM, [DTLB_LOADS] = "r0f40", [DTLB_STORES] = "r0f41", [ITLB_LOAD_MISSES] = "r20c8"},
    .second = {OFFCORE, 0x1a6}};
const struct pmu_words pmu_words_westmere = {
    .event = {EVERYWHERE,
              NEHALEM, [DTLB_LOADS] = "r010b", [DTLB_STORES] = "r020b", [ITLB_LOAD_MISSES] = "r0185"},
    .second = {OFFCORE, 0x1a6}};

#define SANDY_BRIDGE                                                                            \
    [L1D_LOADS] = "rf1d0", [L1D_LOAD_MISSES] = "r0151", [L1D_STORES] = "rf2d0",                 \
    [L1D_STORE_MISSES] = "r0851", [L1D_PREFETCH_MISSES] = "r024e", [L1I_LOAD_MISSES] = "r0280", \
    LLC_READ_WRITE, LLC_PREFETCH, NODE_READ_WRITE, NODE_PREFETCH, [DTLB_LOADS] = "r81d0",       \
    [DTLB_STORES] = "r82d0", [DTLB_STORE_MISSES] = "r0149", [ITLB_LOADS] = "r1085",             \
    [ITLB_LOAD_MISSES] = "r0185", [BRANCH_LOADS] = "r00c4", [BRANCH_LOAD_MISSES] = "r00c5"
const struct pmu_words pmu_words_sandy_bridge = {
    .event = {EVERYWHERE, SANDY_BRIDGE, [DTLB_LOAD_MISSES] = "r0108"}, .second = {OFFCORE, 0x1a6}};
const struct pmu_words pmu_words_ivy_bridge = {
    .event = {EVERYWHERE, SANDY_BRIDGE, [DTLB_LOAD_MISSES] = "r8108"}, .second = {OFFCORE, 0x1a6}};

/* hsw_hw_cache_event_ids, Broadwell's too */
const struct pmu_words pmu_words_haswell = {
    .event = {EVERYWHERE, [L1D_LOADS] = "r81d0", [L1D_LOAD_MISSES] = "r0151", [L1D_STORES] = "r82d0",
              [L1I_LOAD_MISSES] = "r0280", LLC_READ_WRITE,
              NODE_READ_WRITE, [DTLB_LOADS] = "r81d0", [DTLB_LOAD_MISSES] = "r0108", [DTLB_STORES] = "r82d0",
              [DTLB_STORE_MISSES] = "r0149", [ITLB_LOADS] = "r6085", [ITLB_LOAD_MISSES] = "r0185",
              [BRANCH_LOADS] = "r00c4", [BRANCH_LOAD_MISSES] = "r00c5"},
    .second = {OFFCORE, 0x1a6}};

#define SKYLAKE                                                                                              \
    [L1D_LOADS] = "r81d0", [L1D_LOAD_MISSES] = "r0151", [L1D_STORES] = "r82d0", [L1I_LOAD_MISSES] = "r0283", \
    LLC_READ_WRITE, NODE_READ_WRITE, [DTLB_LOADS] = "r81d0", [DTLB_LOAD_MISSES] = "r0e08",                   \
    [DTLB_STORES] = "r82d0", [DTLB_STORE_MISSES] = "r0e49", [ITLB_LOAD_MISSES] = "r0e85",                    \
    [BRANCH_LOADS] = "r00c4", [BRANCH_LOAD_MISSES] = "r00c5"
const struct pmu_words pmu_words_skylake = {.event = {EVERYWHERE, SKYLAKE, [ITLB_LOADS] = "r2085"},
                                            .second = {OFFCORE, 0x1a6}};
const struct pmu_words pmu_words_ice_lake = {.event = {EVERYWHERE, SKYLAKE}, .second = {OFFCORE, 0x1a6}};

/* pnc_hw_cache_event_ids: as before, without node words, and its off-core response 2Ah has other MSRs */
#define PANTHER_COVE                                                                                         \
    [L1D_LOADS] = "r81d0", [L1D_LOAD_MISSES] = "re124", [L1D_STORES] = "r82d0", [L1I_LOAD_MISSES] = "re424", \
    [LLC_LOADS] = "r012a", [LLC_LOAD_MISSES] = "r012a", [LLC_STORES] = "r012a",                              \
    [LLC_STORE_MISSES] = "r012a", [DTLB_LOADS] = "r81d0", [DTLB_LOAD_MISSES] = "r0e12",                      \
    [DTLB_STORES] = "r82d0", [DTLB_STORE_MISSES] = "r0e13", [ITLB_LOAD_MISSES] = "r0e11",                    \
    [BRANCH_LOADS] = "r04c4", [BRANCH_LOAD_MISSES] = "r04c5"
const struct pmu_words pmu_words_panther_cove = {.event = {EVERYWHERE, PANTHER_COVE},
                                                 .second = {"r012a", 0x3e0}};
/* spr_hw_cache_event_ids, later glc_ */
const struct pmu_words pmu_words_golden_cove = {
    .event = {EVERYWHERE, PANTHER_COVE, [NODE_LOADS] = "r012a", [NODE_LOAD_MISSES] = "r012a"},
    .second = {"r012a", 0x1a6}};

/* slm_hw_cache_event_ids, Knights Landing's too */
const struct pmu_words pmu_words_silvermont = {
    .event = {EVERYWHERE, [L1D_LOAD_MISSES] = "r0104", [L1I_LOADS] = "r0380", [L1I_LOAD_MISSES] = "r0280",
              [LLC_LOADS] = OFFCORE, [LLC_STORES] = OFFCORE, [LLC_STORE_MISSES] = OFFCORE,
              LLC_PREFETCH, [DTLB_LOAD_MISSES] = "r0804", [ITLB_LOADS] = "r00c0",
              [ITLB_LOAD_MISSES] = "r40205", /* with edge */
              [BRANCH_LOADS] = "r00c4", [BRANCH_LOAD_MISSES] = "r00c5"},
    .second = {OFFCORE, 0x1a6}};

#define GOLDMONT                                                                                       \
    [L1D_LOADS] = "r81d0", [L1D_STORES] = "r82d0", [L1I_LOADS] = "r0380", [L1I_LOAD_MISSES] = "r0280", \
    LLC_READ_WRITE, [DTLB_LOADS] = "r81d0", [DTLB_STORES] = "r82d0", [ITLB_LOAD_MISSES] = "r0481",     \
    [BRANCH_LOADS] = "r00c4", [BRANCH_LOAD_MISSES] = "r00c5"
#define GOLDMONT_PLUS GOLDMONT, [DTLB_LOAD_MISSES] = "r0e08", [DTLB_STORE_MISSES] = "r0e49"
const struct pmu_words pmu_words_goldmont = {
    .event = {EVERYWHERE, GOLDMONT, LLC_PREFETCH, [ITLB_LOADS] = "r00c0"}, .second = {OFFCORE, 0x1a6}};
const struct pmu_words pmu_words_goldmont_plus = {
    .event = {EVERYWHERE, GOLDMONT_PLUS, [ITLB_LOADS] = "r00c0"}, .second = {OFFCORE, 0x1a6}};
const struct pmu_words pmu_words_tremont = {.event = {EVERYWHERE, GOLDMONT_PLUS},
                                            .second = {OFFCORE, 0x1a6}}; /* and later Atom cores */
