#include "kernel/fpu.h"
#include "kernel/cpuid.h"
#include "kernel/hw.h"
#include "kernel/x86.h"

#define MXCSR_DEFAULT 0x1f80 /* all exceptions masked, round to nearest */

/* Components of XCR0, SDM vol. 1 section 13.1: the three of AVX-512 are enabled together. */
#define XCR0_X87    (1u << 0)
#define XCR0_SSE    (1u << 1)
#define XCR0_AVX    (1u << 2)
#define XCR0_AVX512 (7u << 5)

/* Instructions newer than a Pentium in sections of their own: the i586 kernel holds them and enters them only
 * where CPUID says so. */
__attribute__((noinline, section(".text.isa.sse"))) static void load_mxcsr(void)
{
    const unsigned v = MXCSR_DEFAULT;
    __asm__ volatile("ldmxcsr %0" ::"m"(v));
}

/* Writes only what differs: XSETBV leaves a virtual machine. XRSTOR from an area whose header is zero puts
 * components in their initial state, which no instruction does for all registers of AVX-512; dirty upper
 * halves would slow SSE code down. It loads MXCSR as well (SDM vol. 1 section 13.8). */
__attribute__((noinline, section(".text.isa.xsave"))) static void vectors_init(uint32_t components)
{
    static const _Alignas(64) uint32_t initial[(512 + 64) / 4] = {[24 / 4] = MXCSR_DEFAULT};
    uint32_t eax, edx;
    __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    if (eax != components || edx) __asm__ volatile("xsetbv" ::"a"(components), "d"(0), "c"(0));
    __asm__ volatile("xrstor %0" ::"m"(initial), "a"(components & ~(XCR0_X87 | XCR0_SSE)), "d"(0));
}

__attribute__((noinline, section(".text.isa.xsave"))) uint64_t fpu_xcr0(void)
{
    uint32_t eax, edx;
    __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    return (uint64_t)edx << 32 | eax;
}

/* Those that this CPU has. AVX-512 is not without AVX, and XSETBV takes no part of it. */
static uint32_t vector_components(void)
{
    const uint32_t has = hw_cpuid(0xd, 0).eax;
    if (!(has & XCR0_AVX)) return XCR0_X87 | XCR0_SSE;
    return XCR0_X87 | XCR0_SSE | XCR0_AVX | ((has & XCR0_AVX512) == XCR0_AVX512 ? XCR0_AVX512 : 0);
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
        if (id.ecx & CPUID_1_ECX_XSAVE) {
            WRITE_CR(4, READ_CR(4) | CR4_OSXSAVE);
            vectors_init(vector_components());
        }
        load_mxcsr();
    }
    return true;
}
