/* Events whose counts over known code are known, a table for each of Linux' drivers. */
#pragma once
#include "tests/boot/linux/guest.h"
#include <linux/perf_event.h>

#define HW(event)  PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event
#define RAW(event) PERF_TYPE_RAW, event

/* One event of ring 3 over n rounds of a payload, and what it must come to: least to least + margin. */
struct row {
    const char *event; /* the manual's name, as the oracle has it */
    uint32_t type;
    uint64_t config;
    const char *of; /* the payload's name */
    payload_fn *payload;
    unsigned n;
    uint64_t least, margin; /* margin: DELIVERIES, or a number */
};
#define DELIVERIES UINT64_MAX /* pmu->deliveries */

/* The rows of a kind of PMU; *n is how many. */
const struct row *rows_of(enum pmu_kind kind, unsigned *n);
/* The bytes of walk_area that they walk at most. */
unsigned rows_walk_bytes(enum pmu_kind kind);
