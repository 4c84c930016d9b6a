/* Chooses the events that are measured together. Counters are never time-multiplexed: events that do not fit
 * into one run are measured in another run. The time stamp needs no counter and is read in every run. */
#pragma once
#include "pmu/pmu.h"

#define EVENTS_MAX 64

struct group {
    uint8_t n;
    uint8_t event[PMU_COUNTERS];   /* indices into the request, in the order of reading */
    uint8_t counter[PMU_COUNTERS]; /* the counter that each is measured on */
};

/* Pack n events (at most EVENTS_MAX) into as few groups as the restrictions of pmu->usable counters allow,
 * into out[], which has room for n. Returns the number of groups. An event that fits no usable counter is in
 * none of them. Events of a group are in the order of the request.
 *
 * Where the family's events are independent this is a matching (measure/match.h), and exact. Where
 * pmu->ops->allocate judges whole sets it is a search, exact too unless SCHEDULE_TRIALS do not suffice, in
 * which case the best result found is used: never worse than first fit. The same request always gives the
 * same groups.
 *
 * Events with a preset come last, each in a group of its own, and a cascade's two together: before each
 * repetition their counters are set anew. */
unsigned schedule_groups(const struct pmu *pmu, const struct pmu_code *code, unsigned n, struct group *out);

/* The same groups, divided so that none has more than `most` events, into out[], which has room for all
 * events. Returns their number. */
unsigned schedule_split(const struct group *group, unsigned groups, unsigned most, struct group *out);

/* Calls of allocate() at most, beyond those of first fit and of trying each pair. */
#define SCHEDULE_TRIALS 10000
