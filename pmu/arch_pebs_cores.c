/* What the PEBS of each core takes: see pmu/arch_pebs.h. An event's name is that of Intel's lists.
 *
 * Up to Skylake only the listed events are precise: on another one "PEBS on all counters" of Linux' tables
 * records something that nobody documents. From Ice Lake on ("extended PEBS"), and on Goldmont and later
 * Atoms, any event may be recorded; if it is not precise, at an instruction that follows it.
 *
 * Counters and codes are Linux' (events/intel/ds.c). Where Linux allows every event, the list is Intel's: the
 * table that is named, and the fields PEBS, Precise and Data_LA of github.com/intel/perfmon.
 */
#include "pmu/arch.h"
#include "pmu/arch_pebs.h"
#include <string.h>

#define EACH(e, counters, kind)       \
    {                                 \
        e, e, 0, 0, counters, 0, kind \
    }
#define ONE(e, u, counters, kind)        \
    {                                    \
        e, e, u, 0xff, counters, 0, kind \
    }
#define WITH(e, u, m, counters, kind) \
    {                                 \
        e, e, u, m, counters, 0, kind \
    }
#define FROM(first, last, counters, kind)    \
    {                                        \
        first, last, 0, 0, counters, 0, kind \
    }
#define ON_FIXED(e, u, n, kind)          \
    {                                    \
        e, e, u, 0xff, 0, 1 << (n), kind \
    }
#define EITHER(e, u, counters, bits)                \
    {                                               \
        e, e, u, 0xff, counters, bits, PEBS_PRECISE \
    }
#define NOT(e, u)                         \
    {                                     \
        e, e, u, 0xff, 0, 0, PEBS_REFUSED \
    }
/* D0h of the larger cores: x1h loads, x2h stores. */
#define MEMORY_OPS(counters) \
    WITH(0xd0, 0x01, 0x0f, counters, PEBS_LOAD), WITH(0xd0, 0x02, 0x0f, counters, PEBS_STORE)
/* ... and those that count both, or something else of the memory's. */
#define ALL_MEMORY_OPS(counters) MEMORY_OPS(counters), EACH(0xd0, counters, PEBS_PRECISE)

static const struct pebs_rule core2[] = {
    /* table 18-10 */
    ONE(0xc0, 0x00, 1, PEBS_PRECISE), /* INSTR_RETIRED.ANY_P */
    ONE(0xc1, 0xfe, 1, PEBS_PRECISE), /* X87_OPS_RETIRED.ANY */
    ONE(0xc5, 0x00, 1, PEBS_PRECISE), /* BR_INST_RETIRED.MISPRED */
    ONE(0xc7, 0x1f, 1, PEBS_PRECISE), /* SIMD_INST_RETIRED.ANY */
    EACH(0xcb, 1, PEBS_PRECISE)       /* MEM_LOAD_RETIRED */
};

static const struct pebs_rule bonnell[] = {
    /* intel_atom_pebs_event_constraints */
    ONE(0xc0, 0x00, 1, PEBS_PRECISE), ONE(0xc5, 0x00, 1, PEBS_PRECISE), EACH(0xcb, 1, PEBS_PRECISE)};

static const struct pebs_rule silvermont[] = {
    /* table 18-12 and, of Knights Landing, Intel's list: C0h. Linux uses this one on both (cycles:p) */
    ONE(0xc0, 0x00, 1, PEBS_PRECISE),  /* INST_RETIRED.ANY_P */
    FROM(0xc4, 0xc5, 1, PEBS_PRECISE), /* BR_INST_RETIRED, BR_MISP_RETIRED */
    ONE(0x03, 0x01, 1, PEBS_PRECISE),  /* REHABQ.LD_BLOCK_ST_FORWARD */
    ONE(0x03, 0x08, 1, PEBS_PRECISE),  /* REHABQ.LD_SPLITS */
    ONE(0x04, 0x02, 1, PEBS_PRECISE),  /* MEM_UOPS_RETIRED.L2_HIT_LOADS */
    ONE(0x04, 0x04, 1, PEBS_PRECISE),  /* .L2_MISS_LOADS */
    ONE(0x04, 0x08, 1, PEBS_PRECISE),  /* .DTLB_MISS_LOADS */
    ONE(0x04, 0x20, 1, PEBS_PRECISE)   /* .HITM */
};

