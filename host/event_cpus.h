/* CPUs by name, as the kernel's drivers of performance counters find them. */
#pragma once
#include "pmu/pmu.h"

#define EVENT_CPU_NAMES 64

struct event_cpu {
    struct cpu_id id;
    struct pmu pmu;              /* as its driver finds it; all counters usable that no erratum spoils */
    char names[EVENT_CPU_NAMES]; /* "skx, skylake": libpfm4's and the model's, where it has them */
};

/* The CPU that a name means: a modelled CPU (sim/models.def), libpfm4's name of its counters, the driver's
 * name for it ("Ice Lake", "alder-lake-atom": capitals and punctuation do not matter), or a CPUID as perf
 * writes it, "GenuineIntel-6-9E-A" (family in decimal, model and stepping in hexadecimal). Where a name is in
 * several, the first in this order has it. False: there is none. */
bool event_cpu_named(const char *name, struct event_cpu *cpu);

/* This computer's. False: it has no counters that a driver knows, or does not show them. */
bool event_cpu_here(struct event_cpu *cpu);

/* Calls one() for each CPU that differs from the others in its driver, name or events. */
void event_cpus(void (*one)(void *ctx, const struct event_cpu *cpu), void *ctx);
