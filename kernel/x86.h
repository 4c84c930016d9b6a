/* Privileged registers: control registers, unguarded MSRs, descriptor-table loads. Kernel only. */
#pragma once
#include <stdint.h>

#define CR0_MP (1u << 1)
#define CR0_EM (1u << 2)
#define CR0_TS (1u << 3)
#define CR0_NE (1u << 5)
#define CR0_WP (1u << 16)
#define CR0_NW (1u << 29)
#define CR0_CD (1u << 30)
#define CR0_PG (1u << 31)

#define CR4_PSE        (1u << 4)
#define CR4_PAE        (1u << 5)
#define CR4_MCE        (1u << 6)
#define CR4_PCE        (1u << 8) /* RDPMC at CPL 3 */
#define CR4_OSFXSR     (1u << 9)
#define CR4_OSXMMEXCPT (1u << 10)
#define CR4_OSXSAVE    (1u << 18)

#define MSR_APIC_BASE   0x1b
#define MSR_SMI_COUNT   0x34
#define MSR_SYSENTER_CS 0x174
#define MSR_MCG_STATUS  0x17a
#define MSR_EFER        0xc0000080
#define MSR_GS_BASE     0xc0000101
#define MSR_DE_CFG      0xc0011029 /* AMD: bit 1 makes LFENCE serialise dispatch */

#define EFER_SCE (1u << 0)
#define EFER_LME (1u << 8)
#define EFER_NXE (1u << 11)

#define MCG_STATUS_MCIP (1u << 2) /* a machine check is in progress */

/* Interrupt-stack-table slots of the x86_64 TSS. */
#define IST_DF  1
#define IST_NMI 2

struct gdtr { /* also the IDTR's form */
    uint16_t limit;
    uintptr_t base;
} __attribute__((packed));

void gdt_load(const struct gdtr *gdtr); /* stack.S; reloads CS (SEL_CODE) and the data segments (SEL_DATA) */

#define READ_CR(n)                                         \
    ({                                                     \
        uintptr_t v_;                                      \
        __asm__ volatile("mov %%cr" #n ", %0" : "=r"(v_)); \
        v_;                                                \
    })
#define WRITE_CR(n, v) __asm__ volatile("mov %0, %%cr" #n ::"r"((uintptr_t)(v)) : "memory")

static inline uint64_t rdmsr(uint32_t msr)
{
    uint32_t lo, hi;
    __asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr));
    return (uint64_t)hi << 32 | lo;
}

static inline void wrmsr(uint32_t msr, uint64_t v)
{
    __asm__ volatile("wrmsr" ::"c"(msr), "a"((uint32_t)v), "d"((uint32_t)(v >> 32)) : "memory");
}
