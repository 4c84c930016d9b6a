#include "kernel/percpu.h"
#include "kernel/repeated.h"
#include "kernel/x86.h"

static struct {
    _Alignas(4096) uint8_t unused[PERCPU_AT];
    struct percpu percpu;
    _Alignas(4096) uint8_t guard0[PAGE_SIZE];
    uint8_t main[STACK_SIZE];
    uint8_t guard1[PAGE_SIZE];
    uint8_t df[SIDE_STACK];
    uint8_t guard2[PAGE_SIZE];
    uint8_t nmi[SIDE_STACK];
    uint8_t guard3[PAGE_SIZE];
    uint8_t trap[SIDE_STACK];
} cpu0 REPEATED_BSS;

/* A segment descriptor, SDM vol. 3A figure 3-8. flags: bits 55:52 (G, D/B, L, AVL); access: bits 47:40. */
static uint64_t descriptor(uint32_t base, uint32_t limit, unsigned access, unsigned flags)
{
    return (uint64_t)(limit & 0xffff) | (uint64_t)(base & 0xffffff) << 16 | (uint64_t)access << 40 |
           (uint64_t)(limit >> 16 & 0xf) << 48 | (uint64_t)flags << 52 | (uint64_t)(base >> 24) << 56;
}

#define ACCESS_CODE 0x9a
#define ACCESS_DATA 0x92
#define ACCESS_USER 0x60 /* DPL 3 */
#define ACCESS_TSS  0x89
#define FLAGS_32    0xc
#define FLAGS_64    0xa
#define FLAGS_BYTE  0x0

#ifdef __x86_64__

void percpu_load(struct percpu *cpu)
{
    uint64_t tss = (uintptr_t)&cpu->tss;
    struct gdtr gdtr = {sizeof cpu->gdt - 1, (uintptr_t)cpu->gdt};
    cpu->self = cpu;
    cpu->gdt[SEL_CODE / 8] = descriptor(0, 0xfffff, ACCESS_CODE, FLAGS_64);
    cpu->gdt[SEL_DATA / 8] = descriptor(0, 0xfffff, ACCESS_DATA, FLAGS_32);
    cpu->gdt[SEL_USER_DATA / 8] = descriptor(0, 0xfffff, ACCESS_DATA | ACCESS_USER, FLAGS_32);
    cpu->gdt[SEL_TSS / 8] = descriptor((uint32_t)tss, sizeof cpu->tss - 1, ACCESS_TSS, FLAGS_BYTE);
    cpu->gdt[SEL_TSS / 8 + 1] = tss >> 32;
    cpu->gdt[SEL_USER_CODE / 8] = descriptor(0, 0xfffff, ACCESS_CODE | ACCESS_USER, FLAGS_64);
    cpu->tss.rsp[0] = (uintptr_t)cpu->stack.trap;
    cpu->tss.ist[IST_DF - 1] = (uintptr_t)cpu->stack.df;
    cpu->tss.ist[IST_NMI - 1] = (uintptr_t)cpu->stack.nmi;
    cpu->tss.iomap = sizeof cpu->tss;
    gdt_load(&gdtr);
    wrmsr(MSR_GS_BASE, (uintptr_t)cpu);
    __asm__ volatile("ltr %w0" ::"r"(SEL_TSS));
}

#else

extern void double_fault_task(void); /* kernel/vectors.S */
extern void gate_rdmsr(void);        /* kernel/user.S */

/* SDM vol. 3A figure 5-8: present, DPL 3, 32-bit call gate, no parameters. */
static uint64_t call_gate(uintptr_t entry)
{
    return (entry & 0xffff) | (uint64_t)SEL_CODE << 16 | (uint64_t)0xec00 << 32 |
           (uint64_t)(entry >> 16) << 48;
}

void percpu_load(struct percpu *cpu)
{
    struct gdtr gdtr = {sizeof cpu->gdt - 1, (uintptr_t)cpu->gdt};
    cpu->self = cpu;
    cpu->gdt[SEL_CODE / 8] = descriptor(0, 0xfffff, ACCESS_CODE, FLAGS_32);
    cpu->gdt[SEL_DATA / 8] = descriptor(0, 0xfffff, ACCESS_DATA, FLAGS_32);
    cpu->gdt[SEL_USER_DATA / 8] = descriptor(0, 0xfffff, ACCESS_DATA | ACCESS_USER, FLAGS_32);
    cpu->gdt[SEL_CPU / 8] = descriptor((uintptr_t)cpu, sizeof *cpu - 1, ACCESS_DATA, 0x4);
    cpu->gdt[SEL_TSS / 8] = descriptor((uintptr_t)&cpu->tss, sizeof cpu->tss - 1, ACCESS_TSS, FLAGS_BYTE);
    cpu->gdt[SEL_DF / 8] =
        descriptor((uintptr_t)&cpu->df_tss, sizeof cpu->df_tss - 1, ACCESS_TSS, FLAGS_BYTE);
    cpu->gdt[SEL_USER_CODE / 8] = descriptor(0, 0xfffff, ACCESS_CODE | ACCESS_USER, FLAGS_32);
    cpu->gdt[SEL_GATE / 8] = call_gate((uintptr_t)gate_rdmsr);
    cpu->tss.esp0 = (uintptr_t)cpu->stack.trap;
    cpu->tss.ss0 = SEL_DATA;
    cpu->tss.iomap = cpu->df_tss.iomap = sizeof cpu->tss;
    /* A stack overflow cannot push its own frame, so the double fault is a task with a stack of its own. */
    cpu->df_tss.eip = (uintptr_t)double_fault_task;
    cpu->df_tss.esp = (uintptr_t)(cpu->stack.df - 16);
    cpu->df_tss.eflags = 2;
    cpu->df_tss.cs = SEL_CODE;
    cpu->df_tss.ss = cpu->df_tss.ds = cpu->df_tss.es = cpu->df_tss.fs = SEL_DATA;
    cpu->df_tss.gs = SEL_CPU;
    gdt_load(&gdtr);
    __asm__ volatile("movl %0, %%gs" ::"r"(SEL_CPU));
    __asm__ volatile("ltr %w0" ::"r"(SEL_TSS));
}

#endif

void percpu_boot(void)
{
    cpu0.percpu.stack = (struct stacks){
        .main = cpu0.main + sizeof cpu0.main,
        .df = cpu0.df + sizeof cpu0.df,
        .nmi = cpu0.nmi + sizeof cpu0.nmi,
        .trap = cpu0.trap + sizeof cpu0.trap,
        .guard = {cpu0.guard0, cpu0.guard1, cpu0.guard2, cpu0.guard3},
    };
    percpu_load(&cpu0.percpu);
}
