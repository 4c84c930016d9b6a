/* A hidden experiment that tests calls of other processors (kernel/processors.h). */
#include "anechoic/experiment.h"
#include "kernel/mtrr.h"
#include "kernel/pat.h"
#include "kernel/percpu.h"
#include "kernel/processors.h"
#include "kernel/user.h"
#include "kernel/x86.h"
#include "measure/lab.h"

enum { WHAT, N };

static const struct machine *machine(struct lab *lab) { return lab_work(lab)->cpu->machine; }

static void value(struct lab *lab, const char *name, double v)
{
    lab_value(lab, &(struct lab_quantity){name, "", v, LAB_KNOWN, LAB_COUNTED}, NULL);
}

/* What a processor is, as it finds itself. */
struct seen {
    volatile unsigned index, apic_id, calls, differ;
    volatile uintptr_t cr0, cr3, cr4;
    volatile uint64_t pat;
    uint64_t de_cfg;
    struct mtrr_state mtrrs;
    const struct cpu *cpu;
};

static void look(void *arg)
{
    struct seen *s = arg;
    s->index = this_cpu()->index;
    s->apic_id = hw_cpuid(1, 0).ebx >> 24;
    s->cr0 = READ_CR(0);
    s->cr3 = READ_CR(3);
    s->cr4 = READ_CR(4);
    s->pat = pat_read(&s->cpu->id);
    s->differ = mtrr_differ(&s->cpu->id, &s->mtrrs);
    s->de_cfg = 0;
    if (cpu_is_amd(&s->cpu->id)) rdmsr_safe(MSR_DE_CFG, &s->de_cfg);
    s->calls++;
}

static struct seen *see(struct lab *lab, const struct cpu *cpu)
{
    struct seen *s = lab_alloc(lab, sizeof *s, 64);
    s->cpu = cpu;
    mtrr_save(&cpu->id, &s->mtrrs);
    processor_call(cpu, look, s);
    return s;
}

/* Each is itself, and set up as the one that booted. */
static void same(struct lab *lab)
{
    const struct machine *m = machine(lab);
    const struct seen *booted = see(lab, m->cpu[0]);
    unsigned right = 0, alike = 0, known = 0;
    for (unsigned i = 0; i < m->cpus; i++) {
        const struct cpu *cpu = m->cpu[i];
        const struct seen *s = see(lab, cpu);
        right += s->index == i && cpu->index == i && s->apic_id == (cpu->apic.id & 0xff);
        alike += s->cr0 == booted->cr0 && s->cr3 == booted->cr3 && s->cr4 == booted->cr4 &&
                 s->pat == booted->pat && s->differ == 0 && s->de_cfg == booted->de_cfg;
        known += cpu->id.signature == m->cpu[0]->id.signature && cpu->pmu->ops == m->cpu[0]->pmu->ops &&
                 cpu->caches.n == m->cpu[0]->caches.n && *cpu->strays == 0;
    }
    value(lab, "themselves", right);
    value(lab, "alike", alike);
    value(lab, "known", known);
}

static void add(void *arg) { ++*(volatile uint64_t *)arg; }

/* So many calls of each, one after the other, and then of all at once. */
static void calls(struct lab *lab)
{
    const struct machine *m = machine(lab);
    const unsigned n = (unsigned)lab->param[N];
    unsigned busy = 0;
    uint64_t sum = 0;
    uint64_t *count = lab_alloc(lab, sizeof *count * 16 * m->cpus, 128);
    for (unsigned i = 0; i < m->cpus; i++)
        for (unsigned k = 0; k < n; k++) processor_call(m->cpu[i], add, &count[16 * (size_t)i]);
    for (unsigned k = 0; k < n; k++) {
        for (unsigned i = 1; i < m->cpus; i++) processor_begin(m->cpu[i], add, &count[16 * (size_t)i]);
        for (unsigned i = 1; i < m->cpus; i++) processor_end(m->cpu[i], 0);
    }
    for (unsigned i = 0; i < m->cpus; i++) {
        sum += count[16 * (size_t)i];
        busy += i && processor_busy(m->cpu[i]);
    }
    value(lab, "calls", (double)sum);
    value(lab, "busy", busy);
}

