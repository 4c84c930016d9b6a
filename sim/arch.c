/* Processors with architectural performance monitoring, and the counts that one instruction causes. */
#include "sim/arch.h"
#include "sim/batch.h"
#include <stdlib.h>

/* ---- the processors ---- */

/* True LRU where the ways are no power of two, else the tree: no manual says what these CPUs do. */
#define CACHE(kib, n)                                                                   \
    {                                                                                   \
        .bytes = (kib)*1024, .line = ARCH_LINE, .ways = n, .lru = ((n) & ((n)-1)) != 0, \
        .write_allocate = true                                                          \
    }

#define L3(kind, slices, kib, n) .l3 = CACHE(kib, n), .l3_kind = L3_##kind, .l3_slices = slices

/* IA32_MISC_ENABLE (SDM tables 35-3 and later): what software may write. */
#define BIT(n)        (UINT64_C(1) << (n))
#define MISC_COREDUO  (BIT(3) | BIT(10) | BIT(13) | BIT(16) | BIT(18) | BIT(20) | BIT(22) | BIT(34))
#define MISC_CORE2    (MISC_COREDUO | BIT(0) | BIT(9) | BIT(19) | BIT(23) | BIT(37) | BIT(38) | BIT(39))
#define MISC_NEHALEM  (BIT(0) | BIT(3) | BIT(16) | BIT(18) | BIT(22) | BIT(23) | BIT(34) | BIT(38))
#define PREFETCH_OFFS 0xf /* 1A4h: L2, adjacent line, L1D, L1D by IP (facts 6.4) */

/* Leaves 0AH and 4: the dumps of exactly these processors that come with Bochs's models of them.
 * Capabilities: the fields that facts 4.2 and 4.3 have for these generations: LBR format (SDM 17.7 to 17.10;
 * the Core 2's, offsets without flags, is [unconfirmed]), PEBS format, and bits 6 and 7 with it. microcode:
 * new enough for what Linux asks of PEBS (intel_snb_pebs_broken(), isolation_ucodes[]); that Intel has
 * published these revisions is [unconfirmed]. */
const struct arch_traits sim_traits_coreduo = {
    .leaf_a = {0x07280201, 0, 0, 0},
    .capabilities = 0,
    .microcode = 0x59,
    .misc_writable = MISC_COREDUO,
    .l1i = CACHE(32, 8),
    .l1d = CACHE(32, 8),
    .l2 = CACHE(2048, 8),
};
const struct arch_traits sim_traits_core2 = {
    .leaf_a = {0x07280202, 0, 0, 0x503},
    .capabilities = 0xc0 | 2,
    .pebs_enable = 1,
    .microcode = 0xa0b,
    .lbr_depth = 4,
    .misc_writable = MISC_CORE2,
    .l1i = CACHE(32, 8),
    .l1d = CACHE(32, 8),
    .l2 = CACHE(6144, 24),
};

/* IA32_PEBS_ENABLE. */
#define PEBS_FOUR  UINT64_C(0xf0000000f) /* four counters and their load latencies (SDM figure 18-21) */
#define PEBS_EVERY UINT64_C(0xf000000ff) /* all eight, and the fixed ones */
/* MSR_PEBS_FRONTEND: Linux' mask of it, whose low byte leaves out bits that raise #GP (intel_skl_extra_regs,
 * intel_icl_extra_regs). */
#define FRONTEND   UINT64_C(0x7fff17)

/* Common to all since Nehalem. */
#define SINCE_NEHALEM .misc_writable = MISC_NEHALEM, .prefetch_writable = PREFETCH_OFFS, .l1i = CACHE(32, 8)

#define SANDYBRIDGE(leaf_a_eax)                                                                          \
    .leaf_a = {leaf_a_eax, 0, 0, 0x603},                                                                 \
    .capabilities = 0xc0 | 3 | 1 << 8 | CAP_SMM_FREEZE | CAP_FULL_WRITE, SINCE_NEHALEM, .lbr_depth = 16, \
    .pebs_enable = PEBS_FOUR | PEBS_STORE, .microcode = 0x2f, .l1d = CACHE(32, 8), .l2 = CACHE(256, 8),  \
    L3(INCLUSIVE, 1, 8192, 16)

