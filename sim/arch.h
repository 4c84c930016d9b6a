/* Intel architectural performance monitoring, versions 1 to 5: shared by its files.
 *
 * "Facts" are the project's facts sheet on PMUs, section 4; "SDM" is Intel's Software Developer's Manual vol.
 * 3. Scope of the model: docs/pmu-model.md.
 */
#pragma once
#include "sim/arch_pebs.h"
#include "sim/counter.h"

#define ARCH_GENERAL  8 /* at most; followed by the fixed counters */
#define ARCH_FIXED    4
#define ARCH_COUNTERS (ARCH_GENERAL + ARCH_FIXED)

/* ---- elementary happenings ---- */
enum arch_tally {
    T_INSN = 1,
    T_CYCLES, /* unhalted */
    T_WAKES,  /* from halted to unhalted */
    T_COND_TAKEN,
    T_COND_NOT_TAKEN,
    T_CALL, /* near */
    T_RET,  /* near */
    T_JUMP, /* near, always taken, and neither of these */
    T_FAR,
    T_INTERRUPT,
    T_SSE,
    T_LOADS,
    T_STORES,
    T_FROM_L1,
    T_FROM_L2,
    T_FROM_L3,
    T_FROM_MEMORY,
    T_BEYOND_L1, /* a load that missed the L1D; a load can be both here and in T_FROM_L1 */
    T_BEYOND_L2,
    T_L1D_IN,
    T_L1I_IN,
    T_INDIRECT,  /* near jumps and calls by register or memory */
    T_NO_ACCESS, /* instructions without load and store */
    T_LOCK_LOADS,
    T_SPLIT_LOADS, /* instructions with one across two lines */
    T_SPLIT_STORES,
    T_UC_LOADS, /* ... with one that is not cached */
    T_SPLIT_LOCK,
    T_BUS_LOCK,     /* locked and across two lines, or not cached */
    T_PREFETCH_NTA, /* instructions */
    T_PREFETCH_T0,
    T_PREFETCH_T1,
    T_PREFETCH_T2,
    T_PREFETCH_W,
    T_PREFETCH_NTA_MISS, /* ... whose line no cache had */
    T_PREFETCH_T0_MISS,
    T_PREFETCH_T1_MISS,
    T_PREFETCH_T2_MISS,
    T_NT_STORES, /* instructions */
    T_SEGMENT,   /* segment registers loaded */
    T_MMX,
    T_EMMS,
    T_FP_OPS, /* x87: add, subtract, multiply, divide, remainder, root, compare */
    T_INT_MUL_DIV,
    T_MUL, /* integer and x87 */
    T_DIV,
    T_IO,           /* transactions */
    T_CYCLES_RING0, /* of T_CYCLES */
    T_CYCLES_USER,
    T_LOAD_LINES_BEYOND_L1, /* lines that loads missed */
    T_LOAD_LINES_BEYOND_L2,
    T_ACCESS_SPLIT_LOAD, /* loads and stores themselves, not their instructions */
    T_ACCESS_SPLIT_STORE,
    T_UNCACHED_ACCESS,
    T_L1D_REF, /* enum arch_l1d_ref, each by enum arch_state: lines referred to in the L1D */
    T_L1D_REF_END = T_L1D_REF + 12,
    T_L1D_M_IN = T_L1D_REF_END, /* brought for a store */
    T_L1D_M_OUT,                /* modified, and replaced */
    T_L1D_M_SNOOPED,            /* modified, and asked for by another processor */
    T_L1D_WB,                   /* ... into the L2, by enum arch_state of the line there */
    T_L2 = T_L1D_WB + 4,        /* enum arch_request, each by enum arch_state: lines asked for in the L2 */
    T_L3_HIT = T_L2 + 16,       /* enum arch_request: those beyond the L2 that the L3 had */
    T_BEYOND = T_L3_HIT + 4,    /* ... that came from memory */
    T_L2_IN = T_BEYOND + 4,
    T_L2_OUT, /* replaced */
    T_L2_M_OUT,
    T_LLC_REFERENCE,
    T_LLC_MISS,
    T_INVALIDATE,   /* others were asked to give up their copies of a shared line */
    T_FROM_REMOTE,  /* loads that found their line modified in another processor's caches */
    T_LOAD_LATENCY, /* tagged loads that took longer than MSR_PEBS_LD_LAT_THRESHOLD says: only while a counter
                       counts them */
    T_NEVER,        /* events that need what is not modelled; always 0 */
    T_END
};
/* The result of a line's look-up. */
enum arch_state { STATE_I, STATE_E, STATE_M, STATE_S };
enum arch_l1d_ref { REF_LOAD, REF_STORE, REF_LOCK };
/* A locked load asks for ownership, as a store does. */
enum arch_request { REQUEST_CODE, REQUEST_LOAD, REQUEST_OWN, REQUEST_PREFETCH };
#define ARCH_L1D(ref, state) (T_L1D_REF + 4 * (ref) + (state))
#define ARCH_L2(who, state)  (T_L2 + 4 * (who) + (state))
_Static_assert(T_END <= SIM_TALLIES, "more kinds of happenings than a tally holds");

