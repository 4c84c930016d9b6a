/* Which PMU does this CPU have, and does it count? */
#include "kernel/hw.h"
#include "pmu/driver.h"
#include "pmu/p5.h"
#include "pmu/p6.h"
#include <string.h>

/* Ends with NULL. What has no long mode is left out of the 64-bit kernel. */
static const struct pmu_ops *const families[] = {
#if !defined(__x86_64__) || defined(HOST)
    &pmu_p5_ops, &pmu_p6_ops,
#endif
    NULL};

/* Some tens of thousands of clocks. */
#define SPIN 1000

static void spin(void)
{
    for (unsigned i = 0; i < SPIN; i++) hw_rdtsc();
}

/* One counter by itself, so that one that faults does not take the others with it. */
static enum pmu_counter_state try_counter(struct pmu *pmu, const struct pmu_code *cycles, unsigned i)
{
    const struct pmu_code *code[PMU_COUNTERS] = {NULL};
    char why[96];
    uint64_t value;
    code[i] = cycles;
    if (!rdmsr_safe(pmu->counter_msr[i], &value) || !pmu->ops->program(pmu, code, why, sizeof why))
        return COUNTER_ABSENT;

    uint64_t before = pmu->ops->read(pmu, i);
    pmu->ops->start(pmu);
    spin();
    pmu->ops->stop(pmu);
    uint64_t after = pmu->ops->read(pmu, i);

    /* Bochs without a PMU has an RDPMC that reads 0 from the P6 on. */
    if (pmu->rdpmc) pmu->rdpmc = rdpmc_safe(i, &value) && value == after;
    return after != before ? COUNTER_OK : COUNTER_NOT_ADVANCING;
}

bool pmu_probe(const struct cpu_id *id, struct pmu *pmu)
{
    memset(pmu, 0, sizeof *pmu);
    for (unsigned k = 0; families[k] && !pmu->ops; k++)
        if (families[k]->detect(id, pmu)) pmu->ops = families[k];
    if (!pmu->ops) return false;

    struct pmu_code cycles;
    char why[96], near[8];
    if (!pmu_event_parse(pmu, "cycles", 6, &cycles, why, sizeof why, near, sizeof near)) return true;
    for (unsigned i = 0; i < pmu->counters; i++) {
        pmu->state[i] = try_counter(pmu, &cycles, i);
        if (pmu->state[i] == COUNTER_OK) pmu->usable |= 1u << i;
    }
    if (!pmu->usable) pmu->rdpmc = false;
    if (!pmu->rdpmc) pmu->user_rdpmc = false;
    if (pmu->counters) pmu->ops->release(pmu);
    return true;
}

const char *pmu_state_text(enum pmu_counter_state state)
{
    static const char *const text[] = {
        [COUNTER_ABSENT] = "absent", [COUNTER_OK] = "ok", [COUNTER_NOT_ADVANCING] = "not advancing"};
    return text[state];
}
