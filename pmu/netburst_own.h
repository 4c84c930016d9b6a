/* Shared by the files of NetBurst's driver. */
#pragma once
#include "pmu/netburst.h"
#include "pmu/pebs.h"

/* Counter 1's enable bit does not work reliably (Linux' p4 driver never uses it). */
#define NB_UNRELIABLE (1u << 1)

bool pmu_netburst_encode(const struct pmu *pmu, const struct pmu_fields *f, struct pmu_code *out, char *why,
                         size_t cap);
/* Mark the halves of a cascade; false: no counter of the one starts a counter of the other. */
bool pmu_netburst_halves(const struct pmu *pmu, struct pmu_code *starter, struct pmu_code *target, char *why,
                         size_t cap);

/* pmu/netburst_sampling.c */
bool pmu_netburst_arm(struct pmu *pmu, unsigned counter, uint64_t period, char *why, size_t cap);
uint32_t pmu_netburst_overflowed(struct pmu *pmu, const struct apic_pmi_entry *pmi);
bool pmu_netburst_sole(const struct pmu *pmu, struct pmu_sole *out);
bool pmu_netburst_pebs_plan(struct pmu *pmu, unsigned counter, const struct pmu_code *code,
                            const struct pebs_want *want, struct pebs *out, char *why, size_t cap);
bool pmu_netburst_pebs_arm(struct pmu *pmu, unsigned counter, const struct pmu_code *code,
                           const struct pebs *buffer, char *why, size_t cap);
void pmu_netburst_pebs_stop(struct pmu *pmu);

/* Bits of a CCCR that start() writes and program() does not. */
#define NB_START_BITS (CCCR_ENABLE | CCCR_CASCADE | CCCR_EXTENDED)
