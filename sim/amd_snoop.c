/* The memory hierarchy of AMD's processors from outside: probes of other processors, and how it is built.
 *
 * Every request of a processor that its caches cannot answer probes all others. A modified line that another
 * one reads stays as owned: it is written back later, and probed until then (AMD64 manual vol. 2, 7.3).
 */
#include "sim/amd.h"

/* It may hold the code that was fetched last. */
void amd_line_out(struct amd_memory *m, uint64_t phys)
{
    sim_cache_drop(m->l1i, phys);
    sim_cache_drop(m->l1d, phys);
    sim_cache_drop(m->l2, phys);
    if (m->l3) sim_cache_drop(m->l3, phys);
    m->fetch_line = AMD_NOWHERE;
}

static enum sim_line_state probe(struct sim_cache *c, uint64_t phys, enum sim_snoop how)
{
    enum sim_line_state before;
    if (!sim_cache_present(c, phys, &before)) return LINE_I;
    return sim_cache_change(c, phys, how != SNOOP_READ ? LINE_I : sim_line_dirty(before) ? LINE_O : LINE_S);
}

enum sim_line_state amd_snoop(struct sim *s, uint64_t phys, enum sim_snoop how)
{
    struct amd_memory *m = amd_memory_of(s);
    const enum sim_line_state l1 = probe(m->l1d, phys, how), l2 = probe(m->l2, phys, how);
    const bool code = probe(m->l1i, phys, how) != LINE_I;
    /* The L1D knows better than an L2 that holds the same line. */
    const enum sim_line_state data = l1 == LINE_I || sim_line_dirty(l2) ? l2 : l1;
    if (m->l3 && how != SNOOP_READ) sim_cache_drop(m->l3, phys);
    if (code && how != SNOOP_READ) m->fetch_line = AMD_NOWHERE;
    sim_add(&s->tally, AMD_PROBE, 1);
    return data == LINE_I && code ? LINE_S : data;
}

enum amd_found amd_find(const struct amd_memory *m, uint64_t phys, const struct sim_cache *l1)
{
    if (sim_cache_present(l1, phys, NULL)) return FOUND_L1;
    if (sim_cache_present(m->l2, phys, NULL)) return FOUND_L2;
    return m->l3 && sim_cache_present(m->l3, phys, NULL) ? FOUND_L3 : FOUND_MEMORY;
}

/* ---- building it ---- */

void amd_memory_reset(struct amd_memory *m)
{
    sim_cache_invalidate_all(m->l1i);
    sim_cache_invalidate_all(m->l1d);
    sim_cache_invalidate_all(m->l2);
    if (m->l3_used) sim_cache_invalidate_all(m->l3); /* it is large: only where there is something to do */
    m->l3_used = false;
    m->fetch_line = AMD_NOWHERE;
}

bool amd_memory_init(struct amd_memory *m, const struct amd_traits *t)
{
    m->l1i = sim_cache_new(&t->l1i);
    m->l1d = sim_cache_new(&t->l1d);
    m->l2 = sim_cache_new(&t->l2);
    if (t->l3.bytes) m->l3 = sim_cache_new(&t->l3);
    m->relation = t->l2_relation;
    return m->l1i && m->l1d && m->l2 && (m->l3 || !t->l3.bytes);
}

void amd_memory_fini(struct amd_memory *m)
{
    sim_cache_free(m->l1i);
    sim_cache_free(m->l1d);
    sim_cache_free(m->l2);
    sim_cache_free(m->l3);
}
