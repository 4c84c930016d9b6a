/* The memory hierarchy of AMD's processors as far as their events depend on it: both L1s and the L2, in lines
 * of 64 bytes. Lines that miss the L2 come from the system, either an L3 or memory.
 *
 * Lines come in as E, or as M for a store, or as S where another processor has them. What one has modified
 * and another one reads is then owned by the first (MOESI: AMD64 manual vol. 2, 7.3), in sim/amd_snoop.c.
 */
#include "sim/amd.h"

/* ---- the L2 ---- */

/* A line has left the L2: an inclusive L2 also removes the L1s' copies. An L3 takes it. */
static void l2_victim(struct amd_memory *m, const struct sim_cache_result *r)
{
    if (!r->evicted) return;
    if (m->l3) {
        sim_cache_fill(m->l3, r->evicted_phys, LINE_E);
        m->l3_used = true;
    }
    if (m->relation != AMD_L2_INCLUSIVE) return;
    sim_cache_drop(m->l1d, r->evicted_phys);
    sim_cache_drop(m->l1i, r->evicted_phys);
}

static void l2_fill(struct amd_memory *m, uint64_t phys, enum sim_line_state state)
{
    const struct sim_cache_result r = sim_cache_fill(m->l2, phys, state);
    l2_victim(m, &r);
}

/* A line that others have as well is about to be written. */
static void change_to_exclusive(struct sim *s, struct amd_memory *m, uint64_t phys)
{
    sim_add(&s->tally, AMD_CHANGE_TO_X, 1);
    sim_bus_ask(s, phys, ASK_UPGRADE);
    sim_cache_change(m->l2, phys, LINE_E);
}

/* An L1 asks for a line, own: to write it. Returns the state in which the L2 had it; LINE_I: it came from the
 * system. *becomes: the state in which the L1 has it now, if it does not write. */
static enum sim_line_state l2_request(struct sim *s, struct amd_memory *m, uint64_t phys, bool own,
                                      enum sim_line_state *becomes)
{
    enum sim_line_state before;
    const bool had = sim_cache_present(m->l2, phys, &before);
    if (!had && m->l3) sim_cache_drop(m->l3, phys); /* it gives the line up */
    if (m->relation != AMD_L2_EXCLUSIVE)
        l2_fill(m, phys, had ? before : LINE_E);
    else if (had)
        sim_cache_drop(m->l2, phys);
    *becomes = LINE_E;
    if (had && (before == LINE_S || before == LINE_O)) {
        *becomes = before == LINE_O && m->relation != AMD_L2_EXCLUSIVE ? LINE_S : before;
        if (own) change_to_exclusive(s, m, phys);
    } else if (had && before == LINE_M && m->relation == AMD_L2_EXCLUSIVE) {
        *becomes = LINE_M; /* the only copy of what was modified */
    } else if (!had && sim_bus_ask(s, phys, own ? ASK_OWN : ASK_READ) != LINE_I && !own) {
        *becomes = LINE_S;
        sim_cache_change(m->l2, phys, LINE_S);
    }
    return before;
}

/* A line that an L1 evicted. */
static void l1_victim(struct amd_memory *m, const struct sim_cache_result *r)
{
    if (!r->evicted) return;
    if (m->relation == AMD_L2_EXCLUSIVE)
        l2_fill(m, r->evicted_phys, r->evicted_state);
    else if (r->evicted_modified && sim_cache_present(m->l2, r->evicted_phys, NULL))
        sim_cache_fill(m->l2, r->evicted_phys, r->evicted_state);
}

/* ---- data ---- */

/* The tallies of a request, by the source of the line. */
struct origin {
    uint8_t l2, system; /* enum amd_tally */
};
static const struct origin load = {AMD_DC_LOAD_L2, AMD_DC_LOAD_SYSTEM},
                           store = {AMD_DC_STORE_L2, AMD_DC_STORE_SYSTEM},
                           prefetched = {AMD_DC_PREFETCH_L2, AMD_DC_PREFETCH_SYSTEM};

static void dc_miss(struct sim *s, struct amd_memory *m, uint64_t phys, bool write, const struct origin *o)
{
    static const uint8_t by_state[] = {
        [LINE_S] = AMD_DC_L2_S, [LINE_E] = AMD_DC_L2_E, [LINE_M] = AMD_DC_L2_M, [LINE_O] = AMD_DC_L2_O};
    enum sim_line_state becomes;
    const enum sim_line_state l2 = l2_request(s, m, phys, write, &becomes);
    struct sim_tally *y = &s->tally;

    if (!write && becomes != LINE_E) sim_cache_change(m->l1d, phys, becomes);
    sim_add(y, l2 == LINE_I ? o->system : o->l2, 1);
    if (l2 != LINE_I) sim_add(y, by_state[l2], 1);
}

/* True: a hit. */
static bool refer(struct sim *s, struct amd_memory *m, uint64_t phys, bool write, const struct origin *o)
{
    if (sim_cache_hot(m->l1d, phys, write)) return true;
    static const uint8_t out[] = {
        [LINE_S] = AMD_DC_OUT_S, [LINE_E] = AMD_DC_OUT_E, [LINE_M] = AMD_DC_OUT_M, [LINE_O] = AMD_DC_OUT_O};
    const struct sim_cache_result r = sim_cache_access(m->l1d, phys, write);
    if (r.hit) {
        if (write && (r.before == LINE_S || r.before == LINE_O)) change_to_exclusive(s, m, phys);
        return true;
    }
    sim_add(&s->tally, AMD_DC_LOCKED_MISS, m->locked);
    /* The victim waits until the new line has arrived: that may come from the L2, and then leaves room there.
     */
    dc_miss(s, m, phys, write, o);
    l1_victim(m, &r);
    if (r.evicted) sim_add(&s->tally, out[r.evicted_state], 1);
    return false;
}

