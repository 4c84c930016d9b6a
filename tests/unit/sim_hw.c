#include "tests/unit/sim_hw.h"
#include "kernel/hw.h"
#include <string.h>

static struct sim *sim;
static uint64_t ticks;
unsigned sim_hw_rdtsc_takes;

void sim_hw_plug(struct sim *s, struct cpu_id *id)
{
    sim = s;
    ticks = 0;
    sim_hw_rdtsc_takes = 1;
    cpu_identify(id);
}

void sim_hw_run(unsigned n, unsigned cpl)
{
    for (unsigned i = 0; i < n; i++) {
        struct sim_insn insn = {.lin = 0x1000 + 2 * (i % 8), .phys = 0x1000 + 2 * (i % 8), .len = 2};
        insn.cpl = insn.cpl_after = (uint8_t)cpl;
        sim_ticks(sim, 1, false, cpl);
        sim_instruction(sim, &insn);
        ticks++;
    }
}

struct cpuid_regs hw_cpuid(uint32_t leaf, uint32_t subleaf)
{
    uint32_t regs[4] = {0};
    sim_cpuid(sim, leaf, subleaf, regs);
    return (struct cpuid_regs){regs[0], regs[1], regs[2], regs[3]};
}

bool rdmsr_safe(uint32_t msr, uint64_t *value) { return sim_rdmsr(sim, msr, value) == 1; }
bool wrmsr_safe(uint32_t msr, uint64_t value) { return sim_wrmsr(sim, msr, value) == 1; }

bool rdpmc_safe(uint32_t counter, uint64_t *value)
{
    return sim_rdpmc(sim, counter, 0, false, true, value) == SIM_RDPMC_OK;
}

uint64_t hw_rdtsc(void)
{
    sim_hw_run(sim_hw_rdtsc_takes, 0);
    return ticks;
}
