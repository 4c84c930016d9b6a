/* What the kernel is running on: silicon, or something that pretends. */
#pragma once
#include "kernel/acpi.h"
#include "kernel/cpuid.h"

enum platform { PLATFORM_SILICON, PLATFORM_QEMU_TCG, PLATFORM_BOCHS, PLATFORM_KVM, PLATFORM_HYPERVISOR };

enum platform platform_detect(const struct cpu_id *id, const struct acpi_info *acpi);
const char *platform_name(enum platform p); /* "silicon", "qemu-tcg", "bochs", "kvm", "hypervisor" */
/* The flag that every result carries there: "emulated", "virtualized", or NULL on silicon. */
const char *platform_flag(enum platform p);
