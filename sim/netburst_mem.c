/* NetBurst's data side: DTLB, L1D and L2, and the load and store μops that use them.
 *
 * The L1D writes through and a store that misses it does not fill it (Pentium 4 Optimization Reference
 * Manual, table 1-1, has the first; the second is a rule of the model); the L2 writes back and allocates.
 * Code fetches are not modelled, since the contents of the trace cache are unknown.
 */
#include "sim/netburst.h"

/* ---- the arrays ---- */

bool nb_memory_init(struct nb_memory *m, const struct netburst_traits *t)
{
    m->l1d = sim_cache_new(&t->l1d);
    m->l2 = sim_cache_new(&t->l2);
    m->dtlb = sim_tlb_new(64, 64); /* descriptor 5Bh */
    m->prefetch_walks = t->prefetch_walks;
    return m->l1d && m->l2 && m->dtlb;
}

void nb_memory_fini(struct nb_memory *m)
{
    sim_cache_free(m->l1d);
    sim_cache_free(m->l2);
    sim_tlb_free(m->dtlb);
}

void nb_memory_empty(struct nb_memory *m)
{
    sim_cache_invalidate_all(m->l1d);
    sim_cache_invalidate_all(m->l2);
    m->load_line = m->store_line = NB_NOWHERE;
}

/* The threads share the DTLB, whose entries "are tagged with an ID that indicates the logical processor that
 * initiated the translation" (SDM vol. 3, 8.7.13.2): here in place of the bits that only repeat bit 47 of the
 * linear address. */
#define LINEAR_BITS 48
#define LINEAR      ((UINT64_C(1) << LINEAR_BITS) - 1)
static inline uint64_t tagged(const struct sim *s, uint64_t lin)
{
    return (lin & LINEAR) | (uint64_t)s->thread << LINEAR_BITS;
}

void nb_tlb_flush(struct sim *s)
{
    struct nb_memory *m = &nb_of(s)->memory;
    if (s->sibling)
        sim_tlb_flush_some(m->dtlb, tagged(s, 0), ~LINEAR);
    else
        sim_tlb_flush_all(m->dtlb);
    m->page = NB_NOWHERE;
}

void nb_tlb_drop(struct sim *s, uint64_t lin)
{
    struct nb_memory *m = &nb_of(s)->memory;
    sim_tlb_drop(m->dtlb, tagged(s, lin));
    if (m->page == tagged(s, lin) >> 12) m->page = NB_NOWHERE;
}

/* ---- one line ---- */

/* A read that the L1D could not answer, or a store's for ownership ("includes load and RFO", SDM 0Ch).
 * Returns whether it missed. */
static bool read_l2(struct sim *s, struct nb_memory *m, uint64_t phys, bool own)
{
    static const uint8_t hits[] = {[LINE_S] = T_BSQ_HITS, [LINE_E] = T_BSQ_HITE, [LINE_M] = T_BSQ_HITM};
    const struct sim_cache_result r = sim_cache_access(m->l2, phys, own);
    m->store_line = own ? phys / NB_LINE : NB_NOWHERE;
    if (!r.hit)
        sim_add(&s->tally, T_BSQ_MISS, 1);
    else if (!own || r.before == LINE_S)
        sim_add(&s->tally, hits[r.before], 1);
    /* Others are asked for the line, or to give up their copies of one that is shared. */
    if (r.hit && own && r.before == LINE_S)
        sim_bus_ask(s, phys, ASK_UPGRADE);
    else if (!r.hit && sim_bus_ask(s, phys, own ? ASK_OWN : ASK_READ) != LINE_I && !own)
        sim_cache_change(m->l2, phys, LINE_S);
    return !r.hit;
}

/* The L1D has written through: only the L2's line can be modified. */
enum sim_line_state nb_snoop(struct sim *s, uint64_t phys, enum sim_snoop how)
{
    struct nb_memory *m = &nb_of(s)->memory;
    const enum sim_line_state becomes = how == SNOOP_READ ? LINE_S : LINE_I;
    const enum sim_line_state l1 = sim_cache_change(m->l1d, phys, becomes);
    const enum sim_line_state l2 = sim_cache_change(m->l2, phys, becomes);
    if (m->store_line == phys / NB_LINE) m->store_line = NB_NOWHERE;
    if (m->load_line == phys / NB_LINE && how != SNOOP_READ) m->load_line = NB_NOWHERE;
    return l2 == LINE_I && l1 != LINE_I ? LINE_S : l2;
}

