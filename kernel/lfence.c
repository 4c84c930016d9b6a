#include "kernel/lfence.h"
#include "kernel/hw.h"
#include "kernel/x86.h"

#define DE_CFG_LFENCE     (1u << 1)
#define X21_LFENCE_ALWAYS (1u << 2)

/* AMD, "Software Techniques for Managing Speculation on AMD Processors", G-2: always on families 0Fh and 11h
 * and if CPUID says so, else with DE_CFG[1]. */
static bool depends(const struct cpu_id *id)
{
    return cpu_is_amd(id) && id->family != 0x0f && id->family != 0x11 && !(id->x21_eax & X21_LFENCE_ALWAYS);
}

bool lfence_serializes(const struct cpu_id *id)
{
    return id->f1_edx & CPUID_1_EDX_SSE2 && (!depends(id) || id->lfence_set);
}

bool lfence_set(const struct cpu_id *id, struct control *c)
{
    *c = (struct control){.msr = MSR_DE_CFG, .off = DE_CFG_LFENCE};
    if (!(id->f1_edx & CPUID_1_EDX_SSE2) || !depends(id) || !rdmsr_safe(c->msr, &c->found)) return false;
    return control_off(c);
}
