/* The table in which the markers of regions count. The layout is shared by C and assembly: offsets in bytes.
 */
#pragma once

#include "bench/region.h"
#include "measure/slots.h"

#define REGION_COUNTERS SLOTS_COUNTERS
#define REGION_FEW      2 /* up to this many with the markers that read few, into regions of two lines */

#define TABLE_BEGINS  16
#define TABLE_ENDS    20
#define TABLE_SELECT  24
#define TABLE_USED    32
#define TABLE_REGIONS 64

/* For region_many: how counters are read, and wider regions. */
#define TABLE_SLOTS 64
#define TABLE_MANY  192

#define REGION_SHIFT   7 /* a region takes 2^7 bytes: two lines, the later entries' is the second */
#define REGION_ENTERED 0
#define REGION_EXITED  4
#define REGION_EARLY   8
#define REGION_SPAN    16
#define SPAN_BYTES     48
#define MANY_SHIFT     9
#define MANY_BYTES     168 /* of a span */

#define REGION_AWAY 4608 /* bytes of stack between the calibrating payload and its marker */

#define SPAN_BEGINS 0
#define SPAN_ENDS   4
#define SPAN_SUM    16

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

/* Sums over entries: begin subtracts the readings, end adds them. begins and ends are likewise differences of
 * the table's counts: the number of complete markers inside. */
#define SPAN_FIELDS(counters) \
    uint32_t begins, ends;    \
    uint32_t unused[2];       \
    uint64_t sum[1 + (counters)]; /* the time stamp, then the counters */

#define REGION_FIELDS                                      \
    uint32_t entered, exited;                              \
    uint32_t early; /* ends without a begin before them */ \
    uint32_t unused;

struct region_span {
    SPAN_FIELDS(REGION_FEW)
    uint8_t pad[SPAN_BYTES - SPAN_SUM - 8 * (1 + REGION_FEW)];
};

struct region {
    REGION_FIELDS
    struct region_span span[2]; /* the first entry, and the later ones */
    uint8_t pad[(1 << REGION_SHIFT) - REGION_SPAN - 2 * SPAN_BYTES];
};

/* The same for many counters. */
struct region_span_many {
    SPAN_FIELDS(REGION_COUNTERS)
};

struct region_many {
    REGION_FIELDS
    struct region_span_many span[2];
    uint8_t pad[(1 << MANY_SHIFT) - REGION_SPAN - 2 * MANY_BYTES];
};

struct region_table {
    _Alignas(8) void *begin; /* the marker routines */
    _Alignas(8) void *end;
    _Alignas(8) uint32_t begins; /* markers so far */
    uint32_t ends;
    uint32_t select[REGION_FEW];
    uint32_t used[(REGIONS + 32) / 32]; /* bit i: region i was marked */
    /* The last region takes every id that is out of range. */
    _Alignas(64) union {
        struct region region[REGIONS + 1];
        struct {
            struct slots slots;
            uint32_t select[REGION_COUNTERS];
            struct region_many region[REGIONS + 1];
        } many;
    };
};

_Static_assert(offsetof(struct region_table, end) == TABLE_END, "region_table.h");
_Static_assert(offsetof(struct region_table, begins) == TABLE_BEGINS, "region_table.h");
_Static_assert(offsetof(struct region_table, ends) == TABLE_ENDS, "region_table.h");
_Static_assert(offsetof(struct region_table, select) == TABLE_SELECT, "region_table.h");
_Static_assert(offsetof(struct region_table, used) == TABLE_USED, "region_table.h");
_Static_assert(offsetof(struct region_table, region) == TABLE_REGIONS, "region_table.h");
_Static_assert(offsetof(struct region_table, many.slots) == TABLE_SLOTS, "region_table.h");
_Static_assert(offsetof(struct region_table, many.region) == TABLE_MANY, "region_table.h");
_Static_assert(offsetof(struct region, exited) == REGION_EXITED, "region_table.h");
_Static_assert(offsetof(struct region, early) == REGION_EARLY, "region_table.h");
_Static_assert(offsetof(struct region, span) == REGION_SPAN, "region_table.h");
_Static_assert(offsetof(struct region_span, ends) == SPAN_ENDS, "region_table.h");
_Static_assert(offsetof(struct region_span, sum) == SPAN_SUM, "region_table.h");
_Static_assert(sizeof(struct region_span) == SPAN_BYTES, "region_table.h");
_Static_assert(sizeof(struct region) == 1 << REGION_SHIFT, "region_table.h");
_Static_assert(offsetof(struct region_many, span) == REGION_SPAN, "region_table.h");
_Static_assert(offsetof(struct region_span_many, sum) == SPAN_SUM, "region_table.h");
_Static_assert(sizeof(struct region_span_many) == MANY_BYTES, "region_table.h");
_Static_assert(sizeof(struct region_many) == 1 << MANY_SHIFT, "region_table.h");
#endif
