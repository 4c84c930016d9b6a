/* The events of NetBurst (SDM tables 19-28 and 19-29; facts 3.7), and the translation of a CCCR and its ESCR
 * into the tallies that the counter adds. */
#include "sim/netburst.h"
#include <string.h>

/* clang-format off */

/* By unit, event select and event mask. A row whose mask has several bits needs all of them, and comes before
 * those of the single bits; one with NB_ANY_MASK is the event as a whole. Rows without terms are not
 * modelled. */
#define ROW(unit, select, mask, name, ...) {name, NB_CODE(unit, select, mask), {__VA_ARGS__}, 0, 0}
#define LATE(unit, select, mask, name, ...) \
    {name, NB_CODE(unit, select, mask), {__VA_ARGS__}, 0, NB_PRESCOTT}
/* For the oracle only: the counts of a tag, whether or not it is programmed. */
#define METRIC(name, ...) {name, NB_CODE(U_NONE, 0, 0), {__VA_ARGS__}, 0, 0}
#define BIT(n) (1u << (n))
#define UNMODELLED 0

/* Tag bits 1 to 15 that have bit n. */
#define TAGGED(n) \
    T_EXECUTION + TAG_WITH(n, 0), T_EXECUTION + TAG_WITH(n, 1), T_EXECUTION + TAG_WITH(n, 2), \
    T_EXECUTION + TAG_WITH(n, 3), T_EXECUTION + TAG_WITH(n, 4), T_EXECUTION + TAG_WITH(n, 5), \
    T_EXECUTION + TAG_WITH(n, 6), T_EXECUTION + TAG_WITH(n, 7)
/* The k-th of the eight values with bit n: k's bits below n, the bit, k's bits from n on. */
#define TAG_WITH(n, k) (((k) >> (n) << ((n) + 1)) | BIT(n) | ((k) & (BIT(n) - 1)))

#define MISPREDICTED(mask, name) ROW(U_TBPU, 0x05, mask, "retired_mispred_branch_type:" name, UNMODELLED)
#define BUS(select, name) ROW(U_FSB, select, NB_ANY_MASK, name, UNMODELLED)

