/* Driver of NetBurst's counters. Register bits and manual sections: pmu/netburst.h. */
#include "pmu/netburst.h"
#include "kernel/hw.h"
#include "pmu/decode.h"
#include "pmu/driver.h"
#include "pmu/netburst_own.h"
#include <string.h>

#define CPUID_1_EDX_HTT (1u << 28)

/* ---- detection ---- */

static const char *const names[] = {
    "Pentium 4 (Willamette)", "Pentium 4 (Willamette)", "Pentium 4 (Northwood)",
    "Pentium 4 (Prescott)",   "Pentium 4 (Prescott)",   NULL,
    "Pentium 4 (Cedar Mill)",
};

static uint32_t models(const struct cpu_id *id)
{
    const unsigned model = id->model;
    const bool f27 = model > 2 || (model == 2 && id->stepping >= 7);
    /* erratum: a cascade raises no interrupt on F2xh, nor on F0xh and F1xh after stepping 9 */
    const bool mute = model == 2 || (model < 2 && id->stepping > 9);
    return 1u << model | (f27 ? NB_F27 : NB_BEFORE_F27) | (mute ? NB_MUTE_CASCADE : 0) |
           (model >= 2 ? NB_EXTENDED : 0) | (model >= 3 ? NB_NO_IQ_ESCR : 0);
}

static bool detect(const struct cpu_id *id, struct pmu *pmu)
{
    struct netburst_state *nb = &pmu->netburst;
    uint64_t misc, debugctl;
    if (!cpu_is_intel(id) || id->family != 15) return false;
    if (id->model >= sizeof names / sizeof names[0] || !names[id->model]) return false;
    pmu->model = names[id->model];
    pmu->models = models(id);
    pmu->words = &pmu_netburst_words;
    pmu->classes = CLASS_NETBURST;
    pmu->width = pmu->preset_width = NETBURST_WIDTH;
    pmu->lbr = rdmsr_safe(MSR_NB_DEBUGCTLA, &debugctl);
    pmu->ds = (id->f1_edx & CPUID_1_EDX_DS) != 0;
    pmu->dtes64 = (id->f1_ecx & CPUID_1_ECX_DTES64) != 0;
    if (!rdmsr_safe(MSR_NB_MISC_ENABLE, &misc) || !(misc & MISC_ENABLE_PMU)) return true;
    pmu->pebs_before = true; /* "nominally", SDM vol. 3B 17.4.9 */
    pmu->pebs = pmu->ds && !(misc & MISC_ENABLE_NO_PEBS);
    /* Logical processors of the package and its cores: a Pentium D has two of each. APIC ID bit 0: which of a
     * core's two. */
    nb->two_threads = (id->f1_edx & CPUID_1_EDX_HTT) && (id->f1_ebx >> 16 & 0xff) > (id->f4_eax >> 26) + 1;
    nb->second_thread = nb->two_threads && (id->f1_ebx >> 24 & 1);
    pmu->counters = NETBURST_COUNTERS;
    pmu->rdpmc = pmu->user_rdpmc = pmu->fast_rdpmc = true;
    for (unsigned i = 0; i < NETBURST_COUNTERS; i++) pmu->counter_msr[i] = MSR_NB_COUNTER0 + i;
    for (unsigned i = 0; i < NETBURST_COUNTERS; i++) {
        rdmsr_safe(MSR_NB_COUNTER0 + i, &nb->found.counter[i]);
        rdmsr_safe(MSR_NB_CCCR0 + i, &nb->found.cccr[i]);
    }
    for (int i = 0, escr; (escr = pmu_netburst_escr_at(pmu, (unsigned)i)) >= 0; i++)
        rdmsr_safe(MSR_NB_ESCR + (unsigned)escr, &nb->found.escr[escr]);
    rdmsr_safe(MSR_NB_PEBS_ENABLE, &nb->found.pebs_enable);
    rdmsr_safe(MSR_NB_PEBS_MATRIX, &nb->found.pebs_matrix);
    rdmsr_safe(MSR_NB_DS_AREA, &nb->found.ds_area);
    return true;
}

/* Non-sleep clockticks (18.15.5.9): any event counts every clock when it is compared with <= 15. */
static const char *trial(const struct pmu *pmu, unsigned counter)
{
    static const char *const words[] = {"global_power_events:thr=15:cmpl", "tc_misc:thr=15:cmpl",
                                        "memory_cancel:thr=15:cmpl", "execution_event:thr=15:cmpl"};
    (void)pmu;
    return NB_UNRELIABLE >> counter & 1 ? NULL : words[NB_BLOCK(counter)];
}

/* ---- programming ---- */

static bool allocate(const struct pmu *pmu, const struct pmu_code *const *codes, unsigned n, uint8_t *counter)
{
    struct netburst_plan plan;
    uint32_t allowed[NETBURST_COUNTERS];
    if (n > NETBURST_COUNTERS) return false;
    for (unsigned k = 0; k < n; k++) allowed[k] = codes[k]->counters & pmu->usable;
    if (!pmu_netburst_plan(pmu, codes, allowed, n, &plan)) return false;
    memcpy(counter, plan.counter, n);
    return true;
}

