/* Intel's CPUs with architectural performance monitoring. The next generation is one more row here: the first
 * that fits is taken.
 *
 * Models: Linux' arch/x86/include/asm/intel-family.h and arch/x86/events/intel/core.c. Databases: the names
 * of libpfm4's PMUs. 4.13 has nothing newer than Sapphire Rapids; emr, gnr, adl_glc and adl_grt came after it
 * (its repository, lib/pfmlib_intel_spr.c, _gnr.c and _adl.c). Where it takes a shrunk or renamed core for
 * the one before, so does this table. It tells Cascade Lake from Skylake-SP by the stepping
 * (pfmlib_intel_skl.c). Prefetchers: the SDM's tables of model-specific registers (chapter 35), and Intel's
 * "Disclosure of Hardware Prefetcher Control on Some Intel Processors", which speaks of Nehalem to Broadwell;
 * the tables of the 6th generation and later refer back to that register. The Atom cores of hybrid parts have
 * others (pmu_arch_atom()).
 * Constraints: Linux' intel_pmu_init(). Of Arrow Lake's two kinds of Atom cores the limits are the same.
 */
#include "pmu/arch.h"
#include <string.h>

static const struct arch_cpu cpus[] = {
    {"Core Duo", "coreduo", "\x0e", 6, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_CORE},
    {"Core 2", "core", "\x0f\x16\x17\x1d", 6, PREFETCH_CORE2, 0, ARCH_CORE2, CONSTRAINTS_CORE2},
    {"Atom (Bonnell)", "atom", "\x1c\x26\x27\x35\x36", 6, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_GEN},
    {"Nehalem", "nhm", "\x1a\x1e\x1f", 6, PREFETCH_NEHALEM, 0, ARCH_SETTLE, CONSTRAINTS_NHM},
    {"Nehalem-EX", "nhm_ex", "\x2e", 6, PREFETCH_NEHALEM, 0, ARCH_SETTLE, CONSTRAINTS_NHM},
    {"Westmere", "wsm", "\x25", 6, PREFETCH_NEHALEM, 0, ARCH_SETTLE, CONSTRAINTS_WSM},
    {"Westmere-EP", "wsm_dp", "\x2c\x2f", 6, PREFETCH_NEHALEM, 0, ARCH_SETTLE, CONSTRAINTS_WSM},
    {"Sandy Bridge", "snb", "\x2a", 6, PREFETCH_NEHALEM, 0, ARCH_BRIDGE, CONSTRAINTS_SNB},
    {"Sandy Bridge-EP", "snb_ep", "\x2d", 6, PREFETCH_NEHALEM, 0, ARCH_BRIDGE, CONSTRAINTS_SNB},
    {"Ivy Bridge", "ivb", "\x3a", 6, PREFETCH_NEHALEM, 0, ARCH_BRIDGE, CONSTRAINTS_IVB},
    {"Ivy Bridge-EP", "ivb_ep", "\x3e", 6, PREFETCH_NEHALEM, 0, ARCH_BRIDGE, CONSTRAINTS_IVB},
    {"Haswell", "hsw", "\x3c\x45\x46", 6, PREFETCH_NEHALEM, 0, ARCH_BRIDGE, CONSTRAINTS_HSW},
    {"Haswell-EP", "hsw_ep", "\x3f", 6, PREFETCH_NEHALEM, 0, ARCH_BRIDGE, CONSTRAINTS_HSW},
    {"Broadwell", "bdw", "\x3d\x47", 6, PREFETCH_NEHALEM, 0, ARCH_BRIDGE, CONSTRAINTS_BDW},
    {"Broadwell-EP", "bdw_ep", "\x4f\x56", 6, PREFETCH_NEHALEM, 0, ARCH_BRIDGE, CONSTRAINTS_BDW},
    {"Skylake", "skl", "\x4e\x5e", 6, PREFETCH_NEHALEM, 0, ARCH_BRIDGE | ARCH_LAKE | ARCH_INTERRUPTS,
     CONSTRAINTS_SKL},
    {"Kaby Lake", "skl", "\x8e\x9e", 6, PREFETCH_NEHALEM, 0, ARCH_BRIDGE | ARCH_LAKE | ARCH_INTERRUPTS,
     CONSTRAINTS_SKL},
    {"Comet Lake", "skl", "\xa5\xa6", 6, PREFETCH_NEHALEM, 0, ARCH_BRIDGE | ARCH_LAKE | ARCH_INTERRUPTS,
     CONSTRAINTS_SKL},
    {"Cooper Lake", "clx", "\x55", 6, PREFETCH_NEHALEM, 10, ARCH_BRIDGE | ARCH_LAKE | ARCH_INTERRUPTS,
     CONSTRAINTS_SKL},
    {"Cascade Lake", "clx", "\x55", 6, PREFETCH_NEHALEM, 5, ARCH_BRIDGE | ARCH_LAKE | ARCH_INTERRUPTS,
     CONSTRAINTS_SKL},
    {"Skylake-SP", "skx", "\x55", 6, PREFETCH_NEHALEM, 0, ARCH_BRIDGE | ARCH_LAKE | ARCH_INTERRUPTS,
     CONSTRAINTS_SKL},
    {"Cannon Lake", NULL, "\x66", 6, PREFETCH_NEHALEM, 0, 0, CONSTRAINTS_UNKNOWN},
    {"Ice Lake", "icl", "\x7d\x7e", 6, PREFETCH_NEHALEM, 0, ARCH_BRIDGE | ARCH_LAKE, CONSTRAINTS_ICL},
    {"Tiger Lake", "icl", "\x8c\x8d", 6, PREFETCH_NEHALEM, 0, ARCH_BRIDGE | ARCH_LAKE, CONSTRAINTS_ICL},
    {"Rocket Lake", "icl", "\xa7", 6, PREFETCH_NEHALEM, 0, ARCH_BRIDGE | ARCH_LAKE, CONSTRAINTS_ICL},
    {"Ice Lake-SP", "icx", "\x6a\x6c", 6, PREFETCH_NEHALEM, 0, ARCH_BRIDGE | ARCH_LAKE, CONSTRAINTS_ICL},
    {"Sapphire Rapids", "spr", "\x8f", 6, PREFETCH_GOLDEN_COVE, 0, ARCH_BRIDGE | ARCH_LAKE, CONSTRAINTS_GLC},
    {"Emerald Rapids", "emr", "\xcf", 6, PREFETCH_GOLDEN_COVE, 0, ARCH_BRIDGE | ARCH_LAKE, CONSTRAINTS_GLC},
    {"Granite Rapids", "gnr", "\xad\xae", 6, PREFETCH_UNDOCUMENTED, 0, ARCH_BRIDGE | ARCH_LAKE,
     CONSTRAINTS_GLC},
    {"Alder Lake", "adl_grt", "\x97\x9a", 6, PREFETCH_UNDOCUMENTED, ONLY_ATOM, 0, CONSTRAINTS_GRT},
    {"Alder Lake", "adl_glc", "\x97\x9a", 6, PREFETCH_GOLDEN_COVE, 0, ARCH_BRIDGE | ARCH_LAKE,
     CONSTRAINTS_GLC},
    {"Raptor Lake", "adl_grt", "\xb7\xba\xbf", 6, PREFETCH_UNDOCUMENTED, ONLY_ATOM, 0, CONSTRAINTS_GRT},
    {"Raptor Lake", "adl_glc", "\xb7\xba\xbf", 6, PREFETCH_GOLDEN_COVE, 0, ARCH_BRIDGE | ARCH_LAKE,
     CONSTRAINTS_GLC},
    {"Meteor Lake", NULL, "\xaa\xac", 6, PREFETCH_UNDOCUMENTED, ONLY_ATOM, 0, CONSTRAINTS_GRT},
    {"Meteor Lake", NULL, "\xaa\xac", 6, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_GLC},
    {"Arrow Lake", NULL, "\xb5", 6, PREFETCH_UNDOCUMENTED, ONLY_ATOM, 0, CONSTRAINTS_GRT},
    {"Arrow Lake", NULL, "\xb5", 6, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_GLC},
    {"Arrow Lake", NULL, "\xc5\xc6", 6, PREFETCH_UNDOCUMENTED, ONLY_ATOM, 0, CONSTRAINTS_GRT},
    {"Arrow Lake", NULL, "\xc5\xc6", 6, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_LNC},
    {"Lunar Lake", NULL, "\xbd", 6, PREFETCH_UNDOCUMENTED, ONLY_ATOM, 0, CONSTRAINTS_GRT},
    {"Lunar Lake", NULL, "\xbd", 6, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_LNC},
    {"Panther Lake", NULL, "\xcc", 6, PREFETCH_UNDOCUMENTED, ONLY_ATOM, 0, CONSTRAINTS_GRT},
    {"Panther Lake", NULL, "\xcc", 6, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_LNC},
    {"Wildcat Lake", NULL, "\xd5", 6, PREFETCH_UNDOCUMENTED, ONLY_ATOM, 0, CONSTRAINTS_GRT},
    {"Wildcat Lake", NULL, "\xd5", 6, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_LNC},
    {"Nova Lake", NULL, "\x01\x03", 18, PREFETCH_UNDOCUMENTED, ONLY_ATOM, 0, CONSTRAINTS_ARW},
    {"Nova Lake", NULL, "\x01\x03", 18, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_PNC},
    {"Diamond Rapids", NULL, "\x01", 19, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_PNC},
    {"Silvermont", "slm", "\x37\x4a\x4d\x5a\x5d", 6, PREFETCH_SILVERMONT, 0, 0, CONSTRAINTS_GEN},
    {"Airmont", "slm", "\x4c\x75", 6, PREFETCH_SILVERMONT, 0, 0, CONSTRAINTS_GEN},
    {"Goldmont", "glm", "\x5c\x5f", 6, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_GEN},
    {"Goldmont Plus", "glm", "\x7a", 6, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_GEN},
    {"Tremont", "tmt", "\x86\x96\x9c", 6, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_GEN},
    {"Alder Lake-N", "adl_grt", "\xbe", 6, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_GRT},
    {"Sierra Forest", NULL, "\xaf", 6, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_GRT},
    {"Grand Ridge", NULL, "\xb6", 6, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_GRT},
    {"Clearwater Forest", NULL, "\xdd", 6, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_GRT},
    {"Knights Landing", "knl", "\x57", 6, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_GEN},
    {"Knights Mill", "knm", "\x85", 6, PREFETCH_UNDOCUMENTED, 0, 0, CONSTRAINTS_GEN},
};

const struct arch_cpu *pmu_arch_cpu(const struct cpu_id *id)
{
    if (strcmp(id->vendor, "GenuineIntel") != 0 || id->model > 0xff) return NULL;
    for (const struct arch_cpu *c = cpus; c < cpus + sizeof cpus / sizeof cpus[0]; c++)
        if (c->family == id->family && id->model && strchr(c->models, (char)id->model) &&
            (c->only == ONLY_ATOM ? pmu_arch_atom(id) : id->stepping >= c->only))
            return c;
    return NULL;
}

enum arch_constraints pmu_arch_constraints_named(const char *database)
{
    for (const struct arch_cpu *c = cpus; c < cpus + sizeof cpus / sizeof cpus[0]; c++)
        if (c->database && strcmp(c->database, database) == 0) return c->constraints;
    return CONSTRAINTS_UNKNOWN;
}

/* Leaf 1AH EAX[31:24]: 20h Atom, 40h Core (SDM vol. 2A, CPUID; Linux' enum intel_cpu_type). */
bool pmu_arch_atom(const struct cpu_id *id)
{
    return id->f7_edx & CPUID_7_EDX_HYBRID && id->f1a_eax >> 24 == 0x20;
}
