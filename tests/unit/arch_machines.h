/* Intel's processors with architectural counters for a test of their driver: CPUID and registers. */
#pragma once
#include "pmu/arch.h"
#include "tests/unit/drive_pmu.h"
#include "tests/unit/fake_pmu.h"
#include "tests/unit/unit.h"
#include <string.h>

/* Numbers from the SDM (vol. 3B, order 325384-059, 18.2 and table 35-2), not from the driver's header. */
enum {
    PMC0 = 0xc1,
    A_PMC0 = 0x4c1,
    SEL0 = 0x186,
    FIXED0 = 0x309,
    FIXED_CTRL = 0x38d,
    STATUS = 0x38e,
    GLOBAL = 0x38f,
    ACK = 0x390,
    CAPS = 0x345,
    DEBUGCTL = 0x1d9,
    MISC = 0x1a0,
    FORCE_ABORT = 0x10f, /* Linux, msr-index.h: MSR_TSX_FORCE_ABORT */
    /* Version 6 (Linux, msr-index.h: MSR_IA32_PMC_V6_GP0_CTR, _GP0_CFG_A, _FX0_CTR and _STEP) */
    V6_PMC0 = 0x1900,
    V6_SEL0 = 0x1901,
    V6_FIXED0 = 0x1980,
    V6_STEP = 4,
    V6_LEGACY = 8 /* general counters that have the older addresses too */
};
#define FIXED_BIT(n) (1ull << (32 + (n)))

/* ---- machines: leaf 0AH as InstLatx64's dumps have it ---- */

static const struct part {
    const char *name, *database;
    unsigned model;
    uint32_t eax, ecx, edx;
    unsigned general, fixed; /* as they are */
    uint64_t caps;           /* IA32_PERF_CAPABILITIES; 0: there is none */
    bool any,
        clobbers; /* AnyThread; the TSX microcode of 2019, which uses counter 3 while TSX does not abort */
} yonah = {"Core Duo", "coreduo", 14, 0x07280201, 0, 0, 2, 0, 0, false},
  conroe = {"Core 2", "core", 15, 0x07280202, 0, 0, 2, 3, 0x80, false},
  penryn = {"Core 2", "core", 23, 0x07280202, 0, 0x503, 2, 3, 0x10c2, false},
  sandy = {"Sandy Bridge", "snb", 42, 0x07300403, 0, 0x603, 4, 3, 0x31c3, true},
  skylake = {"Skylake", "skl", 94, 0x07300404, 0, 0x603, 4, 3, 0x33c5, true},
  kaby_lake = {"Kaby Lake", "skl", 0x8e, 0x07300404, 0, 0x603, 4, 3, 0x33c5, true, true},
  ice_lake = {"Ice Lake", "icl", 126, 0x08300805, 0xf, 0x8604, 8, 4, 0x3300, false},
  lunar_lake = {"Lunar Lake", "", 0xbd, 0x07300a06, 0xf, 0x8604, 10, 4, 0x3300, false},
  tomorrow = {"version 6 or later", "", 254, 0x0b300806, 0xf, 0x8604, 8, 4, 0x3300, false};

static struct fake_pmu_rules rules;
static unsigned general;
static bool clobbers;

static inline struct cpu_id id_of(const struct part *p)
{
    return (struct cpu_id){.vendor = "GenuineIntel",
                           .family = 6,
                           .model = p->model,
                           .max_leaf = 0xb,
                           .f1_ecx = p->caps ? 1u << 15 | 1u << 2 : 0,
                           .f1_edx = 1u << 21,
                           .f7_edx = p->clobbers ? 1u << 13 : 0,
                           .fa = {p->eax, 0, p->ecx, p->edx}};
}

/* CPL 0, with both enables (18.2.2). What the microcode leaves in counter 3 is anything (Linux' commit "x86:
 * Add TSX Force Abort CPUID/MSR"). */
