#include "kernel/fpu.h"
#include "kernel/cpuid.h"
#include "kernel/hw.h"

#define MXCSR_DEFAULT 0x1f80 /* all exceptions masked, round to nearest */

/* Instructions newer than a Pentium in sections of their own: the i586 kernel holds them and enters them only
 * where CPUID says so. */
__attribute__((noinline, section(".text.isa.sse"))) static void load_mxcsr(void)
{
    const unsigned v = MXCSR_DEFAULT;
    __asm__ volatile("ldmxcsr %0" ::"m"(v));
}

__attribute__((noinline, section(".text.isa.xsave"))) uint64_t fpu_xcr0(void)
{
    uint32_t eax, edx;
    __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    return (uint64_t)edx << 32 | eax;
}

/* XRSTOR from an area whose header is zero puts components in their initial state, which no instruction does
 * for all registers of AVX-512; dirty upper halves would slow SSE code down. It loads MXCSR as well (SDM
 * vol. 1 section 13.8). */
__attribute__((noinline, section(".text.isa.xsave"))) static void empty_vectors(void)
{
    static const _Alignas(64) uint32_t initial[(512 + 64) / 4] = {[24 / 4] = MXCSR_DEFAULT};
    const uint32_t vectors = (uint32_t)fpu_xcr0() & (XCR0_AVX | XCR0_AVX512);
    __asm__ volatile("xrstor %0" ::"m"(initial), "a"(vectors), "d"(0));
}

void fpu_reset(void)
{
    const struct cpuid_regs id = hw_cpuid(1, 0);
    __asm__ volatile("fninit");
    if (!(id.edx & CPUID_1_EDX_FXSR && id.edx & CPUID_1_EDX_SSE)) return;
    if (id.ecx & CPUID_1_ECX_OSXSAVE) empty_vectors();
    load_mxcsr();
}
