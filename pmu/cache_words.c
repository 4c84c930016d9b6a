/* perf's words for caches, TLBs and branch prediction: which event they are on each CPU, or that there is
 * none.
 *
 * P6, NetBurst, Intel and AMD: as Linux has them, in hw_cache_event_ids (arch/x86/events/intel/p6.c, p4.c,
 * core.c with what intel_pmu_init() changes for single models, and amd/core.c). So a word means what it means
 * there: on the P6 L1-dcache-loads are stores too, on Nehalem and later a "load" of the dTLB is an
 * instruction that loads.
 *
 * Where Linux is not followed: it gives all of AMD's CPUs before Zen the same codes, and some of these CPUs
 * do not have the event (lacking[], after libpfm4's tables of them; of families 15h and 16h the northbridge
 * and the L2 count with counters of their own).
 *
 * LLC and node words from Nehalem on are off-core responses, which need MSR 1A6h.
 *
 * P5: Linux has no driver for it. What its descendant Knights Corner has (arch/x86/events/intel/knc.c), where
 * it is the same event: data accesses, code reads and their misses, branches.
 */
#include "pmu/cache_words.h"
#include "pmu/amd.h"
#include "pmu/arch.h"
#include "pmu/netburst.h"
#include "pmu/p5.h"
#include "pmu/p6.h"
#include <string.h>

enum {
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
};

const char *const pmu_cache_word_names[PMU_CACHE_WORDS] = {
    "L1-dcache-loads",      "L1-dcache-load-misses",     "L1-dcache-stores", "L1-dcache-store-misses",
    "L1-dcache-prefetches", "L1-dcache-prefetch-misses", "L1-icache-loads",  "L1-icache-load-misses",
    "L1-icache-prefetches", "L1-icache-prefetch-misses", "LLC-loads",        "LLC-load-misses",
    "LLC-stores",           "LLC-store-misses",          "LLC-prefetches",   "LLC-prefetch-misses",
    "dTLB-loads",           "dTLB-load-misses",          "dTLB-stores",      "dTLB-store-misses",
    "dTLB-prefetches",      "dTLB-prefetch-misses",      "iTLB-loads",       "iTLB-load-misses",
    "branch-loads",         "branch-load-misses",        "node-loads",       "node-load-misses",
    "node-stores",          "node-store-misses",         "node-prefetches",  "node-prefetch-misses"};

typedef const char *const words[PMU_CACHE_WORDS]; /* in pmu_event_parse()'s syntax */

/* ---- the tables of Linux ---- */

static words p5 = {[L1D_LOADS] = "data_read",   [L1D_LOAD_MISSES] = "data_read_miss",
                   [L1D_STORES] = "data_write", [L1D_STORE_MISSES] = "data_write_miss",
                   [L1I_LOADS] = "code_read",   [L1I_LOAD_MISSES] = "code_cache_miss",
                   [ITLB_LOADS] = "code_read",  [ITLB_LOAD_MISSES] = "code_tlb_miss",
                   [BRANCH_LOADS] = "branches"};

/* p6_hw_cache_event_ids */
static words p6 = {[L1D_LOADS] = "data_mem_refs",
                   [L1D_LOAD_MISSES] = "dcu_lines_in",
                   [L1D_STORE_MISSES] = "r0f29",
                   [L1I_LOADS] = "ifu_ifetch",
                   [L1I_LOAD_MISSES] = "l2_ifetch:m:e:s:i",
                   [LLC_STORE_MISSES] = "l2_m_lines_inm",
                   [DTLB_LOADS] = "data_mem_refs",
                   [ITLB_LOADS] = "ifu_ifetch",
                   [ITLB_LOAD_MISSES] = "itlb_miss",
                   [BRANCH_LOADS] = "br_inst_retired",
                   [BRANCH_LOAD_MISSES] = "br_miss_pred_retired"};

/* p4_hw_cache_event_ids */
static words netburst = {[L1D_LOAD_MISSES] = "1stl_cache_load_miss_retired",
                         [LLC_LOAD_MISSES] = "2ndl_cache_load_miss_retired",
                         [DTLB_LOAD_MISSES] = "dtlb_load_miss_retired",
                         [DTLB_STORE_MISSES] = "dtlb_store_miss_retired",
                         [ITLB_LOADS] = "itlb_reference:hit",
                         [ITLB_LOAD_MISSES] = "itlb_reference:miss"};

