/* The counter of system management interrupts: nothing else shows that the firmware has run in between. */
#pragma once
#include "kernel/cpuid.h"

/* True where MSR 34h counts SMIs and can be believed: Intel since Nehalem, not under a hypervisor. An
 * emulator may let an unknown MSR read as 0, without a fault: ask on silicon only. */
bool smi_counter_present(const struct cpu_id *id);

/* How many so far, modulo 2^32. Where it is present. */
uint32_t smi_counter_read(void);
