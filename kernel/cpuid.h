/* The CPU's identity, from CPUID. */
#pragma once
#include "kernel/hw.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct cpu_id {
    char vendor[13];     /* "GenuineIntel"; never empty after cpu_identify() */
    char brand[49];      /* leaves 80000002h-4h, runs of blanks shortened to one; "" where there are none */
    char hypervisor[13]; /* leaf 40000000h signature; "" on bare metal */
    bool has_hypervisor; /* CPUID.1:ECX[31] */
    uint32_t signature;  /* CPUID.1:EAX */
    unsigned family, model, stepping; /* display values: extended family and model already added */
    uint32_t max_leaf, max_ext_leaf;  /* 0 where there are no extended leaves */
    uint32_t f1_ebx, f1_ecx, f1_edx;  /* leaf 1 */
    uint32_t f4_eax;                  /* leaf 4: bits 31:26 hold the package's number of cores, less one */
    uint32_t f7_ebx, f7_ecx, f7_edx;  /* leaf 7 subleaf 0; 0 where absent */
    uint32_t f7_1_eax;                /* leaf 7 subleaf 1 */
    uint32_t f6_eax, f6_ecx;          /* leaf 6: turbo; APERF and MPERF */
    struct cpuid_regs fa;             /* leaf 0AH: architectural performance monitoring */
    uint32_t f1a_eax;                 /* leaf 1AH: bits 31:24 hold the core type of a hybrid part */
    uint32_t f23_eax, f23_ebx;        /* leaf 23H subleaf 1: bitmaps of general and fixed counters */
    uint32_t f23_4_ebx;               /* subleaf 4: architectural PEBS: bits 63:32 of a counter's CFG_C */
    struct cpuid_regs f23_5;          /* subleaf 5: general counters with PEBS, and with PDist; fixed ones */
    uint32_t x1_ecx, x1_edx;          /* leaf 80000001h; 0 where absent */
    uint32_t x7_edx;                  /* leaf 80000007h EDX; bit 8 = invariant TSC */
    uint32_t x21_eax;                 /* leaf 80000021h EAX; bit 2 = LFENCE always serialises dispatch */
    bool lfence_set;           /* not of CPUID: AMD's DE_CFG[1] is set on this processor (kernel/lfence.h) */
    uint32_t x1b_eax;          /* leaf 8000001Bh EAX: AMD's IBS */
    uint32_t x22_eax, x22_ebx; /* leaf 80000022h: AMD's PerfMonV2 and the number of counters */

    /* For measure/isa_table.c; 0 where absent. */
    uint32_t f7_1_ebx, f7_1_ecx, f7_1_edx; /* leaf 7 subleaf 1 */
    uint32_t fd_1_eax, f14_ebx,
        f19_ebx;              /* leaf 0DH subleaf 1, 14H, 19H: XSAVE's kinds, PTWRITE, Key Locker */
    uint32_t x8_ebx, x1f_eax; /* leaves 80000008h and 8000001Fh: CLZERO and the like; SEV */
};

