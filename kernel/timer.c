#include "kernel/timer.h"
#include "kernel/trap.h"
#include <stddef.h>

#define SHOT 1000 /* clocks of the APIC: 10 to 15 us at the bus's rate */

static const struct apic *apic; /* NULL: no timer */

bool timer_init(const struct apic *a)
{
    if (a->mode >= APIC_XAPIC) apic = a;
    return apic != NULL;
}

static void set(uint32_t entry, uint32_t ticks)
{
    if (apic) apic_timer(apic, entry, ticks);
}

void timer_shoot(void) { set(VECTOR_TIMER, SHOT); }
void timer_stop(void) { set(LVT_MASKED | VECTOR_SPURIOUS, 0); }

void timer_end_of_interrupt(void)
{
    if (apic) apic_eoi(apic);
}
