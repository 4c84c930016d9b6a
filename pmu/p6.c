/* Driver of the P6 family's counters: Pentium Pro, II, III and M. Register bits and manual sections:
 * pmu/p6.h. */
#include "pmu/p6.h"
#include "kernel/apic.h"
#include "kernel/hw.h"
#include "pmu/decode.h"
#include "pmu/driver.h"
#include "pmu/sole.h"

#define ALL_COUNTERS ((1u << P6_COUNTERS) - 1)

/* ---- detection ---- */

/* Intel's family 6 up to the last model without architectural perfmon (CPUID application note AP-485; the
 * same list in perfctr's x86.c and Linux' arch/x86/events/intel/p6.c). */
static const struct {
    unsigned model;
    const char *name;
    uint32_t models;
} cpus[] = {
    {0, "Pentium Pro", P6_PPRO},  {1, "Pentium Pro", P6_PPRO}, {3, "Pentium II", P6_PII}, /* Klamath */
    {5, "Pentium II", P6_PII},    /* Deschutes, Celeron, Xeon */
    {6, "Pentium II", P6_PII},    /* Mendocino, Dixon */
    {7, "Pentium III", P6_PIII},  /* Katmai */
    {8, "Pentium III", P6_PIII},  /* Coppermine */
    {9, "Pentium M", P6_PM},      /* Banias */
    {10, "Pentium III", P6_PIII}, /* Xeon, Cascades */
    {11, "Pentium III", P6_PIII}, /* Tualatin */
    {13, "Pentium M", P6_PM},     /* Dothan */
};

/* Pentium Pro erratum 26 makes RDPMC at CPL 3 unsafe before stepping 9 (Linux, p6_pmu_rdpmc_quirk; perfctr's
 * intel_p6_init). */
static bool erratum_26(const struct cpu_id *id) { return id->model <= 1 && id->stepping < 9; }

/* On Pentium M IA32_MISC_ENABLE shows whether the counters may be used; earlier CPUs have no such register.
 */
static bool available(const struct pmu *pmu)
{
    uint64_t misc;
    return pmu->models != P6_PM || (rdmsr_safe(MSR_P6_MISC_ENABLE, &misc) && (misc & MISC_ENABLE_PERFMON));
}

static const uint32_t select_msr[P6_COUNTERS] = {MSR_P6_EVNTSEL0, MSR_P6_EVNTSEL1};

static bool detect(const struct cpu_id *id, struct pmu *pmu)
{
    if (!cpu_is_intel(id) || id->family != 6) return false;
    for (unsigned i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
        if (cpus[i].model != id->model) continue;
        uint64_t debugctl;
        pmu->model = cpus[i].name;
        pmu->models = cpus[i].models;
        pmu->words = &pmu_p6_words;
        pmu->classes = CLASS_P6;
        pmu->width = P6_WIDTH;
        pmu->preset_width = P6_PRESET_WIDTH;
        pmu->lbr = rdmsr_safe(MSR_P6_DEBUGCTL, &debugctl);
        pmu->ds =
            (id->f1_edx & CPUID_1_EDX_DS) != 0; /* Pentium M has the branch trace store, none has PEBS */
        if (!available(pmu)) return true;
        pmu->counters = P6_COUNTERS;
        pmu->rdpmc = true;
        pmu->user_rdpmc = !erratum_26(id);
        pmu->counter_msr[0] = MSR_P6_PERFCTR0;
        pmu->counter_msr[1] = MSR_P6_PERFCTR1;
        for (unsigned i = 0; i < P6_COUNTERS; i++) {
            rdmsr_safe(pmu->counter_msr[i], &pmu->p6.found.counter[i]);
            rdmsr_safe(select_msr[i], &pmu->p6.found.select[i]);
        }
        return true;
    }
    return false;
}

/* ---- events ---- */

/* The edge bit selects duration or occurrence, CMASK and INV the comparison: rabbit's --duration and
 * --compare (Heller, seed 001; SDM 18.22.1). */
static bool encode(const struct pmu *pmu, const struct pmu_fields *f, struct pmu_code *out, char *why,
                   size_t cap)
{
    if (f->clocks) return pmu_refuse(why, cap, "only a Pentium has clocks; use cycles (cpu_clk_unhalted)");
    if (f->event > 0xff || f->umask > 0xff || f->cmask > 0xff)
        return pmu_refuse(why, cap, "event, umask and cmask go from 0 to 0xff on this family");
    if (f->inv && !f->cmask) /* it would be ignored */
        return pmu_refuse(why, cap, "inv inverts the comparison with cmask, so it needs cmask=1 or more");

    const struct pmu_event *e = pmu_event_coded(pmu, f->event, NULL);
    uint32_t umask = f->has_umask ? f->umask : e ? e->umask : 0;
    bool both = !f->usr && !f->os;
    out->select = f->event | EVNTSEL_UMASK(umask) | (f->usr || both ? EVNTSEL_USR : 0) |
                  (f->os || both ? EVNTSEL_OS : 0) | (f->edge ? EVNTSEL_EDGE : 0) |
                  (f->inv ? EVNTSEL_INV : 0) | EVNTSEL_CMASK(f->cmask);
    out->counters = f->counters ? f->counters : e ? e->counters : ALL_COUNTERS;
    return true;
}

/* ---- registers ---- */

/* Setting both selects to zero stops both counters and clears everything. An unused select stays zero and
 * counts at no privilege level, even though EvntSel0.EN enables both. */
