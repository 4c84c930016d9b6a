/* The machine that a session ran on, in a few words. */
#pragma once
#include <jansson.h>

/* "Intel(R) Pentium(R) 4 CPU 2.40GHz"; where no processor counted, the emulator or hypervisor instead:
 * "model of a Skylake-SP in Bochs", "QEMU's emulated processor". boot, cpu: the session's records, NULL if
 * none. To be freed. */
char *machine_of(const json_t *boot, const json_t *cpu);
