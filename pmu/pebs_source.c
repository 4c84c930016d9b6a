#include "pmu/pebs_source.h"
#include "pmu/sample.h"
#include <stddef.h>

#define SAID(traits, level, tlb) ((uint32_t)(traits) | (uint32_t)(level) << 16 | (uint32_t)(tlb) << 24)

/* Precise store's and DataLA's bits (18.9.4.3; table 18-46). */
#define STORE_HIT    0x01
#define STORE_WALK   0x10
#define STORE_LOCKED 0x20

/* A TLB hit may be one of either TLB. */
static uint32_t stored(uint8_t value, unsigned tlb, unsigned locked)
{
    return SAID(SAMPLE_STORE | locked, value & STORE_HIT ? LEVEL_L1 : LEVEL_UNKNOWN, tlb);
}

uint32_t pebs_source(const struct pebs_sources *of, enum pebs_source_kind kind, uint8_t value)
{
    if (kind == PEBS_SOURCE_LOADED) return SAID(SAMPLE_LOAD, LEVEL_UNKNOWN, TLB_UNKNOWN);
    if (kind == PEBS_SOURCE_STORED) return stored(value, TLB_UNKNOWN, 0);
    if (kind == PEBS_SOURCE_STORED_TLB)
        return stored(value, value & STORE_WALK ? TLB_WALK : TLB_HIT,
                      value & STORE_LOCKED ? SAMPLE_LOCKED : 0);
    const uint8_t level = of->level[value & 15];
    unsigned traits = kind == PEBS_SOURCE_LOAD ? SAMPLE_LOAD : SAMPLE_STORE;
    if (level & PEBS_MODIFIED) traits |= SAMPLE_WAS_MODIFIED;
    if (value & of->locked) traits |= SAMPLE_LOCKED;
    if (kind == PEBS_SOURCE_LOAD && value & of->data) traits |= SAMPLE_BLOCKED_DATA;
    if (kind == PEBS_SOURCE_LOAD && value & of->address) traits |= SAMPLE_BLOCKED_ADDRESS;
    return SAID(traits, level & ~PEBS_MODIFIED,
                !of->walk          ? TLB_UNKNOWN
                : value & of->walk ? TLB_WALK
                                   : TLB_HIT);
}
