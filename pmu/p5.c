/* Driver of the Pentium's and Pentium MMX's counters. Register bits and their manual sections: pmu/p5.h. */
#include "pmu/p5.h"
#include "kernel/apic.h"
#include "kernel/hw.h"
#include "pmu/decode.h"
#include "pmu/driver.h"
#include "pmu/sole.h"

/* The bits of CESR that this driver sets; all others stay as they were found. */
#define OURS     (CESR_ES | CESR_CC)
#define ALL_OURS ((uint32_t)(OURS << CESR_SHIFT(0) | OURS << CESR_SHIFT(1)))
#define ALL_PINS (CESR_PC << CESR_SHIFT(0) | CESR_PC << CESR_SHIFT(1))
#define RUN      (CESR_CC_OS | CESR_CC_USR)
#define ALL_RUN  ((uint32_t)(RUN << CESR_SHIFT(0) | RUN << CESR_SHIFT(1)))

/* ---- detection ---- */

/* Intel's family 5 (CPUID application note AP-485, table of family and model). */
static const struct {
    unsigned model;
    const char *name;
    uint32_t models;
} cpus[] = {
    {0, "Pentium", P5_PLAIN},   /* 60 and 66 MHz, A step */
    {1, "Pentium", P5_PLAIN},   /* P5, 60 and 66 MHz */
    {2, "Pentium", P5_PLAIN},   /* P54C */
    {3, "Pentium", P5_PLAIN},   /* P24T, OverDrive for 486 boards */
    {4, "Pentium MMX", P5_MMX}, /* P55C */
    {7, "Pentium", P5_PLAIN},   /* mobile P54C */
    {8, "Pentium MMX", P5_MMX}, /* mobile P55C (Tillamook) */
};

/* Erratum 74 makes RDPMC at CPL 3 unsafe: model 4 stepping 4, and stepping 3 if it is an OverDrive (processor
 * type 01b in CPUID.1:EAX[13:12]). The same rule as perfctr's (linux/drivers/perfctr/x86.c, intel_p5_init).
 */
static bool erratum_74(const struct cpu_id *id)
{
    bool overdrive = (id->signature >> 12 & 3) == 1;
    return id->model == 4 && (id->stepping == 4 || (id->stepping == 3 && overdrive));
}

static bool detect(const struct cpu_id *id, struct pmu *pmu)
{
    if (!cpu_is_intel(id) || id->family != 5) return false;
    for (unsigned i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
        if (cpus[i].model != id->model) continue;
        pmu->model = cpus[i].name;
        pmu->models = cpus[i].models;
        pmu->words = &pmu_p5_words;
        pmu->classes = CLASS_P5;
        pmu->counters = P5_COUNTERS;
        pmu->width = pmu->preset_width = P5_WIDTH; /* 18.23.2: any value */
        pmu->rdpmc = cpus[i].models == P5_MMX;     /* SDM vol. 2B, RDPMC: from the Pentium MMX on */
        pmu->user_rdpmc = pmu->rdpmc && !erratum_74(id);
        pmu->pin_nmi = pmu->shows_pins = pmu->breakpoints = true;
        pmu->counter_msr[0] = MSR_P5_CTR0;
        pmu->counter_msr[1] = MSR_P5_CTR1;
        rdmsr_safe(MSR_P5_CTR0, &pmu->p5.found.counter[0]);
        rdmsr_safe(MSR_P5_CTR1, &pmu->p5.found.counter[1]);
        rdmsr_safe(MSR_P5_CESR, &pmu->p5.found.cesr);
        pmu->p5.cesr = (uint32_t)pmu->p5.found.cesr & ~ALL_OURS;
        return true;
    }
    return false;
}

/* ---- events ---- */

/* On a Pentium MMX most codes from 2Ah on have different meanings on counters 0 and 1. */
static bool counters_of(const struct pmu *pmu, uint32_t event, uint32_t *counters, char *why, size_t cap)
{
    const struct pmu_event *e = pmu_event_coded(pmu, event, NULL);
    const struct pmu_event *other = e ? pmu_event_coded(pmu, event, e) : NULL;
    if (other)
        return pmu_refuse(why, cap, "event %Xh is %s on counter 0 and %s on counter 1: say which by its name",
                          (unsigned)event, e->name, other->name);
    *counters = e ? e->counters : (1u << P5_COUNTERS) - 1; /* undocumented codes are accepted */
    return true;
}

static bool encode(const struct pmu *pmu, const struct pmu_fields *f, struct pmu_code *out, char *why,
                   size_t cap)
{
    if (f->umask || f->cmask || f->inv || f->edge)
        return pmu_refuse(why, cap, "a Pentium's counters have no %s; they take event= or clocks, and u or k",
                          f->umask   ? "unit mask"
                          : f->cmask ? "cmask"
                          : f->inv   ? "inv"
                                     : "edge bit");
    if (f->event > CESR_ES) return pmu_refuse(why, cap, "a Pentium's event codes are 0 to 3Fh");
    if (f->clocks && f->event)
        return pmu_refuse(why, cap, "clocks counts clocks, whatever the event; leave event= out");

    bool both = !f->usr && !f->os;
    uint32_t cc = (f->usr || both ? CESR_CC_USR : 0) | (f->os || both ? CESR_CC_OS : 0);
    uint32_t counters = f->counters;
    if (f->clocks)
        counters = (1u << P5_COUNTERS) - 1;
    else if (!counters && !counters_of(pmu, f->event, &counters, why, cap))
        return false;
    out->select = f->event | cc | (f->clocks ? CESR_CC_CLOCK : 0);
    out->counters = counters;
    return true;
}

