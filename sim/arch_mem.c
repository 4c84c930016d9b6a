/* The memory hierarchy of the processors with architectural performance monitoring: L1I, L1D, L2, and where
 * there is one the L3, by the geometry of the named CPU (its CPUID leaf 4).
 *
 * All are write-back and write-allocate with lines of 64 bytes. Neither L1 need be in the L2. The CPU is
 * alone, so lines come in as E; nothing is prefetched. The last level is referenced by each request that
 * misses the levels before it: of code, a load or a store. A modified line that a level throws out is no
 * request.
 */
#include "sim/arch.h"

/* ---- L3, in slices ---- */

/* Consecutive lines go to the slices in turn (the CPUs hash them, by a function that is not documented). */
static struct sim_cache *slice_of(struct arch_memory *m, uint64_t *phys)
{
    const uint64_t line = *phys / ARCH_LINE;
    if (m->slices == 1) return m->l3[0];
    *phys = line / m->slices * ARCH_LINE;
    return m->l3[line % m->slices];
}

/* A line leaves an inclusive L3, and with it the levels before. */
static void l3_evicted(struct arch_memory *m, uint64_t requested, uint64_t phys)
{
    if (m->slices > 1) phys = (phys / ARCH_LINE * m->slices + requested / ARCH_LINE % m->slices) * ARCH_LINE;
    sim_cache_drop(m->l2, phys);
    sim_cache_drop(m->l1d, phys);
    sim_cache_drop(m->l1i, phys);
}

static unsigned l3_request(struct sim *s, struct arch_memory *m, uint64_t phys)
{
    uint64_t in_slice = phys;
    struct sim_cache *c = slice_of(m, &in_slice);
    sim_add(&s->tally, T_LLC_REFERENCE, 1);
    if (m->l3_kind == L3_VICTIM) {
        /* A line is in the L2 or in the L3, not in both. Whether it is modified nobody will see. */
        if (sim_cache_drop(c, in_slice) != LINE_I) return ACCESS_L3;
    } else {
        const struct sim_cache_result r = sim_cache_access(c, in_slice, false);
        if (r.hit) return ACCESS_L3;
        if (r.evicted) l3_evicted(m, phys, r.evicted_phys);
    }
    sim_add(&s->tally, T_LLC_MISS, 1);
    return ACCESS_MEMORY;
}

/* ---- L2 ---- */

static void l2_evicted(struct arch_memory *m, uint64_t phys, bool modified)
{
    struct sim_cache *c;
    if (m->l3_kind == L3_NONE) return;
    c = slice_of(m, &phys);
    if (m->l3_kind == L3_VICTIM)
        sim_cache_fill(c, phys, LINE_E);
    else if (modified && sim_cache_present(c, phys, NULL))
        sim_cache_access(c, phys, true);
}

/* An L1 wants a line, which fills the L2 as well, but for PREFETCHNTA. Returns where it was. */
static unsigned l2_request(struct sim *s, struct arch_memory *m, uint64_t phys, bool fill)
{
    struct sim_cache_result r = {.hit = false};
    if (fill)
        r = sim_cache_access(m->l2, phys, false);
    else
        r.hit = sim_cache_present(m->l2, phys, NULL);
    unsigned from = ACCESS_L2;
    if (m->l3_kind == L3_NONE) {
        sim_add(&s->tally, T_LLC_REFERENCE, 1);
        if (!r.hit) {
            sim_add(&s->tally, T_LLC_MISS, 1);
            from = ACCESS_MEMORY;
        }
    } else if (!r.hit) {
        from = l3_request(s, m, phys);
    }
    /* The victim waits in a buffer until the line that replaces it is there. */
    if (r.evicted) l2_evicted(m, r.evicted_phys, r.evicted_modified);
    return from;
}

/* A modified line leaves the L1D. Where an inclusive L3 no longer has it, it goes on to memory. */
static void l1d_evicted(struct arch_memory *m, uint64_t phys)
{
    if (m->l3_kind == L3_INCLUSIVE && !sim_cache_present(m->l2, phys, NULL)) {
        uint64_t in_slice = phys;
        const struct sim_cache *c = slice_of(m, &in_slice);
        if (!sim_cache_present(c, in_slice, NULL)) return;
    }
    const struct sim_cache_result r = sim_cache_fill(m->l2, phys, LINE_M);
    if (r.evicted) l2_evicted(m, r.evicted_phys, r.evicted_modified);
}

/* ---- L1 ---- */

static unsigned l1d_request(struct sim *s, struct arch_memory *m, uint64_t phys, bool write, bool fill_l2)
{
    const struct sim_cache_result r = sim_cache_access(m->l1d, phys, write);
    if (r.hit) return ACCESS_L1;
    sim_add(&s->tally, T_L1D_IN, 1);
    const unsigned from = l2_request(s, m, phys, fill_l2);
    if (r.evicted_modified) l1d_evicted(m, r.evicted_phys);
    return from;
}