/* ---- what distinguishes the processors ---- */

/* sim_event.models */
enum {
    ARCH_COREDUO = 1,
    ARCH_CORE2 = 2,
    ARCH_SANDYBRIDGE = 4,
    ARCH_HASWELL = 8,
    ARCH_SKYLAKE = 16,
    ARCH_ICELAKE = 32,
    ARCH_TIGERLAKE = 64
};

/* The relation of the L3 to the L2: it holds every line of the L2; or it gets the lines that the L2 evicts.
 */
enum arch_l3 { L3_NONE, L3_INCLUSIVE, L3_VICTIM };

struct arch_traits {
    const struct arch_traits *threads; /* the same with two threads; NULL: it has one */
    uint32_t leaf_a[4];                /* CPUID.0AH as the processor answers: EAX EBX ECX EDX */
    uint32_t capabilities;             /* IA32_PERF_CAPABILITIES */
    uint64_t pebs_enable;              /* IA32_PEBS_ENABLE: what may be written; 0: there is no PEBS */
    uint64_t frontend;                 /* MSR_PEBS_FRONTEND: likewise */
    uint32_t microcode;                /* its revision, as software reads it */
    uint64_t misc_writable;            /* IA32_MISC_ENABLE: what may be written, beside what is read-only */
    uint64_t prefetch_writable;        /* MSR_MISC_FEATURE_CONTROL (1A4h); 0: there is none */
    struct sim_cache_geometry l1i, l1d, l2, l3;
    enum arch_l3 l3_kind;
    uint8_t l3_slices; /* l3 is the geometry of one */
    uint8_t lbr_depth; /* of the stack of last branch records, by SDM table 17-4; 0: there is none */
    bool prefetchw;    /* PREFETCHW is no NOP: CPUID 80000001h ECX[8], as the dump has it */
};

/* CPUID.0AH */
#define LEAF_A_VERSION(t)       ((t)->leaf_a[0] & 0xff)
#define LEAF_A_GENERAL(t)       ((t)->leaf_a[0] >> 8 & 0xff)
#define LEAF_A_GENERAL_WIDTH(t) ((t)->leaf_a[0] >> 16 & 0xff)
#define LEAF_A_EVENTS(t)        ((t)->leaf_a[0] >> 24)
#define LEAF_A_UNAVAILABLE(t)   ((t)->leaf_a[1])
#define LEAF_A_FIXED(t)         ((t)->leaf_a[3] & 0x1f)
#define LEAF_A_FIXED_WIDTH(t)   ((t)->leaf_a[3] >> 5 & 0xff)
#define LEAF_A_NO_ANY_THREAD(t) ((t)->leaf_a[3] >> 15 & 1)

/* IA32_PERF_CAPABILITIES */
#define CAP_LBR_FORMAT(t)  ((t)->capabilities & 0x3f)
#define CAP_PEBS_FORMAT(t) ((t)->capabilities >> 8 & 0xf)
#define CAP_SMM_FREEZE     (1u << 12)
#define CAP_FULL_WRITE     (1u << 13)
#define CAP_BASELINE       (1u << 14)
#define CAP_METRICS        (1u << 15)

/* IA32_MISC_ENABLE */
#define MISC_PERFMON    (UINT64_C(1) << 7)
#define MISC_NO_BTS     (UINT64_C(1) << 11)
#define MISC_NO_PEBS    (UINT64_C(1) << 12)
#define MISC_READ_ONLY  (MISC_PERFMON | MISC_NO_BTS | MISC_NO_PEBS)
#define MISC_LIMIT_LEAF (UINT64_C(1) << 22)
#define MISC_NO_TURBO   (UINT64_C(1) << 38)