const struct sim_event nb_events[NB_EVENTS] = {
    /* At retirement (table 19-29). */
    ROW(U_CRU0, 0x02, BIT(0), "instr_retired:NBOGUSNTAG", T_INSN),
    ROW(U_CRU0, 0x02, BIT(1), "instr_retired:NBOGUSTAG", T_INSN_TAGGED),
    ROW(U_CRU0, 0x02, BIT(2), "instr_retired:BOGUSNTAG", UNMODELLED),
    ROW(U_CRU0, 0x02, BIT(3), "instr_retired:BOGUSTAG", UNMODELLED),
    ROW(U_CRU0, 0x01, BIT(0), "uops_retired:NBOGUS", T_UOPS),
    ROW(U_CRU0, 0x01, BIT(1), "uops_retired:BOGUS", UNMODELLED),
    LATE(U_CRU0, 0x07, BIT(0), "instr_completed:NBOGUS", T_INSN, T_INSN_TAGGED),
    LATE(U_CRU0, 0x07, BIT(1), "instr_completed:BOGUS", UNMODELLED),
    ROW(U_CRU0, 0x03, BIT(0), "mispred_branch_retired:NBOGUS", UNMODELLED),
    ROW(U_CRU2, 0x08, BIT(0), "front_end_event:NBOGUS", T_FRONT_END),
    ROW(U_CRU2, 0x08, BIT(1), "front_end_event:BOGUS", UNMODELLED),
    ROW(U_CRU2, 0x0c, BIT(0), "execution_event:NBOGUS0", TAGGED(0)),
    ROW(U_CRU2, 0x0c, BIT(1), "execution_event:NBOGUS1", TAGGED(1)),
    ROW(U_CRU2, 0x0c, BIT(2), "execution_event:NBOGUS2", TAGGED(2)),
    ROW(U_CRU2, 0x0c, BIT(3), "execution_event:NBOGUS3", TAGGED(3)),
    ROW(U_CRU2, 0x0c, BIT(4), "execution_event:BOGUS0", UNMODELLED),
    ROW(U_CRU2, 0x0c, BIT(5), "execution_event:BOGUS1", UNMODELLED),
    ROW(U_CRU2, 0x0c, BIT(6), "execution_event:BOGUS2", UNMODELLED),
    ROW(U_CRU2, 0x0c, BIT(7), "execution_event:BOGUS3", UNMODELLED),
    ROW(U_CRU2, 0x09, BIT(0), "replay_event:NBOGUS", T_REPLAY),
    ROW(U_CRU2, 0x09, BIT(1), "replay_event:BOGUS", UNMODELLED),
    /* The prediction is not modelled, but the direction is: predicted and mispredicted together. */
    ROW(U_CRU2, 0x06, BIT(0) | BIT(1), "branch_retired:MMNP+MMNM", T_NOT_TAKEN),
    ROW(U_CRU2, 0x06, BIT(2) | BIT(3), "branch_retired:MMTP+MMTM", T_TAKEN),
    ROW(U_CRU2, 0x06, BIT(0), "branch_retired:MMNP", UNMODELLED),
    ROW(U_CRU2, 0x06, BIT(1), "branch_retired:MMNM", UNMODELLED),
    ROW(U_CRU2, 0x06, BIT(2), "branch_retired:MMTP", UNMODELLED),
    ROW(U_CRU2, 0x06, BIT(3), "branch_retired:MMTM", UNMODELLED),
    ROW(U_CRU2, 0x03, NB_ANY_MASK, "x87_assist", UNMODELLED),
    ROW(U_CRU2, 0x02, NB_ANY_MASK, "machine_clear", UNMODELLED),
    /* It tags; "the counter never increments". */
    ROW(U_RAT, 0x02, BIT(1), "uop_type:TAGLOADS", T_NEVER),
    ROW(U_RAT, 0x02, BIT(2), "uop_type:TAGSTORES", T_NEVER),

    /* Branches. A branch that is of two types counts once. */
    ROW(U_TBPU, 0x04, BIT(0), "retired_branch_type:UNCONDITIONAL", T_JMP),
    ROW(U_TBPU, 0x04, BIT(1), "retired_branch_type:CONDITIONAL", T_COND),
    ROW(U_TBPU, 0x04, BIT(2), "retired_branch_type:CALL", T_CALL, T_CALL_INDIRECT),
    ROW(U_TBPU, 0x04, BIT(3), "retired_branch_type:RETURN", T_RETURN),
    ROW(U_TBPU, 0x04, BIT(4), "retired_branch_type:INDIRECT", T_RETURN, T_CALL_INDIRECT, T_JMP_INDIRECT),
    MISPREDICTED(BIT(0), "UNCONDITIONAL"), MISPREDICTED(BIT(1), "CONDITIONAL"),
    MISPREDICTED(BIT(2), "CALL"), MISPREDICTED(BIT(3), "RETURN"), MISPREDICTED(BIT(4), "INDIRECT"),
    ROW(U_BPU, 0x03, BIT(0), "BPU_fetch_request:TCMISS", UNMODELLED),

    /* Front end. */
    ROW(U_TC, 0x01, NB_ANY_MASK, "TC_deliver_mode", UNMODELLED),
    ROW(U_TC, 0x06, BIT(4), "TC_misc:FLUSH", UNMODELLED),
    ROW(U_MS, 0x05, BIT(0), "tc_ms_xfer:CISC", UNMODELLED),
    ROW(U_MS, 0x09, NB_ANY_MASK, "uop_queue_writes", UNMODELLED),
    ROW(U_ITLB, 0x18, BIT(0), "ITLB_reference:HIT", UNMODELLED),
    ROW(U_ITLB, 0x18, BIT(1), "ITLB_reference:MISS", UNMODELLED),
    ROW(U_ITLB, 0x18, BIT(2), "ITLB_reference:HIT_UC", UNMODELLED),
    ROW(U_ALF, 0x01, BIT(5), "resource_stall:SBFULL", UNMODELLED),

    /* Memory. */
    ROW(U_PMH, 0x01, BIT(0), "page_walk_type:DTMISS", T_WALK),
    ROW(U_PMH, 0x01, BIT(1), "page_walk_type:ITMISS", UNMODELLED),
    ROW(U_SAAT, 0x04, BIT(1), "load_port_replay:SPLIT_LD", T_PORT_SPLIT_LD),
    ROW(U_SAAT, 0x05, BIT(1), "store_port_replay:SPLIT_ST", T_PORT_SPLIT_ST),
    ROW(U_SAAT, 0x08, BIT(0), "memory_complete:LSC", T_LSC),
    ROW(U_SAAT, 0x08, BIT(1), "memory_complete:SSC", T_SSC),
    ROW(U_SAAT, 0x08, BIT(2), "memory_complete:USC", UNMODELLED),
    ROW(U_SAAT, 0x08, BIT(3), "memory_complete:ULC", UNMODELLED),
    ROW(U_MOB, 0x03, BIT(1), "MOB_load_replay:NO_STA", UNMODELLED),
    ROW(U_MOB, 0x03, BIT(3), "MOB_load_replay:NO_STD", UNMODELLED),
    ROW(U_MOB, 0x03, BIT(4), "MOB_load_replay:PARTIAL_DATA", UNMODELLED),
    ROW(U_MOB, 0x03, BIT(5), "MOB_load_replay:UNALGN_ADDR", UNMODELLED),
    ROW(U_DAC, 0x02, BIT(2), "memory_cancel:ST_RB_FULL", UNMODELLED),
    ROW(U_DAC, 0x02, BIT(3), "memory_cancel:64K_CONF", UNMODELLED),
    ROW(U_DAC, 0x05, NB_ANY_MASK, "WC_Buffer", UNMODELLED),
    /* There are no shared lines, and there is no third level. */
    ROW(U_BSU, 0x0c, BIT(0), "BSQ_cache_reference:RD_2ndL_HITS", T_BSQ_HITS),
    ROW(U_BSU, 0x0c, BIT(1), "BSQ_cache_reference:RD_2ndL_HITE", T_BSQ_HITE),
    ROW(U_BSU, 0x0c, BIT(2), "BSQ_cache_reference:RD_2ndL_HITM", T_BSQ_HITM),
    ROW(U_BSU, 0x0c, BIT(3), "BSQ_cache_reference:RD_3rdL_HITS", T_NEVER),
    ROW(U_BSU, 0x0c, BIT(4), "BSQ_cache_reference:RD_3rdL_HITE", T_NEVER),
    ROW(U_BSU, 0x0c, BIT(5), "BSQ_cache_reference:RD_3rdL_HITM", T_NEVER),
    ROW(U_BSU, 0x0c, BIT(6), "BSQ_cache_reference:WR_2ndL_HIT", UNMODELLED),
    ROW(U_BSU, 0x0c, BIT(7), "BSQ_cache_reference:WR_3rdL_HIT", UNMODELLED),
    ROW(U_BSU, 0x0c, BIT(8), "BSQ_cache_reference:RD_2ndL_MISS", T_BSQ_MISS),
    ROW(U_BSU, 0x0c, BIT(9), "BSQ_cache_reference:RD_3rdL_MISS", T_NEVER),
    ROW(U_BSU, 0x0c, BIT(10), "BSQ_cache_reference:WR_2ndL_MISS", UNMODELLED),
    ROW(U_BSU, 0x0c, BIT(11), "BSQ_cache_reference:WR_3rdL_MISS", UNMODELLED),
    ROW(U_BSU, 0x05, NB_ANY_MASK, "BSQ_allocation", UNMODELLED),
    ROW(U_BSU, 0x06, NB_ANY_MASK, "bsq_active_entries", UNMODELLED),

    /* Bus and clock. */
    ROW(U_FSB, 0x13, BIT(0), "global_power_events:RUNNING", T_RUNNING),
    BUS(0x03, "IOQ_allocation"), BUS(0x1a, "IOQ_active_entries"), BUS(0x17, "FSB_data_activity"),
    BUS(0x16, "b2b_cycles"), BUS(0x08, "bnr"), BUS(0x06, "snoop"), BUS(0x04, "response"),

    /* Executed μops; upstream of execution tags. */
    ROW(U_FIRM, 0x08, BIT(15), "packed_SP_uop:ALL", T_CLASS + CLASS_PACKED_SP),
    ROW(U_FIRM, 0x0c, BIT(15), "packed_DP_uop:ALL", T_CLASS + CLASS_PACKED_DP),
    ROW(U_FIRM, 0x0a, BIT(15), "scalar_SP_uop:ALL", T_CLASS + CLASS_SCALAR_SP),
    ROW(U_FIRM, 0x0e, BIT(15), "scalar_DP_uop:ALL", T_CLASS + CLASS_SCALAR_DP),
    ROW(U_FIRM, 0x02, BIT(15), "64bit_MMX_uop:ALL", T_CLASS + CLASS_MMX64),
    ROW(U_FIRM, 0x1a, BIT(15), "128bit_MMX_uop:ALL", T_CLASS + CLASS_MMX128),
    ROW(U_FIRM, 0x04, BIT(15), "x87_FP_uop:ALL", T_CLASS + CLASS_X87),
    ROW(U_FIRM, 0x2e, BIT(3), "x87_SIMD_moves_uop:ALLP0", UNMODELLED),
    ROW(U_FIRM, 0x2e, BIT(4), "x87_SIMD_moves_uop:ALLP2", UNMODELLED),
    ROW(U_FIRM, 0x34, BIT(15), "SSE_input_assist:ALL", UNMODELLED),

    METRIC("memory_loads", T_LOADS),
    METRIC("memory_stores", T_STORES),
    METRIC("1stL_cache_load_miss_retired", T_LD_L1_MISS),
    METRIC("2ndL_cache_load_miss_retired", T_LD_L2_MISS),
    METRIC("DTLB_load_miss_retired", T_LD_DTLB_MISS),
    METRIC("DTLB_store_miss_retired", T_ST_DTLB_MISS),
    METRIC("DTLB_all_miss_retired", T_LD_DTLB_MISS, T_ST_DTLB_MISS),
    METRIC("split_load_retired", T_LD_SPLIT),
    METRIC("split_store_retired", T_ST_SPLIT),
};
/* clang-format on */