static words core2 = {
    [L1D_LOADS] = "r0f40",         [L1D_LOAD_MISSES] = "r0140",  [L1D_STORES] = "r0f41",
    [L1D_STORE_MISSES] = "r0141",  [L1D_PREFETCHES] = "r104e",   [L1I_LOADS] = "r0080",
    [L1I_LOAD_MISSES] = "r0081",   [LLC_LOADS] = "r4f29",        [LLC_LOAD_MISSES] = "r4129",
    [LLC_STORES] = "r4f2a",        [LLC_STORE_MISSES] = "r412a", [DTLB_LOADS] = "r0f40",
    [DTLB_LOAD_MISSES] = "r0208",  [DTLB_STORES] = "r0f41",      [DTLB_STORE_MISSES] = "r0808",
    [ITLB_LOADS] = "r00c0",        [ITLB_LOAD_MISSES] = "r1282", [BRANCH_LOADS] = "r00c4",
    [BRANCH_LOAD_MISSES] = "r00c5"};

/* atom_hw_cache_event_ids */
static words bonnell = {
    [L1D_LOADS] = "r2140",         [L1D_STORES] = "r2240",       [L1I_LOADS] = "r0380",
    [L1I_LOAD_MISSES] = "r0280",   [LLC_LOADS] = "r4f29",        [LLC_LOAD_MISSES] = "r4129",
    [LLC_STORES] = "r4f2a",        [LLC_STORE_MISSES] = "r412a", [DTLB_LOADS] = "r2140",
    [DTLB_LOAD_MISSES] = "r0508",  [DTLB_STORES] = "r2240",      [DTLB_STORE_MISSES] = "r0608",
    [ITLB_LOADS] = "r00c0",        [ITLB_LOAD_MISSES] = "r0282", [BRANCH_LOADS] = "r00c4",
    [BRANCH_LOAD_MISSES] = "r00c5"};

/* Off-core responses, with what goes into MSR 1A6h. */
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
static words nehalem = {
    NEHALEM, [DTLB_LOADS] = "r0f40", [DTLB_STORES] = "r0f41", [ITLB_LOAD_MISSES] = "r20c8"};
static words westmere = {
    NEHALEM, [DTLB_LOADS] = "r010b", [DTLB_STORES] = "r020b", [ITLB_LOAD_MISSES] = "r0185"};

#define SANDY_BRIDGE                                                                            \
    [L1D_LOADS] = "rf1d0", [L1D_LOAD_MISSES] = "r0151", [L1D_STORES] = "rf2d0",                 \
    [L1D_STORE_MISSES] = "r0851", [L1D_PREFETCH_MISSES] = "r024e", [L1I_LOAD_MISSES] = "r0280", \
    LLC_READ_WRITE, LLC_PREFETCH, NODE_READ_WRITE, NODE_PREFETCH, [DTLB_LOADS] = "r81d0",       \
    [DTLB_STORES] = "r82d0", [DTLB_STORE_MISSES] = "r0149", [ITLB_LOADS] = "r1085",             \
    [ITLB_LOAD_MISSES] = "r0185", [BRANCH_LOADS] = "r00c4", [BRANCH_LOAD_MISSES] = "r00c5"
static words sandy_bridge = {SANDY_BRIDGE, [DTLB_LOAD_MISSES] = "r0108"};
static words ivy_bridge = {SANDY_BRIDGE, [DTLB_LOAD_MISSES] = "r8108"};

/* hsw_hw_cache_event_ids, Broadwell's too */
static words haswell = {[L1D_LOADS] = "r81d0",    [L1D_LOAD_MISSES] = "r0151",
                        [L1D_STORES] = "r82d0",   [L1I_LOAD_MISSES] = "r0280",
                        LLC_READ_WRITE,           NODE_READ_WRITE,
                        [DTLB_LOADS] = "r81d0",   [DTLB_LOAD_MISSES] = "r0108",
                        [DTLB_STORES] = "r82d0",  [DTLB_STORE_MISSES] = "r0149",
                        [ITLB_LOADS] = "r6085",   [ITLB_LOAD_MISSES] = "r0185",
                        [BRANCH_LOADS] = "r00c4", [BRANCH_LOAD_MISSES] = "r00c5"};

