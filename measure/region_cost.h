/* The cost of the markers of regions, from measurements of single markers in several states of caches and
 * buffers.
 *
 * A marker is complete where it runs inside of another region. Of a region's own two markers, the part after
 * the begin's reading and before the end's is in the region. Some events depend on history: hits and misses
 * of caches, TLBs and branch target buffers, and clocks on silicon. The markers' count of these is a range
 * and not one number, as in Safford (appendix D, table D.2: not cached and cached). If the range of an event
 * is one number, the result is exact. */
#pragma once
#include "bench/program.h"
#include "measure/region_table.h"

#define REGION_EVENTS (1 + REGION_COUNTERS) /* the time stamp, then the counters */

/* The means to evict the markers' lines and entries. */
struct region_states {
    uint8_t *lines;             /* written, */
    size_t l1_bytes, all_bytes; /* as many as twice L1's lines, and as many as L1's and L2's */
    void (*jumps)(void);        /* through L1I and the branch target buffer */
};

/* Make one of the states; the first is NULL: as warm as after the previous call. measure/region_states.c
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

/* How to run and count payloads. */
struct region_runner {
    const void *ctx;
    /* Run payload(arg) like a repetition; raw[]: the count of each event in use, by the bracket around it. */
    void (*call)(const void *ctx, payload_fn *payload, void *arg, uint64_t *raw);
    const struct region_states *states;
};

struct regions;

/* Measure the markers chosen by regions_arm(), into r->cost[]. Leaves the table empty. */
void regions_calibrate(struct regions *r, const struct region_runner *how);
