/* The 8254 as a watchdog: see measure/watchdog_kind.h. */
#include "kernel/pic.h"
#include "measure/watchdog_kind.h"

#define LONGEST 65535u /* clocks of the 8254 */
#define SHOT    1200u  /* likewise: a millisecond */

static const struct apic *apic;
static uint64_t ticks_a_clock;

static void arm(const struct cpu *cpu)
{
    apic = &cpu->apic;
    ticks_a_clock = cpu->machine->clock.tsc_hz / PIT_HZ;
    if (!ticks_a_clock) ticks_a_clock = 1;
}

static bool begin_nmi(const struct cpu *cpu)
{
    if (cpu->apic.mode < APIC_XAPIC) return false;
    arm(cpu);
    apic_pic_nmi(apic);
    return true;
}

static bool begin_interrupt(const struct cpu *cpu)
{
    arm(cpu);
    apic_extint(apic, true);
    return true;
}

static void once(unsigned clocks)
{
    pit_shot(clocks);
    pic_unmask(1 << IRQ_TIMER);
}

static void shot(void) { once(SHOT); }

static uint64_t wind(uint64_t ticks)
{
    const uint64_t longest = LONGEST * ticks_a_clock;
    const unsigned clocks = ticks >= longest ? LONGEST : (unsigned)(ticks / ticks_a_clock) + 1;
    once(clocks);
    return clocks * ticks_a_clock;
}

/* The CPU does not acknowledge an NMI to the 8259, which still requests. In Bochs code with IF=1 gets the
 * interrupt itself, whatever LINT0's entry says. */
static bool came(const struct trap_frame *f)
{
    if (f->vector == VECTOR_PIC + IRQ_TIMER) return pic_acknowledge(IRQ_TIMER); /* false: INT 20h */
    return f->vector == VECTOR_NMI && pic_poll_timer();
}

static void end(void)
{
    apic_extint(apic, false); /* first: the output rises when the 8254 is stopped, and the mask is opened */
    pit_interrupts(0);
}

const struct watchdog_device watchdog_pit_nmi = {
    .in_halt = true, .begin = begin_nmi, .shot = shot, .wind = wind, .came = came, .end = end};
const struct watchdog_device watchdog_pit_interrupt = {.if_only = true,
                                                       .in_halt = true,
                                                       .begin = begin_interrupt,
                                                       .shot = shot,
                                                       .wind = wind,
                                                       .came = came,
                                                       .end = end};
