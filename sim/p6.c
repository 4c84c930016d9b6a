/* The P6 family: processors, registers, counters, and the counts that one instruction causes. */
#include "sim/p6.h"
#include "sim/batch.h"
#include <stdio.h>

enum {
    MSR_PERFCTR0 = 0xc1, /* and C2h */
    MSR_BBL_CR_CTL = 0x119,
    MSR_EVNTSEL0 = 0x186, /* and 187h */
};
#define COUNTER_MASK ((UINT64_C(1) << 40) - 1)
#define SERIAL_OFF   (UINT64_C(1) << 21) /* BBL_CR_CTL */
#define FP_MMX_FP    1
#define FP_MMX_MMX   2

/* ---- the processors ---- */

/* Tree pseudo-LRU over four ways, true LRU over two (SDM 11.1 documents "pseudo-LRU" for the later ones; no
 * manual says more). */
#define CACHE(kib, n)                                                                       \
    {                                                                                       \
        .bytes = (kib)*1024, .line = 32, .ways = n, .lru = (n) == 2, .write_allocate = true \
    }

/* Geometry by SDM table 11-1 and the descriptors of leaf 2, which agree. Clocks: Pentium Pro 200 (3 x 66
 * MHz), Pentium II 266 (4 x 66), Pentium III 500 (5 x 100). Features: those CPUs' own dumps (InstLatx64),
 * with the APIC enabled. */
const struct p6_traits sim_traits_ppro = {
    .max_leaf = 2,
    .bus_ratio = 3,
    .features = 0x0000fbff,
    .descriptors = 0x06040a42,
    .l1i = CACHE(8, 4),
    .l1d = CACHE(8, 2),
    .l2 = CACHE(256, 4),
};
const struct p6_traits sim_traits_p2 = {
    .max_leaf = 2,
    .bus_ratio = 4,
    .features = 0x0080fbff,
    .descriptors = 0x0c040843,
    .l1i = CACHE(16, 4),
    .l1d = CACHE(16, 4),
    .l2 = CACHE(512, 4),
};
const struct p6_traits sim_traits_p3 = {
    .max_leaf = 3,
    .bus_ratio = 5,
    .features = 0x0387fbff,
    .descriptors = 0x0c040843,
    .serial = {0x616e6563, 0x686f6963}, /* arbitrary: every processor has its own */
    .l1i = CACHE(16, 4),
    .l1d = CACHE(16, 4),
    .l2 = CACHE(512, 4),
};

/* ---- facts ---- */

/* Arithmetic of n instructions, simd: enum sim_simd. SDM 10h lists FADD, FSUB, FCOM, FMUL, MUL, IMUL, FDIV,
 * FPREM, FSQRT, DIV, IDIV; C1h has no integers. */
static void arithmetic(struct sim *s, uint32_t op, uint8_t simd, unsigned n)
{
    struct sim_tally *y = &s->tally;
    struct p6 *p = s->state;
    if (op & (OP_FLOP | OP_FCOM | OP_IMUL | OP_IDIV | OP_FMUL | OP_FDIV)) {
        sim_add(y, T_FP_EXE, n);
        sim_add(y, T_FLOPS, op & (OP_IMUL | OP_IDIV) ? 0 : n);
        sim_add(y, T_MUL, op & (OP_FMUL | OP_IMUL) ? n : 0);
        sim_add(y, T_DIV, op & (OP_FDIV | OP_IDIV) ? n : 0);
    }
    if (op & OP_SSE) {
        sim_add(y, T_SSE, n);
        sim_add(y, T_SSE_SCALAR, simd & SIMD_SCALAR ? n : 0);
        if (simd & SIMD_COMPUTES)
            sim_add(y, simd & SIMD_SCALAR ? T_SSE_COMPUTES_SCALAR : T_SSE_COMPUTES_PACKED, n);
    }
    if (op & OP_X87) {
        sim_add(y, T_FP_ASSIST, op & OP_ASSIST ? n : 0);
        sim_add(y, T_MMX_TO_FP, p->fp_mmx == FP_MMX_MMX);
        p->fp_mmx = FP_MMX_FP;
    }
}

