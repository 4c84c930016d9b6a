/* Which MSRs are a PMU's on some processor: counters, their selects, debug store and PEBS, last branches,
 * IBS. Facts 1 to 5; of Intel's later processors SDM vol. 4. */
#include "sim/sim.h"

static const struct {
    uint32_t first, last;
} registers[] = {
    {0x11, 0x13},     /* Pentium */
    {0x40, 0x47},     /* last branches of Core 2: from, ... */
    {0x60, 0x67},     /* ... to */
    {0xc1, 0xc8},     /* IA32_PMC */
    {0x186, 0x18d},   /* IA32_PERFEVTSEL */
    {0x1a6, 0x1a7},   /* IA32_OFFCORE_RSP */
    {0x1c8, 0x1c9},   /* MSR_LBR_SELECT, _TOS */
    {0x300, 0x311},   /* Pentium 4's counters; IA32_FIXED_CTR among them */
    {0x329, 0x329},   /* IA32_PERF_METRICS */
    {0x360, 0x371},   /* Pentium 4's CCCRs */
    {0x38d, 0x392},   /* IA32_FIXED_CTR_CTRL to _PERF_GLOBAL_INUSE */
    {0x3a0, 0x3e1},   /* Pentium 4's ESCRs */
    {0x3f0, 0x3f2},   /* MSR_TC_PRECISE_EVENT, IA32_PEBS_ENABLE, MSR_PEBS_DATA_CFG */
    {0x3f4, 0x3f7},   /* IA32_PEBS_BASE to MSR_PEBS_FRONTEND */
    {0x4c1, 0x4c8},   /* IA32_A_PMC */
    {0x600, 0x600},   /* IA32_DS_AREA */
    {0x680, 0x69f},   /* last branches from Nehalem on: from (690h on: Skylake's; power limits before), ... */
    {0x6c0, 0x6df},   /* ... to, ... */
    {0xdc0, 0xddf},   /* ... information */
    {0x1200, 0x121f}, /* architectural last branches */
    {0x14ce, 0x14cf},
    {0x1500, 0x151f},
    {0x1600, 0x161f},
    {0x1900, 0x19ff},         /* IA32_PMC_GP0_CTR to the last fixed one's */
    {0xc000010e, 0xc000010f}, /* LBR_SELECT, DBG_EXTN_CFG */
    {0xc0000300, 0xc0000303}, /* AMD's global registers */
    {0xc0010000, 0xc0010007}, /* PerfEvtSel, PerfCtr */
    {0xc0010200, 0xc001020b}, /* PERF_CTL and PERF_CTR of six */
    {0xc0010300, 0xc001031f}, /* last branches */
    {0xc0011030, 0xc001103f}, /* IBS */
};

bool sim_pmu_register(uint32_t msr)
{
    for (unsigned k = 0; k < sizeof registers / sizeof *registers; k++)
        if (msr >= registers[k].first && msr <= registers[k].last) return true;
    return false;
}