#define SKYLAKE                                                                                              \
    [L1D_LOADS] = "r81d0", [L1D_LOAD_MISSES] = "r0151", [L1D_STORES] = "r82d0", [L1I_LOAD_MISSES] = "r0283", \
    LLC_READ_WRITE, NODE_READ_WRITE, [DTLB_LOADS] = "r81d0", [DTLB_LOAD_MISSES] = "r0e08",                   \
    [DTLB_STORES] = "r82d0", [DTLB_STORE_MISSES] = "r0e49", [ITLB_LOAD_MISSES] = "r0e85",                    \
    [BRANCH_LOADS] = "r00c4", [BRANCH_LOAD_MISSES] = "r00c5"
static words skylake = {SKYLAKE, [ITLB_LOADS] = "r2085"};
static words ice_lake = {SKYLAKE};

/* pnc_hw_cache_event_ids: as before, without node words, and its off-core response 2Ah has other MSRs */
#define PANTHER_COVE                                                                                         \
    [L1D_LOADS] = "r81d0", [L1D_LOAD_MISSES] = "re124", [L1D_STORES] = "r82d0", [L1I_LOAD_MISSES] = "re424", \
    [LLC_LOADS] = "r012a", [LLC_LOAD_MISSES] = "r012a", [LLC_STORES] = "r012a",                              \
    [LLC_STORE_MISSES] = "r012a", [DTLB_LOADS] = "r81d0", [DTLB_LOAD_MISSES] = "r0e12",                      \
    [DTLB_STORES] = "r82d0", [DTLB_STORE_MISSES] = "r0e13", [ITLB_LOAD_MISSES] = "r0e11",                    \
    [BRANCH_LOADS] = "r04c4", [BRANCH_LOAD_MISSES] = "r04c5"
static words panther_cove = {PANTHER_COVE};
/* spr_hw_cache_event_ids, later glc_ */
static words golden_cove = {PANTHER_COVE, [NODE_LOADS] = "r012a", [NODE_LOAD_MISSES] = "r012a"};

/* slm_hw_cache_event_ids, Knights Landing's too */
static words silvermont = {[L1D_LOAD_MISSES] = "r0104",
                           [L1I_LOADS] = "r0380",
                           [L1I_LOAD_MISSES] = "r0280",
                           [LLC_LOADS] = OFFCORE,
                           [LLC_STORES] = OFFCORE,
                           [LLC_STORE_MISSES] = OFFCORE,
                           LLC_PREFETCH,
                           [DTLB_LOAD_MISSES] = "r0804",
                           [ITLB_LOADS] = "r00c0",
                           [ITLB_LOAD_MISSES] = "r40205", /* with edge */
                           [BRANCH_LOADS] = "r00c4",
                           [BRANCH_LOAD_MISSES] = "r00c5"};

#define GOLDMONT                                                                                       \
    [L1D_LOADS] = "r81d0", [L1D_STORES] = "r82d0", [L1I_LOADS] = "r0380", [L1I_LOAD_MISSES] = "r0280", \
    LLC_READ_WRITE, [DTLB_LOADS] = "r81d0", [DTLB_STORES] = "r82d0", [ITLB_LOAD_MISSES] = "r0481",     \
    [BRANCH_LOADS] = "r00c4", [BRANCH_LOAD_MISSES] = "r00c5"
#define GOLDMONT_PLUS GOLDMONT, [DTLB_LOAD_MISSES] = "r0e08", [DTLB_STORE_MISSES] = "r0e49"
static words goldmont = {GOLDMONT, LLC_PREFETCH, [ITLB_LOADS] = "r00c0"};
static words goldmont_plus = {GOLDMONT_PLUS, [ITLB_LOADS] = "r00c0"};
static words tremont = {GOLDMONT_PLUS}; /* and later Atom cores */

