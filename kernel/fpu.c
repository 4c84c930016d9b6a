#include "kernel/fpu.h"
#include "kernel/cpuid.h"
#include "kernel/hw.h"
#include "kernel/x86.h"

#define MXCSR_DEFAULT 0x1f80 /* all exceptions masked, round to nearest */

/* LDMXCSR in a section of its own: the i586 kernel holds it and enters it only where CPUID says SSE. */
__attribute__((noinline, section(".text.isa.sse"))) static void load_mxcsr(void)
{
    const unsigned v = MXCSR_DEFAULT;
    __asm__ volatile("ldmxcsr %0" ::"m"(v));
}

bool fpu_init(void)
{
    struct cpuid_regs id = hw_cpuid(1, 0);
    uintptr_t cr0 = READ_CR(0);
    WRITE_CR(0, (cr0 & ~(uintptr_t)(CR0_EM | CR0_TS)) | CR0_MP | CR0_NE);
    if (!(id.edx & CPUID_1_EDX_FPU)) return false;
    __asm__ volatile("fninit");
    if (id.edx & CPUID_1_EDX_FXSR && id.edx & CPUID_1_EDX_SSE) {
        WRITE_CR(4, READ_CR(4) | CR4_OSFXSR | CR4_OSXMMEXCPT);
        load_mxcsr();
    }
    return true;
}
