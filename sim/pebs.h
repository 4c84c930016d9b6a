/* PEBS: the DS area and the record in guest memory (SDM 17.4.9; layouts: facts 3.6 and 4.3). */
#pragma once
#include "sim/sim.h"

struct pebs {
    const struct sim_host *host;
    uint64_t ds; /* IA32_DS_AREA, linear */
    bool wide;   /* fields and record of 64 bits */
};

/* Contents of the record: the instruction and the registers before it. */
struct pebs_state {
    uint64_t ip, flags;
    const uint64_t *reg; /* 16, in encoding order */
};

enum pebs_outcome {
    PEBS_UNMAPPED,  /* DS area or buffer is not mapped: nothing has been written */
    PEBS_FULL,      /* no room below the absolute maximum: nothing has been written */
    PEBS_WRITTEN,   /* below the threshold */
    PEBS_THRESHOLD, /* the index is at the threshold or above: the interrupt is due */
};

/* Write a record at the buffer's index and move the index on. The first: NetBurst's, of this state. */
enum pebs_outcome sim_pebs_record(const struct pebs *p, const struct pebs_state *state);
enum pebs_outcome sim_pebs_write(const struct pebs *p, const void *record, unsigned bytes);
/* The preset in the n-th slot, for after a record: 64 bits, of which a counter takes its width. False:
 * unmapped. */
bool sim_pebs_preset(const struct pebs *p, unsigned n, uint64_t *value);