LAB_CODE static void forever(void *arg)
{
    *(volatile uint32_t *)arg = 1;
    __asm__ volatile("1:\tjmp 1b");
}
LAB_CODE static void forever_enabled(void *arg)
{
    *(volatile uint32_t *)arg = 1;
    __asm__ volatile("1:\trep; nop\n\tjmp 1b");
}
static void invalid(void *arg)
{
    (void)arg;
    __asm__ volatile(".byte 0xf0, 0x90"); /* LOCK NOP */
}
static void overflow(void *arg)
{
    (void)arg;
#ifdef __x86_64__
    __asm__ volatile("1: pushq %%rax\n\tjmp 1b" ::: "memory");
#else
    __asm__ volatile("1: pushl %%eax\n\tjmp 1b" ::: "memory");
#endif
}
static void machine_check(void *arg)
{
    /* QEMU takes it, and then no guard catches INT 18. A CPU may refuse or ignore it, as Bochs does: INT 18
     * would be the code's own. */
    uint64_t status = 0;
    bool *const taken = arg;
    *taken = wrmsr_safe(MSR_MCG_STATUS, MCG_STATUS_MCIP) && rdmsr_safe(MSR_MCG_STATUS, &status) &&
             status & MCG_STATUS_MCIP;
    if (*taken) __asm__ volatile("int $18");
}

struct at_cpl3 {
    void *stack;
    payload_fn *fn;
    void *arg;
};
static void go_to_cpl3(void *arg)
{
    const struct at_cpl3 *c = arg;
    user_call(c->stack, (user_fn *)(void *)c->fn, c->arg, NULL, NULL);
}
static void with_interrupts(void *arg)
{
    __asm__ volatile("sti");
    forever_enabled(arg);
}

/* The last processor never returns: it is ended at once, and then again executes what it is told to. */
static void stop(struct lab *lab)
{
    const struct machine *m = machine(lab);
    const struct cpu *last = m->cpu[m->cpus - 1];
    volatile uint32_t *begun = lab_alloc(lab, 64, 64);
    struct at_cpl3 *user = lab_alloc(lab, sizeof *user, 64);
    *user = (struct at_cpl3){lab->stack3, forever, (void *)begun};
    processor_fn *const fn[] = {forever, with_interrupts, go_to_cpl3};
    unsigned stopped = 0, lost = 0, inside = 0, again = 0;
    for (unsigned round = 0; round < (unsigned)lab->param[N]; round++)
        for (unsigned i = 0; i < sizeof fn / sizeof *fn; i++) {
            *begun = 0;
            processor_begin(last, fn[i], fn[i] == go_to_cpl3 ? (void *)user : (void *)begun);
            while (!*begun) __asm__ volatile("rep; nop");
            lost += processor_end(last, 1000) == PROCESSOR_LOST;
            processor_stop(last);
            stopped += processor_end(last, 0) == PROCESSOR_STOPPED;
            const struct trap *t = processor_trap(last);
            const uintptr_t code = fn[i] == with_interrupts ? (uintptr_t)forever_enabled : (uintptr_t)forever;
            inside +=
                t->ip - code < 64 && t->cpu == last->index && (t->cs & 3) == (fn[i] == go_to_cpl3 ? 3 : 0);
            again += see(lab, last)->calls;
        }
    processor_stop(last); /* at rest: a stray, and nothing else */
    while (*last->strays == 0) __asm__ volatile("rep; nop");
    value(lab, "lost", lost);
    value(lab, "stopped", stopped);
    value(lab, "inside", inside);
    value(lab, "again", again);
    value(lab, "strays", *last->strays);
}

/* Traps on each of the others; they go on. */
static void traps(struct lab *lab)
{
    const struct machine *m = machine(lab);
    unsigned undefined = 0, overflowed = 0, again = 0;
    for (unsigned i = 1; i < m->cpus; i++) {
        const struct cpu *cpu = m->cpu[i];
        undefined += processor_call(cpu, invalid, NULL) == PROCESSOR_TRAPPED &&
                     processor_trap(cpu)->vector == 6 && processor_trap(cpu)->cpu == i;
        overflowed +=
            processor_call(cpu, overflow, NULL) == PROCESSOR_TRAPPED && processor_trap(cpu)->vector == 8;
        again += see(lab, cpu)->calls;
    }
    value(lab, "#UD", undefined);
    value(lab, "#DF", overflowed);
    value(lab, "again", again);
}

static void panic(struct lab *lab)
{
    const struct machine *m = machine(lab);
    bool *const taken = lab_alloc(lab, sizeof *taken, 1);
    processor_call(m->cpu[m->cpus - 1], machine_check, taken);
    if (!*taken) lab_fail(lab, "skipped: this CPU does not let software set MCIP in MCG_STATUS");
}

static void (*const tests[])(struct lab *lab) = {same, calls, stop, traps, panic};

static void run(struct lab *lab)
{
    if (machine(lab)->cpus < 2) lab_fail(lab, "it takes two processors: cpus=2");
    tests[lab->param[WHAT]](lab);
}

EXPERIMENT(test_processors) = {
    .program = {.name = "test_processors", .desc = "tests calls of other processors"},
    .experiment = run,
    .op = "test",
    .cost = "",
    .hidden = true,
    BENCH_PARAM_LIST([WHAT] = {"what", "", "which test", 0, sizeof tests / sizeof *tests - 1, 1, 0, true},
                     [N] = {"n", "", "how often", 1, 100000, 1, 10, false}),
};
