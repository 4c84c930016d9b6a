/* Where the data of a PEBS record came from: the low byte of its "data source" field, which depends on the
 * event and on the core (SDM vol. 3B tables 18-24 and 18-46, and 18.9.4.3; Linux'
 * arch/x86/events/intel/ds.c). */
#pragma once
#include <stdint.h>

/* What the byte is about. */
enum pebs_source_kind {
    PEBS_SOURCE_LOAD,       /* of a load whose latency is measured */
    PEBS_SOURCE_STORE,      /* of a store whose latency is measured: the same levels */
    PEBS_SOURCE_STORED,     /* of another store: whether it hit L1, and no more */
    PEBS_SOURCE_STORED_TLB, /* the same with precise store, which also knows TLB and lock */
    PEBS_SOURCE_LOADED      /* of another load: nothing, but that it is one */
};

#define PEBS_MODIFIED 0x80 /* with a level: the line was modified there */

/* A core's encoding. */
struct pebs_sources {
    uint8_t level[16]; /* by the low four bits: enum sample_level */
    /* The bits that say: the second TLB missed, it was locked, it waited for an earlier store's data, or for
     * its address. 0: the core does not say. */
    uint8_t walk, locked, data, address;
};

/* What a value says: traits, and from bit 16 level, from bit 24 TLB (as in struct sample). */
uint32_t pebs_source(const struct pebs_sources *of, enum pebs_source_kind kind, uint8_t value);
