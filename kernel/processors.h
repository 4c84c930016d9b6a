/* The processors beside the one that booted: started, at rest, called.
 *
 * The boot processor drives and prints. Another one executes what it is called with, and goes back to rest.
 * While it rests it touches no line that anyone else uses, and takes no interrupt.
 */
#pragma once
#include "kernel/machine.h"
#include "kernel/trap.h"

/* Memory that each one takes, next to the stack of kernel/stacks.h: its struct cpu and struct pmu, descriptor
 * tables, the stacks on which it starts and handles traps. */
#define PROCESSOR_BYTES     65536u
/* Of it, for struct pmu. */
#define PROCESSOR_PMU_BYTES 2048u

/* How they rest (kernel/rest.h). HLT wakes by an IPI; MWAIT and SPIN by a store to the processor's own line.
 */
const char *rest_name(enum rest rest); /* "hlt" */

/* Start all of machine.found.p[] that can be started, until `most` run (the one that booted included). Those
 * that came up are machine.cpu[1] and on; of the others struct processor_found says why not. Blocks are taken
 * from the end of the pool. Interrupts are disabled. The clock must be known, else waits are estimates.
 * identify() fills in the rest of struct cpu, and is executed by the processor itself: its APIC is there. */
typedef void processor_fn(void *arg);
void processors_start(struct machine *m, unsigned most, enum rest rest, void (*identify)(struct cpu *cpu));

/* How a call ended. STOPPED: by processor_stop(). LOST: it does not answer any more. */
enum processor_end { PROCESSOR_RETURNED, PROCESSOR_TRAPPED, PROCESSOR_STOPPED, PROCESSOR_LOST };

/* fn(arg) on this processor, with interrupts disabled; returns when that has ended. On the boot processor it
 * is a plain call, whose traps are the caller's guard's. While it waits, the boot processor spins on a line
 * that nobody else writes before the end. A call that does not end within 20 seconds is ended by an NMI. */
enum processor_end processor_call(const struct cpu *cpu, processor_fn *fn, void *arg);

/* The same in two halves, so that several run at once. Not of the boot processor. If the processor has not
 * begun after a second, because its rest missed the call, processor_busy() and processor_end() send it an
 * NMI, and again each second; after ten it is lost: it gets INIT, is not busy, and this and all later calls
 * end with LOST. */
void processor_begin(const struct cpu *cpu, processor_fn *fn, void *arg);
bool processor_busy(const struct cpu *cpu);
enum processor_end processor_end(const struct cpu *cpu,
                                 uint64_t ticks); /* waits; LOST after so many ticks; 0: no such limit */

/* With processor_end() == PROCESSOR_TRAPPED or STOPPED: where that was. */
const struct trap *processor_trap(const struct cpu *cpu);

/* End what it executes, by an NMI. A guard that fn has armed itself gets it as a trap with VECTOR_NMI. */
void processor_stop(const struct cpu *cpu);

/* INIT to one that does not answer: it executes no more, and all later calls end with LOST. */
void processor_give_up(const struct cpu *cpu);
