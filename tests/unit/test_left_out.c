/* Records that the kernel left out of its QR codes, and said so: a session that lacks exactly these is whole.
 */
#include "host/records.h"
#include "kernel/crc32.h"
#include "tests/unit/unit.h"
#include <string.h>

static char capture[16384], faults[4096];
static long long left_out;

static void add(unsigned n, const char *type, const char *more)
{
    char line[256];
    int len = snprintf(line, sizeof line, "{\"n\":%u,\"t\":\"%s\"%s", n, type, more);
    len +=
        snprintf(line + len, sizeof line - (size_t)len, ",\"crc\":\"%08x\"}\n", crc32(0, line, (size_t)len));
    strcat(capture, line);
}

static void fault(void *ctx, const struct fault *f)
{
    (void)ctx;
    snprintf(faults + strlen(faults), sizeof faults - strlen(faults), "%lu %s;", f->line, f->what);
}
static void session(void *ctx, const struct session_seen *s)
{
    (void)ctx;
    left_out += s->left_out;
}

static const char *read_all(bool live)
{
    const struct records_sink sink = {.fault = fault, .session = session, .live = live};
    struct records r;
    faults[0] = '\0';
    left_out = 0;
    records_begin(&r, &sink);
    assert_true(records_feed(&r, capture, strlen(capture)));
    records_finish(&r);
    return faults;
}

/* Every second record of 2..41 is there; so many are said to have been left out. */
static void make(unsigned said)
{
    char more[40];
    capture[0] = '\0';
    add(0, "boot", "");
    add(1, "cpu", "");
    for (unsigned n = 2; n < 42; n += 2) add(n, "result", "");
    snprintf(more, sizeof more, ",\"left_out\":%u", said);
    add(42, "reduced", more);
    add(43, "end", ",\"records\":44,\"status\":0");
}

TEST(whole)
{
    make(20);
    assert_string_equal(read_all(false), "");
    assert_int_equal(left_out, 20);
    make(20);
    make(20); /* begins anew; then a second session */
    char twice[sizeof capture / 2];
    strcpy(twice, capture);
    strcat(capture, twice);
    assert_string_equal(read_all(false), "");
    assert_int_equal(left_out, 40);
}

TEST(not_so_many)
{
    for (unsigned said = 0; said < 40; said++) {
        if (said == 20) continue;
        make(said);
        assert_non_null(strstr(read_all(false), "4 record 3 is missing;5 record 5 is missing;"));
        assert_non_null(strstr(faults, "record 41 is missing;"));
        assert_int_equal(left_out, 0);
    }
}

/* Any other fault, wherever it is: then all of them are told, each at its place. */
TEST(other_faults)
{
    for (unsigned at = 0; at < 23; at++) {
        make(20);
        char *line = capture;
        for (unsigned i = 0; i < at; i++) line = strchr(line, '\n') + 1;
        *strchr(line, '"') = '#';
        read_all(false);
        assert_non_null(strstr(faults, "damaged"));
        assert_non_null(strstr(faults, at < 10 ? "record 35 is missing;" : "record 5 is missing;"));
        assert_int_equal(left_out, 0);
    }
    make(20);
    *strstr(capture, "{\"n\":43") = '\0'; /* no end */
    assert_non_null(strstr(read_all(false), "no \"end\""));
    assert_non_null(strstr(faults, "record 5 is missing;"));
}

/* Over a serial line nothing may be missing. */
TEST(live)
{
    make(20);
    assert_non_null(strstr(read_all(true), "4 record 3 is missing;5 record 5 is missing;"));
    assert_int_equal(left_out, 0);
}
