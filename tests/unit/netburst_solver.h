/* A solver for NetBurst's counters, ESCRs and tags: tries everything, and shares nothing with the driver. */
#pragma once
#include "tests/unit/netburst_catalogue.h"

/* 0 to 3: whose counters it has, BPU's, MS's, FLAME's or IQ's. */
unsigned block(const struct item *i);

/* The n items can all be counted at once, item k on one of the counters allowed[k]; of those that are usable,
 * what is left gives power to upstream events' ESCRs. */
bool solvable(const struct item *const *it, unsigned n, const uint32_t *allowed, uint32_t usable);
