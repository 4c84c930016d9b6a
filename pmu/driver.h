/* Shared by the drivers of pmu/. */
#pragma once
#include "pmu/pmu.h"

/* Write why in the manner of printf(). Always returns false, so that a function can end with it. */
bool pmu_refuse(char *why, size_t cap, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* WRMSR; why names register and value if it fails. */
bool pmu_write(uint32_t msr, uint64_t value, char *why, size_t cap);

/* WRMSR of a register that reads back what was written, at least in the bits of mask. A register that does
 * not is absent: emulators ignore writes to MSRs that they do not know, and read zero. */
bool pmu_write_kept(uint32_t msr, uint64_t value, uint64_t mask, char *why, size_t cap);

/* pmu_ops.preset for counters that are written through the MSR that they are read from. */
struct msr_write pmu_preset(const struct pmu *pmu, unsigned counter, int64_t value);

/* Does this CPU have the event of this row? */
bool pmu_has(const struct pmu *pmu, const struct pmu_event *e);

/* The next row of this CPU with this event code, after `after` (NULL: the first). NULL: no more. */
const struct pmu_event *pmu_event_coded(const struct pmu *pmu, uint32_t code, const struct pmu_event *after);

/* The row of this name (lower case), among those that this CPU has. */
const struct pmu_event *pmu_event_named(const struct pmu *pmu, const char *name);

/* The bits of the field to which a row of the family's unit masks belongs. */
uint32_t pmu_umask_field(const struct pmu *pmu, const struct pmu_umask *u);

/* Write up to three names of events and words that resemble `name` (lower case) to near, nearest first. near
 * must be "" before. cap 0: nothing is looked for. */
void pmu_nearest(const struct pmu *pmu, const char *name, char *near, size_t cap);

/* ---- events of the database (pmu/event_db.c) ---- */

struct db_pick;

/* The event named by s, "name" or "name.unit_mask.unit_mask" as Intel writes it; *rest becomes those unit
 * masks, followed by the former *rest. s and *rest are parts of one string, without the colon between them.
 * False: the database has no such event for this CPU, and nothing has changed. */
bool pmu_db_pick(const struct pmu *pmu, char *s, char **rest, struct db_pick *pick);

/* The event with its unit masks and the modifiers that are in *f already, as fields. whole_umask: *f has the
 * complete unit mask. False: *why is set. */
bool pmu_db_fields(const struct pmu *pmu, const struct db_pick *pick, struct pmu_fields *f, bool whole_umask,
                   char *why, size_t cap);

/* Refuse a unit mask that the event does not have ("": none is given, but the event needs one), and name
 * those that it has. Always returns false. */
bool pmu_db_umasks(const struct db_pick *pick, const char * not, char *why, size_t cap);

/* Take s if it is the unit mask of a load's latency with its threshold, as Intel's lists have them
 * (load_latency_gt_32, latency_above_threshold_32): the library has some of them, or the unit mask alone, or
 * with another threshold. True: picked, and *threshold is set. */
bool pmu_db_threshold(struct db_pick *pick, const char *s, uint32_t *threshold);

/* Why an event may be missing: "; there is no event database" and the like, or "". */
const char *pmu_db_lack(const struct pmu *pmu);
