/* Data and code accesses through the P5's caches and TLBs. Rules: docs/pmu-model.md, "Data", "Code". */
#include "sim/p5.h"

#define LINE  32
#define BLOCK 16 /* of code, read at once */

/* ---- data ---- */

/* One part of an access, in one line. */
struct part {
    uint64_t lin, phys;
    bool uncached;
};

static inline void data_page(struct sim *s, struct p5 *p, uint64_t lin)
{
    if (!sim_tlb_hot(p->dtlb, lin) && !sim_tlb_access(p->dtlb, lin)) sim_add(&s->tally, T_DTLB_MISS, 1);
}

/* True: miss. */
static bool read_line(struct sim *s, struct p5 *p, const struct part *t)
{
    if (t->uncached) return true;
    if (sim_cache_hot(p->dcache, t->phys, false)) return false;
    struct sim_cache_result r = sim_cache_access(p->dcache, t->phys, false);
    if (r.evicted_modified) sim_add(&s->tally, T_WRITE_BACK, 1);
    if (!r.hit && sim_bus_ask(s, t->phys, ASK_READ) != LINE_I) sim_cache_change(p->dcache, t->phys, LINE_S);
    return !r.hit;
}

/* Writes that miss go to memory: no fill on a write miss. One to a shared line goes there as well, and makes
 * it exclusive (SDM vol. 3, 11.4, and Pentium manual: write-once); *shared counts these. */
static bool write_line(struct sim *s, struct p5 *p, const struct part *t, unsigned *shared)
{
    if (t->uncached) return true;
    if (sim_cache_hot(p->dcache, t->phys, true)) return false;
    const struct sim_cache_result r = sim_cache_access(p->dcache, t->phys, true);
    if (!r.hit) {
        sim_bus_flush(s, t->phys);
    } else if (r.before == LINE_S) {
        sim_bus_ask(s, t->phys, ASK_UPGRADE);
        sim_cache_change(p->dcache, t->phys, LINE_E);
        ++*shared;
    }
    return !r.hit;
}

/* Another processor's request; its code reads are requests as well. */
enum sim_line_state p5_snoop(struct sim *s, uint64_t phys, enum sim_snoop how)
{
    struct p5 *p = s->state;
    const enum sim_line_state becomes = how == SNOOP_READ ? LINE_S : LINE_I;
    const enum sim_line_state data = sim_cache_change(p->dcache, phys, becomes);
    const bool code = sim_cache_change(p->icache, phys, becomes) != LINE_I;
    if (code && becomes == LINE_I) p->code_block = P5_NONE;
    sim_add(&s->tally, T_SNOOP, 1);
    sim_add(&s->tally, T_SNOOP_HIT, data != LINE_I);
    sim_add(&s->tally, T_WRITE_BACK, data == LINE_M);
    return data == LINE_I && code ? LINE_S : data;
}

static void breakpoints(struct sim *s, struct p5 *p, uint64_t address, unsigned bytes, unsigned kinds);

/* An access that the processor makes in one part, or in two if it is misaligned. */
static void operand(struct sim *s, struct p5 *p, const struct sim_access *a, unsigned offset, unsigned bytes,
                    uint32_t op)
{
    struct sim_tally *y = &s->tally;
    uint64_t lin = a->lin + offset;
    bool misaligned = p5_misaligned(lin, bytes), reads = a->kind & SIM_READ, writes = a->kind & SIM_WRITE;
    unsigned parts = 1 + misaligned;
    unsigned in_first = LINE - lin % LINE, lines = bytes > in_first ? 2 : 1;
    struct part part[2] = {{lin, sim_phys_at(a, offset), a->uncached}};
    if (lines == 2) part[1] = (struct part){lin + in_first, sim_phys_at(a, offset + in_first), a->uncached};

    data_page(s, p, lin);
    if (lines == 2) data_page(s, p, part[1].lin);
    if (misaligned) {
        unsigned n = reads + writes;
        if ((s->errata & E_MISALIGNED_FST) && (op & OP_FST)) n *= 2;
        sim_add(y, T_MISALIGNED, n);
        if (op & OP_MMX) sim_add(y, T_MMX_MISALIGNED, n);
    }
    /* Both parts of a misaligned access in one line miss or hit as one; the erratum counts such a miss twice.
     */
    bool twice = misaligned && (s->errata & E_MISALIGNED_MISSES);
    if (reads) {
        unsigned misses = 0;
        for (unsigned k = 0; k < lines; k++) misses += read_line(s, p, &part[k]);
        if (misses && twice) misses = 2;
        sim_add(y, T_READ, parts);
        sim_add(y, T_READ_MISS, misses);
        if (a->uncached) sim_add(y, T_READ_UC, parts);
        if (op & OP_MMX) {
            sim_add(y, T_MMX_READ, parts);
            sim_add(y, T_MMX_READ_MISS, misses);
        }
        if (op & OP_LOCK) sim_add(y, T_LOCKED, parts);
    }
    if (writes) {
        unsigned missed = 0, shared = 0, misses;
        for (unsigned k = 0; k < lines; k++) missed += write_line(s, p, &part[k], &shared);
        misses = missed && twice ? 2 : missed;
        sim_add(y, T_WRITE, parts);
        sim_add(y, T_WRITE_MISS, misses);
        sim_add(y, T_WRITE_HIT_ME, lines == 1 ? (missed + shared ? 0 : parts) : lines - missed - shared);
        if (a->uncached) sim_add(y, T_WRITE_UC, lines);
        if (op & OP_MMX) {
            sim_add(y, T_MMX_WRITE, parts);
            sim_add(y, T_MMX_WRITE_MISS, misses);
        }
    }
    if (p->breakpoints || lin < 8) breakpoints(s, p, lin, bytes, a->kind);
}

