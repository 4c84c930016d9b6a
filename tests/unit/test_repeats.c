/* Records that come again, or late: which are known, which are faults, and what is passed on. */
#include "host/records.h"
#include "host/repeats.h"
#include "kernel/crc32.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

/* ---- the ring ---- */

TEST(ring)
{
    struct repeats r = {.next = 0};
    assert_int_equal(repeats_judge(&r, 0, 7), REPEAT_NEW);
    repeats_add(&r, 3, 33); /* 0 to 2 are missing */
    for (long long n = 0; n < 3; n++) assert_int_equal(repeats_judge(&r, n, 0), REPEAT_NEW);
    assert_int_equal(repeats_judge(&r, 3, 33), REPEAT_SAME);
    assert_int_equal(repeats_judge(&r, 3, 34), REPEAT_OTHER);
    assert_int_equal(repeats_judge(&r, 4, 0), REPEAT_NEW);
    repeats_add(&r, 1, 11);
    assert_int_equal(repeats_judge(&r, 1, 11), REPEAT_SAME);
    assert_int_equal(r.next, 4);
    for (long long n = 4; n < 3 * REPEATS_KEPT; n++) repeats_add(&r, n, (uint32_t)n);
    assert_int_equal(repeats_judge(&r, 2 * REPEATS_KEPT, 2 * REPEATS_KEPT), REPEAT_SAME);
    assert_int_equal(repeats_judge(&r, 2 * REPEATS_KEPT - 1, 2 * REPEATS_KEPT - 1), REPEAT_UNKNOWN);
    assert_int_equal(repeats_judge(&r, 3 * REPEATS_KEPT - 1, 0), REPEAT_OTHER);
    repeats_add(&r, 3 * REPEATS_KEPT + 9, 99); /* what these slots held is forgotten */
    for (long long n = 3 * REPEATS_KEPT; n < 3 * REPEATS_KEPT + 9; n++)
        assert_int_equal(repeats_judge(&r, n, (uint32_t)n), REPEAT_NEW);
    assert_int_equal(repeats_judge(&r, 3 * REPEATS_KEPT - 1, 3 * REPEATS_KEPT - 1), REPEAT_SAME);
    repeats_add(&r, 1000000000000000, 5); /* a leap */
    assert_int_equal(repeats_judge(&r, 1000000000000000 - REPEATS_KEPT + 1, 0), REPEAT_NEW);
    assert_int_equal(repeats_judge(&r, 1000000000000000, 5), REPEAT_SAME);
    repeats_rewind(&r, 1000000000000000);
    assert_int_equal(repeats_judge(&r, 1000000000000000, 5), REPEAT_NEW);
    repeats_free(&r);
    assert_int_equal(repeats_judge(&r, 3, 33), REPEAT_NEW);
}

/* ---- the reader ---- */

static char capture[65536], seen[4096];

static void add(long long n, const char *type, const char *more)
{
    char line[256];
    int len = snprintf(line, sizeof line, "{\"n\":%lld,\"t\":\"%s\"%s", n, type, more);
    len +=
        snprintf(line + len, sizeof line - (size_t)len, ",\"crc\":\"%08x\"}\n", crc32(0, line, (size_t)len));
    strcat(capture, line);
}

static void begin_with(const char *boot)
{
    capture[0] = '\0';
    add(0, "boot", boot);
}

static void notes(long long first, long long last)
{
    for (long long n = first; n <= last; n++) add(n, "note", "");
}

static void end(long long n)
{
    char more[64];
    snprintf(more, sizeof more, ",\"records\":%lld,\"status\":0", n + 1);
    add(n, "end", more);
}

static void fault(void *ctx, const struct fault *f)
{
    (void)ctx;
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s;", f->what);
}

static void record(void *ctx, const struct received *r)
{
    unsigned *passed = ctx;
    ++*passed;
    if (r->late) snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "late %lld;", r->n);
}

static void session(void *ctx, const struct session_seen *s)
{
    (void)ctx;
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%lu and %lu again", s->received, s->repeated);
    if (!s->ended) strcat(seen, ", open");
    strcat(seen, ";");
}

