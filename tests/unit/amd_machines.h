/* Driving AMD's driver in a test: which CPU has how many counters and where, and their registers. */
#pragma once
#include "tests/unit/drive_pmu.h"
#include "tests/unit/fake_pmu.h"
#include <string.h>

/* Numbers from Linux' msr-index.h and the APM (vol. 2, 13.2), not from the driver's header. */
#define OLD_CTL 0xc0010000u
#define OLD_CTR 0xc0010004u
#define CTL     0xc0010200u /* every other one */
#define CTR     0xc0010201u
#define STATUS  0xc0000300u
#define GLOBAL  0xc0000301u
#define CLEAR   0xc0000302u

/* ---- machines ---- */

static const struct part {
    const char *name, *database;
    unsigned family, model;
    uint32_t x1_ecx, x22_eax, x22_ebx;
    unsigned counters;
    bool core, ibs;
} parts[] = {
    {"K7", "amd64_k7", 6, 3, 0, 0, 0, 4, false, false},
    {"K8", "amd64_k8_revb", 15, 4, 0x106, 0, 0, 4, false, false},
    {"K8", "amd64_k8_revg", 15, 0x6b, 0x11f, 0, 0, 4, false, false},
    {"Fam10h", "amd64_fam10h_shanghai", 16, 4, 0x37ff, 0, 0, 4, false, true},
    {"Fam15h", "amd64_fam15h_interlagos", 21, 1, 0x1c9bfff, 0, 0, 6, true, true},
    {"Zen", "amd64_fam17h_zen1", 23, 1, 0x35c233ff, 0, 0, 6, true, false},
    {"Zen 2", "amd64_fam17h_zen2", 23, 0x71, 0x75c237ff, 0, 0, 6, true, true},
    {"Zen 3", "amd64_fam19h_zen3", 25, 0x21, 0x75c237ff, 0, 0, 6, true, true},
    {"Zen 4", "amd64_fam19h_zen4", 25, 0x61, 0x75c237ff, 7, 0x4406, 6, true, true},
    {"Zen 4", "amd64_fam19h_zen4", 25, 0x11, 0x75c237ff, 7, 0x4406, 6, true, true},
    {"Zen 5", "amd64_fam1ah_zen5", 26, 0x44, 0x75c237ff, 7, 0x4406, 6, true, true},
    {"Zen 6", "amd64_fam1ah_zen6", 26, 0x50, 0x75c237ff, 7, 0x4406, 6, true, true},
    {"Zen 5", "amd64_fam1ah_zen5", 26, 0x70, 0x75c237ff, 7, 0x4406, 6, true, true},
    {"Zen 6", "amd64_fam1ah_zen6", 26, 0x90, 0x75c237ff, 7, 0x4406, 6, true, true},
    {"Zen 2", "amd64_fam17h_zen2", 23, 0x4f, 0x75c237ff, 0, 0, 6, true, true},
    {"Zen", "amd64_fam17h_zen1", 23, 0x50, 0x75c237ff, 0, 0, 6, true, true},
    {"Zen 2", "amd64_fam17h_zen2", 23, 0x60, 0x75c237ff, 0, 0, 6, true, true},
    {"newer than Zen 6", "", 28, 0, 0x75c237ff, 7, 0x4406, 6, true, true},
};
enum { K7, K8 = 1, FAM10H = 3, FAM15H = 4, ZEN = 5, ZEN3 = 7, ZEN4 = 8 };

static struct fake_pmu_rules rules;
static const struct part *here;

static inline uint32_t ctl(unsigned i) { return here->core ? CTL + 2 * i : OLD_CTL + i; }
static inline uint32_t ctr(unsigned i) { return here->core ? CTR + 2 * i : OLD_CTR + i; }

static inline struct cpu_id id_of(const struct part *p)
{
    return (struct cpu_id){.vendor = "AuthenticAMD",
                           .family = p->family,
                           .model = p->model,
                           .x1_ecx = p->x1_ecx,
                           .x22_eax = p->x22_eax,
                           .x22_ebx = p->x22_ebx};
}

/* CPL 0: EN and OS, and the gate where there is one. */
static inline bool counting(unsigned i)
{
    if (i >= here->counters) return false;
    bool on = (fake_pmu_value(ctl(i)) & 0x420000) == 0x420000;
    return here->x22_eax ? on && fake_pmu_value(GLOBAL) >> i & 1 : on;
}

static inline uint64_t store(uint32_t msr, uint64_t value)
{
    if (msr == CLEAR) fake_pmu_msr(STATUS, fake_pmu_value(STATUS) & ~value);
    return value;
}

static inline void machine(const struct part *p)
{
    here = p;
    memset(&rules, 0, sizeof rules);
    rules.counting = counting;
    rules.store = store;
    for (unsigned i = 0; i < p->counters; i++) rules.counter_msr[i] = ctr(i);
    fake_pmu_reset(&rules);
    for (unsigned i = 0; i < p->counters; i++) {
        fake_pmu_msr(ctl(i), 0);
        fake_pmu_msr(ctr(i), 0);
    }
    if (p->x22_eax)
        for (uint32_t msr = STATUS; msr <= CLEAR; msr++) fake_pmu_msr(msr, 0);
    fake_pmu_rdpmc(FAKE_RDPMC_READS);
}

static inline void start_on(const struct part *p)
{
    struct cpu_id id = id_of(p);
    machine(p);
    probe(&id);
    fake_pmu_clear_log();
}
