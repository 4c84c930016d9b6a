/* P6 family: Pentium Pro, II, III and M. Two 40-bit counters, each with its event select; one enable bit for
 * both.
 *
 * SDM vol. 3B (order 325384-059) 18.22, MSRs in table 35-46.
 */
#pragma once
#include "pmu/pmu.h"

#define P6_COUNTERS     2
#define P6_WIDTH        40 /* read; */
#define P6_PRESET_WIDTH 32 /* WRMSR takes 32 bits and copies bit 31 upwards (18.22.2) */

/* 18.22, table 35-46 */
#define MSR_P6_PERFCTR0    0x0c1
#define MSR_P6_PERFCTR1    0x0c2
#define MSR_P6_EVNTSEL0    0x186
#define MSR_P6_EVNTSEL1    0x187
#define MSR_P6_DEBUGCTL    0x1d9 /* 17.4: last branch recording */
#define MSR_P6_MISC_ENABLE 0x1a0 /* Pentium M */

/* 18.22.1 */
#define EVNTSEL_EVENT    0x000000ffu
#define EVNTSEL_UMASK(m) ((uint32_t)(m) << 8)
#define EVNTSEL_USR      (1u << 16) /* count at CPL 1-3 */
#define EVNTSEL_OS       (1u << 17) /* count at CPL 0 */
#define EVNTSEL_EDGE     (1u << 18) /* count the beginnings of a condition, not its clocks */
#define EVNTSEL_PC       (1u << 19) /* pin toggles at each event instead of at overflow */
#define EVNTSEL_INT      (1u << 20) /* interrupt at overflow, through the local APIC */
#define EVNTSEL_RESERVED (1u << 21)
#define EVNTSEL_EN       (1u << 22) /* EvntSel0 only, for both counters; reserved in EvntSel1 */
#define EVNTSEL_INV      (1u << 23) /* count < CMASK instead of >= CMASK */
#define EVNTSEL_CMASK(n) ((uint32_t)(n) << 24)

#define P6_PERIOD_MAX 0x7fffffffu /* the most negative value that WRMSR's 32 bits allow */

#define MISC_ENABLE_PERFMON (1u << 7) /* table 35-46's 1A0h on Pentium M: counters available (read only) */

/* pmu.models */
#define P6_PPRO (1u << 0)
#define P6_PII  (1u << 1)
#define P6_PIII (1u << 2)
#define P6_PM   (1u << 3)

/* Sets of unit masks */
enum {
    MESI = 1,
    MESI_PREFETCH,
    AGENT,
    PREFETCH,
    SPEEDSTEP,
    MMX_TYPE,
    TRANSITION,
    SEGMENT,
    SSE,
    SSE_PM,
    SSE_COMP_PM,
    FUSED
};

#define PMU_P6_EVENTS  110
#define PMU_P6_UMASKS  44
#define PMU_P6_ALIASES 27
extern const struct pmu_words pmu_p6_words;
extern const struct pmu_alias pmu_p6_aliases[PMU_P6_ALIASES];
extern const struct pmu_event pmu_p6_events[PMU_P6_EVENTS];
extern const struct pmu_umask pmu_p6_umasks[PMU_P6_UMASKS];
