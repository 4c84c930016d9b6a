/* Errata of counters: events that a CPU may count wrongly. One table for all families.
 *
 * Sources: Intel's event lists (github.com/intel/perfmon, field "Errata" of each core's *_core.json), which
 * linux-perf prints as "Spec update"; Linux' arch/x86/events/intel/core.c (intel_ht_bug()) for Sandy Bridge
 * to Haswell with Hyper-Threading, and tools/testing/selftests/kvm/lib/x86/pmu.c (get_pmu_errata()) for far
 * transfers on Atom cores; Andi Kleen's latego.py for Sandy Bridge-EP; AMD's revision guides.
 */
#pragma once
#include "kernel/cpuid.h"

/* How a count differs from the truth. */
enum erratum_effect {
    ERRATUM_WRONG, /* the sources do not say, or it may be either */
    ERRATUM_HIGH,
    ERRATUM_LOW
};

/* What an erratum takes. */
enum erratum_when {
    ERRATUM_ALWAYS,
    ERRATUM_SMT, /* Hyper-Threading is on */
    ERRATUM_FAR, /* far transfers, such as IRET and RETF, are executed: too many are counted */
};

struct erratum {
    char name[14]; /* as the vendor's specification update has it, or what it is about if that has no name */
    uint8_t effect, when;
};

/* Errata are bits of a set: bit i is pmu_erratum(i). */
const struct erratum *pmu_erratum(unsigned i);             /* NULL: i is beyond the last */
const struct erratum *pmu_erratum_named(const char *name); /* NULL: none has it */
/* " (with Hyper-Threading)": what it takes; "" if nothing. */
const char *pmu_erratum_condition(const struct erratum *e);

/* The lowest bit of a set that is not empty: in halves, since the i586 kernel has no __ctzdi2(). */
static inline unsigned pmu_errata_first(uint64_t errata)
{
    const uint32_t low = (uint32_t)errata;
    return low ? (unsigned)__builtin_ctz(low) : 32 + (unsigned)__builtin_ctz((uint32_t)(errata >> 32));
}

/* The table's bits for this CPU; 0: none of its errata are known. */
uint32_t pmu_errata_cpu(const struct cpu_id *id);

/* The set of errata of an event on the CPU with these bits. */
uint64_t pmu_errata(uint32_t cpu, uint32_t event, uint32_t umask);

/* A set without those that need Hyper-Threading. */
uint64_t pmu_errata_without_smt(uint64_t errata);

/* What all errata of a set do to a count; ERRATUM_WRONG where they differ. */
enum erratum_effect pmu_errata_effect(uint64_t errata);
