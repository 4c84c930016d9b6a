/* cmocka, and the tests of a file. main() is in main.c and runs them all in the order in which they are
 * defined:
 *
 *     TEST(sum_of_two)
 *     {
 *         assert_int_equal(sum(1, 2), 3);
 *     }
 *
 * A test that needs a fixture names its functions, int f(void **state), or NULL: TEST_WITH(name, setup,
 * teardown). Functions around all tests of the file: AROUND_ALL(setup, teardown). */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* after those, which it forgets to include */

struct unit_test {
    unsigned line; /* where it is defined */
    struct CMUnitTest test;
    const char *main;
};
struct unit_fixture {
    CMFixtureFunction setup, teardown;
};
extern const struct unit_fixture unit_around_all;
extern const char unit_main; /* in main.c: a file with TEST() and a main() of its own is not linked */

/* Pointers in a section, since the compiler may align larger objects with gaps. */
#define TEST_WITH(function, before, after)                                                                 \
    static void function(void **state);                                                                    \
    static const struct unit_test unit_##function = {                                                      \
        __LINE__,                                                                                          \
        {.name = #function, .test_func = function, .setup_func = before, .teardown_func = after},          \
        &unit_main};                                                                                       \
    static const struct unit_test *const unit_at_##function __attribute__((section("unit_tests"), used)) = \
        &unit_##function;                                                                                  \
    static void function(__attribute__((unused)) void **state)
#define TEST(function)            TEST_WITH(function, NULL, NULL)
#define AROUND_ALL(before, after) const struct unit_fixture unit_around_all = {before, after}
