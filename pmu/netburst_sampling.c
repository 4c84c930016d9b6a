/* Overflow interrupts and PEBS on NetBurst: SDM vol. 3B (order 325384-059) 18.15.5 and 18.15.7. */
#include "kernel/apic.h"
#include "kernel/hw.h"
#include "pmu/driver.h"
#include "pmu/netburst_own.h"
#include "pmu/sole.h"

#define REFUSE(...) pmu_refuse(why, cap, __VA_ARGS__)
#define BIT_39      (1ull << 39)

/* FORCE_OVF overflows at each event, but only a counter at -1 interrupts (perfctr). A starter overflows at
 * its last event, and has no interrupt that would come with the next one. */
static inline uint64_t preset(const struct pmu *pmu, unsigned counter)
{
    const uint64_t mask = (1ull << NETBURST_WIDTH) - 1;
    if (pmu->netburst.counter[counter].cccr & CCCR_FORCE_OVF) return mask;
    if (pmu->netburst.starters >> counter & 1) return -pmu->period[counter] & mask;
    return NETBURST_PRESET(pmu->period[counter]);
}

bool pmu_netburst_arm(struct pmu *pmu, unsigned counter, uint64_t period, char *why, size_t cap)
{
    struct netburst_state *nb = &pmu->netburst;
    const bool starter = pmu->netburst.starters >> counter & 1;
    const bool forced = pmu->netburst.counter[counter].cccr & CCCR_FORCE_OVF;
    if (!nb->counter[counter].cccr) return REFUSE("nothing is programmed on counter %u", counter);
    if (period < 1 || period > INT32_MAX) return REFUSE("a period must be from 1 to 2147483647");
    if (forced && period != 1) return REFUSE("force_ovf needs a period of 1");
    if (!forced && !starter && period == 1) return REFUSE("a period of 1 needs force_ovf");
    if (nb->counter[counter].starter && (pmu->models & NB_MUTE_CASCADE))
        return REFUSE("an erratum: cascades of this model raise no interrupt");
    pmu->period[counter] = period;
    if (!starter) {
        nb->counter[counter].cccr |= nb->second_thread ? CCCR_OVF_PMI_T1 : CCCR_OVF_PMI_T0;
        pmu->sampling |= 1u << counter;
    }
    return pmu_write(pmu->counter_msr[counter], preset(pmu, counter), why, cap);
}

/* With the counter disabled a reload cannot get lost (erratum N15). */
static inline void reload(uint32_t cccr, unsigned counter, uint64_t value)
{
    hw_wrmsr(MSR_NB_CCCR0 + counter, cccr & ~NB_START_BITS);
    hw_wrmsr(MSR_NB_COUNTER0 + counter, value);
}

/* An overflow may interrupt without OVF; an armed counter is below zero, and after zero bit 39 is clear
 * (Linux' p4 driver). The hardware reloads a PEBS counter: only OVF is cleared. OVF is cleared before the
 * local APIC's entry is unmasked; otherwise a second interrupt follows.
 */
uint32_t pmu_netburst_overflowed(struct pmu *pmu, const struct apic_pmi_entry *pmi)
{
    const struct netburst_state *nb = &pmu->netburst;
    uint32_t over = 0;
    for (uint32_t left = pmu->sampling; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left), starter = nb->counter[i].starter;
        const bool pebs = nb->pebs >> i & 1;
        uint32_t cccr = (uint32_t)hw_rdmsr(MSR_NB_CCCR0 + i);
        if (!(cccr & CCCR_OVF) && (pebs || (hw_rdmsr(MSR_NB_COUNTER0 + i) & BIT_39))) continue;
        over |= 1u << i;
        if (!pebs) reload(nb->counter[i].cccr, i, preset(pmu, i));
        if (starter) /* before its target waits again */
            reload(nb->counter[starter - 1].cccr, starter - 1, preset(pmu, starter - 1));
        hw_wrmsr(MSR_NB_CCCR0 + i, nb->counter[i].cccr);
        if (starter) hw_wrmsr(MSR_NB_CCCR0 + starter - 1, nb->counter[starter - 1].cccr);
    }
    apic_pmi_again(pmi);
    return over;
}

/* The caller's skid - period is what preset() gives for a counter that is no starter. */
bool pmu_netburst_sole(const struct pmu *pmu, struct pmu_sole *out)
{
    const struct netburst_state *nb = &pmu->netburst;
    if (!pmu->sampling || pmu->sampling & (pmu->sampling - 1)) return false;
    const unsigned i = (unsigned)__builtin_ctz(pmu->sampling);
    const uint32_t cccr = nb->counter[i].cccr;
    if (nb->counter[i].starter || nb->pebs) return false;
    *out = (struct pmu_sole){.way = SOLE_OVF,
                             .counter = i,
                             .msr = MSR_NB_COUNTER0 + i,
                             .preset_high = 0xff,
                             .skid = !(cccr & CCCR_FORCE_OVF),
                             .control = MSR_NB_CCCR0 + i,
                             .stop = cccr & ~NB_START_BITS,
                             .run = cccr};
    return true;
}

bool pmu_netburst_pebs_plan(struct pmu *pmu, unsigned counter, const struct pmu_code *code,
                            const struct pebs_want *want, struct pebs *out, char *why, size_t cap)
{
    (void)code;
    if (!pmu->pebs) return REFUSE("this CPU has no PEBS; use sample=pmi");
    if (want->latency) return REFUSE("this CPU's PEBS measures no latencies: leave latency= out");
    if (want->data & ~PEBS_REGS)
        return REFUSE("data=%s: records of NetBurst's PEBS lack it; they have regs",
                      pebs_data_names[__builtin_ctz(want->data & ~(unsigned)PEBS_REGS)]);
    pebs_plain(out, counter, pmu->dtes64 || sizeof(void *) == 8);
    return true;
}

bool pmu_netburst_pebs_arm(struct pmu *pmu, unsigned counter, const struct pmu_code *code,
                           const struct pebs *buffer, char *why, size_t cap)
{
    struct netburst_state *nb = &pmu->netburst;
    const unsigned own = nb->second_thread ? 17 : 16;
    const unsigned mechanism = nb->counter[counter].mechanism;
    if (!pmu->pebs) return REFUSE("this CPU has no PEBS");
    if (!mechanism) return REFUSE("PEBS takes tagged events, not %s", code->name);
    if (counter != own) return REFUSE("PEBS works on counter %u only, not on counter %u", own, counter);
    if (!(pmu->sampling & 1u << counter)) return REFUSE("PEBS needs a period");
    for (unsigned i = 0; i < NETBURST_COUNTERS; i++) {
        unsigned other = nb->counter[i].mechanism;
        if (other && other != mechanism) return REFUSE("PEBS takes one tagging mechanism at a time");
    }
    nb->pebs = 1u << counter;
    return pmu_write(MSR_NB_DS_AREA, (uintptr_t)buffer->ds, why, cap) &&
           pmu_write_kept(MSR_NB_PEBS_ENABLE, nb->pebs_enable | PEBS_ENABLE, ~0ull, why, cap);
}

void pmu_netburst_pebs_stop(struct pmu *pmu)
{
    wrmsr_safe(MSR_NB_PEBS_ENABLE, pmu->netburst.pebs_enable);
    pmu->netburst.pebs = 0;
}
