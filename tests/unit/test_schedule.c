/* Events into groups. */
#include "measure/schedule.h"
#include "tests/unit/unit.h"

static const struct event counting[7] = {{"e0", true}, {"e1", true}, {"e2", true}, {"e3", true},
                                         {"e4", true}, {"e5", true}, {"e6", true}};
static const struct event *request[8];
static struct group group[8];

static void test_tsc_alone(void **state)
{
    (void)state;
    request[0] = event_find("tsc", 3);
    assert_non_null(request[0]);
    assert_false(request[0]->needs_counter);
    assert_int_equal(schedule_groups(request, 1, 0, group, 8), 1);
    assert_int_equal(group[0].n, 1);
    assert_ptr_equal(group[0].event[0], request[0]);
    assert_int_equal(schedule_groups(request, 0, 0, group, 8), 1);
    assert_int_equal(group[0].n, 0);
    assert_null(event_find("cycles", 6));
    assert_null(event_find("ts", 2));
}

static void test_packing(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 7; i++) request[i] = &counting[i];
    request[7] = event_find("tsc", 3);
    assert_int_equal(schedule_groups(request, 8, 3, group, 8),
                     3); /* 3 + 3 + 1, the time stamp in the first */
    assert_int_equal(group[0].n, 4);
    assert_int_equal(group[1].n, 3);
    assert_int_equal(group[2].n, 1);
    assert_ptr_equal(group[0].event[0], request[7]);
    assert_ptr_equal(group[2].event[0], &counting[6]);
    assert_int_equal(schedule_groups(request, 6, 3, group, 8), 2); /* full groups, no empty one after them */
    assert_int_equal(schedule_groups(request, 7, 7, group, 8), 1);
}

static void test_impossible(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 7; i++) request[i] = &counting[i];
    assert_int_equal(schedule_groups(request, 1, 0, group, 8), 0); /* no counter */
    assert_int_equal(schedule_groups(request, 7, 2, group, 3), 0); /* four groups, room for three */
    assert_int_equal(schedule_groups(request, 1, 1, group, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tsc_alone), cmocka_unit_test(test_packing),
                                       cmocka_unit_test(test_impossible)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
