/* Registers of architectural performance monitoring (facts 4.2): MSRs, RDPMC, CPUID. Reserved bits raise #GP,
 * and so do registers that the version lacks: those are left to the emulator, which has none of them. */
#include "sim/arch.h"
#include <string.h>

enum {
    MSR_PRED_CMD = 0x49,
    MSR_PMC0 = 0xc1,
    MSR_PERFEVTSEL0 = 0x186,
    MSR_MISC_ENABLE = 0x1a0,
    MSR_PREFETCH = 0x1a4,
    MSR_DEBUGCTL = 0x1d9,
    MSR_FIXED_CTR0 = 0x309,
    MSR_PERF_METRICS = 0x329,
    MSR_PERF_CAPABILITIES = 0x345,
    MSR_FIXED_CTR_CTRL = 0x38d,
    MSR_GLOBAL_STATUS = 0x38e,
    MSR_GLOBAL_CTRL = 0x38f,
    MSR_GLOBAL_RESET = 0x390, /* up to version 3 _OVF_CTRL */
    MSR_GLOBAL_SET = 0x391,
    MSR_GLOBAL_INUSE = 0x392,
    MSR_A_PMC0 = 0x4c1,
};

/* After reset: fast strings, thermal control, performance monitoring, SpeedStep, MONITOR; and BTS is not
 * available, since the model has none. Where there is no PEBS, MISC_NO_PEBS joins them. */
#define MISC_RESET UINT64_C(0x50889)

static uint64_t ones(unsigned n) { return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1; }

/* ---- what may be written ---- */

static uint64_t counters_mask(const struct arch_traits *t)
{
    return ones(LEAF_A_GENERAL(t)) | ones(LEAF_A_FIXED(t)) << 32;
}

static uint64_t select_mask(const struct arch_traits *t)
{
    uint64_t mask = 0xffffffff;
    const unsigned version = LEAF_A_VERSION(t);
    if (version < 3 || LEAF_A_NO_ANY_THREAD(t)) mask &= ~(uint64_t)SEL_ANY;
    if (version >= 3) mask &= ~(uint64_t)SEL_PC; /* reserved from Sandy Bridge on [unconfirmed] */
    if (t->capabilities & CAP_BASELINE) mask |= SEL_ADAPTIVE;
    return mask;
}

static uint64_t fixed_ctrl_mask(const struct arch_traits *t)
{
    const bool any = LEAF_A_VERSION(t) >= 3 && !LEAF_A_NO_ANY_THREAD(t);
    uint64_t mask = 0;
    for (unsigned i = 0; i < LEAF_A_FIXED(t); i++) {
        mask |= (uint64_t)(FIXED_OS | FIXED_USR | FIXED_PMI | (any ? FIXED_ANY : 0)) << 4 * i;
        if (t->capabilities & CAP_BASELINE) mask |= UINT64_C(1) << (32 + 4 * i);
    }
    return mask;
}

static uint64_t global_ctrl_mask(const struct arch_traits *t)
{
    return counters_mask(t) | (t->capabilities & CAP_METRICS ? STATUS_METRICS : 0);
}

/* Of IA32_PERF_GLOBAL_OVF_CTRL and _STATUS_RESET. */
static uint64_t status_mask(const struct arch_traits *t)
{
    uint64_t mask = counters_mask(t) | STATUS_BUFFER | STATUS_COND;
    if (LEAF_A_VERSION(t) >= 3) mask |= STATUS_UNCORE;
    if (LEAF_A_VERSION(t) >= 4) mask |= STATUS_TOPA | STATUS_LBR_FRZ | STATUS_CTR_FRZ | STATUS_ASCI;
    if (t->capabilities & CAP_METRICS) mask |= STATUS_METRICS;
    return mask;
}

/* BTS does not exist, but its enables can be written. */
static uint64_t debugctl_mask(const struct arch_traits *t)
{
    uint64_t mask = DEBUGCTL_LBR | DEBUGCTL_BRANCH_TRACE;
    if (LEAF_A_VERSION(t) >= 2) mask |= DEBUGCTL_FREEZE_LBR | DEBUGCTL_FREEZE_PERFMON;
    if (t->capabilities & CAP_SMM_FREEZE) mask |= DEBUGCTL_FREEZE_SMM;
    return mask;
}

