/* Regions, the harness's side: choose the markers, measure what they cost, gather what they counted.
 *
 * Once for a run: regions_arm(), regions_calibrate(). Then regions_reset() before and regions_gather() after
 * each repetition, and the same with regions_gather_first() around one call with cold caches.
 * regions_result() corrects:
 *
 *   total = sum over entries - entries x overhead - begins inside x cost of one - ends inside x cost of one
 */
#pragma once
#include "measure/bracket.h"
#include "measure/region_table.h"

#define REGION_EVENTS (1 + REGION_COUNTERS)

/* What markers cost, of one event: in the region that they enclose, and in one that encloses them. */
struct region_cost {
    uint64_t first;    /* of the very first entry, with cold caches. Least values */
    uint64_t other;    /* of another region's first entry: the markers are in the caches, its sums are not */
    uint64_t later;    /* of an entry with warm caches */
    double begin, end; /* of a complete marker inside another region, warm */
};

/* One region over the repetitions so far. */
struct region_tally {
    uint64_t entered, exited, nested;     /* sums */
    uint32_t entered_rep, exited_rep;     /* of one repetition */
    bool varies, unbalanced, early, cold; /* cold: first[] is there */
    struct {
        double mean, squares, min, max; /* corrected totals of repetitions; squares of the deviations */
        double first;                   /* the first entry with cold caches, corrected */
        uint64_t overhead_first;        /* by this */
    } event[REGION_EVENTS];
};

struct regions {
    struct region_table *table; /* in the arena, where ring 3 can write it */
    uint64_t mask;              /* of the counters' width */
    unsigned events;            /* the time stamp and the counters in use */
    bool many;                  /* the table's wider regions are in use */
    unsigned reps;
    bool seen[REGIONS];    /* some repetition marked it */
    uint64_t out_of_range; /* markers whose id was REGIONS or more */
    struct region_cost cost[REGION_EVENTS];
    struct region_tally tally[REGIONS];
};

/* One region, one event. Values are those of one repetition. */
struct region_result {
    uint64_t entered, exited; /* of one repetition; varies: of all repetitions */
    double nested;            /* complete markers inside, of one repetition */
    double total, min, max,
        ci; /* mean over the repetitions and its confidence interval; NaN: there is none */
    double per_entry, first;
    uint64_t overhead_first, overhead_later;
    bool unbalanced;     /* entered and exited differ: no values */
    bool early;          /* an end came before its begin: no values */
    bool varies;         /* repetitions entered it differently often */
    bool below_overhead; /* the total was less than the overhead and is shown as 0 */
    bool first_below;    /* first was */
};

/* Choose the markers that read like the bracket of these; select: as in struct reading. False where there are
 * none. */
bool regions_arm(struct regions *r, enum serialize serialize, enum reader reader, const uint32_t *select,
                 unsigned counters, uint64_t mask);

/* Measure the markers. call(ctx, payload, arg) runs a payload as repetitions are run. */
typedef void region_call(const void *ctx, payload_fn *payload, void *arg);
void regions_calibrate(struct regions *r, region_call *call, const void *ctx);

void regions_reset(struct regions *r);
void regions_gather(struct regions *r);
void regions_gather_first(struct regions *r);

/* The result of region id, of the k-th event. False where no repetition marked this region. */
bool regions_result(const struct regions *r, unsigned id, unsigned k, unsigned conf,
                    struct region_result *out);