/* Two threads have four counters each; one alone has all eight (SDM 18.9). */
static const struct arch_traits sandybridge_threads = {SANDYBRIDGE(0x07300403)};
const struct arch_traits sim_traits_sandybridge = {SANDYBRIDGE(0x07300803), .threads = &sandybridge_threads};
const struct arch_traits sim_traits_haswell = {
    .threads = &sim_traits_haswell,
    .leaf_a = {0x07300403, 0, 0, 0x603},
    .capabilities = 0xc0 | 4 | 2 << 8 | CAP_SMM_FREEZE | CAP_FULL_WRITE,
    SINCE_NEHALEM,
    .pebs_enable = PEBS_FOUR,
    .microcode = 0x28,
    .lbr_depth = 16,
    .prefetchw = true,
    .l1d = CACHE(32, 8),
    .l2 = CACHE(256, 8),
    L3(INCLUSIVE, 1, 8192, 16),
};
const struct arch_traits sim_traits_skylake = {
    .threads = &sim_traits_skylake,
    .leaf_a = {0x07300404, 0, 0, 0x603},
    .capabilities = 0xc0 | 5 | 3 << 8 | CAP_SMM_FREEZE | CAP_FULL_WRITE,
    SINCE_NEHALEM,
    .pebs_enable = PEBS_FOUR,
    .frontend = FRONTEND,
    .microcode = 0x2007006,
    .lbr_depth = 32,
    .prefetchw = true,
    .l1d = CACHE(32, 8),
    .l2 = CACHE(1024, 16),
    /* 8.25 MiB in six, one for each core: 12,288 sets are no power of two */
    L3(VICTIM, 6, 1408, 11),
};
const struct arch_traits sim_traits_icelake = {
    .threads = &sim_traits_icelake,
    .leaf_a = {0x08300805, 0, 0xf, 0x8604},
    .capabilities = 0xc0 | 5 | 4 << 8 | CAP_SMM_FREEZE | CAP_FULL_WRITE | CAP_BASELINE | CAP_METRICS,
    SINCE_NEHALEM,
    .pebs_enable = PEBS_EVERY,
    .frontend = FRONTEND,
    .microcode = 0xc6,
    .lbr_depth = 32,
    .prefetchw = true,
    .l1d = CACHE(48, 12),
    .l2 = CACHE(512, 8),
    L3(INCLUSIVE, 1, 8192, 16),
};
const struct arch_traits sim_traits_tigerlake = {
    .threads = &sim_traits_tigerlake,
    .leaf_a = {0x08300805, 0, 0xf, 0x8604},
    .capabilities = 0xc0 | 5 | 4 << 8 | CAP_SMM_FREEZE | CAP_FULL_WRITE | CAP_BASELINE | CAP_METRICS,
    SINCE_NEHALEM,
    .pebs_enable = PEBS_EVERY,
    .frontend = FRONTEND,
    .microcode = 0xb8,
    .lbr_depth = 32,
    .prefetchw = true,
    .l1d = CACHE(48, 12),
    .l2 = CACHE(1280, 20),
    L3(VICTIM, 1, 8192, 8),
};

/* ---- facts ---- */

/* The instruction is complete: each kind of its accesses counts once. */
static inline void account_accesses(struct sim *s, struct arch_memory *m,
                                    void add(struct sim_tally *y, unsigned t, uint64_t n))
{
    struct sim_tally *y = &s->tally;
    const unsigned a = m->accesses;
    m->accesses = 0;
    add(y, T_LOADS, (a & ACCESS_LOAD) != 0);
    add(y, T_STORES, (a & ACCESS_STORE) != 0);
    add(y, T_FROM_L1, (a & ACCESS_L1) != 0);
    if (a & (ACCESS_SPLIT_LOAD | ACCESS_SPLIT_STORE | ACCESS_UNCACHED_LOAD)) {
        add(y, T_SPLIT_LOADS, (a & ACCESS_SPLIT_LOAD) != 0);
        add(y, T_SPLIT_STORES, (a & ACCESS_SPLIT_STORE) != 0);
        add(y, T_UC_LOADS, (a & ACCESS_UNCACHED_LOAD) != 0);
    }
    if (!(a & (ACCESS_L2 | ACCESS_BEYOND_L2))) return;
    add(y, T_FROM_L2, (a & ACCESS_L2) != 0);
    add(y, T_FROM_L3, (a & ACCESS_L3) != 0);
    add(y, T_FROM_MEMORY, (a & ACCESS_MEMORY) != 0);
    add(y, T_FROM_REMOTE, (a & (ACCESS_MEMORY | ACCESS_REMOTE)) == ACCESS_REMOTE);
    add(y, T_BEYOND_L1, 1);
    add(y, T_BEYOND_L2, (a & ACCESS_BEYOND_L2) != 0);
}

