/* Linux' tables of event constraints (arch/x86/events/intel/core.c of 2026, the arrays named here), in their
 * order. The driver itself knows the events of fixed counters 0 to 3, which every core has (00C0h, 003Ch,
 * 0300h, 0400h). They are listed here only if another rule would cover them, or if the code is 0 and so
 * belongs to no general counter. Fixed counters from 4 on are not driven (pmu/arch.h), so that their events
 * may go to the general ones, as Linux lets them too.
 *
 * Linux' limits that apply only while Hyper-Threading is on are left out, except where the same table also
 * limits the event without it: with Hyper-Threading off there are counters 4 to 7, on which some events do
 * not work. Its limits of PEBS (the *_get_event_constraints functions) do not apply to counting.
 */
#include "pmu/arch_constraints.h"
#include "pmu/rules.h"
#include <stddef.h>

#define ALL 0xffffffffu /* general counters */

/* Event 0: a pseudo-encoding for events of fixed counters only. Linux' newest, 0200h for cycles, is left out:
 * libpfm4 uses that code for slots (tools/events_fixes.h), and 003Ch means cycles. */
#define FIXED(umask, counter)                 \
    {                                         \
        0, 0, umask, 0xff, 1u << (counter), 0 \
    }
#define INSTRUCTIONS FIXED(0x01, 0)
#define REFERENCE    FIXED(0x03, 2)
#define SLOTS        FIXED(0x04, 3)
/* For a fixed counter or any general one. */
#define EITHER(code, umask, counter)                  \
    {                                                 \
        code, code, umask, 0xff, 1u << (counter), ALL \
    }
#define CYCLES EITHER(0x3c, 0x00, 1)
#define TSC    EITHER(0x3c, 0x01, 2)
/* Reported by MSR 329h (PERF_METRICS): on no counter. */
#define METRICS                \
    {                          \
        0, 0, 0x80, 0x80, 0, 0 \
    }

static const struct db_rule core[] = {/* intel_core_event_constraints */
                                      EVENT(0x11, 2), EVENT(0x12, 2), EVENT(0x13, 2),
                                      EVENT(0x14, 1), EVENT(0x19, 2), EVENT(0xc1, 1)};

static const struct db_rule core2[] = {/* intel_core2_event_constraints */
                                       REFERENCE,      EVENT(0x10, 1), EVENT(0x11, 2), EVENT(0x12, 2),
                                       EVENT(0x13, 2), EVENT(0x14, 1), EVENT(0x18, 1), EVENT(0x19, 2),
                                       EVENT(0xa1, 1), EVENT(0xc9, 1), EVENT(0xcb, 1)};

static const struct db_rule gen[] = {REFERENCE}; /* intel_gen_, intel_slm_event_constraints */

static const struct db_rule nhm[] = {/* intel_nehalem_event_constraints */
                                     REFERENCE,      EVENT(0x40, 3), EVENT(0x41, 3),
                                     EVENT(0x42, 3), EVENT(0x43, 3), EVENT(0x48, 3),
                                     EVENT(0x4e, 3), EVENT(0x51, 3), EVENT(0x63, 3)};

static const struct db_rule wsm[] = {/* intel_westmere_event_constraints */
                                     REFERENCE, EVENT(0x51, 3), EVENT(0x60, 1), EVENT(0x63, 3),
                                     EVENT(0xb3, 1)};

static const struct db_rule snb[] = {/* intel_snb_event_constraints */
                                     REFERENCE,
                                     UMASK(0xa3, 0x04, 0xf),
                                     UMASK(0xa3, 0x05, 0xf),
                                     UMASK(0xa3, 0x02, 4),
                                     UMASK(0xa3, 0x06, 4),
                                     EVENT(0x48, 4),
                                     UMASK(0xc0, 0x01, 2),
                                     EVENT(0xcd, 8),
                                     RANGE(0xd0, 0xd3, 0xf)};

