/* NetBurst (Pentium 4, Xeon): 18 counters of 40 bits, each with its CCCR, and 45 ESCRs that select events.
 *
 * SDM vol. 3B (order 325384-059) 18.15 and 18.16; routing in table 18-63, events in tables 19-28 to 19-30,
 * MSRs in table 35-41.
 *
 * A counter belongs to one of four blocks. In its CCCR, ESEL selects one of up to eight pairs of ESCRs of
 * that block. Half of a block's counters use the first ESCR of the pair, half the second.
 */
#pragma once
#include "pmu/pmu.h"

#define NETBURST_COUNTERS 18
#define NETBURST_WIDTH    40 /* RDMSR, WRMSR and the slow RDPMC */

#define MSR_NB_COUNTER0    0x300 /* ... 311h */
#define MSR_NB_CCCR0       0x360 /* ... 371h */
#define MSR_NB_ESCR        0x3a0 /* the lowest; NB_ESCRS: pmu/families.h */
#define MSR_NB_MISC_ENABLE 0x1a0
#define MSR_NB_DEBUGCTLA   0x1d9
#define MSR_NB_PEBS_ENABLE 0x3f1
#define MSR_NB_PEBS_MATRIX 0x3f2
#define MSR_NB_DS_AREA     0x600

/* 18.15.1: ESCR. T1's bits are reserved without Hyper-Threading (18.16.2). */
#define ESCR_T1_USR       (1u << 0)
#define ESCR_T1_OS        (1u << 1)
#define ESCR_T0_USR       (1u << 2)
#define ESCR_T0_OS        (1u << 3)
#define ESCR_TAG          (1u << 4)
#define ESCR_TAG_VALUE(n) ((uint32_t)(n) << 5)
#define ESCR_MASK(m)      ((uint32_t)(m) << 9)
#define ESCR_EVENT(e)     ((uint32_t)(e) << 25)
#define ESCR_RESERVED     (1u << 31)
#define ESCR_MASK_OF(v)   ((v) >> 9 & 0xffff)
#define ESCR_TAG_OF(v)    ((v) >> 5 & 15)
#define ESCR_EVENT_OF(v)  ((v) >> 25 & 0x3f)

/* 18.15.3, 18.16.3: CCCR */
#define CCCR_EXTENDED                                                                     \
    (1u << 11) /* extended cascade, in CCCR 12, 15, 16, 17 of models 2 to 6 (table 18-65) \
                */
#define CCCR_ENABLE       (1u << 12)
#define CCCR_ESEL(n)      ((uint32_t)(n) << 13)
#define CCCR_ESEL_OF(v)   ((v) >> 13 & 7)
#define CCCR_ACTIVE(n)    ((uint32_t)(n) << 16) /* 0 none, 1 one, 2 both, 3 any; 3 without Hyper-Threading */
#define CCCR_COMPARE      (1u << 18)
#define CCCR_COMPLEMENT   (1u << 19) /* input <= threshold instead of > */
#define CCCR_THRESHOLD(n) ((uint32_t)(n) << 20)
#define CCCR_EDGE         (1u << 24)
#define CCCR_FORCE_OVF    (1u << 25)
#define CCCR_OVF_PMI_T0   (1u << 26)
#define CCCR_OVF_PMI_T1   (1u << 27)
#define CCCR_CASCADE      (1u << 30)
#define CCCR_OVF          (1u << 31)
#define CCCR_IDLE         CCCR_ACTIVE(3)

/* Table 35-41 */
#define MISC_ENABLE_PMU     (1u << 7)
#define MISC_ENABLE_NO_PEBS (1u << 12)
#define PEBS_UOP_TAG        (1u << 24) /* replay tagging, PEBS or not */
#define PEBS_ENABLE         (1u << 25)

/* pmu.models: bit n for model n, and */
#define NB_F27          (1u << 8) /* CPUID signature F27h or above (table 19-28, IOQ_allocation) */
#define NB_BEFORE_F27   (1u << 9)
#define NB_MUTE_CASCADE (1u << 10) /* erratum: a cascaded counter raises no interrupt */
#define NB_EXTENDED     (1u << 11) /* has extended cascades */

#define NB_NO_IQ_ESCR (1u << 12)
#define NB_IQ_ESCR    0x1a /* and the next: as distance */

/* pmu_event.code: the place and the select. It includes the pair of a block, since the same select has
 * different meanings in different units. */
#define NB_CODE(esel, select) ((esel) << 8 | (select))
#define NB_TI                 0x1000 /* thread-independent (table 19-34) */
#define NB_ANY_CPL            0x2000 /* counts at any privilege, regardless of the ESCR (table 19-28) */
#define NB_SELECT_OF(code)    ((code)&0x3f)
#define NB_ESEL_OF(code)      ((code) >> 8 & 7)