static unsigned refer(struct sim *s, struct arch_memory *m, uint64_t phys, bool write)
{
    return sim_cache_hot(m->l1d, phys, write) ? ACCESS_L1 : l1d_request(s, m, phys, write, true);
}

/* Line by line; a read-modify-write is a load and a store. Where it is not cached, no level sees it. */
void arch_data_access(struct sim *s, const struct sim_access *a)
{
    struct arch_memory *m = arch_memory_of(s);
    const uint64_t last = a->lin + a->bytes - 1;
    if (a->kind & SIM_READ) m->accesses |= ACCESS_LOAD;
    if (a->kind & SIM_WRITE) m->accesses |= ACCESS_STORE;
    if (a->uncached || !a->bytes) return;
    for (uint64_t lin = a->lin; lin <= last; lin = (lin | (ARCH_LINE - 1)) + 1) {
        const uint64_t phys = sim_phys(lin, a->lin, a->phys, a->phys_high);
        if (a->kind & SIM_READ) m->accesses |= refer(s, m, phys, false);
        if (a->kind & SIM_WRITE) refer(s, m, phys, true);
        if (lin > UINT64_MAX - ARCH_LINE) break; /* the uppermost line */
    }
}

void arch_fetch_lines(struct sim *s, uint64_t lin, uint64_t phys, uint64_t phys_high, unsigned len)
{
    struct arch_memory *m = arch_memory_of(s);
    const uint64_t last = (lin + len - 1) / ARCH_LINE;
    for (uint64_t line = lin / ARCH_LINE; line <= last; line++) {
        if (line == m->fetch_line) continue;
        m->fetch_line = line;
        const uint64_t at = line * ARCH_LINE > lin ? line * ARCH_LINE : lin;
        const uint64_t where = sim_phys(at, lin, phys, phys_high);
        if (sim_cache_hot(m->l1i, where, false) || sim_cache_access(m->l1i, where, false).hit) continue;
        sim_add(&s->tally, T_L1I_IN, 1);
        l2_request(s, m, where, true);
    }
}

/* ---- cache control (docs/pmu-model.md, "Cache control") ---- */

/* Out of every level. The code that was fetched last may have lain in it. */
static void line_out(struct arch_memory *m, uint64_t phys)
{
    sim_cache_drop(m->l1i, phys);
    sim_cache_drop(m->l1d, phys);
    sim_cache_drop(m->l2, phys);
    if (m->l3_kind != L3_NONE) {
        struct sim_cache *c = slice_of(m, &phys);
        sim_cache_drop(c, phys);
    }
    m->fetch_line = ARCH_NOWHERE;
}

static void prefetch(struct sim *s, struct arch_memory *m, const struct sim_insn *i)
{
    const uint64_t phys = i->line.phys;
    if (i->line.uncached) return;
    switch (i->cache_op) {
    case CACHE_PREFETCH_T1:
    case CACHE_PREFETCH_T2:
        if (!sim_cache_present(m->l1d, phys, NULL)) l2_request(s, m, phys, true);
        break;
    case CACHE_PREFETCH_NTA:
        l1d_request(s, m, phys, false, false);
        break;
    case CACHE_PREFETCH_W:
        if (!m->prefetchw) break; /* a NOP */
        /* fall through */
    default:
        l1d_request(s, m, phys, false, true);
    }
}

/* Written around the caches, out of which their lines go (IA-32 Optimization Reference Manual 2006, 6.4.1.3:
 * "Pentium 4, Intel Core Solo and Intel Core Duo"). Uncached ones have none. */
static void stream_stores(struct arch_memory *m, const struct sim_access *a, unsigned n)
{
    for (; n--; a++) {
        if (a->kind & SIM_READ) m->accesses |= ACCESS_LOAD;
        if (a->kind & SIM_WRITE) m->accesses |= ACCESS_STORE;
        if (a->uncached || !a->bytes) continue;
        line_out(m, a->phys);
        line_out(m, sim_phys_at(a, a->bytes - 1u));
    }
}

void arch_cache_op(struct sim *s, const struct sim_insn *i)
{
    struct arch_memory *m = arch_memory_of(s);
    switch (i->cache_op) {
    case CACHE_FLUSH:
        line_out(m, i->line.phys);
        break;
    case CACHE_WRITE_BACK: /* no event sees what is written back; the line stays */
        break;
    case CACHE_NON_TEMPORAL:
        stream_stores(m, i->access, i->n_access);
        break;
    default:
        prefetch(s, m, i);
    }
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

void arch_memory_fini(struct arch_memory *m)
{
    sim_cache_free(m->l1i);
    sim_cache_free(m->l1d);
    sim_cache_free(m->l2);
    for (unsigned k = 0; k < ARCH_SLICES; k++) sim_cache_free(m->l3[k]);
}
