/* The article's page: which of its figures are measured here, and where. */
#include "pmu/netburst.h"
#include "report/emit_article.h"
#include "report/emit_experiment.h"
#include "tests/unit/emit_drive.h"
#include <math.h>
#include <string.h>

static struct article page;

/* The record of this figure. */
static json_t *figure(const char *name, const char *what)
{
    for (unsigned i = 0; i < records; i++) {
        const char *n = json_string_value(json_object_get(record[i], "experiment"));
        if (n && strcmp(n, name) == 0 &&
            strcmp(json_string_value(json_object_get(record[i], "what")), what) == 0)
            return record[i];
    }
    fail_msg("%s has no figure %s", name, what);
    return NULL;
}

static const char *note_of(const char *name)
{
    return json_string_value(json_object_get(figure(name, "one thread"), "note"));
}

static void page_on(enum platform platform)
{
    static struct pmu none;
    const struct machine m = {.count_origin = platform_count_origin(platform),
                              .cpu = {&(struct cpu){.pmu = &none}}};
    records_have_clocks(platform != PLATFORM_BOCHS);
    experiments_hold();
    emit_article(&m, &page);
}

/* Cycles are a processor's: the two throughputs are there. */
TEST_WITH(on_silicon, session, forget)
{
    page = (struct article){.uops_per_cycle = {[ARTICLE_FP_ADD] = 0.2096, [ARTICLE_L1_MISS] = NAN},
                            .threads = {{.why = "not here"}, {.why = "not here"}}};
    page_on(PLATFORM_SILICON);
    json_t *r = figure("fp_add_latency", "one thread");
    assert_true(json_real_value(json_object_get(r, "ours")) == 0.2096);
    assert_true(json_real_value(json_object_get(r, "article")) == 0.21);
    assert_string_equal(json_string_value(json_object_get(r, "event")), "uops_retired / cycles");
    assert_int_equal(json_array_size(json_object_get(r, "flags")), 0);
    assert_null(json_object_get(r, "note"));
    assert_non_null(strstr(text, "one thread                                0.21       0.21  uops/cycle\n"));
    assert_null(json_object_get(figure("l1_miss", "one thread"), "ours"));
    assert_string_equal(note_of("l1_miss"), "this CPU does not count both events");
    assert_null(json_object_get(figure("l1_miss", "two threads"), "ours"));
}

TEST_WITH(on_a_hypervisor, session, forget)
{
    page = (struct article){.uops_per_cycle = {0.5, 1.5}};
    page_on(PLATFORM_KVM);
    json_t *r = figure("l1_miss", "one thread");
    assert_true(json_real_value(json_object_get(r, "ours")) == 1.5);
    assert_string_equal(json_string_value(json_array_get(json_object_get(r, "flags"), 0)), "virtualized");
}

/* A modelled cycle is an instruction, whatever was divided by it. */
TEST_WITH(on_the_model, session, forget)
{
    page = (struct article){.uops_per_cycle = {0.5, 1.5}, .tags.programs = 1};
    page.tags.verdict[TRUTH_UNMODELLED] = 5;
    page_on(PLATFORM_BOCHS);
    for (unsigned i = 0; i < ARTICLE_SIDEBAR; i++) {
        assert_null(json_object_get(figure(article_sidebar[i], "one thread"), "ours"));
        assert_string_equal(note_of(article_sidebar[i]),
                            "not modelled: the emulator's cycles are not a processor's");
    }
    assert_true(json_real_value(json_object_get(figure("tags", "not modelled"), "ours")) == 5);
}

static double of_article(const char *name, const char *what)
{
    return json_number_value(json_object_get(figure(name, what), "article"));
}

static double ours(const char *name, const char *what)
{
    return json_number_value(json_object_get(figure(name, what), "ours"));
}

