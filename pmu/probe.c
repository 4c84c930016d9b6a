/* Find this CPU's PMU, and check that it counts. */
#include "kernel/hw.h"
#include "pmu/driver.h"
#include <string.h>

/* Ends with NULL. The 64-bit kernel has no drivers of families without long mode. */
static const struct pmu_ops *const families[] = {
#if !defined(__x86_64__) || defined(HOST)
    &pmu_p5_ops,       &pmu_p6_ops,
#endif
    &pmu_netburst_ops, &pmu_arch_ops, &pmu_amd_ops, NULL};

/* Some tens of thousands of clocks. */
#define SPIN 1000

static void spin(void)
{
    for (unsigned i = 0; i < SPIN; i++) hw_rdtsc();
}

/* Probe one counter by itself, so that one that faults does not affect the others. */
static enum pmu_counter_state try_counter(struct pmu *pmu, unsigned i)
{
    const struct pmu_code *code[PMU_COUNTERS] = {NULL};
    struct pmu_code c;
    char why[96], near[8];
    uint64_t value;
    const char *word = pmu->ops->trial ? pmu->ops->trial(pmu, i) : "cycles";
    if (!word) return COUNTER_UNRELIABLE;
    if (!pmu_event_parse(pmu, word, strlen(word), &c, why, sizeof why, near, sizeof near))
        return COUNTER_ABSENT;
    code[i] = &c;
    if (!rdmsr_safe(pmu->counter_msr[i], &value) || !pmu->ops->program(pmu, code, why, sizeof why))
        return COUNTER_ABSENT;

    uint64_t before = pmu->ops->read(pmu, i);
    pmu_start(pmu);
    spin();
    pmu_stop(pmu);
    uint64_t after = pmu->ops->read(pmu, i);

    /* Bochs without a PMU has an RDPMC that reads 0 from the P6 on. */
    if (pmu->rdpmc) pmu->rdpmc = rdpmc_safe(pmu->rdpmc_index[i], &value) && value == after;
    if (pmu->fast_rdpmc)
        pmu->fast_rdpmc =
            rdpmc_safe(pmu->rdpmc_index[i] | PMU_RDPMC_FAST, &value) && value == (uint32_t)after;
    return after != before ? COUNTER_OK : COUNTER_NOT_ADVANCING;
}

bool pmu_probe(const struct cpu_id *id, struct pmu *pmu)
{
    memset(pmu, 0, sizeof *pmu);
    for (unsigned i = 0; i < PMU_COUNTERS; i++) pmu->rdpmc_index[i] = i;
    for (unsigned k = 0; families[k] && !pmu->ops; k++)
        if (families[k]->detect(id, pmu)) pmu->ops = families[k];
    if (!pmu->ops) return false;

    for (unsigned i = 0; i < pmu->counters; i++) {
        pmu->state[i] = try_counter(pmu, i);
        if (pmu->state[i] == COUNTER_OK) pmu->usable |= 1u << i;
    }
    if (!pmu->usable) pmu->rdpmc = false;
    if (!pmu->rdpmc) pmu->user_rdpmc = pmu->fast_rdpmc = false;
    if (pmu->counters) pmu->ops->release(pmu);
    return true;
}

const char *pmu_state_text(enum pmu_counter_state state)
{
    static const char *const text[] = {[COUNTER_ABSENT] = "absent",
                                       [COUNTER_OK] = "ok",
                                       [COUNTER_NOT_ADVANCING] = "not advancing",
                                       [COUNTER_UNRELIABLE] = "unreliable"};
    return text[state];
}
