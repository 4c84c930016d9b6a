/* The memory hierarchy of the processors with architectural performance monitoring: L1I, L1D, L2, and the L3
 * if there is one, with the geometry of the named CPU (its CPUID leaf 4).
 *
 * All are write-back and write-allocate with lines of 64 bytes. Neither L1 need be in the L2. Lines come in
 * as E, or as S where another processor has them (sim/arch_snoop.c); nothing is prefetched. The last level is
 * referenced by each request that misses the levels before it: of code, a load or a store. A modified line
 * that a level evicts is not a request.
 */
#include "sim/arch.h"

/* ---- L3, in slices ---- */

/* A line leaves an inclusive L3, and so also the inner levels. */
static void l3_evicted(struct arch_memory *m, uint64_t requested, uint64_t phys)
{
    if (m->slices > 1) phys = (phys / ARCH_LINE * m->slices + requested / ARCH_LINE % m->slices) * ARCH_LINE;
    sim_cache_drop(m->l2, phys);
    sim_cache_drop(m->l1d, phys);
    sim_cache_drop(m->l1i, phys);
}

/* state: the state in which it had the line. */
static unsigned l3_request(struct sim *s, struct arch_memory *m, uint64_t phys, enum sim_line_state *state)
{
    uint64_t in_slice = phys;
    struct sim_cache *c = arch_slice(m, &in_slice);
    sim_add(&s->tally, T_LLC_REFERENCE, 1);
    if (m->l3_kind == L3_VICTIM) {
        /* A line is in the L2 or in the L3, not in both. No event shows whether it is modified. */
        *state = sim_cache_drop(c, in_slice);
        if (*state != LINE_I) return ACCESS_L3;
    } else {
        const struct sim_cache_result r = sim_cache_access(c, in_slice, false);
        *state = r.before;
        if (r.hit) return ACCESS_L3;
        if (r.evicted) l3_evicted(m, phys, r.evicted_phys);
    }
    sim_add(&s->tally, T_LLC_MISS, 1);
    return ACCESS_MEMORY;
}

/* ---- L2 ---- */

static void l2_evicted(struct sim *s, struct arch_memory *m, const struct sim_cache_result *r)
{
    uint64_t phys = r->evicted_phys;
    const bool modified = r->evicted_modified;
    struct sim_cache *c;
    sim_add(&s->tally, modified ? T_L2_M_OUT : T_L2_OUT, 1);
    if (m->l3_kind == L3_NONE) return;
    c = arch_slice(m, &phys);
    if (m->l3_kind == L3_VICTIM)
        sim_cache_fill(c, phys, r->evicted_state == LINE_S ? LINE_S : LINE_E);
    else if (modified && sim_cache_present(c, phys, NULL))
        sim_cache_access(c, phys, true);
}

/* Its former state, in the events' terms. */
static unsigned state_of(enum sim_line_state state)
{
    static const uint8_t states[] = {
        [LINE_I] = STATE_I, [LINE_S] = STATE_S, [LINE_E] = STATE_E, [LINE_M] = STATE_M};
    return states[state];
}

/* The state of a line here, in the L2 and the L3: all levels agree on what is shared. */
static void beyond_l1(struct arch_memory *m, uint64_t phys, enum sim_line_state state)
{
    sim_cache_change(m->l2, phys, state);
    if (m->l3_kind != L3_INCLUSIVE) return;
    struct sim_cache *c = arch_slice(m, &phys);
    sim_cache_change(c, phys, state);
}

/* A line that no level here had, or had as shared only: had. Others are asked where they have a say. Returns
 * whether it is shared now, and *from is ACCESS_REMOTE where another one had it modified. */
