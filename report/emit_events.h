/* events=list and events=find:WORD+WORD... */
#pragma once
#include "pmu/pmu.h"

/* A record for each event that can be measured here: perf's words, the driver's own, the database's. words:
 * NULL, or what to find (pmu/find.h) in names, descriptions and unit masks. An event of the database that is
 * found has its unit masks after it, each as an event by itself; where only unit masks have the words, those
 * stand alone. False: nothing was found, as a note then says. */
bool emit_events(const struct pmu *pmu, const char *words);
