/* The NetBurst family of the PMU model: Pentium 4 Willamette, Northwood and Prescott. Shared by its files.
 *
 * "Facts" is the project's sheet on PMUs, whose section 3 has been taken from Intel's Software Developer's
 * Manual vol. 3, June 2016 ("SDM": 18.15, 18.16, tables 19-28 to 19-34 and 35-41), Linux, OProfile and
 * perfctr. Scope of the model: docs/pmu-model.md.
 */
#pragma once
#include "sim/core.h"
#include "sim/pebs.h"

#define NB_COUNTERS     18
#define NB_COUNTER_MASK ((UINT64_C(1) << 40) - 1)
#define NB_NOWHERE      UINT64_MAX
#define NB_PEBS_COUNTER \
    16 /* + thread: IQ_COUNTER4 of the first one, IQ_COUNTER5 of the second (SDM 18.16.3) */

/* ---- ESCRs: by unit, each with two but the SSU ---- */

enum nb_unit {
    U_BPU,
    U_IS,
    U_MOB,
    U_ITLB,
    U_PMH,
    U_IX,
    U_FSB,
    U_BSU,
    U_MS,
    U_TC,
    U_TBPU,
    U_FLAME,
    U_FIRM,
    U_SAAT,
    U_U2L,
    U_DAC,
    U_IQ,
    U_ALF,
    U_RAT,
    U_SSU,
    U_CRU0, /* CRU_ESCR0, 1 */
    U_CRU2, /* CRU_ESCR2, 3 */
    U_CRU4, /* CRU_ESCR4, 5 */
    NB_UNITS,
    U_NONE = NB_UNITS
};

/* ESCR (SDM figure 18-43). */
#define ESCR_USR          (1u << 2)
#define ESCR_OS           (1u << 3)
#define ESCR_TAG          (1u << 4)
#define ESCR_TAG_VALUE(e) ((e) >> 5 & 0xf)
#define ESCR_MASK(e)      ((e) >> 9 & 0xffff)
#define ESCR_SELECT(e)    ((e) >> 25 & 0x3f)
#define ESCR_T1_USR       (1u << 0) /* with two threads USR and OS are the first one's */
#define ESCR_T1_OS        (1u << 1)
#define ESCR_RESERVED     (~UINT64_C(0x7ffffffc)) /* with two threads not bits 1:0 */

/* CCCR (SDM figure 18-45; bit 11: table 18-65). */
#define CCCR_CASCNT       (1u << 11) /* extended cascade */
#define CCCR_ENABLE       (1u << 12)
#define CCCR_ESEL(c)      ((c) >> 13 & 7)
#define CCCR_THREAD       (3u << 16) /* must be 11b without HT; with: how many threads are active */
#define CCCR_ACTIVE(c)    ((c) >> 16 & 3)
#define CCCR_COMPARE      (1u << 18)
#define CCCR_COMPLEMENT   (1u << 19)
#define CCCR_THRESHOLD(c) ((c) >> 20 & 0xf)
#define CCCR_EDGE         (1u << 24)
#define CCCR_FORCE_OVF    (1u << 25)
#define CCCR_OVF_PMI      (1u << 26)
#define CCCR_OVF_PMI_T1   (1u << 27) /* with two threads */
#define CCCR_CASCADE      (1u << 30)
#define CCCR_OVF          (1u << 31)
#define CCCR_RESERVED     (~UINT64_C(0xc7fff000)) /* 10:0, 11 where there is none, 27 (HT), 29:28, 63:32 */

/* PEBS_ENABLE (3F1h) and PEBS_MATRIX_VERT (3F2h): SDM tables 35-41, 19-33. */
#define PEBS_UOP_TAG       (1u << 24)
#define PEBS_ON            (1u << 25) /* with two threads: for the one that executes the WRMSR or RDMSR */
#define PEBS_ON_OTHER      (1u << 26) /* for the other one */
#define PEBS_TAG_BITS      UINT64_C(0x01019fff) /* what it has besides, of the core */
#define PEBS_MATRIX_LOADS  (1u << 0)
#define PEBS_MATRIX_STORES (1u << 1)
#define PEBS_MATRIX_BITS   UINT64_C(0x13)

/* ---- elementary happenings ---- */

/* Conditions that tag a μop for replay_event: bits. */
enum { REPLAY_L1 = 1, REPLAY_L2 = 2, REPLAY_DTLB = 4, REPLAY_SPLIT = 8 };

/* The classes of execution tags (SDM table 19-32). */
enum nb_class {
    CLASS_PACKED_SP,
    CLASS_PACKED_DP,
    CLASS_SCALAR_SP,
    CLASS_SCALAR_DP,
    CLASS_MMX64,
    CLASS_MMX128,
    CLASS_X87,
    NB_CLASSES
};

