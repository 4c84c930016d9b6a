/* The model's core: passes each fact through its family to counters and oracle. */
#include "sim/core.h"
#include <string.h>

/* The tally's contents belong to one privilege level. */
static inline void at_level(struct sim *s, unsigned cpl)
{
    if (s->cpl == cpl) return;
    sim_settle(s);
    s->cpl = cpl;
}

/* Add modelled cycles to the family's tallies of them. */
static inline void clocks(struct sim *s, uint64_t cycles, bool halted)
{
    const struct sim_clocks *c = &s->family->clocks;
    const unsigned kind = halted ? c->halted : c->running;
    if (!halted) {
        s->clocks += cycles;
        s->lbr.clocks += cycles;
    }
    if (c->all) sim_add(&s->tally, c->all, cycles);
    if (kind) sim_add(&s->tally, kind, cycles);
    if (s->halted && !halted && cycles && c->wakes) sim_add(&s->tally, c->wakes, 1);
    if (halted || cycles) s->halted = halted;
}

static void transfer(struct sim *s, const struct sim_branch *b, const char *kind)
{
    if (s->lbr.on) sim_lbr_branch(&s->lbr, b);
    if (s->oracle) sim_oracle_transfer(s, b, kind);
}

static void clear(struct sim_tally *y, unsigned tallies)
{
    if (y->unlisted)
        memset(y->count, 0, tallies * sizeof *y->count);
    else
        for (unsigned k = 0; k < y->n_touched; k++) y->count[y->touched[k]] = 0;
    y->n_touched = 0;
    y->unlisted = false;
}

/* Lists those of the first tallies that were touched, from their counts. Few were, so eight are checked at
 * once. */
static void list_touched(struct sim_tally *y, unsigned tallies)
{
    enum { TOGETHER = 8 };
    _Static_assert(SIM_TALLIES % TOGETHER == 0, "no tally is left over");
    y->n_touched = 0;
    for (unsigned t = 0; t < tallies; t += TOGETHER) {
        uint64_t any = 0;
        for (unsigned k = 0; k < TOGETHER; k++) any |= y->count[t + k];
        if (!any) continue;
        for (unsigned k = 0; k < TOGETHER; k++) {
            y->touched[y->n_touched] = (uint8_t)(t + k);
            y->n_touched += y->count[t + k] != 0;
        }
    }
}

/* ---- public ---- */

bool sim_wants_facts(const struct sim *s) { return s->active; }

bool sim_wants_registers(const struct sim *s) { return s->wants_registers; }

void sim_settle_tally(struct sim *s)
{
    s->family->count(s);
    if (s->oracle) sim_oracle_add(s);
    clear(&s->tally, s->family->tallies);
}

void sim_instruction(struct sim *s, const struct sim_insn *i)
{
    if (!s->active) return;
    at_level(s, i->cpl);
    s->ip = i->lin;
    s->retired++;
    const unsigned busy = sim_pmi_busy(s);
    s->current = i;
    s->family->instruction(s, i);
    /* Before the counters: one that overflows by this branch may freeze the stack, with it inside. */
    if (i->op & OP_TAKEN && (s->lbr.on || s->oracle)) {
        const unsigned cpl_after = i->op & OP_FAR ? i->cpl_after : i->cpl;
        const struct sim_branch b = {i->lin, i->target, i->lin + i->len, i->op, cpl_after};
        transfer(s, &b, NULL);
    }
    sim_settle(s);
    s->current = NULL;
    if (busy) sim_pmi_step(s, busy, false);
}

/* No more of one kind come from a batch: steps with some hundred clocks each (48h of P6), or as many plain
 * instructions.
 */
#define MOST_HAPPENINGS (UINT64_C(4096) * SIM_BATCH_STEPS)

enum sim_batches sim_batches(const struct sim *s)
{
    if (!s->active || !s->family->batch || sim_oracle_wants_addresses(s)) return SIM_BATCH_NONE;
    if (sim_pmi_busy(s) || s->wants_registers || sim_lbr_exact(&s->lbr)) return SIM_BATCH_NONE;
    if (s->family->exact(s, MOST_HAPPENINGS)) return SIM_BATCH_NONE;
    return s->family->wants_assists && s->family->wants_assists(s) ? SIM_BATCH_NO_X87 : SIM_BATCH_ALL;
}

void sim_batch(struct sim *s, const struct sim_batch *b)
{
    if (!s->active) return;
    at_level(s, b->cpl);
    for (unsigned k = 0; k < b->n_kinds; k++) s->retired += b->kinds[k].n;
    s->ip = b->end;
    clocks(s, b->ticks, false);
    s->family->batch(s, b);
    if (s->lbr.on) sim_lbr_batch(&s->lbr, b);
    /* Only an oracle needs the list, and clearing all costs less than making it. */
    if (s->oracle) {
        list_touched(&s->tally, s->family->tallies);
    } else {
        s->tally.unlisted = true;
        s->tally.n_touched = 1; /* not empty */
    }
    sim_settle(s);
}

