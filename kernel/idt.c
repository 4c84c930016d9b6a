/* The interrupt descriptor table: a gate for each vector, to the stubs of vectors.S. Ring 3 may use two of
 * them, and each checks where it was called from: INT 80h ends user_call() (kernel/user.S), and INT 31h
 * requests timer interrupts (kernel/trap.c). INT n of any other gate is #GP there. */
#include "kernel/cpuid.h"
#include "kernel/hw.h"
#include "kernel/percpu.h"
#include "kernel/repeated.h"
#include "kernel/selectors.h"
#include "kernel/trap.h"
#include "kernel/x86.h"
#include <stddef.h>

struct gate { /* SDM vol. 3A figures 6-2 and 6-8 */
#ifdef __x86_64__
    uint16_t offset0, selector;
    uint8_t ist, type;
    uint16_t offset1;
    uint32_t offset2, reserved;
#else
    uint16_t offset0, selector;
    uint8_t reserved, type;
    uint16_t offset1;
#endif
};

#define GATE_INTERRUPT 0x8e
#define GATE_DPL3      0x60
#define GATE_TASK      0x85
#define STUB_BYTES     16

static struct gate idt[256] REPEATED_BSS;
extern const char vector_stubs[], vector_user_return[];

static void set_gate(unsigned vector, uintptr_t handler)
{
    struct gate *g = &idt[vector];
    g->offset0 = handler & 0xffff;
    g->offset1 = handler >> 16 & 0xffff;
    g->selector = SEL_CODE;
    g->type = GATE_INTERRUPT;
}

/* SYSENTER and SYSCALL would enter CPL 0 wherever the firmware or another system has told them to. Now the
 * first is #GP, since SYSENTER_CS is 0, and the second #UD, since EFER.SCE is clear (SDM vol. 2B). CPUID says
 * which exist. */
static void close_fast_calls(void)
{
    uint64_t efer;
    if (!cpuid_present()) return; /* which is reported later */
    if (hw_cpuid(1, 0).edx & CPUID_1_EDX_SEP) wrmsr_safe(MSR_SYSENTER_CS, 0);
    if (hw_cpuid(0x80000000u, 0).eax - 0x80000001u > 0xffff) return; /* no such leaf */
    const uint32_t edx = hw_cpuid(0x80000001u, 0).edx;
    if (edx & (CPUID_X1_EDX_SYSCALL | CPUID_X1_EDX_LM) && rdmsr_safe(MSR_EFER, &efer) && efer & EFER_SCE)
        wrmsr_safe(MSR_EFER, efer & ~(uint64_t)EFER_SCE);
}

void idt_load(void)
{
    struct gdtr idtr = {sizeof idt - 1, (uintptr_t)idt};
    trap_interrupts(NULL, NULL);
    __asm__ volatile("lidt %0" ::"m"(idtr));
    close_fast_calls();
}

void idt_init(void)
{
    for (unsigned v = 0; v < 256; v++) set_gate(v, (uintptr_t)vector_stubs + v * STUB_BYTES);
    set_gate(VECTOR_USER_RETURN, (uintptr_t)vector_user_return);
    idt[VECTOR_USER_RETURN].type |= GATE_DPL3;
    idt[VECTOR_TIMER_CALL].type |= GATE_DPL3;
#ifdef __x86_64__
    idt[VECTOR_DF].ist = IST_DF;
    idt[VECTOR_NMI].ist = IST_NMI;
#else
    idt[VECTOR_DF].selector = SEL_DF;
    idt[VECTOR_DF].type = GATE_TASK;
#endif
    idt_load();
}