static bool ask_others(struct sim *s, struct arch_memory *m, uint64_t phys, enum sim_line_state had, bool own,
                       unsigned *from)
{
    if (!s->bus || (had != LINE_I && had != LINE_S)) return false;
    if (had == LINE_S && !own) {
        sim_cache_change(m->l2, phys, LINE_S); /* which a level before has filled as exclusive */
        return true;
    }
    sim_add(&s->tally, T_INVALIDATE, had == LINE_S);
    const enum sim_line_state found = sim_bus_ask(s, phys,
                                                  !own            ? ASK_READ
                                                  : had == LINE_S ? ASK_UPGRADE
                                                                  : ASK_OWN);
    if (sim_line_dirty(found)) *from = ACCESS_REMOTE;
    if (own && had == LINE_S) beyond_l1(m, phys, LINE_E);
    if (own || found == LINE_I) return false;
    beyond_l1(m, phys, LINE_S);
    return true;
}

/* What became of a request: the line's former place (enum arch_access); others have it as well. */
struct arch_found {
    unsigned from;
    bool shared;
};

/* An L1 asks for a line, which also fills the L2, except for PREFETCHNTA. */
static struct arch_found l2_request(struct sim *s, struct arch_memory *m, uint64_t phys,
                                    enum arch_request who, bool fill)
{
    struct sim_tally *y = &s->tally;
    struct sim_cache_result r = {.hit = false};
    enum sim_line_state before = LINE_I;
    if (fill) {
        r = sim_cache_access(m->l2, phys, false);
        if (r.hit) before = r.before;
    } else {
        r.hit = sim_cache_present(m->l2, phys, &before);
    }
    sim_add(y, ARCH_L2(who, state_of(before)), 1);
    struct arch_found found = {.from = ACCESS_L2};
    enum sim_line_state had = before;
    if (m->l3_kind == L3_NONE) {
        sim_add(y, T_LLC_REFERENCE, 1);
        if (!r.hit) {
            sim_add(y, T_LLC_MISS, 1);
            found.from = ACCESS_MEMORY;
        }
    } else if (!r.hit) {
        found.from = l3_request(s, m, phys, &had);
    }
    if (!r.hit) {
        sim_add(y, (found.from == ACCESS_L3 ? T_L3_HIT : T_BEYOND) + who, 1);
        sim_add(y, T_L2_IN, fill);
    }
    /* The victim waits in a buffer until the new line has arrived. */
    if (r.evicted) l2_evicted(s, m, &r);
    found.shared = ask_others(s, m, phys, had, who == REQUEST_OWN, &found.from);
    return found;
}

/* A modified line leaves the L1D. If an inclusive L3 no longer has it, it goes to memory. */
static void l1d_evicted(struct sim *s, struct arch_memory *m, uint64_t phys)
{
    enum sim_line_state before;
    sim_add(&s->tally, T_L1D_M_OUT, 1);
    if (!sim_cache_present(m->l2, phys, &before) && m->l3_kind == L3_INCLUSIVE) {
        uint64_t in_slice = phys;
        const struct sim_cache *c = arch_slice(m, &in_slice);
        if (!sim_cache_present(c, in_slice, NULL)) return;
    }
    sim_add(&s->tally, T_L1D_WB + state_of(before), 1);
    const struct sim_cache_result r = sim_cache_fill(m->l2, phys, LINE_M);
    if (r.evicted) l2_evicted(s, m, &r);
}

/* ---- L1 ---- */

/* before: the state in which the L1D had the line. */
static struct arch_found l1d_request(struct sim *s, struct arch_memory *m, uint64_t phys, bool write,
                                     enum arch_request who, bool fill_l2, enum sim_line_state *before)
{
    const struct sim_cache_result r = sim_cache_access(m->l1d, phys, write);
    *before = r.hit ? r.before : LINE_I;
    if (r.hit) {
        /* Ownership of a shared line is asked for as that of one that is not there. */
        if (r.before == LINE_S && who == REQUEST_OWN) {
            l2_request(s, m, phys, who, true);
            if (!write) sim_cache_change(m->l1d, phys, LINE_E);
        }
        return (struct arch_found){.from = ACCESS_L1};
    }
    sim_add(&s->tally, T_L1D_IN, 1);
    sim_add(&s->tally, T_L1D_M_IN, write);
    const struct arch_found found = l2_request(s, m, phys, who, fill_l2);
    if (found.shared) sim_cache_change(m->l1d, phys, LINE_S);
    if (r.evicted_modified) l1d_evicted(s, m, r.evicted_phys);
    return found;
}

