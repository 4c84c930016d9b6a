/* The table of Intel's generations, every model and every column: what the driver does for a model comes from
 * its row.
 *
 * The other way round from the table: here a property has its models. Names and models: Linux'
 * arch/x86/include/asm/intel-family.h; databases: libpfm4's lib/pfmlib_intel_*.c; truths,
 * constraints and words: as the header of pmu/arch_cpus.c says.
 */
#include "pmu/arch.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof(a)[0])

enum core { ANY, CORE, ATOM }; /* which of a hybrid part's */

static const struct arch_cpu *row_of(unsigned family, unsigned model, unsigned stepping, enum core core)
{
    const struct cpu_id id = {.vendor = "GenuineIntel",
                              .family = family,
                              .model = model,
                              .stepping = stepping,
                              .f7_edx = core == ANY ? 0 : 1u << 15,
                              .f1a_eax = core == ATOM ? 0x20000001 : 0x40000001};
    return pmu_arch_cpu(&id);
}

/* ---- names ---- */

/* Of each name all its models, and of those that have one the database. */
static const struct {
    const char *name, *database, *models;
    unsigned family;
    enum core core;
} names[] = {
    {"Core Duo", "coreduo", "0e", 6, ANY},
    {"Core 2", "core", "0f 16 17 1d", 6, ANY},
    {"Atom (Bonnell)", "atom", "1c 26 27 35 36", 6, ANY},
    {"Nehalem", "nhm", "1a 1e 1f", 6, ANY},
    {"Nehalem-EX", "nhm_ex", "2e", 6, ANY},
    {"Westmere", "wsm", "25", 6, ANY},
    {"Westmere-EP", "wsm_dp", "2c 2f", 6, ANY},
    {"Sandy Bridge", "snb", "2a", 6, ANY},
    {"Sandy Bridge-EP", "snb_ep", "2d", 6, ANY},
    {"Ivy Bridge", "ivb", "3a", 6, ANY},
    {"Ivy Bridge-EP", "ivb_ep", "3e", 6, ANY},
    {"Haswell", "hsw", "3c 45 46", 6, ANY},
    {"Haswell-EP", "hsw_ep", "3f", 6, ANY},
    {"Broadwell", "bdw", "3d 47", 6, ANY},
    {"Broadwell-EP", "bdw_ep", "4f 56", 6, ANY},
    {"Skylake", "skl", "4e 5e", 6, ANY},
    {"Kaby Lake", "skl", "8e 9e", 6, ANY},
    {"Comet Lake", "skl", "a5 a6", 6, ANY},
    {"Skylake-SP", "skx", "55", 6, ANY},
    {"Cannon Lake", NULL, "66", 6, ANY},
    {"Ice Lake", "icl", "7d 7e", 6, ANY},
    {"Tiger Lake", "icl", "8c 8d", 6, ANY},
    {"Rocket Lake", "icl", "a7", 6, ANY},
    {"Ice Lake-SP", "icx", "6a 6c", 6, ANY},
    {"Sapphire Rapids", "spr", "8f", 6, ANY},
    {"Emerald Rapids", "emr", "cf", 6, ANY},
    {"Granite Rapids", "gnr", "ad ae", 6, ANY},
    {"Alder Lake", "adl_glc", "97 9a", 6, CORE},
    {"Alder Lake", "adl_grt", "97 9a", 6, ATOM},
    {"Raptor Lake", "adl_glc", "b7 ba bf", 6, CORE},
    {"Raptor Lake", "adl_grt", "b7 ba bf", 6, ATOM},
    {"Meteor Lake", NULL, "aa ac", 6, CORE},
    {"Meteor Lake", NULL, "aa ac", 6, ATOM},
    {"Arrow Lake", NULL, "b5 c5 c6", 6, CORE},
    {"Arrow Lake", NULL, "b5 c5 c6", 6, ATOM},
    {"Lunar Lake", NULL, "bd", 6, CORE},
    {"Lunar Lake", NULL, "bd", 6, ATOM},
    {"Panther Lake", NULL, "cc", 6, CORE},
    {"Panther Lake", NULL, "cc", 6, ATOM},
    {"Wildcat Lake", NULL, "d5", 6, CORE},
    {"Wildcat Lake", NULL, "d5", 6, ATOM},
    {"Nova Lake", NULL, "01 03", 18, CORE},
    {"Nova Lake", NULL, "01 03", 18, ATOM},
    {"Diamond Rapids", NULL, "01", 19, ANY},
    {"Silvermont", "slm", "37 4a 4d 5a 5d", 6, ANY},
    {"Airmont", "slm", "4c 75", 6, ANY},
    {"Goldmont", "glm", "5c 5f", 6, ANY},
    {"Goldmont Plus", "glm", "7a", 6, ANY},
    {"Tremont", "tmt", "86 96 9c", 6, ANY},
    {"Alder Lake-N", "adl_grt", "be", 6, ANY},
    {"Sierra Forest", NULL, "af", 6, ANY},
    {"Grand Ridge", NULL, "b6", 6, ANY},
    {"Clearwater Forest", NULL, "dd", 6, ANY},
    {"Knights Landing", "knl", "57", 6, ANY},
    {"Knights Mill", "knm", "85", 6, ANY},
};

