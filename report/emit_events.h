/* events=list and events=find:PATTERN. */
#pragma once
#include "pmu/pmu.h"

/* A record for each event that can be measured here: perf's words, the driver's own, the database's. With a
 * pattern (lower case, not ""), only those whose name or description has it somewhere, and of the database
 * each unit mask of which that holds, as an event by itself. False: none has it, as a note then says. */
bool emit_events(const struct pmu *pmu, const char *pattern);
