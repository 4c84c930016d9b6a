/* Precise event-based sampling, the part common to all families: the DS area, its buffer, and what becomes of
 * its records. The driver says which layout and what is in a record (pmu_ops.pebs_plan), and makes a counter
 * write records (pmu_ops.pebs_arm).
 *
 * SDM vol. 3B (order 325384-059) 17.4.9 and 18.8.1.1. 64-bit layout where CPUID.1:ECX[2] (DTES64) says so, in
 * every mode; without it 32-bit, but 64-bit in IA-32e mode.
 */
#pragma once
#include "pmu/pebs_source.h"
#include "pmu/sample.h"
#include <stdbool.h>
#include <stddef.h>

#define PEBS_SLACK 8u /* records that fit after the threshold, since the interrupt comes late */

/* What the user wants of a record: data=. */
enum pebs_data {
    PEBS_ADDR = 1 << 0, /* the data's address, and where it came from how fast */
    PEBS_REGS = 1 << 1,
    PEBS_XMM = 1 << 2,
    PEBS_LBR = 1 << 3,
    PEBS_TIME = 1 << 4,
    PEBS_CNTR = 1 << 5, /* counters: instructions and core cycles so far */
    PEBS_DATA = 6       /* words */
};
extern const char *const pebs_data_names[PEBS_DATA];

#define PEBS_LATENCY_LEAST 3 /* of latency=: 18.8.1.2, of MSR_PEBS_LD_LAT */

struct pebs_want {
    uint16_t latency; /* latency=: loads that take longer are recorded, in core cycles; 0: not given */
    uint8_t data;     /* enum pebs_data; 0: what costs nothing */
};

/* A buffer that registers describe instead of a DS area. Each function does what the one of its name below
 * does. init() finds the memory's address set, and touches no register: arming does. */
struct pebs;
struct pebs_output {
    size_t (*bytes)(const struct pebs *p, unsigned depth); /* of the records alone */
    void (*init)(struct pebs *p, unsigned depth, uint32_t period);
    void (*reload)(struct pebs *p, uint32_t period);
    unsigned (*drain)(struct pebs *p, struct samples *out);
};

/* A format of records, and of the DS area before them. */
struct pebs_layout {
    uint16_t record; /* bytes; 0: those of an adaptive one follow from its groups */
    uint16_t area;   /* bytes of the DS area, with its reserved fields */
    uint8_t field;   /* bytes of one of its fields */
    uint8_t general; /* values to which counters are reset: one for each general counter, */
    uint8_t fixed;   /* and behind these so many for fixed ones */
    uint8_t ip;      /* where a fixed record has the instruction's address */
    uint8_t most;    /* records that the buffer may have; 0: any number */
    /* Makes samples of the records from r to end, as long as there is room; returns the first record that is
     * not folded. In the interrupt handler. */
    const uint8_t *(*fold)(const struct pebs *p, struct samples *out, const uint8_t *r, const uint8_t *end);
    const struct pebs_output *output; /* NULL: there is a DS area */
};
extern const struct pebs_layout pebs_narrow, pebs_wide;                   /* NetBurst's */
extern const struct pebs_layout pebs_nehalem, pebs_haswell, pebs_skylake; /* formats 1, 2, 3 */
extern const struct pebs_layout pebs_core2;                               /* format 0 */
extern const struct pebs_layout pebs_adaptive, pebs_adaptive_32;          /* format 4; 5 and 6 */

/* The groups of an adaptive record, as MSR_PEBS_DATA_CFG and the record itself name them. */
enum pebs_groups {
    PEBS_GROUP_MEMORY = 1 << 0,
    PEBS_GROUP_REGS = 1 << 1,
    PEBS_GROUP_XMM = 1 << 2,
    PEBS_GROUP_LBR = 1 << 3,  /* with the number of entries less one in bits 31:24 */
    PEBS_GROUP_CNTR = 1 << 4, /* format 6: counters; which ones: PEBS_FIXED_COUNTS */
};
#define PEBS_GROUP_LBRS(n)       (PEBS_GROUP_LBR | (uint32_t)((n)-1) << 24)
#define PEBS_FIXED_COUNTS(fixed) ((uint64_t)(fixed) << 48) /* of MSR_PEBS_DATA_CFG */

/* Bytes of a record with these groups, without the counters' values of 8 bytes each. */
uint16_t pebs_adaptive_bytes(uint32_t groups);

struct pebs {
    const struct pebs_layout *layout;
    const struct pebs_sources *source; /* how records tell the data's source; used if memory is set, */
    enum pebs_source_kind source_kind; /* and of what access */
    uint32_t valid;                    /* enum sample_valid, of each sample */
    uint32_t groups;                   /* adaptive: enum pebs_groups; architectural: PEBS_ARCH_* */
    uint32_t least, step;              /* periods are multiples of step, from least on */
    uint16_t record;                   /* bytes */
    uint16_t counter;
    uint64_t latency_bits; /* the bits of a record's latency that are one, or two */
    uint32_t reset_high;   /* bits 63:32 of a counter's reset value */
    uint8_t reset;         /* the number of this counter's reset value */
    uint8_t skid;          /* events from the overflow to the one that is recorded: 1, or 0 */
    bool memory;           /* records tell of an access */
    bool arch_lbr;         /* an LBR entry says whether its cycles are valid */
    uint8_t *ds;           /* the DS area: the value for its MSR */
    uint8_t *base;         /* of the records; without a DS area the same */
    uint32_t *sources;     /* 256, by a record's source: pebs_source() */
    /* Of architectural PEBS, which has no DS area. */
    size_t bytes;        /* of the buffer */
    uint64_t index;      /* MSR_PEBS_INDEX while it is empty */
    uint32_t reload;     /* the low half of the counter's CFG_C */
    uint32_t config_msr; /* CFG_C */
};

/* A plan of NetBurst's: registers, address and flags, 64-bit layout or 32-bit. */
void pebs_plain(struct pebs *p, unsigned counter, bool wide);

/* Bytes of memory for the DS area and the buffer of a plan: depth records from one interrupt to the next. */
size_t pebs_bytes(const struct pebs *p, unsigned depth);

/* How many records there may be from one interrupt to the next: `wanted`, or fewer. */
unsigned pebs_depth(const struct pebs *p, unsigned wanted);

/* Lay them out in memory of that size, aligned to 4096 (17.4.9.2: not on a page with code). period: in events
 * from one record to the next. No branch trace store. */
void pebs_init(struct pebs *p, void *memory, unsigned depth, uint32_t period);

/* Set another period, from the next record on. */
void pebs_reload(struct pebs *p, uint32_t period);

/* Turn records into samples and empty the buffer. Returns their number; those for which out had no room are
 * counted as lost. If the processor had no room, or a record cannot be what was planned, out->more is set.
 * Also runs in the interrupt handler. */
unsigned pebs_drain(struct pebs *p, struct samples *out);

/* After the handler, which only copies them: the branches of a sample, whose number has PEBS_RAW. Returns how
 * many there are, of as many entries. */
#define PEBS_RAW 0x40
unsigned pebs_decode_branches(const struct pebs *p, struct branch *b, uint8_t raw);
