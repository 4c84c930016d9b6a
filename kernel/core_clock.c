#include "kernel/core_clock.h"
#include "kernel/hw.h"

#define MSR_APERF 0xe8
#define SPIN      50000

const char core_clock_source[] = "aperf/tsc";

void core_clock_read(struct core_clock *now)
{
    now->aperf = 0;
    rdmsr_safe(MSR_APERF, &now->aperf);
    now->tsc = hw_rdtsc();
}

double core_clock_ratio(const struct core_clock *from, const struct core_clock *to)
{
    uint64_t core = to->aperf - from->aperf, ticks = to->tsc - from->tsc;
    return ticks ? (double)core / (double)ticks : 0;
}

bool core_clock_present(const struct cpu_id *id)
{
    struct core_clock from, to;
    if (!(id->f6_ecx & CPUID_6_ECX_APERFMPERF)) return false;
    core_clock_read(&from);
    for (unsigned i = 0; i < 1000; i++) hw_rdtsc();
    core_clock_read(&to);
    return to.aperf != from.aperf;
}

double core_clock_measure(const struct cpu_id *id)
{
    struct core_clock from, to;
    if (!core_clock_present(id)) return 0;
    core_clock_read(&from);
    for (unsigned i = 0; i < SPIN; i++) hw_rdtsc();
    core_clock_read(&to);
    return core_clock_ratio(&from, &to);
}
