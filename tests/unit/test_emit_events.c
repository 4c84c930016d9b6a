/* events=find: what is found, and that nothing is said to be nothing. */
#include "pmu/p5.h"
#include "report/emit.h"
#include "report/emit_events.h"
#include "tests/unit/emit_drive.h"

static const struct pmu p5 = {.ops = &pmu_p5_ops, .counters = 2, .usable = 3};

static void found(void **state)
{
    (void)state;
    assert_true(emit_events(&p5, "v_pipe"));
    assert_int_equal(records, 2);
    assert_string_equal(json_string_value(json_object_get(record[0], "event")),
                        "instructions_executed_v_pipe");
    assert_string_equal(json_string_value(json_object_get(record[1], "event")),
                        "instructions_executed_in_v_pipe"); /* Safford's name */
    assert_string_equal(json_string_value(json_object_get(record[1], "stands_for")),
                        "instructions_executed_v_pipe");
}

/* A word that needs an MSR which is not programmed says so, as the database's events do. */
static void word_needs_msr(void **state)
{
    (void)state;
    struct pmu_word word = {"LLC-loads", "r01b7", 0x1a6};
    emit_word(&word);
    assert_int_equal(records, 1);
    assert_string_equal(json_string_value(json_object_get(record[0], "stands_for")), "r01b7");
    assert_string_equal(json_string_value(json_object_get(record[0], "msr")), "0x1a6");
    word = (struct pmu_word){"node-loads", NULL, 0};
    emit_word(&word);
    assert_string_equal(json_string_value(json_object_get(record[1], "stands_for")), "absent");
    assert_null(json_object_get(record[1], "msr"));
}

static void none_found(void **state)
{
    (void)state;
    assert_false(emit_events(&p5, "nosuchthing"));
    assert_int_equal(records, 1);
    assert_string_equal(json_string_value(json_object_get(record[0], "t")), "note");
    assert_string_equal(json_string_value(json_object_get(record[0], "message")), "none has \"nosuchthing\"");
}

/* Without a pattern there is nothing to be missed. */
static void all_listed(void **state)
{
    (void)state;
    assert_true(emit_events(&p5, NULL));
    assert_true(records > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {SHOWN(found), SHOWN(word_needs_msr), SHOWN(none_found),
                                       SHOWN(all_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