static void mmx(struct sim *s, const struct sim_insn *i)
{
    static const struct {
        uint8_t simd, tally;
    } kinds[] = {{SIMD_SATURATES, T_MMX_SATURATES}, {SIMD_MULTIPLY, T_MMX_MULTIPLY},
                 {SIMD_SHIFT, T_MMX_SHIFT},         {SIMD_PACK, T_MMX_PACK},
                 {SIMD_UNPACK, T_MMX_UNPACK},       {SIMD_LOGIC, T_MMX_LOGIC}};
    struct sim_tally *y = &s->tally;
    struct p6 *p = s->state;
    sim_add(y, T_MMX, (i->op & OP_MMX) != 0);
    sim_add(y, T_EMMS, (i->op & OP_EMMS) != 0);
    sim_add(y, T_FP_TO_MMX, p->fp_mmx == FP_MMX_FP);
    p->fp_mmx = FP_MMX_MMX;
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        sim_add(y, kinds[k].tally, (i->simd & kinds[k].simd) != 0);
}

/* Counts of instructions other than moves and integer arithmetic; off the common path. */
static __attribute__((noinline)) void operation(struct sim *s, const struct sim_insn *i)
{
    struct sim_tally *y = &s->tally;
    struct p6 *p = s->state;
    const uint32_t op = i->op;
    /* LGDT, LIDT, LLDT and LTR serialise; they load no segment register. A transfer to another privilege
     * level loads SS besides CS. */
    if (!(op & OP_SERIALIZE) || op & OP_FAR) sim_add(y, T_SEGMENT, i->seg_loads);
    if (op & OP_FAR && i->cpl_after != i->cpl) sim_add(y, T_SEGMENT, 1);
    if (op & OP_BRANCH) {
        sim_add(y, T_BRANCH, 1);
        if (op & OP_TAKEN) {
            sim_add(y, T_TAKEN, 1);
            p6_redirect(&p->memory);
        }
    }
    arithmetic(s, op, i->simd, 1);
    if (op & OP_IO) p6_io(s, i);
    if (op & (OP_MMX | OP_EMMS)) mmx(s, i);
}

static void instruction(struct sim *s, const struct sim_insn *i)
{
    struct p6_memory *m = p6_memory_of(s);
    sim_add(&s->tally, T_INSN, 1);
    if (!p6_fetched(m, i->lin, i->lin + i->len)) p6_fetch(s, i->lin, i->phys, i->phys_high, i->len);
    if (i->cache_op)
        p6_cache_op(s, i);
    else
        for (unsigned k = 0; k < i->n_access; k++) p6_data(s, &i->access[k]);
    if (i->op | i->seg_loads) operation(s, i);
}

/* ---- the same in bulk ---- */

/* Line by line. */
static inline void code(struct sim *s, uint64_t lin, uint64_t phys, unsigned bytes)
{
    while (bytes) {
        const unsigned left = P6_LINE - lin % P6_LINE, n = bytes < left ? bytes : left;
        const int blocks = p6_fetch_hot(p6_memory_of(s), lin, phys, n);
        if (blocks >= 0)
            sim_add_bulk(&s->tally, T_IFETCH, (unsigned)blocks);
        else
            p6_fetch_blocks(s, lin, phys, 0, n);
        lin += n, phys += n, bytes -= n;
    }
}

static inline bool hot(const struct sim *s, const struct sim_access *a)
{
    return p6_data_hot(p6_memory_of(s), a);
}

static __attribute__((noinline)) void data(struct sim *s, const struct sim_batch *b,
                                           const struct sim_access *a)
{
    const struct sim_access full = sim_batch_access(b, a);
    p6_data_access(s, &full);
}

static inline bool branch(struct sim *s, const struct sim_step *step)
{
    if (!(step->op & OP_TAKEN)) return false;
    p6_redirect(p6_memory_of(s));
    return true;
}

static void batch(struct sim *s, const struct sim_batch *b)
{
    for (unsigned k = 0; k < b->n_kinds; k++) {
        const struct sim_kind *kind = &b->kinds[k];
        sim_add(&s->tally, T_INSN, kind->n);
        sim_add(&s->tally, T_SEGMENT, (uint64_t)kind->seg_loads * kind->n);
        if (kind->op & OP_BRANCH) sim_add(&s->tally, T_BRANCH, kind->n);
        if (kind->op) arithmetic(s, kind->op, kind->simd, kind->n);
    }
    /* Code that replaces a line of the L2 removes nothing from the data cache. */
    const struct sim_batch_usual usual = sim_batch_walk_apart(s, b, code, hot, data, branch);
    sim_add(&s->tally, T_TAKEN, usual.n[0]);
    sim_add(&s->tally, T_DATA_REF, usual.n[SIM_READ] + usual.n[SIM_WRITE] + 2 * usual.n[SIM_RMW]);
}