static inline unsigned branch_kind(uint32_t op)
{
    return op & OP_FAR    ? T_FAR
           : op & OP_COND ? (op & OP_TAKEN ? T_COND_TAKEN : T_COND_NOT_TAKEN)
           : op & OP_CALL ? T_CALL
           : op & OP_RET  ? T_RET
                          : T_JUMP;
}

/* Indirect jumps and calls, near. */
static inline bool indirect(uint32_t op) { return (op & (OP_INDIRECT | OP_FAR)) == OP_INDIRECT; }

/* Aligned or at least within a line, which its set used last; then it is cached. A store, and the store of a
 * read-modify-write, find it modified. */
static inline bool data_hot(struct sim *s, struct arch_memory *m, const struct sim_access *a,
                            void add(struct sim_tally *y, unsigned t, uint64_t n))
{
    static const uint8_t found[] = {[SIM_READ] = ACCESS_LOAD | ACCESS_L1,
                                    [SIM_WRITE] = ACCESS_STORE,
                                    [SIM_RMW] = ACCESS_LOAD | ACCESS_STORE | ACCESS_L1};
    const unsigned kind = a->kind;
    if (a->lin % ARCH_LINE + a->bytes > ARCH_LINE || !a->bytes || m->locked ||
        !sim_cache_hot(m->l1d, a->phys, kind != SIM_READ))
        return false;
    m->accesses |= found[kind];
    const bool modified = kind != SIM_READ || sim_cache_hot(m->l1d, a->phys, true);
    enum sim_line_state state = LINE_E;
    if (!modified && s->bus) sim_cache_present(m->l1d, a->phys, &state);
    add(&s->tally,
        ARCH_L1D(REF_LOAD, modified          ? STATE_M
                           : state == LINE_S ? STATE_S
                                             : STATE_E),
        kind & SIM_READ);
    add(&s->tally, ARCH_L1D(REF_STORE, STATE_M), kind >> 1);
    return true;
}

static void accesses(struct sim *s, const struct sim_access *a, unsigned n)
{
    struct arch_memory *m = arch_memory_of(s);
    const unsigned before = m->accesses;
    unsigned all = before;
    if (!before) m->data.load.found = m->data.store.found = 0;
    for (; n--; a++) {
        m->accesses = 0;
        if (!data_hot(s, m, a, sim_add)) arch_data_access(s, a);
        arch_note_data(m, a, m->accesses);
        all |= m->accesses;
    }
    m->accesses = s->stray ? 0 : all; /* no instruction's */
}

/* Counts of n instructions besides their accesses and branches. */
static void operations(struct sim *s, uint32_t op, unsigned n)
{
    struct sim_tally *y = &s->tally;
    sim_add(y, T_SSE, op & OP_SSE ? n : 0);
    if (!(op & (OP_FLOP | OP_FCOM | OP_IMUL | OP_IDIV))) return;
    sim_add(y, T_FP_OPS, op & (OP_FLOP | OP_FCOM) ? n : 0);
    sim_add(y, T_INT_MUL_DIV, op & (OP_IMUL | OP_IDIV) ? n : 0);
    sim_add(y, T_MUL, op & (OP_FMUL | OP_IMUL) ? n : 0);
    sim_add(y, T_DIV, op & (OP_FDIV | OP_IDIV) ? n : 0);
}

