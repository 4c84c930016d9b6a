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
void apic_init(const struct cpu_id *id, struct apic *a);
