/* Pairs, and where something is measured, into records. */
#pragma once
#include "kernel/topology.h"
#include "measure/pair.h"
#include "report/emit.h"

/* Two cores of which nothing tells what they share: where there is no other pair. */
#define PAIR_CORES TOPOLOGY_PAIRS

/* One event of one side of a pair. */
struct pair_figure {
    const struct machine *m;
    int how;                          /* enum topology_pair, or PAIR_CORES */
    const struct load *load, *beside; /* the benchmark, and the other one */
    unsigned cpu, beside_cpu;         /* where each was */
    const struct pair_side *alone, *together;
    unsigned event; /* index into both */
};
void emit_pair(const struct pair_figure *p, const struct options *opt);

/* The processor that is measured from here on. */
void emit_measuring(const struct topology *t, unsigned cpu);