/* Feature bits, named as the SDM names them (vol. 2A, CPUID, tables 3-10 and 3-11). */
#define CPUID_1_EDX_FPU            (1u << 0)
#define CPUID_1_EDX_PSE            (1u << 3)
#define CPUID_1_EDX_TSC            (1u << 4)
#define CPUID_1_EDX_MSR            (1u << 5)
#define CPUID_1_EDX_SEP            (1u << 11)
#define CPUID_1_EDX_MCE            (1u << 7)
#define CPUID_1_EDX_MCA            (1u << 14)
#define CPUID_1_EDX_APIC           (1u << 9)
#define CPUID_1_EDX_MTRR           (1u << 12)
#define CPUID_1_EDX_PAT            (1u << 16)
#define CPUID_1_EDX_MMX            (1u << 23)
#define CPUID_1_EDX_CLFSH          (1u << 19)
#define CPUID_1_EDX_FXSR           (1u << 24)
#define CPUID_1_EDX_SSE            (1u << 25)
#define CPUID_1_EDX_SSE2           (1u << 26)
#define CPUID_1_EDX_DS             (1u << 21)
#define CPUID_1_EDX_ACPI           (1u << 22) /* IA32_THERM_STATUS and its kin */
#define CPUID_1_ECX_DTES64         (1u << 2)
#define CPUID_1_ECX_MONITOR        (1u << 3)
#define CPUID_1_ECX_PDCM           (1u << 15)
#define CPUID_1_ECX_X2APIC         (1u << 21)
#define CPUID_1_ECX_XSAVE          (1u << 26)
#define CPUID_1_ECX_OSXSAVE        (1u << 27) /* CR4.OSXSAVE */
#define CPUID_6_EAX_TURBO          (1u << 1)
#define CPUID_6_EAX_PLN            (1u << 4) /* power limits are told */
#define CPUID_6_EAX_ECMD           (1u << 5) /* clock modulation in sixteenths */
#define CPUID_6_EAX_HWP            (1u << 7)
#define CPUID_6_ECX_APERFMPERF     (1u << 0)
#define CPUID_7_EBX_TSX            0x810u     /* HLE, RTM */
#define CPUID_7_EDX_RTM_ABORTS     (1u << 11) /* RTM_ALWAYS_ABORT */
#define CPUID_7_EDX_FORCE_ABORT    (1u << 13) /* TSX_FORCE_ABORT: there is MSR 10Fh */
#define CPUID_7_EDX_SERIALIZE      (1u << 14)
#define CPUID_7_EDX_HYBRID         (1u << 15)
#define CPUID_7_EDX_ARCH_LBR       (1u << 19) /* leaf 1CH */
#define CPUID_7_1_EAX_PERFMON_EXT  (1u << 8)  /* leaf 23H */
#define CPUID_X1_ECX_IBS           (1u << 10)
#define CPUID_X1_ECX_PERFCTR_CORE  (1u << 23)
#define CPUID_X1_EDX_SYSCALL       (1u << 11)
#define CPUID_X1_EDX_NX            (1u << 20)
#define CPUID_X1_EDX_LM            (1u << 29)
#define CPUID_X7_EDX_INVARIANT_TSC (1u << 8)
#define CPUID_X7_EDX_CPB           (1u << 9) /* AMD's core performance boost */
#define CPUID_X22_EAX_PERFMON_V2   (1u << 0)
#define CPUID_X22_EAX_LBR_V2       (1u << 1)
#define CPUID_X22_EAX_LBR_FREEZE   (1u << 2) /* records and counters freeze at an interrupt */

/* True when CPUID exists (EFLAGS.ID can be toggled). Kernel only: kernel/cpuid_probe.S. */
bool cpuid_present(void);

/* Lift the firmware's limit on CPUID leaves (IA32_MISC_ENABLE[22], an option for Windows NT that hides leaf 4
 * and beyond), where it is set on an Intel CPU that has the bit. Before cpu_identify(). */
void cpu_unlimit(void);

/* Fill *id from CPUID. Needs cpuid_present(). Family/model rules: SDM vol. 2A, CPUID, "Version information";
 * the extended model counts for families 6 and 0Fh (Intel) and 0Fh (AMD). */
void cpu_identify(struct cpu_id *id);

/* Hygon's are AMD's Zen under another name (Linux, cpu/hygon.c). */
static inline bool cpu_is_intel(const struct cpu_id *id) { return strcmp(id->vendor, "GenuineIntel") == 0; }
static inline bool cpu_is_amd(const struct cpu_id *id)
{
    return strcmp(id->vendor, "AuthenticAMD") == 0 || strcmp(id->vendor, "HygonGenuine") == 0;
}

/* Is this the Atom core of a hybrid part? Leaf 1AH EAX[31:24]: 20h Atom, 40h Core (SDM vol. 2A, CPUID; Linux'
 * enum intel_cpu_type). */
static inline bool cpu_atom(const struct cpu_id *id)
{
    return id->f7_edx & CPUID_7_EDX_HYBRID && id->f1a_eax >> 24 == 0x20;
}

/* Should CR4.MCE be set? Not on family 5, though it has the bit: the Pentium reports a bus check through a
 * pin that boards have often connected wrongly, and every machine check would be a panic (Linux, mce/p5.c:
 * "Default P5 to off as its often misconnected"). With the bit clear they are ignored. */
bool cpu_machine_checks(const struct cpu_id *id);
