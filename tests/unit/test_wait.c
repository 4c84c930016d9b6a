/* What exit=wait keeps and answers: the ring of lines against a plain list, requests, and the limits of the
 * wait. */
#include "report/kept.h"
#include "report/record.h"
#include "report/wait.h"
#include "tests/unit/fake_hw.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the console ---- */

static char said[65536];
static size_t n_said;
static const char *typed; /* the keys that come; at their end, nothing */
static bool has_keys = true;

void console_record(const char *line, size_t len)
{
    assert_true(n_said + len + 2 < sizeof said);
    memcpy(said + n_said, line, len);
    n_said += len;
    said[n_said++] = '\n';
    said[n_said] = '\0';
}
int console_key(void) { return typed && *typed ? *typed++ : -1; }
bool console_has_keys(void) { return has_keys; }

static const char *session(const char *keys)
{
    static const struct clock clock = {.tsc_hz = 1000};
    n_said = 0;
    said[0] = '\0';
    typed = keys;
    fake_tsc(0, 1); /* a question for the time is a millisecond */
    wait_for_requests(&clock);
    return said;
}

static unsigned count(const char *what)
{
    unsigned n = 0;
    for (const char *s = said; (s = strstr(s, what)); s++) n++;
    return n;
}

/* ---- the ring ---- */

static size_t line_of(unsigned n, char *line) /* of any length from 4 to 203, by its number alone */
{
    const size_t len = 4 + n * 2654435761u % 200;
    for (size_t i = 0; i < len; i++) line[i] = (char)('a' + (n + i) % 26);
    return len;
}

static unsigned seen_first, seen_next;
static void see(const char *line, size_t len)
{
    char want[256];
    assert_int_equal(len, line_of(seen_next, want));
    assert_memory_equal(line, want, len);
    seen_next++;
}

static void look(unsigned first, unsigned last)
{
    seen_next = seen_first = first < kept_first() ? kept_first() : first;
    kept_each(first, last, see);
    const unsigned end = last > kept_last() ? kept_last() : last;
    if (seen_first <= end)
        assert_int_equal(seen_next, end + 1);
    else
        assert_int_equal(seen_next, seen_first);
}

/* The newest are there, whole, in their order, and as many as there is room for. */
TEST(ring)
{
    static uint32_t memory[4096 / 4];
    char line[256];
    for (unsigned size = 256; size <= sizeof memory; size += 332) {
        kept_begin(memory, size, KEPT_LAST);
        assert_false(kept_any());
        for (unsigned n = 5; n < 3000; n++) {
            kept_add(n, line, line_of(n, line));
            assert_true(kept_any());
            assert_int_equal(kept_last(), n);
            size_t bytes = 0;
            for (unsigned k = kept_first(); k <= n; k++) bytes += 8 + (line_of(k, line) + 3) / 4 * 4;
            assert_true(bytes <= size);
            /* The next older line would not have fitted: what is free is less than it and the gap at the end.
             */
            if (kept_first() > 5) assert_true(bytes + 2 * 212 > size);
            look(0, UINT32_MAX);
            look(n - n % 7, n + 3);
            look(n + 1, n + 9);
        }
    }
}

TEST(room)
{
    static uint32_t memory[1024 / 4];
    char line[256];
    kept_begin(memory, sizeof memory, KEPT_LAST);
    for (unsigned n = 0; n < 500; n++) {
        kept_add(n, line, line_of(n, line));
        kept_room(320);
        const bool any = kept_any();
        const unsigned first = any ? kept_first() : n + 1;
        kept_add(++n, line, 100);
        kept_add(++n, line, 100);
        assert_int_equal(kept_first(), first);
    }
}

/* ---- requests ---- */

static void fill(unsigned from, unsigned to)
{
    static uint32_t memory[65536 / 4];
    kept_begin(memory, sizeof memory, KEPT_LAST);
    for (unsigned n = from; n <= to; n++) {
        char line[32];
        kept_add(n, line, (size_t)snprintf(line, sizeof line, "{%u}", n));
    }
}

