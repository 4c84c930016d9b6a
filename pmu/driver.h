/* What the drivers of pmu/ share among themselves. */
#pragma once
#include "pmu/pmu.h"

/* Write why, as printf does. Always false, so that a function can end with it. */
bool pmu_refuse(char *why, size_t cap, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* WRMSR; a refusal names register and value. */
bool pmu_write(uint32_t msr, uint64_t value, char *why, size_t cap);

/* WRMSR of a register that reads back what was written, at least in the bits of mask. One that does not is
 * not there: emulators swallow writes to MSRs that they do not know, and read zero. */
bool pmu_write_kept(uint32_t msr, uint64_t value, uint64_t mask, char *why, size_t cap);

/* Does this CPU have the event of this row? */
bool pmu_has(const struct pmu *pmu, const struct pmu_event *e);

/* The next row that this CPU has with this event code, behind `after` (NULL: the first). NULL: no more. */
const struct pmu_event *pmu_event_coded(const struct pmu *pmu, uint32_t code, const struct pmu_event *after);

/* The row of this name (lower case), among those that this CPU has. */
const struct pmu_event *pmu_event_named(const struct pmu *pmu, const char *name);

/* Up to three names of events and words that resemble `name` (lower case), nearest first, into near; "" for
 * none. */
void pmu_nearest(const struct pmu *pmu, const char *name, char *near, size_t cap);