/* Table 19-24: "Precise Event". Of 03h and 13h Intel's list has no address. */
#define GOLDMONT_EVENTS(counters, fixed)                                                 \
    EACH(0x03, counters, PEBS_PRECISE),           /* LD_BLOCKS */                        \
        ONE(0x13, 0x02, counters, PEBS_PRECISE),  /* MISALIGN_MEM_REF.LOAD_PAGE_SPLIT */ \
        ONE(0x13, 0x04, counters, PEBS_PRECISE),  /* .STORE_PAGE_SPLIT */                \
        EITHER(0xc0, 0x00, counters, fixed),      /* INST_RETIRED.ANY_P */               \
        EACH(0xc2, counters, PEBS_PRECISE),       /* UOPS_RETIRED */                     \
        FROM(0xc4, 0xc5, counters, PEBS_PRECISE), /* BR_INST_RETIRED, BR_MISP_RETIRED */ \
        ALL_MEMORY_OPS(counters),                 /* MEM_UOPS_RETIRED */                 \
        EACH(0xd1, counters, PEBS_LOAD)           /* MEM_LOAD_UOPS_RETIRED */
static const struct pebs_rule goldmont[] = {GOLDMONT_EVENTS(1, 0)};
static const struct pebs_rule goldmont_plus[] = {GOLDMONT_EVENTS(0xf, 0)};
static const struct pebs_rule tremont[] = {GOLDMONT_EVENTS(0xf, 1)};
static const struct pebs_rule gracemont[] = {
    /* intel_grt_pebs_event_constraints */
    ONE(0xd0, 0x05, 0x3, PEBS_LOAD_LATENCY),  /* MEM_UOPS_RETIRED.LOAD_LATENCY */
    ONE(0xd0, 0x06, 0xf, PEBS_STORE_LATENCY), /* .STORE_LATENCY */
    GOLDMONT_EVENTS(0x3f, 1)};

#define NEHALEM_EVENTS                                                         \
    ONE(0x0b, 0x10, 0xf, PEBS_LOAD_LATENCY), /* MEM_INST_RETIRED.LATENCY */    \
        ONE(0x0b, 0x01, 0xf, PEBS_PRECISE),  /* .LOADS (Intel's list) */       \
        ONE(0x0b, 0x02, 0xf, PEBS_PRECISE),  /* .STORES (likewise) */          \
        EACH(0x0f, 0xf, PEBS_PRECISE),       /* MEM_UNCORE_RETIRED */          \
        ONE(0x0c, 0x01, 0xf, PEBS_PRECISE),  /* MEM_STORE_RETIRED.DTLB_MISS */ \
        EACH(0xc0, 0xf, PEBS_PRECISE), EACH(0xc2, 0xf, PEBS_PRECISE), EACH(0xc4, 0xf, PEBS_PRECISE)
#define NEHALEM_MORE                                                \
    EACH(0xc7, 0xf, PEBS_PRECISE),          /* SSEX_UOPS_RETIRED */ \
        ONE(0xc8, 0x20, 0xf, PEBS_PRECISE), /* ITLB_MISS_RETIRED */ \
        EACH(0xcb, 0xf, PEBS_PRECISE),      /* MEM_LOAD_RETIRED */  \
        EACH(0xf7, 0xf, PEBS_PRECISE)       /* FP_ASSIST */
static const struct pebs_rule nehalem[] = { /* intel_nehalem_pebs_event_constraints */
                                           NEHALEM_EVENTS, ONE(0xc5, 0x02, 0xf, PEBS_PRECISE), NEHALEM_MORE};
