/* The truth suite's driver, on payloads that count what they are told. */
#include "tests/unit/truth_drive.h"
#include "tests/unit/unit.h"
#include <string.h>

static unsigned rows_of(uint32_t classes)
{
    const struct truth_program *p;
    unsigned n = 0;
    for (unsigned i = 0; (p = truth_program_at(i)) != NULL; i++)
        for (const struct truth_row *r = p->row; r->classes; r++) n += (r->classes & classes) != 0;
    return n;
}

/* Those with a lower bound only. */
static unsigned bounds_of(uint32_t classes)
{
    const struct truth_program *p;
    unsigned n = 0;
    for (unsigned i = 0; (p = truth_program_at(i)) != NULL; i++)
        for (const struct truth_row *r = p->row; r->classes; r++) n += r->classes & classes && r->least;
    return n;
}

/* Of a P6's relations, those with this term. */
static unsigned relations_with(const char *event)
{
    unsigned n = 0;
    for (unsigned i = 0; i < truth_n_relations; i++) {
        const struct truth_relation *x = &truth_relations[i];
        bool has = strcmp(x->left, event) == 0;
        for (unsigned k = 0; k < TRUTH_TERMS && x->right[k]; k++) has |= strcmp(x->right[k], event) == 0;
        n += has && x->classes & CLASS_P6;
    }
    return n;
}

TEST(test_truthful)
{
    plug("p3");
    struct truth_totals t = run_suite(0, NULL);
    assert_int_equal(got.results, rows_of(CLASS_P6));
    assert_int_equal(got.relations, 20 + 9);
    assert_int_equal(t.verdict[TRUTH_AGREES], rows_of(CLASS_P6) + 20 - 3 - 2);
    assert_int_equal(t.verdict[TRUTH_ANSWERED], 9);
    assert_int_equal(t.verdict[TRUTH_WITHIN], 3); /* 48h with a latency that is the board's; 03h, C5h */
    assert_int_equal(bounds_of(CLASS_P6), 3);
    assert_int_equal(t.verdict[TRUTH_ABSENT], 2); /* B0h and CEh are the Pentium II's */
    assert_int_equal(t.verdict[TRUTH_DIFFERS] + t.verdict[TRUTH_NOT_ADVANCING], 0);
    assert_int_equal(t.failed, 0);
    assert_int_equal(got.failures + got.left_out + got.lowered, 0);
}

/* NetBurst: all of it, and the tags alone (bench=tags), without relations. */
TEST(test_tags)
{
    plug("willamette");
    struct truth_totals all = run_suite(0, NULL);
    assert_int_equal(got.results, rows_of(CLASS_NETBURST));
    assert_int_equal(all.verdict[TRUTH_WITHIN], 5 + 7); /* bogus ones; what the processor alone knows */
    assert_int_equal(bounds_of(CLASS_NETBURST), 5 + 7);
    assert_int_equal(all.verdict[TRUTH_AGREES], got.results - 5 - 7);
    action = ACTION_TAGS;
    struct truth_totals tags = run_suite(0, NULL);
    assert_int_equal(tags.programs, truth_tags.n);
    assert_true(tags.verdict[TRUTH_AGREES] > 30 && tags.verdict[TRUTH_AGREES] < all.verdict[TRUTH_AGREES]);
    liar = "scalar_sp_retired:tag=8";
    assert_int_equal(run_suite(0, NULL).verdict[TRUTH_DIFFERS], 1);
    liar = NULL;
    plug("p3"); /* nothing here is its */
    assert_int_equal(run_suite(0, NULL).programs, 0);
    assert_int_equal(got.relations, 0);
    assert_int_equal(got.left_out, truth_tags.n); /* and that is said */
    assert_non_null(strstr(got.lacks[0], ": a Pentium 4"));
    action = ACTION_TRUTH;
}

/* What the model does not have is neither right nor wrong, and nothing is added up of it. */
TEST(test_unmodelled)
{
    plug("willamette");
    const unsigned within = run_suite(0, NULL).verdict[TRUTH_WITHIN];
    lacking = "memory_loads:bogus";
    struct truth_totals t = run_suite(0, NULL);
    assert_int_equal(t.verdict[TRUTH_UNMODELLED], 1);
    assert_int_equal(t.verdict[TRUTH_WITHIN], within - 1);
    plug("p3");
    const unsigned agree = run_suite(0, NULL).verdict[TRUTH_AGREES];
    lacking = "bus_tran_any"; /* two relations, and no row of a program */
    t = run_suite(0, NULL);
    assert_int_equal(t.verdict[TRUTH_UNMODELLED], relations_with("bus_tran_any"));
    assert_int_equal(t.verdict[TRUTH_AGREES], agree - t.verdict[TRUTH_UNMODELLED]);
    lacking = NULL;
}

