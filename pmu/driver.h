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

/* The bits of the field that a row of the family's unit masks speaks about. */
uint32_t pmu_umask_field(const struct pmu *pmu, const struct pmu_umask *u);

/* Up to three names of events and words that resemble `name` (lower case), nearest first, into near, which is
 * "" before. */
void pmu_nearest(const struct pmu *pmu, const char *name, char *near, size_t cap);

/* ---- events of the database (pmu/event_db.c) ---- */

struct db_pick;

/* The event that s names, "name" or "name.unit_mask.unit_mask" as Intel writes it; those unit masks, and what
 * stood in *rest behind the name, are then *rest. s and *rest are pieces of one string, the colon between
 * them cut. False: the database has no such event for this CPU, nothing has changed. */
bool pmu_db_pick(const struct pmu *pmu, char *s, char **rest, struct db_pick *pick);

/* The event with its unit masks and with the modifiers that are in *f already, as fields. whole_umask: *f has
 * all of the unit mask. False: *why. */
bool pmu_db_fields(const struct pmu *pmu, const struct db_pick *pick, struct pmu_fields *f, bool whole_umask,
                   char *why, size_t cap);

/* Refuse a unit mask that the event does not have ("": none although it wants one), naming those that it has.
 * Always false. */
bool pmu_db_umasks(const struct db_pick *pick, const char * not, char *why, size_t cap);

/* Why an event may be missing: "; there is no event database" and the like, or "". */
const char *pmu_db_lack(const struct pmu *pmu);
