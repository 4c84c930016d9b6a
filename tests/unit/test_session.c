/* The session: it numbers records, gives them to both faces, and tells of what did not fit. */
#include "report/record.h"
#include "tests/unit/unit.h"
#include <jansson.h>
#include <string.h>

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

TEST_WITH(numbers_records_and_counts_errors, begin, NULL)
{
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

TEST_WITH(tells_what_did_not_fit, begin, NULL)
{
    char big[RECORD_MAX_BYTES + 100];
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

TEST_WITH(the_longest_line_fits, begin, NULL)
{
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