enum nb_tally {
    T_NEVER = 1, /* modelled events that cannot happen */
    T_INSN,      /* without a front-end tag */
    T_INSN_TAGGED,
    T_CLOCKS,
    T_RUNNING, /* clocks outside HLT */
    T_UOPS,
    T_TAKEN,
    T_NOT_TAKEN,
    T_COND,
    T_JMP,
    T_CALL,
    T_CALL_INDIRECT,
    T_RETURN,
    T_JMP_INDIRECT,
    T_LOADS, /* taggable μops */
    T_STORES,
    T_FRONT_END, /* tagged at the front end */
    T_REPLAY,    /* tagged for replay */
    T_LD_L1_MISS,
    T_LD_L2_MISS,
    T_LD_DTLB_MISS,
    T_ST_DTLB_MISS,
    T_LD_SPLIT,
    T_ST_SPLIT,
    T_PORT_SPLIT_LD, /* taggable or not */
    T_PORT_SPLIT_ST,
    T_LSC,
    T_SSC,
    T_WALK,
    T_BSQ_HITS,
    T_BSQ_HITE,
    T_BSQ_HITM,
    T_BSQ_MISS,
    T_ASSIST, /* + number of the bit of enum sim_assist, which are those of x87_assist's event mask */
    T_CLASS = T_ASSIST + 5,             /* + enum nb_class */
    T_EXECUTION = T_CLASS + NB_CLASSES, /* + tag bits 1 to 15: μops tagged so */
    T_END = T_EXECUTION + 16
};
_Static_assert(T_END <= SIM_TALLIES, "more kinds of happenings than a tally holds");

/* ---- what distinguishes the processors ---- */

enum { NB_WILLAMETTE = 1, NB_NORTHWOOD = 2, NB_PRESCOTT = 4 }; /* sim_event.models */

struct netburst_traits {
    bool dtes64;           /* DS area and records are in the 64-bit layout in every mode */
    bool extended_cascade; /* from model 2 on */
    bool threads;          /* there may be two */
    bool iq_escrs;         /* up to model 2 */
    bool ds_64bit;         /* IA32_DS_AREA takes a 64-bit address */
    uint8_t max_leaf, brand;
    const char *name;                /* CPUID.80000002h-4h: 47 characters */
    uint32_t features, features_ecx; /* CPUID.1 EDX and ECX */
    uint32_t descriptors[2];         /* CPUID.2 EAX and EDX */
    uint32_t l2_leaf;                /* CPUID.80000006h ECX; 0: no such leaf */
    uint32_t misc_enable;            /* 1A0h at reset */
    bool prefetch_walks;             /* PREFETCHh of a page that is not in the DTLB: from model 3 on */
    struct sim_cache_geometry l1d, l2;
};

/* ---- memory (sim/netburst_mem.c) ---- */

#define NB_LINE 64

struct nb_memory {
    struct sim_cache *l1d, *l2;
    struct sim_tlb *dtlb;
    uint64_t page;       /* looked up last: it hits, and moves nothing */
    uint64_t load_line;  /* touched last in the L1D, and there */
    uint64_t store_line; /* touched last in the L2, and modified; not in the L1D unless it is load_line */
    bool streaming;      /* the stores that come now are non-temporal */
    bool prefetch_walks; /* as in struct netburst_traits */
};

bool nb_memory_init(struct nb_memory *m, const struct netburst_traits *t);
void nb_memory_fini(struct nb_memory *m);
void nb_memory_empty(struct nb_memory *m);
/* The entries of s's thread. */
void nb_tlb_flush(struct sim *s);
void nb_tlb_drop(struct sim *s, uint64_t lin);
/* One access, its μops, and the tags that they get. taggable: not locked, no return, no far transfer.
 * Returns whether one of its μops has a front-end tag. */
bool nb_access(struct sim *s, const struct sim_access *a, bool taggable);
/* The usual access, which finds its page and its line and changes nothing but what was used last; its μops
 * are the caller's to count. False: it is for nb_access(). */
bool nb_usual_access(struct sim *s, const struct sim_access *a);
enum sim_line_state nb_snoop(struct sim *s, uint64_t phys, enum sim_snoop how);
/* The effects of CLFLUSH and PREFETCHh. */
void nb_cache_op(struct sim *s, const struct sim_insn *i);

/* ---- tags as they are programmed (sim/netburst_tag.c) ---- */

#define NB_THREADS 2
#define NB_LEVELS  (2 * NB_THREADS) /* CPL 0 and above of the first thread, and of the second */

struct nb_tags {
    bool loads[NB_LEVELS], stores[NB_LEVELS];                  /* front end */
    uint8_t replay_loads[NB_LEVELS], replay_stores[NB_LEVELS]; /* which of REPLAY_... */
    uint8_t execution[NB_LEVELS][NB_CLASSES];                  /* tag bits */
};

/* ---- counters ---- */

