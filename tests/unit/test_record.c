/* The record builder, the JSON face (read back with jansson), and the session. */
#include "report/record.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/crc32.h"

static char line[RECORD_MAX_BYTES + 1];

/* Render as record n, check the line's frame, and give back what a JSON parser sees. */
static json_t *parse(const struct record *r, unsigned n)
{
    json_error_t err;
    char crc[16];
    size_t len = json_render(r, n, line, sizeof line);
    assert_true(len > 0 && len <= RECORD_MAX_BYTES);
    assert_int_equal(len, strlen(line));
    for (size_t i = 0; i < len; i++) assert_true(line[i] >= 0x20 && line[i] < 0x7f);
    json_t *o = json_loads(line, JSON_REJECT_DUPLICATES, &err);
    if (!o) fail_msg("%s in %s", err.text, line);
    assert_int_equal(json_integer_value(json_object_get(o, "n")), n);
    assert_string_equal(json_string_value(json_object_get(o, "t")), r->type);
    snprintf(crc, sizeof crc, "%08x", crc32(0, line, len - strlen(",\"crc\":\"xxxxxxxx\"}")));
    assert_string_equal(json_string_value(json_object_get(o, "crc")), crc);
    return o;
}

/* The text between "key": and the next comma or bracket. */
static void expect_raw(const char *key, const char *want)
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, "\"%s\":%s,", key, want);
    if (!strstr(line, pattern)) fail_msg("no %s in %s", pattern, line);
}

/* ---- JSON ---- */

/* The example of the design, to the byte. */
static void renders_the_published_example(void **state)
{
    static const char want[] = "{\"n\":7,\"t\":\"result\",\"bench\":\"fp_add_latency\",\"variant\":\"x87\","
                               "\"params\":{\"n\":1000},\"cpu\":0,"
                               "\"ring\":0,\"event\":\"tsc\",\"unit\":\"tsc/"
                               "op\",\"reps\":20,\"ops\":1000,\"raw_min\":5021,\"overhead\":21,"
                               "\"min\":5.0,\"median\":5.0,\"mode\":5.0,\"mean\":5.0003,\"ci95\":0.0002,"
                               "\"max\":5.01,\"flags\":[\"emulated\"],"
                               "\"crc\":\"0e979d4a\"}";
    (void)state;
    struct record *r = record_new("result");
    rec_str(r, "bench", "fp_add_latency");
    rec_str(r, "variant", "x87");
    rec_object(r, "params");
    rec_int(r, "n", 1000);
    rec_close(r);
    rec_uint(r, "cpu", 0);
    rec_int(r, "ring", 0);
    rec_str(r, "event", "tsc");
    rec_strf(r, "unit", "%s/%s", "tsc", "op");
    rec_uint(r, "reps", 20);
    rec_uint(r, "ops", 1000);
    rec_uint(r, "raw_min", 5021);
    rec_uint(r, "overhead", 21);
    rec_real(r, "min", 5);
    rec_real(r, "median", 5);
    rec_real(r, "mode", 5);
    rec_real(r, "mean", 5.0003);
    rec_real(r, "ci95", 0.0002);
    rec_real(r, "max", 5.01);
    rec_array(r, "flags");
    rec_str(r, NULL, "emulated");
    rec_close(r);
    assert_int_equal(json_render(r, 7, line, sizeof line), strlen(want));
    assert_string_equal(line, want);
}

static void reals_have_seven_digits_and_a_point(void **state)
{
    static const struct {
        const char *key;
        double value;
        const char *want;
    } cases[] = {
        {"zero", 0, "0.0"},
        {"whole", -3, "-3.0"},
        {"tenth", 0.1, "0.1"},
        {"third", 1.0 / 3, "0.3333333"},
        {"seven", 1234567, "1234567.0"},
        {"eight", 12345678, "1.234568e+07"},
        {"tiny", 1.5e-9, "1.5e-09"},
        {"million", 1e6, "1000000.0"},
        {"large", 1e300, "1e+300"},
        {"nan", NAN, "null"},
        {"inf", INFINITY, "null"},
        {"minus_inf", -INFINITY, "null"},
    };
    (void)state;
    struct record *r = record_new("note");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) rec_real(r, cases[i].key, cases[i].value);
    json_t *o = parse(r, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *v = json_object_get(o, cases[i].key);
        expect_raw(cases[i].key, cases[i].want);
        assert_true(isfinite(cases[i].value) ? json_is_real(v) : json_is_null(v));
    }
    json_decref(o);
}

