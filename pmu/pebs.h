/* Precise event-based sampling, the part that is the same on every family: the DS area and its records. How a
 * counter is made to write records is the driver's business (pmu_ops.pebs_arm).
 *
 * SDM vol. 3B (order 325384-059) 17.4.9. 64-bit layout where CPUID.1:ECX[2] (DTES64) says so, in every mode;
 * without it 32-bit, but 64-bit in IA-32e mode.
 */
#pragma once
#include "pmu/sample.h"
#include <stdbool.h>
#include <stddef.h>

#define PEBS_SLACK 8 /* records that fit behind the threshold: the interrupt comes late */

struct pebs {
    uint8_t *ds;   /* the DS area: what its MSR is to hold */
    uint8_t *base; /* of the records */
    bool wide;     /* 64-bit layout: always so in the 64-bit kernel */
    uint16_t counter;
};

/* Bytes of memory for a DS area and its buffer: depth records from one interrupt to the next. */
size_t pebs_bytes(bool wide, unsigned depth);

/* Lay them out in memory of that size, aligned to 64 (17.4.9.2: not on a page with code). reset: what the
 * counter is reloaded with after each record. No branch trace store. */
void pebs_init(struct pebs *p, void *memory, bool wide, unsigned depth, uint64_t reset);

/* Another value to reload the counter with, from the next record on. */
void pebs_reload(struct pebs *p, uint64_t reset);

/* Records to samples, and the buffer is empty again. Returns how many there were; those that out had no room
 * for are counted as lost. Runs in the interrupt handler, too. */
unsigned pebs_drain(struct pebs *p, struct samples *out);
