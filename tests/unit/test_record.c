/* The record builder. */
#include "report/json.h"
#include "report/put.h"
#include "tests/unit/unit.h"
#include <string.h>

TEST(finds_top_level_fields_only)
{
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

TEST(copies_strings)
{
    char s[] = "before";
    struct record *r = record_new("note");
    rec_str(r, "a", s);
    rec_strf(r, "b", "%s-%d", s, 5);
    memcpy(s, "after!", 6);
    assert_string_equal(rec_text(r, "a", ""), "before");
    assert_string_equal(rec_text(r, "b", ""), "before-5");
}

TEST(cuts_to_the_rendered_width)
{
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

static void fill(char *s, size_t n)
{
    memset(s, 'x', n);
    s[n] = '\0';
}

/* What just fits, copied or formatted, behind a string of seven bytes: one byte more does not, and is an
 * empty string. */
TEST(takes_as_many_bytes_as_it_has)
{
    static char s[RECORD_MAX_BYTES + 1];
    for (unsigned formatted = 0; formatted < 2; formatted++)
        for (unsigned more = 0; more < 2; more++) {
            struct record *r = record_new("note");
            rec_strf(r, "empty", "%s", "");
            rec_str(r, "a", "12345");
            fill(s, RECORD_MAX_BYTES - 8 + more);
            if (formatted)
                rec_strf(r, "b", "%s", s);
            else
                rec_str(r, "b", s);
            assert_int_equal(r->overflow, more);
            assert_string_equal(rec_text(r, "a", "?"), "12345");
            assert_string_equal(rec_text(r, "b", "?"), more ? "" : s);
            if (more) rec_str(r, "c", ""); /* it takes one byte of what is left */
            if (more) assert_string_equal(rec_text(r, "c", "?"), "");
        }
}

/* All fields that there is room for, and no more; the next record is as good as new. */
TEST(takes_as_many_fields_as_it_has)
{
    struct record *r = record_new("note");
    for (unsigned i = 0; i < RECORD_MAX_FIELDS - 1; i++) rec_uint(r, "n", i);
    rec_uint(r, "last", 5);
    assert_false(r->overflow);
    rec_uint(r, "more", 6);
    rec_str(r, "text", "");
    assert_true(r->overflow);
    assert_true(rec_number(r, "n", 9) == 0 && rec_number(r, "last", 9) == 5);
    assert_null(rec_find(r, "more"));
    assert_string_equal(rec_text(r, "text", "?"), "?");
    r = record_new("end");
    assert_string_equal(r->type, "end");
    assert_false(r->overflow || r->n || r->text_used);
}

TEST(numbers_in_hex)
{
    struct record *r = record_new("note");
    rec_hex(r, "zero", 0);
    rec_hex(r, "all", UINT64_MAX - 1);
    assert_string_equal(rec_text(r, "zero", ""), "0x0");
    assert_string_equal(rec_text(r, "all", ""), "0xfffffffffffffffe");
}

/* A process' records say so at the beginning of their own flags, wherever these stand, and of no others. */
TEST(flags_of_a_process)
{
    char line[400];
    for (unsigned hosted = 0; hosted < 2; hosted++) {
        records_hosted(hosted);
        struct record *r = record_new("note");
        rec_uint(r, "a", 1);
        rec_array(r, "list");
        rec_uint(r, NULL, 2);
        rec_close(r);
        rec_array(r, "rows");
        rec_object(r, NULL);
        rec_array(r, "flags");
        rec_close(r);
        rec_close(r);
        rec_close(r);
        rec_str(r, "b", "");
        rec_array(r, "flags");
        rec_str(r, NULL, "modelled");
        rec_close(r);
        assert_true(json_render(r, 0, line, sizeof line));
        assert_non_null(strstr(line, "\"rows\":[{\"flags\":[]}],"));
        assert_non_null(strstr(line, hosted ? "\"b\":\"\",\"flags\":[\"hosted\",\"modelled\"]"
                                            : "\"b\":\"\",\"flags\":[\"modelled\"]"));
    }
    records_hosted(false);
}

/* A text that is left out takes no room. */
TEST(leaves_text_out)
{
    static char text[RECORD_MAX_BYTES];
    memset(text, 'x', sizeof text - 1);
    records_have_clocks(false);
    struct record *r = NEW(cpu);
    PUT(r, cpu, core_clock_source, text);
    PUT(r, cpu, core_clock_source, text);
    PUT(r, cpu, vendor, "GenuineIntel");
    assert_true(!r->overflow && r->n == 1);
    records_have_clocks(true);
}

/* A record of a modelled session: fields of clocks are left out with all their items, and their neighbours
 * stay. */
TEST(leaves_clocks_out)
{
    char line[RECORD_MAX_BYTES];
    for (unsigned clocks = 0; clocks < 2; clocks++) {
        records_have_clocks(clocks);
        assert_true(record_has_clocks() == clocks);
        struct record *r = NEW(quiet);
        PUT(r, quiet, gaps, 3);
        PUT(r, quiet, watched_tsc, 7);
        OPEN(r, quiet, histogram);
        for (unsigned i = 0; i < 2; i++) {
            rec_object(r, NULL);
            PUT(r, distances, from_tsc, i);
            PUT(r, distances, times, 5);
            rec_close(r);
        }
        rec_close(r);
        PUT(r, quiet, when, "before");
        OPEN(r, trace_entries, time);
        ITEM(r, trace_entries, time, 1);
        rec_close(r);
        OPEN(r, trace_entries, value);
        ITEM(r, trace_entries, value, 9);
        rec_close(r);
        assert_true(json_render(r, 0, line, sizeof line));
        assert_non_null(strstr(
            line, clocks ? "\"gaps\":3,\"watched_tsc\":7,\"histogram\":[{\"from_tsc\":0,\"times\":5},"
                           "{\"from_tsc\":1,\"times\":5}],\"when\":\"before\",\"time\":[1],\"value\":[9],"
                         : "\"gaps\":3,\"when\":\"before\",\"value\":[9],"));
    }
}
