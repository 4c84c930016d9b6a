/* Assigns events to counters: any list of events in as few groups as the counters' restrictions allow.
 *
 * One run measures a group: at most one event on each counter. k groups use each counter k times. So the
 * least number of groups is the least k for which every event can have a counter and no counter has more than
 * k events: a bipartite matching in which counters have capacity k. It grows event by event along augmenting
 * paths, and k grows by one whenever there is no such path. This is exact; first fit is not.
 */
#pragma once
#include <stdint.h>

#define MATCH_NONE UINT32_MAX

struct match_slot {
    uint32_t group; /* from 0; MATCH_NONE: fits no usable counter */
    uint32_t counter;
};

/* allowed[i]: bit c says that event i may be counted on counter c. usable: the existing counters; first: the
 * counters that are preferred where an event has a choice, since they can count little else. Fills slot[0..n)
 * and returns the number of groups (0 where no event fits). Of two events on one counter the earlier one is
 * in the earlier group. Time: n * n * counters at worst. */
unsigned match_events(const uint32_t *allowed, unsigned n, uint32_t usable, uint32_t first,
                      struct match_slot *slot);
