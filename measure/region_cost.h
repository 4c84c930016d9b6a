/* What the markers of regions cost: from measurements of single markers in several states of caches and
 * buffers.
 *
 * A marker is complete where it runs inside of another region. Of a region's own two, what lies behind the
 * begin's reading and before the end's is in the region. What they count there of events that depend on
 * history (hits and misses of caches, TLBs and branch target buffers; clocks on silicon) depends on what ran
 * before; so it is not one number but a range, as Safford has it (appendix D, table D.2: not cached and
 * cached). An event of which the range is one number is exact. */
#pragma once
#include "bench/program.h"
#include "measure/region_table.h"

#define REGION_EVENTS (1 + REGION_COUNTERS) /* the time stamp, then the counters */

/* What is used to take away from the markers what they had. */
struct region_states {
    uint8_t *lines;             /* written, */
    size_t l1_bytes, all_bytes; /* as many as L1's lines, twice, and as those of L1 and L2 */
    void (*jumps)(void);        /* through L1I and the branch target buffer */
};

/* Make one of the states; the first is NULL, as warm as the call before has left it. measure/region_states.c
 */
#define REGION_STATES 5
typedef void region_state_fn(const struct region_states *s);
extern region_state_fn *const region_states[REGION_STATES];

/* False: no room in the arena, for region_states_kib() KiB. */
bool region_states_prepare(struct region_states *s, const struct cache_info *caches, struct arena *arena);
unsigned region_states_kib(const struct region_states *s);

/* One event's count in one marker or one entry. */
struct region_range {
    double least, most;
};

struct region_cost {
    struct region_range entry;      /* of a region's own markers, inside of it */
    struct region_range begin, end; /* of complete markers */
};

/* How payloads are run and counted. */
struct region_runner {
    const void *ctx;
    /* Run payload(arg) as repetitions are run; raw[]: what the bracket around it counted, of each event in
     * use. */
    void (*call)(const void *ctx, payload_fn *payload, void *arg, uint64_t *raw);
    const struct region_states *states;
};

struct regions;

/* Measure the markers that regions_arm() has chosen into r->cost[]. Leaves the table empty. */
void regions_calibrate(struct regions *r, const struct region_runner *how);