/* ---- registers ---- */

/* 18.23.1, 18.23.2: each increment, or each overflow. */
static uint32_t pins(const struct pmu *pmu)
{
    if (pmu->pins.show == PINS_FOUND) return (uint32_t)pmu->p5.found.cesr & ALL_PINS;
    return pmu->pins.show == PINS_OVERFLOW ? ALL_PINS : 0;
}

/* 18.23.1: stop the counters and preset them before another event is selected. Everything except the
 * privilege levels is selected here: counter control 000 and 100 both mean stopped (18.23.1), so start()
 * needs only one write. */
static bool program(struct pmu *pmu, const struct pmu_code *const code[PMU_COUNTERS], char *why, size_t cap)
{
    uint64_t found;
    if (!rdmsr_safe(MSR_P5_CESR, &found))
        return pmu_refuse(why, cap, "MSR %Xh faults when it is read", MSR_P5_CESR);
    /* Reserved bits stay as they are, those of the pins as they were before sampling, or as pins= says. */
    uint32_t cesr = ((uint32_t)found & ~(ALL_OURS | ALL_PINS)) | pins(pmu);
    if (!pmu_write(MSR_P5_CESR, cesr, why, cap)) return false;
    pmu->p5.cesr = cesr;
    for (unsigned i = 0; i < P5_COUNTERS; i++) {
        if (code[i] && !(code[i]->counters & 1u << i))
            return pmu_refuse(why, cap, "%s cannot be counted on counter %u", code[i]->name, i);
        pmu->period[i] = 0;
        bool preset = pmu_write(pmu->counter_msr[i], -(uint64_t)pmu->pins.after & P5_MASK, why, cap);
        if (!preset && code[i]) return false;
        if (code[i]) cesr |= (uint32_t)code[i]->select << CESR_SHIFT(i);
    }
    if (!pmu_write_kept(MSR_P5_CESR, cesr & ~ALL_RUN, ALL_OURS | ALL_PINS, why, cap)) return false;
    pmu->p5.cesr = cesr;
    return true;
}

static void switching(const struct pmu *pmu, bool on, struct msr_list *out)
{
    msr_list_add(out, msr_write(MSR_P5_CESR, pmu->p5.cesr & ~(on ? 0 : ALL_RUN)));
}

static uint64_t read(const struct pmu *pmu, unsigned counter)
{
    uint64_t value = 0;
    rdmsr_safe(pmu->counter_msr[counter], &value);
    return value & P5_MASK;
}

/* ---- sampling ---- */

/* 18.23.2: the counter is preset and its pin signals overflow. This needs a board that wires PM0 to NMI, as
 * the EBS socket of seed 002 3.3 does. */
static bool arm(struct pmu *pmu, unsigned counter, uint64_t period, char *why, size_t cap)
{
    if (counter != 0) return pmu_refuse(why, cap, "only PM0, the pin of counter 0, can be wired to NMI");
    if (period - 1 >= P5_PERIOD_MAX)
        return pmu_refuse(why, cap, "a period must be from 1 to %u here", P5_PERIOD_MAX);
    if (!pmu_write(MSR_P5_CTR0, -period & P5_MASK, why, cap)) return false;
    pmu->p5.cesr |= CESR_PC;
    if (!pmu_write_kept(MSR_P5_CESR, pmu->p5.cesr & ~ALL_RUN, CESR_PC, why, cap)) return false;
    pmu->period[0] = period;
    return true;
}

/* There is no status: a counter that was preset below zero has overflowed if bit 39 is clear. The pin needs
 * no acknowledgement. */
static uint32_t overflowed(struct pmu *pmu, const struct apic_pmi_entry *pmi)
{
    (void)pmi; /* there is none */
    if (!pmu->period[0] || hw_rdmsr(MSR_P5_CTR0) >> (P5_WIDTH - 1) & 1) return 0;
    hw_wrmsr(MSR_P5_CTR0, -pmu->period[0] & P5_MASK);
    return 1;
}

static bool sole(const struct pmu *pmu, struct pmu_sole *out)
{
    if (!pmu->period[0]) return false;
    *out = (struct pmu_sole){.way = SOLE_SIGN, .msr = MSR_P5_CTR0, .preset_high = (uint32_t)(P5_MASK >> 32)};
    return true;
}

/* CESR last: it may start the counters again. */
static void release(struct pmu *pmu)
{
    pmu_stop(pmu);
    wrmsr_safe(MSR_P5_CTR0, pmu->p5.found.counter[0]);
    wrmsr_safe(MSR_P5_CTR1, pmu->p5.found.counter[1]);
    wrmsr_safe(MSR_P5_CESR, pmu->p5.found.cesr);
}

static unsigned settings(const struct pmu *pmu, const struct pmu_code *code, unsigned counter,
                         struct pmu_setting out[PMU_SETTINGS])
{
    (void)pmu;
    if (!(code->counters >> counter & 1)) return 0;
    out[0] = (struct pmu_setting){MSR_P5_CESR, code->select << CESR_SHIFT(counter)};
    return 1;
}

const struct pmu_ops pmu_p5_ops = {
    .family = "P5",
    .events = pmu_p5_events,
    .n_events = PMU_P5_EVENTS,
    .aliases = pmu_p5_aliases,
    .n_aliases = PMU_P5_ALIASES,
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
    .registers = pmu_p5_registers,
    .n_registers = PMU_P5_REGISTERS,
};
