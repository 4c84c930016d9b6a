/* Executes on the processor that is measured what a measuring function consists of, and ends it where it
 * takes too long, or the user wants it. */
#pragma once
#include "kernel/processors.h"
#include "measure/run.h"

/* fn(arg) on this processor; returns when that has ended. On the boot processor it is a plain call.
 *
 * Of another one the boot processor ends the call, by an NMI, when watch= is overdue (measure/watchdog.h) or
 * the user cancels. *run tells that as it does of the boot processor: RUN_ENDED, RUN_CANCELLED, and RUN_TRAP
 * where no guard of fn() was armed. RUN_LOST: the processor does not answer any more; then nothing is
 * executed on it again, and each further call is RUN_LOST at once. */
void run_elsewhere(const struct cpu *cpu, struct run *run, processor_fn *fn, void *arg);

/* Has it been lost? */
bool processor_lost(const struct cpu *cpu);

/* Waits for what processor_begin() began: until done(ctx), or it ended by itself, or the user cancels, or
 * limit seconds are over (0: for ever). True: done, or ended. */
bool elsewhere_wait(const struct cpu *cpu, bool (*done)(void *ctx), void *ctx, unsigned limit);

/* How a call of another processor ended, as its run tells it. What returned has told it by itself. */
void elsewhere_judge(struct run *run, const struct cpu *cpu, enum processor_end end);

/* Ends what processor_begin() began, if it has not ended after limit seconds (0: when the user cancels). */
enum processor_end elsewhere_end(const struct cpu *cpu, unsigned limit);