static unsigned mechanism(const struct pmu_code *c)
{
    static const uint16_t code[] = {NB_FRONT_END, NB_EXECUTION, NB_REPLAY};
    const uint32_t escr = c->netburst.escr, cccr = c->netburst.cccr;
    if (c->counters & 0xfff) return MECHANISM_NONE; /* not in block IQ */
    for (unsigned i = 0; i < 3; i++)
        if (CCCR_ESEL_OF(cccr) == NB_ESEL_OF(code[i]) && ESCR_EVENT_OF(escr) == NB_SELECT_OF(code[i]))
            return MECHANISM_FRONT_END + i;
    return MECHANISM_NONE;
}

/* A write of 0 may fault where there is no such register. */
static bool write(uint32_t msr, uint64_t value, uint64_t mask, char *why, size_t cap)
{
    if (value) return pmu_write_kept(msr, value, mask, why, cap);
    wrmsr_safe(msr, 0);
    return true;
}

/* All CCCRs are stopped, not only those in use: leftovers would continue to count, and could interrupt. A
 * counter is written while its CCCR is disabled; otherwise the write may get lost (erratum N15). Unused ESCRs
 * are set to zero, so that nothing is tagged any more. */
static bool write_plan(struct pmu *pmu, const struct netburst_plan *plan, uint32_t pebs_enable,
                       uint32_t pebs_matrix, char *why, size_t cap)
{
    for (unsigned i = 0; i < NETBURST_COUNTERS; i++)
        if (!wrmsr_safe(MSR_NB_CCCR0 + i, CCCR_IDLE) && plan->cccr[i])
            return pmu_refuse(why, cap, "MSR %Xh faults when %Xh is written to it", MSR_NB_CCCR0 + i,
                              CCCR_IDLE);
    for (int i = 0, escr; (escr = pmu_netburst_escr_at(pmu, (unsigned)i)) >= 0; i++)
        if (!write(MSR_NB_ESCR + (unsigned)escr, plan->escr[escr], ~(uint64_t)ESCR_RESERVED, why, cap))
            return false;
    if (!write(MSR_NB_PEBS_ENABLE, pebs_enable, ~0ull, why, cap) ||
        !write(MSR_NB_PEBS_MATRIX, pebs_matrix, ~0ull, why, cap))
        return false;
    for (unsigned i = 0; i < NETBURST_COUNTERS; i++)
        if (!wrmsr_safe(pmu->counter_msr[i], 0) && plan->cccr[i])
            return pmu_refuse(why, cap, "MSR %Xh faults when 0h is written to it",
                              (unsigned)pmu->counter_msr[i]);
    for (unsigned i = 0; i < NETBURST_COUNTERS; i++)
        if (plan->cccr[i] &&
            !pmu_write_kept(MSR_NB_CCCR0 + i, plan->cccr[i] & ~NB_START_BITS, ~(uint64_t)CCCR_OVF, why, cap))
            return false;
    return true;
}

/* Nothing is programmed and no counter interrupts. */
static void forget(struct pmu *pmu)
{
    memset(pmu->netburst.counter, 0, sizeof pmu->netburst.counter);
    pmu->sampling = 0;
}

static bool program(struct pmu *pmu, const struct pmu_code *const code[PMU_COUNTERS], char *why, size_t cap)
{
    struct netburst_plan plan;
    const struct pmu_code *codes[NETBURST_COUNTERS];
    struct netburst_state *nb = &pmu->netburst;
    uint32_t allowed[NETBURST_COUNTERS], starters = 0, pebs_enable = 0, pebs_matrix = 0;
    unsigned n = 0;
    forget(pmu);
    memset(pmu->period, 0, sizeof pmu->period);
    nb->pebs = nb->starters = 0;
    for (unsigned i = 0; i < NETBURST_COUNTERS; i++) {
        if (!code[i]) continue;
        if (!(code[i]->counters & 1u << i))
            return pmu_refuse(why, cap, "%s cannot be counted on counter %u", code[i]->name, i);
        codes[n] = code[i];
        allowed[n++] = 1u << i;
        pebs_enable |= code[i]->netburst.pebs_enable;
        pebs_matrix |= code[i]->netburst.pebs_matrix;
        if (code[i]->cascade == CASCADE_STARTER) starters |= 1u << i;
    }
    if (!pmu_netburst_plan(pmu, codes, allowed, n, &plan))
        return pmu_refuse(why, cap, "%s",
                          starters ? "no counters are free on which the one event can start the other"
                                   : "two of these events need the same ESCR, tag or counter");
    if (!write_plan(pmu, &plan, pebs_enable, pebs_matrix, why, cap)) return false;

    nb->starters = starters;
    nb->pebs_enable = pebs_enable;
    for (unsigned i = 0; i < NETBURST_COUNTERS; i++) {
        nb->counter[i].cccr = plan.cccr[i];
        if (!code[i]) continue;
        nb->counter[i].mechanism = (uint8_t)mechanism(code[i]);
        if (code[i]->cascade != CASCADE_TARGET) continue;
        for (unsigned j = 0; j < NETBURST_COUNTERS; j++)
            if ((starters & 1u << j) && pmu_netburst_cascade(pmu, j, i) && pmu_code_starts(code[j], code[i]))
                nb->counter[i].starter = (uint8_t)(j + 1);
    }
    return true;
}

