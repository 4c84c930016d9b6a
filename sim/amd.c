/* The AMD family: its processors, and the counts that one instruction causes. */
#include "sim/amd.h"
#include "sim/batch.h"
#include <stdio.h>

/* ---- the processors ---- */

/* True LRU over two ways, the tree of pseudo-LRU over more: AMD documents "LRU" for the former only. */
#define CACHE(kib, n)                                                                             \
    {                                                                                             \
        .bytes = (kib)*1024, .line = AMD_LINE, .ways = n, .lru = (n) == 2, .write_allocate = true \
    }
/* Event select 7:0, unit mask, USR, OS, E, PC, INT, EN, INV, CNT_MASK. */
#define SELECT_K8 UINT64_C(0x00000000ffdfffff)
/* PC is gone; event select 11:8, guest only, host only. */
#define SELECT_12 UINT64_C(0x0000030fffd7ffff)

/* Instruction-based sampling.
 * Capabilities: Bochs's dumps. Of zen4 there is none: Linux' bits for its family [unconfirmed]. fam10h, of
 * revision B, has no leaf 8000001Bh: what Linux presumes then.
 * Which family has which bit: AMD's header; reserved bits of OP_CTL: the APM.
 * Fetch blocks: 32 bytes (AMD's optimisation guides).
 * Misalignment: "at least an extra cache access" (AMD, of family 10h); 16 bytes of 15h, 32 of 17h, 64 of 19h
 * are the pieces whose crossing costs time by their guides.
 * Latencies are the model's own. */
#define OP_CTL_WIDE (OP_CUR | OP_MAX_EXT | OP_CNT_CTL | OP_VAL | OP_EN | OP_MAX)
#define LOW(bits)   ((UINT64_C(1) << (bits)) - 1)
static const struct amd_ibs_traits ibs_10h = {
    .caps = 0x7,
    .entry = 1,
    .block = 32,
    .aligned = 8,
    .fetch_ctl = LOW(58),
    .op_ctl = OP_VAL | OP_EN | OP_MAX,
    .data1 = LOW(38),
    .data2 = DATA2_HIT_O | DATA2_REMOTE | DATA2_SOURCE,
    .data3 = FETCH_LATENCY | LOW(20),
    .from_l3 = 1,
    .from_other = 2,
    .latency =
        {[FOUND_L2] = 12, [FOUND_L3] = 45, [FOUND_OTHER] = 160, [FOUND_MEMORY] = 180, [FOUND_UNCACHED] = 300},
};
static const struct amd_ibs_traits ibs_15h = {
    .caps = 0xff,
    .block = 32,
    .aligned = 16,
    .fetch_ctl = LOW(58),
    .op_ctl = OP_CTL_WIDE,
    .data1 = LOW(39),
    .data2 = DATA2_HIT_O | DATA2_REMOTE | DATA2_SOURCE,
    .data3 = FETCH_LATENCY | (LOW(20) & ~DATA3_BANKS),
    .from_l3 = 1,
    .from_other = 2,
    .latency =
        {[FOUND_L2] = 20, [FOUND_L3] = 65, [FOUND_OTHER] = 180, [FOUND_MEMORY] = 200, [FOUND_UNCACHED] = 300},
};
static const struct amd_ibs_traits ibs_zen = {
    .caps = 0x3ff,
    .block = 32,
    .aligned = 32,
    .toggles = true,
    .fetch_ctl = LOW(59),
    .op_ctl = OP_CTL_WIDE,
    .data1 = LOW(41) & ~DATA1_OLD,
    .data2 = DATA2_HIT_O | DATA2_REMOTE | DATA2_SOURCE,
    .data3 = ~DATA3_BANKS,
    .from_l3 = 2,
    .from_other = 4,
    .latency =
        {[FOUND_L2] = 13, [FOUND_L3] = 40, [FOUND_OTHER] = 230, [FOUND_MEMORY] = 250, [FOUND_UNCACHED] = 400},
};
static const struct amd_ibs_traits ibs_zen4 = {
    .caps = 0xbff,
    .block = 32,
    .aligned = 64,
    .fetch_ctl = LOW(62),
    .op_ctl = OP_CTL_WIDE | OP_L3_MISS_ONLY,
    .data1 = LOW(41) & ~DATA1_OLD,
    .data2 = DATA2_SOURCE_HIGH | DATA2_HIT_O | DATA2_REMOTE | DATA2_SOURCE,
    .data3 = ~DATA3_BANKS,
    .from_l3 = 1,
    .from_other = 5,
    .latency =
        {[FOUND_L2] = 11, [FOUND_L3] = 50, [FOUND_OTHER] = 280, [FOUND_MEMORY] = 320, [FOUND_UNCACHED] = 400},
};

/* Geometry: the CPUID of these processors, leaves 80000005h and 80000006h; L2 and L1: facts are silent, AMD's
 * optimisation guides say exclusive of K8 and 10h, mostly inclusive of 15h, inclusive of 17h on. retired:
 * three of K8 and 10h; four and eight macro-operations of 15h and 17h on, each of which may be two fused
 * instructions. */