/* amd_hw_cache_event_ids */
static words k7_to_jaguar = {
    [L1D_LOADS] = "r0040",           [L1D_LOAD_MISSES] = "r0141",  [L1D_PREFETCHES] = "r0267",
    [L1D_PREFETCH_MISSES] = "r0167", [L1I_LOADS] = "r0080",        [L1I_LOAD_MISSES] = "r0081",
    [L1I_PREFETCHES] = "r014b",      [LLC_LOADS] = "r037d",        [LLC_LOAD_MISSES] = "r037e",
    [LLC_STORES] = "r017f",          [DTLB_LOADS] = "r0040",       [DTLB_LOAD_MISSES] = "r0746",
    [ITLB_LOADS] = "r0080",          [ITLB_LOAD_MISSES] = "r0385", [BRANCH_LOADS] = "r00c2",
    [BRANCH_LOAD_MISSES] = "r00c3",  [NODE_LOADS] = "rb8e9",       [NODE_LOAD_MISSES] = "r98e9"};

/* amd_hw_cache_event_ids_f17h, which later ones keep */
static words zen = {[L1D_LOADS] = "r0040",        [L1D_LOAD_MISSES] = "rc860",   [L1D_PREFETCHES] = "rff5a",
                    [L1I_LOADS] = "r0080",        [L1I_LOAD_MISSES] = "r0081",   [DTLB_LOADS] = "rff45",
                    [DTLB_LOAD_MISSES] = "rf045", [ITLB_LOADS] = "r0084",        [ITLB_LOAD_MISSES] = "rff85",
                    [BRANCH_LOADS] = "r00c2",     [BRANCH_LOAD_MISSES] = "r00c3"};

/* ---- whose they are ---- */

/* The first row that fits. A word that it does not have is absent. */
static const struct {
    const char *family; /* pmu_ops.family */
    const char *model;  /* pmu.model, as pmu/arch_cpus.c has it; NULL: all */
    const char *core;   /* pmu.core_type; NULL: any */
    uint32_t models;    /* pmu.models; 0: all */
    const char *const *words;
} cpus[] = {
    {"P5", NULL, NULL, 0, p5},
    {"P6", NULL, NULL, 0, p6},
    {"NetBurst", NULL, NULL, 0, netburst},
    {"AMD", NULL, NULL, AMD_ZEN, zen},
    {"AMD", NULL, NULL, 0, k7_to_jaguar},
    {"arch", "Core 2", NULL, 0, core2},
    {"arch", "Atom (Bonnell)", NULL, 0, bonnell},
    {"arch", "Nehalem", NULL, 0, nehalem},
    {"arch", "Nehalem-EX", NULL, 0, nehalem},
    {"arch", "Westmere", NULL, 0, westmere},
    {"arch", "Westmere-EP", NULL, 0, westmere},
    {"arch", "Sandy Bridge", NULL, 0, sandy_bridge},
    {"arch", "Sandy Bridge-EP", NULL, 0, sandy_bridge},
    {"arch", "Ivy Bridge", NULL, 0, ivy_bridge},
    {"arch", "Ivy Bridge-EP", NULL, 0, ivy_bridge},
    {"arch", "Haswell", NULL, 0, haswell},
    {"arch", "Haswell-EP", NULL, 0, haswell},
    {"arch", "Broadwell", NULL, 0, haswell},
    {"arch", "Broadwell-EP", NULL, 0, haswell},
    {"arch", "Skylake", NULL, 0, skylake},
    {"arch", "Kaby Lake", NULL, 0, skylake},
    {"arch", "Comet Lake", NULL, 0, skylake},
    {"arch", "Cooper Lake", NULL, 0, skylake},
    {"arch", "Cascade Lake", NULL, 0, skylake},
    {"arch", "Skylake-SP", NULL, 0, skylake},
    {"arch", "Ice Lake", NULL, 0, ice_lake},
    {"arch", "Tiger Lake", NULL, 0, ice_lake},
    {"arch", "Rocket Lake", NULL, 0, ice_lake},
    {"arch", "Ice Lake-SP", NULL, 0, ice_lake},
    {"arch", "Sapphire Rapids", NULL, 0, golden_cove},
    {"arch", "Emerald Rapids", NULL, 0, golden_cove},
    {"arch", "Granite Rapids", NULL, 0, golden_cove},
    {"arch", "Alder Lake", "Atom", 0, tremont},
    {"arch", "Alder Lake", NULL, 0, golden_cove},
    {"arch", "Raptor Lake", "Atom", 0, tremont},
    {"arch", "Raptor Lake", NULL, 0, golden_cove},
    {"arch", "Meteor Lake", "Atom", 0, tremont},
    {"arch", "Meteor Lake", NULL, 0, golden_cove},
    {"arch", "Arrow Lake", "Atom", 0, tremont},
    {"arch", "Arrow Lake", NULL, 0, golden_cove},
    {"arch", "Lunar Lake", "Atom", 0, tremont},
    {"arch", "Lunar Lake", NULL, 0, golden_cove},
    {"arch", "Panther Lake", "Atom", 0, tremont},
    {"arch", "Panther Lake", NULL, 0, golden_cove},
    {"arch", "Wildcat Lake", "Atom", 0, tremont},
    {"arch", "Wildcat Lake", NULL, 0, golden_cove},
    {"arch", "Nova Lake", "Atom", 0, tremont},
    {"arch", "Nova Lake", NULL, 0, panther_cove},
    {"arch", "Diamond Rapids", NULL, 0, panther_cove},
    {"arch", "Silvermont", NULL, 0, silvermont},
    {"arch", "Airmont", NULL, 0, silvermont},
    {"arch", "Goldmont", NULL, 0, goldmont},
    {"arch", "Goldmont Plus", NULL, 0, goldmont_plus},
    {"arch", "Tremont", NULL, 0, tremont},
    {"arch", "Alder Lake-N", NULL, 0, tremont},
    {"arch", "Sierra Forest", NULL, 0, tremont},
    {"arch", "Grand Ridge", NULL, 0, tremont},
    {"arch", "Clearwater Forest", NULL, 0, tremont},
    {"arch", "Knights Landing", NULL, 0, silvermont},
    {"arch", "Knights Mill", NULL, 0, silvermont},
};