TEST(test_liar)
{
    plug("p3");
    liar = "mul";
    struct truth_totals t = run_suite(0, NULL);
    assert_int_equal(t.verdict[TRUTH_DIFFERS], 2); /* x87 and integer */
    assert_string_equal(got.last_differs, "mul");
    liar = "bus_tran_pwr"; /* 5 <= 5 no more */
    t = run_suite(0, NULL);
    assert_int_equal(t.verdict[TRUTH_DIFFERS], 1);
    assert_string_equal(got.last_differs, "bus_tran_pwr");
    liar = "bus_tran_def";
    t = run_suite(0, NULL);
    assert_int_equal(t.verdict[TRUTH_DIFFERS], 1);
    assert_string_equal(got.last_differs, "bus_tran_any");
    liar = "dcu_miss_outstanding"; /* above the least nobody knows better, where it is exact one does */
    t = run_suite(0, NULL);
    assert_int_equal(t.verdict[TRUTH_DIFFERS], 1);
    assert_int_equal(t.verdict[TRUTH_WITHIN], 3);
    liar_by = -1;
    t = run_suite(0, NULL);
    assert_int_equal(t.verdict[TRUTH_DIFFERS], 2);
    assert_int_equal(t.verdict[TRUTH_WITHIN], 2);
    liar_by = 1;
    liar = NULL;
}

/* Programs that need what is not there are not run, and it is said what they lack. */
TEST(test_lacks)
{
    plug("p3");
    no_timer = true;
    id.f1_edx &= ~(CPUID_1_EDX_MMX | CPUID_1_EDX_FXSR);
    struct truth_totals t = run_suite(0, NULL);
    assert_int_equal(got.left_out, 4);
    assert_string_equal(got.lacks[0], "interrupt: a local APIC's timer");
    assert_string_equal(got.lacks[1], "interrupts: a local APIC's timer");
    assert_string_equal(got.lacks[2], "mmx: MMX");
    assert_string_equal(got.lacks[3], "sse: SSE");
    assert_int_equal(got.results + 17, rows_of(CLASS_P6));
    assert_int_equal(t.verdict[TRUTH_DIFFERS], 0);
    no_timer = false;
    static const struct {
        const char *model;
        uint32_t without;
        const char *first;
    } lacks[] = {{"p3", CPUID_1_EDX_SSE, "sse: SSE"},
                 {"willamette", CPUID_1_EDX_CLFSH, "loads_flushed: CLFLUSH"},
                 {"willamette", CPUID_1_EDX_SSE2, "loads_flushed: CLFLUSH"}};
    for (unsigned i = 0; i < sizeof lacks / sizeof *lacks; i++) {
        plug(lacks[i].model);
        run_suite(0, NULL);
        assert_int_equal(got.left_out, 0);
        id.f1_edx &= ~lacks[i].without;
        run_suite(0, NULL);
        assert_true(got.left_out > 0);
        assert_string_equal(got.lacks[0], lacks[i].first);
    }
    plug("p5"); /* a program without rows of this family is not told of */
    run_suite(3, NULL);
    unsigned mmx = 0;
    for (unsigned i = 0; i < got.left_out; i++) {
        assert_true(strncmp(got.lacks[i], "sse", 3) != 0);
        mmx += strcmp(got.lacks[i], "mmx: MMX") == 0;
    }
    assert_int_equal(mmx, 1);
}

/* An overhead above a raw value is lowered, and whatever was computed with it says so. */
TEST(test_lowered)
{
    plug("p3");
    too_high = 1; /* the first group of the first program */
    struct truth_totals t = run_suite(0, NULL);
    assert_int_equal(too_high, 0);
    assert_true(got.lowered >= 1 && got.lowered <= 2);
    assert_true(t.verdict[TRUTH_DIFFERS] >= 1);
    assert_int_equal(got.sums_lowered, 0);
    too_high = UINT32_MAX; /* all */
    run_suite(0, NULL);
    too_high = 0;
    assert_int_equal(got.sums_lowered, got.relations);
}

