/* Calls: what both sides do. Every store here is to a line that one side writes alone (struct call), and x86
 * keeps the order of stores, so that the number of the call comes last. */
#include "kernel/ap_sequence.h"
#include "kernel/hw.h"
#include "kernel/processor_block.h"
#include "kernel/vectors.h"
#include <stddef.h>

#define WAKE_S         1  /* in which a processor begins what it is called with; then it gets an NMI */
#define WAKES_MOST     9  /* such NMIs */
#define CALL_S         20 /* in which processor_call() returns; then it ends the call by an NMI, ... */
#define STOP_S         1  /* ... which takes so long at most */
#define TSC_HZ_UNKNOWN 1000000000

static struct processor *block(const struct cpu *cpu)
{
    return (struct processor *)((uintptr_t)cpu - offsetof(struct processor, cpu));
}

/* ---- the boot processor's side ---- */

static const struct apic *booted(const struct cpu *cpu) { return &cpu->machine->cpu[0]->apic; }

static uint64_t seconds(const struct cpu *cpu, unsigned n)
{
    const uint64_t hz = cpu->machine->clock.tsc_hz;
    return n * (hz ? hz : TSC_HZ_UNKNOWN);
}

void processor_begin(const struct cpu *cpu, processor_fn *fn, void *arg)
{
    struct processor *p = block(cpu);
    struct call *c = &p->percpu.call;
    if (p->lost) return;
    p->called_at = hw_rdtsc();
    p->wakes = 0;
    c->fn = fn;
    c->arg = arg;
    c->asked = c->asked + 1;
    if (p->rest == REST_HLT) apic_ipi(booted(cpu), cpu->apic.id, IPI_FIXED | VECTOR_WAKE);
}

void processor_give_up(const struct cpu *cpu)
{
    block(cpu)->lost = true;
    ap_stop(booted(cpu), cpu->apic.id);
}

/* An NMI to one that has not begun, a second or more after the last: it ends HLT and MWAIT, whatever these
 * missed. */
static void wake(struct processor *p)
{
    struct call *c = &p->percpu.call;
    if (p->lost || c->begun == c->asked || hw_rdtsc() - p->called_at < seconds(&p->cpu, WAKE_S)) return;
    p->called_at = hw_rdtsc();
    if (p->wakes++ == WAKES_MOST) {
        processor_give_up(&p->cpu);
        return;
    }
    if (p->rest == REST_MWAIT) {
        p->rest = REST_HLT;
        p->cpu.wakes_missed++;
    }
    apic_ipi(booted(&p->cpu), p->cpu.apic.id, IPI_NMI);
}

bool processor_busy(const struct cpu *cpu)
{
    struct processor *p = block(cpu);
    const struct call *c = &p->percpu.call;
    if (c->ended == c->asked) return false;
    wake(p);
    return !p->lost;
}

enum processor_end processor_end(const struct cpu *cpu, uint64_t ticks)
{
    const struct processor *p = block(cpu);
    const uint64_t from = ticks ? hw_rdtsc() : 0;
    while (processor_busy(cpu)) {
        if (ticks && hw_rdtsc() - from > ticks) return PROCESSOR_LOST;
        hw_pause();
    }
    return p->lost ? PROCESSOR_LOST : (enum processor_end)p->percpu.call.how;
}

enum processor_end processor_call(const struct cpu *cpu, processor_fn *fn, void *arg)
{
    if (cpu->index == 0) {
        fn(arg);
        return PROCESSOR_RETURNED;
    }
    processor_begin(cpu, fn, arg);
    enum processor_end end = processor_end(cpu, seconds(cpu, CALL_S));
    if (end != PROCESSOR_LOST || block(cpu)->lost) return end;
    processor_stop(cpu);
    end = processor_end(cpu, seconds(cpu, STOP_S));
    if (end == PROCESSOR_LOST) processor_give_up(cpu);
    return end;
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
        if (c->stop == c->asked) { /* its NMI has come, or comes now */
            trap_guard_disarm(&g);
            p->percpu.trap = (struct trap){.vector = VECTOR_NMI, .cpu = p->percpu.index};
            return PROCESSOR_STOPPED;
        }
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
        c->begun = c->asked;
        c->how = execute(p);
        c->ended = c->ended + 1;
    }
}
