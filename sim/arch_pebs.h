/* PEBS of the processors with architectural performance monitoring: what its files share. Rules and sources:
 * docs/pmu-model.md. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct sim;
struct sim_text;
struct arch;
struct arch_traits;

/* IA32_PEBS_ENABLE: general counter n at bit n. From format 4 on fixed counter i is at 32 + i; before, 32 + n
 * enables the latency of a load in the record, and 63 (Sandy Bridge) the status of a store. */
#define PEBS_OTHER 32
#define PEBS_STORE (UINT64_C(1) << 63)

/* MSR_PEBS_DATA_CFG */
#define DATA_CFG_MEMORY    (UINT64_C(1) << 0)
#define DATA_CFG_GENERAL   (UINT64_C(1) << 1)
#define DATA_CFG_XMM       (UINT64_C(1) << 2)
#define DATA_CFG_LBR       (UINT64_C(1) << 3)
#define DATA_CFG_LBRS(cfg) ((unsigned)((cfg) >> 24 & 0xff) + 1)
#define DATA_CFG_ALL       UINT64_C(0xff00000f)

/* When a counter that has overflowed makes its record. */
enum arch_pebs_when {
    PEBS_NEVER,   /* its event cannot be recorded, or PEBS is not enabled for it */
    PEBS_NEXT,    /* at the next occurrence */
    PEBS_SAME,    /* at the occurrence that overflowed: PDIR */
    PEBS_ANYTHING /* from Ice Lake on: at the next instruction, if the event is not precise */
};

/* What a record says of the instruction's data. */
enum arch_pebs_data {
    PEBS_DATA_NONE,
    PEBS_DATA_LOAD,   /* the address */
    PEBS_DATA_STORE,  /* the address, and whether the L1 had the line */
    PEBS_DATA_LATENCY /* of a load: the address, where the data were, how long it took */
};

struct arch_pebs_counter {
    uint8_t when; /* enum arch_pebs_when */
    uint8_t data; /* enum arch_pebs_data */
};

#define ARCH_PEBS_COUNTERS 12 /* ARCH_COUNTERS */

struct arch_pebs {
    uint64_t ds_area, enable, data_cfg, latency, frontend; /* the registers */
    uint64_t armed; /* counters that have overflowed and wait for their record, bits as in IA32_PEBS_ENABLE */
    struct arch_pebs_counter counter[ARCH_PEBS_COUNTERS];
};

/* The bit of counter n. */
uint64_t arch_pebs_bit(unsigned n);

/* ---- registers (sim/arch_pebs_msr.c): as sim_rdmsr() and sim_wrmsr() ---- */
int arch_pebs_rdmsr(const struct sim *s, uint32_t msr, uint64_t *value);
int arch_pebs_wrmsr(struct sim *s, uint32_t msr, uint64_t value);

/* ---- which events can be recorded (sim/arch_pebs_events.c) ---- */
/* As counter n is programmed and enabled now. */
struct arch_pebs_counter arch_pebs_counter(const struct sim *s, unsigned n);

/* ---- when (sim/arch_pebs.c) ---- */
/* After a change of any enable or select. */
void arch_pebs_enables(struct sim *s);
/* What counters have to record of one instruction. */
struct arch_pebs_due {
    uint64_t counters;                   /* make a record now, bits as in IA32_PEBS_ENABLE */
    uint64_t all[ARCH_PEBS_COUNTERS];    /* occurrences still to be counted without a record ... */
    uint64_t behind[ARCH_PEBS_COUNTERS]; /* ... and with one: on the preset */
};
/* k occurrences for counter n, whose records are not PEBS_NEVER: adds to due. True: it has overflowed. */
bool arch_pebs_count(struct sim *s, unsigned n, uint64_t k, struct arch_pebs_due *due);
/* After the last counter, if any has to record. True: an interrupt is due. */
bool arch_pebs_record(struct sim *s, const struct arch_pebs_due *due);

/* ---- the record itself (sim/arch_pebs_format.c) ---- */
#define ARCH_PEBS_MOST (0x1d0 + 256 * 0x18) /* bytes: all groups, all branches that the field can ask for */
/* That of the current instruction, for these counters. Returns its bytes. */
unsigned arch_pebs_format(const struct sim *s, uint64_t counters, uint8_t *record);

/* ---- the data of an instruction (sim/arch_data.c) ---- */
/* One access of it. */
struct arch_datum {
    uint64_t lin;
    unsigned found; /* enum arch_access: where; 0: there was none */
    bool locked;
};
/* What became of the current instruction's accesses: its slowest load (the first of equal ones), and its
 * first store. */
struct arch_data {
    struct arch_datum load, store;
    bool tagged;    /* this load is one that the hardware watches */
    uint64_t loads; /* instructions with a load so far */
};

/* Cycles from its dispatch to its data: the model's own, by the place of the data. 0: no load. */
unsigned arch_latency(const struct arch_datum *load);
/* Bits 5:0 of the data source in the encoding of this processor (facts 4.3); the DTLBs' bit 4 is not
 * modelled. */
uint64_t arch_data_source(const struct sim *s, const struct arch_datum *load);
/* Of a store: bit 0 L1 hit, bit 5 locked. */
uint64_t arch_store_status(const struct arch_datum *store);
/* The instruction, or batch, is complete: n of it had a load. */
void arch_count_loads(struct sim *s, uint64_t n);
/* The current instruction has a load that the load latency event counts. */
bool arch_counts_latency(const struct sim *s);
/* sim_family.trace */
void arch_trace(const struct sim *s, struct sim_text *entry);
