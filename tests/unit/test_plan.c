/* The plan: which combinations a benchmark's variants and ranges give, and in what order. */
#include "measure/plan.h"
#include "tests/unit/unit.h"
#include <stdbool.h>
#include <stdio.h>
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

TEST(test_order)
{
    static const struct param_range range[BENCH_PARAMS] = {{3, 5}, {100, 200}};
    struct plan_cursor at = {.line = 0};
    plan.n = 0;
    assert_false(plan_next(&plan, &at));
    assert_true(plan_add(&plan, &grid, PLAN_ALL, range));
    assert_int_equal(plan_items(&plan), 2 * 3 * 3);
    assert_true(plan_add(&plan, &grid, 1, range)); /* behind what is there */
    assert_int_equal(plan_items(&plan), 27);
    for (unsigned i = 0; i < 27; i++) { /* the last parameter fastest, then the first, then variants */
        assert_true(plan_next(&plan, &at));
        assert_ptr_equal(at.item.bench, &grid);
        assert_int_equal(at.item.param[1], 100 + 50 * (i % 3));
        assert_int_equal(at.item.param[0], 3 + i / 3 % 3);
        assert_int_equal(at.item.variant, i < 9 ? 0 : 1);
        assert_null(at.item.sweep); /* two have a range */
    }
    assert_false(plan_next(&plan, &at));
    assert_false(plan_next(&plan, &at));
}

TEST(test_sweep)
{
    static const struct {
        struct param_range range[BENCH_PARAMS];
        const char *sweep;
        unsigned n;
    } cases[] = {
        {{{3, 3}, {100, 100}}, NULL, 1}, {{{3, 4}, {100, 100}}, "a", 2}, {{{3, 3}, {100, 150}}, "b", 2},
        {{{3, 3}, {100, 149}}, NULL, 1}, {{{3, 3}, {100, 400}}, "b", 7}, {{{1, 2}, {0, 50}}, NULL, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct plan_cursor at = {.line = 0};
        plan.n = 0;
        assert_true(plan_add(&plan, &grid, 0, cases[i].range));
        assert_int_equal(plan_items(&plan), cases[i].n);
        for (unsigned k = 0; k < cases[i].n; k++) {
            assert_true(plan_next(&plan, &at));
            if (cases[i].sweep)
                assert_string_equal(at.item.sweep, cases[i].sweep);
            else
                assert_null(at.item.sweep);
        }
        assert_false(plan_next(&plan, &at));
    }
}

TEST(test_full)
{
    static const struct param_range range[BENCH_PARAMS] = {{1, 100}, {0, 400}};
    plan.n = 0;
    for (unsigned i = 0; i < PLAN_LINES; i++) assert_true(plan_add(&plan, &grid, 0, range));
    assert_false(plan_add(&plan, &plain, PLAN_ALL, range));
    assert_int_equal(plan.n, PLAN_LINES);
    assert_int_equal(plan_items(&plan), PLAN_LINES * 100 * 9);
}

/* Variants that a function tells of: none, then thousands, which take no memory. */
static unsigned there;
static unsigned found_n(void) { return there; }
static struct program found_program(unsigned i)
{
    static char name[16];
    snprintf(name, sizeof name, "v%u", i);
    return (struct program){.name = "found", .variant = name};
}
static const struct bench_found found = {.n = found_n, .program = found_program};
static const struct bench many = {.program = {.name = "found"},
                                  .op = "op",
                                  BENCH_PARAM_LIST({"a", "", "", 1, 9, 1, 1, true}),
                                  .found = &found};

TEST(test_found)
{
    static const struct param_range range[BENCH_PARAMS] = {{2, 3}}, one[BENCH_PARAMS] = {{7, 7}, {100, 100}};
    struct plan_cursor at = {.line = 0};
    plan.n = 0;
    there = 0;
    assert_true(plan_add(&plan, &many, PLAN_ALL, range) && plan_add(&plan, &grid, 1, one));
    assert_int_equal(plan_items(&plan), 1);
    assert_true(plan_next(&plan, &at));
    assert_ptr_equal(at.item.bench, &grid); /* a line without items is passed over */
    assert_false(plan_next(&plan, &at));
    there = 12000;
    assert_int_equal(plan_items(&plan), 2 * 12000 + 1);
    at = (struct plan_cursor){.line = 0};
    for (unsigned i = 0; i < 2 * 12000; i++) {
        assert_true(plan_next(&plan, &at));
        assert_true(at.item.variant == i / 2 && at.item.param[0] == 2 + i % 2);
    }
    assert_string_equal(bench_program(&many, at.item.variant).variant, "v11999");
    assert_true(plan_next(&plan, &at));
    assert_ptr_equal(at.item.bench, &grid);
    assert_int_equal(at.item.variant, 1);
    assert_int_equal(at.item.param[0], 7);
    assert_false(plan_next(&plan, &at));
}

TEST(test_variants)
{
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
