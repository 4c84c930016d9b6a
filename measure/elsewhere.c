#include "measure/elsewhere.h"
#include "kernel/hw.h"
#include "measure/execute.h"
#include "measure/neighbour.h"
#include "measure/watchdog.h"

#define LOOKS          50 /* a second: how often the boot processor looks */
#define ANSWER         1  /* seconds in which an NMI ends what a processor executes */
#define TSC_HZ_UNKNOWN 1000000000

/* The boot processor's. */
static bool lost[PROCESSORS_MAX];
static const struct cpu *executes; /* what run_elsewhere() waits for: an experiment there measures, too */

bool processor_lost(const struct cpu *cpu) { return lost[cpu->index]; }

static uint64_t hz_of(const struct cpu *cpu)
{
    const uint64_t hz = cpu->machine->clock.tsc_hz;
    return hz ? hz : TSC_HZ_UNKNOWN;
}

/* The instance that others know: a suite measures with a copy. */
static const struct cpu *original(const struct cpu *cpu) { return cpu->machine->cpu[cpu->index]; }

static bool cancelled(const struct cpu *cpu)
{
    const struct cpu *boot = cpu->machine->cpu[0];
    return boot->cancelled && boot->cancelled();
}

/* Spins for so many ticks, or fewer if the processor is at rest before. False: it is. It reads only the line
 * that processor_busy() reads, and its own clock. */
static bool still_busy(const struct cpu *cpu, uint64_t ticks)
{
    const uint64_t from = hw_rdtsc();
    while (processor_busy(cpu)) {
        if (hw_rdtsc() - from >= ticks) return true;
        __builtin_ia32_pause();
    }
    return false;
}

/* Ends it by an NMI; a processor that does not answer gets INIT. */
static enum processor_end end_it(const struct cpu *cpu)
{
    processor_stop(cpu);
    const enum processor_end end = processor_end(cpu, ANSWER * hz_of(cpu));
    if (end == PROCESSOR_LOST) {
        processor_give_up(cpu);
        lost[cpu->index] = true;
    }
    return end;
}

enum processor_end elsewhere_end(const struct cpu *cpu, unsigned limit)
{
    cpu = original(cpu);
    if (lost[cpu->index]) return PROCESSOR_LOST;
    const uint64_t from = hw_rdtsc();
    while (still_busy(cpu, hz_of(cpu) / LOOKS))
        if (limit ? hw_rdtsc() - from > limit * hz_of(cpu) : cancelled(cpu)) return end_it(cpu);
    const enum processor_end end = processor_end(cpu, 0);
    return end == PROCESSOR_LOST ? end_it(cpu) : end;
}

bool elsewhere_wait(const struct cpu *cpu, bool (*done)(void *ctx), void *ctx, unsigned limit)
{
    cpu = original(cpu);
    const uint64_t from = hw_rdtsc(), look = hz_of(cpu) / LOOKS / 20;
    while (!done(ctx) && still_busy(cpu, look)) {
        if (limit && hw_rdtsc() - from >= limit * hz_of(cpu)) return false;
        if (cancelled(cpu)) return false;
    }
    return true;
}

void elsewhere_judge(struct run *run, const struct cpu *cpu, enum processor_end end)
{
    if (end == PROCESSOR_LOST) {
        run->status = RUN_LOST;
        lost[cpu->index] = true;
    }
    if (end != PROCESSOR_STOPPED && end != PROCESSOR_TRAPPED) return;
    run_trapped(run, processor_trap(cpu));
    if (end == PROCESSOR_STOPPED) run->status = RUN_ENDED;
}

void run_elsewhere(const struct cpu *measured, struct run *run, processor_fn *fn, void *arg)
{
    const struct cpu *cpu = measured->index ? original(measured) : measured;
    const uint64_t look = hz_of(cpu) / LOOKS;
    bool overdue = false, unwanted = false;
    run->cpu = cpu;
    if (cpu->index == 0 || executes == cpu) {
        fn(arg);
        return;
    }
    if (lost[cpu->index]) {
        run->status = RUN_LOST;
        return;
    }
    executes = cpu;
    processor_begin(cpu, fn, arg);
    while (!overdue && !unwanted && processor_busy(cpu)) {
        if (!neighbours_meanwhile(run, cpu, look)) still_busy(cpu, look);
        overdue = watchdog_overdue(cpu);
        unwanted = cancelled(cpu);
    }
    elsewhere_judge(run, cpu, overdue || unwanted ? end_it(cpu) : processor_end(cpu, 0));
    executes = NULL;
    /* Also where it ended by itself meanwhile, else the user's wish would be lost. */
    if (unwanted && (run->status == RUN_ENDED || run->status == RUN_OK)) run->status = RUN_CANCELLED;
}
