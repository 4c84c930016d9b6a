/* Events into groups; the matching itself is test_match.c's. */
#include "measure/schedule.h"
#include "tests/unit/unit.h"

static struct pmu_code code[8];
static struct group group[8];

static void ask(unsigned n, const uint32_t *counters)
{
    for (unsigned i = 0; i < n; i++) code[i].counters = counters[i];
}

/* P6: FLOPS only on counter 0, MUL only on counter 1, others on both. */
static void test_restrictions(void **state)
{
    static const uint32_t counters[] = {3, 1, 2, 1, 3};
    (void)state;
    ask(5, counters);
    assert_int_equal(schedule_groups(code, 5, 3, group), 3); /* five events on two counters */
    unsigned seen = 0;
    for (unsigned g = 0; g < 3; g++)
        for (unsigned i = 0; i < group[g].n; i++) {
            assert_true(counters[group[g].event[i]] >> group[g].counter[i] & 1);
            assert_true(i == 0 || group[g].counter[0] != group[g].counter[1]);
            seen |= 1u << group[g].event[i];
        }
    assert_int_equal(seen, 31);
}

static void test_nothing_fits(void **state)
{
    static const uint32_t counters[] = {2, 1};
    (void)state;
    ask(2, counters);
    assert_int_equal(schedule_groups(code, 2, 1, group),
                     1); /* counter 1 is not usable: event 0 is in no group */
    assert_int_equal(group[0].n, 1);
    assert_int_equal(group[0].event[0], 1);
    assert_int_equal(schedule_groups(code, 2, 0, group), 0);
    assert_int_equal(schedule_groups(code, 0, 3, group), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_restrictions),
                                       cmocka_unit_test(test_nothing_fits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