/* ---- from registers to terms ---- */

/* A row of this event, on this processor. */
static bool is_event(const struct sim *s, const struct sim_event *e, unsigned unit, unsigned select)
{
    return e->code >> 16 == NB_CODE(unit, select, 0) >> 16 && (!e->models || e->models & s->model_bit);
}

static void add_terms(struct nb_counter *c, const struct sim_event *e)
{
    for (unsigned k = 0; k < SIM_TERMS && e->terms[k]; k++) {
        if (!memchr(c->terms, e->terms[k], c->n_terms)) c->terms[c->n_terms++] = e->terms[k];
    }
}

struct list {
    const char **names;
    unsigned n, max;
};

static void name(struct list *l, const char *what)
{
    if (l->n < l->max) l->names[l->n++] = what;
}

/* The selection of an ESCR: terms of modelled events into c, names of the others into l. */
static void gather(const struct sim *s, unsigned unit, uint32_t escr, struct nb_counter *c, struct list *l)
{
    unsigned left = ESCR_MASK(escr);
    bool known = false;
    for (unsigned k = 0; k < NB_EVENTS; k++) {
        const struct sim_event *e = &nb_events[k];
        const unsigned mask = e->code & 0xffff;
        if (!is_event(s, e, unit, ESCR_SELECT(escr))) continue;
        known = true;
        if (mask != NB_ANY_MASK && ((left & mask) != mask || !mask)) continue;
        left &= ~mask;
        add_terms(c, e);
        if (!sim_event_modelled(s, e)) name(l, e->name);
    }
    if (left || !known) name(l, "RESERVED");
}