/* Of AMD's CPUs before Zen: which of k7_to_jaguar's words speak of no event there. */
#define W(word)  (1u << (word))
#define NODE     (W(NODE_LOADS) | W(NODE_LOAD_MISSES))
#define L2       (W(LLC_LOADS) | W(LLC_LOAD_MISSES) | W(LLC_STORES))
#define PREFETCH (W(L1D_PREFETCHES) | W(L1D_PREFETCH_MISSES))
static const struct {
    uint32_t models;      /* pmu.models */
    const char *database; /* pmu.database; NULL: any */
    uint32_t words;
} lacking[] = {
    {AMD_K7, NULL, PREFETCH | W(L1I_PREFETCHES) | L2 | NODE},
    {AMD_K8, "amd64_k8_revb", NODE},
    {AMD_K8, "amd64_k8_revd", NODE},
    {AMD_14H, NULL, PREFETCH},
    {AMD_15H, NULL, NODE},
    {AMD_16H, NULL, L2 | NODE},
};
#undef W
#undef NODE
#undef L2
#undef PREFETCH

static bool lacks(const struct pmu *pmu, unsigned i)
{
    for (unsigned k = 0; k < sizeof lacking / sizeof lacking[0]; k++)
        if (lacking[k].models & pmu->models && lacking[k].words >> i & 1 &&
            (!lacking[k].database || (pmu->database && strcmp(lacking[k].database, pmu->database) == 0)))
            return true;
    return false;
}

/* Events with a second MSR (Linux' extra_regs): MSR_OFFCORE_RSP_0, and MSR_OMR_0 of a Panther Cove. */
static uint16_t second_msr(const char *event, const char *const *of)
{
    if (strcmp(event, OFFCORE) != 0 && strcmp(event, "r012a") != 0) return 0;
    return of == panther_cove ? 0x3e0 : 0x1a6;
}

static const char *const *words_of(const struct pmu *pmu)
{
    for (unsigned k = 0; pmu->ops && k < sizeof cpus / sizeof cpus[0]; k++) {
        if (strcmp(cpus[k].family, pmu->ops->family) != 0) continue;
        if (cpus[k].model && strcmp(cpus[k].model, pmu->model) != 0) continue;
        if (cpus[k].core && !(pmu->core_type && strcmp(cpus[k].core, pmu->core_type) == 0)) continue;
        if (cpus[k].models == 0 || cpus[k].models & pmu->models) return cpus[k].words;
    }
    return NULL;
}

void pmu_cache_word(const struct pmu *pmu, unsigned i, struct pmu_word *out)
{
    const char *const *of = words_of(pmu);
    if (!of || !of[i] || (of == k7_to_jaguar && lacks(pmu, i))) return;
    out->event = of[i];
    out->msr = second_msr(of[i], of);
}
