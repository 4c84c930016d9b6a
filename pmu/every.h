/* Every event of a CPU, one after the other: the rows of the driver's table, then the events of the database,
 * each by its name alone; one that needs a unit mask, with each of them. perf's words and other spellings
 * come under these names. */
#pragma once
#include "pmu/pmu.h"

/* A place in the list; {0} is before the first. */
struct pmu_every {
    const struct pmu_event *row; /* the last one */
    bool rows_done;
    unsigned event, umask; /* of the database: the next ones */
    unsigned found;        /* events that pmu_every_next() gave */
    unsigned extra_register, absent,
        no_counter; /* passed over: each also needs an MSR that no driver programs; no counter has
                       it at all; none of those that work has it */
};

/* The next event that a usable counter can count, as pmu_event_parse() gives it. False: there are no more. */
bool pmu_every_next(const struct pmu *pmu, struct pmu_every *at, struct pmu_code *out);
