/* Errata by their names. */
#pragma once
#include "pmu/errata.h"
#include <string.h>

/* The set of one; 0: it is not in the table. */
static inline uint64_t erratum_named(const char *name)
{
    for (unsigned i = 0; pmu_erratum(i); i++)
        if (strcmp(pmu_erratum(i)->name, name) == 0) return 1ull << i;
    return 0;
}
