/* Processors with last branch records, for tests of their driver. Numbers are those of the SDM and of Linux'
 * msr-index.h, not those of the driver's headers. */
#pragma once
#include "pmu/lbr.h"
#include "tests/unit/arch_machines.h"
#include <stdio.h>

enum {
    SELECT = 0x1c8,
    TOS = 0x1c9,
    CORE_FROM = 0x40,
    CORE_TO = 0x60,
    FROM = 0x680,
    TO = 0x6c0,
    INFO = 0xdc0,
    ARCH_CTL = 0x14ce,
    ARCH_DEPTH = 0x14cf,
    ARCH_INFO = 0x1200,
    ARCH_FROM = 0x1500,
    ARCH_TO = 0x1600,
};
#define AMD_SELECT 0xc000010eu
#define AMD_CFG    0xc000010fu
#define AMD_FROM   0xc0010300u
#define BIT(n)     (1ull << (n))

static struct cpuid_regs leaf_1c;
static struct lbr lbr;
static struct cpu_id id;

struct cpuid_regs hw_cpuid(uint32_t leaf, uint32_t subleaf)
{
    assert_int_equal(subleaf, 0);
    return leaf == 0x1c ? leaf_1c : (struct cpuid_regs){0};
}

/* ---- machines ---- */

static inline void registers(uint32_t from, uint32_t to, uint32_t info, unsigned depth, unsigned step)
{
    for (unsigned i = 0; i < depth; i++) {
        fake_pmu_msr(from + step * i, 0);
        if (to) fake_pmu_msr(to + step * i, 0);
        if (info) fake_pmu_msr(info + i, 0);
    }
}

/* An Intel CPU with a stack. caps: IA32_PERF_CAPABILITIES; 0: there is none. */
static inline void stack(unsigned model, unsigned version, uint64_t caps, uint32_t from, uint32_t to,
                         unsigned depth)
{
    memset(&rules, 0, sizeof rules);
    fake_pmu_reset(&rules);
    fake_pmu_msr(DEBUGCTL, 0);
    fake_pmu_msr(TOS, 0);
    fake_pmu_msr(SELECT, 0);
    if (caps) fake_pmu_msr(CAPS, caps);
    registers(from, to, (caps & 63) == 5 || (caps & 63) == 7 ? INFO : 0, depth, 1);
    id = (struct cpu_id){.vendor = "GenuineIntel",
                         .family = 6,
                         .model = model,
                         .stepping = 10,
                         .max_leaf = 0xb,
                         .f1_ecx = caps ? 1u << 15 : 0,
                         .fa = {version, 0, 0, 0}};
    pmu = (struct pmu){.ops = &pmu_arch_ops};
}

static inline void arch(uint32_t depths, uint32_t filters, uint32_t facts)
{
    memset(&rules, 0, sizeof rules);
    fake_pmu_reset(&rules);
    fake_pmu_msr(DEBUGCTL, 0);
    fake_pmu_msr(ARCH_CTL, 0);
    fake_pmu_msr(ARCH_DEPTH, 0);
    registers(ARCH_FROM, ARCH_TO, ARCH_INFO, 32, 1);
    id = (struct cpu_id){.vendor = "GenuineIntel",
                         .family = 6,
                         .model = 0x97,
                         .max_leaf = 0x20,
                         .f7_edx = 1u << 19,
                         .fa = {5, 0, 0, 0}};
    leaf_1c = (struct cpuid_regs){depths, filters, facts, 0};
    pmu = (struct pmu){.ops = &pmu_arch_ops};
}

static inline void amd(uint32_t eax, unsigned depth)
{
    memset(&rules, 0, sizeof rules);
    fake_pmu_reset(&rules);
    fake_pmu_msr(DEBUGCTL, 0);
    fake_pmu_msr(AMD_SELECT, 0);
    fake_pmu_msr(AMD_CFG, 0x100);
    registers(AMD_FROM, AMD_FROM + 1, 0, depth, 2);
    id = (struct cpu_id){
        .vendor = "AuthenticAMD", .family = 25, .model = 0x61, .x22_eax = eax, .x22_ebx = 6 | depth << 4};
    pmu = (struct pmu){.ops = &pmu_amd_ops};
}

static inline void found(void)
{
    if (!lbr_probe(&id, &pmu, &lbr, why, sizeof why)) fail_msg("%s", why);
}