static void integers_that_no_double_holds_are_strings(void **state)
{
    (void)state;
    struct record *r = record_new("note");
    rec_uint(r, "two53", 1ull << 53);
    rec_uint(r, "two53_1", (1ull << 53) + 1);
    rec_uint(r, "max", UINT64_MAX);
    rec_int(r, "minus_two53", -(1ll << 53));
    rec_int(r, "minus_two53_1", -(1ll << 53) - 1);
    rec_int(r, "min", INT64_MIN);
    rec_int(r, "minus_one", -1);
    json_t *o = parse(r, 123456);
    expect_raw("two53", "9007199254740992");
    expect_raw("two53_1", "\"9007199254740993\"");
    expect_raw("max", "\"18446744073709551615\"");
    expect_raw("minus_two53", "-9007199254740992");
    expect_raw("minus_two53_1", "\"-9007199254740993\"");
    expect_raw("min", "\"-9223372036854775808\"");
    expect_raw("minus_one", "-1");
    json_decref(o);
}

/* Every byte comes back as the Latin-1 character of its number. */
static void strings_are_escaped_byte_by_byte(void **state)
{
    char s[256], want[512], *w = want;
    (void)state;
    for (int i = 0; i < 255; i++) s[i] = (char)(i + 1);
    s[255] = '\0';
    for (int i = 1; i < 256; i++) { /* the same in UTF-8, as jansson gives it */
        if (i >= 0x80) *w++ = (char)(0xc0 | i >> 6);
        *w++ = (char)(i < 0x80 ? i : 0x80 | (i & 0x3f));
    }
    *w = '\0';
    struct record *r = record_new("note");
    rec_str(r, "s", s);
    rec_str(r, "few", "a\"b\\c\n\x7f\xe9/");
    json_t *o = parse(r, 0);
    assert_string_equal(json_string_value(json_object_get(o, "s")), want);
    expect_raw("few", "\"a\\\"b\\\\c\\u000a\\u007f\\u00e9/\"");
    json_decref(o);
}

static void nests_objects_and_arrays(void **state)
{
    (void)state;
    struct record *r = record_new("cpu");
    rec_array(r, "empty");
    rec_close(r);
    rec_array(r, "caches");
    for (unsigned i = 1; i <= 2; i++) {
        rec_object(r, NULL);
        rec_uint(r, "level", i);
        rec_array(r, "x");
        rec_bool(r, NULL, true);
        rec_bool(r, NULL, false);
        rec_close(r);
        rec_close(r);
    }
    rec_close(r);
    rec_object(r, "none");
    rec_close(r);
    json_decref(parse(r, 1));
    expect_raw("empty", "[]");
    expect_raw("caches", "[{\"level\":1,\"x\":[true,false]},{\"level\":2,\"x\":[true,false]}]");
    expect_raw("none", "{}");
}

static void refuses_what_opens_and_closes_out_of_step(void **state)
{
    (void)state;
    struct record *r = record_new("note");
    rec_object(r, "open");
    assert_int_equal(json_render(r, 0, line, sizeof line), 0);
    rec_close(r);
    assert_int_not_equal(json_render(r, 0, line, sizeof line), 0);
    rec_close(r);
    assert_int_equal(json_render(r, 0, line, sizeof line), 0);
    r = record_new("note");
    for (int i = 0; i < 40; i++) rec_array(r, i ? NULL : "deep");
    for (int i = 0; i < 40; i++) rec_close(r);
    assert_int_equal(json_render(r, 0, line, sizeof line), 0);
}

static void fits_exactly_or_not_at_all(void **state)
{
    char small[64];
    (void)state;
    struct record *r = record_new("note");
    rec_str(r, "s", "12345");
    size_t len = json_render(r, 0, line, sizeof line);
    assert_true(len + 2 < sizeof small);
    memset(small, '#', sizeof small);
    assert_int_equal(json_render(r, 0, small, len + 1), len);
    assert_string_equal(small, line);
    assert_int_equal(small[len + 1], '#');
    for (size_t cap = 1; cap <= len; cap++) {
        memset(small, '#', sizeof small);
        assert_int_equal(json_render(r, 0, small, cap), 0);
        assert_int_equal(small[cap], '#');
    }
}

/* ---- builder ---- */

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

/* ---- session ---- */

static char captured[16][RECORD_MAX_BYTES + 1];
static unsigned n_captured, n_text;

static void capture(const char *s, size_t len)
{
    assert_true(n_captured < 16 && len <= RECORD_MAX_BYTES && s[len] == '\0');
    memcpy(captured[n_captured++], s, len + 1);
}

static void count_text(const char *s)
{
    assert_non_null(s);
    n_text++;
}

static const struct session_sinks both = {capture, count_text}, records_only = {capture, NULL},
                                  text_only = {NULL, count_text};

static int begin(void **state)
{
    (void)state;
    n_captured = n_text = 0;
    session_begin(&both);
    return 0;
}

