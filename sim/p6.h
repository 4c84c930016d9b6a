/* The P6 family of the PMU model: Pentium Pro, Pentium II, Pentium III. Shared by its files; also the other
 * agents on the bus, for host tests only.
 *
 * "SDM" is Intel's Software Developer's Manual vol. 3, June 2016: registers in 18.22 and table 35-46, events
 * in table 19-37. "Heller" is his commentary on the events (seed 001). Scope of the model: docs/pmu-model.md.
 */
#pragma once
#include "sim/counter.h"

#define P6_COUNTERS 2

/* ---- elementary happenings ---- */

/* Agents on the bus: this processor, or any other. */
enum p6_agent { P6_SELF, P6_OTHER, P6_AGENTS };

/* Tallies of one bus transaction (SDM table 19-37, EBL); each has several. */
enum p6_bus_tally {
    BUS_BRD,    /* 65h burst read of a line */
    BUS_RFO,    /* 66h read for ownership */
    BUS_WB,     /* 67h write-back */
    BUS_IFETCH, /* 68h instruction fetch */
    BUS_INVAL,  /* 69h invalidate */
    BUS_PWR,    /* 6Ah partial write */
    BUS_P,      /* 6Bh partial */
    BUS_IO,     /* 6Ch I/O */
    BUS_DEF,    /* 6Dh deferred */
    BUS_BURST,  /* 6Eh burst */
    BUS_MEM,    /* 6Fh memory */
    BUS_ANY,    /* 70h all */
    BUS_TALLIES
};

/* Requests to the L2, by their origin. */
enum p6_request { P6_REQ_IFETCH, P6_REQ_LOAD, P6_REQ_STORE, P6_REQUESTS };

enum p6_tally {
    T_INSN = 1,
    T_CYCLES, /* unhalted */
    T_WAKES,  /* from halted to unhalted */
    T_BRANCH,
    T_TAKEN,
    T_INTERRUPT,
    T_SEGMENT,
    T_FP_EXE,
    T_FP_ASSIST,
    T_FLOPS,
    T_MUL,
    T_DIV,
    T_MMX,
    T_EMMS,
    T_MMX_TO_FP,
    T_FP_TO_MMX,
    T_SSE,
    T_SSE_SCALAR,
    T_SSE_COMPUTES_PACKED,
    T_SSE_COMPUTES_SCALAR,
    T_MMX_SATURATES,
    T_MMX_MULTIPLY,
    T_MMX_SHIFT,
    T_MMX_PACK,
    T_MMX_UNPACK,
    T_MMX_LOGIC,
    T_PREFETCH_NTA, /* instructions */
    T_WEAK_STORE,
    T_PREFETCH_NTA_MISS, /* ... whose line no cache had */
    T_WEAK_STORE_MISS,
    T_IFETCH,
    T_IFETCH_MISS,
    T_ITLB_MISS,
    T_DATA_REF,
    T_MISALIGNED,
    T_DCU_IN,
    T_DCU_M_IN,
    T_DCU_M_OUT,
    T_DCU_OUTSTANDING,
    T_L2_ADS,
    T_L2_DBUS,
    T_L2_DBUS_READ,
    T_L2_IN,
    T_L2_M_IN,
    T_L2_OUT,
    T_L2_M_OUT,
    T_BUS_OUTSTANDING,
    T_DRDY_ANY,  /* processor clocks */
    T_DRDY_SELF, /* bus clocks, as the next */
    T_DATA_RCV,
    T_HIT_DRV, /* bus clocks, as the next */
    T_HITM_DRV,
    T_L2_RQSTS,                             /* + enum sim_line_state of the line found */
    T_L2_BY_KIND = T_L2_RQSTS + 4,          /* + 4 * enum p6_request + enum sim_line_state */
    T_BUS = T_L2_BY_KIND + 4 * P6_REQUESTS, /* + BUS_TALLIES * enum p6_agent + enum p6_bus_tally */
    T_END = T_BUS + BUS_TALLIES * P6_AGENTS
};
_Static_assert(T_END <= SIM_TALLIES, "more kinds of happenings than a tally holds");