/* An interrupt or a pin shows the instruction at which it happened. */
static bool exact(const struct sim *s, uint64_t happenings)
{
    const struct p6 *p = s->state;
    for (unsigned n = 0; n < P6_COUNTERS; n++) {
        const struct sim_counter *c = &p->counter[n];
        if (s->host.pin && c->select & SEL_PC && c->cpls && c->n_terms) return true;
        if ((c->interrupt || s->host.pin) && sim_counter_near(c, happenings)) return true;
    }
    return false;
}

/* 11h is counted, or shown by an oracle. */
static bool wants_assists(const struct sim *s)
{
    const struct p6 *p = s->state;
    for (unsigned n = 0; n < P6_COUNTERS; n++)
        if (p->counter[n].cpls && p->counter[n].terms[0] == T_FP_ASSIST) return true;
    return s->oracle != NULL;
}

static void accesses(struct sim *s, const struct sim_access *a, unsigned n)
{
    while (n--) p6_data(s, a++);
}

/* Delivery is a far transfer through a gate: CS, and SS where it leaves CPL 3. */
static void delivery(struct sim *s)
{
    p6_redirect(p6_memory_of(s));
    sim_add(&s->tally, T_SEGMENT, 1 + (s->cpl != 0));
}

static void interrupt(struct sim *s)
{
    delivery(s);
    sim_add(&s->tally, T_INTERRUPT, 1);
}

static void tlb_flush(struct sim *s) { p6_tlb_flush(p6_memory_of(s)); }

static void tlb_invalidate(struct sim *s, uint64_t lin) { p6_tlb_drop(p6_memory_of(s), lin); }

/* ---- counters ---- */

/* PC: the pin shows every increment, or else every overflow (SDM 18.22.1). */
static __attribute__((noinline)) void pin(struct sim *s, unsigned n, bool overflow, uint64_t times)
{
    while (s->host.pin && times--) sim_pin(s, n, overflow);
}

/* A carry out of bit 39. */
static __attribute__((noinline)) void overflow(struct sim *s, unsigned n)
{
    const struct sim_counter *c = &((const struct p6 *)s->state)->counter[n];
    if (!(c->select & SEL_PC)) pin(s, n, true, 1);
    if (c->interrupt) sim_pmi(s);
}

static void count(struct sim *s)
{
    struct p6 *p = s->state;
    for (unsigned n = 0; n < P6_COUNTERS; n++) {
        struct sim_counter *c = &p->counter[n];
        const uint64_t events = sim_counter_events(s, c);
        if (c->select & SEL_PC) pin(s, n, false, events);
        if (sim_counter_add(c, events)) overflow(s, n);
    }
}

/* ---- registers ---- */

/* EN in PerfEvtSel0 enables both counters (SDM 18.22.1). */
static void program(struct sim *s)
{
    struct p6 *p = s->state;
    const bool enabled = p->counter[0].select & SEL_EN;
    for (unsigned n = 0; n < P6_COUNTERS; n++) {
        struct sim_counter *c = &p->counter[n];
        c->cpls = enabled ? sim_counter_levels(c->select & SEL_OS, c->select & SEL_USR) : 0;
        c->interrupt = c->select & SEL_INT;
    }
    if (enabled) sim_activate(s);
}

static int rdmsr(struct sim *s, uint32_t msr, uint64_t *value)
{
    const struct p6 *p = s->state;
    switch (msr) {
    case MSR_PERFCTR0:
    case MSR_PERFCTR0 + 1:
        *value = p->counter[msr - MSR_PERFCTR0].value;
        return 1;
    case MSR_EVNTSEL0:
    case MSR_EVNTSEL0 + 1:
        *value = p->counter[msr - MSR_EVNTSEL0].select;
        return 1;
    case MSR_BBL_CR_CTL:
        if (p->traits->max_leaf < 3) return -1;
        *value = p->serial_off ? SERIAL_OFF : 0;
        return 1;
    default:
        return -1;
    }
}

