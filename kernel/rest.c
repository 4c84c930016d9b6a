#include "kernel/rest.h"

#define MISSES(erratum) "a store may fail to end this CPU's MWAIT (" erratum ")"

/* Linux, arch/x86/kernel/cpu/intel.c: X86_BUG_MONITOR (5Ch, 6Ah, BDh), and X86_BUG_CLFLUSH_MONITOR (1Dh, 2Eh,
 * 2Fh), which a CLFLUSH before MONITOR avoids, but HLT is as good here. AMD: FreeBSD,
 * sys/x86/x86/cpu_machdep.c; Zen and Zen+, Revision Guide 55449. */
static const struct {
    bool amd;
    uint16_t family, model;
    const char *fault;
} misses[] = {
    {false, 6, 0x1d, MISSES("erratum AAI65")},            /* Dunnington */
    {false, 6, 0x2e, MISSES("as erratum AAI65")},         /* Nehalem-EX */
    {false, 6, 0x2f, MISSES("as erratum AAI65")},         /* Westmere-EX */
    {false, 6, 0x5c, MISSES("erratum APL30")},            /* Goldmont */
    {false, 6, 0x6a, MISSES("erratum ICX143")},           /* Ice Lake-SP */
    {false, 6, 0xbd, MISSES("X86_BUG_MONITOR in Linux")}, /* Lunar Lake */
    {true, 0x17, 0x01, "MWAIT may hang this CPU (erratum 1109)"},
    {true, 0x17, 0x08, "MWAIT may hang this CPU (erratum 1109)"},
};

const char *rest_mwait_fault(const struct cpu_id *id)
{
    if (!(id->f1_ecx & CPUID_1_ECX_MONITOR)) return "this CPU has no MWAIT";
    for (unsigned i = 0; i < sizeof misses / sizeof *misses; i++)
        if (misses[i].family == id->family && misses[i].model == id->model &&
            (misses[i].amd ? cpu_is_amd(id) : cpu_is_intel(id)))
            return misses[i].fault;
    return NULL;
}

bool rest_prefers_mwait(const struct cpu_id *id)
{
    return (cpu_is_intel(id) || cpu_is_amd(id)) && !rest_mwait_fault(id);
}
