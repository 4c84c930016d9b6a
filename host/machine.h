/* The machine that a session ran on, in a few words. */
#pragma once
#include <jansson.h>
#include <stdbool.h>

/* "Intel(R) Pentium(R) 4 CPU 2.40GHz"; if that was not alone, or none: "Skylake-SP (modelled in
 * Bochs)", "QEMU TCG CPU (emulated by QEMU)". boot, cpu: the session's records, NULL if
 * none. modelled: the PMU model has its counters, as Bochs itself has not. To be freed. */
char *machine_of(const json_t *boot, const json_t *cpu, bool modelled);
