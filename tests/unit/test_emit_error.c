/* Faults of the command line as records: what is quoted of it. */
#include "kernel/fpu.h"
#include "report/emit.h"
#include "tests/unit/emit_drive.h"
#include <string.h>

bool fpu_init(void) { return true; } /* for what a trap is left with, which is not tested here */

static const char *of(const char *field) { return json_string_value(json_object_get(record[0], field)); }

#define EIGHT      "12345678"
#define LETTERS_64 EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT

static void quote(const char *line, size_t from, size_t len)
{
    const struct word w = {.text = line, .len = strlen(line), .index = 1};
    const struct fault f = {
        .line = line, .word = &w, .part = line + from, .part_len = len, .what = "unknown", .valid = "v"};
    emit_word_fault(&f, line);
}

static json_int_t number(const char *field) { return json_integer_value(json_object_get(record[0], field)); }

/* line, column and length of the fault at this part. */
static void expect_shown(const char *line, size_t from, size_t len, const char *shown, unsigned column,
                         unsigned length)
{
    forget(NULL);
    quote(line, from, len);
    assert_string_equal(of("line"), shown);
    assert_int_equal(number("column"), column);
    assert_int_equal(number("length"), length);
}

static void quoted_whole(void **state)
{
    (void)state;
    quote(LETTERS_64, 0, 64);
    assert_string_equal(of("word"), LETTERS_64);
    assert_string_equal(of("message"), "unknown: \"" LETTERS_64 "\"");
    assert_string_equal(of("place"), "word 1, byte 1");
}

/* What is not shown is marked. */
static void clipped(void **state)
{
    (void)state;
    quote(LETTERS_64 EIGHT "9", 1, 71);
    assert_string_equal(of("word"), LETTERS_64 "...");
    assert_non_null(strstr(of("message"), "unknown: \"2345678"));
    assert_non_null(strstr(of("message"), "81...\" in \"" LETTERS_64 "...\""));
}

/* A reason stands in the message, after the part. */
static void reason(void **state)
{
    static const char line[] = "reps=3 events=foo";
    const struct word w = {.text = line + 7, .len = 10, .index = 2};
    const struct fault f = {line, &w, line + 14, 3, "unknown event", "a Pentium has none", "v"};
    (void)state;
    emit_word_fault(&f, line);
    assert_string_equal(of("message"), "unknown event: \"foo\": a Pentium has none");
    assert_string_equal(of("place"), "word 2, byte 15");
}

/* The line as the user wrote it; of a long one, the piece around the fault. */
static void line_shown(void **state)
{
    static const char tens[] = "123456789 123456789 123456789 123456789 123456789 123456789 123456789 "
                               "123456789 123456789 123456789 ";
    static const char exactly_72[] =
        "123456789 123456789 123456789 123456789 123456789 123456789 123456789 12";
    (void)state;
    expect_shown("reps=10k\tb=\001\xff", 5, 3, "reps=10k b=??", 6, 3);
    expect_shown("reps=", 5, 0, "reps=", 6, 0);
    expect_shown(exactly_72, 70, 2, exactly_72, 71, 2);
    expect_shown(tens, 10, 9, "123456789 123456789 123456789 123456789 123456789 123456789 123456789...", 11,
                 9);
    expect_shown(tens, 50, 9, "...89 123456789 123456789 123456789 123456789 123456789 123456789 123...", 37,
                 9);
    expect_shown(tens, 100, 0, "...23456789 123456789 123456789 123456789 123456789 123456789 123456789 ", 73,
                 0);
    expect_shown(tens, 40, 60, "...89 123456789 123456789 123456789 123456789 123456789 123456789 123...", 37,
                 36);
}

int main(void)
{
    const struct CMUnitTest tests[] = {SHOWN(quoted_whole), SHOWN(clipped), SHOWN(reason), SHOWN(line_shown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
