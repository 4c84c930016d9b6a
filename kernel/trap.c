/* The part of trap handling that runs in the handler: general registers only, no C library. */
#include "kernel/trap.h"
#include "kernel/apic.h"
#include "kernel/fpu.h"
#include "kernel/percpu.h"
#include "kernel/pic.h"
#include "kernel/selectors.h"
#include "kernel/timer.h"
#include "kernel/user.h"
#include "kernel/x86.h"
#include <stddef.h>

void (*trap_panic)(const struct trap *t);
void (*trap_panic_again)(void);

#define FLAGS_IF    0x200
#define FLAGS_PLAIN 2 /* IF clear, IOPL 0; bit 1 always reads 1 */

/* Faulting instruction -> where to continue (kernel/msr.S). */
struct extable {
    uint32_t fault, fixup;
};
extern const struct extable extable_start[], extable_end[];

/* The CPU's block, in a handler. GS cannot be used: it is not the kernel's if an NMI, which cannot be
 * blocked, interrupts an entry from ring 3 before its SWAPGS, or an exit between SWAPGS and IRETQ (Linux'
 * paranoid_entry looks at GS itself for that). The GDT is the CPU's own and lies in its block. */
static struct percpu *handling_cpu(void)
{
    struct gdtr gdtr;
    __asm__ volatile("sgdt %0" : "=m"(gdtr));
    return (struct percpu *)(gdtr.base - offsetof(struct percpu, gdt));
}

/* A task switch (every i586 double fault) sets CR0.TS, and printing needs the FPU. A panic inside a panic
 * prints nothing more. */
static void run_panic(void *t)
{
    static unsigned depth;
    WRITE_CR(0, READ_CR(0) & ~(uintptr_t)(CR0_EM | CR0_TS));
    __asm__ volatile("fninit");
    if (depth++ == 0)
        trap_panic(t);
    else
        trap_panic_again();
    for (;;) __asm__ volatile("cli; hlt");
}

/* A processor that was started has no console: the one that booted gets its panic, by an NMI. */
static struct percpu *volatile panicked;

static __attribute__((noreturn)) void hand_over(struct percpu *cpu)
{
    panicked = cpu;
    apic_ipi(cpu->apic, cpu->boot_id, IPI_NMI);
    for (;;) __asm__ volatile("cli; hlt");
}

/* A machine check is never the payload's fault; its INT 18 is. The MSR is there where CPUID says so (SDM vol.
 * 3B 15.3.1.2); on a CPU without, each is taken for one. */
static bool is_machine_check(const struct trap *t)
{
    uint64_t status;
    if (t->vector != VECTOR_MC) return false;
    if (!(hw_cpuid(1, 0).edx & CPUID_1_EDX_MCA) || !rdmsr_safe(MSR_MCG_STATUS, &status)) return true;
    return status & MCG_STATUS_MCIP;
}

/* Hand the trap to the innermost guard, or panic on a fresh stack. */
static __attribute__((noreturn)) void deliver(const struct trap *t)
{
    struct percpu *cpu = handling_cpu();
    struct trap_guard *g = cpu->guard;
#ifdef __x86_64__
    wrmsr(MSR_GS_BASE, (uintptr_t)cpu); /* in any case: nothing returns to the interrupted code */
#endif
    timer_stop();
    if (g && !is_machine_check(t)) {
        cpu->guard = g->outer;
        g->trap = *t;
        longjmp(g->resume, 1); /* newlib's: a handful of moves, no library state */
    }
    cpu->trap = *t;
    if (cpu->index) hand_over(cpu);
    stack_switch(cpu->stack.main, run_panic, &cpu->trap);
}

/* INT n at ring 0 enters an exception's stub, but pushes no error code (SDM vol. 2A, INT n): where the stub
 * expects one there is the address, and the selector of the code follows. */
static bool lacks_error(const struct trap_frame *f)
{
    const uint16_t cs = (uint16_t)f->cs; /* above, a selector that was pushed is undefined on some CPUs */
    return (uint16_t)f->ip == SEL_CODE && cs != SEL_CODE && cs != SEL_USER_CODE;
}

