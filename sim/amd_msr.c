/* The registers of AMD's PMU (facts 5.1), and counting.
 *
 * Writes to reserved bits and read-only registers are ignored without a fault: "AMD ignores writes to
 * reserved bits and read-only PMU MSRs" (Linux, KVM's pmu.c, from the PPRs and from hardware).
 */
#include "sim/amd.h"

#define MSR_EVNTSEL0          0xc0010000u /* to 3 */
#define MSR_PERFCTR0          0xc0010004u /* to 7 */
#define LEGACY                4u
#define MSR_PERF_CTL0         0xc0010200u /* PERF_CTL and PERF_CTR in turn */
#define MSR_GLOBAL_STATUS     0xc0000300u
#define MSR_DE_CFG            0xc0011029u /* from family 10h on */
#define MSR_GLOBAL_CTL        0xc0000301u
#define MSR_GLOBAL_STATUS_CLR 0xc0000302u
#define MSR_GLOBAL_STATUS_SET 0xc0000303u

/* ---- enables ---- */

/* Guest only, host only: SVM is off here. Both bits together have no effect; either one alone stops the
 * counter, also "host only", which needs EFER.SVME (Linux, amd_pmu_disable_virt). */
static bool counts_here(uint64_t select)
{
    return ((select & AMD_GUEST_ONLY) != 0) == ((select & AMD_HOST_ONLY) != 0);
}

static void program(struct sim *s)
{
    struct amd *p = s->state;
    const uint64_t enabled = p->global_status & AMD_STATUS_PMCF ? 0 : p->global_ctl;
    for (unsigned n = 0; n < p->traits->counters; n++) {
        struct sim_counter *c = &p->counter[n];
        const bool on = c->select & SEL_EN && counts_here(c->select) && (!p->traits->v2 || enabled >> n & 1);
        c->cpls = on ? sim_counter_levels(c->select & SEL_OS, c->select & SEL_USR) : 0;
        c->interrupt = c->select & SEL_INT;
        if (on) sim_activate(s);
    }
}

/* ---- counting ---- */

/* A carry out of bit 47. The status bit is set whether or not an interrupt is wanted. */
static __attribute__((noinline)) bool overflow(struct sim *s, const struct sim_counter *c)
{
    struct amd *p = s->state;
    p->global_status |= c->status;
    if (c->interrupt) sim_pmi(s);
    return c->interrupt;
}

/* By an overflow that interrupts, not by a silent one. */
static __attribute__((noinline)) void freeze(struct sim *s)
{
    struct amd *p = s->state;
    if (p->debugctl & AMD_FREEZE_LBR) p->global_status |= AMD_STATUS_LBRSF;
    if (p->debugctl & AMD_FREEZE_PMC) p->global_status |= AMD_STATUS_PMCF;
    amd_lbr_update(s);
    program(s);
}

void amd_count(struct sim *s)
{
    struct amd *p = s->state;
    bool pmi = false;
    for (unsigned n = 0; n < p->traits->counters; n++) {
        struct sim_counter *c = &p->counter[n];
        const uint64_t events = sim_counter_events(s, c);
        if (events && sim_counter_add(c, events)) pmi |= overflow(s, c);
    }
    if (pmi && p->debugctl & (AMD_FREEZE_LBR | AMD_FREEZE_PMC)) freeze(s);
    amd_ibs_count(s);
}

static uint64_t all_counters(const struct amd *p) { return (UINT64_C(1) << p->traits->counters) - 1; }

void amd_registers_reset(struct sim *s)
{
    struct amd *p = s->state;
    for (unsigned n = 0; n < AMD_COUNTERS; n++) {
        p->counter[n] = (struct sim_counter){
            .mask = AMD_COUNTER_MASK,
            .status = p->traits->v2 ? UINT64_C(1) << n : 0,
        };
        amd_resolve(s, n);
    }
    /* "At RESET, AMD CPUs set all enable bits for general purpose counters" (Linux, KVM). */
    p->global_ctl = p->traits->v2 ? all_counters(p) : 0;
    p->global_status = 0;
    p->de_cfg = 0;
    amd_lbr_reset(s);
}

