/* The memory hierarchy of the processors with architectural performance monitoring from outside: requests of
 * other processors, which are packages of their own; what empties it, and how it is built.
 */
#include "sim/arch.h"

/* Removed from every level. It may hold the code that was fetched last. */
void arch_line_out(struct sim *s, uint64_t phys)
{
    struct arch_memory *m = arch_memory_of(s);
    sim_cache_drop(m->l1i, phys);
    sim_cache_drop(m->l1d, phys);
    sim_cache_drop(m->l2, phys);
    if (m->l3_kind != L3_NONE) {
        struct sim_cache *c = arch_slice(m, &phys);
        sim_cache_drop(c, phys);
    }
    arch_forget_fetched(s);
}

enum sim_line_state arch_snoop(struct sim *s, uint64_t phys, enum sim_snoop how)
{
    struct arch_memory *m = arch_memory_of(s);
    const enum sim_line_state becomes = how == SNOOP_READ ? LINE_S : LINE_I;
    const enum sim_line_state l1 = sim_cache_change(m->l1d, phys, becomes);
    const enum sim_line_state l2 = sim_cache_change(m->l2, phys, becomes);
    enum sim_line_state before = l1 > l2 ? l1 : l2, l3 = LINE_I;
    if (m->l3_kind != L3_NONE) {
        uint64_t in_slice = phys;
        struct sim_cache *c = arch_slice(m, &in_slice);
        l3 = sim_cache_change(c, in_slice, becomes);
    }
    if (l3 > before) before = l3;
    if (sim_cache_change(m->l1i, phys, becomes) != LINE_I) {
        if (becomes == LINE_I) arch_forget_fetched(s);
        if (before == LINE_I) before = LINE_S;
    }
    sim_add(&s->tally, T_L1D_M_SNOOPED, l1 == LINE_M);
    return before;
}

/* ---- building it ---- */

void arch_memory_empty(struct arch_memory *m)
{
    sim_cache_invalidate_all(m->l1i);
    sim_cache_invalidate_all(m->l1d);
    sim_cache_invalidate_all(m->l2);
    for (unsigned k = 0; k < m->slices; k++) sim_cache_invalidate_all(m->l3[k]);
    m->fetch_line = ARCH_NOWHERE;
}

bool arch_memory_init(struct arch_memory *m, const struct arch_traits *t)
{
    m->l1i = sim_cache_new(&t->l1i);
    m->l1d = sim_cache_new(&t->l1d);
    m->l2 = sim_cache_new(&t->l2);
    m->l3_kind = t->l3_kind;
    m->slices = t->l3_slices;
    m->prefetchw = t->prefetchw;
    for (unsigned k = 0; k < m->slices; k++)
        if (!(m->l3[k] = sim_cache_new(&t->l3))) return false;
    return m->l1i && m->l1d && m->l2;
}

void arch_memory_share(struct arch_memory *m, const struct arch_memory *first)
{
    *m = *first;
    m->fetch_line = ARCH_NOWHERE;
}

void arch_memory_fini(struct arch_memory *m)
{
    sim_cache_free(m->l1i);
    sim_cache_free(m->l1d);
    sim_cache_free(m->l2);
    for (unsigned k = 0; k < ARCH_SLICES; k++) sim_cache_free(m->l3[k]);
}