void sim_more_accesses(struct sim *s, const struct sim_access *a, unsigned n, unsigned cpl)
{
    if (!s->active) return;
    at_level(s, cpl);
    s->family->accesses(s, a, n);
}

void sim_exception(struct sim *s, unsigned vector, unsigned cpl)
{
    if (!s->active) return;
    (void)vector; /* no family counts them apart */
    at_level(s, cpl);
    if (s->family->exception) s->family->exception(s);
    sim_settle(s);
}

void sim_interrupt(struct sim *s, unsigned vector, bool nmi, unsigned cpl)
{
    if (!s->active) return;
    (void)vector;
    (void)nmi;
    at_level(s, cpl);
    if (s->family->interrupt) s->family->interrupt(s);
    sim_settle(s);
}

/* #DB is no record, and ends recording (SDM 17.4.2, AMD64 manual vol. 2 13.1.1.8). */
void sim_delivered(struct sim *s, const struct sim_delivery *d)
{
    if (!s->active) return;
    const bool debug = d->exception && d->vector == 1;
    const struct sim_branch b = {d->from, d->to, d->from, OP_FAR, d->cpl_after};
    if (debug && s->family->debug_exception) s->family->debug_exception(s);
    transfer(s, &b, debug ? "debug" : d->exception ? "exception" : "interrupt");
}

void sim_stray_access(struct sim *s, const struct sim_access *a, unsigned cpl)
{
    if (!s->active) return;
    at_level(s, cpl);
    s->stray = true;
    s->family->accesses(s, a, 1);
    sim_settle(s);
    s->stray = false;
}

void sim_tlb_flush(struct sim *s)
{
    if (s->active) s->family->tlb_flush(s);
}

void sim_tlb_invalidate(struct sim *s, uint64_t lin)
{
    if (s->active) s->family->tlb_invalidate(s, lin);
}

void sim_cache_flush(struct sim *s, bool write_back)
{
    if (!s->active) return;
    at_level(s, 0); /* WBINVD and INVD are for CPL 0 */
    s->family->cache_flush(s, write_back);
}

void sim_debug_registers(struct sim *s, const uint64_t dr[4], uint32_t dr7)
{
    if (s->family->debug_registers) s->family->debug_registers(s, dr, dr7);
}

void sim_ticks(struct sim *s, uint64_t cycles, bool halted, unsigned cpl)
{
    if (!s->active) return;
    at_level(s, cpl);
    clocks(s, cycles, halted);
    if (halted) {
        sim_settle(s); /* no instruction follows that could do it, and an overflow may have to end the HLT */
        if (sim_pmi_busy(s)) sim_pmi_step(s, sim_pmi_busy(s), true);
    }
}

/* Before a counter is looked at or programmed anew: it may count another thread's happenings, too. */
static void settle_core(struct sim *s)
{
    sim_settle(s);
    if (s->sibling) sim_settle(s->sibling);
}

int sim_rdmsr(struct sim *s, uint32_t msr, uint64_t *value)
{
    settle_core(s);
    return s->family->rdmsr(s, msr, value);
}

/* Everything before belongs to the old programming, WRMSR's own retirement to the new. */
int sim_wrmsr(struct sim *s, uint32_t msr, uint64_t value)
{
    settle_core(s);
    int done = s->family->wrmsr(s, msr, value);
    if (done == 1 && s->oracle) sim_oracle_programmed(s);
    if (done == 1 && s->sibling && s->sibling->oracle) sim_oracle_programmed(s->sibling);
    return done;
}

unsigned sim_lbr_entries(const struct sim *s, struct sim_lbr_entry *to, unsigned n)
{
    if (n > s->lbr.depth) n = s->lbr.depth;
    for (unsigned k = 0; k < n; k++) to[k] = s->lbr.entry[sim_lbr_index(&s->lbr, k)];
    return n;
}

enum sim_rdpmc sim_rdpmc(struct sim *s, uint32_t ecx, unsigned cpl, bool cr4_pce, bool cr0_pe,
                         uint64_t *value)
{
    settle_core(s);
    uint64_t count = 0;
    const enum sim_rdpmc answer = s->family->rdpmc(s, ecx, &count); /* #UD comes before the privilege */
    if (answer != SIM_RDPMC_OK) return answer;
    if (cr0_pe && cpl != 0 && !cr4_pce) return SIM_RDPMC_GP;
    *value = count;
    return SIM_RDPMC_OK;
}