/* ---- RDMSR, WRMSR, RDPMC ---- */

/* Which counter's control or count is it? False: neither. */
static bool locate(const struct amd *p, uint32_t msr, unsigned *n, bool *select)
{
    if (msr - MSR_EVNTSEL0 < 2 * LEGACY) {
        *n = (msr - MSR_EVNTSEL0) % LEGACY;
        *select = msr < MSR_PERFCTR0;
        return true;
    }
    if (!p->traits->extended || msr - MSR_PERF_CTL0 >= 2 * AMD_COUNTERS) return false;
    *n = (msr - MSR_PERF_CTL0) / 2;
    *select = msr % 2 == MSR_PERF_CTL0 % 2;
    return true;
}

int amd_rdmsr(struct sim *s, uint32_t msr, uint64_t *value)
{
    const struct amd *p = s->state;
    unsigned n;
    bool select;
    if (locate(p, msr, &n, &select)) {
        *value = select ? p->counter[n].select : p->counter[n].value;
        return 1;
    }
    if (msr == MSR_DE_CFG && p->traits->de_cfg) {
        *value = p->de_cfg;
        return 1;
    }
    if (msr - MSR_IBS < IBS_REGISTERS) return amd_ibs_rdmsr(s, msr, value);
    if (!p->traits->v2) return amd_lbr_rdmsr(s, msr, value);
    switch (msr) {
    case MSR_GLOBAL_STATUS:
        *value = p->global_status;
        return 1;
    case MSR_GLOBAL_CTL:
        *value = p->global_ctl;
        return 1;
    case MSR_GLOBAL_STATUS_CLR:
    case MSR_GLOBAL_STATUS_SET:
        *value = 0;
        return 1;
    default:
        return amd_lbr_rdmsr(s, msr, value);
    }
}

/* Software's: what is frozen freezes or goes on, without an interrupt. */
static void set_status(struct sim *s, uint64_t status)
{
    struct amd *p = s->state;
    p->global_status = status;
    amd_lbr_update(s);
    program(s);
}

int amd_wrmsr(struct sim *s, uint32_t msr, uint64_t value)
{
    struct amd *p = s->state;
    unsigned n;
    bool select;
    if (locate(p, msr, &n, &select)) {
        if (!select) {
            p->counter[n].value = value & AMD_COUNTER_MASK;
            return 1;
        }
        p->counter[n].select = value & p->traits->select;
        amd_resolve(s, n);
        program(s);
        return 1;
    }
    if (msr == MSR_DE_CFG && p->traits->de_cfg) {
        p->de_cfg = value;
        return 1;
    }
    if (msr - MSR_IBS < IBS_REGISTERS) return amd_ibs_wrmsr(s, msr, value);
    if (!p->traits->v2) return amd_lbr_wrmsr(s, msr, value);
    switch (msr) {
    case MSR_GLOBAL_STATUS:
        return 1;
    case MSR_GLOBAL_CTL:
        p->global_ctl = value & all_counters(p);
        program(s);
        return 1;
    case MSR_GLOBAL_STATUS_CLR:
        set_status(s, p->global_status & ~value);
        return 1;
    case MSR_GLOBAL_STATUS_SET:
        set_status(s, p->global_status | (value & (all_counters(p) | AMD_STATUS_LBRSF | AMD_STATUS_PMCF)));
        return 1;
    default:
        return amd_lbr_wrmsr(s, msr, value);
    }
}

/* Numbers from 6 on are the northbridge's counters, which are absent here. */
enum sim_rdpmc amd_rdpmc(struct sim *s, uint32_t ecx, uint64_t *value)
{
    const struct amd *p = s->state;
    if (ecx >= p->traits->counters) return SIM_RDPMC_GP;
    *value = p->counter[ecx].value;
    return SIM_RDPMC_OK;
}
