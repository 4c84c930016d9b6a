/* The P6 memory hierarchy: instruction fetch unit, data cache unit (DCU), L2, external bus. Every memory
 * event is counted where it happens in this simulation; none is computed from another.
 *
 * Both L1s and the L2 are write-back and write-allocate with lines of 32 bytes; the L2 need not hold what an
 * L1 holds. Lines come in as S where another processor has them (sim/p6_snoop.c), else as E, or as M where
 * they were read for ownership.
 */
#include "sim/p6.h"

/* Processor clocks, by the transfer timings that Heller gives: L2 to L1 4-1-1-1. */
enum { L2_LATENCY = 4 + 1 + 1 + 1, L2_BUS_CLOCKS = L2_LATENCY };
/* "An access that also misses the L2 is short-changed by 2 cycles" (SDM table 19-37, 48h). */
enum { SHORT_CHANGED = 2 };

/* ---- L2 ---- */

static void l2_evicted(struct sim *s, const struct sim_cache_result *r)
{
    sim_add(&s->tally, T_L2_OUT, 1);
    if (!r->evicted_modified) return;
    sim_add(&s->tally, T_L2_M_OUT, 1);
    p6_bus(s, P6_SELF, P6_WRITE_BACK, 1);
}

/* What became of a request: the state in which the L2 had the line (LINE_I: it came over the bus); others
 * have it as well. */
struct l2_answer {
    enum sim_line_state before;
    bool shared;
};

/* A request of an L1 for a line. A store asks for ownership: the L2 then holds the line as modified, so one
 * that misses is "a modified line allocated in the L2". fill: a miss fills the L2, except for PREFETCHNTA. */
static struct l2_answer l2_request(struct sim *s, enum p6_request who, uint64_t phys, bool fill)
{
    static const enum p6_transaction from_memory[] = {[P6_REQ_IFETCH] = P6_INSTRUCTION_FETCH,
                                                      [P6_REQ_LOAD] = P6_BURST_READ,
                                                      [P6_REQ_STORE] = P6_READ_FOR_OWNERSHIP};
    struct p6_memory *m = p6_memory_of(s);
    struct sim_tally *y = &s->tally;
    const bool own = who == P6_REQ_STORE;
    struct sim_cache_result r = {.hit = false};
    if (fill || sim_cache_present(m->l2, phys, NULL)) r = sim_cache_access(m->l2, phys, own);
    const enum sim_line_state before = r.hit ? r.before : LINE_I;

    sim_add(y, T_L2_ADS, 1);
    sim_add(y, T_L2_RQSTS + before, 1);
    sim_add(y, P6_L2(who, before), 1);
    if (r.hit) {
        if (own && before == LINE_S) {
            p6_bus(s, P6_SELF, P6_INVALIDATE, 1);
            sim_bus_ask(s, phys, ASK_UPGRADE);
        }
        return (struct l2_answer){before, before == LINE_S && !own};
    }
    sim_add(y, T_L2_IN, fill);
    if (own) sim_add(y, T_L2_M_IN, 1);
    if (r.evicted) l2_evicted(s, &r);
    p6_bus(s, P6_SELF, from_memory[who], 1);
    const bool shared = sim_bus_ask(s, phys, own ? ASK_OWN : ASK_READ) != LINE_I && !own;
    if (shared) sim_cache_change(m->l2, phys, LINE_S);
    return (struct l2_answer){LINE_I, shared};
}

/* A line goes from the L2 to an L1: 4-1-1-1 on the data bus between them. */
static void l2_to_l1(struct sim *s)
{
    sim_add(&s->tally, T_L2_DBUS, L2_BUS_CLOCKS);
    sim_add(&s->tally, T_L2_DBUS_READ, L2_BUS_CLOCKS);
}

/* Lines enter the L2 from the bus (Heller, 24h and 25h): if it no longer holds this one, the line goes to
 * memory. */
void p6_write_back(struct sim *s, uint64_t phys)
{
    struct p6_memory *m = p6_memory_of(s);
    struct sim_tally *y = &s->tally;

    sim_add(y, T_DCU_M_OUT, 1);
    sim_add(y, T_L2_ADS, 1);
    if (!sim_cache_present(m->l2, phys, NULL)) {
        p6_bus(s, P6_SELF, P6_WRITE_BACK, 1);
        return;
    }
    sim_add(y, T_L2_DBUS, L2_BUS_CLOCKS);
    sim_cache_access(m->l2, phys, true);
}

/* ---- DCU ---- */

