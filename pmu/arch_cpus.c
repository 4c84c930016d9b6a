/* Intel's CPUs with architectural performance monitoring. A new generation is a new row: the first row that
 * fits is used.
 *
 * Models: Linux' arch/x86/include/asm/intel-family.h and arch/x86/events/intel/core.c. Databases: the names
 * of libpfm4's PMUs. 4.13 has nothing newer than Sapphire Rapids; emr, gnr, adl_glc and adl_grt came after it
 * (its repository, lib/pfmlib_intel_spr.c, _gnr.c and _adl.c). Where it treats a shrunk or renamed core like
 * its predecessor, so does this table. It distinguishes Cascade Lake from Skylake-SP by the stepping
 * (pfmlib_intel_skl.c). Constraints and words: Linux' intel_pmu_init(). Of Arrow Lake's two kinds of Atom
 * cores the limits are the same.
 */
#include "pmu/arch.h"
#include <string.h>

static const struct arch_cpu cpus[] = {
    {"Core Duo", "coreduo", "\x0e", 6, 0, 0, CONSTRAINTS_CORE, &pmu_words_arch},
    {"Core 2", "core", "\x0f\x16\x17\x1d", 6, 0, CLASS_CORE2, CONSTRAINTS_CORE2, &pmu_words_core2},
    {"Atom (Bonnell)", "atom", "\x1c\x26\x27\x35\x36", 6, 0, 0, CONSTRAINTS_GEN, &pmu_words_bonnell},
    {"Nehalem", "nhm", "\x1a\x1e\x1f", 6, 0, 0, CONSTRAINTS_NHM, &pmu_words_nehalem},
    {"Nehalem-EX", "nhm_ex", "\x2e", 6, 0, 0, CONSTRAINTS_NHM, &pmu_words_nehalem},
    {"Westmere", "wsm", "\x25", 6, 0, 0, CONSTRAINTS_WSM, &pmu_words_westmere},
    {"Westmere-EP", "wsm_dp", "\x2c\x2f", 6, 0, 0, CONSTRAINTS_WSM, &pmu_words_westmere},
    {"Sandy Bridge", "snb", "\x2a", 6, 0, CLASS_BRIDGE, CONSTRAINTS_SNB, &pmu_words_sandy_bridge},
    {"Sandy Bridge-EP", "snb_ep", "\x2d", 6, 0, CLASS_BRIDGE, CONSTRAINTS_SNB, &pmu_words_sandy_bridge},
    {"Ivy Bridge", "ivb", "\x3a", 6, 0, CLASS_BRIDGE, CONSTRAINTS_IVB, &pmu_words_ivy_bridge},
    {"Ivy Bridge-EP", "ivb_ep", "\x3e", 6, 0, CLASS_BRIDGE, CONSTRAINTS_IVB, &pmu_words_ivy_bridge},
    {"Haswell", "hsw", "\x3c\x45\x46", 6, 0, CLASS_BRIDGE, CONSTRAINTS_HSW, &pmu_words_haswell},
    {"Haswell-EP", "hsw_ep", "\x3f", 6, 0, CLASS_BRIDGE, CONSTRAINTS_HSW, &pmu_words_haswell},
    {"Broadwell", "bdw", "\x3d\x47", 6, 0, CLASS_BRIDGE, CONSTRAINTS_BDW, &pmu_words_haswell},
    {"Broadwell-EP", "bdw_ep", "\x4f\x56", 6, 0, CLASS_BRIDGE, CONSTRAINTS_BDW, &pmu_words_haswell},
    {"Skylake", "skl", "\x4e\x5e", 6, 0, CLASS_BRIDGE | CLASS_LAKE | CLASS_INTERRUPTS, CONSTRAINTS_SKL,
     &pmu_words_skylake},
    {"Kaby Lake", "skl", "\x8e\x9e", 6, 0, CLASS_BRIDGE | CLASS_LAKE | CLASS_INTERRUPTS, CONSTRAINTS_SKL,
     &pmu_words_skylake},
    {"Comet Lake", "skl", "\xa5\xa6", 6, 0, CLASS_BRIDGE | CLASS_LAKE | CLASS_INTERRUPTS, CONSTRAINTS_SKL,
     &pmu_words_skylake},
    {"Cooper Lake", "clx", "\x55", 6, 10, CLASS_BRIDGE | CLASS_LAKE | CLASS_INTERRUPTS, CONSTRAINTS_SKL,
     &pmu_words_skylake},
    {"Cascade Lake", "clx", "\x55", 6, 5, CLASS_BRIDGE | CLASS_LAKE | CLASS_INTERRUPTS, CONSTRAINTS_SKL,
     &pmu_words_skylake},
    {"Skylake-SP", "skx", "\x55", 6, 0, CLASS_BRIDGE | CLASS_LAKE | CLASS_INTERRUPTS, CONSTRAINTS_SKL,
     &pmu_words_skylake},
    {"Cannon Lake", NULL, "\x66", 6, 0, 0, CONSTRAINTS_UNKNOWN, &pmu_words_arch},
    {"Ice Lake", "icl", "\x7d\x7e", 6, 0, CLASS_BRIDGE | CLASS_LAKE, CONSTRAINTS_ICL, &pmu_words_ice_lake},
    {"Tiger Lake", "icl", "\x8c\x8d", 6, 0, CLASS_BRIDGE | CLASS_LAKE, CONSTRAINTS_ICL, &pmu_words_ice_lake},
    {"Rocket Lake", "icl", "\xa7", 6, 0, CLASS_BRIDGE | CLASS_LAKE, CONSTRAINTS_ICL, &pmu_words_ice_lake},
    {"Ice Lake-SP", "icx", "\x6a\x6c", 6, 0, CLASS_BRIDGE | CLASS_LAKE, CONSTRAINTS_ICL, &pmu_words_ice_lake},
    {"Sapphire Rapids", "spr", "\x8f", 6, 0, CLASS_BRIDGE | CLASS_LAKE, CONSTRAINTS_GLC,
     &pmu_words_golden_cove},
    {"Emerald Rapids", "emr", "\xcf", 6, 0, CLASS_BRIDGE | CLASS_LAKE, CONSTRAINTS_GLC,
     &pmu_words_golden_cove},
    {"Granite Rapids", "gnr", "\xad\xae", 6, 0, CLASS_BRIDGE | CLASS_LAKE, CONSTRAINTS_GLC,
     &pmu_words_golden_cove},
    {"Alder Lake", "adl_grt", "\x97\x9a", 6, ONLY_ATOM, 0, CONSTRAINTS_GRT, &pmu_words_tremont},
    {"Alder Lake", "adl_glc", "\x97\x9a", 6, 0, CLASS_BRIDGE | CLASS_LAKE, CONSTRAINTS_GLC,
     &pmu_words_golden_cove},
    {"Raptor Lake", "adl_grt", "\xb7\xba\xbf", 6, ONLY_ATOM, 0, CONSTRAINTS_GRT, &pmu_words_tremont},
    {"Raptor Lake", "adl_glc", "\xb7\xba\xbf", 6, 0, CLASS_BRIDGE | CLASS_LAKE, CONSTRAINTS_GLC,
     &pmu_words_golden_cove},
    {"Meteor Lake", NULL, "\xaa\xac", 6, ONLY_ATOM, 0, CONSTRAINTS_GRT, &pmu_words_tremont},
    {"Meteor Lake", NULL, "\xaa\xac", 6, 0, 0, CONSTRAINTS_GLC, &pmu_words_golden_cove},
    {"Arrow Lake", NULL, "\xb5", 6, ONLY_ATOM, 0, CONSTRAINTS_GRT, &pmu_words_tremont},
    {"Arrow Lake", NULL, "\xb5", 6, 0, 0, CONSTRAINTS_GLC, &pmu_words_golden_cove},
    {"Arrow Lake", NULL, "\xc5\xc6", 6, ONLY_ATOM, 0, CONSTRAINTS_GRT, &pmu_words_tremont},
    {"Arrow Lake", NULL, "\xc5\xc6", 6, 0, 0, CONSTRAINTS_LNC, &pmu_words_golden_cove},
    {"Lunar Lake", NULL, "\xbd", 6, ONLY_ATOM, 0, CONSTRAINTS_GRT, &pmu_words_tremont},
    {"Lunar Lake", NULL, "\xbd", 6, 0, 0, CONSTRAINTS_LNC, &pmu_words_golden_cove},
    {"Panther Lake", NULL, "\xcc", 6, ONLY_ATOM, 0, CONSTRAINTS_GRT, &pmu_words_tremont},
    {"Panther Lake", NULL, "\xcc", 6, 0, 0, CONSTRAINTS_LNC, &pmu_words_golden_cove},
    {"Wildcat Lake", NULL, "\xd5", 6, ONLY_ATOM, 0, CONSTRAINTS_GRT, &pmu_words_tremont},
    {"Wildcat Lake", NULL, "\xd5", 6, 0, 0, CONSTRAINTS_LNC, &pmu_words_golden_cove},
    {"Nova Lake", NULL, "\x01\x03", 18, ONLY_ATOM, 0, CONSTRAINTS_ARW, &pmu_words_tremont},
    {"Nova Lake", NULL, "\x01\x03", 18, 0, 0, CONSTRAINTS_PNC, &pmu_words_panther_cove},
    {"Diamond Rapids", NULL, "\x01", 19, 0, 0, CONSTRAINTS_PNC, &pmu_words_panther_cove},
    {"Silvermont", "slm", "\x37\x4a\x4d\x5a\x5d", 6, 0, 0, CONSTRAINTS_GEN, &pmu_words_silvermont},
    {"Airmont", "slm", "\x4c\x75", 6, 0, 0, CONSTRAINTS_GEN, &pmu_words_silvermont},
    {"Goldmont", "glm", "\x5c\x5f", 6, 0, 0, CONSTRAINTS_GEN, &pmu_words_goldmont},
    {"Goldmont Plus", "glm", "\x7a", 6, 0, 0, CONSTRAINTS_GEN, &pmu_words_goldmont_plus},
    {"Tremont", "tmt", "\x86\x96\x9c", 6, 0, 0, CONSTRAINTS_GEN, &pmu_words_tremont},
    {"Alder Lake-N", "adl_grt", "\xbe", 6, 0, 0, CONSTRAINTS_GRT, &pmu_words_tremont},
    {"Sierra Forest", NULL, "\xaf", 6, 0, 0, CONSTRAINTS_GRT, &pmu_words_tremont},
    {"Grand Ridge", NULL, "\xb6", 6, 0, 0, CONSTRAINTS_GRT, &pmu_words_tremont},
    {"Clearwater Forest", NULL, "\xdd", 6, 0, 0, CONSTRAINTS_GRT, &pmu_words_tremont},
    {"Knights Landing", "knl", "\x57", 6, 0, 0, CONSTRAINTS_GEN, &pmu_words_silvermont},
    {"Knights Mill", "knm", "\x85", 6, 0, 0, CONSTRAINTS_GEN, &pmu_words_silvermont},
};

const struct arch_cpu *pmu_arch_cpu(const struct cpu_id *id)
{
    if (!cpu_is_intel(id) || id->model > 0xff) return NULL;
    for (const struct arch_cpu *c = cpus; c < cpus + sizeof cpus / sizeof cpus[0]; c++)
        if (c->family == id->family && id->model && strchr(c->models, (char)id->model) &&
            (c->only == ONLY_ATOM ? cpu_atom(id) : id->stepping >= c->only))
            return c;
    return NULL;
}

enum arch_constraints pmu_arch_constraints_named(const char *database)
{
    for (const struct arch_cpu *c = cpus; c < cpus + sizeof cpus / sizeof cpus[0]; c++)
        if (c->database && strcmp(c->database, database) == 0) return c->constraints;
    return CONSTRAINTS_UNKNOWN;
}
