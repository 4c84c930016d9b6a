/* A table of regions for tests, and what they say of ranges. */
#pragma once
#include "measure/region.h"
#include "tests/unit/unit.h"
#include <string.h>

static struct region_table table;
static struct regions regions;

static inline void given(unsigned counters, uint64_t mask)
{
    static const uint32_t select[REGION_COUNTERS] = {11, 22};
    memset(&table, 0xa5, sizeof table); /* what is not cleared shows */
    memset(table.used, 0xff, sizeof table.used);
    memset(&regions, 0, sizeof regions);
    regions.table = &table;
    assert_true(regions_arm(&regions, SERIALIZE_CPUID, counters ? READER_RDPMC : READER_NONE, select,
                            counters, mask));
    regions_reset(&regions);
}

static inline void assert_range(struct region_range x, double least, double most)
{
    if (x.least != least || x.most != most) fail_msg("%g .. %g, not %g .. %g", x.least, x.most, least, most);
}
