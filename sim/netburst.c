/* The NetBurst family: its processors, and the counts that one instruction causes. */
#include "sim/netburst.h"
#include "sim/batch.h"
#include <string.h>

/* ---- the processors ---- */

#define L1D(kib, n)                                     \
    {                                                   \
        .bytes = (kib)*1024, .line = NB_LINE, .ways = n \
    }
#define L2(kib)                                                                 \
    {                                                                           \
        .bytes = (kib)*1024, .line = NB_LINE, .ways = 8, .write_allocate = true \
    }

/* Geometry by the descriptors of leaf 2: 66h, 60h L1D; 7Ah, 7Bh, 7Ch L2. Its sectors of two lines are not
 * modelled. BTS is not, either: 1A0h says so. */
#define NAME(ghz) "              Intel(R) Pentium(R) 4 CPU " ghz "GHz"
#define NO_BTS    (1u << 11)
const struct netburst_traits sim_traits_willamette = {
    .iq_escrs = true,
    .max_leaf = 2,
    .brand = 8,
    .name = NAME("1.80"),
    .features = 0x3febfbff,
    .descriptors = {0x665b5001, 0x007a7040},
    .misc_enable = 0x89 | NO_BTS,
    .l1d = L1D(8, 4),
    .l2 = L2(256),
};
const struct netburst_traits sim_traits_northwood = {
    .extended_cascade = true,
    .iq_escrs = true,
    .max_leaf = 2,
    .brand = 9,
    .name = NAME("2.00"),
    .features = 0xbfebfbff,
    .features_ecx = 0x400,
    .descriptors = {0x665b5101, 0x007b7040},
    .misc_enable = 0x89 | NO_BTS,
    .l1d = L1D(8, 4),
    .l2 = L2(512),
};
const struct netburst_traits sim_traits_prescott = {
    .dtes64 = true,
    .extended_cascade = true,
    .threads = true,
    .prefetch_walks = true,
    .ds_64bit = true,
    .max_leaf = 3,
    .name = NAME("2.80"),
    .features = 0xbfebfbff,
    .features_ecx = 0x651d & ~(1u << 3), /* without MONITOR, which the emulator's processor lacks */
    .descriptors = {0x605b5101, 0x007c7040},
    .l2_leaf = 0x04006040, /* 1 MiB, 8 ways, 64 bytes */
    .misc_enable = 0x20c62089 | NO_BTS,
    .l1d = L1D(16, 8),
    .l2 = L2(1024),
};

/* ---- facts ---- */

/* Near transfers by type; far ones, which are microcode, are in no type. "Indirect: returns, indirect calls,
 * or indirect jumps" (libpfm4, perfctr). */
static inline void branch(struct sim *s, uint32_t op, void add(struct sim_tally *y, unsigned t, uint64_t n))
{
    struct sim_tally *y = &s->tally;
    unsigned type = T_JMP;
    if (op & OP_FAR) return;
    if (op & OP_COND)
        type = T_COND;
    else if (op & OP_RET)
        type = T_RETURN;
    else if (op & OP_CALL)
        type = op & OP_INDIRECT ? T_CALL_INDIRECT : T_CALL;
    else if (op & OP_INDIRECT)
        type = T_JMP_INDIRECT;
    add(y, type, 1);
    add(y, op & OP_TAKEN ? T_TAKEN : T_NOT_TAKEN, 1);
}

#define OP_X87_CALCULATES (OP_FLOP | OP_FCOM | OP_TRANSCENDENTAL)

/* n calculating μops, by their operands: counted at execution, and tagged. */
static void execution(struct sim *s, uint32_t op, unsigned n)
{
    static const struct {
        uint32_t bits, value; /* value 0: any of the bits */
    } classes[NB_CLASSES] = {
        [CLASS_PACKED_SP] = {OP_SIMD, OP_PACKED_SP},
        [CLASS_PACKED_DP] = {OP_SIMD, OP_PACKED_DP},
        [CLASS_SCALAR_SP] = {OP_SIMD, OP_SCALAR_SP},
        [CLASS_SCALAR_DP] = {OP_SIMD, OP_SCALAR_DP},
        [CLASS_MMX64] = {OP_MMX, 0},
        [CLASS_MMX128] = {OP_SIMD, OP_MMX128},
        [CLASS_X87] = {OP_X87_CALCULATES, 0},
    };
    const uint8_t *tag = nb_of(s)->tags.execution[nb_level(s)];
    unsigned tags = 0;
    for (unsigned k = 0; k < NB_CLASSES; k++) {
        const uint32_t found = op & classes[k].bits;
        if (!found || (classes[k].value && found != classes[k].value)) continue;
        sim_add(&s->tally, T_CLASS + k, n);
        tags |= tag[k];
    }
    if (tags) sim_add(&s->tally, T_EXECUTION + tags, n);
}