/* The list, hexadecimal numbers among blanks, has this model. */
static bool has(const char *models, unsigned model)
{
    char *end;
    for (; *models; models = end)
        if (strtoul(models, &end, 16) == model || end == models) return end != models;
    return false;
}

TEST(every_model_has_its_name)
{
    for (unsigned family = 5; family < 21; family++)
        for (unsigned model = 0; model < 0x200; model++)
            for (enum core core = ANY; core <= ATOM; core++) {
                const struct arch_cpu *row = row_of(family, model, 0, core);
                unsigned k = 0;
                while (k < N(names) &&
                       !(names[k].family == family && model < 0x100 && has(names[k].models, model) &&
                         (core != ATOM || names[k].core != CORE) && (core == ATOM || names[k].core != ATOM)))
                    k++;
                if (!row != (k == N(names)))
                    fail_msg("family %u model %x: %s", family, model, row ? row->name : "no row");
                if (!row) continue;
                assert_string_equal(row->name, names[k].name);
                if (names[k].database)
                    assert_string_equal(row->database, names[k].database);
                else
                    assert_null(row->database);
            }
}

/* Model 55h by stepping. */
TEST(steppings)
{
    static const char *const names_of[16] = {
        [4] = "Skylake-SP",   [5] = "Cascade Lake", [9] = "Cascade Lake",
        [10] = "Cooper Lake", [11] = "Cooper Lake", [15] = "Cooper Lake"};
    for (unsigned stepping = 0; stepping < 16; stepping++) {
        if (!names_of[stepping]) continue;
        assert_string_equal(row_of(6, 0x55, stepping, ANY)->name, names_of[stepping]);
        assert_string_equal(row_of(6, 0x55, stepping, ANY)->database, stepping < 5 ? "skx" : "clx");
    }
}

TEST(others_have_none)
{
    struct cpu_id id = {.vendor = "AuthenticAMD", .family = 6, .model = 0x5e};
    assert_null(pmu_arch_cpu(&id));
    strcpy(id.vendor, "GenuineIntel");
    assert_non_null(pmu_arch_cpu(&id));
    id.model = 0x15e; /* only the lower byte is in the table */
    assert_null(pmu_arch_cpu(&id));
}

/* ---- what the driver does by the row ---- */

#define BRIDGES   "2a 2d 3a 3e 3c 45 46 3f 3d 47 4f 56 "
#define SKYLAKES  "4e 5e 8e 9e a5 a6 55 "
#define ICE_LAKES "7d 7e 8c 8d a7 6a 6c "

/* A property that the rows with these models have, and no other. */
struct property {
    int value;
    const char *models, *atoms; /* atoms: of hybrid parts, where the Atom core has it */
};

static int constraints(const struct arch_cpu *row) { return row->constraints; }
static int classes(const struct arch_cpu *row) { return (int)row->classes; }

static void check(const struct property *p, unsigned n, int other, int (*get)(const struct arch_cpu *))
{
    for (unsigned model = 1; model < 0x100; model++)
        for (enum core core = CORE; core <= ATOM; core++)
            for (unsigned stepping = 0; stepping < 16; stepping += 5) {
                const struct arch_cpu *row = row_of(6, model, stepping, core);
                const bool hybrid = row_of(6, model, stepping, CORE) != row_of(6, model, stepping, ATOM);
                int want = other;
                if (!row) continue;
                for (unsigned k = 0; k < n; k++)
                    if (has(hybrid && core == ATOM ? p[k].atoms : p[k].models, model)) want = p[k].value;
                if (get(row) != want)
                    fail_msg("%s (%x, stepping %u): %d, not %d", row->name, model, stepping, get(row), want);
            }
}

