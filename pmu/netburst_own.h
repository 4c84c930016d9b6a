/* What the files of NetBurst's driver share among themselves. */
#pragma once
#include "pmu/netburst.h"

/* pmu.own[] */
enum {
    OWN_THREADS,
    OWN_STARTERS, /* bit i: counter i starts another when it overflows */
    OWN_ENABLE,   /* IA32_PEBS_ENABLE as programmed, without PEBS */
    OWN_PEBS,     /* bit i: PEBS is armed on counter i */
    OWN_SOLE      /* one more than the only counter that interrupts, neither PEBS nor a cascade; 0: other */
};
#define THREADS_TWO    1u /* Hyper-Threading */
#define THREADS_SECOND 2u /* this is logical processor 1 of its core */

/* Counter 1's enable bit does not work reliably (Linux' p4 driver never uses it). */
#define NB_UNRELIABLE (1u << 1)

bool pmu_netburst_encode(const struct pmu *pmu, const struct pmu_fields *f, struct pmu_code *out, char *why,
                         size_t cap);
/* Mark the halves of a cascade; false where no counter of the one starts a counter of the other. */
bool pmu_netburst_halves(const struct pmu *pmu, struct pmu_code *starter, struct pmu_code *target, char *why,
                         size_t cap);

/* pmu/netburst_sampling.c */
bool pmu_netburst_arm(struct pmu *pmu, unsigned counter, uint64_t period, char *why, size_t cap);
uint32_t pmu_netburst_overflowed(struct pmu *pmu, const struct apic_pmi_entry *pmi);
bool pmu_netburst_pebs_arm(struct pmu *pmu, unsigned counter, const struct pmu_code *code, uint64_t ds,
                           char *why, size_t cap);
void pmu_netburst_pebs_stop(struct pmu *pmu);

/* pmu.armed[i]: the CCCR to be written at start, and in 39:32 for a cascade's target its starter's number
 * plus one; in 43:40 the tagging mechanism that the counter counts. */
#define NB_ARMED_STARTER(armed)   ((unsigned)((armed) >> 32 & 0xff)) /* 0: none */
#define NB_ARMED_MECHANISM(armed) ((unsigned)((armed) >> 40 & 15))
enum { MECHANISM_NONE, MECHANISM_FRONT_END, MECHANISM_EXECUTION, MECHANISM_REPLAY };
#define NB_START_BITS (CCCR_ENABLE | CCCR_CASCADE | CCCR_EXTENDED)
