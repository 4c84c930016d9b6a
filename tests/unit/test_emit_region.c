/* Regions as records: one number where the truth is one, else its ends. */
#include "report/emit.h"
#include "tests/unit/emit_drive.h"
#include <math.h>
#include <string.h>

static const char *const labels[] = {"outer", "inner", NULL};
static const struct options normal = {.conf = 95, .ring = 3};
static struct regions marked = {.reps = 20};
static struct run marking;

static const json_t *field(unsigned i, const char *key) { return json_object_get(record[i], key); }
static bool is_null(unsigned i, const char *key) { return json_is_null(field(i, key)); }
static double real(unsigned i, const char *key)
{
    if (!json_is_number(field(i, key))) fail_msg("%s is no number", key);
    return json_number_value(field(i, key));
}

static const char *flags(unsigned i)
{
    static char out[200];
    size_t k;
    json_t *flag;
    out[0] = '\0';
    json_array_foreach(json_object_get(record[i], "flags"), k, flag)
    {
        const size_t used = strlen(out);
        snprintf(out + used, sizeof out - used, " %s", json_string_value(flag));
    }
    return out;
}

static struct region_result exact_result(void)
{
    return (struct region_result){.entered = 4,
                                  .exited = 5,
                                  .nested = 6,
                                  .total = {100, 100},
                                  .ci = 7,
                                  .min = 90,
                                  .max = 110,
                                  .first = {30, 30},
                                  .overhead = {2, 3},
                                  .entries = 8};
}

static void prepare_run(void)
{
    marking = run;
    marking.program.regions = labels;
    marking.regions = &marked;
    marking.count[0].event = "tsc";
    marking.count[1].event = "cycles";
}

static void exact(void **state)
{
    const struct machine m = {.time_origin = ORIGIN_EMULATED, .count_origin = ORIGIN_MODELLED};
    struct region_result res = exact_result();
    (void)state;
    prepare_run();
    emit_region(&marking, 0, 1, &res, &normal, &m);
    emit_region(&marking, 1, 2, &res, &(struct options){.conf = 99, .ring = 0}, &m);
    assert_string_equal(json_string_value(field(0, "event")), "tsc");
    assert_string_equal(json_string_value(field(0, "label")), "inner");
    assert_true(real(0, "id") == 1 && real(0, "ring") == 3 && real(0, "reps") == 20);
    assert_true(real(0, "entered") == 4 && real(0, "exited") == 5 && real(0, "nested_markers") == 6);
    assert_true(real(0, "total") == 100 && real(0, "least") == 100 && real(0, "most") == 100);
    assert_true(real(0, "min") == 90 && real(0, "max") == 110 && real(0, "ci95") == 7);
    assert_true(real(0, "per_entry") == 12.5 && real(0, "first") == 30);
    assert_true(real(0, "first_least") == 30 && real(0, "first_most") == 30);
    assert_true(real(0, "overhead_least") == 2 && real(0, "overhead_most") == 3);
    assert_null(field(0, "ci99"));
    assert_string_equal(flags(0), " emulated");
    assert_string_equal(json_string_value(field(1, "event")), "cycles");
    assert_null(field(1, "label")); /* it has two */
    assert_null(field(1, "ci95"));
    assert_true(real(1, "ci99") == 7 && real(1, "id") == 2 && real(1, "ring") == 0);
    assert_string_equal(flags(1), " modelled");
}

static void ranges_and_doubts(void **state)
{
    static const struct machine m = {.time_origin = ORIGIN_SILICON};
    struct region_result res = exact_result();
    (void)state;
    prepare_run();
    res.total.most = 104;
    res.first.least = 20;
    res.unbalanced = res.early = res.varies = res.below_overhead = res.first_below = true;
    marking.count[0].overhead_lowered = true;
    emit_region(&marking, 0, 0, &res, &normal, &m);
    assert_true(is_null(0, "total") && is_null(0, "per_entry") && is_null(0, "first"));
    assert_true(real(0, "least") == 100 && real(0, "most") == 104);
    assert_true(real(0, "first_least") == 20 && real(0, "first_most") == 30);
    assert_string_equal(json_string_value(field(0, "label")), "outer");
    assert_string_equal(flags(0), " overhead-lowered unbalanced end-before-begin varies below-overhead "
                                  "first-below-overhead");
    marking.count[0].unmodelled = true;
    emit_region(&marking, 0, 0, &res, &normal, &m);
    assert_string_equal(flags(1), " unmodelled");
    assert_null(field(1, "least"));
    assert_true(real(1, "entered") == 4);
}

static void markers_out_of_range(void **state)
{
    (void)state;
    prepare_run();
    emit_regions_note(&marking);
    emit_regions_note(&run); /* it marks nothing */
    assert_int_equal(records, 0);
    marked.out_of_range = 12;
    emit_regions_note(&marking);
    marked.out_of_range = 0;
    assert_int_equal(records, 1);
    assert_string_equal(json_string_value(field(0, "message")),
                        "l1_profile: 12 markers in 20 repetitions had an id above 99 and were not measured; "
                        "the other regions were");
}

int main(void)
{
    const struct CMUnitTest tests[] = {SHOWN(exact), SHOWN(ranges_and_doubts), SHOWN(markers_out_of_range)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
