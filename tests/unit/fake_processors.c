/* The stand-in of fake_processors.h. */
#include "tests/unit/fake_processors.h"

enum processor_end processors_end_with;
struct trap processors_trap;
unsigned processor_calls, processor_stops, processors_given_up, processors_busy;
const struct cpu *processor_called;

void processor_begin(const struct cpu *cpu, processor_fn *fn, void *arg)
{
    processor_calls++;
    processor_called = cpu;
    fn(arg);
}

bool processor_busy(const struct cpu *cpu) { return (void)cpu, processors_busy && processors_busy--; }
enum processor_end processor_end(const struct cpu *cpu, uint64_t ticks)
{
    (void)cpu, (void)ticks;
    return processors_end_with;
}

enum processor_end processor_call(const struct cpu *cpu, processor_fn *fn, void *arg)
{
    processor_begin(cpu, fn, arg);
    return cpu->index ? processors_end_with : PROCESSOR_RETURNED;
}

const struct trap *processor_trap(const struct cpu *cpu) { return (void)cpu, &processors_trap; }
void processor_stop(const struct cpu *cpu) { (void)cpu, processor_stops++; }
void processor_give_up(const struct cpu *cpu) { (void)cpu, processors_given_up++; }
