/* Runs the tests of a file (unit.h). One argument is a pattern of names: build/unit/X 'sum_*'. */
#include <stdlib.h>

#include "tests/unit/unit.h"

const char unit_main;
const struct unit_fixture unit_around_all __attribute__((weak));
extern const struct unit_test *const __start_unit_tests[] __attribute__((weak));
extern const struct unit_test *const __stop_unit_tests[] __attribute__((weak));

/* Compilers emit variables in any order. */
static int by_line(const void *a, const void *b)
{
    const struct unit_test *const *x = a, *const *y = b;
    return ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

int main(int argc, char **argv)
{
    const size_t n = __stop_unit_tests - __start_unit_tests;
    if (n == 0) return 1;
    const struct unit_test *sorted[n];
    struct CMUnitTest tests[n];
    for (size_t i = 0; i < n; i++) sorted[i] = __start_unit_tests[i];
    qsort(sorted, n, sizeof sorted[0], by_line);
    for (size_t i = 0; i < n; i++) tests[i] = sorted[i]->test;
    if (argc == 2) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, unit_around_all.setup, unit_around_all.teardown);
}
