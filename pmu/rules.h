/* Macros for rows of struct db_rule (pmu/db_format.h): the general-purpose counters that can count an event,
 * a range of events, an event with this unit mask. Bit i: counter i. Only for files with such tables. */
#pragma once
#include "pmu/db_format.h"

#define EVENT(code, counters)         \
    {                                 \
        code, code, 0, 0, 0, counters \
    }
#define RANGE(first, last, counters)   \
    {                                  \
        first, last, 0, 0, 0, counters \
    }
#define UMASK(code, umask, counters)         \
    {                                        \
        code, code, umask, 0xff, 0, counters \
    }
