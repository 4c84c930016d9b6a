/* kernel/hw.h on the PMU model: drivers run against it at CPL 0 as they would on that CPU. */
#pragma once
#include "kernel/cpuid.h"
#include "sim/sim.h"

/* The CPU that rdmsr_safe() and the others talk to from now on; its identity goes to *id. */
void sim_hw_plug(struct sim *s, struct cpu_id *id);

/* How many instructions of CPL 0 hw_rdtsc() takes: 1 after sim_hw_plug(). */
extern unsigned sim_hw_rdtsc_takes;

/* n plain instructions of two bytes at cpl, one tick each. */
void sim_hw_run(unsigned n, unsigned cpl);