static const struct pebs_rule westmere[] = {/* intel_westmere_pebs_event_constraints */
                                            NEHALEM_EVENTS, EACH(0xc5, 0xf, PEBS_PRECISE), NEHALEM_MORE};

/* HLE_RETIRED.ABORTED, RTM_RETIRED.ABORTED */
#define ABORTED(counters) ONE(0xc8, 0x04, counters, PEBS_PRECISE), ONE(0xc9, 0x04, counters, PEBS_PRECISE)

/* FRONTEND_RETIRED (from Redwood Cove on 02 and 03: intel_rwc_extra_regs). Its counters: Intel's list. */
#define FRONTEND(counters)   ONE(0xc6, 0x01, counters, PEBS_FRONTEND)
#define FRONTEND_SKYLAKE     0x7fff17 /* intel_skl_extra_regs, intel_icl_extra_regs */
#define FRONTEND_GOLDEN_COVE 0x7fff1f /* intel_glc_extra_regs and later ones */

/* C4h and C5h with unit mask 0 are the architectural events, which are not precise. */
#define BRANCHES NOT(0xc4, 0x00), NOT(0xc5, 0x00), FROM(0xc4, 0xc5, 0xf, PEBS_PRECISE)

static const struct pebs_rule sandy_bridge[] = {
    /* table 18-32; intel_snb_ and intel_ivb_pebs_event_constraints */
    ONE(0xc0, 0x01, 2, PEBS_PDIR),          /* INST_RETIRED.PREC_DIST */
    ONE(0xcd, 0x01, 8, PEBS_LOAD_LATENCY),  /* MEM_TRANS_RETIRED.LOAD_LATENCY */
    ONE(0xcd, 0x02, 8, PEBS_PRECISE_STORE), /* .PRECISE_STORE */
    EACH(0xc2, 0xf, PEBS_PRECISE),          /* UOPS_RETIRED */
    BRANCHES,
    FROM(0xd0, 0xd3, 0xf, PEBS_PRECISE) /* MEM_UOP_RETIRED to MEM_LOAD_UOPS_LLC_MISS_RETIRED */
};

static const struct pebs_rule haswell[] = {
    /* table 18-32, 18.11.3; intel_hsw_ and intel_bdw_pebs_event_constraints */
    ONE(0xc0, 0x01, 2, PEBS_PDIR),
    ONE(0xcd, 0x01, 0xf, PEBS_LOAD_LATENCY),
    EACH(0xc2, 0xf, PEBS_PRECISE),
    BRANCHES,
    ABORTED(0xf),
    MEMORY_OPS(0xf),
    FROM(0xd1, 0xd3, 0xf, PEBS_LOAD)};

static const struct pebs_rule skylake[] = {
    /* table 18-56; intel_skl_pebs_event_constraints; D4h: Intel's list */
    ONE(0xc0, 0x01, 2, PEBS_PDIR),
    ONE(0xcd, 0x01, 0xf, PEBS_LOAD_LATENCY),
    ONE(0xc1, 0x3f, 0xf, PEBS_PRECISE), /* OTHER_ASSISTS.ANY */
    BRANCHES,
    FRONTEND(0xf),
    ABORTED(0xf),
    MEMORY_OPS(0xf),
    ONE(0xd0, 0x83, 0xf, PEBS_PRECISE), /* MEM_INST_RETIRED.ANY (Intel's list) */
    FROM(0xd1, 0xd4, 0xf, PEBS_LOAD)};

static const struct pebs_rule ice_lake[] = {
    /* intel_icl_pebs_event_constraints */
    ON_FIXED(0xc0, 0x01, 0, PEBS_PDIR), /* the older code of PREC_DIST */
    ON_FIXED(0x00, 0x01, 0, PEBS_PDIR), /* INST_RETIRED.PREC_DIST */
    EITHER(0xc0, 0x00, 0xff, 1),
    ONE(0xcd, 0x01, 0xff, PEBS_LOAD_LATENCY),
    FROM(0xc4, 0xc5, 0xff, PEBS_PRECISE),
    FRONTEND(0xff),
    ABORTED(0xff),
    ALL_MEMORY_OPS(0xf),
    FROM(0xd1, 0xd4, 0xf, PEBS_LOAD)};

