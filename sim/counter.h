/* The common part of counters with a PerfEvtSel: P6's, those of architectural performance monitoring, and
 * AMD's, whose PERF_CTL has the same bits in its low half. "facts" is the project's sheet on PMUs, "SDM"
 * Intel's Software Developer's Manual vol. 3.
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
    uint64_t select; /* as written; of a fixed counter its field of the control register */
    uint64_t value, mask;
    uint64_t status;          /* its bit in the global status register; 0: there is none */
    uint8_t cpls;             /* bit n: counts at CPL n; 0 while disabled */
    bool interrupt;           /* requests an interrupt when it overflows */
    bool both;                /* counts the core's other thread as well, at the level of that */
    uint8_t terms[SIM_TERMS]; /* the tallies that it adds; none: it does not move */
    unsigned n_terms;
    bool by_steps;          /* in a batch only accesses and near branches add to it */
    const char *unmodelled; /* name of its event, where the model does not claim it; else NULL */
};

/* For sim_counter.cpls. */
static inline uint8_t sim_counter_levels(bool os, bool usr)
{
    return (uint8_t)((os ? 1 : 0) | (usr ? 0xe : 0));
}

/* The counter's increment from the tally. */
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

/* May it overflow within this number of happenings of each kind? */
static inline bool sim_counter_near(const struct sim_counter *c, uint64_t happenings)
{
    return c->cpls && c->mask - c->value < happenings * c->n_terms;
}

/* E, CMASK and INV act on the events of one clock, which only a pipeline model would give. Without one these
 * cases are known: CMASK=1 does not change an event that happens at most once in a clock; a CMASK above the
 * unit's maximum never counts; and an event that never happens in two consecutive clocks has as many edges as
 * occurrences. c->terms becomes the terms that are counted then. most: the largest number of events in a
 * clock; apart: never in two consecutive clocks. False: any other case. */
bool sim_counter_qualify(const struct sim *s, struct sim_counter *c, unsigned most, bool apart);
/* The terms of its select have been found; or else it does not move, and name is what the oracle lists. */
void sim_counter_resolved(struct sim_counter *c, bool modelled, const char *name);
/* sim_family.counts_clocks and .unmodelled of this one. */
bool sim_counter_counts_clocks(const struct sim *s, const struct sim_counter *c);
unsigned sim_counter_unmodelled(const struct sim_counter *c, const char **names, unsigned max);
