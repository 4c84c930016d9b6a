/* Core cycles per tick of the TSC, measured by a counter, for CPUs without APERF (kernel/core_clock.h). */
#include "kernel/hw.h"
#include "pmu/pmu.h"

#define SPIN 50000

/* Each reading is followed by one of the TSC, so that the code that starts and stops the counter lies
 * outside. */
double pmu_core_per_tsc(struct pmu *pmu)
{
    const struct pmu_code *set[PMU_COUNTERS] = {NULL};
    struct pmu_code cycles;
    uint64_t core = 0, ticks = 0;
    char why[96], near[8];
    if (!pmu->ops || !pmu_event_parse(pmu, "cycles", 6, &cycles, why, sizeof why, near, sizeof near) ||
        !(cycles.counters & pmu->usable))
        return 0;
    const unsigned counter = (unsigned)__builtin_ctz(cycles.counters & pmu->usable);
    set[counter] = &cycles;
    if (pmu->ops->program(pmu, set, why, sizeof why)) {
        pmu_start(pmu);
        const uint64_t from = pmu->ops->read(pmu, counter), start = hw_rdtsc();
        for (unsigned i = 0; i < SPIN; i++) hw_rdtsc();
        core = pmu->ops->read(pmu, counter) - from;
        ticks = hw_rdtsc() - start;
        pmu_stop(pmu);
    }
    pmu->ops->release(pmu);
    return ticks ? (double)core / (double)ticks : 0;
}