/* Tags that replay_event is programmed to count and that nothing here sets. */
static void untagged(const struct sim *s, struct list *l)
{
    const struct netburst *nb = nb_of(s);
    if (!(nb->pebs_enable & PEBS_UOP_TAG)) return;
    if (nb->pebs_enable & 1 << 9) name(l, "MOB_load_replay_retired");
    if (nb->pebs_enable & 3 << 15) name(l, "tagged_mispred_branch");
}

/* Upstream events that set one of these execution tags and are not modelled: a downstream counter then lacks
 * what they would have tagged. */
static void tagged_upstream(const struct sim *s, uint32_t tags, struct list *l)
{
    for (unsigned side = 0; side < 2; side++) {
        const uint32_t escr = nb_escr(s, U_FIRM, side);
        struct nb_counter terms = {.n_terms = 0}; /* are the upstream's own, and not wanted */
        if (escr & ESCR_TAG && ESCR_TAG_VALUE(escr) & tags) gather(s, U_FIRM, escr, &terms, l);
    }
}

static bool at_retirement_tagged(unsigned unit, unsigned select)
{
    return unit == U_CRU2 && (select == 0x08 || select == 0x0c || select == 0x09);
}

/* COMPLEMENT with the highest threshold is true in every clock, whatever is selected (SDM 18.17, non-sleep
 * clockticks); EDGE of that is one edge. */
static bool every_clock(uint32_t cccr)
{
    const uint32_t how = CCCR_COMPARE | CCCR_COMPLEMENT;
    return (cccr & (how | CCCR_EDGE)) == how && CCCR_THRESHOLD(cccr) == 15;
}

