/* The watchdog: ends code that never returns.
 *
 * Something that interrupts after a while is wound up between the calls, before it is half way, so that it
 * interrupts no call that is shorter than half of what it can count. In a longer call its handler winds it up
 * again, until the call has taken as long as it may. That repetition is flagged as those with a stray
 * interrupt are. Nothing is executed between the readings.
 */
#pragma once
#include "kernel/machine.h"

struct pmu_code; /* pmu/pmu.h */

/* The kinds, best first; measure/watchdog_kind.h says what each one is. A set has bit 1 << kind. */
enum watchdog_kind {
    WATCHDOG_PROCESSOR, /* the boot processor, which looks (watchdog_overdue()): of all others */
    WATCHDOG_COUNTER,
    WATCHDOG_RTC,
    WATCHDOG_PIT_NMI,
    WATCHDOG_PIT_INTERRUPT,
    WATCHDOG_KINDS
};

/* The set that watches code at ring 0 or 3 on this machine; 0: there is none, or the rate of the TSC is
 * unknown. Kinds are tried at the first call for a CPU, for some milliseconds: interrupts must be disabled
 * and unused, and the counters too. counter: whether the run has a counter for it (watchdog_program()). */
unsigned watchdog_find(const struct cpu *cpu, unsigned ring, bool counter);

/* Instead of pmu_ops.program(), by a run that is to be watched: programs code (by counter; NULL: unused), and
 * beside it the watchdog's on a counter that is left, which pmu_start() starts. False: there is no such
 * watchdog here, or no counter left for it, and the run programs its code itself. */
bool watchdog_program(const struct cpu *cpu, const struct pmu_code *const *code);

/* Did the last watchdog_program() do it, and no watchdog_end() since? */
bool watchdog_programmed(void);

/* Watch the calls that begin from now on: one that takes limit seconds ends as a trap with vector
 * VECTOR_NMI (of the NMI or the interrupt alike), at the address where it was. kinds: of watchdog_find(). 0:
 * watch nothing. */
void watchdog_begin(const struct cpu *cpu, unsigned kinds, unsigned limit);

/* Before each call, outside of the readings. Does nothing without watchdog_begin(). */
void watchdog_call(void);

/* Around what is not the user's code, and measured as well: no interrupt comes. Counters go on. Valid without
 * watchdog_begin(). */
void watchdog_pause(void);
void watchdog_resume(void);

/* On the boot processor, several times a second while cpu executes: has the watched call of cpu taken too
 * long? The boot processor measures the time, since time stamps of processors may differ. It reads one line
 * that the other processor writes between calls. */
bool watchdog_overdue(const struct cpu *cpu);

/* How many interrupts so far have disturbed a call. They are among this CPU's strays, which flag repetitions.
 */
uint32_t watchdog_interrupts(void);

/* Watch no more. After watchdog_program() all counters stop. Also valid after a trap, and without
 * watchdog_begin(). */
void watchdog_end(void);