static struct arch_found refer(struct sim *s, struct arch_memory *m, uint64_t phys, bool write)
{
    const unsigned ref = write ? REF_STORE : m->locked ? REF_LOCK : REF_LOAD;
    enum sim_line_state before;
    const struct arch_found found =
        l1d_request(s, m, phys, write, write || m->locked ? REQUEST_OWN : REQUEST_LOAD, true, &before);
    sim_add(&s->tally, ARCH_L1D(ref, state_of(before)), 1);
    return found;
}

static void refer_store(struct sim *s, struct arch_memory *m, uint64_t phys)
{
    if (refer(s, m, phys, true).from != ACCESS_L1) m->accesses |= ACCESS_STORE_MISS;
}

static void refer_load(struct sim *s, struct arch_memory *m, uint64_t phys)
{
    const struct arch_found found = refer(s, m, phys, false);
    const unsigned from = found.from;
    m->accesses |= from | (from == ACCESS_MEMORY && found.shared ? ACCESS_SHARED : 0);
    sim_add(&s->tally, T_LOAD_LINES_BEYOND_L1, from != ACCESS_L1);
    sim_add(&s->tally, T_LOAD_LINES_BEYOND_L2, (from & ACCESS_BEYOND_L2) != 0);
}

/* Counts of an access that need no look-up of lines: load, store, across two lines. */
static void dispatched(struct sim *s, struct arch_memory *m, const struct sim_access *a)
{
    const bool split = a->bytes && a->lin % ARCH_LINE + a->bytes > ARCH_LINE;
    const bool reads = a->kind & SIM_READ, writes = a->kind & SIM_WRITE;
    struct sim_tally *y = &s->tally;
    if (reads)
        m->accesses |=
            ACCESS_LOAD | (split ? ACCESS_SPLIT_LOAD : 0) | (a->uncached ? ACCESS_UNCACHED_LOAD : 0);
    if (writes) m->accesses |= ACCESS_STORE | (split ? ACCESS_SPLIT_STORE : 0);
    sim_add(y, T_ACCESS_SPLIT_LOAD, split && reads);
    sim_add(y, T_ACCESS_SPLIT_STORE, split && writes);
    if (a->uncached) sim_add(y, T_UNCACHED_ACCESS, (unsigned)reads + writes);
    if (m->locked && reads) {
        sim_add(y, T_SPLIT_LOCK, split);
        sim_add(y, T_BUS_LOCK, split || a->uncached);
    }
}

/* Line by line; a read-modify-write is a load and a store. An uncached access reaches no level. */
void arch_data_access(struct sim *s, const struct sim_access *a)
{
    struct arch_memory *m = arch_memory_of(s);
    const uint64_t last = a->lin + a->bytes - 1;
    dispatched(s, m, a);
    if (a->uncached || !a->bytes) return;
    for (uint64_t lin = a->lin; lin <= last; lin = (lin | (ARCH_LINE - 1)) + 1) {
        const uint64_t phys = sim_phys(lin, a->lin, a->phys, a->phys_high);
        if (a->kind & SIM_READ) refer_load(s, m, phys);
        if (a->kind & SIM_WRITE) refer_store(s, m, phys);
        if (lin > UINT64_MAX - ARCH_LINE) break; /* the uppermost line */
    }
}

