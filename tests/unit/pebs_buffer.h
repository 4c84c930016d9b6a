/* A buffer of PEBS records for host tests, in memory that the processor would see: the DS area's fields by
 * their offsets in the manual's figure (SDM vol. 3B, order 325384-059, figure 18-22), not by the driver. */
#pragma once
#include "pmu/pebs.h"
#include "tests/unit/unit.h"
#include <string.h>

enum { DS_BASE = 0x20, DS_INDEX = 0x28, DS_MAX = 0x30, DS_THRESHOLD = 0x38, DS_RESET = 0x40 };

static _Alignas(4096) uint8_t area[1 << 17];
static struct sample buffer[64];
static struct branch branches[64 * BRANCHES_MOST];
static uint64_t xmms[64][16][2];
static uint64_t counts_of[64][2];

static inline uint64_t ds(unsigned at)
{
    uint64_t v;
    memcpy(&v, area + at, 8);
    return v;
}
static inline void ds_set(unsigned at, uint64_t v) { memcpy(area + at, &v, 8); }

/* A record behind those that are there. */
static inline void push(const void *record, unsigned bytes)
{
    assert_true(ds(DS_INDEX) + bytes <= ds(DS_MAX));
    memcpy((void *)(uintptr_t)ds(DS_INDEX), record, bytes);
    ds_set(DS_INDEX, ds(DS_INDEX) + bytes);
}

static inline struct samples empty(unsigned cap)
{
    memset(buffer, 0, sizeof buffer);
    memset(branches, 0, sizeof branches);
    memset(xmms, 0, sizeof xmms);
    memset(counts_of, 0, sizeof counts_of);
    return (struct samples){.at = buffer, .cap = cap, .branch = branches, .xmm = xmms, .counts = counts_of};
}

/* The values of record number `seed`: each of the 16 registers differs. */
static inline uint64_t reg_value(unsigned seed, unsigned reg)
{
    return 0x1111111100000000ull * (seed + 1) + 0x1000 * seed + reg;
}

/* What is left for after the handler. */
static inline void decode_branches(const struct pebs *p, const struct samples *out)
{
    for (unsigned i = 0; i < out->n; i++)
        if (out->at[i].branches & PEBS_RAW)
            out->at[i].branches = (uint8_t)pebs_decode_branches(p, out->branch + (size_t)i * BRANCHES_MOST,
                                                                out->at[i].branches);
}
