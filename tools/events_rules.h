/* Which counters an event can be counted on, which libpfm4 knows but has no function to tell. Intel's are the
 * driver's own (pmu/arch_constraints.c), by libpfm4's name of the PMU (pmu/arch_cpus.c).
 *
 * Events with the select 0 are Intel's encodings for what only a fixed counter counts, or with unit masks
 * from 80h on what MSR 329h (PERF_METRICS) tells, which no counter does. mkevents takes no other event 0 of
 * Intel's.
 */
#pragma once
#include "pmu/arch_constraints.h"
#include "pmu/rules.h"
#include <stddef.h>
#include <string.h>

/* amd_get_event_constraints_f15h(). Where Linux asks how many bits the unit mask has, a rule cannot: 004h
 * goes to the counter that takes any number of them. */
static const struct db_rule rules_fam15h[] = {{0x000, 0x000, 0x00, 0xf0, 0, 0x38},
                                              {0x000, 0x000, 0x00, 0x0f, 0, 0x38},
                                              EVENT(0x000, 0x08),
                                              RANGE(0x003, 0x004, 0x08),
                                              EVENT(0x00b, 0x08),
                                              EVENT(0x00d, 0x08),
                                              RANGE(0x000, 0x01f, 0x38),
                                              EVENT(0x023, 0x07),
                                              EVENT(0x02d, 0x08),
                                              EVENT(0x02e, 0x09),
                                              EVENT(0x031, 0x07),
                                              EVENT(0x043, 0x07),
                                              RANGE(0x045, 0x046, 0x07),
                                              RANGE(0x054, 0x055, 0x07),
                                              EVENT(0x08f, 0x01),
                                              RANGE(0x060, 0x09f, 0x07),
                                              RANGE(0x0db, 0x0df, 0x3f),
                                              RANGE(0x0d0, 0x0da, 0x07),
                                              RANGE(0x187, 0x188, 0x01),
                                              EVENT(0x1c0, 0x38),
                                              RANGE(0x1d0, 0x1d5, 0x07)};

struct rules {
    const struct db_rule *rule;
    unsigned n;
};

/* A PMU's rules. Of AMD's only family 15h has any; the drivers of the others here know by themselves, and
 * Knights Corner has none. Any other of Intel's is newer than the kernel, which will not look for it: the
 * strictest that we know. */
static inline struct rules rules_of(const char *pmu)
{
    static const char *const none[] = {"ppro", "pii", "p6", "pm", "knc"};
    if (strcmp(pmu, "amd64_fam15h_interlagos") == 0)
        return (struct rules){rules_fam15h, sizeof rules_fam15h / sizeof rules_fam15h[0]};
    if (strncmp(pmu, "amd64", 5) == 0) return (struct rules){NULL, 0};
    for (unsigned i = 0; i < sizeof none / sizeof none[0]; i++)
        if (strcmp(pmu, none[i]) == 0) return (struct rules){NULL, 0};
    const enum arch_constraints of = pmu_arch_constraints_named(pmu);
    const struct arch_constraint_table *t = &pmu_arch_constraints[of ? of : CONSTRAINTS_GLC];
    return (struct rules){t->rule, t->n};
}

/* The MSR that an event's second word goes into, by event and unit mask (under mask). Linux' tables of extra
 * registers; their names: facts section 4.2. */
static const struct {
    uint8_t event, umask, mask;
    uint16_t msr;
} extra_msrs[] = {
    {0xb7, 0x02, 0xff, 0x1a7},                            /* OFFCORE_RSP_1 of Knights Landing */
    {0xb7, 0x00, 0x00, 0x1a6},                            /* OFFCORE_RSP_0 */
    {0xbb, 0x00, 0x00, 0x1a7},                            /* OFFCORE_RSP_1 */
    {0x2a, 0x00, 0x00, 0x1a6},                            /* both from Sapphire Rapids on */
    {0x2b, 0x00, 0x00, 0x1a7}, {0xcd, 0x00, 0x00, 0x3f6}, /* PEBS_LD_LAT_THRESHOLD */
    {0x0b, 0x00, 0x00, 0x3f6},                            /* likewise of Nehalem */
    {0xd0, 0x00, 0x00, 0x3f6},                            /* likewise of Gracemont */
    {0xc6, 0x00, 0x00, 0x3f7},                            /* PEBS_FRONTEND */
};