/* No bit starts all counters: one CCCR is written after the other, cascades' targets (which wait) before all
 * others. Stopping clears OVF too, since it would keep the interrupt line asserted. */
static void switching(const struct pmu *pmu, bool on, struct msr_list *out)
{
    for (unsigned enable = 0; enable < 2; enable++)
        for (unsigned i = 0; i < NETBURST_COUNTERS; i++) {
            const uint32_t cccr = pmu->netburst.counter[i].cccr;
            if (cccr && ((cccr & CCCR_ENABLE) != 0) == enable)
                msr_list_add(out, msr_write(MSR_NB_CCCR0 + i, cccr & ~(on ? 0 : NB_START_BITS)));
        }
}

static uint64_t read(const struct pmu *pmu, unsigned counter)
{
    uint64_t value = 0;
    rdmsr_safe(pmu->counter_msr[counter], &value);
    return value & ((1ull << NETBURST_WIDTH) - 1);
}

/* Counters are stopped first, so that none runs before its event is selected; CCCRs come last, since they may
 * start counters again. */
static void release(struct pmu *pmu)
{
    const struct netburst_state *nb = &pmu->netburst;
    if (!pmu->counters) return; /* nothing was saved */
    for (unsigned i = 0; i < NETBURST_COUNTERS; i++) wrmsr_safe(MSR_NB_CCCR0 + i, CCCR_IDLE);
    for (unsigned i = 0; i < NETBURST_COUNTERS; i++) wrmsr_safe(MSR_NB_COUNTER0 + i, nb->found.counter[i]);
    for (int i = 0, escr; (escr = pmu_netburst_escr_at(pmu, (unsigned)i)) >= 0; i++)
        wrmsr_safe(MSR_NB_ESCR + (unsigned)escr, nb->found.escr[escr]);
    wrmsr_safe(MSR_NB_PEBS_ENABLE, nb->found.pebs_enable);
    wrmsr_safe(MSR_NB_PEBS_MATRIX, nb->found.pebs_matrix);
    if (pmu->pebs) wrmsr_safe(MSR_NB_DS_AREA, nb->found.ds_area);
    for (unsigned i = 0; i < NETBURST_COUNTERS; i++) wrmsr_safe(MSR_NB_CCCR0 + i, nb->found.cccr[i]);
    forget(pmu);
}

static unsigned settings(const struct pmu *pmu, const struct pmu_code *code, unsigned counter,
                         struct pmu_setting out[PMU_SETTINGS])
{
    const uint32_t allowed = 1u << counter;
    struct netburst_plan plan;
    unsigned n = 0;
    if (!(code->counters & allowed) || !pmu_netburst_plan(pmu, &code, &allowed, 1, &plan)) return 0;
    for (unsigned i = 0; i < NB_ESCRS; i++)
        if (plan.escr[i]) out[n++] = (struct pmu_setting){MSR_NB_ESCR + i, plan.escr[i]};
    out[n++] = (struct pmu_setting){MSR_NB_CCCR0 + counter, plan.cccr[counter]};
    if (code->netburst.pebs_enable)
        out[n++] = (struct pmu_setting){MSR_NB_PEBS_ENABLE, code->netburst.pebs_enable};
    if (code->netburst.pebs_matrix)
        out[n++] = (struct pmu_setting){MSR_NB_PEBS_MATRIX, code->netburst.pebs_matrix};
    return n;
}

const struct pmu_ops pmu_netburst_ops = {
    .family = "NetBurst",
    .events = pmu_netburst_events,
    .n_events = PMU_NETBURST_EVENTS,
    .umasks = pmu_netburst_umasks,
    .n_umasks = PMU_NETBURST_UMASKS,
    .fields = FIELD_THR | FIELD_CMPL | FIELD_FORCE_OVF | FIELD_ACTIVE | FIELD_T0 | FIELD_T1 | FIELD_TAG |
              FIELD_ESCR,
    .aliases = pmu_netburst_aliases,
    .n_aliases = PMU_NETBURST_ALIASES,
    .detect = detect,
    .encode = pmu_netburst_encode,
    .program = program,
    .preset = pmu_preset,
    .switching = switching,
    .read = read,
    .release = release,
    .trial = trial,
    .allocate = allocate,
    .arm = pmu_netburst_arm,
    .overflowed = pmu_netburst_overflowed,
    .sole = pmu_netburst_sole,
    .pebs_plan = pmu_netburst_pebs_plan,
    .pebs_arm = pmu_netburst_pebs_arm,
    .pebs_stop = pmu_netburst_pebs_stop,
    .cascade = pmu_netburst_halves,
    .settings = settings,
    .registers = pmu_netburst_registers,
    .n_registers = PMU_NETBURST_REGISTERS,
};
