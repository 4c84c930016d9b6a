/* Which events are measured together. Never time-multiplexed: what does not fit into one run is measured by
 * running again. The time stamp needs no counter and is read in every run. */
#pragma once
#include "pmu/pmu.h"

#define EVENTS_MAX 64

struct group {
    unsigned n;
    unsigned event[PMU_COUNTERS];   /* indices into the request, in the order of reading */
    unsigned counter[PMU_COUNTERS]; /* the counter that each is measured on */
};

/* Pack n events (at most EVENTS_MAX) into as few groups as the restrictions of the usable counters allow,
 * into out[], which has room for n. Returns the number of groups. An event that fits no usable counter is in
 * none of them. */
unsigned schedule_groups(const struct pmu_code *code, unsigned n, uint32_t usable, struct group *out);
