/* Which events are measured together. Never time-multiplexed: what does not fit is measured by running again.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct event {
    const char *name;
    bool needs_counter; /* false: the time stamp, which every run reads anyway */
};

#define EVENTS_MAX   32
#define GROUP_EVENTS 18 /* no PMU has more counters */

struct group {
    unsigned n;
    const struct event *event[GROUP_EVENTS + 1];
};

/* An event by name, NULL where there is none. */
const struct event *event_find(const char *name, size_t len);
/* The i-th event that this build knows, NULL after the last. */
const struct event *event_at(unsigned i);

/* Pack the events requested into as few groups as counters (the number that this CPU has) allows, in the
 * order of the request; events that need no counter join the first group. Returns the number of groups, 0
 * where an event needs a counter and there is none, or max groups are not enough. */
unsigned schedule_groups(const struct event *const *request, unsigned n, unsigned counters, struct group *out,
                         unsigned max);
