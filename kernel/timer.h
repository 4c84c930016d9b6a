/* The local APIC's timer: interrupts on request, one shot after the other, for code that counts them.
 *
 * Code requests interrupts by INT VECTOR_TIMER_CALL with their number in EAX, at CPL 0 or 3. Interrupts are
 * then enabled, and EAX counts down with each one. With the last one, or by a request for 0, they are
 * disabled again and the timer is masked. The requesting code limits its own wait; a trap meanwhile also ends
 * the request (kernel/trap.c).
 */
#pragma once
#include "kernel/apic.h"

/* For the handler, which runs on general registers only. Without a local APIC that is enabled they do
 * nothing, and nothing may be requested. */
void timer_shoot(void); /* an interrupt VECTOR_TIMER some microseconds from now */
void timer_stop(void);
