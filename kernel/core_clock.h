/* The ratio of the core's clock to the TSC's: core cycles per tick. */
#pragma once
#include "kernel/cpuid.h"

/* APERF counts core cycles while the core is not halted (SDM vol. 3B 14.2), and no payload halts. Its
 * companion MPERF does not help here: it advances at the base clock, which since Skylake is not the TSC's
 * (0.1 to 0.4 % off: turbostat's tsc_tweak). */
struct core_clock {
    uint64_t aperf, tsc;
};

/* CPUID.6:ECX[0] announces APERF, and it advances. */
bool core_clock_present(const struct cpu_id *id);

void core_clock_read(struct core_clock *now);

/* Core cycles per tick from one reading to the other; 0: unknown. */
double core_clock_ratio(const struct core_clock *from, const struct core_clock *to);

/* What it is read by: "aperf/tsc". */
extern const char core_clock_source[];

/* The same over a busy loop of some 50,000 readings of the TSC; 0 where APERF is not present. A performance
 * counter may give it then: pmu_core_per_tsc(). */
double core_clock_measure(const struct cpu_id *id);
