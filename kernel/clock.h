/* How fast the time-stamp counter runs, and how that is known. */
#pragma once
#include "kernel/acpi.h"
#include "kernel/cpuid.h"

/* What one source says of the TSC's rate. */
struct clock_rate {
    uint64_t hz; /* 0: nothing */
    const char *source;
    double ppm; /* it claims to be no further off than this */
};

struct clock {
    uint64_t tsc_hz;         /* 0 = unknown: then nothing in units of time is offered */
    const char *source;      /* "cpuid.15h", "cpuid.16h", "pit", "pm-timer", "command line", "unknown" */
    double uncertainty_ppm;  /* what that source claims; 0: nobody vouches for it (command line, unknown) */
    struct clock_rate other; /* what it was compared with; hz 0: there was no second source */
    bool disagree;           /* the two are further apart than both claim */
    uint32_t step;           /* the TSC advances in multiples of so many ticks (clock_step()) */
};

/* CPUID's statement (leaf 15h or 16h) and a calibration against the PIT, else the ACPI PM timer: of the two,
 * the one that claims more, if they agree. If they do not, what was measured; or what CPUID states, where the
 * PM timer, asked as well, confirms it against the PIT. Bounded: 20 ms where the first try is sharp, five
 * times that at most, for each timer. */
void clock_init(const struct cpu_id *id, const struct acpi_info *acpi, struct clock *c);

/* In multiples of how many ticks does the TSC advance? 1 nearly everywhere, 10 on some Atoms, 36 on some
 * Zens; 0: it stands still. */
uint32_t clock_step(void);