#define P6_L2(request, state) (T_L2_BY_KIND + 4 * (request) + (state))
#define P6_BUS(agent, what)   (T_BUS + BUS_TALLIES * (agent) + (what))

/* ---- what distinguishes the processors ---- */

enum { P6_PPRO = 1, P6_P2 = 2, P6_P3 = 4 }; /* sim_event.models */

struct p6_traits {
    uint8_t max_leaf;     /* CPUID */
    uint8_t bus_ratio;    /* processor clocks in a bus clock */
    uint32_t features;    /* CPUID.1:EDX */
    uint32_t descriptors; /* CPUID.2:EDX; the other three registers are the same on all */
    uint32_t serial[2];   /* CPUID.3: EDX, ECX */
    struct sim_cache_geometry l1i, l1d, l2;
};

/* ---- memory hierarchy (sim/p6_mem.c) ---- */

struct p6_memory {
    struct sim_cache *l1i, *l1d, *l2;
    struct sim_tlb *itlb;
    unsigned mem_latency; /* processor clocks, of a line from memory */
    unsigned bus_ratio;
    /* Fetch: the stream's next address, and the block that it holds. P6_NOWHERE: none. */
    uint64_t fetch_next, fetch_block;
    uint64_t *dirty; /* [set][way]: M lines of the L1D, in no order; P6_NOWHERE: none */
    unsigned dirty_sets, dirty_ways;
};
#define P6_NOWHERE     UINT64_MAX
#define P6_LINE        32            /* bytes, in every cache */
#define P6_BUS_CHUNKS  (P6_LINE / 8) /* bus clocks of a line's data */
/* Memory to L2: 14-1-1-1 bus clocks (Heller, four-way interleaved). */
#define P6_MEMORY_LEAD 14

/* Which lines of the L1D are modified: WBINVD has to find them. p6_dirty_change() replaces a line's number in
 * the list of its set. */
void p6_dirty_change(struct p6_memory *m, uint64_t phys, uint64_t from, uint64_t to);
static inline void p6_made_dirty(struct p6_memory *m, uint64_t phys)
{
    p6_dirty_change(m, phys, P6_NOWHERE, phys / P6_LINE);
}
static inline void p6_made_clean(struct p6_memory *m, uint64_t phys)
{
    p6_dirty_change(m, phys, phys / P6_LINE, P6_NOWHERE);
}
/* A modified line leaves the DCU. */
void p6_write_back(struct sim *s, uint64_t phys);

bool p6_memory_init(struct p6_memory *m, const struct p6_traits *t);
void p6_memory_fini(struct p6_memory *m);
void p6_memory_reset(struct p6_memory *m);
/* len bytes of code; phys_high as in struct sim_insn. */
void p6_fetch_blocks(struct sim *s, uint64_t lin, uint64_t phys, uint64_t phys_high, unsigned len);
static inline void p6_redirect(struct p6_memory *m) { m->fetch_next = P6_NOWHERE; }
void p6_data_access(struct sim *s, const struct sim_access *a);
/* The effect of an instruction with a cache_op on caches, and its accesses. */
void p6_cache_op(struct sim *s, const struct sim_insn *i);
void p6_io(struct sim *s, const struct sim_insn *i);
void p6_tlb_flush(struct p6_memory *m);
void p6_tlb_drop(struct p6_memory *m, uint64_t lin);
void p6_cache_flush(struct sim *s, bool write_back);
enum sim_line_state p6_snoop(struct sim *s, uint64_t phys, enum sim_snoop how);

/* ---- counters ---- */

#define P6_RESERVED (1u << 21) /* in PerfEvtSel */

struct p6 {
    const struct p6_traits *traits;
    struct p6_memory memory;
    struct sim_counter counter[P6_COUNTERS];
    uint8_t fp_mmx;   /* the last kind: x87 (1), MMX (2), neither yet (0) */
    bool serial_off;  /* BBL_CR_CTL bit 21: the serial number is hidden until reset */
    char raw[256][4]; /* "rXX": names for event selects that the manual does not list */
};

