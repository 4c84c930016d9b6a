/* Calls: what both sides do. Every store here is to a line that one side writes alone (struct call), and x86
 * keeps the order of stores, so that the number of the call comes last. */
#include "kernel/hw.h"
#include "kernel/processor_block.h"
#include "kernel/vectors.h"
#include <stddef.h>

static struct processor *block(const struct cpu *cpu)
{
    return (struct processor *)((uintptr_t)cpu - offsetof(struct processor, cpu));
}

/* ---- the boot processor's side ---- */

static const struct apic *booted(const struct cpu *cpu) { return &cpu->machine->cpu[0]->apic; }

void processor_begin(const struct cpu *cpu, processor_fn *fn, void *arg)
{
    struct processor *p = block(cpu);
    struct call *c = &p->percpu.call;
    c->fn = fn;
    c->arg = arg;
    c->asked = c->asked + 1;
    if (p->rest == REST_HLT) apic_ipi(booted(cpu), cpu->apic.id, IPI_FIXED | VECTOR_WAKE);
}

bool processor_busy(const struct cpu *cpu)
{
    const struct call *c = &block(cpu)->percpu.call;
    return c->ended != c->asked;
}

enum processor_end processor_end(const struct cpu *cpu, uint64_t ticks)
{
    const struct call *c = &block(cpu)->percpu.call;
    const uint32_t asked = c->asked;
    const uint64_t from = ticks ? hw_rdtsc() : 0;
    while (c->ended != asked) {
        if (ticks && hw_rdtsc() - from > ticks) return PROCESSOR_LOST;
        hw_pause();
    }
    return (enum processor_end)c->how;
}

enum processor_end processor_call(const struct cpu *cpu, processor_fn *fn, void *arg)
{
    if (cpu->index == 0) {
        fn(arg);
        return PROCESSOR_RETURNED;
    }
    processor_begin(cpu, fn, arg);
    return processor_end(cpu, 0);
}

const struct trap *processor_trap(const struct cpu *cpu) { return &block(cpu)->percpu.trap; }

void processor_stop(const struct cpu *cpu)
{
    struct call *c = &block(cpu)->percpu.call;
    c->stop = c->asked;
    apic_ipi(booted(cpu), cpu->apic.id, IPI_NMI);
}

/* ---- the other side ---- */

/* A call may come between the comparison and HLT: its IPI is then taken behind HLT, since STI takes effect
 * after the next instruction, and ends it at once. */
static void rest_in_hlt(const struct call *c)
{
    while (c->asked == c->ended) __asm__ volatile("sti\n\thlt\n\tcli" ::: "memory");
}

static void rest_spinning(const struct call *c)
{
    while (c->asked == c->ended) hw_pause();
}

/* A store to the line between MONITOR and MWAIT makes MWAIT return at once (SDM vol. 2B, MWAIT). Hint 0: C1.
 */
__attribute__((noinline, section(".text.isa.mwait"))) static void rest_in_mwait(const struct call *c)
{
    while (c->asked == c->ended) {
        __asm__ volatile("monitor" ::"a"(&c->asked), "c"(0), "d"(0));
        if (c->asked != c->ended) break;
        __asm__ volatile("mwait" ::"a"(0), "c"(0));
    }
}

static void rest(const struct processor *p)
{
    static void (*const how[])(const struct call *) = {
        [REST_HLT] = rest_in_hlt, [REST_MWAIT] = rest_in_mwait, [REST_SPIN] = rest_spinning};
    how[p->rest](&p->percpu.call);
}

/* Out of processor_serve(), whose variables setjmp() would put at risk. */
static __attribute__((noinline)) enum processor_end execute(struct processor *p)
{
    struct call *c = &p->percpu.call;
    struct trap_guard g;
    if (trap_guard_arm(&g) == 0) {
        c->fn(c->arg);
        trap_guard_disarm(&g);
        return PROCESSOR_RETURNED;
    }
    trap_interrupts(NULL, NULL);
    p->percpu.trap = g.trap;
    return g.trap.vector == VECTOR_NMI && c->stop == c->asked ? PROCESSOR_STOPPED : PROCESSOR_TRAPPED;
}

void processor_serve(struct processor *p)
{
    struct call *c = &p->percpu.call;
    for (;;) {
        rest(p);
        c->how = execute(p);
        c->ended = c->ended + 1;
    }
}
