/* The record builder. */
#include "report/record.h"
#include "tests/unit/unit.h"
#include <string.h>

static void finds_top_level_fields_only(void **state)
{
    (void)state;
    struct record *r = record_new("result");
    rec_object(r, "params");
    rec_uint(r, "n", 1);
    rec_object(r, "inner");
    rec_uint(r, "cpu", 2);
    rec_close(r);
    rec_close(r);
    rec_int(r, "cpu", -3);
    rec_real(r, "mean", 2.5);
    rec_bool(r, "main", true);
    rec_str(r, "unit", "tsc");
    rec_uint(r, "big", 1ull << 40);
    assert_null(rec_find(r, "n"));
    assert_null(rec_find(r, "inner"));
    assert_int_equal(rec_find(r, "params")->type, FIELD_OPEN_OBJECT);
    assert_true(rec_number(r, "cpu", 9) == -3);
    assert_true(rec_number(r, "mean", 9) == 2.5);
    assert_true(rec_number(r, "main", 9) == 1);
    assert_true(rec_number(r, "big", 9) == 1099511627776.0);
    assert_true(rec_number(r, "unit", 9) == 9);
    assert_true(rec_number(r, "absent", 9) == 9);
    assert_true(field_number(NULL, 9) == 9);
    assert_string_equal(rec_text(r, "unit", "?"), "tsc");
    assert_string_equal(rec_text(r, "cpu", "?"), "?");
    assert_string_equal(rec_text(r, "absent", "?"), "?");
}

static void copies_strings(void **state)
{
    char s[] = "before";
    (void)state;
    struct record *r = record_new("note");
    rec_str(r, "a", s);
    rec_strf(r, "b", "%s-%d", s, 5);
    memcpy(s, "after!", 6);
    assert_string_equal(rec_text(r, "a", ""), "before");
    assert_string_equal(rec_text(r, "b", ""), "before-5");
}

static void cuts_to_the_rendered_width(void **state)
{
    (void)state;
    struct record *r = record_new("note");
    assert_true(rec_str_fit(r, "all", "abc", 3));
    assert_false(rec_str_fit(r, "plain", "abcd", 3));
    assert_false(rec_str_fit(r, "quotes", "\"\"\"", 5));
    assert_false(rec_str_fit(r, "control", "a\x01\x02", 12));
    assert_true(rec_str_fit(r, "enough", "a\x01\x02", 13));
    assert_string_equal(rec_text(r, "all", ""), "abc");
    assert_string_equal(rec_text(r, "plain", ""), "abc");
    assert_string_equal(rec_text(r, "quotes", ""), "\"\"");
    assert_string_equal(rec_text(r, "control", ""), "a\x01");
    assert_string_equal(rec_text(r, "enough", ""), "a\x01\x02");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_top_level_fields_only),
        cmocka_unit_test(copies_strings),
        cmocka_unit_test(cuts_to_the_rendered_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
