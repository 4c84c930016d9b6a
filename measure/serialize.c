#include "kernel/hw.h"
#include "measure/bracket.h"
#include <string.h>

#define MSR_DE_CFG        0xc0011029
#define DE_CFG_LFENCE     (1u << 1)
#define X21_LFENCE_ALWAYS (1u << 2)

static bool always(const struct cpu_id *id)
{
    (void)id;
    return true;
}

/* On AMD, LFENCE serialises by itself on families 0Fh and 11h and where CPUID says so, elsewhere when
 * DE_CFG[1] is set: AMD, "Software Techniques for Managing Speculation on AMD Processors", G-2. */
static bool lfence_usable(const struct cpu_id *id)
{
    uint64_t cfg;
    if (!(id->f1_edx & CPUID_1_EDX_SSE2)) return false;
    if (strcmp(id->vendor, "AuthenticAMD") != 0 && strcmp(id->vendor, "HygonGenuine") != 0) return true;
    if (id->family == 0x0f || id->family == 0x11 || id->x21_eax & X21_LFENCE_ALWAYS) return true;
    if (!rdmsr_safe(MSR_DE_CFG, &cfg)) return false;
    if (cfg & DE_CFG_LFENCE) return true;
    return wrmsr_safe(MSR_DE_CFG, cfg | DE_CFG_LFENCE) && rdmsr_safe(MSR_DE_CFG, &cfg) &&
           (cfg & DE_CFG_LFENCE);
}

static bool serialize_usable(const struct cpu_id *id) { return id->f7_edx & CPUID_7_EDX_SERIALIZE; }

const struct bracket brackets[SERIALIZE_COUNT] = {
    [SERIALIZE_CPUID] = {"cpuid", bracket_cpuid, always},
    [SERIALIZE_LFENCE] = {"lfence", bracket_lfence, lfence_usable},
    [SERIALIZE_SERIALIZE] = {"serialize", bracket_serialize, serialize_usable},
};
