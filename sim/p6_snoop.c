/* The P6 memory hierarchy from outside: snoops of other processors, flushes, and how it is built. */
#include "sim/p6.h"
#include <stdlib.h>

enum { MEMORY_CLOCKS = P6_MEMORY_LEAD + P6_BUS_CHUNKS - 1 };

void p6_dirty_change(struct p6_memory *m, uint64_t phys, uint64_t from, uint64_t to)
{
    uint64_t *way = m->dirty + phys / P6_LINE % m->dirty_sets * m->dirty_ways;
    for (unsigned i = 0; i < m->dirty_ways; i++)
        if (way[i] == from) {
            way[i] = to;
            return;
        }
}

/* ---- flushes ---- */

void p6_tlb_flush(struct p6_memory *m)
{
    sim_tlb_flush_all(m->itlb);
    p6_redirect(m);
}

void p6_tlb_drop(struct p6_memory *m, uint64_t lin) { sim_tlb_drop(m->itlb, lin); }

static void nothing_cached(struct p6_memory *m)
{
    sim_cache_invalidate_all(m->l1i);
    sim_cache_invalidate_all(m->l1d);
    sim_cache_invalidate_all(m->l2);
    for (unsigned i = 0; i < m->dirty_sets * m->dirty_ways; i++) m->dirty[i] = P6_NOWHERE;
    p6_redirect(m);
}

/* WBINVD writes modified lines back, first level first; INVD drops them. */
void p6_cache_flush(struct sim *s, bool write_back)
{
    struct p6_memory *m = p6_memory_of(s);

    for (unsigned i = 0; write_back && i < m->dirty_sets * m->dirty_ways; i++)
        if (m->dirty[i] != P6_NOWHERE) p6_write_back(s, m->dirty[i] * P6_LINE);
    const unsigned modified = sim_cache_lines(m->l2, LINE_M);
    sim_add(&s->tally, T_L2_OUT, sim_cache_lines(m->l2, LINE_S) + sim_cache_lines(m->l2, LINE_E) + modified);
    sim_add(&s->tally, T_L2_M_OUT, modified);
    if (write_back) p6_bus(s, P6_SELF, P6_WRITE_BACK, modified);
    nothing_cached(m);
}

/* ---- snoops ---- */

/* What another's request does to the caches here. HIT# says that a copy stays; HITM# that the line is
 * modified: then it goes to the other agent and to memory, all in that agent's transaction, and this
 * processor drives the data. One bus clock of HIT# or HITM# each: how long a snoop stalls is timing. */
static enum sim_line_state snooped(struct sim *s, uint64_t phys, bool keep)
{
    struct p6_memory *m = p6_memory_of(s);
    struct sim_tally *y = &s->tally;
    const enum sim_line_state becomes = keep ? LINE_S : LINE_I;
    const enum sim_line_state l1 = sim_cache_change(m->l1d, phys, becomes);
    const enum sim_line_state l2 = sim_cache_change(m->l2, phys, becomes);
    const bool code = sim_cache_change(m->l1i, phys, becomes) != LINE_I;
    const enum sim_line_state data = l1 > l2 ? l1 : l2, before = data == LINE_I && code ? LINE_S : data;

    if (l1 == LINE_M) {
        sim_add(y, T_DCU_M_OUT, 1);
        p6_made_clean(m, phys);
    }
    if (!keep) {
        sim_add(y, T_L2_OUT, l2 != LINE_I);
        sim_add(y, T_L2_M_OUT, l2 == LINE_M);
    }
    return before;
}

enum sim_line_state p6_snoop(struct sim *s, uint64_t phys, enum sim_snoop how)
{
    const bool keep = how == SNOOP_READ;
    const enum sim_line_state before = snooped(s, phys, keep);
    if (before == LINE_M) {
        sim_add(&s->tally, T_HITM_DRV, 1);
        sim_add(&s->tally, T_DRDY_SELF, P6_BUS_CHUNKS);
    } else if (before != LINE_I && keep) {
        sim_add(&s->tally, T_HIT_DRV, 1);
    }
    return before;
}

void sim_p6_snoop_read(struct sim *s, uint64_t phys, unsigned cpl)
{
    sim_settle(s);
    s->cpl = cpl;
    p6_bus(s, P6_OTHER, P6_BURST_READ, 1);
    p6_snoop(s, phys, SNOOP_READ);
    sim_settle(s);
}

/* ---- building it ---- */

void p6_memory_reset(struct p6_memory *m)
{
    nothing_cached(m);
    p6_tlb_flush(m);
    m->fetch_block = P6_NOWHERE;
}

bool p6_memory_init(struct p6_memory *m, const struct p6_traits *t)
{
    m->l1i = sim_cache_new(&t->l1i);
    m->l1d = sim_cache_new(&t->l1d);
    m->l2 = sim_cache_new(&t->l2);
    m->itlb = sim_tlb_new(32, 4); /* descriptor 01h; no event depends on the DTLB */
    m->dirty_ways = t->l1d.ways;
    m->dirty_sets = t->l1d.bytes / P6_LINE / t->l1d.ways;
    m->dirty = malloc(m->dirty_sets * m->dirty_ways * sizeof *m->dirty);
    m->bus_ratio = t->bus_ratio;
    m->mem_latency = MEMORY_CLOCKS * t->bus_ratio;
    return m->l1i && m->l1d && m->l2 && m->itlb && m->dirty;
}

void p6_memory_fini(struct p6_memory *m)
{
    sim_cache_free(m->l1i);
    sim_cache_free(m->l1d);
    sim_cache_free(m->l2);
    sim_tlb_free(m->itlb);
    free(m->dirty);
}
