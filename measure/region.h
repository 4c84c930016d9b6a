/* Regions, the harness's side: choose the markers, gather their counts, subtract their cost
 * (measure/region_cost.h).
 *
 * Once for a run: regions_arm(), regions_calibrate(). Then regions_reset() before and regions_gather() after
 * each repetition, and the same with regions_gather_first() around one call with cold caches.
 * regions_result() corrects:
 *
 *   total = sum over entries - entries x overhead - begins inside x cost of one - ends inside x cost of one
 *
 * The cost of markers is a range, and so is the total: from the sum less their greatest cost to the sum less
 * their least. The range contains the count of the payload's own instructions there, as they run with the
 * markers.
 */
#pragma once
#include "measure/bracket.h"
#include "measure/region_cost.h"

/* The lower or the upper end of a region's totals. */
struct region_bound {
    double mean, squares, min, max; /* of repetitions; squares of the deviations */
    double first;                   /* the first entry with cold caches */
};

/* One region over the repetitions so far. */
struct region_tally {
    uint64_t entered, exited, nested;     /* sums */
    uint32_t entered_rep, exited_rep;     /* of one repetition */
    bool varies, unbalanced, early, cold; /* cold: first is valid */
    struct {
        struct region_bound least, most;
        bool below, first_below; /* less than the least overhead */
    } event[REGION_EVENTS];
};

struct region_reps; /* measure/region_reps.h */

struct regions {
    struct region_table *table; /* in the arena, where ring 3 can write it */
    uint64_t mask;              /* of the counters' width */
    unsigned events;            /* the time stamp and the counters in use */
    bool many;                  /* the table's wider regions are in use */
    bool keeps;                 /* *kept is; said here, in a line that is read between repetitions anyway */
    unsigned reps;
    bool seen[REGIONS];                 /* a repetition marked it */
    uint64_t out_of_range;              /* markers whose id was REGIONS or more */
    uint64_t impossible[REGION_EVENTS]; /* a sum that is no count, since it is below 0; 0: all are counts */
    struct region_cost cost[REGION_EVENTS];
    struct region_tally tally[REGIONS];
    struct region_states states;
    struct region_reps *kept; /* the single repetitions, with all=1 */
};

/* One region, one event. Values are those of one repetition. NaN: there is none. */
struct region_result {
    uint64_t entered, exited;     /* of one repetition; varies: of all repetitions */
    double nested;                /* complete markers inside, of one repetition */
    struct region_range total;    /* mean over the repetitions */
    double ci;                    /* its confidence interval, which covers the repetitions' scatter only */
    double min, max;              /* what a repetition's total may have been */
    struct region_range first;    /* the first entry with cold caches */
    struct region_range overhead; /* of an entry */
    double entries;               /* divisor from total to one entry */
    bool unbalanced;              /* entered and exited differ: no values */
    bool early;                   /* an end ran before its begin: no values */
    bool varies;                  /* repetitions entered it different numbers of times */
    bool below_overhead; /* a sum was less than the least overhead: all of it may belong to the region */
    bool first_below;    /* first was */
};

/* Choose the markers that read like the bracket with the same arguments; select: as in struct reading. False
 * if there are none. */
bool regions_arm(struct regions *r, enum serialize serialize, enum reader reader, const uint32_t *select,
                 unsigned counters, uint64_t mask);

/* The sum of an event over all entries of region id since the table was cleared, k: 0 for the time stamp,
 * then the counters. */
uint64_t regions_sum(const struct regions *r, unsigned id, unsigned k);

void regions_reset(struct regions *r);
void regions_gather(struct regions *r);
void regions_gather_first(struct regions *r);

/* The result of region id, of the k-th event. False where no repetition marked this region. */
bool regions_result(const struct regions *r, unsigned id, unsigned k, unsigned conf,
                    struct region_result *out);

/* A sum less the most and less the least that the markers can have counted. */
struct region_left {
    double least, most;
    bool below; /* the sum was less than the markers' least */
};

/* What is left of a sum of the k-th event over so many entries with so many markers inside. A count is not
 * negative. A sum below the markers' least may belong to the region as a whole: then the calibration has
 * missed a case. Inlined, since regions_gather() runs between repetitions. */
static inline __attribute__((always_inline)) struct region_left
regions_left(const struct regions *r, unsigned k, uint64_t sum, uint32_t entries, double begins, double ends)
{
    const struct region_cost *c = &r->cost[k];
    /* Signed: an unsigned number would be converted with a constant that lies anywhere (kernel/repeated.h).
     */
    const double half = (double)(int64_t)(sum >> 1), value = half + half + (int)(sum & 1);
    struct region_left x = {
        .least = value - entries * c->entry.most - begins * c->begin.most - ends * c->end.most,
        .most = value - entries * c->entry.least - begins * c->begin.least - ends * c->end.least};
    x.below = x.most < 0;
    if (x.least < 0) x.least = 0;
    if (x.below) x.most = value;
    return x;
}
