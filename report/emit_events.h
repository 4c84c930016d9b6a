/* events=list and events=find:WORD+WORD... */
#pragma once
#include "pmu/pmu.h"

/* Emits a record for each event that can be measured here: perf's words, the driver's own, the database's.
 * words: NULL, or the words to find (pmu/find.h) in names, descriptions and unit masks. After an event of the
 * database come its unit masks, each as an event by itself; if only unit masks have the words, they come
 * without the event. False: nothing was found, which a note reports. */
bool emit_events(const struct pmu *pmu, const char *words);
