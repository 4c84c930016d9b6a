/* The plan: which combinations a benchmark's variants and ranges give, and in what order. */
#include "measure/plan.h"
#include "tests/unit/unit.h"
#include <stdbool.h>
#include <string.h>

static void payload(void *arg) { (void)arg; }
static void other(void *arg) { (void)arg; }

/* The first parameter has no step of its own: 1. */
static const struct bench grid = {.program = {.name = "grid"},
                                  .op = "op",
                                  BENCH_PARAM_LIST({"a", "", "", 1, 100, 0, 7, true},
                                                   {"b", "", "", 0, 400, 50, 100, true}),
                                  .variant = {{"x", payload}, {"y", other}}},
                          plain = {.program = {.name = "plain", .payload = payload}, .op = "op"},
                          full = {.program = {.name = "full"},
                                  .op = "op",
                                  .variant = {[0 ... BENCH_VARIANTS - 1] = {"v", payload}}};
static struct plan plan;

static void test_order(void **state)
{
    (void)state;
    static const struct param_range range[BENCH_PARAMS] = {{3, 5}, {100, 200}};
    plan.n = 0;
    assert_true(plan_add(&plan, &grid, -1, range));
    assert_int_equal(plan.n, 2 * 3 * 3);
    for (unsigned i = 0; i < plan.n; i++) { /* the last one fastest, variants last */
        assert_ptr_equal(plan.item[i].bench, &grid);
        assert_int_equal(plan.item[i].param[1], 100 + 50 * (i % 3));
        assert_int_equal(plan.item[i].param[0], 3 + i / 3 % 3);
        assert_int_equal(plan.item[i].variant, i / 9);
        assert_null(plan.item[i].sweep); /* two have a range */
    }
    assert_true(plan_add(&plan, &grid, 1, range)); /* behind what is there */
    assert_int_equal(plan.n, 27);
    assert_int_equal(plan.item[17].variant, 1);
    for (unsigned i = 18; i < 27; i++) assert_int_equal(plan.item[i].variant, 1);
}

static void test_sweep(void **state)
{
    (void)state;
    static const struct {
        struct param_range range[BENCH_PARAMS];
        const char *sweep;
        unsigned n;
    } cases[] = {
        {{{3, 3}, {100, 100}}, NULL, 1}, {{{3, 4}, {100, 100}}, "a", 2}, {{{3, 3}, {100, 150}}, "b", 2},
        {{{3, 3}, {100, 149}}, NULL, 1}, {{{3, 3}, {100, 400}}, "b", 7}, {{{1, 2}, {0, 50}}, NULL, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plan.n = 0;
        assert_true(plan_add(&plan, &grid, 0, cases[i].range));
        assert_int_equal(plan.n, cases[i].n);
        for (unsigned k = 0; k < plan.n; k++)
            if (cases[i].sweep)
                assert_string_equal(plan.item[k].sweep, cases[i].sweep);
            else
                assert_null(plan.item[k].sweep);
    }
}

static void test_full(void **state)
{
    (void)state;
    struct param_range range[BENCH_PARAMS] = {{1, 100}, {0, 0}};
    plan.n = 0;
    for (unsigned i = 0; i < PLAN_ITEMS / 100; i++) assert_true(plan_add(&plan, &grid, 0, range));
    const unsigned n = plan.n, room = PLAN_ITEMS - n;
    range[0].to = room + 1;
    assert_false(plan_add(&plan, &grid, 0, range));
    assert_int_equal(plan.n, n);
    range[0].to = room;
    assert_true(plan_add(&plan, &grid, 0, range));
    assert_int_equal(plan.n, PLAN_ITEMS);
    assert_false(plan_add(&plan, &plain, -1, range));
    assert_int_equal(plan.n, PLAN_ITEMS);
}

static void test_variants(void **state)
{
    (void)state;
    struct param_range range[BENCH_PARAMS + 1];
    memset(range, 0x55, sizeof range);
    const struct param_range beyond = range[BENCH_PARAMS];
    assert_int_equal(bench_variants(&plain), 1);
    assert_int_equal(bench_variants(&grid), 2);
    assert_int_equal(bench_variants(&full), BENCH_VARIANTS);
    assert_string_equal(bench_program(&plain, 0).variant, "");
    assert_ptr_equal(bench_program(&plain, 0).payload, payload);
    assert_string_equal(bench_program(&grid, 1).variant, "y");
    assert_string_equal(bench_program(&grid, 1).name, "grid");
    assert_ptr_equal(bench_program(&grid, 1).payload, other);
    plan_defaults(&grid, range);
    assert_true(range[0].from == 7 && range[0].to == 7 && range[1].from == 100 && range[1].to == 100);
    for (unsigned i = 2; i < BENCH_PARAMS; i++) assert_true(range[i].from == 0 && range[i].to == 0);
    assert_memory_equal(&range[BENCH_PARAMS], &beyond, sizeof beyond);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_sweep),
                                       cmocka_unit_test(test_full), cmocka_unit_test(test_variants)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