/* Instructions that are never part of a batch. LGDT, LIDT, LLDT and LTR serialise; they load no segment
 * register. A transfer to another privilege level loads SS besides CS. */
static __attribute__((noinline)) void rare(struct sim *s, const struct sim_insn *i)
{
    struct sim_tally *y = &s->tally;
    const uint32_t op = i->op;
    if (!(op & OP_SERIALIZE) || op & OP_FAR) sim_add(y, T_SEGMENT, i->seg_loads);
    if (op & OP_FAR && i->cpl_after != i->cpl) sim_add(y, T_SEGMENT, 1);
    sim_add(y, T_MMX, (op & (OP_MMX | OP_EMMS)) != 0);
    sim_add(y, T_EMMS, (op & OP_EMMS) != 0);
    if (op & OP_IO) sim_add(y, T_IO, i->iterations_io);
}

static void instruction(struct sim *s, const struct sim_insn *i)
{
    struct arch_memory *m = arch_memory_of(s);
    const uint32_t op = i->op;
    sim_add(&s->tally, T_INSN, 1);
    if (i->lin / ARCH_LINE != m->fetch_line || (i->lin + i->len - 1) / ARCH_LINE != m->fetch_line)
        arch_fetch_lines(s, i->lin, i->phys, i->phys_high, i->len);
    m->locked = op & OP_LOCK;
    if (i->cache_op) {
        m->data.load.found = m->data.store.found = 0;
        arch_cache_op(s, i);
    } else {
        accesses(s, i->access, i->n_access);
    }
    sim_add(&s->tally, T_LOCK_LOADS, m->locked && m->accesses & ACCESS_LOAD);
    m->locked = false;
    sim_add(&s->tally, T_NO_ACCESS, !m->accesses);
    if (m->accesses) account_accesses(s, m, sim_add);
    if (op & OP_BRANCH) {
        sim_add(&s->tally, branch_kind(op), 1);
        sim_add(&s->tally, T_INDIRECT, indirect(op));
    }
    if (op & (OP_FAR | OP_SERIALIZE | OP_MMX | OP_EMMS | OP_IO) || i->seg_loads) rare(s, i);
    if (op) operations(s, op, 1);
}

/* ---- the same in bulk ---- */

static inline bool same_line(struct sim *s, uint64_t lin, uint64_t end)
{
    const uint64_t line = arch_memory_of(s)->fetch_line;
    return lin / ARCH_LINE == line && (end - 1) / ARCH_LINE == line;
}

/* Within a line that its set used last, nothing else changes. */
static inline void code(struct sim *s, uint64_t lin, uint64_t phys, unsigned bytes)
{
    struct arch_memory *m = arch_memory_of(s);
    const uint64_t line = lin / ARCH_LINE;
    if ((lin + bytes - 1) / ARCH_LINE == line && !s->sibling && sim_cache_hot(m->l1i, phys, false))
        m->fetch_line = line;
    else
        arch_fetch_lines(s, lin, phys, 0, bytes);
}

/* Accesses of one instruction are adjacent and share its end address; a branch precedes its next execution.
 */
static inline void instruction_ends(struct sim *s, struct arch_memory *m, uint64_t next)
{
    if (m->accesses) {
        account_accesses(s, m, sim_add_bulk);
        s->tally.count[T_NO_ACCESS]--;
    }
    m->end = next;
}

static inline void data(struct sim *s, const struct sim_batch *b, const struct sim_access *a)
{
    struct arch_memory *m = arch_memory_of(s);
    const uint64_t end = ((const struct sim_step *)a)->end; /* the access is the step's first member */
    if (end != m->end) instruction_ends(s, m, end);
    if (data_hot(s, m, a, sim_add_bulk)) return;
    const struct sim_access full = sim_batch_access(b, a);
    arch_data_access(s, &full);
}

static inline void branch(struct sim *s, const struct sim_step *step)
{
    instruction_ends(s, arch_memory_of(s),
                     ARCH_NOWHERE); /* this one, or the previous one if this has no accesses */
    sim_add_bulk(&s->tally, branch_kind(step->op), 1);
    sim_add_bulk(&s->tally, T_INDIRECT, indirect(step->op));
}

