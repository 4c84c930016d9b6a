/* PEBS of Intel's CPUs from Core 2 on: what each core can record on which counters.
 *
 * SDM vol. 3B (order 325384-059) 18.4.4, 18.8.1.1, 18.9.4, 18.11.1 and 18.13.1, and its tables of precise
 * events; where it is silent or too old, Linux' arch/x86/events/intel/ds.c (the arrays
 * intel_*_pebs_event_constraints) and core.c of 2024 to 2026.
 */
#pragma once
#include "pmu/arch_constraints.h"
#include "pmu/pebs.h"
#include "pmu/pmu.h"

#define MSR_PEBS_ENABLE          0x3f1
#define MSR_PEBS_DATA_CFG        0x3f2 /* adaptive: enum pebs_groups */
#define MSR_PEBS_LD_LAT          0x3f6 /* bits 15:0: loads that take longer are recorded (18.8.1.2) */
#define MSR_PEBS_FRONTEND        0x3f7 /* which event of the front end C6/01 is (18.13.1.4) */
#define MSR_ARCH_DS_AREA         0x600
#define PEBS_ENABLE_LOAD_LATENCY 32           /* + the counter's number, up to Skylake: record latencies */
#define PEBS_ENABLE_FIXED        32           /* + a fixed counter's number, from Ice Lake on */
#define PEBS_ENABLE_STORE        63           /* precise store: Sandy and Ivy Bridge */
#define PERFMON_ADAPTIVE         (1ull << 34) /* of a general counter's select */
#define FIXED_ADAPTIVE(n)        (1ull << (32 + 4 * (n))) /* of 38Dh */

/* IA32_PERF_CAPABILITIES. */
#define CAPABILITY_LBR            0x3fu     /* its format; */
#define LBR_ARCHITECTURAL         0x3fu     /* without one of them it is architectural (Linux, core.c) */
#define CAPABILITY_PEBS_TRAP      (1u << 6) /* a record's IP is the next instruction, else the one itself */
#define CAPABILITY_PEBS_REGS      (1u << 7) /* else a record has flags and IP only */
#define CAPABILITY_PEBS_FORMAT(c) ((unsigned)((c) >> 8) & 15)
#define PEBS_ARCHITECTURAL        15u        /* this format: see leaf 23H */
#define CAPABILITY_PEBS_BASELINE  (1u << 14) /* adaptive records, and any event on any counter */
#define CAPABILITY_PEBS_TIMING    (1u << 17) /* retire latencies */

/* What an event's record tells. */
enum pebs_kind {
    PEBS_REFUSED, /* the code does not stand for a precise event */
    PEBS_PRECISE, /* which instruction */
    PEBS_PDIR,    /* the same without skid: the overflow's own instruction (PDIR, 18.9.4.4) */
    PEBS_LOAD,    /* and the data's address (DataLA, 18.11.3) */
    PEBS_STORE,
    PEBS_LOAD_LATENCY,  /* the latency, and the source, too */
    PEBS_STORE_LATENCY, /* likewise, from Golden Cove on */
    PEBS_PRECISE_STORE, /* of a store: L1, TLB, lock (18.9.4.3) */
    PEBS_FRONTEND       /* which instruction; MSR_PEBS_FRONTEND says of what event */
};

/* The first row that fits applies, as in struct db_rule. */
struct pebs_rule {
    uint8_t first, last; /* event selects */
    uint8_t umask, mask; /* unit masks: (it & mask) == umask */
    uint16_t general;    /* bit n: general counter n may do it */
    uint8_t fixed;       /* likewise fixed ones */
    uint8_t kind;        /* enum pebs_kind */
};

struct pebs_core {
    const struct pebs_rule *rule;
    uint8_t rules;
    uint8_t imprecise_fixed; /* bits: other events may be on these fixed counters, */
    uint16_t imprecise;      /* or on these general ones; the instruction is then one after the event */
    uint16_t pdist;          /* general counters whose precise events have no skid (PDist, reduced skid) */
    uint8_t pdist_fixed;     /* likewise fixed ones */
    bool latency_bits;       /* PEBS_ENABLE_LOAD_LATENCY is needed */
    bool split_latency;      /* bits 15:0 are the instruction's latency, 47:32 the cache's */
    uint16_t beside;         /* unit mask and event that must run on counter 0 while latencies are recorded */
    uint8_t untimed_fixed;   /* fixed counters whose records have no retire latency */
    bool alone;              /* with PDIR no other counter may run (18.9.4.4: 06_2A, 06_2D) */
    uint8_t least, step;     /* periods without skid (erratum or limit); 0: any */
    uint32_t frontend;       /* the bits of MSR_PEBS_FRONTEND that may be set; 0: there is none */
    const struct pebs_sources *sources;
};

/* That of this CPU, by its constraints; its words and its name in libpfm4 tell those apart that Linux' tables
 * of constraints do not. NULL: none known. */
const struct pebs_core *pmu_pebs_core(const struct pmu *pmu);

/* The first rule that fits; NULL: none. */
const struct pebs_rule *pmu_pebs_rule(const struct pebs_core *core, unsigned event, unsigned umask);

/* Why the PEBS of a family 6 CPU may not be used, and what microcode would mend it; NULL: it may. microcode:
 * as in struct pmu. */
const char *pmu_pebs_broken(unsigned model, unsigned stepping, uint32_t microcode);

/* An event's second register (pmu/arch_pebs_extra.c). given: latency=, 0 without it. False: *why says what
 * contradicts what, or is missing; nothing is planned. */
bool pmu_pebs_extra_plan(struct perfmon_pebs *p, const struct pebs_core *core, unsigned kind,
                         const struct pmu_code *code, unsigned given, char *why, size_t cap);
bool pmu_pebs_extra_arm(struct perfmon_pebs *p, char *why, size_t cap);
void pmu_pebs_extra_release(struct perfmon_pebs *p);

/* ---- architectural PEBS: pmu/arch_pebs_leaf.c ---- */

/* Does this CPU have it? At the end of a detect(), when the capabilities are known. */
void pmu_pebs_leaf_found(const struct cpu_id *id, struct pmu *pmu);

/* What its records may have (enum pebs_data), and the groups for it. */
unsigned pmu_pebs_leaf_data(const struct perfmon_pebs *p);
uint32_t pmu_pebs_leaf_groups(const struct perfmon_pebs *p, unsigned data);

/* The MSR of a counter's CFG_C. */
uint32_t pmu_pebs_config_msr(const struct pmu *pmu, unsigned counter);

/* Point the CPU to the buffer; let it record; all that back to what was found. False: *why is set, and
 * nothing is recorded. */
bool pmu_pebs_leaf_point(const struct pebs *b, char *why, size_t cap);
bool pmu_pebs_leaf_enable(struct pmu *pmu, const struct pebs *b, char *why, size_t cap);
void pmu_pebs_leaf_stop(struct pmu *pmu);

/* ---- for struct pmu_ops ---- */

bool pmu_arch_pebs_plan(struct pmu *pmu, unsigned counter, const struct pmu_code *code,
                        const struct pebs_want *want, struct pebs *out, char *why, size_t cap);
bool pmu_arch_pebs_arm(struct pmu *pmu, unsigned counter, const struct pmu_code *code,
                       const struct pebs *buffer, char *why, size_t cap);
void pmu_arch_pebs_stop(struct pmu *pmu);
/* Registers that stop() leaves alone, as they were found: a pass without PEBS, too, counts loads of the same
 * latency. */
void pmu_arch_pebs_release(struct pmu *pmu);