/* ---- which register ---- */

/* The counter of an address within a range of addresses; -1: none. */
static int counter_at(const struct arch_traits *t, uint32_t msr, uint32_t first, unsigned n_first)
{
    const uint32_t i = msr - first;
    const unsigned n = i + n_first;
    if (msr < first || i >= (n_first ? ARCH_FIXED : ARCH_GENERAL) || !arch_counter_exists(t, n)) return -1;
    return (int)n;
}

/* Does it exist in this version? */
static bool exists(const struct arch_traits *t, uint32_t msr)
{
    switch (msr) {
    case MSR_MISC_ENABLE:
    case MSR_DEBUGCTL:
    case MSR_PERF_CAPABILITIES:
        return true;
    case MSR_PREFETCH:
        return t->prefetch_writable != 0;
    case MSR_PERF_METRICS:
        return t->capabilities & CAP_METRICS;
    case MSR_FIXED_CTR_CTRL:
    case MSR_GLOBAL_STATUS:
    case MSR_GLOBAL_CTRL:
    case MSR_GLOBAL_RESET:
        return LEAF_A_VERSION(t) >= 2;
    case MSR_GLOBAL_SET:
    case MSR_GLOBAL_INUSE:
        return LEAF_A_VERSION(t) >= 4;
    default:
        return false;
    }
}

/* ---- reading ---- */

static uint64_t fixed_ctrl(const struct arch *p)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < ARCH_FIXED; i++) {
        const uint64_t field = p->counter[ARCH_GENERAL + i].select;
        value |= (field & 0xf) << 4 * i | (field >> 32) << (32 + 4 * i);
    }
    return value;
}

/* Facts 4.2: selects that are not 0, fixed counters that are enabled, and in bit 63 anybody's interrupt. */
static uint64_t in_use(const struct arch *p)
{
    uint64_t value = 0;
    for (unsigned n = 0; n < ARCH_COUNTERS; n++) {
        const struct sim_counter *c = &p->counter[n];
        if (n < ARCH_GENERAL ? c->select & 0xff : c->select & (FIXED_OS | FIXED_USR)) value |= c->status;
        if (c->interrupt) value |= UINT64_C(1) << 63;
    }
    return value;
}

int arch_rdmsr(struct sim *s, uint32_t msr, uint64_t *value)
{
    const struct arch *p = s->state;
    const struct arch_traits *t = p->traits;
    int n;
    if (msr == MSR_PRED_CMD) return 0;
    if ((n = counter_at(t, msr, MSR_PMC0, 0)) >= 0 ||
        (n = counter_at(t, msr, MSR_FIXED_CTR0, ARCH_GENERAL)) >= 0 ||
        (t->capabilities & CAP_FULL_WRITE && (n = counter_at(t, msr, MSR_A_PMC0, 0)) >= 0)) {
        *value = p->counter[n].value;
        return 1;
    }
    if ((n = counter_at(t, msr, MSR_PERFEVTSEL0, 0)) >= 0) {
        *value = p->counter[n].select;
        return 1;
    }
    if (!exists(t, msr)) {
        const int pebs = arch_pebs_rdmsr(s, msr, value);
        return pebs >= 0 ? pebs : arch_lbr_rdmsr(s, msr, value);
    }
    *value = msr == MSR_MISC_ENABLE         ? p->misc_enable
             : msr == MSR_DEBUGCTL          ? p->debugctl
             : msr == MSR_PERF_CAPABILITIES ? t->capabilities
             : msr == MSR_PREFETCH          ? p->prefetch
             : msr == MSR_PERF_METRICS      ? p->metrics
             : msr == MSR_FIXED_CTR_CTRL    ? fixed_ctrl(p)
             : msr == MSR_GLOBAL_STATUS     ? p->global_status
             : msr == MSR_GLOBAL_CTRL       ? p->global_ctrl
             : msr == MSR_GLOBAL_INUSE      ? in_use(p)
                                            : 0; /* _RESET and _SET hold nothing */
    return 1;
}

/* ---- writing ---- */

