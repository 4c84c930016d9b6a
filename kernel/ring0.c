/* What functions of kernel/hw.h need CPL 0 for, and are seldom called. A Linux process has its own. */
#include "kernel/hw.h"
#include "kernel/repeated.h"
#include "kernel/x86.h"

/* Both are called between repetitions, so that their branches are in the BTB. */
REPEATED_BEHIND void hw_flush_caches(void) { __asm__ volatile("wbinvd" ::: "memory"); }

REPEATED_BEHIND void hw_flush_tlbs(void)
{
    uintptr_t cr3;
    __asm__ volatile("mov %%cr3, %0\n\tmov %0, %%cr3" : "=r"(cr3)::"memory");
}

REPEATED_BEHIND void hw_forget(void)
{
    hw_flush_caches();
    hw_flush_tlbs();
}

void hw_flush_page(const void *at) { __asm__ volatile("invlpg (%0)" ::"r"(at) : "memory"); }

/* STI takes effect after the next instruction. */
void hw_interrupts_pass(void)
{
    hw_interrupts_on();
    hw_rdtsc();
    hw_interrupts_off();
}

void hw_allow_rdpmc(void) { WRITE_CR(4, READ_CR(4) | CR4_PCE); }

uint32_t hw_rdpmc_select(uint32_t counter) { return counter; }