static void expect(bool live, unsigned passed_on, const char *want)
{
    unsigned passed = 0;
    const struct records_sink sink = {
        .record = record, .fault = fault, .session = session, .ctx = &passed, .live = live};
    struct records r;
    seen[0] = '\0';
    records_begin(&r, &sink);
    assert_true(records_feed(&r, capture, strlen(capture)));
    records_finish(&r);
    if (strcmp(seen, want) != 0) fail_msg("got \"%s\", not \"%s\"", seen, want);
    assert_int_equal(passed, passed_on);
}

TEST(again)
{
    begin_with("");
    notes(1, 9);
    notes(2, 5); /* resend 2..5 */
    notes(10, 10);
    notes(10, 10);
    end(11);
    expect(false, 12, "12 and 5 again;");
    expect(true, 12, "12 and 5 again;");
}

TEST(other_bytes)
{
    begin_with("");
    notes(1, 4);
    add(3, "note", ",\"what\":\"another\"");
    notes(4, 5); /* the numbers go on from there, as those of a boot whose beginning was lost */
    end(6);
    expect(false, 9, "record 3 comes where 5 was due, and is not the one that came before;9 and 0 again;");
}

TEST(late)
{
    begin_with("");
    notes(1, 2);
    notes(9, 10); /* 3 to 8 are missing */
    notes(5, 6);  /* they come, from the middle out */
    notes(3, 4);
    notes(7, 8);
    end(11);
    expect(false, 12, "late 5;late 6;late 3;late 4;late 7;late 8;12 and 0 again;");
    begin_with("");
    notes(1, 2);
    notes(9, 10);
    notes(5, 6);
    end(11);
    expect(false, 8, "late 5;late 6;records 3 to 4 are missing;records 7 to 8 are missing;8 and 0 again;");
    expect(true, 8, "records 3 to 8 are missing;late 5;late 6;8 and 0 again;"); /* told when it is seen */
}

/* A line that is damaged stays a fault; the record itself has come. */
TEST(damaged)
{
    begin_with("");
    notes(1, 2);
    strcat(capture, "{\"n\":3,\"t\":\"note\",\"crc\":\"00000000\"}\n");
    notes(4, 5);
    notes(3, 3);
    notes(3, 3);
    end(6);
    expect(false, 7, "record 3: damaged: its CRC says 00000000, its bytes 1988ac09;late 3;7 and 1 again;");
}

/* Record 0: the same boot, to the second, or another one. */
TEST(boots)
{
    static const char today[] = ",\"date\":\"2026-11-24T06:00:00\"",
                      later[] = ",\"date\":\"2026-11-24T06:00:01\"";
    begin_with(today);
    notes(1, 3);
    add(0, "boot", today);
    notes(1, 4);
    end(5);
    expect(false, 6, "6 and 4 again;");
    begin_with(today);
    notes(1, 3);
    add(0, "boot", later);
    notes(1, 4);
    end(5);
    expect(false, 10, "no \"end\": the capture stops after record 3;4 and 0 again, open;6 and 0 again;");
    begin_with(""); /* without a date every boot may look like this */
    notes(1, 3);
    add(0, "boot", "");
    notes(1, 4);
    end(5);
    expect(false, 10, "no \"end\": the capture stops after record 3;4 and 0 again, open;6 and 0 again;");
    begin_with(today); /* after "end" it is another one */
    end(1);
    add(0, "boot", today);
    end(1);
    expect(false, 4, "2 and 0 again;2 and 0 again;");
}

/* Too long ago to be compared. */
TEST(long_ago)
{
    begin_with("");
    notes(1, 2);
    notes(REPEATS_KEPT + 2, REPEATS_KEPT + 3);
    notes(2, 2);
    expect(true, 6,
           "records 3 to 65537 are missing;record 2 comes where 65540 was due;no \"end\": the capture stops "
           "after record "
           "2;6 and 0 again, open;");
}