/* Counters for C0h, for the two events of latencies, and for the others. */
#define COVE_EVENTS(instructions, loads, stores, all)                                      \
    ON_FIXED(0x00, 0x01, 0, PEBS_PDIR), EITHER(0xc0, 0x00, instructions, 1),               \
        EACH(0xc0, instructions, PEBS_PRECISE), ONE(0xcd, 0x01, loads, PEBS_LOAD_LATENCY), \
        ONE(0xcd, 0x02, stores, PEBS_STORE_LATENCY), FROM(0xc4, 0xc5, all, PEBS_PRECISE),  \
        EACH(0xc6, all, PEBS_FRONTEND), ALL_MEMORY_OPS(0xf), FROM(0xd1, 0xd4, 0xf, PEBS_LOAD)
/* intel_glc_pebs_event_constraints */
static const struct pebs_rule golden_cove[] = {COVE_EVENTS(0xfe, 0xfe, 0x01, 0xff)};
/* intel_lnc_pebs_event_constraints */
static const struct pebs_rule lion_cove[] = {COVE_EVENTS(0x3ff, 0x3fc, 0x003, 0x3ff)};
/* intel_pnc_pebs_event_constraints; D6h, which is in it, is in none of Intel's lists */
static const struct pebs_rule panther_cove[] = {COVE_EVENTS(0xff, 0xfc, 0x03, 0xff)};

/* ---- sources ---- */

/* Table 18-24 from Sandy Bridge on, as Linux reads it (pebs_data_source[]): a line that another core of the
 * socket had modified came from there, a clean one from the L3. */
#define SOURCE_START LEVEL_UNKNOWN, LEVEL_L1, LEVEL_FILL_BUFFER, LEVEL_L2, LEVEL_L3
#define OTHER        (LEVEL_OTHER_CACHE | PEBS_MODIFIED)
#define REMOTE       (LEVEL_REMOTE_CACHE | PEBS_MODIFIED)
#define SOURCE_MISS                                                                                   \
    LEVEL_REMOTE_CACHE, REMOTE, LEVEL_MEMORY, LEVEL_REMOTE_MEMORY, LEVEL_MEMORY, LEVEL_REMOTE_MEMORY, \
        LEVEL_IO, LEVEL_UNCACHED
/* Since Skylake 8 and 9 are memory behind a cache of its own (L4, persistent memory). */
#define SOURCE_SKYLAKE                                                                                \
    LEVEL_MEMORY, LEVEL_REMOTE_MEMORY, LEVEL_MEMORY, LEVEL_REMOTE_MEMORY, LEVEL_REMOTE_CACHE, REMOTE, \
        LEVEL_IO, LEVEL_UNCACHED

/* intel_pmu_pebs_data_source_nhm(), pebs_no_tlb */
static const struct pebs_sources of_nehalem = {
    {SOURCE_START, LEVEL_L3, OTHER, OTHER, SOURCE_MISS}, 0, 0, 0, 0};
static const struct pebs_sources of_bridge = {
    {SOURCE_START, LEVEL_L3, LEVEL_L3, OTHER, SOURCE_MISS}, 0x10, 0x20, 0, 0};
static const struct pebs_sources of_skylake = {
    {SOURCE_START, LEVEL_L3, LEVEL_L3, OTHER, SOURCE_SKYLAKE}, 0x10, 0x20, 0, 0};
/* pebs_block: from Golden Cove on */
static const struct pebs_sources of_golden_cove = {
    {SOURCE_START, LEVEL_L3, LEVEL_L3, OTHER, SOURCE_SKYLAKE}, 0x10, 0x20, 0x40, 0x80};
