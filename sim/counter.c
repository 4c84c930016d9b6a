/* Counters with a PerfEvtSel: from its fields to the tallies that are added. */
#include "sim/counter.h"
#include <string.h>

bool sim_counter_qualify(const struct sim *s, struct sim_counter *c, unsigned most, bool apart)
{
    const struct sim_clocks *clocks = &s->family->clocks;
    const unsigned cmask = SEL_CMASK(c->select);
    const bool edge = c->select & SEL_EDGE, invert = c->select & SEL_INV;

    if (!c->terms[0]) most = 0;
    /* Never at the threshold, or, inverted, below it in every clock: no edge either way. */
    if (cmask > most) {
        memset(c->terms, 0, sizeof c->terms);
        if (invert && !edge) c->terms[0] = clocks->running;
        return true;
    }
    if (cmask && (invert || most > 1)) return false;
    if (!edge || apart || !c->terms[0]) return true;
    if (c->terms[0] != clocks->running) return false;
    c->terms[0] = clocks->wakes;
    return true;
}

void sim_counter_resolved(struct sim_counter *c, bool modelled, const char *name)
{
    if (!modelled) memset(c->terms, 0, sizeof c->terms);
    c->unmodelled = modelled ? NULL : name;
    for (c->n_terms = 0; c->n_terms < SIM_TERMS && c->terms[c->n_terms];) c->n_terms++;
}

bool sim_counter_counts_clocks(const struct sim *s, const struct sim_counter *c)
{
    return c->cpls && sim_has_clocks(s, c->terms, c->n_terms);
}

unsigned sim_counter_unmodelled(const struct sim_counter *c, const char **names, unsigned max)
{
    if (!c->cpls || !c->unmodelled || !max) return 0;
    *names = c->unmodelled;
    return 1;
}