#define OP_EXECUTION (OP_X87_CALCULATES | OP_MMX | OP_SIMD)

static void instruction(struct sim *s, const struct sim_insn *i)
{
    struct netburst *nb = nb_of(s);
    /* "I/O, uncacheable and locked accesses, returns, and far transfers" (SDM 18.15.6.1). The memory side of
     * OUTS and INS is none of them. */
    const bool taggable = !(i->op & (OP_LOCK | OP_RET | OP_FAR));
    bool tagged = false;

    nb->current = i;
    nb->registers = s->wants_registers;
    sim_add(&s->tally, T_UOPS, 1);
    nb->memory.streaming = i->cache_op == CACHE_NON_TEMPORAL;
    for (unsigned k = 0; k < i->n_access; k++) tagged |= nb_access(s, &i->access[k], taggable);
    nb->memory.streaming = false;
    if (i->cache_op) nb_cache_op(s, i);
    sim_add(&s->tally, tagged ? T_INSN_TAGGED : T_INSN, 1);
    if (i->op & OP_BRANCH) branch(s, i->op, sim_add);
    if (i->op & OP_EXECUTION) execution(s, i->op, 1);
    for (unsigned bit = 0; i->assist >> bit; bit++) sim_add(&s->tally, T_ASSIST + bit, i->assist >> bit & 1);
}

/* The access of a near return comes right before its branch. */
static bool of_return(const struct sim_step *t, const struct sim_step *last)
{
    return t + 1 < last && !t[1].access.kind && t[1].op & OP_RET && t[1].end == t->end;
}

/* The usual accesses of a batch, by their kind: all, and those that cannot be tagged. */
struct usual {
    uint64_t n[SIM_RMW + 1], untaggable[SIM_RMW + 1];
};

static void count_usual(struct sim *s, const struct usual *u)
{
    const struct nb_tags *t = &nb_of(s)->tags;
    const unsigned level = nb_level(s);
    const uint64_t loads = u->n[SIM_READ] + u->n[SIM_RMW], stores = u->n[SIM_WRITE] + u->n[SIM_RMW];
    const uint64_t taggable_loads = loads - u->untaggable[SIM_READ] - u->untaggable[SIM_RMW];
    const uint64_t taggable_stores = stores - u->untaggable[SIM_WRITE] - u->untaggable[SIM_RMW];
    sim_add_bulk(&s->tally, T_UOPS, loads + stores);
    sim_add_bulk(&s->tally, T_LOADS, taggable_loads);
    sim_add_bulk(&s->tally, T_STORES, taggable_stores);
    if (t->loads[level]) sim_add_bulk(&s->tally, T_FRONT_END, taggable_loads);
    if (t->stores[level]) sim_add_bulk(&s->tally, T_FRONT_END, taggable_stores);
}

/* Returns whether one of its μops has a front-end tag. */
static inline bool batch_access(struct sim *s, const struct sim_batch *b, const struct sim_access *a,
                                bool taggable, struct usual *u)
{
    const struct nb_tags *t = &nb_of(s)->tags;
    const unsigned level = nb_level(s);
    if (!nb_usual_access(s, a)) {
        const struct sim_access full = sim_batch_access(b, a);
        return nb_access(s, &full, taggable);
    }
    u->n[a->kind]++;
    u->untaggable[a->kind] += !taggable;
    return taggable && ((a->kind & SIM_READ && t->loads[level]) || (a->kind & SIM_WRITE && t->stores[level]));
}

static void batch(struct sim *s, const struct sim_batch *b)
{
    const struct sim_step *const last = b->steps + b->n_steps;
    struct usual usual = {.n = {0}};
    uint64_t n = 0, tagged = 0, counted = NB_NOWHERE;
    for (unsigned k = 0; k < b->n_kinds; k++) {
        n += b->kinds[k].n;
        if (b->kinds[k].op & OP_EXECUTION) execution(s, b->kinds[k].op, b->kinds[k].n);
    }
    for (const struct sim_step *t = b->steps; t < last; t++) {
        if (!t->access.kind) {
            branch(s, t->op, sim_add_bulk);
            counted = NB_NOWHERE;
        } else if (batch_access(s, b, &t->access, !of_return(t, last), &usual) && t->end != counted) {
            counted = t->end; /* further accesses of the same instruction follow at once */
            tagged++;
        }
    }
    count_usual(s, &usual);
    sim_add_bulk(&s->tally, T_UOPS, n);
    sim_add_bulk(&s->tally, T_INSN, n - tagged);
    sim_add_bulk(&s->tally, T_INSN_TAGGED, tagged);
}