/* The stack pointer of that code: of 64 bits it was pushed, of 32 the frame is a word shorter. */
static uintptr_t shifted_sp(const struct trap_frame *f)
{
#ifdef __x86_64__
    return f->flags;
#else
    return (uintptr_t)&f->flags;
#endif
}

static void describe(const struct trap_frame *f, struct trap *t)
{
    const bool shifted = lacks_error(f);
    t->vector = f->vector;
    t->cpu = handling_cpu()->index;
    t->error = shifted ? 0 : f->error;
    t->ip = shifted ? f->error : f->ip;
    t->cs = shifted ? SEL_CODE : (uint16_t)f->cs;
    t->flags = shifted ? f->cs : f->flags;
    t->cr2 = READ_CR(2);
    t->sp = shifted ? shifted_sp(f) : trap_frame_sp(f);
    for (unsigned i = 0; i < TRAP_REGS; i++) t->reg[i] = f->reg[TRAP_FRAME_REG(i)];
    t->reg[4] = t->sp;
    t->cr0 = t->cr4 = t->xcr0 = t->efer = 0;
}

/* The control registers that may be why an instruction is not allowed. Code may have changed them, and its
 * guard restores them before anybody asks. */
static void describe_controls(struct trap *t)
{
    if (t->vector != VECTOR_UD && t->vector != VECTOR_NM && t->vector != VECTOR_GP) return;
    t->cr0 = READ_CR(0);
    t->cr4 = READ_CR(4);
    if (t->cr4 & CR4_OSXSAVE) t->xcr0 = fpu_xcr0();
    rdmsr_safe(MSR_EFER, &t->efer);
}

static void deliver_ended(void) { deliver(&handling_cpu()->ended); }

static void deliver_panic(void)
{
    struct percpu *cpu = handling_cpu();
#ifdef __x86_64__
    wrmsr(MSR_GS_BASE, (uintptr_t)cpu);
#endif
    stack_switch(cpu->stack.main, run_panic, &panicked->trap);
}

/* The interrupted code does not go on, but this does. */
static void divert(struct percpu *cpu, struct trap_frame *f, void (*to)(void))
{
    f->ip = (uintptr_t)to;
    f->cs = SEL_CODE;
    f->flags = FLAGS_PLAIN;
#ifdef __x86_64__
    /* This stack is idle: the kernel was not entered from ring 3. */
    f->sp = (uintptr_t)(cpu->stack.trap - sizeof(uintptr_t));
    f->ss = SEL_DATA;
#else
    (void)cpu;
    f->ds = f->es = f->fs = SEL_DATA; /* the stack stays what it was: it has had room for this frame */
    f->gs = SEL_CPU;
#endif
}

bool trap_end(struct trap_frame *f)
{
    struct percpu *cpu = handling_cpu();
    if (!cpu->guard) return false;
    describe(f, &cpu->ended);
    cpu->ended.vector = VECTOR_NMI;
    cpu->ended.error = 0;
    divert(cpu, f, deliver_ended);
    return true;
}

/* Is this in the kernel's own code, payloads included? User code lies in the pool. */
static bool is_own(uintptr_t ip)
{
    return ip - (uintptr_t)user_text_start < (uintptr_t)kernel_text_end - (uintptr_t)user_text_start;
}

/* INT n becomes #GP at the INT, as if its gate had refused it. */
static void refuse_call(struct trap_frame *f)
{
    f->error = ERROR_OF_GATE(f->vector);
    f->vector = VECTOR_GP;
    f->ip -= INT_BYTES;
}

/* At CPL 0 no gate refuses INT n. Its two bytes have just been fetched, so they can be read. */
bool trap_refuse(struct trap_frame *f)
{
    struct percpu *cpu = handling_cpu();
    const uint8_t *code = (const uint8_t *)(f->ip - INT_BYTES);
    if (!cpu->guard || (uint16_t)f->cs != SEL_CODE || is_own(f->ip)) return false;
    if (code[0] != INT_N || code[1] != f->vector) return false;
    refuse_call(f);
    describe(f, &cpu->ended);
    describe_controls(&cpu->ended);
    divert(cpu, f, deliver_ended);
    return true;
}

