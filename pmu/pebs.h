/* Precise event-based sampling, the part common to all families: the DS area and its records. The driver
 * makes a counter write records (pmu_ops.pebs_arm).
 *
 * SDM vol. 3B (order 325384-059) 17.4.9. 64-bit layout where CPUID.1:ECX[2] (DTES64) says so, in every mode;
 * without it 32-bit, but 64-bit in IA-32e mode.
 */
#pragma once
#include "pmu/sample.h"
#include <stdbool.h>
#include <stddef.h>

#define PEBS_SLACK 8 /* records that fit after the threshold, since the interrupt comes late */

struct pebs {
    uint8_t *ds;   /* the DS area: the value for its MSR */
    uint8_t *base; /* of the records */
    bool wide;     /* 64-bit layout: always so in the 64-bit kernel */
    uint16_t counter;
};

/* Bytes of memory for a DS area and its buffer: depth records from one interrupt to the next. */
size_t pebs_bytes(bool wide, unsigned depth);

/* Lay them out in memory of that size, aligned to 64 (17.4.9.2: not on a page with code). reset: the
 * counter's value after each record. No branch trace store. */
void pebs_init(struct pebs *p, void *memory, bool wide, unsigned depth, uint64_t reset);

/* Set another reset value, from the next record on. */
void pebs_reload(struct pebs *p, uint64_t reset);

/* Turn records into samples and empty the buffer. Returns their number; those for which out had no room are
 * counted as lost. Also runs in the interrupt handler. */
unsigned pebs_drain(struct pebs *p, struct samples *out);
