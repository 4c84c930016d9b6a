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
        .word = &w, .part = line + from, .part_len = len, .what = "unknown", .valid = "v"};
    emit_word_fault(&f, line);
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

int main(void)
{
    const struct CMUnitTest tests[] = {SHOWN(quoted_whole), SHOWN(clipped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