static void dcu_miss(struct sim *s, uint64_t phys, bool write, bool fill_l2, const struct sim_cache_result *r)
{
    struct p6_memory *m = p6_memory_of(s);
    struct sim_tally *y = &s->tally;
    const struct l2_answer l2 = l2_request(s, write ? P6_REQ_STORE : P6_REQ_LOAD, phys, fill_l2);

    sim_add(y, T_DCU_IN, 1);
    if (write) sim_add(y, T_DCU_M_IN, 1);
    if (l2.shared) sim_cache_change(m->l1d, phys, LINE_S);
    if (l2.before == LINE_I) {
        sim_add(y, T_DCU_OUTSTANDING, m->mem_latency - SHORT_CHANGED);
        /* "only DCU full-line cacheable reads, not RFOs" (SDM, 60h) */
        if (!write) sim_add(y, T_BUS_OUTSTANDING, m->mem_latency);
    } else {
        sim_add(y, T_DCU_OUTSTANDING, L2_LATENCY);
    }
    l2_to_l1(s);
    /* The victim waits in a buffer until the new line has arrived. */
    if (r->evicted && r->evicted_modified) {
        p6_made_clean(m, r->evicted_phys);
        p6_write_back(s, r->evicted_phys);
    }
    if (write) p6_made_dirty(m, phys);
}

/* A load or store within one line. */
static void refer(struct sim *s, struct p6_memory *m, uint64_t phys, bool write)
{
    sim_add(&s->tally, T_DATA_REF, 1);
    if (sim_cache_hot(m->l1d, phys, write)) return;

    const struct sim_cache_result r = sim_cache_access(m->l1d, phys, write);
    if (!r.hit) {
        dcu_miss(s, phys, write, true, &r);
        return;
    }
    if (!write || r.before == LINE_M) return;
    p6_made_dirty(m, phys);
    if (r.before != LINE_S) return;
    /* Shared: ownership is needed first ("Invalid to Modified requests", SDM 2Ah; the bus invalidates the
     * others' copies without moving data). 48h counts invalidates too. */
    l2_request(s, P6_REQ_STORE, phys, true);
    sim_add(&s->tally, T_DCU_OUTSTANDING, P6_MEMORY_LEAD * m->bus_ratio - SHORT_CHANGED);
}

/* Not cached: a transaction for each 8 bytes of the bus that it touches; the local APIC's page stays inside
 * the processor (SDM 10.4.1). 43h counts it as any other. */
static void refer_uncached(struct sim *s, uint64_t phys, unsigned across, bool write)
{
    sim_add(&s->tally, T_DATA_REF, 1);
    if (phys >> 12 != 0xfee00) p6_bus(s, P6_SELF, write ? P6_PARTIAL_WRITE : P6_PARTIAL_READ, 1 + across);
}

/* One load or store micro-operation of at most 8 bytes: "each part of a split is counted separately" (SDM,
 * 43h). */
static void dispatch(struct sim *s, struct p6_memory *m, const struct sim_access *a, unsigned offset,
                     unsigned bytes, bool write)
{
    const unsigned in_line = (a->lin + offset) % P6_LINE, across = (a->lin + offset) % 8 + bytes > 8;
    const uint64_t phys = sim_phys_at(a, offset);

    /* An access that crosses 64 bits is misaligned; both halves are counted (SDM, 05h). */
    if (across) sim_add(&s->tally, T_MISALIGNED, 2);
    if (in_line + bytes <= P6_LINE) {
        if (a->uncached)
            refer_uncached(s, phys, across, write);
        else
            refer(s, m, phys, write);
        return;
    }
    const uint64_t second = sim_phys_at(a, offset + P6_LINE - in_line);
    if (a->uncached) {
        refer_uncached(s, phys, 0, write);
        refer_uncached(s, second, 0, write);
    } else {
        refer(s, m, phys, write);
        refer(s, m, second, write);
    }
}

void p6_data_access(struct sim *s, const struct sim_access *a)
{
    struct p6_memory *m = p6_memory_of(s);

    /* 80 bits are mantissa and exponent (SDM, 43h: "double counted"); 128 bits are two micro-operations as
     * well. */
    for (unsigned offset = 0; offset < a->bytes; offset += 8) {
        const unsigned bytes = a->bytes - offset < 8 ? a->bytes - offset : 8;
        if (a->kind & SIM_READ) dispatch(s, m, a, offset, bytes, false);
        if (a->kind & SIM_WRITE) dispatch(s, m, a, offset, bytes, true);
    }
}

/* ---- cache control (docs/pmu-model.md, "Cache control"): the part that a Pentium III has ---- */

/* Into the L1, and the L2 except for NTA; T1 and T2 into the L2 only (SDM vol. 2, PREFETCHh). It is not a
 * load: 43h does not count it. */
static void prefetch(struct sim *s, struct p6_memory *m, uint64_t phys, unsigned how)
{
    if (how == CACHE_PREFETCH_T1 || how == CACHE_PREFETCH_T2) {
        if (!sim_cache_present(m->l1d, phys, NULL)) l2_request(s, P6_REQ_LOAD, phys, true);
        return;
    }
    const struct sim_cache_result r = sim_cache_access(m->l1d, phys, false);
    if (!r.hit) dcu_miss(s, phys, false, how != CACHE_PREFETCH_NTA, &r);
}