/* Through the alias and to a fixed counter the value up to the counter's width; to IA32_PMC the low 32 bits,
 * sign-extended. */
static int write_counter(struct sim_counter *c, uint64_t value, bool full)
{
    if (!full) value = (uint64_t)(int64_t)(int32_t)(uint32_t)value & c->mask;
    if (value & ~c->mask) return 0;
    c->value = value;
    return 1;
}

static void write_fixed_ctrl(struct sim *s, uint64_t value)
{
    struct arch *p = s->state;
    for (unsigned i = 0; i < ARCH_FIXED; i++)
        p->counter[ARCH_GENERAL + i].select = (value >> 4 * i & 0xf) | (value >> (32 + 4 * i) & 1) << 32;
    for (unsigned i = 0; i < ARCH_FIXED; i++) arch_resolve(s, ARCH_GENERAL + i);
}

/* A register other than a counter or a select. */
static int write_other(struct sim *s, uint32_t msr, uint64_t value)
{
    struct arch *p = s->state;
    const struct arch_traits *t = p->traits;
    const uint64_t mask = msr == MSR_MISC_ENABLE      ? t->misc_writable | MISC_READ_ONLY
                          : msr == MSR_DEBUGCTL       ? debugctl_mask(t)
                          : msr == MSR_PREFETCH       ? t->prefetch_writable
                          : msr == MSR_PERF_METRICS   ? UINT64_MAX
                          : msr == MSR_FIXED_CTR_CTRL ? fixed_ctrl_mask(t)
                          : msr == MSR_GLOBAL_CTRL    ? global_ctrl_mask(t)
                          : msr == MSR_GLOBAL_RESET   ? status_mask(t)
                          : msr == MSR_GLOBAL_SET     ? status_mask(t) & ~STATUS_COND
                                                      : 0;
    if (value & ~mask || !mask) return 0; /* without a mask: read-only */
    switch (msr) {
    case MSR_MISC_ENABLE: /* read-only bits ignore writes */
        p->misc_enable = (value & ~MISC_READ_ONLY) | (p->misc_enable & MISC_READ_ONLY);
        return 1;
    case MSR_DEBUGCTL:
        p->debugctl = value;
        arch_lbr_update(s);
        return 1;
    case MSR_PREFETCH:
        p->prefetch = value;
        return 1;
    case MSR_PERF_METRICS:
        p->metrics = value;
        return 1;
    case MSR_FIXED_CTR_CTRL:
        write_fixed_ctrl(s, value);
        break;
    case MSR_GLOBAL_CTRL:
        p->global_ctrl = value;
        break;
    case MSR_GLOBAL_RESET:
        p->global_status &= ~value;
        break;
    case MSR_GLOBAL_SET:
        p->global_status |= value;
        break;
    }
    arch_enables(s);
    arch_lbr_update(s);
    return 1;
}

int arch_wrmsr(struct sim *s, uint32_t msr, uint64_t value)
{
    struct arch *p = s->state;
    const struct arch_traits *t = p->traits;
    int n;
    if (msr == MSR_PRED_CMD) return 0;
    if ((n = counter_at(t, msr, MSR_PMC0, 0)) >= 0) return write_counter(&p->counter[n], value, false);
    if ((n = counter_at(t, msr, MSR_FIXED_CTR0, ARCH_GENERAL)) >= 0)
        return write_counter(&p->counter[n], value, true);
    if (t->capabilities & CAP_FULL_WRITE && (n = counter_at(t, msr, MSR_A_PMC0, 0)) >= 0)
        return write_counter(&p->counter[n], value, true);
    if ((n = counter_at(t, msr, MSR_PERFEVTSEL0, 0)) >= 0) {
        if (value & ~select_mask(t)) return 0;
        p->counter[n].select = value;
        arch_resolve(s, (unsigned)n);
        arch_enables(s);
        return 1;
    }
    if (exists(t, msr)) return write_other(s, msr, value);
    const int pebs = arch_pebs_wrmsr(s, msr, value);
    return pebs >= 0 ? pebs : arch_lbr_wrmsr(s, msr, value);
}

/* ---- RDPMC ---- */

