#include "measure/core_clock.h"
#include "kernel/hw.h"
#include <string.h>

#define MSR_APERF 0xe8
#define SPIN      50000

static void spin(void)
{
    for (unsigned i = 0; i < SPIN; i++) hw_rdtsc();
}

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

static double by_msr(void)
{
    struct core_clock from, to;
    core_clock_read(&from);
    spin();
    core_clock_read(&to);
    return core_clock_ratio(&from, &to);
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

/* On whatever counter: each reading is followed by one of the TSC, so that what starts and stops the counter
 * lies outside. */
static double by_counter(struct pmu *pmu)
{
    const struct pmu_code *set[PMU_COUNTERS] = {NULL};
    struct pmu_code cycles;
    struct core_clock from = {0}, to = {0};
    char why[96], near[8];
    if (!pmu->ops || !pmu_event_parse(pmu, "cycles", 6, &cycles, why, sizeof why, near, sizeof near) ||
        !(cycles.counters & pmu->usable))
        return 0;
    const unsigned counter = (unsigned)__builtin_ctz(cycles.counters & pmu->usable);
    set[counter] = &cycles;
    if (pmu->ops->program(pmu, set, why, sizeof why)) {
        pmu->ops->start(pmu);
        from = (struct core_clock){pmu->ops->read(pmu, counter), hw_rdtsc()};
        spin();
        to = (struct core_clock){pmu->ops->read(pmu, counter), hw_rdtsc()};
        pmu->ops->stop(pmu);
    }
    pmu->ops->release(pmu);
    return core_clock_ratio(&from, &to);
}

double core_clock_measure(const struct cpu_id *id, struct pmu *pmu, const char **source)
{
    double ratio = core_clock_present(id) ? by_msr() : 0;
    *source = "aperf/tsc";
    if (ratio == 0) {
        ratio = by_counter(pmu);
        *source = ratio == 0 ? "unknown" : "counters";
    }
    return ratio;
}
