/* Regions as records: one number where the truth is one, else its ends. */
#include "measure/region_reps.h"
#include "report/emit.h"
#include "tests/unit/emit_drive.h"
#include <math.h>
#include <string.h>

static const char *const labels[] = {"outer", "inner", NULL};
static const struct options normal = {.conf = 95, .ring = 3};
static struct regions marked = {.reps = 20};
static struct run marking;
static _Alignas(64) uint8_t rows[8192];

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

TEST_WITH(exact, session, forget)
{
    const struct machine m = {.time_origin = ORIGIN_EMULATED, .count_origin = ORIGIN_MODELLED};
    struct region_result res = exact_result();
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

TEST_WITH(ranges_and_doubts, session, forget)
{
    static const struct machine m = {.time_origin = ORIGIN_SILICON};
    struct region_result res = exact_result();
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

static json_t *item_of(unsigned i, const char *key, unsigned k) { return json_array_get(field(i, key), k); }

static long long at(unsigned i, const char *key, unsigned k)
{
    return json_integer_value(item_of(i, key, k));
}

/* 90 repetitions of one entry each, whose sums are 1000, 1001, ... with 2 or 3 of the markers in it. */
TEST_WITH(repetitions, session, forget)
{
    static struct region_table table;
    static struct regions kept = {.table = &table, .mask = UINT64_MAX, .events = 2};
    struct arena arena = {rows, sizeof rows, 0};
    struct region_result res = exact_result();
    prepare_run();
    marking.regions = &kept;
    marking.reps = 90;
    kept.cost[1].entry = (struct region_range){2, 3};
    assert_true(region_reps_prepare(&kept, 90, 2, &arena));
    for (kept.reps = 1; kept.reps <= 90; kept.reps++) {
        table.region[1].span[0].sum[0] = (1ull << 54) + kept.reps; /* more than a double tells apart */
        table.region[1].span[0].sum[1] = 999 + kept.reps;
        region_reps_keep(&kept, 1, 1, 0, 0);
    }
    res.min = 997;
    res.max = 1080; /* less than the last repetitions would have without */
    emit_region_reps(&marking, 1, 1, &res, 3);
    assert_int_equal(records, 3);
    for (unsigned i = 0, seen = 0; i < records; i++) {
        assert_string_equal(json_string_value(field(i, "t")), "region_reps");
        assert_string_equal(json_string_value(field(i, "event")), "cycles");
        assert_string_equal(json_string_value(field(i, "label")), "inner");
        assert_true(real(i, "id") == 1 && real(i, "ring") == 3 && real(i, "first") == seen);
        assert_null(field(i, "entered"));
        const unsigned n = (unsigned)json_array_size(field(i, "raw"));
        assert_int_equal(n, i == 2 ? 10 : 40);
        assert_true(json_array_size(field(i, "least")) == n && json_array_size(field(i, "most")) == n);
        for (unsigned k = 0; k < n; k++, seen++) {
            assert_int_equal(at(i, "raw", k), 1000 + seen);
            assert_int_equal(at(i, "least", k), 997 + seen);
            assert_int_equal(at(i, "most", k), 998 + seen < 1080 ? 998 + seen
                                               : seen == 83      ? 1080
                                                                 : 998 + seen);
        }
    }
    assert_string_equal(text, ""); /* for programs only */
    forget(NULL);

    /* The longest numbers fit into a record, with the entries of a region that varies. */
    res.varies = true;
    res.min = 0;
    res.max = 1e300;
    emit_region_reps(&marking, 0, 1, &res, 0);
    assert_int_equal(records, 3);
    assert_string_equal(json_string_value(item_of(0, "raw", 0)), "18014398509481985");
    assert_true(json_array_size(field(0, "entered")) == 40 && at(2, "entered", 9) == 1);
    forget(NULL);

    /* None without values. */
    res.total.least = (double)NAN;
    emit_region_reps(&marking, 1, 1, &res, 0);
    res.total.least = 1;
    marking.count[1].unmodelled = true;
    emit_region_reps(&marking, 1, 1, &res, 0);
    assert_int_equal(records, 0);
}

TEST_WITH(markers_out_of_range, session, forget)
{
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