/* Two threads of one core: what each counts, and both together where cycles are a processor's. */
TEST_WITH(two_threads, session, forget)
{
    static const struct {
        enum platform platform;
        bool cycles;
    } cases[] = {{PLATFORM_SILICON, true}, {PLATFORM_BOCHS, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        session(state);
        page =
            (struct article){.threads = {{.unit = "uops/add", .uops = {1.5, 1.25}, .uops_per_cycle = 0.375},
                                         {.why = "no core has two threads here"}}};
        page_on(cases[i].platform);
        assert_true(ours("fp_add_latency", "first thread, beside the second") == 1.5);
        assert_true(ours("fp_add_latency", "second thread, beside the first") == 1.25);
        assert_true(of_article("fp_add_latency", "two threads") == 0.41);
        json_t *both = figure("fp_add_latency", "two threads");
        if (cases[i].cycles)
            assert_true(ours("fp_add_latency", "two threads") == 0.375);
        else
            assert_null(json_object_get(both, "ours"));
        json_t *missing = figure("l1_miss", "two threads");
        assert_null(json_object_get(missing, "ours"));
        assert_string_equal(json_string_value(json_object_get(missing, "note")),
                            "no core has two threads here");
        forget(state);
    }
}

/* The counters and ESCRs of a Pentium 4: two more ESCRs up to model 2 (SDM vol. 3, table 18-63). */
TEST_WITH(on_a_pentium_4, session, forget)
{
    for (unsigned model = 2; model <= 3; model++) {
        session(state);
        struct pmu p4 = {
            .ops = &pmu_netburst_ops, .usable = 0x3fffd, .models = model == 2 ? 0 : NB_NO_IQ_ESCR};
        const struct machine m = {.cpu = {&(struct cpu){.pmu = &p4}}};
        page = (struct article){.tags.programs = 3, .cascades.programs = 1};
        for (unsigned v = 0; v < TRUTH_VERDICTS; v++) {
            page.tags.verdict[v] = 10 + v;
            page.cascades.verdict[v] = 20 + v;
        }
        experiments_hold();
        emit_article(&m, &page);
        assert_int_equal(of_article("counters", "counters"), 18);
        assert_int_equal(of_article("counters", "event detectors (ESCRs)"), 44);
        assert_int_equal(ours("counters", "counters"), 17);
        assert_int_equal(ours("counters", "event detectors (ESCRs)"), model == 2 ? 45 : 43);
        assert_int_equal(ours("tags", "counts that agree"), 10 + TRUTH_AGREES);
        assert_int_equal(ours("tags", "counts that differ"), 10 + TRUTH_DIFFERS);
        assert_int_equal(ours("cascade", "counts that agree"), 20 + TRUTH_AGREES);
        assert_int_equal(ours("cascade", "late, by the interrupt's skid"), 20 + TRUTH_WITHIN);
        assert_int_equal(ours("cascade", "not modelled"), 20 + TRUTH_UNMODELLED);
        assert_int_equal(ours("cascade", "refused"), 20 + TRUTH_REFUSED);
        assert_true(strstr(text, "skid") > strstr(text, "\n  cascade")); /* not of tags */
        assert_non_null(strstr(text, "IEEE Micro"));
        forget(state);
    }
}

/* An experiment that this CPU cannot run says so; verdicts that nothing has are left out. */
TEST_WITH(on_another_cpu, session, forget)
{
    page = (struct article){.cascades.programs = 1};
    page_on(PLATFORM_SILICON);
    assert_null(json_object_get(figure("tags", "not run"), "ours"));
    assert_null(json_object_get(figure("counters", "counters"), "ours"));
    assert_true(json_number_value(json_object_get(figure("counters", "counters"), "article")) == 18);
    assert_int_equal(ours("cascade", "counts that agree"), 0);
    assert_int_equal(ours("cascade", "counts that differ"), 0);
    static const char *const none[] = {"skid", "not modelled", "refused", "ESCR"};
    for (unsigned i = 0; i < N(none); i++) assert_null(strstr(text, none[i]));
}
