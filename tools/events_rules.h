/* Which counters an event can be counted on, which libpfm4 knows but has no function to tell. From Linux'
 * tables of constraints (arch/x86/events/intel/core.c and amd/core.c), in their order: the first that fits
 * holds. Linux' limits that only apply while Hyper-Threading is on are left out, except where the same table
 * also limits the event without: with it off there are counters 4 to 7, on which some events do not work.
 *
 * Events with the select 0 are Intel's encodings for what only a fixed counter counts, or with unit masks
 * from 80h on what MSR 329h (PERF_METRICS) tells, which no counter does. mkevents takes no other event 0 of
 * Intel's.
 */
#pragma once
#include "pmu/db_format.h"
#include <stddef.h>
#include <string.h>

#define EVENT(code, counters)         \
    {                                 \
        code, code, 0, 0, 0, counters \
    }
#define RANGE(first, last, counters)   \
    {                                  \
        first, last, 0, 0, 0, counters \
    }
#define UMASK(code, umask, counters)         \
    {                                        \
        code, code, umask, 0xff, 0, counters \
    }
#define FIXED(umask, counter)                 \
    {                                         \
        0, 0, umask, 0xff, 1u << (counter), 0 \
    }
#define REFERENCE FIXED(0x03, 2)
#define CYCLES                               \
    {                                        \
        0x3c, 0x3c, 0x00, 0xff, 1 << 1, 0xff \
    }
#define METRICS                \
    {                          \
        0, 0, 0x80, 0x80, 0, 0 \
    }

static const struct db_rule rules_core[] = {/* intel_core_event_constraints */
                                            EVENT(0x11, 2), EVENT(0x12, 2), EVENT(0x13, 2),
                                            EVENT(0x14, 1), EVENT(0x19, 2), EVENT(0xc1, 1)};

static const struct db_rule rules_core2[] = {/* intel_core2_event_constraints */
                                             REFERENCE,      EVENT(0x10, 1), EVENT(0x11, 2), EVENT(0x12, 2),
                                             EVENT(0x13, 2), EVENT(0x14, 1), EVENT(0x18, 1), EVENT(0x19, 2),
                                             EVENT(0xa1, 1), EVENT(0xc9, 1), EVENT(0xcb, 1)};

static const struct db_rule rules_gen[] = {REFERENCE}; /* intel_gen_, intel_slm_event_constraints */

static const struct db_rule rules_nhm[] = {/* intel_nehalem_event_constraints */
                                           REFERENCE,      EVENT(0x40, 3), EVENT(0x41, 3),
                                           EVENT(0x42, 3), EVENT(0x43, 3), EVENT(0x48, 3),
                                           EVENT(0x4e, 3), EVENT(0x51, 3), EVENT(0x63, 3)};

static const struct db_rule rules_wsm[] = {/* intel_westmere_event_constraints */
                                           REFERENCE, EVENT(0x51, 3), EVENT(0x60, 1), EVENT(0x63, 3),
                                           EVENT(0xb3, 1)};

static const struct db_rule rules_snb[] = {/* intel_snb_event_constraints */
                                           REFERENCE,
                                           UMASK(0xa3, 0x04, 0xf),
                                           UMASK(0xa3, 0x05, 0xf),
                                           UMASK(0xa3, 0x02, 4),
                                           UMASK(0xa3, 0x06, 4),
                                           EVENT(0x48, 4),
                                           UMASK(0xc0, 0x01, 2),
                                           EVENT(0xcd, 8),
                                           RANGE(0xd0, 0xd3, 0xf)};

static const struct db_rule rules_ivb[] = {/* intel_ivb_event_constraints */
                                           REFERENCE,
                                           UMASK(0x48, 0x01, 4),
                                           UMASK(0x79, 0x02, 0xf),
                                           UMASK(0x9c, 0x01, 0xf),
                                           UMASK(0xa3, 0x02, 0xf),
                                           UMASK(0xa3, 0x04, 0xf),
                                           UMASK(0xa3, 0x05, 0xf),
                                           UMASK(0xa3, 0x06, 0xf),
                                           UMASK(0xa3, 0x08, 4),
                                           UMASK(0xa3, 0x0c, 4),
                                           UMASK(0xc0, 0x01, 2),
                                           RANGE(0xd0, 0xd3, 0xf)};

static const struct db_rule rules_hsw[] = {/* intel_hsw_event_constraints */
                                           REFERENCE,
                                           UMASK(0x48, 0x01, 4),
                                           UMASK(0xc0, 0x01, 2),
                                           EVENT(0xcd, 8),
                                           UMASK(0xa3, 0x08, 4),
                                           UMASK(0xa3, 0x0c, 4),
                                           UMASK(0xa3, 0x04, 0xf),
                                           RANGE(0xd0, 0xd3, 0xf)};

static const struct db_rule rules_bdw[] = {/* intel_bdw_event_constraints */
                                           REFERENCE,
                                           UMASK(0x48, 0x01, 4),
                                           {0xa3, 0xa3, 0x08, 0x08, 0, 4},
                                           RANGE(0xd0, 0xd2, 0xf),
                                           EVENT(0xcd, 0xf)};

