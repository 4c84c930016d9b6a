/* What the kernel runs on: silicon, Linux, a hypervisor or an emulator. */
#pragma once
#include "kernel/acpi.h"
#include "kernel/cpuid.h"

/* LINUX: as a process of it (hosted/). */
enum platform {
    PLATFORM_SILICON,
    PLATFORM_LINUX,
    PLATFORM_QEMU_TCG,
    PLATFORM_BOCHS,
    PLATFORM_KVM,
    PLATFORM_HYPERVISOR
};

enum platform platform_detect(const struct cpu_id *id, const struct acpi_info *acpi);
/* As far as CPUID tells: SILICON, or what is above it. */
enum platform platform_by_cpuid(const struct cpu_id *id);

const char *platform_name(enum platform p); /* "silicon", "linux", "qemu-tcg", "bochs", "kvm", "hypervisor" */

/* The source of a number. */
enum origin {
    ORIGIN_SILICON,
    ORIGIN_VIRTUALIZED, /* a processor's, through a hypervisor */
    ORIGIN_EMULATED,    /* an emulator's time, which is no processor's */
    ORIGIN_MODELLED     /* counts of an emulator's PMU model */
};

/* The source of time stamps, and of counts. Not of LINUX, where it is what CPUID says that is below. */
enum origin platform_time_origin(enum platform p);
enum origin platform_count_origin(enum platform p);

/* The flag of such results: "virtualized", "emulated", "modelled"; NULL on silicon. */
const char *origin_flag(enum origin o);
