/* The local APIC: found, software-enabled, every local interrupt masked at its source. */
#pragma once
#include "kernel/cpuid.h"

enum apic_mode { APIC_ABSENT, APIC_DISABLED, APIC_XAPIC, APIC_X2APIC };

struct apic {
    enum apic_mode
        mode;      /* DISABLED: CPUID has it, firmware switched it off and it could not be switched on */
    uint64_t base; /* physical address (xAPIC) */
    uint32_t id, version, lvts; /* lvts: number of local vector table entries */
};

const char *apic_mode_name(enum apic_mode m); /* "absent", "disabled", "xapic", "x2apic" */
/* The lowest vector that waits in the interrupt request register, -1 when none does: some device that nobody
 * has silenced asks for attention, and on some cores a pending masked interrupt changes how instructions
 * retire. */
int apic_pending(const struct apic *a);
void apic_init(const struct cpu_id *id, struct apic *a);
