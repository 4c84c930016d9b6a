/* Counters with architectural performance monitoring: enables, overflow, and freezing on an interrupt.
 */
#include "sim/arch.h"

/* ---- enables ---- */

/* The levels at which a counter's own register lets it count. */
static uint8_t levels_of(const struct sim_counter *c, bool fixed)
{
    const bool os = fixed ? c->select & FIXED_OS : c->select & SEL_OS;
    const bool usr = fixed ? c->select & FIXED_USR : c->select & SEL_USR;
    if (!fixed && !(c->select & SEL_EN)) return 0;
    return sim_counter_levels(os, usr);
}

/* Version 1 has EN only; later ones also need the bit in IA32_PERF_GLOBAL_CTRL, and version 4 needs counters
 * not to be frozen (facts 4.2). */
void arch_enables(struct sim *s)
{
    struct arch *p = s->state;
    const unsigned version = LEAF_A_VERSION(p->traits);
    const bool frozen = p->global_status & STATUS_CTR_FRZ;

    p->n_running = 0;
    p->counts_latency = false;
    for (unsigned n = 0; n < ARCH_COUNTERS; n++) {
        struct sim_counter *c = &p->counter[n];
        const bool fixed = n >= ARCH_GENERAL;
        const bool on = !frozen && (version == 1 || p->global_ctrl & c->status);
        c->cpls = on ? levels_of(c, fixed) : 0;
        c->interrupt = c->select & (fixed ? FIXED_PMI : SEL_INT);
        if (c->cpls) p->running[p->n_running++] = (uint8_t)n;
        p->counts_latency |= c->cpls && c->n_terms && c->terms[0] == T_LOAD_LATENCY;
    }
    arch_pebs_enables(s);
    if (p->n_running) sim_activate(s);
}

/* ---- overflow ---- */

/* SDM 17.4.7: up to version 3 the enables are cleared, from version 4 on a status bit freezes. */
static void freeze(struct sim *s)
{
    struct arch *p = s->state;
    const unsigned version = LEAF_A_VERSION(p->traits);
    if (version >= 4) {
        if (p->debugctl & DEBUGCTL_FREEZE_LBR) p->global_status |= STATUS_LBR_FRZ;
        if (p->debugctl & DEBUGCTL_FREEZE_PERFMON) p->global_status |= STATUS_CTR_FRZ;
    } else {
        if (p->debugctl & DEBUGCTL_FREEZE_LBR) p->debugctl &= ~DEBUGCTL_LBR;
        if (p->debugctl & DEBUGCTL_FREEZE_PERFMON) p->global_ctrl = 0;
    }
    arch_enables(s);
    arch_lbr_update(s);
}

/* Counters that overflow in one step request one interrupt. */
static __attribute__((noinline)) void interrupt(struct sim *s)
{
    const struct arch *p = s->state;
    if (p->debugctl & (DEBUGCTL_FREEZE_LBR | DEBUGCTL_FREEZE_PERFMON)) freeze(s);
    sim_pmi(s);
}

/* In a clock in which both threads run, a counter of both has one: the first thread's. */
static bool leads(const struct sim *s)
{
    const struct sim *other = s->sibling;
    return !s->thread || (other->host.inactive && other->host.inactive(other->host.ctx));
}

/* What s has done into the counters of its own thread, or into those of the other one that count both. */
static void count_into(struct sim *s, struct sim *owner)
{
    struct arch *p = owner->state;
    struct arch_pebs_due due;
    bool pmi = false;
    due.counters = 0;
    for (unsigned k = 0; k < p->n_running; k++) {
        struct sim_counter *c = &p->counter[p->running[k]];
        if (owner != s && !c->both) continue;
        if (c->both && c->terms[0] == T_CYCLES && !leads(s)) continue;
        const uint64_t events = sim_counter_events(s, c);
        const bool records = owner == s && p->pebs.counter[p->running[k]].when != PEBS_NEVER;
        if (records ? !arch_pebs_count(s, p->running[k], events, &due) : !sim_counter_add(c, events))
            continue;
        p->global_status |= c->status;
        pmi |= c->interrupt;
    }
    if (due.counters) pmi |= arch_pebs_record(s, &due);
    if (pmi) interrupt(owner);
}

void arch_count(struct sim *s)
{
    const struct arch *p = s->state;
    arch_count_loads(s, s->tally.count[T_LOADS]);
    if (p->counts_latency) sim_add(&s->tally, T_LOAD_LATENCY, arch_counts_latency(s));
    sim_add(&s->tally, s->cpl ? T_CYCLES_USER : T_CYCLES_RING0, s->tally.count[T_CYCLES]);
    count_into(s, s);
    if (s->sibling) count_into(s, s->sibling);
}

/* The most of what steps make in a batch: an access reads and writes two lines at most. */
#define MOST_BY_STEPS (UINT64_C(8) * SIM_BATCH_STEPS)

static bool near(const struct sim *s, const struct arch *p, uint64_t happenings)
{
    for (unsigned k = 0; k < p->n_running; k++) {
        const unsigned n = p->running[k];
        const struct sim_counter *c = &p->counter[n];
        const bool records = p->pebs.counter[n].when != PEBS_NEVER;
        if (records && p->pebs.armed & arch_pebs_bit(n)) return true;
        const uint64_t most = c->by_steps && happenings > MOST_BY_STEPS ? MOST_BY_STEPS : happenings;
        if ((p == s->state || c->both) && (c->interrupt || records) && sim_counter_near(c, most)) return true;
    }
    return p == s->state && p->counts_latency;
}

/* An interrupt shows the instruction at which it happened, and so does a record of PEBS. A load's latency is
 * known while instructions come one by one. */
bool arch_exact(const struct sim *s, uint64_t happenings)
{
    return near(s, s->state, happenings) || (s->sibling && near(s, s->sibling->state, happenings));
}

bool arch_counts_clocks(const struct sim *s, unsigned n)
{
    return sim_counter_counts_clocks(s, &((const struct arch *)s->state)->counter[n]);
}

unsigned arch_unmodelled(const struct sim *s, unsigned n, const char **names, unsigned max)
{
    const struct arch *p = s->state;
    return sim_counter_unmodelled(&p->counter[n], names, max);
}