/* The downstream events of tagging */
#define NB_FRONT_END 0x508
#define NB_EXECUTION 0x50c
#define NB_REPLAY    0x509
#define NB_UOP_TYPE  0x202 /* upstream of the front-end mechanism */

/* An ESCR that is needed in addition to the counted one: the upstream event of a tagging mechanism, or an
 * event's companion. */
struct netburst_upstream {
    uint8_t escr; /* the pair's first, as distance */
    uint8_t block, esel;
    uint8_t sides;   /* bit 0: the first is possible, bit 1: the second; 0: no ESCR is needed */
    uint8_t select;  /* event select */
    uint8_t vert;    /* MSR_PEBS_MATRIX_VERT */
    uint16_t mask;   /* event mask; NB_SAME_MASK */
    uint32_t enable; /* IA32_PEBS_ENABLE */
};
#define NB_SAME_MASK 0 /* mask and privilege of the event itself */

/* pmu/netburst_tags.c. The rows of the metrics are in the same order as in the table of events, followed by
 * companions. */
#define NB_METRICS    19
#define NB_UPSTREAMS  21
#define NB_MEMORY     2 /* the first rows are front-end metrics, followed by execution metrics, ... */
#define NB_EXECUTIONS 8
extern const struct netburst_upstream pmu_netburst_upstream[NB_UPSTREAMS];
/* The row for an event of the table, or -1. */
int pmu_netburst_upstream_of(const struct pmu_event *row);

/* pmu/netburst_alloc.c: everything that a group programs. */
struct netburst_plan {
    uint32_t escr[NB_ESCRS];       /* by distance; 0: unused */
    uint8_t counter[PMU_COUNTERS]; /* of code k */
    uint32_t cccr[PMU_COUNTERS];   /* of counter i, for start(); 0: unused */
};
/* Everything at once for codes[0..n), code k on one of the counters of allowed[k]. Finds a solution if one
 * exists. False: there is none. */
bool pmu_netburst_plan(const struct pmu *pmu, const struct pmu_code *const *codes, const uint32_t *allowed,
                       unsigned n, struct netburst_plan *plan);

/* pmu/netburst_route.c */
/* The CCCR bit by which counter `to` is started when `from` overflows; 0: it cannot be. */
uint32_t pmu_netburst_cascade(const struct pmu *pmu, unsigned from, unsigned to);
/* The ESCR that ESEL selects for a counter, as distance from 3A0h; -1: there is none. */
int pmu_netburst_escr(unsigned counter, unsigned esel);
/* The i-th ESCR of this CPU, as distance; -1: no more. Those that table 18-63 or this model lacks are left
 * out: IQ_ESCR0 and 1 exist up to model 2. */
int pmu_netburst_escr_at(const struct pmu *pmu, unsigned i);
#define NB_COUNTER_ESCR1(c)   ((c) < 12 ? (c) >> 1 & 1 : 0x2c >> ((c)-12) & 1) /* sees the second of a pair */
#define NB_BLOCK_OF(counters) ((counters)&0xf ? 0 : (counters)&0xf0 ? 1 : (counters)&0xf00 ? 2 : 3)
#define NB_BLOCK(c)           ((c) < 12 ? (c) >> 2 : 3)

/* The preset of arm(). The interrupt, and the PEBS record, come with the event after the overflow
 * (18.15.5.8), so the preset is period - 1 events below the overflow. The DS area's counter reset holds the
 * same value.
 */
#define NETBURST_PRESET(period) ((1 - (uint64_t)(period)) & ((1ull << NETBURST_WIDTH) - 1))

/* Sets of event masks with names in other files (pmu/netburst_names.c); the others are private to
 * pmu/netburst_events.c.
 */
enum {
    NB_MASKS_UOP = 1, /* events that can set execution tags, and sse_input_assist */
    NB_MASKS_MISPRED, /* mispred_branch_retired */
    NB_MASKS_REPLAY,  /* replay_event */
    NB_MASKS_OWN
};

#define PMU_NETBURST_EVENTS  67
#define PMU_NETBURST_UMASKS  131
#define PMU_NETBURST_ALIASES 16
extern const struct pmu_words pmu_netburst_words;
extern const struct pmu_alias pmu_netburst_aliases[PMU_NETBURST_ALIASES];
extern const struct pmu_event pmu_netburst_events[PMU_NETBURST_EVENTS];
extern const struct pmu_umask pmu_netburst_umasks[PMU_NETBURST_UMASKS];
