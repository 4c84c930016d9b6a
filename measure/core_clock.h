/* The core's clock against the TSC's: how many core cycles pass in a tick. */
#pragma once
#include "kernel/cpuid.h"
#include "pmu/pmu.h"

/* APERF counts core cycles, MPERF ticks at the TSC's rate, both while the core is not halted; what lies
 * between two readings is all that counts (SDM vol. 3B 14.2). */
struct core_clock {
    uint64_t aperf, mperf;
};

/* CPUID.6:ECX[0] announces them, and they advance. */
bool core_clock_present(const struct cpu_id *id);

void core_clock_read(struct core_clock *now);

/* Core cycles per tick from one reading to the other; 0: nothing can be said. */
double core_clock_ratio(const struct core_clock *from, const struct core_clock *to);

/* The same over a busy loop of some 50,000 readings of the TSC, by APERF and MPERF or, where there are none,
 * by counters (perf's words cycles and ref-cycles). *source: "aperf/mperf", "counters", or "unknown" with 0.
 */
double core_clock_measure(const struct cpu_id *id, struct pmu *pmu, const char **source);