static const struct db_rule rules_skl[] = {/* intel_skl_event_constraints */
                                           REFERENCE, UMASK(0xc0, 0x01, 2), RANGE(0xd0, 0xd2, 0xf),
                                           EVENT(0xcd, 0xf), EVENT(0xc6, 0xf)};

static const struct db_rule rules_icl[] = {                                /* intel_icl_event_constraints */
                                           {0xc0, 0xc0, 0x01, 0xff, 1, 0}, /* the older encoding of 00h/01h */
                                           FIXED(0x01, 0),
                                           REFERENCE,
                                           FIXED(0x04, 3),
                                           METRICS,
                                           RANGE(0x03, 0x0a, 0xf),
                                           RANGE(0x1f, 0x28, 0xf),
                                           EVENT(0x32, 0xf),
                                           RANGE(0x48, 0x54, 0xf),
                                           RANGE(0x60, 0x8b, 0xf),
                                           UMASK(0xa3, 0x04, 0xff),
                                           UMASK(0xa3, 0x10, 0xff),
                                           UMASK(0xa3, 0x14, 0xff),
                                           EVENT(0xa3, 0xf),
                                           RANGE(0xa8, 0xb0, 0xf),
                                           RANGE(0xb7, 0xbd, 0xf),
                                           RANGE(0xd0, 0xe6, 0xf),
                                           EVENT(0xef, 0xf),
                                           RANGE(0xf0, 0xf4, 0xf)};

static const struct db_rule rules_spr[] = {/* intel_spr_event_constraints */
                                           FIXED(0x01, 0),         REFERENCE,
                                           FIXED(0x04, 3),         METRICS,
                                           EVENT(0x2e, 0xff),      CYCLES,
                                           EVENT(0x3c, 0xff),      RANGE(0x01, 0x8f, 0xf),
                                           UMASK(0xa3, 0x01, 0xf), UMASK(0xa3, 0x02, 0xf),
                                           UMASK(0xa3, 0x08, 0xf), UMASK(0xa4, 0x04, 1),
                                           UMASK(0xa4, 0x08, 1),   UMASK(0xcd, 0x02, 1),
                                           EVENT(0xce, 1),         RANGE(0xd0, 0xdf, 0xf)};

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

#undef EVENT
#undef RANGE
#undef UMASK
#undef FIXED
#undef REFERENCE
#undef CYCLES
#undef METRICS

#define RULES(table) table, sizeof table / sizeof table[0]
struct rules {
    const char *pmu; /* the first that fits holds */
    const struct db_rule *rule;
    unsigned n;
};
static const struct rules rules[] = {
    {"coreduo", RULES(rules_core)},
    {"core", RULES(rules_core2)},
    {"atom", RULES(rules_gen)},
    {"slm", RULES(rules_gen)},
    {"glm", RULES(rules_gen)},
    {"tmt", RULES(rules_gen)},
    {"adl_grt", RULES(rules_gen)},
    {"knl", RULES(rules_gen)},
    {"knm", RULES(rules_gen)},
    {"nhm", RULES(rules_nhm)},
    {"nhm_ex", RULES(rules_nhm)},
    {"wsm", RULES(rules_wsm)},
    {"wsm_dp", RULES(rules_wsm)},
    {"snb", RULES(rules_snb)},
    {"snb_ep", RULES(rules_snb)},
    {"ivb", RULES(rules_ivb)},
    {"ivb_ep", RULES(rules_ivb)},
    {"hsw", RULES(rules_hsw)},
    {"hsw_ep", RULES(rules_hsw)},
    {"bdw", RULES(rules_bdw)},
    {"bdw_ep", RULES(rules_bdw)},
    {"skl", RULES(rules_skl)},
    {"skx", RULES(rules_skl)},
    {"clx", RULES(rules_skl)},
    {"icl", RULES(rules_icl)},
    {"icx", RULES(rules_icl)},
    {"spr", RULES(rules_spr)},
    {"emr", RULES(rules_spr)},
    {"gnr", RULES(rules_spr)},
    {"adl_glc", RULES(rules_spr)},
    {"amd64_fam15h_interlagos", RULES(rules_fam15h)},
    {"ppro", NULL, 0}, /* their driver knows */
    {"pii", NULL, 0},
    {"p6", NULL, 0},
    {"pm", NULL, 0},
    {"knc", NULL, 0}, /* has no driver */
    /* Any other of Intel's is newer: the newest rules that we know, which are nearer to its own than none and
     * may be wrong (docs/events.md). A row of its own goes above. */
    {NULL, RULES(rules_spr)},
};
#undef RULES

/* A PMU's rules, of AMD's that is not listed none. */
static inline struct rules rules_of(const char *pmu)
{
    unsigned i = 0;
    while (rules[i].pmu && strcmp(rules[i].pmu, pmu) != 0) i++;
    return !rules[i].pmu && strncmp(pmu, "amd64", 5) == 0 ? (struct rules){pmu, NULL, 0} : rules[i];
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
