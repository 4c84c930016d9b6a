/* The AMD family of the PMU model: K8, family 10h, Bulldozer, Zen, Zen 4. Shared by its files.
 *
 * "facts" is the project's sheet on PMUs, section 5; "libpfm" the descriptions of events in libpfm 4.13,
 * which are AMD's own (BKDG, PPR); "Linux" its drivers arch/x86/events/amd and KVM's model of this PMU, used
 * as a source of what AMD's manuals say. Scope of the model: docs/pmu-model.md.
 */
#pragma once
#include "sim/amd_ibs.h"
#include "sim/counter.h"

#define AMD_COUNTERS 6 /* the most that one has */

/* ---- elementary happenings ---- */
enum amd_tally {
    AMD_INSN = 1,
    AMD_CYCLES, /* unhalted */
    AMD_WAKES,  /* from halted to unhalted */
    AMD_EXCEPTION,
    AMD_INTERRUPT,
    AMD_BRANCH,
    AMD_TAKEN,
    AMD_COND,
    AMD_FAR,
    AMD_RETURN, /* near */
    AMD_X87,
    AMD_MMX,
    AMD_SSE,
    AMD_LOCKED,
    AMD_DC_ACCESS,
    AMD_MISALIGNED,
    AMD_SPLIT_LINE, /* loads */
    AMD_SPLIT_PAGE,
    AMD_IC_L2,      /* lines of code that hit the L2 ... */
    AMD_IC_SYSTEM,  /* ... and that missed it */
    AMD_DC_LOAD_L2, /* lines of data for a load */
    AMD_DC_LOAD_SYSTEM,
    AMD_DC_STORE_L2, /* ... for a store */
    AMD_DC_STORE_SYSTEM,
    AMD_DC_PREFETCH_L2, /* ... for PREFETCHh */
    AMD_DC_PREFETCH_SYSTEM,
    AMD_DC_L2_E, /* by the state that the line had in the L2 */
    AMD_DC_L2_M,
    AMD_DC_L2_S,
    AMD_DC_L2_O,
    AMD_DC_OUT_E, /* lines that the L1D evicted */
    AMD_DC_OUT_M,
    AMD_DC_OUT_S,
    AMD_DC_OUT_O,
    AMD_CHANGE_TO_X, /* stores to lines that others have as well */
    AMD_PROBE,       /* of other processors */
    AMD_IC_OUT,
    AMD_DC_LOCKED_MISS,
    AMD_BUS_LOCK, /* locked accesses that cross a line or are not cached */
    AMD_PREFETCH, /* PREFETCH, PREFETCHT0 to T2 */
    AMD_PREFETCH_W,
    AMD_PREFETCH_NTA,
    AMD_PREFETCH_HIT, /* ... of a line that the L1D has */
    AMD_CLFLUSH,
    AMD_SEGMENT, /* segment registers loaded */
    AMD_NEVER,   /* events that need other nodes; always 0 */
    AMD_TALLIES
};
_Static_assert(AMD_TALLIES <= SIM_TALLIES, "more kinds of happenings than a tally holds");

/* ---- what distinguishes the processors ---- */

enum { AMD_K8 = 1, AMD_10H = 2, AMD_15H = 4, AMD_ZEN = 8, AMD_ZEN4 = 16 }; /* sim_event.models */

/* The relation of the L2 to the L1s. */
enum amd_l2 {
    AMD_L2_EXCLUSIVE, /* it holds the lines that the L1s evicted */
    AMD_L2_MOSTLY,    /* filled with them, then independent */
    AMD_L2_INCLUSIVE  /* it holds all lines of the L1s */
};

struct amd_traits {
    uint8_t counters;
    uint8_t retired;   /* instructions that can retire in one clock, at most */
    bool extended;     /* PERF_CTL0-5, PERF_CTR0-5 at C0010200h, the legacy four their aliases */
    bool de_cfg;       /* MSR DE_CFG (C0011029h), which makes LFENCE serialise: from family 10h on */
    bool v2;           /* PerfMonV2: global control and status */
    uint8_t lbr_depth; /* of the stack of last branch records; 0: there is none */
    bool decorated;    /* CPUID is not that of the emulator's model, see amd_cpuid.c */
    uint64_t select;   /* implemented bits of PERF_CTL */
    enum amd_l2 l2_relation;
    struct sim_cache_geometry l1i, l1d, l2, l3; /* l3.bytes 0: there is none */
    const struct amd_ibs_traits *ibs;           /* NULL: none */
};

/* ---- memory hierarchy (sim/amd_mem.c) ---- */

#define AMD_LINE    64 /* bytes, in every cache */
#define AMD_NOWHERE UINT64_MAX

struct amd_memory {
    struct sim_cache *l1i, *l1d, *l2;
    struct sim_cache *l3; /* what the L2 has thrown out; no event looks at it, IBS does. NULL: none */
    bool l3_used;         /* there is something in it */
    enum amd_l2 relation;
    bool locked;         /* the current accesses belong to a locked instruction */
    uint64_t fetch_line; /* linear address / AMD_LINE of the code that was read last; AMD_NOWHERE: none */
};

