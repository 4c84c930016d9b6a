#include "measure/core_clock.h"
#include "kernel/hw.h"
#include <string.h>

#define MSR_MPERF 0xe7
#define MSR_APERF 0xe8
#define SPIN      50000

static void spin(void)
{
    for (unsigned i = 0; i < SPIN; i++) hw_rdtsc();
}

void core_clock_read(struct core_clock *now)
{
    now->mperf = now->aperf = 0;
    rdmsr_safe(MSR_MPERF, &now->mperf);
    rdmsr_safe(MSR_APERF, &now->aperf);
}

double core_clock_ratio(const struct core_clock *from, const struct core_clock *to)
{
    uint64_t core = to->aperf - from->aperf, ticks = to->mperf - from->mperf;
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
    return to.aperf != from.aperf && to.mperf != from.mperf;
}

/* The lowest usable counter of the mask, -1: none. */
static int lowest(uint32_t mask) { return mask ? __builtin_ctz(mask) : -1; }

static double by_counters(struct pmu *pmu)
{
    const struct pmu_code *set[PMU_COUNTERS] = {NULL};
    struct pmu_code cycles, reference;
    char why[96], near[8];
    double ratio = 0;
    if (!pmu->ops || !pmu->usable ||
        !pmu_event_parse(pmu, "cycles", 6, &cycles, why, sizeof why, near, sizeof near) ||
        !pmu_event_parse(pmu, "ref-cycles", 10, &reference, why, sizeof why, near, sizeof near))
        return 0;
    int r = lowest(reference.counters & pmu->usable);
    int c = r < 0 ? -1 : lowest(cycles.counters & pmu->usable & ~(1u << r));
    if (c < 0) return 0;
    set[r] = &reference;
    set[c] = &cycles;
    if (pmu->ops->program(pmu, set, why, sizeof why)) {
        pmu->ops->start(pmu);
        spin();
        pmu->ops->stop(pmu);
        uint64_t ticks = pmu->ops->read(pmu, (unsigned)r);
        if (ticks) ratio = (double)pmu->ops->read(pmu, (unsigned)c) / (double)ticks;
    }
    pmu->ops->release(pmu);
    return ratio;
}

double core_clock_measure(const struct cpu_id *id, struct pmu *pmu, const char **source)
{
    double ratio = core_clock_present(id) ? by_msr() : 0;
    *source = "aperf/mperf";
    if (ratio == 0) {
        ratio = by_counters(pmu);
        *source = ratio == 0 ? "unknown" : "counters";
    }
    return ratio;
}
