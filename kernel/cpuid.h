/* Who is this CPU: identity as CPUID tells it. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct cpu_id {
    char vendor[13];                  /* "GenuineIntel"; never empty after cpu_identify() */
    char brand[49];                   /* leaves 80000002h-4h, blanks squeezed; "" where there are none */
    char hypervisor[13];              /* leaf 40000000h signature; "" on bare metal */
    bool has_hypervisor;              /* CPUID.1:ECX[31] */
    uint32_t signature;               /* CPUID.1:EAX */
    unsigned family, model, stepping; /* display values: extended family and model already added */
    uint32_t max_leaf, max_ext_leaf;  /* 0 where there are no extended leaves */
    uint32_t f1_ebx, f1_ecx, f1_edx;  /* leaf 1 */
    uint32_t f7_ebx, f7_ecx, f7_edx;  /* leaf 7 subleaf 0; 0 where absent */
    uint32_t x1_ecx, x1_edx;          /* leaf 80000001h; 0 where absent */
    uint32_t x7_edx;                  /* leaf 80000007h EDX; bit 8 = invariant TSC */
    uint32_t x21_eax;                 /* leaf 80000021h EAX; bit 2 = LFENCE always serialises dispatch */
};

/* Feature bits, named as the SDM names them (vol. 2A, CPUID, tables 3-10 and 3-11). */
#define CPUID_1_EDX_FPU            (1u << 0)
#define CPUID_1_EDX_PSE            (1u << 3)
#define CPUID_1_EDX_TSC            (1u << 4)
#define CPUID_1_EDX_MSR            (1u << 5)
#define CPUID_1_EDX_MCE            (1u << 7)
#define CPUID_1_EDX_APIC           (1u << 9)
#define CPUID_1_EDX_MTRR           (1u << 12)
#define CPUID_1_EDX_FXSR           (1u << 24)
#define CPUID_1_EDX_SSE            (1u << 25)
#define CPUID_1_EDX_SSE2           (1u << 26)
#define CPUID_1_ECX_X2APIC         (1u << 21)
#define CPUID_7_EDX_SERIALIZE      (1u << 14)
#define CPUID_X1_EDX_LM            (1u << 29)
#define CPUID_X7_EDX_INVARIANT_TSC (1u << 8)

/* True when CPUID exists (EFLAGS.ID can be toggled). Kernel only: kernel/cpuid_probe.S. */
bool cpuid_present(void);

/* Lift the firmware's limit on CPUID leaves (IA32_MISC_ENABLE[22], an option for Windows NT that hides leaf 4
 * and beyond), where it is set on an Intel CPU that has the bit. Before cpu_identify(). */
void cpu_unlimit(void);

/* Fill *id from CPUID. Needs cpuid_present(). Family/model rules: SDM vol. 2A, CPUID, "Version information";
 * the extended model counts for families 6 and 0Fh (Intel) and 0Fh (AMD). */
void cpu_identify(struct cpu_id *id);