/* R/W field of DR7: 1 data writes, 3 data reads and writes; LEN: 1, 2, 8, 4 bytes, aligned. */
static void breakpoints(struct sim *s, struct p5 *p, uint64_t address, unsigned bytes, unsigned kinds)
{
    static const unsigned sizes[] = {1, 2, 8, 4};
    for (unsigned k = 0; k < 4; k++) {
        unsigned field = p->dr7 >> (16 + 4 * k) & 15, rw = field & 3, size = sizes[field >> 2];
        uint64_t at = p->dr[k] & ~(uint64_t)(size - 1);
        if (rw != 3 && !(rw == 1 && (kinds & SIM_WRITE))) continue;
        if (address < at + size && at < address + bytes) sim_add(&s->tally, T_DR0 + k, 1);
    }
}

void p5_data(struct sim *s, const struct sim_access *a, unsigned n, uint32_t op)
{
    struct p5 *p = s->state;
    for (; n; n--, a++) {
        unsigned offset = 0, left = a->bytes;
        if (left == 10) { /* as 8 and 2 bytes, separately */
            operand(s, p, a, 0, 8, op);
            offset = 8, left = 2;
        }
        for (; left > 8; offset += 4, left -= 4) operand(s, p, a, offset, 4, op);
        if (left > 4 && left < 8) { /* 6 bytes, as LGDT and far pointers have */
            operand(s, p, a, offset, 4, op);
            offset += 4, left -= 4;
        }
        operand(s, p, a, offset, left, op);
    }
}

void p5_accesses(struct sim *s, const struct sim_access *a, unsigned n) { p5_data(s, a, n, 0); }

/* ---- code ---- */

static void code_block(struct sim *s, struct p5 *p, uint64_t lin, uint64_t phys)
{
    p->code_block = phys / BLOCK;
    sim_add(&s->tally, T_CODE_READ, 1);
    if (!sim_tlb_hot(p->itlb, lin) && !sim_tlb_access(p->itlb, lin)) sim_add(&s->tally, T_ITLB_MISS, 1);
    if (!sim_cache_hot(p->icache, phys, false) && !sim_cache_access(p->icache, phys, false).hit) {
        sim_add(&s->tally, T_CODE_MISS, 1);
        sim_bus_ask(s, phys, ASK_READ);
    }
}

void p5_code(struct sim *s, uint64_t lin, uint64_t phys, uint64_t phys_high, unsigned len)
{
    struct p5 *p = s->state;
    const uint64_t end = lin + len;
    if (phys / BLOCK != p->code_block) code_block(s, p, lin, phys);
    for (uint64_t at = (lin / BLOCK + 1) * BLOCK; at < end; at += BLOCK)
        code_block(s, p, at, sim_phys(at, lin, phys, phys_high));
}

/* ---- flushes ---- */

void p5_tlb_flush(struct sim *s)
{
    struct p5 *p = s->state;
    sim_tlb_flush_all(p->itlb);
    sim_tlb_flush_all(p->dtlb);
}

void p5_tlb_invalidate(struct sim *s, uint64_t lin)
{
    struct p5 *p = s->state;
    sim_tlb_drop(p->itlb, lin);
    sim_tlb_drop(p->dtlb, lin);
}

void p5_cache_flush(struct sim *s, bool write_back)
{
    struct p5 *p = s->state;
    if (write_back) sim_add(&s->tally, T_WRITE_BACK, sim_cache_lines(p->dcache, LINE_M));
    sim_cache_invalidate_all(p->icache);
    sim_cache_invalidate_all(p->dcache);
    p->code_block = P5_NONE;
}
