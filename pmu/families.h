/* What each family's driver keeps of its own in the structs that all families share: struct pmu_code has its
 * encoding of an event, struct pmu its state. Only that driver looks at it. And each driver's functions, for
 * the table in pmu/probe.c: drivers' own headers may not meet, since families share names of bits and unit
 * masks.
 *
 * A family's state is what the registers held before us ("found", for release()) and what is programmed now.
 * The interrupt handler reads its fields directly: it has about 100 instructions and no library.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct pmu_ops;

#define PMU_COUNTERS 18 /* NetBurst's; no family has more */

/* ---- P5: pmu/p5.c ---- */

extern const struct pmu_ops pmu_p5_ops;
struct p5_state {
    uint32_t cesr; /* MSR_P5_CESR as start() writes it */
    struct {
        uint64_t counter[2], cesr;
    } found;
};

/* ---- P6: pmu/p6.c ---- */

extern const struct pmu_ops pmu_p6_ops;
struct p6_state {
    uint32_t select[2]; /* EvntSel0 and 1 as programmed, without the enable bit */
    struct {
        uint64_t counter[2], select[2];
    } found;
};

/* ---- NetBurst: pmu/netburst*.c ---- */

extern const struct pmu_ops pmu_netburst_ops;
/* ESCRs are identified by their distance from 3A0h: from 0 to below this, with gaps. */
#define NB_ESCRS 0x42

/* An event's code. The ESCR's execution tag may be missing: then the allocator chooses it. */
struct netburst_code {
    uint32_t escr, cccr;  /* cccr: without the enable bit */
    uint32_t pebs_enable; /* IA32_PEBS_ENABLE: the bits that the event needs */
    uint8_t pebs_matrix;  /* MSR_PEBS_MATRIX_VERT: likewise */
    uint8_t upstream;     /* pmu_netburst_upstream[upstream - 1] is needed as well; 0: none */
    uint8_t tag;          /* its execution tag's value; 0: the allocator's choice */
};

enum netburst_mechanism { MECHANISM_NONE, MECHANISM_FRONT_END, MECHANISM_EXECUTION, MECHANISM_REPLAY };

struct netburst_state {
    bool two_threads;     /* Hyper-Threading */
    bool second_thread;   /* this is logical processor 1 of its core */
    uint32_t starters;    /* bit i: counter i starts another when it overflows */
    uint32_t pebs;        /* bit i: PEBS is armed on counter i */
    uint32_t pebs_enable; /* IA32_PEBS_ENABLE as programmed, without PEBS */
    struct {
        uint32_t cccr;     /* as start() writes it; 0: unused */
        uint8_t starter;   /* of a cascade's target: its starter's number plus one; 0: none */
        uint8_t mechanism; /* enum netburst_mechanism: whose tags it counts */
    } counter[PMU_COUNTERS];
    struct {
        uint64_t counter[PMU_COUNTERS], cccr[PMU_COUNTERS], escr[NB_ESCRS];
        uint64_t pebs_enable, pebs_matrix, ds_area;
    } found;
};

/* ---- Intel's architectural counters and AMD's: pmu/perfmon.c ---- */

extern const struct pmu_ops pmu_arch_ops, pmu_amd_ops;

/* Intel's PEBS: pmu/arch_pebs.c. */
struct perfmon_pebs {
    uint16_t model; /* of family 6; else 0 */
    uint8_t stepping;
    uint32_t capabilities; /* IA32_PERF_CAPABILITIES */
    struct {
        uint64_t ds_area, latency, data_cfg, frontend, base, index;
    } found;
    bool arch; /* it is architectural: leaf 23H, sub-leaves 4 and 5 */
    struct {
        uint32_t groups;             /* PEBS_ARCH_*: what may be recorded */
        uint32_t general, fixed;     /* counters that may; */
        uint32_t pdist, pdist_fixed; /* those of them whose records have no skid */
    } leaf;
    /* The plan that the next arming carries out. */
    uint8_t planned;   /* one more than its counter; 0: none */
    uint8_t skid;      /* events from the overflow to the record: 1 or 0 */
    bool alone;        /* no other counter may run */
    bool adaptive;     /* there are MSR_PEBS_DATA_CFG and its bits of the counters */
    uint16_t latency;  /* MSR_PEBS_LD_LAT; 0: no latencies are recorded */
    uint64_t groups;   /* MSR_PEBS_DATA_CFG */
    uint8_t counted;   /* fixed counters whose values are recorded, which run meanwhile: bits, of 0 and 1 */
    uint64_t enable;   /* MSR_PEBS_ENABLE */
    uint16_t beside;   /* unit mask and event that run on counter 0 meanwhile; 0: none */
    bool armed;        /* records are made, and an interrupt is that of the buffer */
    uint32_t frontend; /* MSR_PEBS_FRONTEND; 0: the event is another */
    bool latency_set, frontend_set; /* arming has written these two registers */
};

struct perfmon_state {
    /* What detect() says of the registers. */
    unsigned general;                    /* how many counters are general ones; those after them are fixed */
    unsigned general_width, fixed_width; /* bits */
    /* The MSRs that gate all counters, show which have overflowed, and acknowledge that; 0: none of the three
     */
    uint32_t global_ctrl, global_status, global_ack;
    int32_t select_offset; /* the MSR of a general counter's select less the counter's */
    bool write_full;       /* WRMSR of a general counter takes all its bits; else 32, bit 31 copied up */
    bool write_alias;      /* ... at the counter's MSR + 400h (IA32_A_PMCx, SDM 18.2.6) */
    bool has_debugctl;     /* there is 1D9h with DEBUGCTL_ON_PMI */
    bool freezing;         /* ... and the counters are set to freeze (pmu_ops.freeze) */
    bool settle;           /* errata AAK100, AAP53, BD53: see settle() */
    bool force_abort;      /* TSX's microcode can be kept off counter 3: see MSR_TSX_FORCE_ABORT */
    bool clobbered;        /* ... it cannot, and counter 3 is not to be trusted */
    uint32_t constraints;  /* Intel's: enum arch_constraints of this core */
    struct perfmon_pebs pebs;
    /* What is programmed. */
    uint64_t select[PMU_COUNTERS]; /* what start() leaves in a general counter's select, or a fixed counter's
                                      field of 38Dh; 0: unused */
    uint64_t global;               /* what start() writes to global_ctrl */
    struct perfmon_aim {           /* of each counter that is armed: what the handler needs */
        unsigned counter;
        uint32_t select_msr;  /* of a general one */
        uint32_t preset_msr;  /* what writes it */
        uint32_t preset_high; /* bits above 31 that a preset may have */
        uint64_t status;      /* its bit of global_status */
    } aim[PMU_COUNTERS];
    struct {
        uint64_t counter[PMU_COUNTERS], select[PMU_COUNTERS];
        uint64_t fixed_ctrl, global_ctrl, debugctl, tsx_force_abort;
    } found;
};
