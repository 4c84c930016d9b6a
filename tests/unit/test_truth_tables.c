/* The truth suite's tables: words that some model has, names and reasons, and counts that follow from a
 * cache's geometry. */
#include "tests/unit/truth_drive.h"
#include "tests/unit/unit.h"
#include <ctype.h>
#include <string.h>

static const char *const models[] = {"p5", "p55c", "ppro", "p2", "p3", "willamette"};
#define MODELS (sizeof models / sizeof *models)

static bool parses(const char *word)
{
    struct pmu_code code;
    char why[160], near[128];
    return pmu_event_parse(&pmu, word, strlen(word), &code, why, sizeof why, near, sizeof near);
}

/* Of CPUs whose CPUID sim_hw.c has not, which boots are for: a word of perf's, or a code. */
static bool newer(uint32_t classes, const char *word)
{
    static const char *const words[] = {"instructions",     "branches",     "cycles",
                                        "cache-references", "cache-misses", "branch-misses"};
    if (!classes || classes & (CLASS_P5 | CLASS_P6 | CLASS_NETBURST)) return false;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0) return true;
    return word[0] == 'r' && strlen(word) == 5 && strspn(word + 1, "0123456789abcdef") == 4;
}

/* Every word of each family on at least one of its models. */
TEST(test_words)
{
    bool row_seen[64][64] = {{false}}, term_seen[64][1 + TRUTH_TERMS] = {{false}};
    const struct truth_program *p;
    for (unsigned m = 0; m < MODELS; m++) {
        plug(models[m]);
        for (unsigned i = 0; (p = truth_program_at(i)) != NULL; i++)
            for (unsigned k = 0; p->row[k].classes; k++)
                if (newer(p->row[k].classes, p->row[k].event) ||
                    (p->row[k].classes & pmu.classes && parses(p->row[k].event)))
                    row_seen[i][k] = true;
        for (unsigned i = 0; i < truth_n_relations; i++) {
            const struct truth_relation *x = &truth_relations[i];
            for (unsigned k = 0; k < 1 + TRUTH_TERMS; k++) {
                const char *term = k ? x->right[k - 1] : x->left;
                if (!term || newer(x->classes, term) || (x->classes & pmu.classes && parses(term)))
                    term_seen[i][k] = true;
            }
        }
    }
    for (unsigned i = 0; (p = truth_program_at(i)) != NULL; i++)
        for (unsigned k = 0; p->row[k].classes; k++)
            if (!row_seen[i][k]) fail_msg("%s: no model has %s", p->program.name, p->row[k].event);
    for (unsigned i = 0; i < truth_n_relations; i++)
        for (unsigned k = 0; k < 1 + TRUTH_TERMS; k++) assert_true(term_seen[i][k]);
}

static bool printable(const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s >= 127 || !isprint((unsigned char)*s)) return false;
    return true;
}

TEST(test_tables)
{
    const struct truth_program *p, *q;
    for (unsigned i = 0; (p = truth_program_at(i)) != NULL; i++) {
        for (unsigned j = 0; j < i && (q = truth_program_at(j)) != NULL; j++)
            assert_string_not_equal(p->program.name, q->program.name);
        assert_true(printable(p->program.name) && printable(p->program.desc) && strlen(p->program.name) < 32);
        assert_true(p->program.payload && p->program.payload != p->base);
        unsigned rows = 0;
        for (const struct truth_row *r = p->row; r->classes; r++, rows++) {
            assert_true(r->reason && r->reason[0] && printable(r->reason));
            assert_true(r->of <= TRUTH_NO_L2_MISS && (!r->of || r->expected == 0));
            for (const struct truth_row *s = p->row; s < r; s++)
                if (s->classes & r->classes && strcmp(s->event, r->event) == 0)
                    fail_msg("%s: %s twice", p->program.name, r->event);
        }
        assert_true(rows > 0 && rows <= EVENTS_MAX);
    }
}

static const struct cache_info pentium = {
    {{1, CACHE_DATA, 8192, 32, 2}, {1, CACHE_CODE, 8192, 32, 2}}, 2, "test"};
static const struct cache_info willamette = {
    {{1, CACHE_DATA, 8192, 64, 4}, {2, CACHE_UNIFIED, 262144, 64, 8}}, 2, "test"};

TEST(test_geometry)
{
    const struct truth_row *p5 = find_row("l1_misses", CLASS_P5, "data_read_miss");
    const struct truth_row *in = find_row("l1_misses", CLASS_P6, "dcu_lines_in");
    const struct truth_row *l2 = find_row("l1_misses", CLASS_P6, "l2_ld");
    const struct truth_row *miss = find_row("l1_misses", CLASS_P6, "l2_ld:i");
    const struct truth_row *clocks = find_row("l1_misses", CLASS_P6, "dcu_miss_outstanding");
    assert_int_equal(truth_expected(p5, &pentium), 512); /* 2 x 8 KiB in lines of 32 */
    assert_int_equal(truth_expected(in, &katmai), 1024);
    assert_int_equal(truth_expected(l2, &katmai), 1024);
    assert_int_equal(truth_expected(miss, &katmai), 0);
    assert_int_equal(truth_expected(clocks, &katmai), 7168);
    assert_true(truth_expected(l2, &pentium) == TRUTH_UNKNOWN); /* no L2 that the CPU would know of */
    assert_true(truth_expected(miss, &pentium) == TRUTH_UNKNOWN);
    assert_true(truth_expected(clocks, &pentium) == TRUTH_UNKNOWN);
    assert_true(truth_expected(in, &nothing) == TRUTH_UNKNOWN);
    const struct truth_row *nb = find_row("l1_misses", CLASS_NETBURST, "1stl_cache_load_miss_retired");
    assert_int_equal(truth_expected(nb, &willamette), 256); /* 2 x 8 KiB in lines of 64 */
}

AROUND_ALL(NULL, unplug);
