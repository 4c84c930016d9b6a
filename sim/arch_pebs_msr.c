/* The registers of PEBS and of the debug store (facts 4.3), and the microcode's revision, which software
 * looks at before it uses PEBS. Reserved bits raise #GP. */
#include "sim/arch.h"

enum {
    MSR_BIOS_SIGN_ID = 0x8b,
    MSR_PEBS_ENABLE = 0x3f1,
    MSR_PEBS_DATA_CFG = 0x3f2,
    MSR_PEBS_LD_LAT_THRESHOLD = 0x3f6,
    MSR_PEBS_FRONTEND = 0x3f7,
    MSR_DS_AREA = 0x600,
};

#define LATENCY_MASK 0xffff

/* Linear addresses have 48 bits on all of them. */
static bool canonical(uint64_t lin) { return (uint64_t)((int64_t)(lin << 16) >> 16) == lin; }

/* The register of this number, and what may be written to it; NULL: this processor has none. */
static uint64_t *find(struct arch *p, uint32_t msr, uint64_t *mask)
{
    const struct arch_traits *t = p->traits;
    const unsigned format = CAP_PEBS_FORMAT(t);
    *mask = UINT64_MAX;
    if (msr == MSR_BIOS_SIGN_ID) return &p->bios_sign;
    if (!t->pebs_enable) return NULL;
    switch (msr) {
    case MSR_DS_AREA:
        return &p->pebs.ds_area;
    case MSR_PEBS_ENABLE:
        *mask = t->pebs_enable;
        return &p->pebs.enable;
    case MSR_PEBS_DATA_CFG:
        *mask = DATA_CFG_ALL;
        return format >= 4 ? &p->pebs.data_cfg : NULL;
    case MSR_PEBS_LD_LAT_THRESHOLD:
        *mask = LATENCY_MASK;
        return format >= 1 ? &p->pebs.latency : NULL;
    case MSR_PEBS_FRONTEND:
        *mask = t->frontend;
        return t->frontend ? &p->pebs.frontend : NULL;
    }
    return NULL;
}

int arch_pebs_rdmsr(const struct sim *s, uint32_t msr, uint64_t *value)
{
    uint64_t mask;
    const uint64_t *reg = find(s->state, msr, &mask);
    if (!reg) return -1;
    *value = *reg;
    return 1;
}

int arch_pebs_wrmsr(struct sim *s, uint32_t msr, uint64_t value)
{
    uint64_t mask, *reg = find(s->state, msr, &mask);
    if (!reg) return -1;
    if (value & ~mask || (msr == MSR_DS_AREA && !canonical(value))) return 0;
    *reg = value;
    arch_enables(s);
    return 1;
}