/* Counts of one load or store for the events that do not look up a line. */
static void dispatched(struct sim *s, const struct amd_memory *m, const struct sim_access *a, bool write)
{
    const uint64_t last = a->lin + a->bytes - 1;
    const uint64_t words =
        last / 8 - a->lin / 8 + 1; /* "each increment represents an eight-byte access" (40h) */
    const bool two_lines = last / AMD_LINE != a->lin / AMD_LINE, two_pages = last >> 12 != a->lin >> 12;

    sim_add(&s->tally, AMD_DC_ACCESS, words);
    sim_add(&s->tally, AMD_MISALIGNED, words > (a->bytes + 7u) / 8);
    if (!write) {
        sim_add(&s->tally, AMD_SPLIT_LINE, two_lines);
        sim_add(&s->tally, AMD_SPLIT_PAGE, two_pages);
        sim_add(&s->tally, AMD_BUS_LOCK, m->locked && (two_lines || a->uncached));
    }
}

static void load_or_store(struct sim *s, struct amd_memory *m, const struct sim_access *a, bool write)
{
    const uint64_t last = a->lin + a->bytes - 1;
    const bool two_lines = last / AMD_LINE != a->lin / AMD_LINE, two_pages = last >> 12 != a->lin >> 12;

    const struct origin *o = write ? &store : &load;

    dispatched(s, m, a, write);
    if (a->uncached) return; /* no line is looked for */
    refer(s, m, a->phys, write, o);
    if (two_pages)
        refer(s, m, a->phys_high, write, o);
    else if (two_lines)
        refer(s, m, a->phys + AMD_LINE - a->phys % AMD_LINE, write, o);
}

void amd_data_access(struct sim *s, const struct sim_access *a)
{
    struct amd_memory *m = amd_memory_of(s);

    if (!a->bytes) return;
    if (a->kind & SIM_READ) load_or_store(s, m, a, false);
    if (a->kind & SIM_WRITE) load_or_store(s, m, a, true);
}

/* ---- cache control (docs/pmu-model.md, "Cache control") ---- */

static void stream_store(struct sim *s, struct amd_memory *m, const struct sim_access *a)
{
    if (!a->bytes) return;
    if (a->kind & SIM_READ) dispatched(s, m, a, false);
    if (a->kind & SIM_WRITE) dispatched(s, m, a, true);
    if (a->uncached) return;
    const uint64_t last = sim_phys_at(a, a->bytes - 1u);
    amd_line_out(m, a->phys);
    amd_line_out(m, last);
    sim_bus_flush(s, a->phys);
    if (last / AMD_LINE != a->phys / AMD_LINE) sim_bus_flush(s, last);
}

/* Into the L1D, whatever the level; PREFETCHW: modified (AMD64 APM vol. 3). */
static void prefetch(struct sim *s, struct amd_memory *m, const struct sim_insn *i)
{
    const bool write = i->cache_op == CACHE_PREFETCH_W;
    sim_add(&s->tally,
            write                               ? AMD_PREFETCH_W
            : i->cache_op == CACHE_PREFETCH_NTA ? AMD_PREFETCH_NTA
                                                : AMD_PREFETCH,
            1);
    if (i->line.uncached) return;
    sim_add(&s->tally, AMD_DC_ACCESS, 1);
    sim_add(&s->tally, AMD_PREFETCH_HIT, refer(s, m, i->line.phys, write, &prefetched));
}

void amd_cache_op(struct sim *s, const struct sim_insn *i)
{
    struct amd_memory *m = amd_memory_of(s);

    switch (i->cache_op) {
    case CACHE_FLUSH:
        sim_add(&s->tally, AMD_CLFLUSH, 1);
        amd_line_out(m, i->line.phys);
        sim_bus_flush(s, i->line.phys);
        break;
    case CACHE_WRITE_BACK: /* no event sees what is written back; the line stays */
        break;
    case CACHE_NON_TEMPORAL:
        for (unsigned k = 0; k < i->n_access; k++) stream_store(s, m, &i->access[k]);
        break;
    default:
        prefetch(s, m, i);
    }
}

/* ---- code ---- */

static void fetch_line(struct sim *s, struct amd_memory *m, uint64_t phys)
{
    if (sim_cache_hot(m->l1i, phys, false)) return;
    const struct sim_cache_result r = sim_cache_access(m->l1i, phys, false);
    if (r.hit) return;
    enum sim_line_state becomes;
    sim_add(&s->tally, l2_request(s, m, phys, false, &becomes) == LINE_I ? AMD_IC_SYSTEM : AMD_IC_L2, 1);
    sim_add(&s->tally, AMD_IC_OUT, r.evicted);
    l1_victim(m, &r);
}

void amd_fetch(struct sim *s, uint64_t lin, uint64_t phys, uint64_t phys_high, unsigned len)
{
    struct amd_memory *m = amd_memory_of(s);
    const uint64_t last = (lin + len - 1) / AMD_LINE;

    for (uint64_t line = lin / AMD_LINE; line <= last; line++) {
        const uint64_t at = line * AMD_LINE > lin ? line * AMD_LINE : lin;
        if (line == m->fetch_line) continue;
        fetch_line(s, m, sim_phys(at, lin, phys, phys_high));
        m->fetch_line = line;
    }
}