TEST(answers)
{
    static const struct {
        const char *asked, *answer;
        bool understood;
    } rows[] = {
        {"resend 7", "{7}\n", true},
        {"resend 7..9", "{7}\n{8}\n{9}\n", true},
        {"resend 0..6", "{5}\n{6}\n", true},
        {"resend 38..999999999", "{38}\n{39}\n{40}\n", true},
        {"resend 41", "", true},
        {"resend 9..7", "not understood: \"resend 9..7\"; there are", false},
        {"resend", "not understood", false},
        {"resend ", "not understood", false},
        {"resend x", "not understood", false},
        {"resend 1.2", "not understood", false},
        {"resend 1..", "not understood", false},
        {"resend 1..2x", "not understood", false},
        {"resend 99999999999999999999", "not understood", false},
        {"resend -1", "not understood", false},
        {"resent 7", "not understood", false},
        {"leave now", "not understood", false},
        {"", "", false},
    };
    fill(5, 40);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool understood;
        n_said = 0;
        said[0] = '\0';
        assert_true(wait_answer(rows[i].asked, &understood));
        assert_int_equal(understood, rows[i].understood);
        if (rows[i].understood)
            assert_string_equal(said, rows[i].answer);
        else
            assert_memory_equal(said, rows[i].answer, strlen(rows[i].answer));
    }
    bool understood;
    assert_false(wait_answer("leave", &understood));
}

TEST(dialogue)
{
    fill(5, 8);
#define INVITATION \
    "waiting: records 5..8 are kept; \"resend N..M\" sends them again, \"leave\" ends the wait\n"
    assert_string_equal(session("\r\nresend 6..7\r\n\xe4\x01?\nleave\n"),
                        INVITATION "{6}\n{7}\n" INVITATION
                                   "not understood: \"???\"; there are \"resend N..M\", \"resend N\" and "
                                   "\"leave\"\n" INVITATION "the wait is over: leave\n");
    assert_string_equal(session("rese\3nd"), INVITATION "the wait is over: Ctrl-C\n");
    /* A line that is too long is cut, and no more. */
    char lengthy[500];
    memset(lengthy, 'x', sizeof lengthy);
    strcpy(lengthy + 480, "\nleave\n");
    session(lengthy);
    assert_int_equal(count("not understood"), 1);
    assert_int_equal(count("the wait is over: leave"), 1);
}

/* Nobody asks: the invitation comes after 2, 4, 8, ... 64 seconds, and an hour later it is over. */
TEST(limits)
{
    fill(5, 8);
    session("");
    assert_int_equal(count("the wait is over: nothing was asked for in an hour"), 1);
    assert_in_range(count("waiting:"), 1 + 5 + (3600 - 62) / 64 - 1, 1 + 5 + (3600 - 62) / 64 + 1);
    has_keys = false;
    assert_string_equal(session("leave\n"), "");
    has_keys = true;
    kept_begin(NULL, 0, KEPT_LAST);
    assert_string_equal(session("leave\n"), "");
}

/* ---- the record ---- */

static char last_line[RECORD_MAX_BYTES + 1];
static void keep(const char *line, size_t len)
{
    kept_add(session_records() - 1, line, len);
    memcpy(last_line, line, len + 1);
}

/* What "kept" says is still true when "end" has been kept too, in a store that is full. */
TEST(announced)
{
    static uint32_t memory[4096 / 4];
    static const struct session_sinks sinks = {keep, NULL};
    unsigned first, last;
    kept_begin(memory, sizeof memory, KEPT_LAST);
    session_begin(&sinks);
    for (unsigned i = 0; i < 200; i++) report_note("test", "number %u", i);
    wait_announce();
    const char *says = strstr(last_line, "\"first\":");
    assert_non_null(says);
    assert_int_equal(sscanf(says, "\"first\":%u,\"last\":%u", &first, &last), 2);
    session_end(0);
    assert_int_equal(last, session_records() - 1);
    assert_int_equal(kept_first(), first);
    assert_int_equal(kept_last(), last);
    assert_true(first > 100);
    /* Without a store there is no such record. */
    kept_begin(NULL, 0, KEPT_LAST);
    session_begin(&sinks);
    wait_announce();
    assert_int_equal(session_records(), 0);
}