/* A store past the caches: a cached line is updated in place, no line is loaded (IA-32 Optimization Reference
 * Manual 2006, 6.4.1.3). The time when the write-combining buffer goes to the bus is not modelled, since it
 * depends on the pipeline. */
static void stream_store(struct sim *s, struct p6_memory *m, const struct sim_access *a)
{
    const uint64_t first = a->phys, last = a->bytes ? sim_phys_at(a, a->bytes - 1u) : first;
    if (a->uncached || sim_cache_present(m->l1d, first, NULL) || sim_cache_present(m->l1d, last, NULL)) {
        p6_data_access(s, a);
        return;
    }
    for (unsigned offset = 0; offset < a->bytes; offset += 8) sim_add(&s->tally, T_DATA_REF, 1);
    sim_bus_flush(s, first);
    if (last / P6_LINE != first / P6_LINE) sim_bus_flush(s, last);
}

static bool in_a_cache(const struct p6_memory *m, uint64_t phys)
{
    return sim_cache_present(m->l1d, phys, NULL) || sim_cache_present(m->l2, phys, NULL);
}

/* 07h, "dispatched", and 4Bh, "that miss all caches" (SDM table 19-37): each instruction once, before it
 * changes anything. Speculative ones, which the manual includes, are not modelled. */
static void noticed(struct sim *s, const struct p6_memory *m, const struct sim_insn *i)
{
    if (i->cache_op == CACHE_PREFETCH_NTA) {
        sim_add(&s->tally, T_PREFETCH_NTA, 1);
        sim_add(&s->tally, T_PREFETCH_NTA_MISS, !i->line.uncached && !in_a_cache(m, i->line.phys));
    }
    if (i->cache_op != CACHE_NON_TEMPORAL) return;
    bool missed = false;
    for (const struct sim_access *a = i->access; a < i->access + i->n_access; a++)
        missed |= !a->uncached && a->bytes &&
                  !(in_a_cache(m, a->phys) && in_a_cache(m, sim_phys_at(a, a->bytes - 1u)));
    sim_add(&s->tally, T_WEAK_STORE, 1);
    sim_add(&s->tally, T_WEAK_STORE_MISS, missed);
}

void p6_cache_op(struct sim *s, const struct sim_insn *i)
{
    struct p6_memory *m = p6_memory_of(s);
    noticed(s, m, i);
    switch (i->cache_op) {
    case CACHE_PREFETCH_T0:
    case CACHE_PREFETCH_T1:
    case CACHE_PREFETCH_T2:
    case CACHE_PREFETCH_NTA:
        if (!i->line.uncached) prefetch(s, m, i->line.phys, i->cache_op);
        break;
    case CACHE_NON_TEMPORAL:
        for (unsigned k = 0; k < i->n_access; k++) stream_store(s, m, &i->access[k]);
        break;
    default: /* CLFLUSH and CLWB do not exist; PREFETCHW is a NOP */
        break;
    }
}

/* ---- IFU ---- */

static void fetch_block(struct sim *s, struct p6_memory *m, uint64_t lin, uint64_t phys)
{
    struct sim_tally *y = &s->tally;
    bool miss = false;

    if (!sim_tlb_hot(m->itlb, lin) && !sim_tlb_access(m->itlb, lin)) {
        sim_add(y, T_ITLB_MISS, 1);
        miss = true; /* it makes a memory request (SDM, 81h; Heller: "would also imply an L1 i-cache miss") */
    }
    if (!sim_cache_hot(m->l1i, phys, false) && !sim_cache_access(m->l1i, phys, false).hit) {
        l2_request(s, P6_REQ_IFETCH, phys, true);
        l2_to_l1(s);
        miss = true;
    }
    sim_add(y, T_IFETCH, 1);
    if (miss) sim_add(y, T_IFETCH_MISS, 1);
}

/* The fetch unit reads aligned blocks of 16 bytes: one for each that the instructions' bytes lie in, and
 * again where a transfer of control begins anew. */
void p6_fetch_blocks(struct sim *s, uint64_t lin, uint64_t phys, uint64_t phys_high, unsigned len)
{
    struct p6_memory *m = p6_memory_of(s);
    const uint64_t end = lin + len, last = (end - 1) >> 4;
    uint64_t block = lin >> 4;

    if (lin == m->fetch_next && block == m->fetch_block) block++;
    for (; block <= last; block++) {
        const uint64_t at = block << 4 > lin ? block << 4 : lin;
        fetch_block(s, m, at, sim_phys(at, lin, phys, phys_high));
    }
    m->fetch_block = last;
    m->fetch_next = end;
}
