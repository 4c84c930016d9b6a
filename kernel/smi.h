/* The counter of system management interrupts: nothing else shows that the firmware has run. */
#pragma once
#include "kernel/cpuid.h"

/* True where MSR 34h counts SMIs reliably: Intel since Nehalem, not under a hypervisor. An emulator may read
 * an unknown MSR as 0 without a fault, so call this on silicon only. */
bool smi_counter_present(const struct cpu_id *id);

/* The number so far, modulo 2^32. Only where it is present. */
uint32_t smi_counter_read(void);
