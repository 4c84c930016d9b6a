/* The state that a CPU changes as it runs: descriptor tables, stacks, the guard that catches its traps.
 * Reached through GS. Its identity is in struct cpu (kernel/machine.h).
 *
 * Each stack has a page below it that is never present, so that an overflow is a double fault (which has a
 * stack of its own) instead of silent corruption.
 */
#pragma once
#include "kernel/selectors.h"

#define PAGE_SIZE  4096u
#define STACK_SIZE 32768u /* of bring-up and panics; measured code has kernel/stacks.h's */
#define SIDE_STACK 8192u  /* double fault, NMI, from ring 3 */

/* Shared by C and assembly: offsets in bytes. */
#ifdef __x86_64__
#define PERCPU_WORD 8
#else
#define PERCPU_WORD 4
#endif
#define PERCPU_SELF         0
#define PERCPU_USER_SP      (1 * PERCPU_WORD)
#define PERCPU_USER_FLAGS   (2 * PERCPU_WORD)
#define PERCPU_USER_BACK    (3 * PERCPU_WORD)
#define PERCPU_INTERRUPT    64
#define PERCPU_INTERRUPT_TO (64 + PERCPU_WORD)
#define PERCPU_GDT          (64 + 2 * PERCPU_WORD)

#ifndef __ASSEMBLER__
#include "kernel/repeated.h"
#include "kernel/trap.h"
#include <stddef.h>
#include <stdint.h>

struct tss32 { /* SDM vol. 3A figure 7-2 */
    uint32_t link, esp0, ss0, esp1, ss1, esp2, ss2, cr3, eip, eflags;
    uint32_t eax, ecx, edx, ebx, esp, ebp, esi, edi;
    uint32_t es, cs, ss, ds, fs, gs, ldt;
    uint16_t trap, iomap;
};

struct tss64 { /* SDM vol. 3A figure 7-11 */
    uint32_t reserved0;
    uint64_t rsp[3];
    uint64_t reserved1;
    uint64_t ist[7];
    uint64_t reserved2;
    uint16_t reserved3, iomap;
} __attribute__((packed));

struct apic;

/* Where the stacks of a CPU end, and the pages below them. */
struct stacks {
    uint8_t *main, *df, *nmi;
    uint8_t *trap; /* traps and call gates from ring 3 */
    uint8_t *guard[4];
};

/* What another CPU is asked to do (kernel/processors.h). Each side writes one line of it. */
struct call {
    _Alignas(128) volatile uint32_t asked; /* the number of calls so far */
    volatile uint32_t stop;                /* this one is to end */
    void (*volatile fn)(void *);
    void *volatile arg;
    _Alignas(128) volatile uint32_t ended; /* as many calls have ended */
    volatile uint32_t how;                 /* enum processor_end of the last one */
    volatile uint32_t begun;               /* as many calls have begun */
};

struct percpu {
    struct percpu *self;      /* GS:0 */
    void *user_sp;            /* the kernel's stack pointer while ring 3 runs (kernel/user.S) */
    uintptr_t user_flags;     /* EFLAGS that code at CPL 3 begins with */
    uintptr_t user_back;      /* ring 3's stack pointer when its function has returned to user_done */
    struct trap_guard *guard; /* innermost armed guard, NULL = a trap is a panic */
    uint32_t strays;          /* unexpected interrupts: spurious ones and NMIs */
    uint32_t stray;           /* the vector of the last one */
    /* trap_interrupts(); in the same line as the descriptors that each interrupt loads, so that it needs no
     * other line.
     */
    _Alignas(64) interrupt_fn *interrupt;
    void *interrupt_to;
    uint64_t gdt[GDT_SLOTS];
#ifdef __x86_64__
    struct tss64 tss;
#else
    struct tss32 tss, df_tss;
#endif
    const struct apic *apic; /* whose interrupts come here; NULL: there is none */
    unsigned index;          /* in machine.cpu[] */
    uint32_t boot_id;        /* the boot processor's APIC ID, for a panic elsewhere */
    struct stacks stack;
    struct trap trap;  /* a panic's, a double fault's; of a call that ended with one */
    struct trap ended; /* trap_end()'s */
    struct call call;
};

_Static_assert(offsetof(struct percpu, user_sp) == PERCPU_USER_SP, "percpu.h");
_Static_assert(offsetof(struct percpu, user_flags) == PERCPU_USER_FLAGS, "percpu.h");
_Static_assert(offsetof(struct percpu, user_back) == PERCPU_USER_BACK, "percpu.h");
_Static_assert(offsetof(struct percpu, interrupt) == PERCPU_INTERRUPT, "percpu.h");
_Static_assert(offsetof(struct percpu, interrupt_to) == PERCPU_INTERRUPT_TO, "percpu.h");
_Static_assert(offsetof(struct percpu, gdt) == PERCPU_GDT, "percpu.h");
/* It lies so far from the beginning of a page: behind REPEATED_DATA, and its first lines, which repetitions
 * use, below the stack's (kernel/repeated.h). */
#define PERCPU_AT 0xb40u
_Static_assert(PERCPU_AT > REPEATED_FROM && PERCPU_AT + sizeof(struct percpu) <= PAGE_SIZE, "percpu.h");

static inline struct percpu *this_cpu(void)
{
    struct percpu *p;
#ifdef __x86_64__
    __asm__("movq %%gs:0, %0" : "=r"(p));
#else
    __asm__("movl %%gs:0, %0" : "=r"(p));
#endif
    return p;
}

/* this_cpu()->apic, in one instruction. */
static inline const struct apic *this_apic(void)
{
    const struct apic *a;
#ifdef __x86_64__
    __asm__ volatile("movq %%gs:%c1, %0" : "=r"(a) : "i"(offsetof(struct percpu, apic)));
#else
    __asm__ volatile("movl %%gs:%c1, %0" : "=r"(a) : "i"(offsetof(struct percpu, apic)));
#endif
    return a;
}

/* Load the GDT, TSS and GS of the CPU that boots. this_cpu() works after that. */
void percpu_boot(void);

/* The same for another one, which executes this, with its stacks in place. */
void percpu_load(struct percpu *cpu);

/* Continue at fn(arg) on another stack, and never return. */
void stack_switch(void *top, void (*fn)(void *), void *arg) __attribute__((noreturn));
#endif