static const struct db_rule ivb[] = {/* intel_ivb_event_constraints */
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

static const struct db_rule hsw[] = {/* intel_hsw_event_constraints */
                                     REFERENCE,
                                     UMASK(0x48, 0x01, 4),
                                     UMASK(0xc0, 0x01, 2),
                                     EVENT(0xcd, 8),
                                     UMASK(0xa3, 0x08, 4),
                                     UMASK(0xa3, 0x0c, 4),
                                     UMASK(0xa3, 0x04, 0xf),
                                     RANGE(0xd0, 0xd3, 0xf)};

static const struct db_rule bdw[] = {/* intel_bdw_event_constraints; A3h by one bit of its unit mask */
                                     REFERENCE,
                                     UMASK(0x48, 0x01, 4),
                                     {0xa3, 0xa3, 0x08, 0x08, 0, 4},
                                     RANGE(0xd0, 0xd2, 0xf),
                                     EVENT(0xcd, 0xf)};

static const struct db_rule skl[] = {/* intel_skl_event_constraints */
                                     REFERENCE, UMASK(0xc0, 0x01, 2), RANGE(0xd0, 0xd2, 0xf),
                                     EVENT(0xcd, 0xf), EVENT(0xc6, 0xf)};

/* 55h and 56h came later (Linux' "perf/x86/intel: Fix event constraints for ICL", 2022). */
static const struct db_rule icl[] = {                                /* intel_icl_event_constraints */
                                     {0xc0, 0xc0, 0x01, 0xff, 1, 0}, /* the older encoding of 00h/01h */
                                     INSTRUCTIONS,
                                     REFERENCE,
                                     SLOTS,
                                     METRICS,
                                     RANGE(0x03, 0x0a, 0xf),
                                     RANGE(0x1f, 0x28, 0xf),
                                     EVENT(0x32, 0xf),
                                     RANGE(0x48, 0x56, 0xf),
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

static const struct db_rule glc[] = {/* intel_glc_event_constraints */
                                     INSTRUCTIONS,
                                     REFERENCE,
                                     SLOTS,
                                     METRICS,
                                     CYCLES,
                                     TSC,
                                     EVENT(0x2e, 0xff),
                                     EVENT(0x3c, 0xff),
                                     RANGE(0x01, 0x8f, 0xf),
                                     UMASK(0xa3, 0x01, 0xf),
                                     UMASK(0xa3, 0x02, 0xf),
                                     UMASK(0xa3, 0x05, 0xf),
                                     UMASK(0xa3, 0x06, 0xf),
                                     UMASK(0xa3, 0x08, 0xf),
                                     UMASK(0xa3, 0x0c, 0xf),
                                     UMASK(0xa4, 0x04, 1),
                                     UMASK(0xa4, 0x08, 1),
                                     UMASK(0xcd, 0x01, 0xfe),
                                     UMASK(0xcd, 0x02, 1),
                                     EVENT(0xce, 1),
                                     RANGE(0xd0, 0xdf, 0xf)};

static const struct db_rule lnc[] = {/* intel_lnc_event_constraints */
                                     INSTRUCTIONS,
                                     REFERENCE,
                                     SLOTS,
                                     METRICS,
                                     TSC,
                                     EVENT(0x20, 0xf),
                                     UMASK(0x48, 0x01, 4),
                                     UMASK(0x75, 0x01, 4),
                                     UMASK(0xa3, 0x08, 4),
                                     UMASK(0xa3, 0x0c, 4),
                                     UMASK(0xa4, 0x04, 1),
                                     UMASK(0xa4, 0x08, 1),
                                     UMASK(0xa4, 0x10, 8),
                                     UMASK(0xb1, 0x01, 8),
                                     UMASK(0xcd, 0x01, 0x3fc),
                                     UMASK(0xcd, 0x02, 3),
                                     UMASK(0xd0, 0x87, 0x3ff),
                                     RANGE(0xd0, 0xdf, 0xf)};

static const struct db_rule pnc[] = {/* intel_pnc_event_constraints */
                                     INSTRUCTIONS,
                                     REFERENCE,
                                     SLOTS,
                                     METRICS,
                                     TSC,
                                     EVENT(0x20, 0xf),
                                     EVENT(0x79, 0xf),
                                     UMASK(0x75, 0x02, 0xf),
                                     UMASK(0x76, 0x01, 0xf),
                                     UMASK(0xa4, 0x04, 1),
                                     UMASK(0xa4, 0x08, 1),
                                     UMASK(0xcd, 0x01, 0xfc),
                                     UMASK(0xcd, 0x02, 3),
                                     RANGE(0xd0, 0xd1, 0xf),
                                     EVENT(0xd4, 0xf),
                                     EVENT(0xd6, 0xf),
                                     EVENT(0xdf, 0xf),
                                     EVENT(0xce, 1),
                                     UMASK(0xb1, 0x01, 8),
                                     UMASK(0x47, 0x08, 0xf),
                                     UMASK(0x46, 0x04, 0xf),
                                     UMASK(0x46, 0x08, 0xf),
                                     UMASK(0x48, 0x01, 0xf)};

/* intel_grt_ and, as far as fixed counters below 4 go, intel_skt_event_constraints */
static const struct db_rule grt[] = {INSTRUCTIONS, REFERENCE, TSC};

static const struct db_rule arw[] = {/* intel_arw_event_constraints */
                                     INSTRUCTIONS,
                                     REFERENCE,
                                     TSC,
                                     UMASK(0xb7, 0x01, 1),
                                     UMASK(0xb7, 0x02, 2),
                                     UMASK(0xb7, 0x04, 4),
                                     UMASK(0xb7, 0x08, 8),
                                     UMASK(0x75, 0x01, 1),
                                     UMASK(0x75, 0x02, 2),
                                     UMASK(0xd3, 0x21, 1),
                                     UMASK(0xd3, 0x22, 1)};

#define TABLE(t)                    \
    {                               \
        t, sizeof(t) / sizeof(*(t)) \
    }
const struct arch_constraint_table pmu_arch_constraints[CONSTRAINTS_END] = {
    [CONSTRAINTS_UNKNOWN] = {NULL, 0}, [CONSTRAINTS_CORE] = TABLE(core), [CONSTRAINTS_CORE2] = TABLE(core2),
    [CONSTRAINTS_GEN] = TABLE(gen),    [CONSTRAINTS_NHM] = TABLE(nhm),   [CONSTRAINTS_WSM] = TABLE(wsm),
    [CONSTRAINTS_SNB] = TABLE(snb),    [CONSTRAINTS_IVB] = TABLE(ivb),   [CONSTRAINTS_HSW] = TABLE(hsw),
    [CONSTRAINTS_BDW] = TABLE(bdw),    [CONSTRAINTS_SKL] = TABLE(skl),   [CONSTRAINTS_ICL] = TABLE(icl),
    [CONSTRAINTS_GLC] = TABLE(glc),    [CONSTRAINTS_LNC] = TABLE(lnc),   [CONSTRAINTS_PNC] = TABLE(pnc),
    [CONSTRAINTS_GRT] = TABLE(grt),    [CONSTRAINTS_ARW] = TABLE(arw),
};

const struct db_rule *pmu_arch_constraint(enum arch_constraints of, uint32_t event, uint32_t umask)
{
    const struct arch_constraint_table *t = &pmu_arch_constraints[of];
    for (unsigned i = 0; i < t->n; i++) {
        const struct db_rule *r = &t->rule[i];
        if (event >= r->first && event <= r->last && (umask & r->mask) == r->umask) return r;
    }
    return NULL;
}
