/* Exceptions: caught, described, and either fixed up, handed to whoever armed a guard, or a panic.
 *
 * Handlers call no C library. They record what happened and redirect the interrupted code; everything that
 * prints runs as ordinary code afterwards.
 */
#pragma once
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __x86_64__
#define TRAP_REGS 16
#else
#define TRAP_REGS 8
#endif

/* What happened. Registers in trap_reg_name() order; ip, sp, flags apart. */
struct trap {
    uint32_t vector; /* 0-31 */
    uint64_t error;  /* 0 for vectors that push none */
    uint64_t ip, sp, flags, cr2;
    uint32_t cs;
    uint64_t reg[TRAP_REGS];
};

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
void trap_guard_push(struct trap_guard *g);
void trap_guard_disarm(struct trap_guard *g);
void trap_guard_after(struct trap_guard *g);
#define trap_guard_arm(g) (trap_guard_push(g), setjmp((g)->resume) == 0 ? 0 : (trap_guard_after(g), 1))

/* Fill and load the IDT: 32 exceptions, PIC range, APIC spurious vector. Needs percpu_load(). */
void idt_init(void);

#define VECTOR_PIC      0x20 /* 16 vectors, all masked; spurious ones may still arrive */
#define VECTOR_SPURIOUS 0xff

/* The panic hook: called on a clean stack with the trap that nobody guarded. Must not return. */
extern void (*trap_panic)(const struct trap *t);
/* And for a trap while that one runs: may do next to nothing. Must not return. */
extern void (*trap_panic_again)(void);
