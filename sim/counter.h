/* What counters with a PerfEvtSel have in common: P6's, those of architectural performance monitoring, and
 * AMD's, whose PERF_CTL has the same bits in its low half. "facts" is the project's
 * sheet on PMUs, "SDM" Intel's Software Developer's Manual vol. 3.
 */
#pragma once
#include "sim/core.h"

/* PerfEvtSel (SDM 18.22.1, figure 18-38; 18.2.1.1; facts 5.1) */
#define SEL_EVENT(select) ((unsigned)((select)&0xff))
#define SEL_UMASK(select) ((unsigned)((select) >> 8 & 0xff))
#define SEL_CODE(select)  ((unsigned)((select)&0xffff)) /* both, as in sim_event.code */
#define SEL_CMASK(select) ((unsigned)((select) >> 24 & 0xff))
#define SEL_USR           (1u << 16)
#define SEL_OS            (1u << 17)
#define SEL_EDGE          (1u << 18)
#define SEL_PC            (1u << 19)
#define SEL_INT           (1u << 20)
#define SEL_EN            (1u << 22)
#define SEL_INV           (1u << 23)

struct sim_counter {
    uint64_t select; /* as written; of a fixed counter what its control register has for it */
    uint64_t value, mask;
    uint64_t status;          /* its bit in the global status register; 0: there is none */
    uint8_t cpls;             /* bit n: counts at CPL n; 0 while disabled */
    bool interrupt;           /* asks for one when it overflows */
    uint8_t terms[SIM_TERMS]; /* what it adds up; none: it does not move */
    unsigned n_terms;
    const char *unmodelled; /* name of its event, where the model does not claim it; else NULL */
};

/* For sim_counter.cpls. */
static inline uint8_t sim_counter_levels(bool os, bool usr)
{
    return (uint8_t)((os ? 1 : 0) | (usr ? 0xe : 0));
}

/* What the tally has for it. */
static inline uint64_t sim_counter_events(const struct sim *s, const struct sim_counter *c)
{
    if (!(c->cpls >> s->cpl & 1)) return 0;
    uint64_t events = s->tally.count[c->terms[0]]; /* nothing is ever added to kind 0 */
    for (unsigned k = 1; k < c->n_terms; k++) events += s->tally.count[c->terms[k]];
    return events;
}

/* True: it has overflowed, with a carry out of its uppermost bit. */
static inline bool sim_counter_add(struct sim_counter *c, uint64_t events)
{
    const uint64_t sum = c->value + events;
    c->value = sum & c->mask;
    return sum > c->mask;
}

/* May it overflow within that many happenings of each kind? */
static inline bool sim_counter_near(const struct sim_counter *c, uint64_t happenings)
{
    return c->cpls && c->mask - c->value < happenings * c->n_terms;
}

/* E, CMASK and INV act on what happens in one clock, which only a pipeline would tell. What can be said
 * without one: an event that happens at most once in a clock is as it is under CMASK=1; none passes a CMASK
 * above what its unit can do; and an event that is never in two clocks running has as many edges as
 * occurrences. c->terms becomes what is counted then. most: how often the event can happen in a clock, at
 * most; apart: never in two running. False: anything else. */
bool sim_counter_qualify(const struct sim *s, struct sim_counter *c, unsigned most, bool apart);
/* The terms of its select have been found; or else it does not move, and name is what the oracle lists. */
void sim_counter_resolved(struct sim_counter *c, bool modelled, const char *name);
/* sim_family.unmodelled of this one. */
unsigned sim_counter_unmodelled(const struct sim_counter *c, const char **names, unsigned max);