/* Which of REPLAY_L1 and REPLAY_L2. */
static unsigned load_line(struct sim *s, struct nb_memory *m, uint64_t phys)
{
    if (phys / NB_LINE == m->load_line) return 0;
    m->load_line = phys / NB_LINE;
    if (sim_cache_hot(m->l1d, phys, false) || sim_cache_access(m->l1d, phys, false).hit) return 0;
    return REPLAY_L1 | (read_l2(s, m, phys, false) ? REPLAY_L2 : 0);
}

static void store_line(struct sim *s, struct nb_memory *m, uint64_t phys)
{
    const uint64_t line = phys / NB_LINE;
    if (line != m->load_line &&
        (sim_cache_hot(m->l1d, phys, true) || sim_cache_access(m->l1d, phys, true).hit))
        m->load_line = line;
    if (line == m->store_line) return;
    if (sim_cache_hot(m->l2, phys, true))
        m->store_line = line;
    else
        read_l2(s, m, phys, true);
}

/* ---- cache control (docs/pmu-model.md, "Cache control") ---- */

static void line_out(struct nb_memory *m, uint64_t phys)
{
    sim_cache_drop(m->l1d, phys);
    sim_cache_drop(m->l2, phys);
    if (m->load_line == phys / NB_LINE) m->load_line = NB_NOWHERE;
    if (m->store_line == phys / NB_LINE) m->store_line = NB_NOWHERE;
}

static bool dtlb_miss(const struct sim *s, struct nb_memory *m, uint64_t lin);

/* Into the L2, for every hint (SDM vol. 2, PREFETCHh). Without an entry in the DTLB models 0 to 2 do nothing,
 * later ones walk (IA-32 Optimization Reference Manual 2006, 6.3.2). */
static void prefetch(struct sim *s, struct nb_memory *m, const struct sim_named_line *l)
{
    if (l->uncached) return;
    if (!sim_tlb_present(m->dtlb, tagged(s, l->lin))) {
        if (!m->prefetch_walks) return;
        sim_add(&s->tally, T_WALK, dtlb_miss(s, m, l->lin));
    }
    if (!sim_cache_present(m->l1d, l->phys, NULL)) read_l2(s, m, l->phys, false);
}

void nb_cache_op(struct sim *s, const struct sim_insn *i)
{
    struct nb_memory *m = &nb_of(s)->memory;
    switch (i->cache_op) {
    case CACHE_FLUSH:
        line_out(m, i->line.phys);
        sim_bus_flush(s, i->line.phys);
        break;
    case CACHE_PREFETCH_T0:
    case CACHE_PREFETCH_T1:
    case CACHE_PREFETCH_T2:
    case CACHE_PREFETCH_NTA:
        prefetch(s, m, &i->line);
        break;
    default: /* CLWB does not exist, PREFETCHW is a NOP; nb_access() handles stores */
        break;
    }
}

/* ---- one access ---- */

static bool dtlb_miss(const struct sim *s, struct nb_memory *m, uint64_t lin)
{
    const uint64_t at = tagged(s, lin);
    if (at >> 12 == m->page) return false;
    m->page = at >> 12;
    return !sim_tlb_access(m->dtlb, at);
}

static void load(struct sim *s, unsigned met, bool taggable)
{
    struct sim_tally *y = &s->tally;
    const struct nb_tags *t = &nb_of(s)->tags;
    const unsigned level = nb_level(s);
    if (!taggable) return;
    sim_add(y, T_LOADS, 1);
    if (t->loads[level]) sim_add(y, T_FRONT_END, 1);
    if (!met) return;
    if (met & REPLAY_L1) sim_add(y, T_LD_L1_MISS, 1);
    if (met & REPLAY_L2) sim_add(y, T_LD_L2_MISS, 1);
    if (met & REPLAY_DTLB) sim_add(y, T_LD_DTLB_MISS, 1);
    if (met & REPLAY_SPLIT) sim_add(y, T_LD_SPLIT, 1);
    if (met & t->replay_loads[level]) sim_add(y, T_REPLAY, 1); /* once, for any number of reasons */
}