/* The interrupted code's EAX holds the number of interrupts still to come: start the next one, or stop. */
static void timer_trap(struct trap_frame *f)
{
    uintptr_t *left = (uintptr_t *)&f->reg[TRAP_FRAME_REG(0)];
    if (f->vector == VECTOR_TIMER && *left) --*left;
    f->flags &= ~(uintptr_t)FLAGS_IF;
    if (*left) {
        timer_shoot();
        f->flags |= FLAGS_IF;
    } else
        timer_stop();
}

/* Has processor_stop() asked this call to end? An NMI that comes later than its call is a stray. */
static bool is_stop(const struct call *c) { return c->asked != c->ended && c->stop == c->asked; }

/* An NMI of the boot processor that ends a rest in which the call was missed. */
static bool is_wake(const struct call *c) { return c->begun != c->asked; }

/* Was this interrupt in service? It is acknowledged. One that stayed in service would block its class and all
 * below for good; a spurious one, and INT n, is not in service and takes no EOI (SDM vol. 3A 10.8.4, 10.9;
 * Linux' spurious_interrupt() does the same). */
static bool acknowledge(const struct percpu *cpu, uint32_t vector)
{
    if (vector < VECTORS_CPU) return false; /* NMI */
    return apic_acknowledge(cpu->apic, vector) ||
           (vector - VECTOR_PIC < 16 && pic_acknowledge(vector - VECTOR_PIC));
}

/* Unused interrupts are masked at their source, so these are INT n of the measured code, which ends there, or
 * spurious, or cannot be masked, or were left by the firmware. These are counted, and the run continues; a
 * change of the count flags a repetition. */
void trap_stray(const struct trap_frame *f)
{
    struct percpu *cpu = handling_cpu();
    if (f->vector == VECTOR_NMI && panicked && !cpu->index) {
        divert(cpu, (struct trap_frame *)f, deliver_panic);
        return;
    }
    if (f->vector == VECTOR_NMI && is_stop(&cpu->call) && trap_end((struct trap_frame *)f)) return;
    if (f->vector == VECTOR_NMI && is_wake(&cpu->call)) return;
    if (!acknowledge(cpu, f->vector) && trap_refuse((struct trap_frame *)f)) return;
    cpu->strays++;
    cpu->stray = f->vector;
    if (f->vector < VECTORS_CPU) return; /* NMI */
    if (apic_draining(cpu->apic)) ((struct trap_frame *)f)->flags &= ~(uintptr_t)FLAGS_IF;
}

/* In service, and acknowledged: neither the firmware's nor an INT of code at CPL 0. */
static bool is_own_interrupt(uint32_t vector)
{
    const struct apic *a = handling_cpu()->apic;
    return !apic_draining(a) && apic_acknowledge(a, vector);
}

/* The IPI has ended HLT, which is all that it is for. */
void trap_wake(const struct trap_frame *f);
void trap_wake(const struct trap_frame *f)
{
    if (!is_own_interrupt(VECTOR_WAKE)) trap_stray(f);
}

void trap_disturbed(void) { handling_cpu()->strays++; }

static INTERRUPT_FN void nobody(void *to, const struct trap_frame *f)
{
    (void)to;
    trap_stray(f);
}

/* An NMI may come between any two of these stores, so nobody() is the handler meanwhile: it ignores its
 * argument. */
void trap_interrupts(interrupt_fn *fn, void *to)
{
    struct percpu volatile *cpu = this_cpu();
    cpu->interrupt = nobody;
    cpu->interrupt_to = to;
    if (fn) cpu->interrupt = fn;
    cpu->user_flags = FLAGS_PLAIN | (fn ? FLAGS_IF : 0);
}

