/* The event database that the loader passed as a module (format: pmu/db_format.h; docs/events.md). Without
 * it, or with one that is damaged or of another version, there are only the drivers' own tables and raw
 * codes.
 *
 * Its contents are not trusted: no offset in it can cause a read outside of it.
 */
#pragma once
#include "pmu/db_format.h"
#include <stdbool.h>
#include <stddef.h>

/* Use the database at `at`, which must stay there. False: why describes the fault, and none is open. at NULL:
 * its memory cannot be read; with size 0, there is none to open. */
bool db_open(const void *at, size_t size, char *why, size_t cap);

/* The fault that the last db_open() found; "": none. */
const char *db_trouble(void);

/* Its source, "libpfm4 4.13.0-1 amd64 and i386"; "": none is open. */
const char *db_source(void);

/* A name or description; "" if there is none at this place. */
const char *db_text(uint32_t at);

/* libpfm4's PMU of this name; NULL: the database lacks it. */
const struct db_pmu *db_pmu_named(const char *name);

/* The i-th event of a PMU, in alphabetical order; NULL after the last. */
const struct db_event *db_event_at(const struct db_pmu *pmu, unsigned i);

/* The event of this name (lower case), found by some dozen comparisons. NULL: none. */
const struct db_event *db_event_named(const struct db_pmu *pmu, const char *name);

/* The i-th unit mask of an event of the database; NULL after the last. */
const struct db_umask *db_umask_at(const struct db_event *e, unsigned i);

/* An event with some of its unit masks. */
struct db_pick {
    const struct db_event *event;
    uint32_t set, clear;
    uint64_t extra_set;
    uint8_t brings, drops, classes;
};

enum db_answer { DB_TAKEN, DB_UNKNOWN, DB_EXCLUDED }; /* excluded: by a unit mask that was named before */
enum db_answer db_pick_umask(struct db_pick *pick, const char *name);

/* Its encoding: the bits of PERFEVTSEL except privilege, enable and interrupt, and the value of
 * event->extra_msr. */
uint64_t db_select(const struct db_pick *pick);
uint64_t db_extra(const struct db_pick *pick);

/* The rule for an event select and unit mask; NULL: none. */
const struct db_rule *db_rule_for(const struct db_pmu *pmu, uint32_t event, uint32_t umask);
