/* Traps of a Linux process. What the CPU tells Linux comes as a signal, with the vector and the error code
 * that a handler of one's own would have got (Linux, arch/x86/kernel/signal.c: trapno, err, cr2).
 *
 * Handlers run on a stack of their own, with GS as the interrupted code left it. As on the bare machine they
 * call no library, and what ends is told to the guard by ordinary code, after the handler's return. */
#include <asm/sigcontext.h>
#include <asm/siginfo.h>
#include <asm/signal.h>
#include <asm/ucontext.h>
#include <linux/audit.h>
/* These first: newlib has signals of its own. */
#include "hosted/hosted.h"
#include "hosted/linux.h"
#include "kernel/fpu.h"
#include "kernel/hw.h"
#include "kernel/trap.h"

void (*trap_panic)(const struct trap *t);
void (*trap_panic_again)(void);
volatile bool hosted_stop;

#define CS_64       0x33 /* Linux' __USER_CS */
#define SS          0x2b
#define FLAGS_PLAIN 0x202 /* IF, which always reads 1 at CPL 3 */

static void registers(const struct sigcontext *c, uint64_t reg[TRAP_REGS])
{
    const uint64_t in_order[TRAP_REGS] = {c->rax, c->rcx, c->rdx, c->rbx, c->rsp, c->rbp, c->rsi, c->rdi,
                                          c->r8,  c->r9,  c->r10, c->r11, c->r12, c->r13, c->r14, c->r15};
    for (unsigned i = 0; i < TRAP_REGS; i++) reg[i] = in_order[i];
}

static void describe(const struct sigcontext *c, uint32_t vector, struct trap *t)
{
    *t = (struct trap){.cpu = hosted_cpu()->index,
                       .vector = vector,
                       .ip = c->rip,
                       .sp = c->rsp,
                       .flags = c->eflags,
                       .cs = c->cs};
    registers(c, t->reg);
}

/* ---- to the guard ---- */

static void run_panic(void *t)
{
    static unsigned depth;
    fpu_reset();
    if (depth++ == 0)
        trap_panic(t);
    else
        trap_panic_again();
    for (;;) sys_call(__NR_exit_group, 3L);
}

static __attribute__((noreturn)) void deliver(struct percpu *cpu, const struct trap *t)
{
    struct trap_guard *g = cpu->guard;
    if (g) {
        cpu->guard = g->outer;
        g->trap = *t;
        longjmp(g->resume, 1);
    }
    cpu->trap = *t;
    stack_switch(cpu->stack.main, run_panic, &cpu->trap);
}

/* On the signals' stack, which is idle then: so hosted_cpu() knows the processor. */
static void deliver_ended(void)
{
    struct percpu *cpu = hosted_cpu();
    sys_set_gs(cpu);
    deliver(cpu, &cpu->ended);
}

static void divert(struct sigcontext *c)
{
    c->rip = (uintptr_t)deliver_ended;
    c->rsp = (uintptr_t)(hosted_cpu()->stack.trap - sizeof(uintptr_t));
    c->eflags = FLAGS_PLAIN;
    c->cs = CS_64; /* code may have gone to 32 bits */
    c->ss = SS;
}

static void fault(int signal, siginfo_t *info, void *context)
{
    struct sigcontext *c = &((struct ucontext *)context)->uc_mcontext;
    struct percpu *cpu = hosted_cpu();
    (void)signal, (void)info;
    describe(c, (uint32_t)c->trapno, &cpu->ended);
    cpu->ended.error = c->err;
    cpu->ended.cr2 = c->cr2;
    divert(c);
}

/* A system call that is not ours: it has not been made. */
static void system_call(int signal, siginfo_t *info, void *context)
{
    struct sigcontext *c = &((struct ucontext *)context)->uc_mcontext;
    struct percpu *cpu = hosted_cpu();
    (void)signal;
    describe(c, TRAP_SYSTEM_CALL, &cpu->ended);
    cpu->ended.error = (uint32_t)info->si_syscall;
    cpu->ended.cr2 = info->si_arch == AUDIT_ARCH_I386;
    cpu->ended.ip -= INT_BYTES; /* SYSCALL, SYSENTER and INT n are all as long */
    divert(c);
}

/* ---- interrupts ---- */

