/* The JSON face, read back with jansson. */
#include "kernel/crc32.h"
#include "report/record.h"
#include "tests/unit/unit.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* The example of the design, to the byte. */
TEST(renders_the_published_example)
{
    static const char want[] = "{\"n\":7,\"t\":\"result\",\"bench\":\"fp_add_latency\",\"variant\":\"x87\","
                               "\"params\":{\"n\":1000},\"cpu\":0,"
                               "\"ring\":0,\"event\":\"tsc\",\"unit\":\"tsc/"
                               "op\",\"reps\":20,\"ops\":1000,\"raw_min\":5021,\"overhead\":21,"
                               "\"min\":5.0,\"median\":5.0,\"mode\":5.0,\"mean\":5.0003,\"ci95\":0.0002,"
                               "\"max\":5.01,\"flags\":[\"emulated\"],"
                               "\"crc\":\"0e979d4a\"}";
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

/* The fewest digits that read back as the same double; a whole number that is exact has all of them. */
TEST(reals_read_back_and_have_a_point)
{
    static const struct {
        const char *key;
        double value;
        const char *want;
    } cases[] = {
        {"zero", 0, "0.0"},
        {"whole", -3, "-3.0"},
        {"tenth", 0.1, "0.1"},
        {"third", 1.0 / 3, "0.3333333333333333"},
        {"seventh", 1.0 / 7, "0.14285714285714285"},
        {"sum", 0.1 + 0.2, "0.30000000000000004"},
        {"twelve", 123456789012.0, "123456789012.0"},
        {"thirteen", 1234567890123.0, "1234567890123.0"},
        {"counter", 281474976710655.0, "281474976710655.0"},
        {"a_part", 281474976710655.5, "281474976710655.5"},
        {"two53", 9007199254740992.0, "9007199254740992.0"},
        {"minus_two53", -9007199254740992.0, "-9007199254740992.0"},
        {"beyond", 9007199254740994.0, "9007199254740994.0"},
        {"two60", 1152921504606846976.0, "1.152921504606847e+18"},
        {"tiny", 1.5e-9, "1.5e-09"},
        {"million", 1e6, "1000000.0"},
        {"twenty_million_3", 20000003, "20000003.0"},
        {"large", 1e300, "1e+300"},
        {"nan", NAN, "null"},
        {"inf", INFINITY, "null"},
        {"minus_inf", -INFINITY, "null"},
    };
    struct record *r = record_new("note");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) rec_real(r, cases[i].key, cases[i].value);
    json_t *o = parse(r, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *v = json_object_get(o, cases[i].key);
        expect_raw(cases[i].key, cases[i].want);
        assert_true(isfinite(cases[i].value) ? json_real_value(v) == cases[i].value : json_is_null(v));
    }
    json_decref(o);
}

TEST(integers_that_no_double_holds_are_strings)
{
    struct record *r = record_new("note");
    rec_uint(r, "two53", 1ull << 53);
    rec_uint(r, "two53_1", (1ull << 53) + 1);
    rec_uint(r, "max", UINT64_MAX);
    rec_int(r, "minus_two53", -(1ll << 53));
    rec_int(r, "minus_two53_1", -(1ll << 53) - 1);
    rec_int(r, "min", INT64_MIN);
    rec_int(r, "minus_one", -1);
    rec_int(r, "nothing", 0);
    json_t *o = parse(r, 123456);
    expect_raw("two53", "9007199254740992");
    expect_raw("two53_1", "\"9007199254740993\"");
    expect_raw("max", "\"18446744073709551615\"");
    expect_raw("minus_two53", "-9007199254740992");
    expect_raw("minus_two53_1", "\"-9007199254740993\"");
    expect_raw("min", "\"-9223372036854775808\"");
    expect_raw("minus_one", "-1");
    expect_raw("nothing", "0");
    json_decref(o);
}

/* Every byte comes back as the Latin-1 character of its number. */
TEST(strings_are_escaped_byte_by_byte)
{
    char s[256], want[512], *w = want;
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

TEST(nests_objects_and_arrays)
{
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

TEST(refuses_what_opens_and_closes_out_of_step)
{
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

TEST(fits_exactly_or_not_at_all)
{
    char small[64];
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
