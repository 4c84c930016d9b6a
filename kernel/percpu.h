/* What every CPU works with: descriptor tables, stacks, the guard that catches its traps. Reached through GS.
 * What it is stands in struct cpu (kernel/machine.h).
 *
 * Each stack has a page below it that is never present, so that an overflow is a double fault (which has a
 * stack of its own) instead of silent corruption.
 */
#pragma once
#include "kernel/selectors.h"
#include "kernel/trap.h"
#include <stdint.h>

#define PAGE_SIZE  4096u
#define STACK_SIZE 32768u /* decimal digits of a double are 1.4 KB, and lines are built here */
#define SIDE_STACK 8192u  /* double fault, NMI, from ring 3 */

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

struct percpu {
    struct percpu *self;      /* GS:0 */
    void *user_sp;            /* behind it: the kernel's stack pointer while ring 3 runs (kernel/user.S) */
    struct trap_guard *guard; /* innermost armed guard, NULL = a trap is a panic */
    uint32_t strays;          /* interrupts that nobody had asked for: spurious ones and NMIs */
    uint32_t stray;           /* the vector of the last one */
    uint64_t gdt[GDT_SLOTS];
#ifdef __x86_64__
    struct tss64 tss;
#else
    struct tss32 tss, df_tss;
#endif
    struct {
        _Alignas(4096) uint8_t guard0[PAGE_SIZE];
        uint8_t main[STACK_SIZE];
        uint8_t guard1[PAGE_SIZE];
        uint8_t df[SIDE_STACK];
        uint8_t guard2[PAGE_SIZE];
        uint8_t nmi[SIDE_STACK];
        uint8_t guard3[PAGE_SIZE];
        uint8_t trap[SIDE_STACK]; /* traps and call gates from ring 3 */
    } stack;
};

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

/* Load the GDT, TSS and GS of the CPU that boots. this_cpu() works from there on. */
void percpu_boot(void);

/* Go on at fn(arg) on another stack; nothing comes back to this one. */
void stack_switch(void *top, void (*fn)(void *), void *arg) __attribute__((noreturn));
