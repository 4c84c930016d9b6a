/* The truth suite's codes against libpfm4's tables of each AMD family: none is asked for where it would be
 * another event's, or no event's. */
#include "pmu/amd.h"
#include "pmu/database.h"
#include "tests/unit/database_drive.h"
#include "tests/unit/truth_drive.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

/* A family and a model of each row of pmu/amd.c that the library has a table of. */
static const struct {
    unsigned family, model;
} cpus[] = {{0x06, 0x08}, {0x0f, 0x04}, {0x0f, 0x14}, {0x0f, 0x27}, {0x0f, 0x4b}, {0x0f, 0x6b},
            {0x10, 0x02}, {0x10, 0x04}, {0x10, 0x08}, {0x11, 0x03}, {0x12, 0x01}, {0x14, 0x02},
            {0x15, 0x01}, {0x16, 0x00}, {0x17, 0x01}, {0x17, 0x31}, {0x19, 0x01}, {0x19, 0x61}};

static void plug_amd(unsigned family, unsigned model)
{
    static struct cpu_id amd;
    plug("p5"); /* for its MSRs: none is AMD's */
    amd = (struct cpu_id){.vendor = "AuthenticAMD", .family = family, .model = model};
    memset(&pmu, 0, sizeof pmu);
    assert_true(pmu_amd_ops.detect(&amd, &pmu));
    pmu.ops = &pmu_amd_ops;
}

/* Has the library such an event? Where it knows no unit masks, 01h may stand there, as Linux has it; 40h of
 * Zen 2 and later is Linux' alone. */
static bool known(const struct db_pmu *db, unsigned event, unsigned umask)
{
    const struct db_event *e;
    if (event == 0x40 && umask == 0 && pmu.models & AMD_ZEN) return true;
    for (unsigned i = 0; (e = db_event_at(db, i)) != NULL; i++) {
        if ((e->select & 0xff) != event || e->select_hi) continue;
        const struct db_umask *u;
        uint32_t masks = e->select >> 8 & 0xff;
        for (unsigned k = 0; (u = db_umask_at(e, k)) != NULL; k++) masks |= u->set >> 8 & 0xff;
        if (!(umask & ~masks) || (e->n_umasks == 0 && umask == 1)) return true;
    }
    return false;
}

static void check(uint32_t of, const char *program, const char *word)
{
    if (!word || !(of & pmu.classes)) return;
    const char *event = word;
    for (unsigned i = 0; word[0] != 'r'; i++) {
        const struct pmu_word *w = pmu_word_at(&pmu, i);
        assert_non_null(w);
        if (strcmp(w->word, word) != 0) continue;
        event = w->event;
        break;
    }
    assert_int_equal(strlen(event), 5);
    unsigned code = (unsigned)strtoul(event + 1, NULL, 16);
    if (!known(db_pmu_named(pmu.database), code & 0xff, code >> 8))
        fail_msg("%s: %s has no %s", program, pmu.database, word);
}

static void test_codes(void **state)
{
    const struct truth_program *p;
    (void)state;
    for (unsigned c = 0; c < sizeof cpus / sizeof *cpus; c++) {
        plug_amd(cpus[c].family, cpus[c].model);
        assert_non_null(db_pmu_named(pmu.database));
        for (unsigned i = 0; (p = truth_program_at(i)) != NULL; i++)
            for (const struct truth_row *r = p->row; r->classes; r++)
                check(r->classes, p->program.name, r->event);
        for (unsigned i = 0; i < truth_n_relations; i++) {
            const struct truth_relation *x = &truth_relations[i];
            check(x->classes, "mixed", x->left);
            for (unsigned k = 0; k < TRUTH_TERMS; k++) check(x->classes, "mixed", x->right[k]);
        }
    }
}

/* Codes that are there and mean something else: MMX is x87's (01h) on Bobcat, on Jaguar nobody's; SSE's is
 * 02h. 7Eh counts replays on Bobcat; whether 40h counts two for what crosses 8 bytes is not known of either.
 */
static void test_others(void **state)
{
    static const unsigned small[] = {0x14, 0x16};
    (void)state;
    for (unsigned i = 0; i < sizeof small / sizeof *small; i++) {
        plug_amd(small[i], 0);
        const uint32_t of = pmu.classes;
        assert_int_equal(of, CLASS_AMD | CLASS_OLD);
        for (unsigned k = 0; k < truth_n_relations; k++) assert_false(truth_relations[k].classes & of);
        for (const struct truth_row *r = find_row("loads", CLASS_P5, "data_read"); r->classes; r++)
            if (strcmp(r->event, "r0141") == 0) assert_true(r->classes & of);
        const struct truth_program *p;
        for (unsigned k = 0; (p = truth_program_at(k)) != NULL; k++)
            for (const struct truth_row *r = p->row; r->classes; r++) {
                if (!(r->classes & of)) continue;
                assert_string_not_equal(r->event, "r02cb");
                assert_string_not_equal(r->event, "r037e");
                assert_true(strcmp(p->program.name, "misaligned") != 0 || strcmp(r->event, "r0040") != 0);
            }
    }
    plug_amd(0x15, 1);
    assert_int_equal(pmu.classes, CLASS_AMD | CLASS_OLD | CLASS_K8);
}

int main(int argc, char **argv)
{
    (void)argc;
    find_build(argv[0]);
    const struct CMUnitTest tests[] = {OPENED(test_codes), OPENED(test_others)};
    return cmocka_run_group_tests(tests, NULL, unplug);
}