/* RDMSR in the call gate refused ECX: the fault is the caller's, who far-called with it. */
#ifdef __x86_64__
static void blame_caller(struct trap *t, const struct trap_frame *f) { (void)t, (void)f; }
#else
#define LCALL_BYTES 7 /* 9A, offset, selector */
extern const char gate_rdmsr[]; /* kernel/user.S */
static void blame_caller(struct trap *t, const struct trap_frame *f)
{
    const uint32_t *far = (const uint32_t *)(f + 1); /* EIP, CS, and from CPL 3 ESP, SS */
    if (f->ip != (uintptr_t)gate_rdmsr) return;
    t->ip = far[0];
    t->cs = (uint16_t)far[1];
    t->sp = t->reg[4] = far[1] & 3 ? far[2] : (uintptr_t)(far + 2);
    /* Its last byte has been executed, so that page can be read; the one before perhaps not. */
    if (far[0] % PAGE_SIZE >= LCALL_BYTES && *(const uint8_t *)(far[0] - LCALL_BYTES) == 0x9a)
        t->ip -= LCALL_BYTES;
}
#endif

static void timer_interrupt(struct trap_frame *f)
{
    if (is_own_interrupt(VECTOR_TIMER))
        timer_trap(f);
    else
        trap_stray(f);
}

/* Called by vectors.S for exceptions but NMI, and for the timer. Returning resumes the interrupted code. */
void trap_dispatch(struct trap_frame *f);
void trap_dispatch(struct trap_frame *f)
{
    if (f->vector == VECTOR_TIMER_CALL && !is_own(f->ip)) refuse_call(f);
    if (f->vector == VECTOR_TIMER || f->vector == VECTOR_TIMER_CALL) {
        f->vector == VECTOR_TIMER ? timer_interrupt(f) : timer_trap(f);
        return;
    }
    for (const struct extable *e = extable_start; e < extable_end; e++)
        if (e->fault == f->ip && (f->vector == VECTOR_GP || f->vector == VECTOR_UD)) {
            f->ip = e->fixup;
            return;
        }
    struct trap t;
    describe(f, &t);
    blame_caller(&t, f);
    describe_controls(&t);
    deliver(&t);
}

#ifndef __x86_64__
/* Runs in the interrupted task again, on the top of its main stack. */
static void after_double_fault(void) { deliver(&this_cpu()->trap); }

/* Called in the double-fault task: the interrupted task's registers are in its TSS. */
void trap_double_fault(void);
void trap_double_fault(void)
{
    struct tss32 *s = &this_cpu()->tss;
    struct trap *t = &this_cpu()->trap;
    const uint32_t regs[TRAP_REGS] = {s->eax, s->ecx, s->edx, s->ebx, s->esp, s->ebp, s->esi, s->edi};
    for (unsigned i = 0; i < TRAP_REGS; i++) t->reg[i] = regs[i];
    t->vector = 8;
    t->cpu = this_cpu()->index;
    t->error = 0;
    t->ip = s->eip;
    t->sp = s->esp;
    t->cs = (uint16_t)s->cs;
    t->flags = s->eflags;
    t->cr2 = READ_CR(2);
    /* A guard's frame may lie at the top of the main stack: deliver from the NMI's stack, which is idle. */
    s->eip = (uintptr_t)after_double_fault;
    s->esp = (uintptr_t)(this_cpu()->stack.nmi - 16);
    s->eflags = 2;
}
#endif

/* ---- guards ---- */

void trap_raise(uint32_t vector) { deliver(&(struct trap){.vector = vector, .cpu = handling_cpu()->index}); }

void trap_raise_no_count(const char *of, uint64_t count, uint64_t mask)
{
    deliver(&(struct trap){.vector = TRAP_NO_COUNT,
                           .cpu = handling_cpu()->index,
                           .error = count,
                           .cr2 = mask,
                           .ip = (uintptr_t)of});
}

void trap_guard_push(struct trap_guard *g)
{
    struct percpu *cpu = this_cpu();
    g->outer = cpu->guard;
    cpu->guard = g;
}

void trap_guard_disarm(struct trap_guard *g) { this_cpu()->guard = g->outer; }
