/* Other spellings of what the drivers' tables have: libpfm4's, Safford's, rabbit's and perf's
 * (pmu/aliases.c). The table is asked last, when nothing of the CPU's own has the name.
 */
#pragma once
#include "pmu/pmu.h"

struct pmu_alias {
    const char *family;     /* pmu_ops.family; NULL: all */
    const char *name;       /* lower case; with "::" behind it: a PMU's */
    const char *stands_for; /* an event word; for a unit mask one of the set's, or a modifier */
    uint32_t models : 16;   /* family's own bits: which models have it; 0 = all */
    uint32_t umasks : 8;    /* 0: of an event; else of a unit mask of this set (pmu_event.umasks) */
    bool row        : 1;    /* a unit mask that turns its event into another one */
};

/* The alias of this name (lower case) that this CPU has, of the set of unit masks, 0: of events and PMUs.
 * NULL: none. */
const struct pmu_alias *pmu_alias_named(const struct pmu *pmu, unsigned umasks, const char *name);

/* The next alias of an event that this CPU has, behind `after` (NULL: the first). NULL: no more. */
const struct pmu_alias *pmu_alias_next(const struct pmu *pmu, const struct pmu_alias *after);
