#include "tests/unit/sim_hw.h"
#include "kernel/bootinfo.h"
#include "kernel/hw.h"
#include "sim/core.h"
#include <string.h>

static struct sim *sim;
static uint64_t ticks;
unsigned sim_hw_rdtsc_takes;

/* What CPUID says of the CPUs that the emulator brings along, as far as drivers ask: InstLatx64's dumps, and
 * the family and model of sim/models.def. */
static const struct {
    const char *model, *vendor;
    unsigned family, number;
    uint32_t fa_eax, fa_edx, f1_ecx, x1_ecx, x22_eax, x22_ebx;
} emulated[] = {
    {"coreduo", "GenuineIntel", 6, 0x0e, 0x07280201, 0, 0},
    {"core2", "GenuineIntel", 6, 0x17, 0x07280202, 0x503, 0x8000},
    {"haswell", "GenuineIntel", 6, 0x3c, 0x07300403, 0x603, 0x8000},
    {"skylake", "GenuineIntel", 6, 0x55, 0x07300404, 0x603, 0x8000},
    {"k8", "AuthenticAMD", 15, 0x2f, 0, 0, 0, 1},
    {"zen", "AuthenticAMD", 23, 1, 0, 0, 0, 0x35c233ff},
    {"zen4", "AuthenticAMD", 25, 0x61, 0, 0, 0, 0x75c237ff, 7, 0x4406},
};

static void identify(struct cpu_id *id)
{
    for (unsigned i = 0; i < sizeof emulated / sizeof *emulated; i++) {
        if (strcmp(emulated[i].model, sim->model->name) != 0) continue;
        strcpy(id->vendor, emulated[i].vendor);
        id->family = emulated[i].family;
        id->model = emulated[i].number;
        id->fa.eax = emulated[i].fa_eax;
        id->fa.edx = emulated[i].fa_edx;
        id->f1_ecx = emulated[i].f1_ecx;
        id->x1_ecx = emulated[i].x1_ecx;
        id->x22_eax = emulated[i].x22_eax;
        id->x22_ebx = emulated[i].x22_ebx;
    }
}

void sim_hw_plug(struct sim *s, struct cpu_id *id)
{
    sim = s;
    ticks = 0;
    sim_hw_rdtsc_takes = 1;
    cpu_identify(id);
    identify(id);
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

/* No PCI, no memory to look at, where a test has none of its own. */
__attribute__((weak)) uint32_t hw_inl(uint16_t port) { return (void)port, UINT32_MAX; }
__attribute__((weak)) void hw_outl(uint16_t port, uint32_t value) { (void)port, (void)value; }
__attribute__((weak)) void hw_outw(uint16_t port, uint16_t value) { (void)port, (void)value; }
__attribute__((weak)) const void *phys_peek(uint64_t addr, size_t len) { return (void)addr, (void)len, NULL; }
