/* The article's page: which of its figures are measured here, and where. */
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
    const struct machine m = {.count_origin = platform_count_origin(platform), .cpu = {{.pmu = &none}}};
    experiments_hold();
    emit_article(&m, &page);
}

/* Cycles are a processor's: the two throughputs are there. */
static void on_silicon(void **state)
{
    (void)state;
    page = (struct article){.uops_per_cycle = {[ARTICLE_FP_ADD] = 0.2096, [ARTICLE_L1_MISS] = NAN}};
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

static void on_a_hypervisor(void **state)
{
    (void)state;
    page = (struct article){.uops_per_cycle = {0.5, 1.5}};
    page_on(PLATFORM_KVM);
    json_t *r = figure("l1_miss", "one thread");
    assert_true(json_real_value(json_object_get(r, "ours")) == 1.5);
    assert_string_equal(json_string_value(json_array_get(json_object_get(r, "flags"), 0)), "virtualized");
}

/* A modelled cycle is an instruction, whatever was divided by it. */
static void on_the_model(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {SHOWN(on_silicon), SHOWN(on_a_hypervisor), SHOWN(on_the_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