struct nb_counter {
    uint64_t value;
    uint32_t cccr;
    bool runs;                /* enabled, or started by a cascade */
    bool compares;            /* looks at single clocks */
    bool duration;            /* its event continues in each clock that the processor runs */
    bool once;                /* clocks, of which two threads that run have one together */
    bool by_steps;            /* it counts accesses and branches, not instructions or clocks */
    bool pebs;                /* its event can be sampled precisely, and PEBS is on */
    bool due;                 /* overflowed with its interrupt enabled: requests it on its next event */
    bool line;                /* requests the interrupt until OVF is cleared */
    bool above;               /* threshold output in the last clock */
    bool written;             /* erratum N15: one write was lost, the next one works */
    uint8_t cpls[NB_THREADS]; /* bit n: its event counts at CPL n of this thread */
    uint8_t terms[SIM_TERMS]; /* the tallies that it adds; none: it does not move */
    unsigned n_terms;
};

#define NB_ESCR_FIRST 0x3a0
#define NB_ESCR_LAST  0x3e1

struct netburst {
    const struct netburst_traits *traits;
    struct nb_memory memory;
    struct nb_counter counter[NB_COUNTERS];
    uint32_t running; /* bit by counter */
    uint32_t assists; /* those that would count x87_assist */
    uint32_t escr[NB_ESCR_LAST - NB_ESCR_FIRST + 1];
    uint64_t tc_precise, pebs_tags, pebs_matrix, misc_enable;
    uint64_t ds_area[NB_THREADS];
    bool pebs_on[NB_THREADS];
    bool two; /* threads */
    struct nb_tags tags;
    bool pebs_armed[NB_THREADS];    /* the next tagged μop that retires there writes a record */
    const struct sim_insn *current; /* the instruction that is being settled; NULL: none is */
    bool registers;                 /* ... and came with its registers */
};

static inline struct netburst *nb_of(const struct sim *s) { return s->state; }

/* The thread whose records counter n makes; NB_THREADS: none's. */
static inline unsigned nb_pebs_thread(const struct netburst *nb, unsigned n)
{
    const unsigned threads = nb->two ? NB_THREADS : 1;
    return n >= NB_PEBS_COUNTER && n < NB_PEBS_COUNTER + threads ? n - NB_PEBS_COUNTER : NB_THREADS;
}

/* Switches, in the order of their names (sim/netburst.c). */
enum {
    NB_UNFLAGGED_OVERFLOW = 1,
    NB_N15 = 2,
    NB_N17 = 4,
    NB_COUNTER1 = 8,
    NB_BSQ_DOUBLE = 16,
    NB_CASCADE_PMI = 32
};

/* ---- routing (sim/netburst_route.c) ---- */
/* MSR number of a unit's ESCR (side 0 or 1); 0: this processor has none. */
uint32_t nb_escr_msr(const struct sim *s, enum nb_unit unit, unsigned side);
/* Value of a unit's ESCR; 0 where there is none. */
uint32_t nb_escr(const struct sim *s, enum nb_unit unit, unsigned side);
/* The unit and side that ESEL selects for counter n; U_NONE: none. */
enum nb_unit nb_route(unsigned n, unsigned esel, unsigned *side);

/* ---- registers (sim/netburst_msr.c) ---- */
int nb_rdmsr(struct sim *s, uint32_t msr, uint64_t *value);
int nb_wrmsr(struct sim *s, uint32_t msr, uint64_t value);
enum sim_rdpmc nb_rdpmc(struct sim *s, uint32_t ecx, uint64_t *value);

/* ---- counting (sim/netburst_count.c) ---- */
void nb_count(struct sim *s);
bool nb_exact(const struct sim *s, uint64_t happenings);
/* Update the running counters after a change of a CCCR or an OVF. */
void nb_update_running(struct sim *s);
/* Drop the interrupt's line when no counter asserts it. */
void nb_update_line(struct sim *s);
/* Update whether registers are needed of either thread, after a change that affects PEBS. */
void nb_update_wants(struct sim *s);

/* ---- events (sim/netburst_events.c) ---- */
#define NB_CODE(unit, select, mask) ((uint32_t)(unit) << 24 | (uint32_t)(select) << 16 | (mask))
#define NB_ANY_MASK                 0xffff /* the event as a whole, whatever its mask */
#define NB_EVENTS                   110
extern const struct sim_event nb_events[NB_EVENTS];
/* Translate the CCCR and ESCR of counter n into terms, cpls, compares, duration and pebs. */
void nb_resolve(struct sim *s, unsigned n);
/* Names of its events that are not modelled, up to max; returns their number. */
unsigned nb_unmodelled(const struct sim *s, unsigned n, const char **names, unsigned max);

/* ---- tags (sim/netburst_tag.c) ---- */
void nb_resolve_tags(struct sim *s);
static inline unsigned nb_level(const struct sim *s) { return 2 * s->thread + (s->cpl != 0); }
/* An ESCR's bit for a level. */
static inline uint32_t nb_level_bit(unsigned level)
{
    static const uint32_t bits[NB_LEVELS] = {ESCR_OS, ESCR_USR, ESCR_T1_OS, ESCR_T1_USR};
    return bits[level];
}

/* ---- CPUID (sim/netburst_cpuid.c) ---- */
void nb_cpuid(const struct sim *s, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);
