/* What the kernel is running on: silicon, or something that pretends. */
#pragma once
#include "kernel/acpi.h"
#include "kernel/cpuid.h"

enum platform { PLATFORM_SILICON, PLATFORM_QEMU_TCG, PLATFORM_BOCHS, PLATFORM_KVM, PLATFORM_HYPERVISOR };

enum platform platform_detect(const struct cpu_id *id, const struct acpi_info *acpi);
const char *platform_name(enum platform p); /* "silicon", "qemu-tcg", "bochs", "kvm", "hypervisor" */

/* Where a number comes from. */
enum origin {
    ORIGIN_SILICON,
    ORIGIN_VIRTUALIZED, /* a processor's, through a hypervisor */
    ORIGIN_EMULATED,    /* an emulator's time, which is no processor's */
    ORIGIN_MODELLED     /* an emulator's counters, which a model of a PMU counts */
};

/* Of time stamps, and of counts. */
enum origin platform_time_origin(enum platform p);
enum origin platform_count_origin(enum platform p);

/* The flag of such results: "virtualized", "emulated", "modelled"; NULL on silicon. */
const char *origin_flag(enum origin o);