/* ECX: n, 1 << 30 | n for a fixed counter, 1 << 29 for IA32_PERF_METRICS. */
enum sim_rdpmc arch_rdpmc(struct sim *s, uint32_t ecx, uint64_t *value)
{
    const struct arch *p = s->state;
    const bool fixed = ecx >> 30 == 1;
    const uint32_t n = (ecx & 0x3fffffff);
    if (ecx == UINT32_C(1) << 29 && p->traits->capabilities & CAP_METRICS) {
        *value = p->metrics;
        return SIM_RDPMC_OK;
    }
    if (ecx >> 31 || n >= (fixed ? ARCH_FIXED : ARCH_GENERAL)) return SIM_RDPMC_GP;
    const unsigned k = fixed ? ARCH_GENERAL + n : n;
    if (!arch_counter_exists(p->traits, k)) return SIM_RDPMC_GP;
    *value = p->counter[k].value;
    return SIM_RDPMC_OK;
}

/* ---- CPUID ---- */

/* CPUID.1:ECX and EDX */
#define FEATURE_DTES64 (1u << 2)
#define FEATURE_PDCM   (1u << 15)
#define FEATURE_DS     (1u << 21)
/* CPUID.7.0:EDX. Mispredictions are not modelled, so IA32_PRED_CMD could cause none; kvm-unit-tests expects
 * one. A processor without the bit has no such MSR. */
#define FEATURE_IBPB   (1u << 26)

/* The emulator has these processors; this code changes the PMU's leaf, and the bits that depend on
 * IA32_MISC_ENABLE. */
void arch_cpuid(const struct sim *s, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    struct arch *p = s->state;
    const bool limited = p->misc_enable & MISC_LIMIT_LEAF;
    switch (leaf) {
    case 0:
        if (regs[0] < 0xa) regs[0] = 0xa;
        if (limited) regs[0] = 2; /* SDM, IA32_MISC_ENABLE */
        break;
    case 1:
        regs[2] |= FEATURE_PDCM;
        if (p->traits->pebs_enable) {
            regs[2] |= FEATURE_DTES64;
            regs[3] |= FEATURE_DS;
        } else {
            regs[3] &= ~FEATURE_DS; /* no BTS either: there is no DS area */
        }
        p->bios_sign = (uint64_t)p->traits->microcode << 32; /* SDM 9.11.7.1: CPUID loads it */
        break;
    case 6:
        if (p->misc_enable & MISC_NO_TURBO) regs[0] &= ~2u;
        regs[2] &= ~1u; /* no APERF and MPERF: they would want facts from power-on */
        break;
    case 7:
        if (subleaf == 0) regs[3] &= ~FEATURE_IBPB;
        break;
    case 0xa:
        memcpy(regs, p->traits->leaf_a, sizeof p->traits->leaf_a);
        if (limited) memset(regs, 0, sizeof p->traits->leaf_a); /* hidden */
        break;
    }
}

/* ---- reset ---- */

/* IA32_PERF_GLOBAL_CTRL enables the general counters, "as done by both Intel and AMD processors" (KVM's
 * changes). */
void arch_registers_reset(struct sim *s)
{
    struct arch *p = s->state;
    const struct arch_traits *t = p->traits;
    for (unsigned n = 0; n < ARCH_COUNTERS; n++) {
        const bool fixed = n >= ARCH_GENERAL;
        p->counter[n] = (struct sim_counter){
            .status = !arch_counter_exists(t, n) ? 0 : UINT64_C(1) << (fixed ? n - ARCH_GENERAL + 32 : n),
            .mask = ones(fixed ? LEAF_A_FIXED_WIDTH(t) : LEAF_A_GENERAL_WIDTH(t)),
        };
        arch_resolve(s, n);
    }
    p->global_ctrl = LEAF_A_VERSION(t) >= 2 ? ones(LEAF_A_GENERAL(t)) : 0;
    p->global_status = p->debugctl = p->prefetch = p->metrics = 0;
    p->misc_enable = MISC_RESET | (t->pebs_enable ? 0 : MISC_NO_PEBS);
    p->pebs = (struct arch_pebs){.ds_area = 0};
    p->bios_sign = (uint64_t)t->microcode << 32;
    arch_enables(s);
    arch_lbr_reset(s);
}