static bool program(struct pmu *pmu, const struct pmu_code *const code[PMU_COUNTERS], char *why, size_t cap)
{
    for (unsigned i = 0; i < P6_COUNTERS; i++) {
        pmu->p6.select[i] = 0;
        pmu->period[i] = 0;
        if (code[i] && !(code[i]->counters & 1u << i))
            return pmu_refuse(why, cap, "%s cannot be counted on counter %u", code[i]->name, i);
    }
    for (unsigned i = 0; i < P6_COUNTERS; i++) {
        bool stopped = pmu_write(select_msr[i], 0, why, cap);
        if (!stopped && (code[i] || i == 0)) return false; /* EvntSel0 enables counter 1 too */
    }
    for (unsigned i = 0; i < P6_COUNTERS; i++) {
        bool zeroed = pmu_write(pmu->counter_msr[i], 0, why, cap);
        if (!zeroed && code[i]) return false;
    }
    for (unsigned i = P6_COUNTERS; i-- > 0;) {
        if (!code[i]) continue;
        if (!pmu_write_kept(select_msr[i], code[i]->select, ~(uint64_t)EVNTSEL_RESERVED, why, cap))
            return false;
        pmu->p6.select[i] = (uint32_t)code[i]->select;
    }
    return true;
}

static void switching(const struct pmu *pmu, bool on, struct msr_list *out)
{
    msr_list_add(out, msr_write(MSR_P6_EVNTSEL0, pmu->p6.select[0] | (on ? EVNTSEL_EN : 0)));
}

static uint64_t read(const struct pmu *pmu, unsigned counter)
{
    uint64_t value = 0;
    rdmsr_safe(pmu->counter_msr[counter], &value);
    return value & ((1ull << P6_WIDTH) - 1);
}

/* ---- sampling ---- */

/* WRMSR takes 32 bits and copies bit 31 upwards (18.22.2): hence at most 2^31. */
static bool arm(struct pmu *pmu, unsigned counter, uint64_t period, char *why, size_t cap)
{
    if (period - 1 >= P6_PERIOD_MAX)
        return pmu_refuse(why, cap, "a period must be from 1 to %u here", P6_PERIOD_MAX);
    pmu->p6.select[counter] |= EVNTSEL_INT;
    if (counter > 0 && !pmu_write(MSR_P6_EVNTSEL1, pmu->p6.select[counter], why, cap)) return false;
    if (!pmu_write(pmu->counter_msr[counter], (uint32_t)-period, why, cap)) return false;
    pmu->period[counter] = period;
    return true;
}

/* There is no status register: a counter that was preset below zero has overflowed when it is not negative,
 * and does not overflow again before it is reloaded. Nothing else needs an acknowledgement. */
static uint32_t overflowed(struct pmu *pmu, const struct apic_pmi_entry *pmi)
{
    uint32_t which = 0;
    apic_pmi_again(pmi);
    for (unsigned i = 0; i < P6_COUNTERS; i++) {
        if (!pmu->period[i] || (int32_t)hw_rdmsr(pmu->counter_msr[i]) < 0) continue;
        hw_wrmsr(pmu->counter_msr[i], (uint32_t)-pmu->period[i]);
        which |= 1u << i;
    }
    return which;
}

static bool sole(const struct pmu *pmu, struct pmu_sole *out)
{
    if (!pmu->period[0] == !pmu->period[1]) return false;
    const unsigned i = pmu->period[0] ? 0 : 1;
    *out = (struct pmu_sole){.way = SOLE_SIGN, .counter = i, .msr = pmu->counter_msr[i]};
    return true;
}

/* Counters first (32 bits, since WRMSR takes no more), and EvntSel0 with the enable bit last. */
static void release(struct pmu *pmu)
{
    if (!pmu->counters) return; /* nothing was saved */
    wrmsr_safe(MSR_P6_EVNTSEL0, 0);
    wrmsr_safe(MSR_P6_PERFCTR0, (uint32_t)pmu->p6.found.counter[0]);
    wrmsr_safe(MSR_P6_PERFCTR1, (uint32_t)pmu->p6.found.counter[1]);
    wrmsr_safe(MSR_P6_EVNTSEL1, pmu->p6.found.select[1]);
    wrmsr_safe(MSR_P6_EVNTSEL0, pmu->p6.found.select[0]);
    pmu->p6.select[0] = pmu->p6.select[1] = 0;
}

/* EvntSel0 enables both. */
static unsigned settings(const struct pmu *pmu, const struct pmu_code *code, unsigned counter,
                         struct pmu_setting out[PMU_SETTINGS])
{
    (void)pmu;
    if (!(code->counters >> counter & 1)) return 0;
    out[counter] = (struct pmu_setting){select_msr[counter], code->select};
    if (counter) out[0] = (struct pmu_setting){MSR_P6_EVNTSEL0, 0};
    out[0].value |= EVNTSEL_EN;
    return counter + 1;
}

const struct pmu_ops pmu_p6_ops = {
    .family = "P6",
    .events = pmu_p6_events,
    .n_events = PMU_P6_EVENTS,
    .umasks = pmu_p6_umasks,
    .n_umasks = PMU_P6_UMASKS,
    .aliases = pmu_p6_aliases,
    .n_aliases = PMU_P6_ALIASES,
    .detect = detect,
    .encode = encode,
    .program = program,
    .preset = pmu_preset,
    .switching = switching,
    .read = read,
    .release = release,
    .arm = arm,
    .overflowed = overflowed,
    .sole = sole,
    .settings = settings,
    .registers = pmu_p6_registers,
    .n_registers = PMU_P6_REGISTERS,
};
