/* events=find: what is found, and that nothing is said to be nothing. */
#include "pmu/p5.h"
#include "pmu/p6.h"
#include "report/emit.h"
#include "report/emit_events.h"
#include "tests/unit/emit_drive.h"

static const struct pmu p5 = {.ops = &pmu_p5_ops, .counters = 2, .usable = 3};

TEST_WITH(found, session, forget)
{
    assert_true(emit_events(&p5, "v_pipe"));
    assert_int_equal(records, 3);
    assert_string_equal(json_string_value(json_object_get(record[0], "event")),
                        "instructions_executed_v_pipe");
    assert_string_equal(json_string_value(json_object_get(record[1], "event")),
                        "instructions_executed_in_v_pipe"); /* Safford's name */
    assert_string_equal(json_string_value(json_object_get(record[1], "stands_for")),
                        "instructions_executed_v_pipe");
    assert_string_equal(
        json_string_value(json_object_get(record[2], "message")),
        "these have \"v_pipe\" as it stands; events=find:v+pipe finds its words in any order");
}

static const char *event_of(unsigned i) { return json_string_value(json_object_get(record[i], "event")); }

/* Several words, in any order, over name, description and unit masks of one event. */
TEST_WITH(several_words, session, forget)
{
    static const struct pmu p3 = {.ops = &pmu_p6_ops, .models = P6_PIII, .counters = 2, .usable = 3};
    assert_true(emit_events(&p5, "pipe+v_+executed")); /* the name has the one, the description the other */
    assert_string_equal(event_of(0), "instructions_executed_v_pipe");
    const unsigned before = records;
    assert_true(
        emit_events(&p3, "fp_to_mmx+trans")); /* a unit mask's name has the one, the event's the other */
    assert_int_equal(records, before + 1);
    assert_string_equal(event_of(before), "fp_mmx_trans");
    assert_false(emit_events(&p3, "fp_to_mmx+mmx_to_fp")); /* of two unit masks, each has one word */
    assert_false(emit_events(&p5, "v_pipe+nosuchthing"));
}

/* A word that needs an MSR which is not programmed says so, as the database's events do. */
TEST_WITH(word_needs_msr, session, forget)
{
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

TEST_WITH(none_found, session, forget)
{
    assert_false(emit_events(&p5, "nosuchthing"));
    assert_int_equal(records, 1);
    assert_string_equal(json_string_value(json_object_get(record[0], "t")), "note");
    assert_string_equal(
        json_string_value(json_object_get(record[0], "message")),
        "no name and no description has \"nosuchthing\"; find:l2+miss looks for several words");
}

/* Without a pattern there is nothing to be missed. */
TEST_WITH(all_listed, session, forget)
{
    assert_true(emit_events(&p5, NULL));
    assert_true(records > 40);
}
