/* Architectural PEBS: what CPUID leaf 23H allows, and the registers beside those of the counters. Sources:
 * pmu/pebs_arch.h. */
#include "pmu/arch.h"
#include "pmu/arch_pebs.h"
#include "pmu/driver.h"
#include "pmu/pebs_arch.h"

/* Linux' update_pmu_cap(): a CPU that has no PEBS counter, or whose format is another one, does not have it.
 */
void pmu_pebs_leaf_found(const struct cpu_id *id, struct pmu *pmu)
{
    struct perfmon_pebs *p = &pmu->perfmon.pebs;
    if (CAPABILITY_PEBS_FORMAT(p->capabilities) != PEBS_ARCHITECTURAL) return;
    if (!(id->f23_5.eax | id->f23_5.ecx) || !rdmsr_safe(MSR_PEBS_BASE, &p->found.base)) return;
    rdmsr_safe(MSR_PEBS_INDEX, &p->found.index);
    p->leaf.groups = id->f23_4_ebx;
    p->leaf.general = id->f23_5.eax;
    p->leaf.pdist = id->f23_5.ebx;
    p->leaf.fixed = id->f23_5.ecx;
    p->leaf.pdist_fixed = id->f23_5.edx;
    p->arch = pmu->pebs = true;
}

static const struct {
    uint32_t group;
    uint8_t data;
} groups[] = {{PEBS_ARCH_MEMORY, PEBS_ADDR},
              {PEBS_ARCH_REGS, PEBS_REGS},
              {PEBS_ARCH_XMM, PEBS_XMM},
              {PEBS_ARCH_LBR, PEBS_LBR},
              {PEBS_ARCH_CNTR_FIXED, PEBS_CNTR}};
#define EACH_GROUP(i) for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)

unsigned pmu_pebs_leaf_data(const struct perfmon_pebs *p)
{
    unsigned data = PEBS_TIME;
    EACH_GROUP(i) data |= p->leaf.groups & groups[i].group ? groups[i].data : 0;
    return data;
}

uint32_t pmu_pebs_leaf_groups(const struct perfmon_pebs *p, unsigned data)
{
    uint32_t all = 0;
    EACH_GROUP(i) all |= data & groups[i].data ? groups[i].group : 0;
    return all & p->leaf.groups;
}

uint32_t pmu_pebs_config_msr(const struct pmu *pmu, unsigned counter)
{
    const bool fixed = counter >= pmu->perfmon.general;
    return fixed ? MSR_FIXED_CFG_C(pmu->rdpmc_index[counter] & 15) : MSR_GENERAL_CFG_C(counter);
}

/* Let the values of these fixed counters into the records of another one, or not. */
static void allow(const struct pmu *pmu, bool on)
{
    for (unsigned n = 0; n < 2; n++)
        if (pmu->perfmon.pebs.counted >> n & 1)
            wrmsr_safe(MSR_FIXED_CFG_C(n), on ? (uint64_t)PEBS_ARCH_CNTR_ALLOW << 32 : 0);
}

/* A linear address is the physical one here. */
bool pmu_pebs_leaf_point(const struct pebs *b, char *why, size_t cap)
{
    const uint64_t pages = b->bytes / 4096;
    return pmu_write(MSR_PEBS_INDEX, 0, why, cap) &&
           pmu_write_kept(MSR_PEBS_BASE, (uintptr_t)b->base | (unsigned)__builtin_ctz((unsigned)pages), ~0ull,
                          why, cap);
}

bool pmu_pebs_leaf_enable(struct pmu *pmu, const struct pebs *b, char *why, size_t cap)
{
    const uint64_t config = (uint64_t)(b->groups | PEBS_ARCH_EN) << 32 | b->reload;
    allow(pmu, true);
    if (pmu_write_kept(MSR_PEBS_INDEX, b->index, ~0ull, why, cap) &&
        pmu_write_kept(b->config_msr, config, ~0ull, why, cap))
        return true;
    pmu_pebs_leaf_stop(pmu); /* the next counter to be tried is another one */
    return false;
}

void pmu_pebs_leaf_stop(struct pmu *pmu)
{
    const struct perfmon_pebs *p = &pmu->perfmon.pebs;
    if (p->planned) wrmsr_safe(pmu_pebs_config_msr(pmu, p->planned - 1u), 0);
    allow(pmu, false);
    wrmsr_safe(MSR_PEBS_INDEX, p->found.index);
    wrmsr_safe(MSR_PEBS_BASE, p->found.base);
}
