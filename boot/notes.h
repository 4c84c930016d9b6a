/* Notes: what a reader of the results should know of, told beside them. */
#pragma once
#include "measure/schedule.h"
#include "report/emit.h"

/* Of the machine, as it was found. */
void tell_conditions(const struct system *sys);
/* Why not every event can be named. */
void tell_events(const struct pmu *pmu);
/* Events that were asked for and are in none of the groups: each is named, none prints as 0. */
void tell_unmeasured(const struct pmu *pmu, const struct options *opt, const struct group *group,
                     unsigned groups);
/* What came or waits although everything is masked. */
void tell_interrupts(const struct system *sys);