/* Accesses of a long REP, or of no instruction: these have no μops that retire. */
static void accesses(struct sim *s, const struct sim_access *a, unsigned n)
{
    while (n--) nb_access(s, a++, !s->stray);
}

static void tlb_flush(struct sim *s) { nb_tlb_flush(s); }

static void tlb_invalidate(struct sim *s, uint64_t lin) { nb_tlb_drop(s, lin); }

/* No event counts what is written back. */
static void cache_flush(struct sim *s, bool write_back)
{
    (void)write_back;
    nb_memory_empty(&nb_of(s)->memory);
}

/* Also for a counter that waits for another to start it. */
static unsigned unmodelled(const struct sim *s, unsigned n, const char **names, unsigned max)
{
    const struct netburst *nb = nb_of(s);
    const bool waits = nb->counter[n].cccr & (CCCR_CASCADE | CCCR_CASCNT);
    return nb->running >> n & 1 || waits ? nb_unmodelled(s, n, names, max) : 0;
}

/* A threshold's output is counted in clocks; its edges are not. Also for a counter that waits for another to
 * start it. */
static bool counts_clocks(const struct sim *s, unsigned n)
{
    const struct nb_counter *c = &nb_of(s)->counter[n];
    const bool waits = c->cccr & (CCCR_CASCADE | CCCR_CASCNT);
    if (!(nb_of(s)->running >> n & 1) && !waits) return false;
    if (c->compares) return c->n_terms && !(c->cccr & CCCR_EDGE);
    return sim_has_clocks(s, c->terms, c->n_terms);
}

/* x87_assist is counted, or shown by an oracle. */
static bool wants_assists(const struct sim *s) { return s->oracle || nb_of(s)->assists; }

/* ---- life ---- */

static bool init(struct sim *s)
{
    struct netburst *nb = nb_of(s);
    nb->traits = s->model->traits;
    return nb_memory_init(&nb->memory, nb->traits);
}

static bool pair(struct sim *s)
{
    struct netburst *nb = nb_of(s);
    nb->two = nb->traits->threads;
    return nb->two;
}

static void fini(struct sim *s) { nb_memory_fini(&nb_of(s)->memory); }

static void reset(struct sim *s)
{
    struct netburst *nb = nb_of(s);
    memset(nb->counter, 0, sizeof nb->counter);
    memset(nb->escr, 0, sizeof nb->escr);
    nb->pebs_tags = nb->pebs_matrix = 0;
    nb->ds_area[s->thread] = 0;
    nb->tc_precise = 0xfc00; /* as perfctr found it (facts 3.5) */
    nb->misc_enable = nb->traits->misc_enable;
    for (unsigned t = 0; t < NB_THREADS; t++) nb->pebs_on[t] = nb->pebs_armed[t] = false;
    nb->registers = false;
    nb->current = NULL;
    nb_memory_empty(&nb->memory);
    nb_tlb_flush(s);
    nb_resolve_tags(s);
    for (unsigned n = 0; n < NB_COUNTERS; n++) nb_resolve(s, n);
    nb_update_running(s);
}

static const char *const errata[] = {"unflagged-overflow", "n15",         "n17", "counter1",
                                     "bsq-double",         "cascade-pmi", NULL};

const struct sim_family sim_netburst_family = {
    .name = "netburst",
    .errata = errata,
    .events = nb_events,
    .n_events = NB_EVENTS,
    .clocks = {.all = T_CLOCKS, .running = T_RUNNING},
    .tallies = T_END,
    .state_size = sizeof(struct netburst),
    .init = init,
    .pair = pair,
    .fini = fini,
    .reset = reset,
    .instruction = instruction,
    .accesses = accesses,
    .batch = batch,
    /* Deliveries are microcode between instructions; what they access comes by itself. */
    .exception = NULL,
    .interrupt = NULL,
    .tlb_flush = tlb_flush,
    .tlb_invalidate = tlb_invalidate,
    .cache_flush = cache_flush,
    .snoop = nb_snoop,
    .count = nb_count,
    .rdmsr = nb_rdmsr,
    .wrmsr = nb_wrmsr,
    .rdpmc = nb_rdpmc,
    .cpuid = nb_cpuid,
    .unmodelled = unmodelled,
    .counts_clocks = counts_clocks,
    .general = NB_COUNTERS,
    .exact = nb_exact,
    .wants_assists = wants_assists,
    .translates = true,
};
