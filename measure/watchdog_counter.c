/* A performance counter as a watchdog: see measure/watchdog_kind.h. */
#include "measure/watchdog_kind.h"
#include "pmu/pmu.h"
#include <string.h>

#define LONGEST 0x7fffffffu /* cycles: what every family's arm() takes */
#define SHOT    10000u      /* likewise, for the trial */

static struct counter {
    struct pmu *pmu;
    const struct apic *apic;
    struct pmu_code cycles;
    unsigned place; /* the counter that has them */
    bool programmed;
    struct apic_pmi_entry pmi;
    uint32_t nowhere;
} c;

static bool can_interrupt(const struct cpu *cpu)
{
    const struct pmu *pmu = cpu->pmu;
    return pmu && pmu->ops && pmu->ops->arm && !pmu->pin_nmi && apic_has_pmi(&cpu->apic);
}

static bool program_at(unsigned place, const struct pmu_code *const *code)
{
    const struct pmu_code *all[PMU_COUNTERS];
    char why[160];
    memcpy(all, code, sizeof all);
    all[place] = &c.cycles;
    c.place = place;
    return c.pmu->ops->program(c.pmu, all, why, sizeof why);
}

/* Of the counters that are left, one that can count nothing else comes first. On NetBurst the events may need
 * what counts cycles there: then the next counter is tried. */
bool watchdog_counter_program(const struct cpu *cpu, const struct pmu_code *const *code)
{
    static const char word[] = "cycles";
    char why[160], near[8];
    uint32_t used = 0;
    c.programmed = false;
    if (!can_interrupt(cpu)) return false;
    c.pmu = cpu->pmu;
    if (!pmu_event_parse(c.pmu, word, sizeof word - 1, &c.cycles, why, sizeof why, near, 0)) return false;
    for (unsigned i = 0; i < PMU_COUNTERS; i++) used |= (code[i] != NULL) * (1u << i);
    const uint32_t left = c.cycles.counters & c.pmu->usable & ~used;
    const uint32_t order[] = {left & c.pmu->fixed, left & ~c.pmu->fixed};
    for (unsigned i = 0; i < 2; i++)
        for (uint32_t at = order[i]; at && !c.programmed; at &= at - 1)
            c.programmed = program_at((unsigned)__builtin_ctz(at), code);
    return c.programmed;
}

bool watchdog_counter_programmed(void) { return c.programmed; }

void watchdog_counter_stop(void)
{
    if (c.programmed) pmu_stop(c.pmu);
    c.programmed = false;
}

/* overflowed() acknowledges what came while the entry was masked, and unmasks it. */
static bool begin(const struct cpu *cpu)
{
    static const struct pmu_code *const none[PMU_COUNTERS];
    if (!c.programmed && !watchdog_counter_program(cpu, none)) return false;
    c.apic = &cpu->apic;
    c.pmi.entry = LVT_NMI;
    c.pmi.x2apic = cpu->apic.mode == APIC_X2APIC;
    c.pmi.at = c.pmi.x2apic ? &c.nowhere : apic_pmi_register(c.apic);
    c.pmu->ops->overflowed(c.pmu, &c.pmi);
    return true;
}

/* arm() has no reason to refuse what it took in the trial. */
static void set(uint32_t cycles)
{
    char why[160];
    pmu_stop(c.pmu);
    c.pmu->ops->arm(c.pmu, c.place, cycles, why, sizeof why);
    pmu_start(c.pmu);
}

static void shot(void) { set(SHOT); }

/* The core's clock is some tenths faster than the TSC's, or slower. */
static uint64_t wind(uint64_t ticks)
{
    const uint32_t cycles = ticks < LONGEST ? (uint32_t)ticks : LONGEST;
    set(cycles);
    return cycles / 2;
}

static bool came(const struct trap_frame *f)
{
    return f->vector == VECTOR_NMI && c.pmu->ops->overflowed(c.pmu, &c.pmi);
}

/* It counts on: what is measured meanwhile needs the other counters. */
static void end(void) { apic_pmi(c.apic, LVT_MASKED | VECTOR_SAMPLE); }

const struct watchdog_device watchdog_counter = {
    .begin = begin, .shot = shot, .wind = wind, .came = came, .end = end};