static inline bool counting(unsigned i)
{
    if (i == 3 && clobbers && !(fake_pmu_value(FORCE_ABORT) & 1)) {
        fake_pmu_msr(PMC0 + 3, 0x123456789a + (fake_pmu_value(PMC0 + 3) & 0xff));
        return false;
    }
    const uint32_t select = i < V6_LEGACY ? SEL0 + i : V6_SEL0 + V6_STEP * i;
    bool here = i < general ? (fake_pmu_value(select) & 0x420000) == 0x420000
                            : fake_pmu_value(FIXED_CTRL) >> 4 * (i - general) & 1;
    if (!pmu.perfmon.global_ctrl && i < general) return here;
    return here && fake_pmu_value(GLOBAL) >> (i < general ? i : 32 + i - general) & 1;
}

/* A counter takes 32 bits and copies bit 31 (18.2.6), its alias takes all; 390h clears what 38Eh shows. */
static inline uint64_t store(uint32_t msr, uint64_t value)
{
    if (msr >= PMC0 && msr < PMC0 + general) return (uint64_t)(int32_t)value & 0xffffffffffff;
    if (msr >= A_PMC0 && msr < A_PMC0 + general) fake_pmu_msr(msr - A_PMC0 + PMC0, value);
    if (msr == ACK) fake_pmu_msr(STATUS, fake_pmu_value(STATUS) & ~value);
    return value;
}

/* From version 6 on the registers have other addresses, which the counters from 8 on have alone. */
static inline void version_6(const struct part *p)
{
    for (unsigned i = 0; i < p->general; i++) {
        const uint32_t ctr = V6_PMC0 + V6_STEP * i, sel = V6_SEL0 + V6_STEP * i;
        if (i < V6_LEGACY) {
            fake_pmu_alias(ctr, PMC0 + i);
            fake_pmu_alias(sel, SEL0 + i);
        } else {
            fake_pmu_msr(ctr, 0);
            fake_pmu_msr(sel, 0);
        }
    }
    for (unsigned i = 0; i < p->fixed; i++) fake_pmu_alias(V6_FIXED0 + V6_STEP * i, FIXED0 + i);
}

static inline void machine(const struct part *p)
{
    const unsigned legacy = p->general < V6_LEGACY ? p->general : V6_LEGACY;
    memset(&rules, 0, sizeof rules);
    rules.counting = counting;
    rules.store = store;
    general = p->general;
    clobbers = p->clobbers;
    for (unsigned i = 0; i < p->general; i++)
        rules.counter_msr[i] = i < V6_LEGACY ? PMC0 + i : V6_PMC0 + V6_STEP * i;
    for (unsigned i = 0; i < p->fixed; i++) {
        rules.counter_msr[p->general + i] = FIXED0 + i;
        rules.rdpmc_index[p->general + i] = 0x40000000 + i;
    }
    fake_pmu_reset(&rules);
    for (unsigned i = 0; i < legacy; i++) {
        fake_pmu_msr(PMC0 + i, 0);
        fake_pmu_msr(SEL0 + i, 0);
        if (p->caps >> 13 & 1) fake_pmu_msr(A_PMC0 + i, 0);
    }
    for (unsigned i = 0; i < p->fixed; i++) fake_pmu_msr(FIXED0 + i, 0);
    if (p->fixed) {
        fake_pmu_msr(FIXED_CTRL, 0);
        fake_pmu_msr(STATUS, 0);
        fake_pmu_msr(GLOBAL, (1u << p->general) - 1);
        fake_pmu_msr(ACK, 0);
    }
    if ((p->eax & 0xff) >= 6) version_6(p);
    if (p->caps) fake_pmu_msr(CAPS, p->caps);
    if (p->clobbers) fake_pmu_msr(FORCE_ABORT, 0);
    fake_pmu_msr(DEBUGCTL, 0);
    fake_pmu_msr(MISC, 1u << 7);
    fake_pmu_rdpmc(FAKE_RDPMC_READS);
}

static inline void start_on(const struct part *p)
{
    struct cpu_id id = id_of(p);
    machine(p);
    probe(&id);
    fake_pmu_clear_log();
}

static inline int on_yonah(void **state) { return (void)state, start_on(&yonah), 0; }
static inline int on_penryn(void **state) { return (void)state, start_on(&penryn), 0; }
static inline int on_skylake(void **state) { return (void)state, start_on(&skylake), 0; }
static inline int on_lunar_lake(void **state) { return (void)state, start_on(&lunar_lake), 0; }
