#include "kernel/pat.h"

#define MSR_PAT         0x277
#define WRITE_COMBINING 1u /* SDM vol. 3A, table 11-10 */

/* Entry 1 and none of 4 to 7: errata of the Pentium II, III, M and 4 make the upper four unusable, since the
 * page-table entry's PAT bit is ignored in some modes. Linux uses entry 1 on every CPU (pat_bp_init() in
 * arch/x86/mm/pat/memtype.c, which names the errata). */
#define ENTRY 1

bool pat_combine_writes(const struct cpu_id *id)
{
    uint64_t pat;
    if (!(id->f1_edx & CPUID_1_EDX_PAT) || !rdmsr_safe(MSR_PAT, &pat)) return false;
    pat &= ~(0xffull << 8 * ENTRY);
    return wrmsr_safe(MSR_PAT, pat | (uint64_t)WRITE_COMBINING << 8 * ENTRY);
}

uint64_t pat_read(const struct cpu_id *id)
{
    uint64_t pat = 0;
    if (id->f1_edx & CPUID_1_EDX_PAT) rdmsr_safe(MSR_PAT, &pat);
    return pat;
}

bool pat_load(const struct cpu_id *id, uint64_t pat)
{
    const uint64_t own = pat_read(id);
    if (pat && own != pat) wrmsr_safe(MSR_PAT, pat);
    return (own ^ pat) & ~(0xffull << 8 * ENTRY);
}
