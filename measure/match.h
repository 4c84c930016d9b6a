/* Which event on which counter: any list of events into as few groups as the counters' restrictions allow.
 *
 * A group is what one run measures: at most one event on each counter. k groups offer each counter k times,
 * so that the least number of groups is the least k for which the events can be given counters with no
 * counter given more than k of them: a bipartite matching in which counters have capacity k. It is grown
 * event by event along augmenting paths, and k by one whenever there is none; this is exact, where first fit
 * is not.
 */
#pragma once
#include <stdint.h>

#define MATCH_NONE UINT32_MAX

struct match_slot {
    uint32_t group; /* from 0; MATCH_NONE: fits no usable counter */
    uint32_t counter;
};

/* allowed[i]: bit c says that event i may be counted on counter c. usable: the counters that there are;
 * first: those that an event gets before any other where it has the choice, counters that can do little else.
 * Fills slot[0..n) and returns the number of groups (0 where no event fits). Events keep their order: of two
 * on one counter the earlier is in the earlier group. Time: n * n * counters at worst. */
unsigned match_events(const uint32_t *allowed, unsigned n, uint32_t usable, uint32_t first,
                      struct match_slot *slot);
