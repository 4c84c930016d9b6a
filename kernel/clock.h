/* The rate of the time-stamp counter, and its source. */
#pragma once
#include "kernel/acpi.h"
#include "kernel/cpuid.h"

/* One source's statement of the TSC's rate. */
struct clock_rate {
    uint64_t hz; /* 0: nothing */
    const char *source;
    double ppm; /* its stated error */
};

struct clock {
    uint64_t tsc_hz;         /* 0 = unknown: results in units of time are not available then */
    const char *source;      /* "cpuid.15h", "cpuid.16h", "pit", "pm-timer", "command line", "unknown" */
    double uncertainty_ppm;  /* the stated error; 0: none is stated (command line, unknown) */
    struct clock_rate other; /* the source that it was compared with; hz 0: there was none */
    bool disagree;           /* the two differ by more than their stated errors */
    uint32_t step;           /* the TSC advances in multiples of this (clock_step()) */
};

/* CPUID's statement (leaf 15h or 16h) and a calibration against the PIT, else the ACPI PM timer: if they
 * agree, the one with the smaller stated error. If they do not, the measured rate; or CPUID's, where the PM
 * timer, then also measured, confirms it against the PIT. Bounded: 20 ms where the first try is precise, five
 * times that at most, for each timer. */
void clock_init(const struct cpu_id *id, const struct acpi_info *acpi, struct clock *c);

/* The number of ticks by whose multiples the TSC advances: 1 nearly everywhere, 10 on some Atoms, 36 on some
 * Zens. 0: it stands still. */
uint32_t clock_step(void);