/* ---- memory hierarchy (sim/arch_mem.c) ---- */
#define ARCH_LINE    64
#define ARCH_SLICES  8
#define ARCH_NOWHERE UINT64_MAX

/* The kinds of the current instruction's memory accesses so far. */
enum arch_access {
    ACCESS_LOAD = 1,
    ACCESS_STORE = 2,
    ACCESS_L1 = 4, /* a load found its line here, ... */
    ACCESS_L2 = 8,
    ACCESS_L3 = 16,
    ACCESS_MEMORY = 32,
    ACCESS_SPLIT_LOAD = 64,
    ACCESS_SPLIT_STORE = 128,
    ACCESS_UNCACHED_LOAD = 256,
    ACCESS_REMOTE = 512,      /* ... or in another processor's caches */
    ACCESS_STORE_MISS = 1024, /* a store did not find it in the L1D */
    ACCESS_SHARED = 2048,     /* a load's line from memory, which other processors have as well */
    ACCESS_BEYOND_L2 = ACCESS_L3 | ACCESS_MEMORY | ACCESS_REMOTE
};

struct arch_memory {
    struct sim_cache *l1i, *l1d, *l2, *l3[ARCH_SLICES];
    unsigned slices;
    enum arch_l3 l3_kind;
    bool prefetchw;
    uint64_t fetch_line;   /* linear, the one that this thread fetched last, and that no other has moved */
    bool locked;           /* the current accesses belong to a locked instruction */
    unsigned accesses;     /* enum arch_access, of the instruction ... */
    uint64_t end;          /* ... that ends here (in a batch) */
    struct arch_data data; /* of the instruction, while they come one by one */
};

/* The slice of the L3 that has this line, whose address becomes that in the slice. Consecutive lines go to
 * the slices in turn (the CPUs hash them, by a function that is not documented). */
static inline struct sim_cache *arch_slice(const struct arch_memory *m, uint64_t *phys)
{
    const uint64_t line = *phys / ARCH_LINE;
    if (m->slices == 1) return m->l3[0];
    *phys = line / m->slices * ARCH_LINE;
    return m->l3[line % m->slices];
}

bool arch_memory_init(struct arch_memory *m, const struct arch_traits *t);
void arch_memory_fini(struct arch_memory *m);
/* Empty all caches; no event counts these write-backs. */
void arch_memory_empty(struct arch_memory *m);
/* len bytes of code; phys_high as in struct sim_insn. */
void arch_fetch_lines(struct sim *s, uint64_t lin, uint64_t phys, uint64_t phys_high, unsigned len);
void arch_data_access(struct sim *s, const struct sim_access *a);
/* One of the instruction's accesses has been made, found: its enum arch_access (sim/arch_data.c). */
void arch_note_data(struct arch_memory *m, const struct sim_access *a, unsigned found);
/* The caches of another thread of the same core. */
void arch_memory_share(struct arch_memory *m, const struct arch_memory *first);
/* The line leaves every level. */
void arch_line_out(struct sim *s, uint64_t phys);
enum sim_line_state arch_snoop(struct sim *s, uint64_t phys, enum sim_snoop how);
/* The effect of an instruction with a cache_op on caches, and its accesses. */
void arch_cache_op(struct sim *s, const struct sim_insn *i);

/* ---- counters ---- */

/* IA32_PERFEVTSEL, beside what counter.h has */
#define SEL_ANY      (1u << 21)
#define SEL_ADAPTIVE (UINT64_C(1) << 34)

/* IA32_FIXED_CTR_CTRL, the field of one counter */
#define FIXED_OS       1u
#define FIXED_USR      2u
#define FIXED_ANY      4u
#define FIXED_PMI      8u
#define FIXED_ADAPTIVE (UINT64_C(1) << 32) /* as struct sim_counter.select keeps it */