/* Happenings whose number in a batch does not depend on its steps. */
static bool by_steps(const struct nb_counter *c)
{
    static const uint8_t others[] = {T_INSN, T_CLOCKS, T_RUNNING, T_UOPS};
    for (unsigned k = 0; k < c->n_terms; k++)
        if (c->terms[k] >= T_CLASS || memchr(others, c->terms[k], sizeof others)) return false;
    return true;
}

/* Events that ignore which thread they belong to (SDM table 19-34): of these units. */
static bool thread_independent(unsigned unit) { return unit == U_PMH || unit == U_FIRM; }

/* Privilege levels by thread. */
static void levels(struct nb_counter *c, uint32_t escr)
{
    for (unsigned t = 0; t < NB_THREADS; t++)
        c->cpls[t] = (escr & nb_level_bit(2 * t) ? 1 : 0) | (escr & nb_level_bit(2 * t + 1) ? 0xe : 0);
}

static void unclaimed(struct nb_counter *c, struct list *l, const char *what)
{
    name(l, what);
    c->n_terms = 0;
    c->compares = c->duration = false;
}

/* With two threads: what depends on which of them runs when has no count. Clocks of both at all levels are
 * those in which one at least runs. A thread-independent event counts while either thread is at a selected
 * level (SDM table 18-67), so always, where both levels are selected. */
static void of_two_threads(struct nb_counter *c, unsigned unit, struct list *l)
{
    const uint8_t any = c->cpls[0] | c->cpls[1];
    const bool clocks = memchr(c->terms, T_RUNNING, c->n_terms) || memchr(c->terms, T_CLOCKS, c->n_terms);
    if (c->compares) {
        unclaimed(c, l, "threshold of two threads");
    } else if (clocks && c->cpls[0] && c->cpls[1]) {
        c->once = true;
        if ((c->cpls[0] & c->cpls[1]) != 0xf) unclaimed(c, l, "clocks of two threads");
    } else if (thread_independent(unit)) {
        c->cpls[0] = c->cpls[1] = any;
        if (any != 0 && any != 0xf) unclaimed(c, l, "either thread's privilege level");
    }
}

/* Both terms and names are computed here, so that they agree. */
static void resolve(const struct sim *s, unsigned n, struct nb_counter *c, struct list *l)
{
    unsigned side;
    const unsigned unit = nb_route(n, CCCR_ESEL(c->cccr), &side);
    const uint32_t escr = nb_escr(s, unit, side), select = ESCR_SELECT(escr);

    memset(c->terms, 0, sizeof c->terms);
    c->n_terms = 0;
    levels(c, escr);
    c->compares = c->cccr & CCCR_COMPARE;
    c->duration = c->pebs = c->by_steps = c->once = false;
    if (!nb_escr_msr(s, unit, side)) {
        name(l, "RESERVED");
        c->compares = false;
        return;
    }
    if (select == 0) { /* nothing is selected: the counter may be powered down (SDM 18.15.5.9) */
        c->compares = false;
        return;
    }
    if (every_clock(c->cccr)) {
        c->terms[c->n_terms++] = T_CLOCKS;
        c->cpls[0] = c->cpls[1] = 0xf;
        c->compares = false;
        if (nb_of(s)->two) of_two_threads(c, unit, l);
        return;
    }
    gather(s, unit, escr, c, l);
    if (unit == U_CRU2 && select == 0x09) untagged(s, l);
    if (unit == U_CRU2 && select == 0x0c) tagged_upstream(s, ESCR_MASK(escr) & 0xf, l);
    c->by_steps = by_steps(c);
    c->duration = c->n_terms && memchr(c->terms, T_RUNNING, c->n_terms);
    /* In twice: "over- and under-counts up to 2x" (SDM table 19-28). */
    if (unit == U_BSU && select == 0x0c && s->errata & NB_BSQ_DOUBLE) {
        memcpy(c->terms + c->n_terms, c->terms, c->n_terms);
        c->n_terms *= 2;
    }
    if (nb_of(s)->two) of_two_threads(c, unit, l);
    c->pebs = n == NB_PEBS_COUNTER && at_retirement_tagged(unit, select) && nb_of(s)->pebs_enable & PEBS_ON;
}

void nb_resolve(struct sim *s, unsigned n)
{
    struct list none = {NULL, 0, 0};
    resolve(s, n, &nb_of(s)->counter[n], &none);
}

unsigned nb_unmodelled(const struct sim *s, unsigned n, const char **names, unsigned max)
{
    struct nb_counter copy = nb_of(s)->counter[n];
    struct list l = {names, 0, max};
    resolve(s, n, &copy, &l);
    return l.n;
}