/* Without the geometry what depends on it is absent, and nothing is made up. */
TEST(test_unknown_geometry)
{
    unsigned by_geometry = 0;
    const struct truth_program *p;
    plug("p3");
    geometry = &nothing;
    struct truth_totals t = run_suite(0, NULL);
    geometry = &katmai;
    for (unsigned i = 0; (p = truth_program_at(i)) != NULL; i++)
        for (const struct truth_row *r = p->row; r->classes; r++)
            by_geometry += (r->classes & CLASS_P6) && r->of != TRUTH_LISTED;
    assert_true(by_geometry > 0);
    assert_int_equal(t.verdict[TRUTH_ABSENT], by_geometry + 2); /* and B0h, CEh */
    assert_int_equal(t.verdict[TRUTH_DIFFERS], 0);
}

/* A P6's rows with events that only these counters count. */
static unsigned only_on(uint32_t counters)
{
    const struct truth_program *p;
    struct pmu_code code;
    char why[160], near[128];
    unsigned n = 0;
    for (unsigned i = 0; (p = truth_program_at(i)) != NULL; i++)
        for (const struct truth_row *r = p->row; r->classes; r++)
            n += r->classes & CLASS_P6 &&
                 pmu_event_parse(&pmu, r->event, strlen(r->event), &code, why, sizeof why, near,
                                 sizeof near) &&
                 code.counters == counters;
    return n;
}

TEST(test_counters)
{
    plug("p3");
    pmu.state[1] = COUNTER_NOT_ADVANCING; /* mul, div and fp_assist know no other; all else has counter 0 */
    pmu.usable = 1;
    struct truth_totals t = run_suite(0, NULL);
    assert_int_equal(t.verdict[TRUTH_NOT_ADVANCING], 6);
    assert_int_equal(only_on(2), 6);
    assert_int_equal(t.verdict[TRUTH_DIFFERS], 0);
    pmu.counters = 1; /* the second is none of this CPU's, whatever its state says */
    assert_int_equal(run_suite(0, NULL).verdict[TRUTH_NOT_ADVANCING], 0);
    pmu.counters = 2;
    pmu.state[0] = COUNTER_NOT_ADVANCING;
    pmu.usable = 2;
    t = run_suite(0, NULL);
    assert_int_equal(t.verdict[TRUTH_NOT_ADVANCING], only_on(1));
    pmu.state[0] = pmu.state[1] = COUNTER_ABSENT;
    pmu.usable = 0;
    t = run_suite(0, NULL);
    assert_int_equal(t.verdict[TRUTH_ABSENT], rows_of(CLASS_P6) + 20 + 9);
}

TEST(test_models)
{
    plug("p5"); /* returns and taken_branches came with the Pentium MMX */
    unsigned rows = rows_of(CLASS_P5);
    struct truth_totals t = run_suite(3, NULL);
    assert_int_equal(t.verdict[TRUTH_ABSENT], 4); /* without those of the MMX program, which is not run */
    assert_true(got.results < rows && got.left_out > 0);
    assert_int_equal(got.relations, 0); /* the mixed program needs CPL 0 */
    liar = NULL;
}

TEST(test_small)
{
    unsigned programs = 0;
    plug("p3");
    while (truth_program_at(programs)) programs++;
    small = true;
    struct truth_totals t = run_suite(0, NULL);
    small = false;
    assert_int_equal(got.left_out, programs);
    assert_non_null(strstr(got.lacks[0], ": more memory"));
    assert_int_equal(got.results + got.relations + t.programs, 0);
}

TEST(test_failure)
{
    plug("p3");
    prepared_to_fail = 1;
    struct truth_totals t = run_suite(0, NULL);
    prepared_to_fail = 0;
    assert_int_equal(t.failed, 1);
    assert_int_equal(got.failures, 1);
    assert_true(got.results < rows_of(CLASS_P6) && got.results > rows_of(CLASS_P6) / 2);
}

static bool always(void) { return true; }

TEST(test_cancel)
{
    plug("p3");
    struct truth_totals t = run_suite(0, always);
    assert_true(t.cancelled);
    assert_int_equal(t.programs, 0);
}

AROUND_ALL(NULL, unplug);
