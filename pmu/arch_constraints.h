/* Which counters can count an event: Linux' tables of constraints, one for each kind of Intel core
 * (pmu/arch_constraints.c). They depend on the code, not on the spelling of the event. The driver uses them
 * (pmu/arch.c), and tools/mkevents puts the same into the event database.
 */
#pragma once
#include "pmu/db_format.h"

enum arch_constraints {
    CONSTRAINTS_UNKNOWN, /* not known: a core newer than these tables, or one that Linux left out */
    CONSTRAINTS_CORE,    /* Core Duo */
    CONSTRAINTS_CORE2,
    CONSTRAINTS_GEN, /* no event of a general counter is limited: Bonnell to Tremont, Knights Landing */
    CONSTRAINTS_NHM,
    CONSTRAINTS_WSM,
    CONSTRAINTS_SNB,
    CONSTRAINTS_IVB,
    CONSTRAINTS_HSW,
    CONSTRAINTS_BDW,
    CONSTRAINTS_SKL, /* to Comet Lake */
    CONSTRAINTS_ICL, /* Sunny, Cypress and Willow Cove */
    CONSTRAINTS_GLC, /* Golden, Raptor and Redwood Cove */
    CONSTRAINTS_LNC, /* Lion and Cougar Cove */
    CONSTRAINTS_PNC, /* Panther and Coyote Cove */
    CONSTRAINTS_GRT, /* Gracemont, Crestmont, Skymont, Darkmont */
    CONSTRAINTS_ARW, /* Arctic Wolf */
    CONSTRAINTS_END
};

/* In Linux' order: the first rule that fits an event select and unit mask applies. If none fits, any general
 * counter can count the event, unless the table is CONSTRAINTS_UNKNOWN, which is empty. */
struct arch_constraint_table {
    const struct db_rule *rule;
    unsigned n;
};
extern const struct arch_constraint_table pmu_arch_constraints[CONSTRAINTS_END];

/* The rule for an event select and unit mask; NULL: none. */
const struct db_rule *pmu_arch_constraint(enum arch_constraints of, uint32_t event, uint32_t umask);

/* For the cores whose PMU has this name in libpfm4 (pmu/arch_cpus.c); CONSTRAINTS_UNKNOWN: no row there has
 * it. */
enum arch_constraints pmu_arch_constraints_named(const char *database);