const struct amd_traits sim_traits_k8 = {
    .counters = 4,
    .retired = 3,
    .select = SELECT_K8,
    .l2_relation = AMD_L2_EXCLUSIVE,
    .l1i = CACHE(64, 2),
    .l1d = CACHE(64, 2),
    .l2 = CACHE(512, 16),
};
const struct amd_traits sim_traits_fam10h = {
    .counters = 4,
    .retired = 3,
    .select = SELECT_12,
    .l2_relation = AMD_L2_EXCLUSIVE,
    .l1i = CACHE(64, 2),
    .l1d = CACHE(64, 2),
    .l2 = CACHE(512, 16),
    .l3 = CACHE(2048, 32),
    .ibs = &ibs_10h,
    .de_cfg = true,
};
const struct amd_traits sim_traits_bulldozer = {
    .counters = 6,
    .retired = 8,
    .extended = true,
    .select = SELECT_12,
    .l2_relation = AMD_L2_MOSTLY,
    .l1i = CACHE(64, 2),
    .l1d = CACHE(16, 4),
    .l2 = CACHE(2048, 16),
    .l3 = CACHE(8192, 64),
    .ibs = &ibs_15h,
    .de_cfg = true,
};
const struct amd_traits sim_traits_zen = {
    .counters = 6,
    .retired = 16,
    .extended = true,
    .select = SELECT_12,
    .l2_relation = AMD_L2_INCLUSIVE,
    .l1i = CACHE(64, 4),
    .l1d = CACHE(32, 8),
    .l2 = CACHE(512, 8),
    .l3 = CACHE(8192, 16),
    .ibs = &ibs_zen,
    .de_cfg = true,
};
const struct amd_traits sim_traits_zen4 = {
    .counters = 6,
    .retired = 16,
    .extended = true,
    .v2 = true,
    .lbr_depth = 16,
    .decorated = true,
    .select = SELECT_12,
    .l2_relation = AMD_L2_INCLUSIVE,
    .l1i = CACHE(32, 8),
    .l1d = CACHE(32, 8),
    .l2 = CACHE(1024, 8),
    .l3 = CACHE(32768, 16),
    .ibs = &ibs_zen4,
    .de_cfg = true,
};

/* ---- facts ---- */

/* Counts of n instructions that the FPU executes. */
static void fpu(struct sim *s, uint32_t op, unsigned n)
{
    if (op & OP_X87) sim_add(&s->tally, AMD_X87, n);
    if (op & (OP_MMX | OP_EMMS)) sim_add(&s->tally, AMD_MMX, n);
    if (op & OP_SSE) sim_add(&s->tally, AMD_SSE, n);
}

static void branches(struct sim *s, uint32_t op, unsigned n)
{
    sim_add(&s->tally, AMD_BRANCH, n);
    if (op & OP_COND && !(op & OP_FAR)) sim_add(&s->tally, AMD_COND, n);
    if (op & OP_RET && !(op & OP_FAR)) sim_add(&s->tally, AMD_RETURN, n);
}

/* Its accesses, and what it is. */
static void simulate(struct sim *s, const struct sim_insn *i)
{
    struct amd_memory *m = amd_memory_of(s);
    const uint32_t op = i->op;

    sim_add(&s->tally, AMD_INSN, 1);
    if (!amd_fetched(m, i->lin, i->lin + i->len)) amd_fetch(s, i->lin, i->phys, i->phys_high, i->len);
    m->locked = op & OP_LOCK;
    if (i->cache_op)
        amd_cache_op(s, i);
    else
        for (unsigned k = 0; k < i->n_access; k++) amd_data_access(s, &i->access[k]);
    m->locked = false;
    /* LGDT, LIDT, LLDT and LTR load no segment register; a transfer to another level loads SS besides CS. */
    if (!(op & OP_SERIALIZE) || op & OP_FAR) sim_add(&s->tally, AMD_SEGMENT, i->seg_loads);
    if (!op) return;
    if (op & OP_FAR && i->cpl_after != i->cpl) sim_add(&s->tally, AMD_SEGMENT, 1);
    fpu(s, op, 1);
    if (op & OP_LOCK) sim_add(&s->tally, AMD_LOCKED, 1);
    if (!(op & OP_BRANCH)) return;
    branches(s, op, 1);
    if (!(op & OP_TAKEN)) return;
    sim_add(&s->tally, AMD_TAKEN, 1);
    if (op & OP_FAR) sim_add(&s->tally, AMD_FAR, 1);
}

static void instruction(struct sim *s, const struct sim_insn *i)
{
    struct amd *p = s->state;
    const bool tagged = p->ibs.op.tagging;

    if (tagged || sim_oracle_wants_addresses(s)) amd_look(s, i);
    if (p->ibs.fetch.running) amd_ibs_fetches(s, i);
    simulate(s, i);
    if (tagged) amd_ibs_sample(s, i);
}

/* ---- the same in bulk ---- */

static inline bool same_line(struct sim *s, uint64_t lin, uint64_t end)
{
    return amd_fetched(amd_memory_of(s), lin, end);
}

