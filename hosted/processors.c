/* The processors of a Linux process: threads, each on one of Linux' CPUs that the process may use. Calls,
 * guards and stops are kernel/processors.c's; an NMI is a signal. A CPU's number in Linux stands for its APIC
 * ID. */
#include <asm/signal.h>
#include <linux/sched.h>
/* These first: newlib has signals of its own. */
#include "hosted/hosted.h"
#include "hosted/linux.h"
#include "kernel/ap_sequence.h"
#include "kernel/hw.h"
#include "kernel/madt.h"
#include <string.h>

#define START_S      2
#define THREAD_FLAGS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

uint64_t hosted_usable[HOSTED_CPUS / 64];
static struct hosted_block *booted;
static long thread[PROCESSORS_MAX]; /* by Linux' number of its CPU */

bool hosted_pin(unsigned cpu)
{
    uint64_t set[HOSTED_CPUS / 64] = {0};
    set[cpu / 64] = 1ull << cpu % 64;
    return !sys_failed(sys_call(__NR_sched_setaffinity, 0L, sizeof set, set));
}

/* ---- this thread ---- */

bool hosted_in_handler(void)
{
    return (uintptr_t)__builtin_frame_address(0) - (uintptr_t)booted->signals < HOSTED_SIGNALS;
}

static void lay_out_block(struct hosted_block *b, unsigned index)
{
    struct percpu *cpu = &b->processor.percpu;
    cpu->self = cpu;
    cpu->index = index;
    cpu->stack.main = b->main + sizeof b->main;
    cpu->stack.trap = b->signals + sizeof b->signals;
    hosted_forbid(b->guard, sizeof b->guard);
    hosted_forbid(b->signals_guard, sizeof b->signals_guard);
}

void hosted_join(struct hosted_block *b)
{
    const stack_t signals = {.ss_sp = b->signals, .ss_size = sizeof b->signals};
    sys_set_gs(&b->processor.percpu);
    sys_call(__NR_sigaltstack, &signals, 0L);
    hosted_watch_preemption(b->processor.percpu.index);
    hosted_watch_calls(&b->processor.percpu);
}

static struct hosted_block *new_block(unsigned index)
{
    uint8_t *const at = hosted_map(2 * HOSTED_BLOCK);
    if (!at) return NULL;
    struct hosted_block *b =
        (struct hosted_block *)(((uintptr_t)at + HOSTED_BLOCK - 1) & -(uintptr_t)HOSTED_BLOCK);
    lay_out_block(b, index);
    return b;
}

/* The block is mapped by a system call, which needs one. */
void hosted_begin(void)
{
    static struct {
        uint8_t gate[-GATE_AT];
        struct percpu percpu;
    } first;
    sys_set_gs(&first.percpu);
    booted = new_block(0);
    if (!booted) hosted_die(NO_MEMORY, NULL);
    sys_set_gs(&booted->processor.percpu);
}

void percpu_boot(void) { hosted_join(booted); }

/* ---- the others ---- */

static void (*identify_with)(struct cpu *cpu);

static void identify(void *cpu) { identify_with(cpu); }

static void join(void *of)
{
    struct hosted_block *b = of;
    struct processor *p = &b->processor;
    const unsigned cpu = p->cpu.apic.id;
    hosted_join(b);
    thread[cpu] = sys_call(__NR_gettid);
    if (!hosted_pin(cpu)) {
        p->state = PROCESSOR_SILENT;
        for (;;) sys_call(__NR_exit, 0L);
    }
    cpu_identify(&p->cpu.id);
    p->state = PROCESSOR_UP;
    processor_serve(p);
}

static struct hosted_block *lay_out(struct machine *m, unsigned cpu)
{
    struct hosted_block *b = new_block(m->cpus);
    if (!b) return NULL;
    struct processor *p = &b->processor;
    p->cpu.index = m->cpus;
    p->cpu.machine = m;
    p->cpu.pmu = (struct pmu *)p->pmu;
    p->cpu.strays = &p->percpu.strays;
    p->cpu.cancelled = m->cpu[0]->cancelled;
    p->cpu.apic.id = cpu;
    p->rest = REST_SPIN;
    stacks_give(m, &p->cpu, NULL, m->stacks.bytes);
    return b;
}

static enum processor_state start(const struct machine *m, struct hosted_block *b)
{
    const uint64_t from = hw_rdtsc();
    volatile enum processor_state *state = &b->processor.state;
    if (sys_failed(sys_thread(THREAD_FLAGS, b->processor.cpu.stack.top, join, b))) return PROCESSOR_SILENT;
    while (*state == PROCESSOR_LISTED && hw_rdtsc() - from < START_S * m->clock.tsc_hz) hw_pause();
    return *state == PROCESSOR_UP ? PROCESSOR_UP : PROCESSOR_SILENT;
}

void processors_start(struct machine *m, unsigned most, enum rest rest, void (*fn)(struct cpu *cpu))
{
    const uint64_t from = hw_rdtsc();
    struct processors_found *f = &m->found;
    (void)rest;
    m->rest = REST_SPIN;
    identify_with = fn;
    for (unsigned i = 0; i < f->n; i++)
        if (f->p[i].apic_id == m->cpu[0]->apic.id) f->p[i].state = PROCESSOR_BOOT;
    for (unsigned i = 0; i < f->n && m->cpus < most; i++) {
        if (f->p[i].state != PROCESSOR_LISTED) continue;
        struct hosted_block *b = lay_out(m, f->p[i].apic_id);
        f->p[i].state = b ? start(m, b) : PROCESSOR_NO_MEMORY;
        if (f->p[i].state != PROCESSOR_UP) continue;
        m->cpu[m->cpus++] = &b->processor.cpu;
        processor_call(&b->processor.cpu, identify, &b->processor.cpu);
    }
    m->start_ticks = hw_rdtsc() - from;
}

/* ---- interrupts between them ---- */

bool apic_ipi(const struct apic *a, uint32_t id, uint32_t command)
{
    (void)a;
    return command != IPI_NMI ||
           !sys_failed(sys_call(__NR_tgkill, sys_call(__NR_getpid), thread[id], (long)HOSTED_END));
}

/* A thread that does not answer a signal is Linux' to end, with the process. */
void ap_stop(const struct apic *a, uint32_t id) { (void)a, (void)id; }