/* __intel_pmu_pebs_data_source_grt(), adl_latency_data_small() */
static const struct pebs_sources of_gracemont = {{SOURCE_START, LEVEL_L3, OTHER, OTHER, LEVEL_L3, REMOTE,
                                                  LEVEL_MEMORY, LEVEL_REMOTE_MEMORY, LEVEL_MEMORY,
                                                  LEVEL_REMOTE_MEMORY, LEVEL_IO, LEVEL_UNCACHED},
                                                 0x20,
                                                 0x10,
                                                 0x40,
                                                 0};

/* ---- cores ---- */

#define RULES(r) .rule = r, .rules = sizeof(r) / sizeof(*(r))

static const struct pebs_core core_core2 = {RULES(core2)}, core_bonnell = {RULES(bonnell)},
                              core_silvermont = {RULES(silvermont)};
/* 18.7.1, 18.7.1.2: counter 0 alone, any event, reduced skid. */
static const struct pebs_core core_goldmont = {RULES(goldmont), .imprecise = 1, .pdist = 1};
static const struct pebs_core core_goldmont_plus = {RULES(goldmont_plus), .imprecise = 0xf, .pdist = 1};
static const struct pebs_core core_tremont = {RULES(tremont), .imprecise = 0xf, .imprecise_fixed = 0xf,
                                              .pdist = 1, .pdist_fixed = 1};
/* PDist's least period: Linux' glc_limit_period(), which it applies from Gracemont and Golden Cove on. */
static const struct pebs_core core_gracemont = {
    RULES(gracemont), .imprecise = 0x3f, .imprecise_fixed = 7,  .pdist = 1,
    .pdist_fixed = 1, .least = 128,      .split_latency = true, .sources = &of_gracemont};
/* PDist on counter 1, too: cmt_get_event_constraints(). Those after Gracemont number their sources in other
 * ways (Linux' __intel_pmu_pebs_data_source_cmt() and later ones), which are not told here. */
static const struct pebs_core core_crestmont = {RULES(gracemont),     .imprecise = 0x3f, .imprecise_fixed = 7,
                                                .pdist = 3,           .pdist_fixed = 1,  .least = 128,
                                                .split_latency = true};
/* Linux' nhm_limit_period(), 32 events, is left out: with shorter periods the loop of its interrupt handler
 * did not end, and this kernel's handler does not loop. */
static const struct pebs_core core_nehalem = {RULES(nehalem), .latency_bits = true, .sources = &of_nehalem};
static const struct pebs_core core_westmere = {RULES(westmere), .latency_bits = true, .sources = &of_nehalem};
static const struct pebs_core core_sandy_bridge = {RULES(sandy_bridge), .latency_bits = true, .alone = true,
                                                   .sources = &of_bridge};
static const struct pebs_core core_ivy_bridge = {RULES(sandy_bridge), .latency_bits = true,
                                                 .sources = &of_bridge};
static const struct pebs_core core_haswell = {RULES(haswell), .latency_bits = true, .sources = &of_bridge};
/* Errata BDM11 and BDM57: Linux' bdw_limit_period(). */
static const struct pebs_core core_broadwell = {RULES(haswell), .latency_bits = true, .least = 128,
                                                .step = 64, .sources = &of_bridge};
static const struct pebs_core core_skylake = {RULES(skylake), .latency_bits = true,
                                              .frontend = FRONTEND_SKYLAKE, .sources = &of_skylake};
static const struct pebs_core core_ice_lake = {RULES(ice_lake),
                                               .imprecise = 0xff,
                                               .imprecise_fixed = 0xf,
                                               .pdist_fixed = 1,
                                               .frontend = FRONTEND_SKYLAKE,
                                               .sources = &of_skylake};
/* beside: LD_BLOCKS.STORE_FORWARD must run, or what is recorded of loads is not right (Linux'
 * intel_pmu_hw_config(), PMU_FL_MEM_LOADS_AUX). Redwood Cove does not need it, and it does no harm there.
 * untimed_fixed: rwc_get_event_constraints(), by which Linux goes on Redwood Cove and Lion Cove; Golden Cove
 * has no retire latencies.
 */