bool amd_memory_init(struct amd_memory *m, const struct amd_traits *t);
void amd_memory_fini(struct amd_memory *m);
void amd_memory_reset(struct amd_memory *m);
/* len bytes of code; phys_high as in struct sim_insn. */
void amd_fetch(struct sim *s, uint64_t lin, uint64_t phys, uint64_t phys_high, unsigned len);
void amd_data_access(struct sim *s, const struct sim_access *a);
/* Where a request of this L1 would find the line now; changes nothing. */
enum amd_found amd_find(const struct amd_memory *m, uint64_t phys, const struct sim_cache *l1);
/* The line leaves every cache. */
void amd_line_out(struct amd_memory *m, uint64_t phys);
enum sim_line_state amd_snoop(struct sim *s, uint64_t phys, enum sim_snoop how);
/* The effect of an instruction with a cache_op on caches, and its accesses. */
void amd_cache_op(struct sim *s, const struct sim_insn *i);

/* ---- counters ---- */

/* PERF_CTL (facts 5.1), beside what counter.h has */
#define AMD_EVENT(select) ((unsigned)((select)&0xff) | (unsigned)((select) >> 24 & 0xf00))
#define AMD_GUEST_ONLY    (UINT64_C(1) << 40)
#define AMD_HOST_ONLY     (UINT64_C(1) << 41)

#define AMD_COUNTER_MASK ((UINT64_C(1) << 48) - 1)

/* PerfCntGlobalStatus, beside the counters' overflows; set by what DebugCtl has enabled (AMD64 manual, vol.
 * 2, 13.1.1.6 and 13.2.1). */
#define AMD_STATUS_LBRSF (UINT64_C(1) << 58) /* last branch records are frozen */
#define AMD_STATUS_PMCF  (UINT64_C(1) << 59) /* counters are */
#define AMD_FREEZE_LBR   (UINT64_C(1) << 11)
#define AMD_FREEZE_PMC   (UINT64_C(1) << 12)

struct amd {
    const struct amd_traits *traits;
    struct amd_memory memory;
    struct sim_counter counter[AMD_COUNTERS];
    uint64_t global_ctl, global_status; /* PerfMonV2; bit by counter */
    uint64_t de_cfg;                    /* of this core; bit 1: LFENCE serialises dispatch */
    uint64_t debugctl, debug_extn;
    struct amd_ibs ibs;
    struct amd_seen seen;
    char raw[4096][5]; /* "rXXX": names for event selects that no table lists */
};

static inline struct amd_memory *amd_memory_of(const struct sim *s)
{
    return &((struct amd *)s->state)->memory;
}

/* ---- registers (sim/amd_msr.c) ---- */
void amd_registers_reset(struct sim *s);
void amd_count(struct sim *s);
int amd_rdmsr(struct sim *s, uint32_t msr, uint64_t *value);
int amd_wrmsr(struct sim *s, uint32_t msr, uint64_t value);
enum sim_rdpmc amd_rdpmc(struct sim *s, uint32_t ecx, uint64_t *value);

/* ---- last branch records and DebugCtl (sim/amd_lbr.c) ---- */
void amd_lbr_reset(struct sim *s);
/* After a change of what lets it record. */
void amd_lbr_update(struct sim *s);
void amd_debug_exception(struct sim *s);
/* 1 handled, 0 raise #GP, -1 none of these registers. */
int amd_lbr_rdmsr(struct sim *s, uint32_t msr, uint64_t *value);
int amd_lbr_wrmsr(struct sim *s, uint32_t msr, uint64_t value);

/* ---- events (sim/amd_events.c) ---- */
#define AMD_EVENTS 138
extern const struct sim_event amd_events[AMD_EVENTS];
/* sim_event.code of an AMD event: select and unit mask as in the low half of PERF_CTL, and bits 11:8 of the
 * select above. */
#define AMD_CODE(event, umask) (((event)&0xffu) | (umask) << 8 | ((event)&0xf00u) << 8)
/* Counter n's select into its terms and unmodelled. */
void amd_resolve(const struct sim *s, unsigned n);

/* ---- CPUID (sim/amd_cpuid.c) ---- */
void amd_cpuid(const struct sim *s, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

/* ---- the short ways through fetch and data, taken by most instructions ---- */

/* In the line that was read last, which is the one that its set used last. */
static inline bool amd_fetched(const struct amd_memory *m, uint64_t lin, uint64_t end)
{
    return lin / AMD_LINE == m->fetch_line && (end - 1) / AMD_LINE == m->fetch_line;
}

/* Within 8 aligned bytes, in a line that its set used last; then it is cached. */
static inline bool amd_data_hot(const struct amd_memory *m, const struct sim_access *a)
{
    return (a->lin & 7) + a->bytes <= 8 && a->bytes && sim_cache_hot(m->l1d, a->phys, a->kind != SIM_READ);
}