static void store(struct sim *s, unsigned met, bool taggable)
{
    struct sim_tally *y = &s->tally;
    const struct nb_tags *t = &nb_of(s)->tags;
    const unsigned level = nb_level(s);
    if (!taggable) return;
    sim_add(y, T_STORES, 1);
    if (t->stores[level]) sim_add(y, T_FRONT_END, 1);
    if (!met) return;
    if (met & REPLAY_DTLB) sim_add(y, T_ST_DTLB_MISS, 1);
    if (met & REPLAY_SPLIT) sim_add(y, T_ST_SPLIT, 1);
    if (met & t->replay_stores[level]) sim_add(y, T_REPLAY, 1);
}

bool nb_usual_access(struct sim *s, const struct sim_access *a)
{
    struct nb_memory *m = &nb_of(s)->memory;
    const uint64_t at = tagged(s, a->lin), line = a->phys / NB_LINE;
    const bool writes = a->kind & SIM_WRITE;
    if (!a->bytes || a->lin % NB_LINE + a->bytes > NB_LINE) return false;
    if (at >> 12 != m->page) {
        if (!sim_tlb_again(m->dtlb, at)) return false;
        m->page = at >> 12;
    }
    if (line != m->load_line && !sim_cache_hot(m->l1d, a->phys, a->kind == SIM_WRITE)) return false;
    if (writes && line != m->store_line && !sim_cache_hot(m->l2, a->phys, true)) return false;
    m->load_line = line;
    if (writes) m->store_line = line;
    return true;
}

bool nb_access(struct sim *s, const struct sim_access *a, bool taggable)
{
    struct nb_memory *m = &nb_of(s)->memory;
    struct sim_tally *y = &s->tally;
    const struct nb_tags *t = &nb_of(s)->tags;
    const bool reads = a->kind & SIM_READ, writes = a->kind & SIM_WRITE;
    const unsigned in_line = (a->lin & (NB_LINE - 1)) + a->bytes;
    const bool split = in_line > NB_LINE;
    unsigned met = 0, missed = 0, walks;

    if (!a->bytes) return false;
    const uint64_t last = split ? sim_phys_at(a, a->bytes - 1u) : a->phys;
    taggable = taggable && !a->uncached;
    walks = dtlb_miss(s, m, a->lin);
    if ((a->lin & 0xfff) + a->bytes > 0x1000) walks += dtlb_miss(s, m, a->lin + a->bytes - 1);
    if (walks) {
        met |= REPLAY_DTLB;
        sim_add(y, T_WALK, walks);
    }
    if (split) {
        met |= REPLAY_SPLIT;
        sim_add(y, T_PORT_SPLIT_LD, reads);
        sim_add(y, T_PORT_SPLIT_ST, writes);
        sim_add(y, T_LSC, reads && !a->uncached);
        sim_add(y, T_SSC, writes);
    }
    if (!s->stray) sim_add(y, T_UOPS, reads + writes);
    if (reads) {
        if (!a->uncached) {
            missed = load_line(s, m, a->phys);
            if (split) missed |= load_line(s, m, last);
        }
        load(s, met | missed, taggable);
    }
    if (writes) {
        if (!a->uncached && m->streaming) {
            /* past the caches, which lose its line (the same manual, 6.4.1.3) */
            line_out(m, a->phys);
            sim_bus_flush(s, a->phys);
            if (split) {
                line_out(m, last);
                sim_bus_flush(s, last);
            }
        } else if (!a->uncached) {
            store_line(s, m, a->phys);
            if (split) store_line(s, m, last);
        }
        /* The preceding load has filled the TLB. */
        store(s, reads ? met & ~(unsigned)REPLAY_DTLB : met, taggable);
    }
    const unsigned level = nb_level(s);
    return taggable && ((reads && t->loads[level]) || (writes && t->stores[level]));
}
