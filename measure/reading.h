/* A bracket's readings. Shared by C and assembly: offsets in bytes. */
#pragma once
#include "measure/slots.h"

#define READING_COUNTERS SLOTS_COUNTERS
#define READING_TSC      0
#define READING_SELECT   16
#define READING_START    88
#define READING_END      232
#define READING_SLOTS    376

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

/* raw value of the time stamp = tsc[1] - tsc[0], of counter i = end[i] - start[i] modulo its width. */
struct reading {
    uint64_t tsc[2];
    uint32_t
        select[READING_COUNTERS]; /* in: RDPMC index or MSR number of each counter, in the order of reading */
    /* bracket_many sums in end[] and needs both zero: reading_begin(). */
    uint64_t start[READING_COUNTERS], end[READING_COUNTERS];
    struct slots slots; /* in, for bracket_many */
} __attribute__((aligned(8)));

_Static_assert(offsetof(struct reading, tsc) == READING_TSC, "reading.h");
_Static_assert(offsetof(struct reading, select) == READING_SELECT, "reading.h");
_Static_assert(offsetof(struct reading, start) == READING_START, "reading.h");
_Static_assert(offsetof(struct reading, end) == READING_END, "reading.h");
_Static_assert(offsetof(struct reading, slots) == READING_SLOTS, "reading.h");
#endif