/* A timer's: hosted/watchdog.c's in the place of an NMI, or hosted/linux_timer.c's. */
static void timer_came(int signal, siginfo_t *info, void *context)
{
    struct sigcontext *c = &((struct ucontext *)context)->uc_mcontext;
    struct percpu *cpu = hosted_cpu();
    struct trap_frame f = {.vector = signal == HOSTED_SAMPLE ? VECTOR_SAMPLE : VECTOR_NMI,
                           .ip = c->rip,
                           .cs = c->cs,
                           .flags = c->eflags,
                           .sp = c->rsp};
    (void)info;
    registers(c, f.reg);
    if (cpu->interrupt) cpu->interrupt(cpu->interrupt_to, &f);
    if (f.ip == (uintptr_t)deliver_ended) divert(c);
}

bool trap_end(struct trap_frame *f)
{
    struct percpu *cpu = hosted_cpu();
    if (!cpu->guard) return false;
    cpu->ended = (struct trap){.vector = VECTOR_NMI,
                               .cpu = cpu->index,
                               .ip = f->ip,
                               .sp = f->sp,
                               .flags = f->flags,
                               .cs = (uint32_t)f->cs};
    for (unsigned i = 0; i < TRAP_REGS; i++) cpu->ended.reg[i] = f->reg[i];
    f->ip = (uintptr_t)deliver_ended;
    return true;
}

bool trap_refuse(struct trap_frame *f) { return (void)f, false; }

/* Another processor's call is to end (kernel/processors.c). */
static void stop_came(int signal, siginfo_t *info, void *context)
{
    struct sigcontext *c = &((struct ucontext *)context)->uc_mcontext;
    struct percpu *cpu = hosted_cpu();
    (void)signal, (void)info;
    if (!cpu->guard || cpu->call.asked == cpu->call.ended || cpu->call.stop != cpu->call.asked) return;
    describe(c, VECTOR_NMI, &cpu->ended);
    divert(c);
}

static void stop_asked(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info, (void)context;
    hosted_stop = true;
}

void trap_disturbed(void) { hosted_cpu()->strays++; }

void trap_stray(const struct trap_frame *f)
{
    struct percpu *cpu = hosted_cpu();
    cpu->strays++;
    cpu->stray = (uint32_t)f->vector;
}

static void nobody(void *to, const struct trap_frame *f) { (void)to, trap_stray(f); }

void trap_interrupts(interrupt_fn *fn, void *to)
{
    struct percpu volatile *cpu = this_cpu();
    cpu->interrupt = nobody;
    cpu->interrupt_to = to;
    if (fn) cpu->interrupt = fn;
}

/* ---- guards ---- */

void trap_raise(uint32_t vector)
{
    deliver(this_cpu(), &(struct trap){.vector = vector, .cpu = this_cpu()->index});
}

void trap_raise_no_count(const char *of, uint64_t count, uint64_t mask)
{
    struct percpu *cpu = this_cpu();
    deliver(
        cpu,
        &(struct trap){
            .vector = TRAP_NO_COUNT, .cpu = cpu->index, .error = count, .cr2 = mask, .ip = (uintptr_t)of});
}

void trap_guard_push(struct trap_guard *g)
{
    struct percpu *cpu = this_cpu();
    g->outer = cpu->guard;
    cpu->guard = g;
}

void trap_guard_disarm(struct trap_guard *g) { this_cpu()->guard = g->outer; }

/* ---- the beginning ---- */

typedef void handler_fn(int signal, siginfo_t *info, void *context);

/* No handler is interrupted by these, since what handles an interrupt keeps its frame while it runs. */
#define MASK(signal) (1ull << ((signal)-1))
#define INTERRUPTS   (MASK(HOSTED_ALARM) | MASK(HOSTED_SAMPLE) | MASK(HOSTED_END))

static void handle(int signal, handler_fn *fn)
{
    const struct {
        handler_fn *fn;
        unsigned long flags;
        const char *restorer;
        uint64_t mask;
    } action = {fn, SA_SIGINFO | SA_RESTORER | SA_ONSTACK, sys_sigreturn, INTERRUPTS};
    sys_call(__NR_rt_sigaction, (long)signal, &action, 0L, sizeof action.mask);
}

void idt_init(void)
{
    static const struct {
        int signal;
        handler_fn *fn;
    } handlers[] = {
        {SIGILL, fault},
        {SIGTRAP, fault},
        {SIGBUS, fault},
        {SIGFPE, fault},
        {SIGSEGV, fault},
        {SIGSYS, system_call},
        {HOSTED_ALARM, timer_came},
        {HOSTED_SAMPLE, timer_came},
        {HOSTED_END, stop_came},
        {SIGINT, stop_asked},
        {SIGTERM, stop_asked},
    };
    for (unsigned i = 0; i < sizeof handlers / sizeof *handlers; i++)
        handle(handlers[i].signal, handlers[i].fn);
    trap_interrupts(NULL, NULL);
}
