#include "kernel/timer.h"
#include "kernel/percpu.h"
#include "kernel/trap.h"
#include <stddef.h>

#define SHOT 1000 /* clocks of the APIC: 10 to 15 us at the bus's rate */

static void set(uint32_t entry, uint32_t ticks)
{
    const struct apic *const apic = this_apic(); /* NULL: no timer */
    if (apic) apic_timer(apic, entry, ticks);
}

void timer_shoot(void) { set(VECTOR_TIMER, SHOT); }
void timer_stop(void) { set(LVT_MASKED | VECTOR_SPURIOUS, 0); }