static int wrmsr(struct sim *s, uint32_t msr, uint64_t value)
{
    struct p6 *p = s->state;
    unsigned n;
    switch (msr) {
    case MSR_PERFCTR0:
    case MSR_PERFCTR0 + 1: /* the low 32 bits, and bit 31 into the upper eight (SDM 18.22.2) */
        p->counter[msr - MSR_PERFCTR0].value = (uint64_t)(int64_t)(int32_t)(uint32_t)value & COUNTER_MASK;
        return 1;
    case MSR_EVNTSEL0:
    case MSR_EVNTSEL0 + 1:
        n = msr - MSR_EVNTSEL0;
        if (value >> 32 || value & P6_RESERVED || (n == 1 && value & SEL_EN)) return 0;
        p->counter[n].select = value;
        p6_resolve(s, n);
        program(s);
        return 1;
    case MSR_BBL_CR_CTL: /* bit 21: no serial number until the next reset (SDM table 35-46) */
        if (p->traits->max_leaf < 3) return -1;
        p->serial_off |= (value & SERIAL_OFF) != 0;
        return 1;
    default:
        return -1;
    }
}

static enum sim_rdpmc rdpmc(struct sim *s, uint32_t ecx, uint64_t *value)
{
    const struct p6 *p = s->state;
    if (ecx >= P6_COUNTERS) return SIM_RDPMC_GP;
    *value = p->counter[ecx].value;
    return SIM_RDPMC_OK;
}

static unsigned unmodelled(const struct sim *s, unsigned n, const char **names, unsigned max)
{
    const struct p6 *p = s->state;
    return sim_counter_unmodelled(&p->counter[n], names, max);
}

static bool counts_clocks(const struct sim *s, unsigned n)
{
    return sim_counter_counts_clocks(s, &((const struct p6 *)s->state)->counter[n]);
}

/* In processor or bus clocks, by the transfer timings that Heller gives. HIT and HITM are driven once for
 * each answer, so those count answers. */
static const uint8_t durations[] = {T_DCU_OUTSTANDING, T_L2_DBUS,   T_L2_DBUS_READ, T_BUS_OUTSTANDING,
                                    T_DRDY_ANY,        T_DRDY_SELF, T_DATA_RCV,     0};

/* ---- life ---- */

static void fini(struct sim *s) { p6_memory_fini(p6_memory_of(s)); }

static bool init(struct sim *s)
{
    struct p6 *p = s->state;
    p->traits = s->model->traits;
    for (unsigned i = 0; i < 256; i++) snprintf(p->raw[i], sizeof p->raw[i], "r%02x", i);
    return p6_memory_init(&p->memory, p->traits);
}

static void reset(struct sim *s)
{
    struct p6 *p = s->state;
    for (unsigned n = 0; n < P6_COUNTERS; n++) {
        p->counter[n] = (struct sim_counter){.mask = COUNTER_MASK};
        p6_resolve(s, n);
    }
    p->serial_off = false;
    p->fp_mmx = 0;
    p6_memory_reset(&p->memory);
}

static const char *const errata[] = {NULL};

const struct sim_family sim_p6_family = {
    .name = "p6",
    .errata = errata,
    .events = p6_events,
    .n_events = P6_EVENTS,
    .clocks = {.running = T_CYCLES, .wakes = T_WAKES, .durations = durations},
    .tallies = T_END,
    .state_size = sizeof(struct p6),
    .init = init,
    .fini = fini,
    .reset = reset,
    .instruction = instruction,
    .accesses = accesses,
    .batch = batch,
    .exact = exact,
    .wants_assists = wants_assists,
    .exception = delivery,
    .interrupt = interrupt,
    .tlb_flush = tlb_flush,
    .tlb_invalidate = tlb_invalidate,
    .cache_flush = p6_cache_flush,
    .snoop = p6_snoop,
    .count = count,
    .rdmsr = rdmsr,
    .wrmsr = wrmsr,
    .rdpmc = rdpmc,
    .cpuid = p6_cpuid,
    .unmodelled = unmodelled,
    .counts_clocks = counts_clocks,
    .general = P6_COUNTERS,
};