static void batch(struct sim *s, const struct sim_batch *b)
{
    struct arch_memory *m = arch_memory_of(s);
    for (unsigned k = 0; k < b->n_kinds; k++) {
        const struct sim_kind *kind = &b->kinds[k];
        sim_add_bulk(&s->tally, T_INSN, kind->n);
        sim_add_bulk(&s->tally, T_NO_ACCESS, kind->n); /* less those that have one */
        sim_add_bulk(&s->tally, T_SEGMENT, (uint64_t)kind->seg_loads * kind->n);
        if (kind->op) operations(s, kind->op, kind->n);
    }
    m->accesses = 0;
    m->end = ARCH_NOWHERE;
    sim_batch_walk(s, b, same_line, code, data, branch);
    instruction_ends(s, m, ARCH_NOWHERE);
}

/* The accesses so far of an interrupted REP belong neither to the handler nor to the delivery. */
static void exception(struct sim *s) { arch_memory_of(s)->accesses = 0; }

static void interrupt(struct sim *s)
{
    arch_memory_of(s)->accesses = 0;
    sim_add(&s->tally, T_INTERRUPT, 1);
}

/* No event depends on a TLB, but the same linear address may now map to another line. */
static void tlb_flush(struct sim *s) { arch_memory_of(s)->fetch_line = ARCH_NOWHERE; }

static void tlb_invalidate(struct sim *s, uint64_t lin)
{
    (void)lin;
    arch_memory_of(s)->fetch_line = ARCH_NOWHERE;
}

static void cache_flush(struct sim *s, bool write_back)
{
    (void)write_back; /* no event sees a line that goes to memory */
    arch_memory_empty(arch_memory_of(s));
    arch_forget_fetched(s);
}

/* ---- life ---- */

static void fini(struct sim *s) { arch_memory_fini(arch_memory_of(s)); }

/* Counters, and what they are programmed with, are each thread's own; caches are the core's. */
static bool pair(struct sim *s)
{
    struct arch *first = s->state, *p;
    if (!first->traits->threads || !(p = calloc(1, sizeof *p))) return false;
    arch_memory_share(&p->memory, &first->memory);
    first->traits = p->traits = first->traits->threads;
    s->state = p;
    return true;
}

static bool init(struct sim *s)
{
    struct arch *p = s->state;
    p->traits = s->model->traits;
    return arch_memory_init(&p->memory, p->traits);
}

static void reset(struct sim *s)
{
    struct arch *p = s->state;
    p->memory.accesses = 0;
    p->memory.data = (struct arch_data){.loads = 0};
    arch_memory_empty(&p->memory);
    arch_registers_reset(s);
}

static const char *const errata[] = {NULL};

static const uint8_t durations[] = {T_CYCLES_RING0, T_CYCLES_USER, 0};

const struct sim_family sim_arch_family = {
    .name = "arch",
    .errata = errata,
    .events = arch_events,
    .n_events = ARCH_EVENTS,
    .clocks = {.running = T_CYCLES, .wakes = T_WAKES, .durations = durations},
    .tallies = T_END,
    .state_size = sizeof(struct arch),
    .init = init,
    .pair = pair,
    .fini = fini,
    .reset = reset,
    .instruction = instruction,
    .accesses = accesses,
    .batch = batch,
    .exact = arch_exact,
    .exception = exception,
    .interrupt = interrupt,
    .debug_exception = arch_debug_exception,
    .tlb_flush = tlb_flush,
    .tlb_invalidate = tlb_invalidate,
    .cache_flush = cache_flush,
    .snoop = arch_snoop,
    .trace = arch_trace,
    .count = arch_count,
    .rdmsr = arch_rdmsr,
    .wrmsr = arch_wrmsr,
    .rdpmc = arch_rdpmc,
    .cpuid = arch_cpuid,
    .unmodelled = arch_unmodelled,
    .counts_clocks = arch_counts_clocks,
    .general = ARCH_GENERAL,
    .fixed = ARCH_FIXED,
};