static const struct pebs_core core_golden_cove = {RULES(golden_cove),        .imprecise = 0xff,
                                                  .imprecise_fixed = 0xf,    .pdist = 1,
                                                  .pdist_fixed = 1,          .least = 128,
                                                  .split_latency = true,     .beside = 0x8203,
                                                  .untimed_fixed = 1,        .frontend = FRONTEND_GOLDEN_COVE,
                                                  .sources = &of_golden_cove};
/* Its sources are others, and not told here. */
static const struct pebs_core core_lion_cove = {RULES(lion_cove),
                                                .imprecise = 0x3ff,
                                                .imprecise_fixed = 0xf,
                                                .pdist = 1,
                                                .pdist_fixed = 1,
                                                .least = 128,
                                                .split_latency = true,
                                                .untimed_fixed = 1,
                                                .frontend = FRONTEND_GOLDEN_COVE};
/* Architectural: counters are leaf 23H's. Its sources (Linux' pnc_latency_data()) are not told here. */
static const struct pebs_core core_panther_cove = {RULES(panther_cove),    .imprecise = 0xff,
                                                   .imprecise_fixed = 0xf, .least = 128,
                                                   .split_latency = true,  .frontend = FRONTEND_GOLDEN_COVE};

static const struct {
    uint8_t constraints;
    const struct pmu_words *words; /* NULL: any */
    const struct pebs_core *core;
    const char *database; /* NULL: any */
} cores[] = {
    {CONSTRAINTS_CORE2, NULL, &core_core2, NULL},
    {CONSTRAINTS_GEN, &pmu_words_bonnell, &core_bonnell, NULL},
    {CONSTRAINTS_GEN, &pmu_words_silvermont, &core_silvermont, NULL}, /* and Knights Landing */
    {CONSTRAINTS_GEN, &pmu_words_goldmont, &core_goldmont, NULL},
    {CONSTRAINTS_GEN, &pmu_words_goldmont_plus, &core_goldmont_plus, NULL},
    {CONSTRAINTS_GEN, &pmu_words_tremont, &core_tremont, NULL},
    {CONSTRAINTS_GRT, NULL, &core_gracemont, "adl_grt"},
    {CONSTRAINTS_GRT, NULL, &core_crestmont, NULL},
    {CONSTRAINTS_NHM, NULL, &core_nehalem, NULL},
    {CONSTRAINTS_WSM, NULL, &core_westmere, NULL},
    {CONSTRAINTS_SNB, NULL, &core_sandy_bridge, NULL},
    {CONSTRAINTS_IVB, NULL, &core_ivy_bridge, NULL},
    {CONSTRAINTS_HSW, NULL, &core_haswell, NULL},
    {CONSTRAINTS_BDW, NULL, &core_broadwell, NULL},
    {CONSTRAINTS_SKL, NULL, &core_skylake, NULL},
    {CONSTRAINTS_ICL, NULL, &core_ice_lake, NULL},
    {CONSTRAINTS_GLC, NULL, &core_golden_cove, NULL},
    {CONSTRAINTS_LNC, NULL, &core_lion_cove, NULL},
    {CONSTRAINTS_PNC, NULL, &core_panther_cove, NULL},
};

const struct pebs_core *pmu_pebs_core(const struct pmu *pmu)
{
    for (unsigned i = 0; i < sizeof cores / sizeof *cores; i++)
        if (cores[i].constraints == pmu->perfmon.constraints &&
            (!cores[i].words || cores[i].words == pmu->words) &&
            (!cores[i].database || strcmp(cores[i].database, pmu->database) == 0))
            return cores[i].core;
    return NULL;
}

const struct pebs_rule *pmu_pebs_rule(const struct pebs_core *core, unsigned event, unsigned umask)
{
    for (const struct pebs_rule *r = core->rule; r < core->rule + core->rules; r++)
        if (event >= r->first && event <= r->last && (umask & r->mask) == r->umask) return r;
    return NULL;
}
