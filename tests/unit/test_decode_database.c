/* The event database backwards: what each of its words selects is decoded to that word, and to one that
 * selects the same.
 */
#include "pmu/amd.h"
#include "pmu/arch.h"
#include "pmu/database.h"
#include "pmu/decode.h"
#include "tests/unit/database_drive.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

static char text[65536], again[PMU_NAME];

static void line(void *ctx, const char *label, const char *words)
{
    const size_t n = strlen(text);
    (void)ctx;
    snprintf(text + n, sizeof text - n, "%s|%s\n", label, words);
    if (strcmp(label, "events=") == 0) snprintf(again, sizeof again, "%s", words);
}

static unsigned checked, by_fields;

static void check(const struct pmu *pmu, const char *word)
{
    char name[PMU_NAME * 2];
    if (!parse(pmu, word) || code.extra_msr) return; /* it needs a further register, or a unit mask */
    const struct pmu_code want = code;
    text[0] = again[0] = '\0';
    assert_true(pmu_decode_value(pmu, want.select, "", 0, line, NULL, why, sizeof why));
    snprintf(name, sizeof name, "|%s: ", word);
    if (!strstr(text, name)) fail_msg("%s::%s is not in\n%s", pmu->database, word, text);
    if (strstr(text, "reserved")) fail_msg("%s::%s\n%s", pmu->database, word, text);
    if (!again[0]) fail_msg("%s::%s: no word in\n%s", pmu->database, word, text);
    if (!parse(pmu, again) || code.select != want.select)
        fail_msg("%s::%s is not %s", pmu->database, word, again);
    by_fields += again[0] == '/';
    checked++;
}

static void check_pmu(const char *name)
{
    const struct db_pmu *p = db_pmu_named(name);
    const struct db_event *e;
    const struct db_umask *u;
    char word[PMU_NAME * 2];
    const bool intel = strncmp(name, "amd", 3) != 0;
    struct pmu pmu = cpu_of(name, intel ? &pmu_arch_ops : &pmu_amd_ops);
    pmu.classes = intel ? CLASS_ARCH : CLASS_AMD;
    assert_non_null(p);
    for (unsigned k = 0; (e = db_event_at(p, k)); k++) {
        check(&pmu, db_text(e->name));
        for (unsigned m = 0; (u = db_umask_at(e, m)); m++) {
            snprintf(word, sizeof word, "%s:%s", db_text(e->name), db_text(u->name & DB_NAME));
            check(&pmu, word);
        }
    }
}

static void test_all(void **state)
{
    static const char *const pmus[] = {"core",
                                       "wsm",
                                       "snb",
                                       "hsw",
                                       "skl",
                                       "icl",
                                       "slm",
                                       "amd64_k8_revg",
                                       "amd64_fam15h_interlagos",
                                       "amd64_fam17h_zen1",
                                       "amd64_fam19h_zen4"};
    (void)state;
    for (unsigned i = 0; i < sizeof pmus / sizeof *pmus; i++) check_pmu(pmus[i]);
    if (checked < 3000 || by_fields) fail_msg("%u words, %u of them as fields only", checked, by_fields);
}

/* Several unit masks, those that have no name, modifiers of an event and others. */
static void test_values(void **state)
{
    struct pmu skl = cpu_of("skl", &pmu_arch_ops);
    (void)state;
    skl.classes = CLASS_ARCH;
    text[0] = again[0] = '\0';
    assert_true(
        pmu_decode_value(&skl, 0x4100c0 | 0xf3ull << 8, "perfevtsel", 10, line, NULL, why, sizeof why));
    assert_string_equal(again, "inst_retired:0xf3:u");
    text[0] = again[0] = '\0';
    assert_true(pmu_decode_value(&skl, 0x4320d1, "", 0, line, NULL, why, sizeof why));
    if (!strstr(text, "mem_load_retired:l3_miss")) fail_msg("%s", text);
    text[0] = again[0] = '\0';
    assert_true(pmu_decode_value(&skl, 0x430000, "", 0, line, NULL, why, sizeof why));
    if (!strstr(text, "|no event\n")) fail_msg("%s", text);
}

/* Several unit masks add up: L2_RQSTS of the Core 2 has the cores in bits 7:6, prefetches in 5:4 and the
 * states M, E, S and I in 3:0 (SDM vol. 3B, tables of unit mask qualifiers). A name is left out if it adds no
 * bit, or has a bit that the value lacks. */
static void test_combinations(void **state)
{
    static const struct {
        unsigned umask;
        const char *word;
    } cases[] = {
        {0x51, "l2_rqsts:i_state:prefetch:self:u"},
        {0x73, "l2_rqsts:any:i_state:s_state:self:u"},
        {0xdc, "l2_rqsts:both_cores:e_state:m_state:prefetch:u"},
        {0xdf, "l2_rqsts:both_cores:e_state:i_state:m_state:mesi:prefetch:u"},
        {0xd0, "l2_rqsts:0xd0:u"}, /* no state */
    };
    struct pmu core = cpu_of("core", &pmu_arch_ops);
    (void)state;
    core.classes = CLASS_ARCH;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        text[0] = again[0] = '\0';
        assert_true(
            pmu_decode_value(&core, 0x41002e | cases[i].umask << 8, "", 0, line, NULL, why, sizeof why));
        assert_string_equal(again, cases[i].word);
        assert_true(parse(&core, cases[i].word) && (code.select & 0xffff) == (0x2e | cases[i].umask << 8));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {OPENED(test_all), OPENED(test_values), OPENED(test_combinations)};
    (void)argc;
    find_build(argv[0]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
