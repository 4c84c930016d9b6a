/* The watchdog: ends code that never returns.
 *
 * Channel 0 of the 8254 is a one-shot whose interrupt reaches the CPU as an NMI (LINT0 of the local APIC),
 * or, where no NMI arrives, as the interrupt that it is, which ends only code with IF=1: that at CPL 3. It
 * counts 55 ms at most, and is wound up between the calls, before it is half way. So it never interrupts a
 * call that is shorter than 27 ms. In longer calls its handler winds it up again, and their repetitions are
 * flagged as those with a stray interrupt. Nothing is executed between the readings. HLT ends with each
 * interrupt.
 */
#pragma once
#include "kernel/machine.h"
#include "kernel/trap.h"

enum watchdog_by { WATCHDOG_NONE, WATCHDOG_INTERRUPT, WATCHDOG_NMI };

/* Which one this machine has for code at ring 0 or 3: tried at the first call for a CPU, for some
 * milliseconds. NONE also where the rate of the TSC is unknown. Interrupts must be disabled and unused. */
enum watchdog_by watchdog_find(const struct cpu *cpu, unsigned ring);

/* Watch the calls that begin from now on: one that takes limit seconds ends as a trap with vector
 * VECTOR_NMI (of the NMI or the interrupt alike), at the address where it was. by: not NONE. */
void watchdog_begin(const struct cpu *cpu, enum watchdog_by by, unsigned limit);

/* Before each call, outside of the readings. Does nothing without watchdog_begin(). */
void watchdog_call(void);

/* Around what is not the user's code, and measured as well: no interrupt comes. Valid without
 * watchdog_begin(). */
void watchdog_pause(void);
void watchdog_resume(void);

/* How many interrupts so far have disturbed a call. They are among this CPU's strays, which flag repetitions.
 */
uint32_t watchdog_interrupts(void);

/* Watch no more. Also valid after a trap, and without watchdog_begin(). */
void watchdog_end(void);