TEST(limits)
{
    static const struct property by[] = {
        {CONSTRAINTS_CORE, "0e", ""},
        {CONSTRAINTS_CORE2, "0f 16 17 1d", ""},
        {CONSTRAINTS_NHM, "1a 1e 1f 2e", ""},
        {CONSTRAINTS_WSM, "25 2c 2f", ""},
        {CONSTRAINTS_SNB, "2a 2d", ""},
        {CONSTRAINTS_IVB, "3a 3e", ""},
        {CONSTRAINTS_HSW, "3c 45 46 3f", ""},
        {CONSTRAINTS_BDW, "3d 47 4f 56", ""},
        {CONSTRAINTS_SKL, SKYLAKES, ""},
        {CONSTRAINTS_ICL, ICE_LAKES, ""},
        {CONSTRAINTS_GLC, "8f cf ad ae 97 9a b7 ba bf aa ac b5", ""},
        {CONSTRAINTS_LNC, "c5 c6 bd cc d5", ""},
        {CONSTRAINTS_GRT, "be af b6 dd", "97 9a b7 ba bf aa ac b5 c5 c6 bd cc d5"},
        {CONSTRAINTS_GEN, "1c 26 27 35 36 37 4a 4d 5a 5d 4c 75 5c 5f 7a 86 96 9c 57 85", ""},
    };
    check(by, N(by), CONSTRAINTS_UNKNOWN, constraints);
    assert_int_equal(row_of(18, 1, 0, CORE)->constraints, CONSTRAINTS_PNC);
    assert_int_equal(row_of(18, 3, 0, ATOM)->constraints, CONSTRAINTS_ARW);
    assert_int_equal(row_of(19, 1, 0, ANY)->constraints, CONSTRAINTS_PNC);
}

TEST(truth_classes)
{
    static const struct property by[] = {
        {CLASS_CORE2, "0f 16 17 1d", ""},
        {CLASS_BRIDGE, BRIDGES, ""},
        {CLASS_BRIDGE | CLASS_LAKE, ICE_LAKES "8f cf ad ae 97 9a b7 ba bf", ""},
        {CLASS_BRIDGE | CLASS_LAKE | CLASS_INTERRUPTS, SKYLAKES, ""},
    };
    check(by, N(by), 0, classes);
}

/* Which table of perf's words. */
static const struct pmu_words *const tables[] = {
    &pmu_words_arch,       &pmu_words_core2,        &pmu_words_bonnell,       &pmu_words_nehalem,
    &pmu_words_westmere,   &pmu_words_sandy_bridge, &pmu_words_ivy_bridge,    &pmu_words_haswell,
    &pmu_words_skylake,    &pmu_words_ice_lake,     &pmu_words_golden_cove,   &pmu_words_panther_cove,
    &pmu_words_silvermont, &pmu_words_goldmont,     &pmu_words_goldmont_plus, &pmu_words_tremont};

static int table_of(const struct pmu_words *words)
{
    int i = 0;
    while (tables[i] != words) i++;
    return i;
}
static int words(const struct arch_cpu *row) { return table_of(row->words); }

TEST(perfs_words)
{
    const struct property by[] = {
        {table_of(&pmu_words_core2), "0f 16 17 1d", ""},
        {table_of(&pmu_words_bonnell), "1c 26 27 35 36", ""},
        {table_of(&pmu_words_nehalem), "1a 1e 1f 2e", ""},
        {table_of(&pmu_words_westmere), "25 2c 2f", ""},
        {table_of(&pmu_words_sandy_bridge), "2a 2d", ""},
        {table_of(&pmu_words_ivy_bridge), "3a 3e", ""},
        {table_of(&pmu_words_haswell), "3c 45 46 3f 3d 47 4f 56", ""},
        {table_of(&pmu_words_skylake), SKYLAKES, ""},
        {table_of(&pmu_words_ice_lake), ICE_LAKES, ""},
        {table_of(&pmu_words_golden_cove), "8f cf ad ae 97 9a b7 ba bf aa ac b5 c5 c6 bd cc d5", ""},
        {table_of(&pmu_words_silvermont), "37 4a 4d 5a 5d 4c 75 57 85", ""},
        {table_of(&pmu_words_goldmont), "5c 5f", ""},
        {table_of(&pmu_words_goldmont_plus), "7a", ""},
        {table_of(&pmu_words_tremont), "86 96 9c be af b6 dd", "97 9a b7 ba bf aa ac b5 c5 c6 bd cc d5"},
    };
    check(by, N(by), table_of(&pmu_words_arch), words);
    assert_ptr_equal(row_of(18, 1, 0, CORE)->words, &pmu_words_panther_cove);
    assert_ptr_equal(row_of(18, 3, 0, ATOM)->words, &pmu_words_tremont);
    assert_ptr_equal(row_of(19, 1, 0, ANY)->words, &pmu_words_panther_cove);
}

TEST(constraints_by_database)
{
    for (unsigned k = 0; k < N(names); k++) {
        const unsigned model = (unsigned)strtoul(names[k].models, NULL, 16);
        if (!names[k].database) continue;
        assert_int_equal(pmu_arch_constraints_named(names[k].database),
                         row_of(names[k].family, model, 4, names[k].core)->constraints);
    }
    assert_int_equal(pmu_arch_constraints_named("ppro"), CONSTRAINTS_UNKNOWN);
    assert_int_equal(pmu_arch_constraints_named(""), CONSTRAINTS_UNKNOWN);
}