static json_t *captured_record(unsigned i, const char *type)
{
    assert_true(i < n_captured);
    json_t *o = json_loads(captured[i], JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(o);
    assert_string_equal(json_string_value(json_object_get(o, "t")), type);
    return o;
}

static void numbers_records_and_counts_errors(void **state)
{
    (void)state;
    report_note("apic", "no %s", "local APIC");
    report_error("command line", "unknown key %d", 5);
    assert_int_equal(session_errors(), 1);
    session_redirect(&records_only);
    unsigned text_before = n_text;
    report_note("apic", "again");
    assert_int_equal(n_text, text_before);
    session_redirect(&text_only);
    report_note("apic", "unseen by programs, but numbered");
    session_redirect(&both);
    session_end(2);
    assert_int_equal(n_captured, 4);
    static const unsigned numbers[] = {0, 1, 2, 4};
    static const char *const types[] = {"note", "error", "note", "end"};
    for (unsigned i = 0; i < 4; i++) {
        json_t *o = captured_record(i, types[i]);
        assert_int_equal(json_integer_value(json_object_get(o, "n")), numbers[i]);
        if (i == 0) assert_string_equal(json_string_value(json_object_get(o, "message")), "no local APIC");
        if (i == 1) assert_string_equal(json_string_value(json_object_get(o, "what")), "command line");
        if (i == 3) {
            assert_int_equal(json_integer_value(json_object_get(o, "records")), 5);
            assert_int_equal(json_integer_value(json_object_get(o, "status")), 2);
        }
        json_decref(o);
    }
    session_begin(&both);
    assert_int_equal(session_errors(), 0);
    session_end(0);
    json_t *o = captured_record(4, "end");
    assert_int_equal(json_integer_value(json_object_get(o, "n")), 0);
    json_decref(o);
}

/* One error record, in place of the lost one, that names its type; the session goes on. */
static void expect_loss(unsigned i)
{
    json_t *o = captured_record(i, "error");
    assert_string_equal(json_string_value(json_object_get(o, "what")), "record");
    assert_non_null(strstr(json_string_value(json_object_get(o, "message")), "type reps"));
    assert_int_equal(json_integer_value(json_object_get(o, "n")), i);
    json_decref(o);
}

static void tells_what_did_not_fit(void **state)
{
    char big[RECORD_MAX_BYTES + 100];
    (void)state;
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';

    struct record *r = record_new("reps"); /* too many fields */
    rec_array(r, "raw");
    for (unsigned i = 0; i < RECORD_MAX_FIELDS; i++) rec_uint(r, NULL, i);
    rec_close(r);
    assert_true(r->overflow);
    record_emit(r);

    r = record_new("reps"); /* too long a string */
    assert_false(r->overflow);
    rec_str(r, "s", big);
    assert_true(r->overflow);
    record_emit(r);

    r = record_new("reps"); /* the same, formatted */
    rec_strf(r, "s", "%s", big);
    assert_true(r->overflow);
    record_emit(r);

    r = record_new("reps"); /* fits the builder, not the line */
    rec_strf(r, "s", "%.*s", RECORD_MAX_BYTES - 10, big);
    assert_false(r->overflow);
    record_emit(r);

    session_redirect(&text_only); /* told as well where records are off */
    r = record_new("reps");
    rec_strf(r, "s", "%.*s", RECORD_MAX_BYTES - 10, big);
    unsigned text_before = n_text;
    record_emit(r);
    assert_true(n_text > text_before);

    assert_int_equal(session_errors(), 5);
    assert_int_equal(n_captured, 4);
    for (unsigned i = 0; i < 4; i++) expect_loss(i);
}

static void the_longest_line_fits(void **state)
{
    (void)state;
    size_t frame = strlen("{\"n\":0,\"t\":\"reps\",\"s\":\"\",\"crc\":\"xxxxxxxx\"}");
    struct record *r = record_new("reps");
    rec_strf(r, "s", "%*s", (int)(RECORD_MAX_BYTES - frame), "");
    record_emit(r);
    json_decref(captured_record(0, "reps"));
    assert_int_equal(strlen(captured[0]), RECORD_MAX_BYTES);
    r = record_new("reps");
    rec_strf(r, "s", "%*s", (int)(RECORD_MAX_BYTES - frame) + 1, "");
    record_emit(r);
    expect_loss(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renders_the_published_example),
        cmocka_unit_test(reals_have_seven_digits_and_a_point),
        cmocka_unit_test(integers_that_no_double_holds_are_strings),
        cmocka_unit_test(strings_are_escaped_byte_by_byte),
        cmocka_unit_test(nests_objects_and_arrays),
        cmocka_unit_test(refuses_what_opens_and_closes_out_of_step),
        cmocka_unit_test(fits_exactly_or_not_at_all),
        cmocka_unit_test(finds_top_level_fields_only),
        cmocka_unit_test(copies_strings),
        cmocka_unit_test(cuts_to_the_rendered_width),
        cmocka_unit_test_setup(numbers_records_and_counts_errors, begin),
        cmocka_unit_test_setup(tells_what_did_not_fit, begin),
        cmocka_unit_test_setup(the_longest_line_fits, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
