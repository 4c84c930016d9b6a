/* Drives the PEBS of Intel's CPUs from Core 2 on in a host test: some of these CPUs, and plans on them. */
#pragma once
#include "pmu/arch_pebs.h"
#include "tests/unit/arch_machines.h"

enum { ENABLE = 0x3f1, DATA_CFG = 0x3f2, LD_LAT = 0x3f6, FRONTEND = 0x3f7, DS = 0x600 };

/* Model, leaf 0AH, capabilities. */
static const struct part
    core2 = {"Core 2", "core", 23, 0x07280202, 0, 0x503, 2, 3, 0x10c2, false},
    merom = {"Core 2", "core", 15, 0x07280202, 0, 0x503, 2, 3, 0xc2, false},
    faults = {"Core 2", "core", 23, 0x07280202, 0, 0x503, 2, 3, 0x82, false},
    nehalem = {"Nehalem", "nhm", 0x1a, 0x07300403, 0, 0x603, 4, 3, 0x11c3, true},
    sandy_bridge = {"Sandy Bridge", "snb", 42, 0x07300403, 0, 0x603, 4, 3, 0x31c3, true},
    ivy_bridge = {"Ivy Bridge", "ivb", 58, 0x07300403, 0, 0x603, 4, 3, 0x31c3, true},
    haswell = {"Haswell", "hsw", 60, 0x07300403, 0, 0x603, 4, 3, 0x32c4, true},
    broadwell = {"Broadwell", "bdw", 61, 0x07300403, 0, 0x603, 4, 3, 0x32c4, true},
    skl = {"Skylake", "skl", 94, 0x07300404, 0, 0x603, 4, 3, 0x33c5, true},
    icl = {"Ice Lake", "icl", 126, 0x08300805, 0xf, 0x8604, 8, 4, 0xf4c5, false},
    plain = {"Ice Lake", "icl", 126, 0x08300805, 0xf, 0x8604, 8, 4, 0x34c5, false},
    spr = {"Sapphire Rapids", "spr", 0x8f, 0x08300805, 0xf, 0x8604, 8, 4, 0x2f5ff, false},
    gracemont = {"Alder Lake-N", "adl_grt", 0xbe, 0x08300605, 0x7, 0x8603, 6, 3, 0x2f5ff, false},
    bonnell = {"Atom (Bonnell)", "atom", 0x1c, 0x07280203, 0, 0x503, 2, 3, 0x10c2, false},
    silvermont = {"Silvermont", "slm", 0x37, 0x07280203, 0, 0x503, 2, 3, 0x3200, false},
    westmere = {"Westmere", "wsm", 0x25, 0x07300403, 0, 0x603, 4, 3, 0x11c3, true},
    goldmont_plus = {"Goldmont Plus", "glm", 0x7a, 0x07300404, 0, 0x603, 4, 3, 0x33c5, false},
    tremont = {"Tremont", "tmt", 0x86, 0x08300405, 0x7, 0x8603, 4, 3, 0x74c5, false},
    lion_cove = {"Lunar Lake", "", 0xbd, 0x08300a05, 0xf, 0x8604, 10, 4, 0x2f5ff, false},
    sierra_forest = {"Sierra Forest", "", 0xaf, 0x08300605, 0x7, 0x8603, 6, 3, 0x2f5ff, false},
    goldmont = {"Goldmont", "glm", 0x5c, 0x07300404, 0, 0x603, 4, 3, 0x33c5, false},
    next = {"version 6 or later", "", 254, 0x0b300806, 0xf, 0x8604, 8, 4, 0xf5c5, false},
    strange = {"Skylake", "skl", 94, 0x07300404, 0, 0x603, 4, 3, 0x3ac5, true};

static struct pebs plan;
static struct pebs_want want;
static struct pmu_code event;

static inline void on(const struct part *p)
{
    struct cpu_id id = id_of(p);
    machine(p);
    static const uint32_t msr[] = {ENABLE, DATA_CFG, LD_LAT, FRONTEND, DS};
    for (unsigned i = 0; i < N(msr); i++) fake_pmu_msr(msr[i], 0);
    fake_pmu_msr(DS, 0xd5);
    fake_pmu_msr(LD_LAT, 0x77);
    fake_pmu_msr(FRONTEND, 0x11);
    fake_pmu_msr(DATA_CFG, 0x5);
    probe(&id);
    want = (struct pebs_want){0, 0};
    fake_pmu_clear_log();
}

static inline bool planned(const char *word, unsigned counter)
{
    event = code(word);
    memset(&plan, 0xa5, sizeof plan);
    why[0] = '\0';
    return pmu.ops->pebs_plan(&pmu, counter, &event, &want, &plan, why, sizeof why);
}

static inline void refused(const char *word, unsigned counter, const char *reason)
{
    if (planned(word, counter)) fail_msg("%s on %u: not refused", word, counter);
    if (!strstr(why, reason)) fail_msg("%s: \"%s\" is not in: %s", word, reason, why);
}

/* The planned buffer, as if it were at 200000h. */
static inline const struct pebs *at_2m(void)
{
    plan.ds = plan.base = (uint8_t *)0x200000;
    return &plan;
}
