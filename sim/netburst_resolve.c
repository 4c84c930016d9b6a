/* The translation of a CCCR and its ESCR into the tallies that the counter adds (SDM 18.15.3; with two
 * threads 18.16). */
#include "sim/netburst.h"
#include <string.h>

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
    if (!(nb->pebs_tags & PEBS_UOP_TAG)) return;
    if (nb->pebs_tags & 1 << 9) name(l, "MOB_load_replay_retired");
    if (nb->pebs_tags & 3 << 15) name(l, "tagged_mispred_branch");
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
    const unsigned precise = nb_pebs_thread(nb_of(s), n);
    c->pebs = precise < NB_THREADS && at_retirement_tagged(unit, select) && nb_of(s)->pebs_on[precise];
}

void nb_resolve(struct sim *s, unsigned n)
{
    struct netburst *nb = nb_of(s);
    const struct nb_counter *c = &nb->counter[n];
    struct list none = {NULL, 0, 0};
    resolve(s, n, &nb->counter[n], &none);
    nb->assists &= ~(UINT32_C(1) << n);
    for (unsigned k = 0; k < c->n_terms; k++)
        if (c->terms[k] >= T_ASSIST && c->terms[k] < T_CLASS) nb->assists |= UINT32_C(1) << n;
}

unsigned nb_unmodelled(const struct sim *s, unsigned n, const char **names, unsigned max)
{
    struct nb_counter copy = nb_of(s)->counter[n];
    struct list l = {names, 0, max};
    resolve(s, n, &copy, &l);
    return l.n;
}