static inline void code(struct sim *s, uint64_t lin, uint64_t phys, unsigned bytes)
{
    amd_fetch(s, lin, phys, 0, bytes);
}

static inline void data(struct sim *s, const struct sim_batch *b, const struct sim_access *a)
{
    if (amd_data_hot(amd_memory_of(s), a)) {
        sim_add_bulk(&s->tally, AMD_DC_ACCESS, a->kind == SIM_RMW ? 2 : 1);
    } else {
        const struct sim_access full = sim_batch_access(b, a);
        amd_data_access(s, &full);
    }
}

static inline void branch(struct sim *s, const struct sim_step *step)
{
    sim_add_bulk(&s->tally, AMD_TAKEN, (step->op & OP_TAKEN) != 0);
}

static void batch(struct sim *s, const struct sim_batch *b)
{
    for (unsigned k = 0; k < b->n_kinds; k++) {
        const struct sim_kind *kind = &b->kinds[k];
        sim_add(&s->tally, AMD_INSN, kind->n);
        sim_add(&s->tally, AMD_SEGMENT, (uint64_t)kind->seg_loads * kind->n);
        if (kind->op) fpu(s, kind->op, kind->n);
        if (kind->op & OP_BRANCH) branches(s, kind->op, kind->n);
    }
    sim_batch_walk(s, b, same_line, code, data, branch);
}

/* An interrupt shows the instruction at which it happened, and IBS tags one. */
static bool exact(const struct sim *s, uint64_t happenings)
{
    const struct amd *p = s->state;
    for (unsigned n = 0; n < p->traits->counters; n++) {
        const struct sim_counter *c = &p->counter[n];
        if (c->interrupt && sim_counter_near(c, happenings)) return true;
    }
    return amd_ibs_exact(&p->ibs, happenings);
}

/* ---- what is no instruction ---- */

static void accesses(struct sim *s, const struct sim_access *a, unsigned n)
{
    while (n--) amd_data_access(s, a++);
}

static void exception(struct sim *s)
{
    sim_add(&s->tally, AMD_EXCEPTION, 1);
    amd_ibs_redirect(s, true);
}

static void interrupt(struct sim *s)
{
    sim_add(&s->tally, AMD_INTERRUPT, 1);
    amd_ibs_redirect(s, false);
}

/* No event depends on a TLB, but the code's page may have changed. */
static void tlb_flush(struct sim *s) { amd_memory_of(s)->fetch_line = AMD_NOWHERE; }

static void tlb_invalidate(struct sim *s, uint64_t lin)
{
    (void)lin;
    amd_memory_of(s)->fetch_line = AMD_NOWHERE;
}

static void cache_flush(struct sim *s, bool write_back)
{
    (void)write_back; /* no event sees what is written back */
    amd_memory_reset(amd_memory_of(s));
}

static unsigned unmodelled(const struct sim *s, unsigned n, const char **names, unsigned max)
{
    const struct amd *p = s->state;
    return n < p->traits->counters ? sim_counter_unmodelled(&p->counter[n], names, max) : 0;
}

static bool counts_clocks(const struct sim *s, unsigned n)
{
    const struct amd *p = s->state;
    return n < p->traits->counters && sim_counter_counts_clocks(s, &p->counter[n]);
}

/* ---- life ---- */

static void fini(struct sim *s) { amd_memory_fini(amd_memory_of(s)); }

static bool init(struct sim *s)
{
    struct amd *p = s->state;
    p->traits = s->model->traits;
    for (unsigned i = 0; i < sizeof p->raw / sizeof *p->raw; i++)
        snprintf(p->raw[i], sizeof p->raw[i], "r%02x", i & 0xfff);
    return amd_memory_init(&p->memory, p->traits);
}

static void reset(struct sim *s)
{
    struct amd *p = s->state;
    amd_registers_reset(s);
    amd_ibs_reset(s);
    amd_memory_reset(&p->memory);
}

static const char *const errata[] = {NULL};

const struct sim_family sim_amd_family = {
    .name = "amd",
    .errata = errata,
    .events = amd_events,
    .n_events = AMD_EVENTS,
    .clocks = {.running = AMD_CYCLES, .wakes = AMD_WAKES},
    .tallies = AMD_TALLIES,
    .state_size = sizeof(struct amd),
    .init = init,
    .fini = fini,
    .reset = reset,
    .instruction = instruction,
    .accesses = accesses,
    .batch = batch,
    .exact = exact,
    .exception = exception,
    .interrupt = interrupt,
    .debug_exception = amd_debug_exception,
    .tlb_flush = tlb_flush,
    .tlb_invalidate = tlb_invalidate,
    .cache_flush = cache_flush,
    .snoop = amd_snoop,
    .trace = amd_trace,
    .count = amd_count,
    .rdmsr = amd_rdmsr,
    .wrmsr = amd_wrmsr,
    .rdpmc = amd_rdpmc,
    .cpuid = amd_cpuid,
    .unmodelled = unmodelled,
    .counts_clocks = counts_clocks,
    .general = AMD_COUNTERS,
};
