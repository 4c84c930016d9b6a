/* Lines that are kept for QR codes: when there are too many, raw values go, and the session's end always has
 * room. */
#include "report/kept.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <string.h>

static uint32_t memory[64 * 1024 / 4];

static void add(unsigned n, const char *type, unsigned bytes)
{
    char line[4096];
    int len = snprintf(line, sizeof line, "{\"n\":%u,\"t\":\"%s\",", n, type);
    for (; (unsigned)len < bytes; len++) line[len] = 'x';
    kept_add(n, line, (size_t)len);
}

static char seen[200000];
static unsigned count, bulk;
static void see(const char *line, size_t len)
{
    count++;
    bulk += kept_is_bulk(line, len);
    strncat(seen, line, len < 24 ? len : 24);
    strcat(seen, ";");
}
static void look(void)
{
    seen[0] = '\0';
    count = bulk = 0;
    kept_each(0, 0xffffffff, see);
}
static bool has(unsigned n, const char *type)
{
    char begins[40];
    snprintf(begins, sizeof begins, "{\"n\":%u,\"t\":\"%s\",", n, type);
    return strstr(seen, begins) != NULL;
}

TEST(which)
{
    static const struct {
        const char *line;
        bool bulk;
    } rows[] = {{"{\"n\":1,\"t\":\"reps\",\"x\":1}", true},
                {"{\"n\":1,\"t\":\"sample\",", true},
                {"{\"n\":1,\"t\":\"result\",", false},
                {"{\"n\":1,\"t\":\"repsx\",", false},
                {"{\"n\":1,\"t\":\"rep\",", false},
                {"{\"n\":1,\"t\":\"reps", false},
                {"{\"n\":1,\"u\":\"reps\",", false},
                {"{\"n\":1", false},
                {"", false},
                {"{\"n\":1,\"t\":\"note\",\"t\":\"reps\"", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(kept_is_bulk(rows[i].line, strlen(rows[i].line)), rows[i].bulk);
}

TEST(reduced)
{
    unsigned n = 0;
    kept_begin(memory, sizeof memory, KEPT_RESULTS);
    assert_int_equal(kept_bytes(), 0);
    add(n++, "boot", 700);
    add(n++, "cpu", 900);
    for (unsigned i = 0; i < 40; i++) { /* all of it has room */
        add(n++, "result", 300);
        add(n++, "reps", 900);
    }
    look();
    assert_int_equal(count, n);
    for (unsigned i = 0; i < 40; i++) { /* now it has not */
        add(n++, "result", 300);
        add(n++, "reps", 900);
    }
    look();
    assert_int_equal(bulk, 0);
    assert_int_equal(count, 2 + 80);
    assert_true(has(0, "boot") && has(1, "cpu") && has(2, "result") && has(n - 2, "result"));
    for (unsigned i = 0; i < 400; i++)
        add(n++, "result", 300); /* nor even for the results: the first ones stay */
    look();
    assert_true(has(0, "boot") && has(2, "result") && !has(n - 1, "result"));
    for (unsigned i = 0; i < 100; i++) add(n++, "error", 300);
    add(n++, "done", 100);
    add(n++, "reduced", 100);
    add(n++, "end", 100);
    look();
    assert_true(has(n - 103, "error") && !has(n - 4, "error"));
    assert_true(has(n - 3, "done") && has(n - 2, "reduced") && has(n - 1, "end"));
    assert_in_range(kept_bytes(), sizeof memory - 6000, sizeof memory);
    kept_room(4096); /* nothing goes */
    look();
    assert_true(has(0, "boot"));
}

/* Lines of every size, in every order: what is kept is whole, in order, and never beyond the memory. */
TEST(sizes)
{
    static const char *const types[] = {"reps", "result", "sample", "note", "error"};
    for (unsigned size = 0; size < 40000; size += 1237) {
        memset(memory, 0xa5, sizeof memory);
        kept_begin(memory, size / 4 * 4, KEPT_RESULTS);
        for (unsigned n = 0; n < 300; n++) add(n, types[n * 7 % 5], 40 + n * 2654435761u % 900);
        assert_true(kept_bytes() <= size);
        for (size_t i = size / 4; i < sizeof memory / 4; i++) assert_int_equal(memory[i], 0xa5a5a5a5);
        look();
        for (const char *s = seen; *s; s = strchr(s, ';') + 1) assert_memory_equal(s, "{\"n\":", 5);
    }
}