static inline struct p6_memory *p6_memory_of(const struct sim *s) { return &((struct p6 *)s->state)->memory; }

/* ---- the short ways through fetch and data, taken by most instructions ---- */

/* Within the block that was fetched last, and on from there. */
static inline bool p6_fetched(struct p6_memory *m, uint64_t lin, uint64_t end)
{
    if (lin != m->fetch_next || (end - 1) >> 4 != m->fetch_block) return false;
    m->fetch_next = end;
    return true;
}

/* The number of blocks read, for code within one line, if line and page were used last in their sets; else
 * -1. */
static inline int p6_fetch_hot(struct p6_memory *m, uint64_t lin, uint64_t phys, unsigned len)
{
    const uint64_t end = lin + len, block = lin >> 4, last = (end - 1) >> 4;
    if (block >> 1 != last >> 1 || !sim_tlb_hot(m->itlb, lin) || !sim_cache_hot(m->l1i, phys, false))
        return -1;
    const bool on = lin == m->fetch_next && block == m->fetch_block;
    m->fetch_block = last;
    m->fetch_next = end;
    return (int)(last - block) + !on;
}

/* len bytes of code; phys_high as in struct sim_insn. */
static inline void p6_fetch(struct sim *s, uint64_t lin, uint64_t phys, uint64_t phys_high, unsigned len)
{
    const int blocks = p6_fetch_hot(p6_memory_of(s), lin, phys, len);
    if (blocks >= 0)
        sim_add(&s->tally, T_IFETCH, (unsigned)blocks);
    else
        p6_fetch_blocks(s, lin, phys, phys_high, len);
}

/* Aligned, in a line that its set used last; then it is cached. */
static inline bool p6_data_hot(const struct p6_memory *m, const struct sim_access *a)
{
    return (a->lin & 7) + a->bytes <= 8 && a->bytes && sim_cache_hot(m->l1d, a->phys, a->kind != SIM_READ);
}

static inline void p6_data(struct sim *s, const struct sim_access *a)
{
    if (p6_data_hot(p6_memory_of(s), a))
        sim_add(&s->tally, T_DATA_REF, a->kind == SIM_RMW ? 2 : 1);
    else
        p6_data_access(s, a);
}

/* ---- events (sim/p6_events.c) ---- */
#define P6_EVENTS 126
extern const struct sim_event p6_events[P6_EVENTS];
/* Counter n's select into its terms and unmodelled. */
void p6_resolve(const struct sim *s, unsigned n);

/* ---- CPUID (sim/p6_cpuid.c) ---- */
void p6_cpuid(const struct sim *s, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

/* ---- other agents, for tests at the host ---- */

enum p6_transaction {
    P6_BURST_READ,
    P6_READ_FOR_OWNERSHIP,
    P6_WRITE_BACK,
    P6_INSTRUCTION_FETCH,
    P6_INVALIDATE,
    P6_PARTIAL_READ,
    P6_PARTIAL_WRITE,
    P6_IO_WRITE,
    P6_IO_READ,
    P6_DEFERRED, /* the reply to a transaction that another agent deferred */
};
/* n transactions on the bus that this processor's own instructions did not cause: another agent's (P6_OTHER),
 * or a deferred reply to it (P6_SELF). Counted at once, at privilege level cpl. Other models on the bus do
 * not notice. */
void sim_p6_bus(struct sim *s, enum p6_agent agent, enum p6_transaction what, unsigned n, unsigned cpl);
/* Another agent reads the line at phys: it becomes shared here, after HITM if it was modified. The next store
 * to it has to invalidate the other's copy: 69h. */
void sim_p6_snoop_read(struct sim *s, uint64_t phys, unsigned cpl);

/* Inside (sim/p6_bus.c): n transactions into the tally; those of P6_SELF the others see as P6_OTHER. */
void p6_bus(struct sim *s, enum p6_agent agent, enum p6_transaction what, uint64_t n);