void arch_fetch_lines(struct sim *s, uint64_t lin, uint64_t phys, uint64_t phys_high, unsigned len)
{
    struct arch_memory *m = arch_memory_of(s);
    const uint64_t last = (lin + len - 1) / ARCH_LINE;
    for (uint64_t line = lin / ARCH_LINE; line <= last; line++) {
        if (line == m->fetch_line) continue;
        if (s->sibling) arch_forget_fetched(s);
        m->fetch_line = line;
        const uint64_t at = line * ARCH_LINE > lin ? line * ARCH_LINE : lin;
        const uint64_t where = sim_phys(at, lin, phys, phys_high);
        if (sim_cache_hot(m->l1i, where, false) || sim_cache_access(m->l1i, where, false).hit) continue;
        sim_add(&s->tally, T_L1I_IN, 1);
        l2_request(s, m, where, REQUEST_CODE, true);
    }
}

/* ---- cache control (docs/pmu-model.md, "Cache control") ---- */

static void prefetch(struct sim *s, struct arch_memory *m, const struct sim_insn *i)
{
    static const struct {
        uint8_t executed, missed; /* enum arch_tally; 0: no event has it */
        bool l1, l2;              /* where the line goes */
    } kinds[] = {
        [CACHE_PREFETCH_NTA] = {T_PREFETCH_NTA, T_PREFETCH_NTA_MISS, true, false},
        [CACHE_PREFETCH_T0] = {T_PREFETCH_T0, T_PREFETCH_T0_MISS, true, true},
        [CACHE_PREFETCH_T1] = {T_PREFETCH_T1, T_PREFETCH_T1_MISS, false, true},
        [CACHE_PREFETCH_T2] = {T_PREFETCH_T2, T_PREFETCH_T2_MISS, false, true},
        [CACHE_PREFETCH_W] = {T_PREFETCH_W, 0, true, true},
    };
    const uint64_t phys = i->line.phys;
    enum sim_line_state before;
    unsigned from = ACCESS_L1;

    if (i->cache_op == CACHE_PREFETCH_W && !m->prefetchw) return; /* a NOP */
    sim_add(&s->tally, kinds[i->cache_op].executed, 1);
    arch_note_data(m, &(struct sim_access){.lin = i->line.lin, .kind = SIM_READ}, ACCESS_L1);
    if (i->line.uncached) return;
    if (kinds[i->cache_op].l1)
        from = l1d_request(s, m, phys, false, REQUEST_PREFETCH, kinds[i->cache_op].l2, &before).from;
    else if (!sim_cache_present(m->l1d, phys, NULL))
        from = l2_request(s, m, phys, REQUEST_PREFETCH, true).from;
    if (kinds[i->cache_op].missed)
        sim_add(&s->tally, kinds[i->cache_op].missed, (from & (ACCESS_MEMORY | ACCESS_REMOTE)) != 0);
}

/* Written past the caches, which lose these lines (IA-32 Optimization Reference Manual 2006, 6.4.1.3:
 * "Pentium 4, Intel Core Solo and Intel Core Duo"). Uncached ones have none. */
static void stream_stores(struct sim *s, struct arch_memory *m, const struct sim_access *a, unsigned n)
{
    sim_add(&s->tally, T_NT_STORES, 1);
    for (; n--; a++) {
        dispatched(s, m, a);
        arch_note_data(m, a, ACCESS_STORE | ACCESS_STORE_MISS);
        if (a->uncached || !a->bytes) continue;
        const uint64_t last = sim_phys_at(a, a->bytes - 1u);
        arch_line_out(s, a->phys);
        sim_bus_flush(s, a->phys);
        arch_line_out(s, last);
        if (last / ARCH_LINE != a->phys / ARCH_LINE) sim_bus_flush(s, last);
    }
}

void arch_cache_op(struct sim *s, const struct sim_insn *i)
{
    struct arch_memory *m = arch_memory_of(s);
    switch (i->cache_op) {
    case CACHE_FLUSH:
        arch_line_out(s, i->line.phys);
        sim_bus_flush(s, i->line.phys);
        break;
    case CACHE_WRITE_BACK: /* no event sees what is written back; the line stays */
        break;
    case CACHE_NON_TEMPORAL:
        stream_stores(s, m, i->access, i->n_access);
        break;
    default:
        prefetch(s, m, i);
    }
}
