/* The single repetitions of regions, which all=1 keeps: what the markers left in the table, corrected when
 * all is measured. Their memory lies behind everything else of the run. */
#pragma once
#include "kernel/arena.h"
#include "measure/region.h"

/* One repetition of a region, one event. */
struct region_rep {
    uint32_t entered;
    uint64_t raw;              /* sum over the entries, with what the markers counted */
    struct region_range total; /* what the payload's own instructions counted */
};

/* Prepares r->kept for so many repetitions of the regions below `labelled`. One above gets its memory when a
 * repetition marks it. The arena serves until the run ends. False: it has no room. */
bool region_reps_prepare(struct regions *r, unsigned reps, unsigned labelled, struct arena *arena);

/* What the last repetition left of region id, entered as often as exited. It runs between two repetitions, so
 * it writes little, beside what it wrote after the repetition before. */
void region_reps_keep(struct regions *r, unsigned id, uint32_t entered, uint32_t begins, uint32_t ends);

/* False: a region got no memory. True also where nothing is kept. */
bool region_reps_complete(const struct regions *r);
/* How many regions wanted memory. */
unsigned region_reps_regions(const struct regions *r);

/* Repetition i of region id, of the k-th event, where all repetitions have values. */
struct region_rep region_rep(const struct regions *r, unsigned id, unsigned k, unsigned i);
