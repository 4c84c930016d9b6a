/* Exceptions: caught, described, and then fixed up, passed to an armed guard, or a panic.
 *
 * Handlers call no C library. They record what happened and redirect the interrupted code; everything that
 * prints runs as ordinary code afterwards.
 */
#pragma once
#include "kernel/vectors.h"
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __x86_64__
#define TRAP_REGS 16
#else
#define TRAP_REGS 8
#endif

/* As pushed by vectors.S and the CPU, lowest address first. */
struct trap_frame {
#ifdef __x86_64__
    uint64_t reg[16]; /* rax rcx rdx rbx rsp rbp rsi rdi r8-r15; rsp is a copy of sp below, and never
                         loaded. Nor are rbx rbp r12-r15 after a handler of trap_interrupts() */
    uint64_t vector, error, ip, cs, flags, sp, ss;
#else
    uint32_t gs, fs, es, ds;
    uint32_t reg[8]; /* edi esi ebp - ebx edx ecx eax; the place of esp holds nothing of use */
    uint32_t vector, error, ip, cs, flags; /* from ring 3 ESP and SS follow */
#endif
};

/* Where frame.reg[] holds register i in encoding order. */
#ifdef __x86_64__
#define TRAP_FRAME_REG(i) (i)
#else
#define TRAP_FRAME_REG(i) (7 - (i))
#endif

/* The interrupted code's stack pointer. */
static inline uintptr_t trap_frame_sp(const struct trap_frame *f)
{
#ifdef __x86_64__
    return f->sp;
#else
    return f->cs & 3 ? *(const uint32_t *)(f + 1) : (uintptr_t)(f + 1);
#endif
}

/* Called in the handler, under its rules (general registers only, no library, no GS). Arguments come in
 * registers in both flavours: the handler is counted by the instruction. */
#ifdef __x86_64__
#define INTERRUPT_FN
#else
#define INTERRUPT_FN __attribute__((regparm(2)))
#endif
typedef INTERRUPT_FN void interrupt_fn(void *to, const struct trap_frame *f);

/* From now on this CPU's NMIs, VECTOR_SAMPLE and the 8259s' two timers call fn(to, frame), and code at CPL 3
 * runs with interrupts enabled. fn calls trap_stray() for those that are not its own. fn NULL: all of them
 * are strays, and code at CPL 3 runs with interrupts disabled, as at the beginning. */
void trap_interrupts(interrupt_fn *fn, void *to);

/* An unexpected interrupt of any vector: counted, and acknowledged if it is in service. An INT n of the
 * measured code ends as trap_refuse() says. */
void trap_stray(const struct trap_frame *f);

/* So many have come to the processor that executes this, whose struct cpu has them counted there: to a Linux
 * process, also whatever else ran. A change flags a repetition. GS may be the payload's. */
uint32_t strays_so_far(const volatile uint32_t *counted);

/* One that was expected and has disturbed the interrupted code: counted, too. */
void trap_disturbed(void);

/* In the handler of an interrupt or an NMI: the interrupted code ends, as if it had trapped there with the
 * vector VECTOR_NMI. The guard gets it after the handler's return, so that NMIs are let in again. False: no
 * guard is armed, and the code goes on. */
bool trap_end(struct trap_frame *f);

/* In such a handler, of an interrupt that nothing has sent: if it is an INT n of the guarded code, that code
 * ends with #GP at the INT, as at ring 3. False if it is something else. */
bool trap_refuse(struct trap_frame *f);

/* Description of a trap. Registers are in encoding order, which is that of trap_reg_name(); ip and flags are
 * separate. */
struct trap {
    uint32_t vector; /* 0-31 */
    unsigned cpu;    /* on which processor */
    uint64_t error;  /* 0 for vectors that push none */
    uint64_t ip, sp, flags, cr2;
    uint32_t cs;
    uint64_t reg[TRAP_REGS];
    uint64_t cr0, cr4, xcr0, efer; /* of #UD, #NM and #GP; else 0. xcr0 and efer: 0 if absent */
};

/* Not the CPU's: code did not come back to where it was called from (measure/execute.h). */
#define TRAP_ASTRAY      256
#define TRAP_NO_COUNT    257 /* a reading cannot be a count: trap_raise_no_count() */
/* A system call of a Linux process: error is its number, cr2 not 0: by INT 80h, which has numbers of its own.
 * Nothing has made it (hosted/calls.c). */
#define TRAP_SYSTEM_CALL 258

const char *trap_name(uint32_t vector); /* "#PF page fault" */
const char *trap_reg_name(unsigned i);  /* "rax" / "eax" */
void trap_error_text(const struct trap *t, char *buf,
                     unsigned cap); /* "write to a page not present, CPL 0" */

/* A guard around code that may trap:
 *     struct trap_guard g;
 *     if (trap_guard_arm(&g) == 0) { ...; trap_guard_disarm(&g); } else { g.trap says what happened }
 * Guards nest. After a trap the guard is disarmed already and the FPU has been set up anew. */
struct trap_guard {
    jmp_buf resume;
    struct trap_guard *outer;
    struct trap trap;
};
/* From ordinary code: what the innermost guard guards ends as with a trap of this vector, at no address. */
void trap_raise(uint32_t vector) __attribute__((noreturn));
/* The same with TRAP_NO_COUNT: `of` (a name that stays) counted this, modulo mask + 1. The trap has count as
 * its error, mask as cr2, and of as ip. */
void trap_raise_no_count(const char *of, uint64_t count, uint64_t mask) __attribute__((noreturn));

void trap_guard_push(struct trap_guard *g);
void trap_guard_disarm(struct trap_guard *g);
void trap_guard_after(struct trap_guard *g);
#define trap_guard_arm(g) (trap_guard_push(g), setjmp((g)->resume) == 0 ? 0 : (trap_guard_after(g), 1))

/* Fill and load the IDT: gates for all 256 vectors. Needs percpu_boot(). */
void idt_init(void);
/* Load the same on another CPU. */
void idt_load(void);

/* The panic hook: called on a clean stack with an unguarded trap. Must not return. */
extern void (*trap_panic)(const struct trap *t);
/* Called for a trap inside that hook: may do next to nothing. Must not return. */
extern void (*trap_panic_again)(void);
