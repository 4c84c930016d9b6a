/* How fast the time-stamp counter runs, and how that is known. */
#pragma once
#include "kernel/acpi.h"
#include "kernel/cpuid.h"

struct clock {
    uint64_t tsc_hz;        /* 0 = unknown: then nothing in units of time is offered */
    const char *source;     /* "cpuid.15h", "cpuid.16h", "pit", "pm-timer", "command line", "unknown" */
    double uncertainty_ppm; /* of a calibration: half the width of its time window; 0 where the CPU states the
                               rate */
};

/* The CPU's own statement (leaf 15h), else the best of several calibrations against the PIT, else the ACPI PM
 * timer, else the nominal frequency of leaf 16h. Bounded: 20 ms where the first try is sharp, five times that
 * at most. */
void clock_init(const struct cpu_id *id, const struct acpi_info *acpi, struct clock *c);

/* The rate as CPUID states it, 0 where it does not. Sets c->source. */
uint64_t clock_from_cpuid(const struct cpu_id *id, struct clock *c);
