/* Ordinary instructions in bulk.
 *
 * For most instructions only their number matters, besides their accesses and branches. Bochs's own objects
 * count the instructions and write accesses and branches to the log (instrument.h), without a call, until an
 * instruction needs a closer look, the log is full, or an interrupt or exception is delivered. Then the log
 * becomes one batch of facts.
 */
#define NEED_CPU_REG_SHORTCUTS 1
#include "sim/bochs/glue.h"
#include <cstddef>

/* Entries become steps where they lie. */
#define SAME(entry, step) (offsetof(struct anechoic_entry, entry) == offsetof(struct sim_step, step))
static_assert(sizeof(struct anechoic_entry) == sizeof(struct sim_step) && SAME(lin, access.lin) &&
                  SAME(phys, access.phys) && SAME(phys_high, access.phys_high) && SAME(bytes, access.bytes) &&
                  SAME(access, access.kind) && SAME(uncached, access.uncached) && SAME(from, lin) &&
                  SAME(end, end) && SAME(op, op),
              "a log's entry and a step have one form");
static_assert(OP_TAKEN == 4, "instrument.h has it as a number");
static_assert(ANECHOIC_ENTRIES <= SIM_BATCH_STEPS, "a full log fits a batch");

namespace
{
struct batch_kinds kinds;

/* Linear addresses of code from RIP: (RIP + base) & mask. */
struct code_segment {
    bx_address base, mask;

    code_segment(const BX_CPU_C *cpu)
    {
        bool flat = cpu->cpu_mode == BX_MODE_LONG_64;
        base = flat ? 0 : cpu->sregs[BX_SEG_REG_CS].cache.u.segment.base;
        mask = flat ? ~(bx_address)0 : 0xffffffff;
    }
    bool flat() const { return base == 0; } /* EIP is never above 32 bits */
    bx_address linear(bx_address rip) const { return (rip + base) & mask; }
};

/* Code has a base: RIPs into linear addresses. */
void relocate(struct glue *g, const code_segment cs)
{
    for (unsigned k = 0; k < g->log.n; k++) {
        struct anechoic_entry *e = &g->log.at[k];
        e->end = cs.linear(e->end);
        if (e->access) continue;
        e->from = cs.linear(e->from);
        e->lin = cs.linear(e->lin);
    }
}

/* Joins accesses that Bochs reports as two because they cross a page. */
void join_halves(struct glue *g)
{
    struct anechoic_log *log = &g->log;
    unsigned kept = 0;
    for (unsigned k = 0; k < log->n; k++, kept++) {
        struct anechoic_entry *e = &log->at[kept];
        if (kept != k) *e = log->at[k];
        if (e->access && k + 1 < log->n && stream_join(g, e, &log->at[k + 1])) k++;
    }
    log->n = kept;
    log->split = false;
}
} // namespace

void batch_init(const struct batch_kinds *k)
{
    kinds = *k;
    static_assert(BX_IA_LAST <= ANECHOIC_OPCODES, "each opcode has its kind");
    for (unsigned cpu = 0; cpu < BX_SMP_PROCESSORS; cpu++) {
        for (unsigned n = 0; n < BX_IA_LAST; n++) glue_of[cpu].log.kind[n] = kinds.by_opcode[n];
        for (unsigned n = 0; n < kinds.n; n++) glue_of[cpu].log.op[n] = kinds.of[n].op;
    }
}

bool batch_begin(struct glue *g, bxInstruction_c *i)
{
    struct anechoic_log *log = &g->log;
    unsigned kind = log->kind[i->getIaOpcode()], limit = kinds.n;
    if (kind >= limit || i->lockRepUsedValue()) return false;
    enum sim_batches may = sim_batches(g->sim);
    if (may == SIM_BATCH_NONE) return false;
    if (g->watch) limit = kinds.first_return;
    if (may == SIM_BATCH_NO_X87) limit = kinds.first_x87;
    if (kind >= limit) return false;
    g->batching = true;
    /* Not prev_rip: Bochs leaves that at the interrupted instruction when it delivers an NMI. */
    g->batch_start = g->cpu->gen_reg[BX_64BIT_REG_RIP].rrx;
    log->n = 0;
    log->limit = limit;
    log->last = kind;
    if (kind) log->done[kind]++;
    return true;
}

bool batch_in_instruction(const struct glue *g)
{
    return g->cpu->gen_reg[BX_64BIT_REG_RIP].rrx != g->cpu->prev_rip;
}

void batch_end(struct glue *g, bool in_instruction)
{
    BX_CPU_C *cpu = g->cpu;
    struct anechoic_log *log = &g->log;
    const code_segment cs(cpu);
    bx_address next = cpu->prev_rip;
    unsigned all = log->n, mine;

    g->batching = false;
    log->limit = 0;
    if (in_instruction) {
        /* It does not retire, or not yet: neither it nor what it has done is part of this. */
        if (log->last) log->done[log->last]--;
        while (log->n && log->at[log->n - 1].access && (Bit32u)(log->at[log->n - 1].end - next - 1) < 15)
            log->n--;
    }
    mine = log->n;

    struct sim_kind sums[ANECHOIC_KINDS];
    struct sim_batch b = {};
    b.lin = cs.linear(g->batch_start);
    b.end = cs.linear(next);
    b.cpl = cpu->sregs[BX_SEG_REG_CS].selector.rpl;
    b.ticks = cpu->icount - g->icount;
    g->icount = cpu->icount;
    Bit32u ordinary = (Bit32u)b.ticks;
    /* Few kinds occurred, so eight are checked at once. KIND_ORDINARY is not counted. */
    const unsigned together = 8;
    static_assert(KIND_ORDINARY == 0 && ANECHOIC_KINDS % together == 0, "each kind is checked");
    for (unsigned first = 0; first < kinds.n; first += together) {
        Bit32u any = 0;
        for (unsigned k = first; k < first + together; k++) any |= log->done[k];
        if (!any) continue;
        for (unsigned k = first; k < first + together; k++) {
            if (!log->done[k]) continue;
            sums[b.n_kinds] = kinds.of[k];
            sums[b.n_kinds++].n = log->done[k];
            ordinary -= log->done[k];
            log->done[k] = 0;
        }
    }
    if (ordinary) sums[b.n_kinds++] = {0, ordinary, 0, 0};
    if (b.n_kinds) {
        if (!cs.flat()) relocate(g, cs);
        if (log->split) join_halves(g);
        b.steps = (const struct sim_step *)log->at;
        b.n_steps = log->n;
        b.kinds = sums;
        b.code = stream_code;
        b.uncached = stream_uncached;
        b.ctx = g;
        sim_batch(g->sim, &b);
    }
    log->n = all - mine;
    if (log->n) memmove(log->at, log->at + mine, log->n * sizeof *log->at);
}
