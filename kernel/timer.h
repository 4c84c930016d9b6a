/* The local APIC's timer: interrupts on request, one shot after the other, for code that counts them.
 *
 * The interrupted code asks by INT VECTOR_TIMER_CALL with the number in EAX, at CPL 0 or 3. Interrupts are
 * then enabled, EAX counts down with each one, and with the last one, or by asking for 0, they are disabled
 * again and the timer is masked. Whoever asks waits no longer than he likes; a trap meanwhile ends it too
 * (kernel/trap.c).
 */
#pragma once
#include "kernel/apic.h"

/* False: there is none here (no local APIC that is on), and nothing may be asked for. a is kept. */
bool timer_init(const struct apic *a);

/* For the handler, which runs on general registers only. */
void timer_shoot(void); /* an interrupt VECTOR_TIMER some microseconds from now */
void timer_stop(void);
void timer_end_of_interrupt(void);
