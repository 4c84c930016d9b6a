/* Pentium and Pentium MMX: two 40-bit counters under one control register.
 *
 * SDM vol. 3B (order 325384-059) 18.23; the register layout also in Safford's thesis (seed 003) 2.3.
 */
#pragma once
#include "pmu/pmu.h"

#define P5_COUNTERS   2
#define P5_WIDTH      40
#define P5_MASK       ((1ull << P5_WIDTH) - 1)
#define P5_PERIOD_MAX 0x7fffffffu /* as on the other families; the counter could hold more */

/* 18.23 */
#define MSR_P5_CESR 0x11 /* control and event select, 32 bits */
#define MSR_P5_CTR0 0x12
#define MSR_P5_CTR1 0x13

/* 18.23.1, the half of counter 0; counter 1's lies 16 bits higher. Bits 15:10 and 31:26 are reserved and must
 * be written as they were read. */
#define CESR_ES       0x003fu   /* event select */
#define CESR_CC_OS    (1u << 6) /* count at CPL 0-2 */
#define CESR_CC_USR   (1u << 7) /* count at CPL 3 */
#define CESR_CC_CLOCK (1u << 8) /* count clocks, regardless of ES */
#define CESR_CC       (7u << 6) /* all of counter control; 000 and 100 stop the counter */
#define CESR_PC       (1u << 9) /* pin PM0/PM1 signals overflow (1) or increment (0): depends on the board */
#define CESR_SHIFT(i) (16u * (i))

/* pmu.models */
#define P5_PLAIN (1u << 0) /* Pentium */
#define P5_MMX   (1u << 1) /* Pentium MMX (P55C) */

#define PMU_P5_EVENTS  73 /* 38 of every Pentium, 35 of the Pentium MMX */
#define PMU_P5_ALIASES 16
extern const struct pmu_words pmu_p5_words;
extern const struct pmu_alias pmu_p5_aliases[PMU_P5_ALIASES];
extern const struct pmu_event pmu_p5_events[PMU_P5_EVENTS];
