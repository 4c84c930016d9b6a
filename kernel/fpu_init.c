/* The FPU and the vector registers, enabled at CPL 0. */
#include "kernel/cpuid.h"
#include "kernel/fpu.h"
#include "kernel/hw.h"
#include "kernel/x86.h"

/* Those that this CPU has. AVX-512 is not without AVX, and XSETBV takes no part of it. */
static uint32_t vector_components(void)
{
    const uint32_t has = hw_cpuid(0xd, 0).eax;
    if (!(has & XCR0_AVX)) return XCR0_X87 | XCR0_SSE;
    return XCR0_X87 | XCR0_SSE | XCR0_AVX | ((has & XCR0_AVX512) == XCR0_AVX512 ? XCR0_AVX512 : 0);
}

/* Writes only what differs: XSETBV leaves a virtual machine. */
__attribute__((noinline, section(".text.isa.xsave"))) static void enable_vectors(uint32_t components)
{
    if (fpu_xcr0() != components) __asm__ volatile("xsetbv" ::"a"(components), "d"(0), "c"(0));
}

bool fpu_init(void)
{
    const struct cpuid_regs id = hw_cpuid(1, 0);
    WRITE_CR(0, (READ_CR(0) & ~(uintptr_t)(CR0_EM | CR0_TS)) | CR0_MP | CR0_NE);
    if (!(id.edx & CPUID_1_EDX_FPU)) return false;
    if (id.edx & CPUID_1_EDX_FXSR && id.edx & CPUID_1_EDX_SSE) {
        WRITE_CR(4, READ_CR(4) | CR4_OSFXSR | CR4_OSXMMEXCPT);
        if (id.ecx & CPUID_1_ECX_XSAVE) {
            WRITE_CR(4, READ_CR(4) | CR4_OSXSAVE);
            enable_vectors(vector_components());
        }
    }
    fpu_reset();
    return true;
}