/* IA32_PERF_GLOBAL_STATUS */
#define STATUS_METRICS (UINT64_C(1) << 48)
#define STATUS_TOPA    (UINT64_C(1) << 55)
#define STATUS_LBR_FRZ (UINT64_C(1) << 58)
#define STATUS_CTR_FRZ (UINT64_C(1) << 59)
#define STATUS_ASCI    (UINT64_C(1) << 60)
#define STATUS_UNCORE  (UINT64_C(1) << 61)
#define STATUS_BUFFER  (UINT64_C(1) << 62)
#define STATUS_COND    (UINT64_C(1) << 63)

/* IA32_DEBUGCTL */
#define DEBUGCTL_LBR            (UINT64_C(1) << 0)
#define DEBUGCTL_BRANCH_TRACE   (UINT64_C(0x7c2)) /* BTF, TR, BTS, BTINT, BTS_OFF_OS, BTS_OFF_USR */
#define DEBUGCTL_FREEZE_LBR     (UINT64_C(1) << 11)
#define DEBUGCTL_FREEZE_PERFMON (UINT64_C(1) << 12)
#define DEBUGCTL_FREEZE_SMM     (UINT64_C(1) << 14)

#define ARCH_RAW_NAMES 128

struct arch {
    const struct arch_traits *traits;
    struct arch_memory memory;
    struct sim_counter counter[ARCH_COUNTERS];
    uint8_t running[ARCH_COUNTERS]; /* those that count at some level */
    unsigned n_running;
    bool counts_latency; /* one of them counts T_LOAD_LATENCY */
    uint64_t global_ctrl, global_status, debugctl, misc_enable, prefetch, metrics;
    uint64_t bios_sign; /* IA32_BIOS_SIGN_ID */
    struct arch_pebs pebs;
    char raw[ARCH_RAW_NAMES][6]; /* "rUUEE": names for codes that the model does not know */
};

static inline struct arch_memory *arch_memory_of(const struct sim *s)
{
    return &((struct arch *)s->state)->memory;
}

/* A line of code may have gone, or been moved, that a thread of the core fetched last. */
static inline void arch_forget_fetched(struct sim *s)
{
    arch_memory_of(s)->fetch_line = ARCH_NOWHERE;
    if (s->sibling) arch_memory_of(s->sibling)->fetch_line = ARCH_NOWHERE;
}

/* Does counter n exist? */
static inline bool arch_counter_exists(const struct arch_traits *t, unsigned n)
{
    return n < ARCH_GENERAL ? n < LEAF_A_GENERAL(t) : n - ARCH_GENERAL < LEAF_A_FIXED(t);
}

/* ---- registers (sim/arch_msr.c) ---- */
void arch_registers_reset(struct sim *s);
int arch_rdmsr(struct sim *s, uint32_t msr, uint64_t *value);
int arch_wrmsr(struct sim *s, uint32_t msr, uint64_t value);
enum sim_rdpmc arch_rdpmc(struct sim *s, uint32_t ecx, uint64_t *value);
void arch_cpuid(const struct sim *s, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

/* ---- last branch records (sim/arch_lbr.c) ---- */
void arch_lbr_reset(struct sim *s);
/* After a change of what lets it record. */
void arch_lbr_update(struct sim *s);
void arch_debug_exception(struct sim *s);
/* 1 handled, 0 raise #GP, -1 none of these registers. */
int arch_lbr_rdmsr(struct sim *s, uint32_t msr, uint64_t *value);
int arch_lbr_wrmsr(struct sim *s, uint32_t msr, uint64_t value);

/* ---- counting (sim/arch_count.c) ---- */
/* After a change of any enable: determine the counters that run, and their levels. */
void arch_enables(struct sim *s);
void arch_count(struct sim *s);
bool arch_exact(const struct sim *s, uint64_t happenings);
bool arch_counts_clocks(const struct sim *s, unsigned n);
unsigned arch_unmodelled(const struct sim *s, unsigned n, const char **names, unsigned max);

/* ---- events (sim/arch_events.c) ---- */
#define ARCH_EVENTS 223
extern const struct sim_event arch_events[ARCH_EVENTS];
/* The load latency event of all that have one: its terms are not in the table, since it depends on a
 * register. */
#define ARCH_LOAD_LATENCY 0x01cd
/* Counter n's select into its terms, both and unmodelled. */
void arch_resolve(struct sim *s, unsigned n);
/* Can general counter n count this code (unit mask before event)? sim/arch_limits.c */
bool arch_counter_takes(const struct sim *s, unsigned n, unsigned code);
