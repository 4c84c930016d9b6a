/* QR codes' texts: base45, framing, and records put together from them in any order, with what foreign and
 * damaged ones do. */
#include "host/parts.h"
#include "kernel/crc32.h"
#include "report/base45.h"
#include "report/deflate.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- base45 ---- */

/* RFC 9285, section 4.3 and 4.4. */
static void rfc(void **state)
{
    static const struct {
        const char *bytes, *text;
    } rows[] = {{"AB", "BB8"}, {"Hello!!", "%69 VD92EX0"}, {"base-45", "UJCLQE7W581"}, {"ietf!", "QED8WEX0"}};
    static const char *const refused[] = {"GGW", "ZZZ", ":::", "::", "BB8A", "bb8", "BB8\n1", "A"};
    char text[32];
    uint8_t bytes[32];
    size_t n;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t len = strlen(rows[i].bytes);
        memset(text, 'x', sizeof text);
        base45_encode(text, (const uint8_t *)rows[i].bytes, len);
        assert_int_equal(BASE45_LENGTH(len), strlen(rows[i].text));
        assert_memory_equal(text, rows[i].text, strlen(rows[i].text));
        assert_int_equal(text[BASE45_LENGTH(len)], 'x');
        assert_true(base45_decode(bytes, sizeof bytes, &n, rows[i].text, strlen(rows[i].text)));
        assert_int_equal(n, len);
        assert_memory_equal(bytes, rows[i].bytes, len);
        assert_false(base45_decode(bytes, len - 1, &n, rows[i].text, strlen(rows[i].text)));
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_false(base45_decode(bytes, sizeof bytes, &n, refused[i], strlen(refused[i])));
    assert_true(base45_decode(bytes, 2, &n, "FGW", 3)); /* 65535, the greatest */
    assert_true(n == 2 && bytes[0] == 0xff && bytes[1] == 0xff);
    assert_true(base45_decode(bytes, 1, &n, "U5", 2)); /* 30 + 5 * 45 = 255, the greatest of one byte */
    assert_true(n == 1 && bytes[0] == 0xff);
    assert_false(base45_decode(bytes, 2, &n, "V5", 2));
}

static void all_pairs(void **state)
{
    (void)state;
    for (unsigned v = 0; v <= 0xffff; v++) {
        const uint8_t bytes[2] = {(uint8_t)(v >> 8), (uint8_t)v};
        uint8_t back[2];
        char text[3];
        size_t n;
        base45_encode(text, bytes, 2);
        assert_true(base45_decode(back, 2, &n, text, 3) && n == 2);
        assert_memory_equal(back, bytes, 2);
    }
}

/* ---- a run ---- */

#define LINES 200

struct made {
    char text[64 * 1024]; /* the records */
    size_t n;
    struct deflated stream;
    uint32_t run;
    unsigned count;
    char code[64][FRAME_TEXT];
};

/* Lines that deflate badly, and differ between runs. */
static void make(struct made *m, unsigned seed)
{
    static uint8_t memory[1 << 20];
    struct arena arena = {memory, sizeof memory, 0};
    m->n = 0;
    for (unsigned i = 0; i < LINES; i++) {
        char line[160];
        int len = snprintf(line, sizeof line, "{\"n\":%u,\"t\":\"note\",\"what\":\"%08x%08x%08x\"", i,
                           (i + 1) * 2654435761u ^ seed, (i + 7) * 2246822519u ^ seed,
                           (i + 3) * 3266489917u ^ seed);
        len += snprintf(line + len, sizeof line - (size_t)len, ",\"crc\":\"%08x\"}\n",
                        crc32(0, line, (size_t)len));
        memcpy(m->text + m->n, line, (size_t)len);
        m->n += (size_t)len;
    }
    assert_true(deflate_begin(&arena));
    assert_true(deflate_add(m->text, m->n / 3));
    assert_true(deflate_add(m->text + m->n / 3, m->n - m->n / 3));
    assert_true(deflate_end(&m->stream));
    m->run = crc32(0, m->stream.bytes, m->stream.n);
    m->count = (unsigned)((m->stream.n + FRAME_BYTES - 1) / FRAME_BYTES);
    assert_in_range(m->count, 5, 64);
    for (unsigned i = 0; i < m->count; i++) {
        struct frame f = {.run = m->run, .number = i + 1, .count = m->count};
        const size_t left = m->stream.n - i * FRAME_BYTES;
        f.n = left < FRAME_BYTES ? left : FRAME_BYTES;
        memcpy(f.bytes, m->stream.bytes + i * FRAME_BYTES, f.n);
        memset(m->code[i], '#', FRAME_TEXT);
        frame_write(&f, m->code[i]);
        assert_in_range(strlen(m->code[i]), FRAME_HEADER, FRAME_CHARACTERS);
    }
}

static struct made run_a, run_b;
static struct parts p;

static enum frame_fault add(const char *text) { return parts_add(&p, text, strlen(text)); }

static void expect_whole(const struct parts_run *r, const struct made *m)
{
    size_t n;
    bool whole;
    assert_int_equal(r->run, m->run);
    assert_int_equal(r->have, m->count);
    char *text = parts_records(r, &n, &whole);
    assert_true(whole);
    assert_int_equal(n, m->n);
    assert_memory_equal(text, m->text, n);
    free(text);
}

static void header(void **state)
{
    static const struct {
        unsigned at;
        char c;
        enum frame_fault fault;
    } rows[] = {{0, 'B', FRAME_FOREIGN},   {2, '2', FRAME_FOREIGN},  {3, 'G', FRAME_DAMAGED},
                {10, 'a', FRAME_DAMAGED},  {14, '9', FRAME_DAMAGED}, {18, '9', FRAME_DAMAGED},
                {26, '/', FRAME_DAMAGED},  {27, 'a', FRAME_DAMAGED}, {27, '0', FRAME_DAMAGED},
                {900, ':', FRAME_DAMAGED}, {968, '?', FRAME_DAMAGED}};
    char text[FRAME_TEXT];
    struct frame f;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(text, run_a.code[0], sizeof text);
        assert_int_not_equal(text[rows[i].at], rows[i].c);
        text[rows[i].at] = rows[i].c;
        assert_int_equal(frame_read(&f, text, strlen(text)), rows[i].fault);
    }
    for (size_t len = 0; len < strlen(run_a.code[0]); len++)
        assert_int_equal(frame_read(&f, run_a.code[0], len), len < 3 ? FRAME_FOREIGN : FRAME_DAMAGED);
    assert_int_equal(frame_read(&f, run_a.code[1], strlen(run_a.code[1])), FRAME_GOOD);
    assert_true(f.number == 2 && f.count == run_a.count && f.run == run_a.run && f.n == FRAME_BYTES);

    /* With a right checksum, but impossible. */
    static const struct frame impossible[] = {{7, 0, 5, 4, {1}}, {7, 6, 5, 4, {1}}, {7, 1, 1, 0, {0}}};
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
        frame_write(&impossible[i], text);
        assert_int_equal(frame_read(&f, text, strlen(text)), FRAME_DAMAGED);
    }
}

static void any_order(void **state)
{
    (void)state;
    p = (struct parts){0};
    for (unsigned i = run_a.count; i--;) {
        assert_int_equal(add(run_a.code[i]), FRAME_GOOD);
        assert_int_equal(add("https://example.org/"), FRAME_FOREIGN);
        assert_int_equal(add(run_a.code[(i + 3) % run_a.count]), FRAME_GOOD); /* again and again */
    }
    assert_int_equal(p.runs, 1);
    assert_int_equal(p.foreign, run_a.count);
    expect_whole(&p.run[0], &run_a);
    parts_free(&p);
}

static void two_runs(void **state)
{
    (void)state;
    p = (struct parts){0};
    for (unsigned i = 0; i < 64; i++) {
        if (i < run_b.count) add(run_b.code[i]);
        if (i < run_a.count) add(run_a.code[i]);
    }
    assert_int_equal(p.runs, 2);
    expect_whole(&p.run[0], &run_b);
    expect_whole(&p.run[1], &run_a);
    parts_free(&p);
}

/* What comes before the gap is there, in whole lines. */
static void one_missing(void **state)
{
    char want[32];
    (void)state;
    for (unsigned lacks = 0; lacks < run_a.count; lacks++) {
        size_t n = 0;
        bool whole;
        p = (struct parts){0};
        for (unsigned i = 0; i < run_a.count; i++)
            if (i != lacks) add(run_a.code[i]);
        snprintf(want, sizeof want, "code %u", lacks + 1);
        assert_string_equal(parts_missing(&p.run[0]), want);
        char *text = parts_records(&p.run[0], &n, &whole);
        assert_false(whole);
        assert_true(lacks ? text && n : !text);
        if (lacks + 1 == run_a.count) assert_true(n > run_a.n / 2);
        if (text) {
            assert_true(n < run_a.n && text[n - 1] == '\n');
            assert_memory_equal(text, run_a.text, n);
        }
        free(text);
        parts_free(&p);
    }
}

static void names(void **state)
{
    static struct part part[100];
    struct parts_run r = {.count = 100, .have = 90, .part = part};
    (void)state;
    for (unsigned i = 0; i < 100; i++) part[i].n = 1;
    part[0].n = part[6].n = part[7].n = part[8].n = part[99].n = 0;
    assert_string_equal(parts_missing(&r), "codes 1, 7 to 9, 100");
    for (unsigned i = 0; i < 100; i += 2) part[i].n = 0;
    assert_string_equal(parts_missing(&r),
                        "codes 1, 3, 5, 7 to 9, 11, 13, 15, 17, 19, 21, 23, 25 and 38 more");
}

/* Parts of another stream under this run's number, each with a right checksum: the whole is proved as well.
 */
static void forged(void **state)
{
    struct frame f = {0};
    char text[FRAME_TEXT];
    size_t n;
    bool whole;
    (void)state;
    p = (struct parts){0};
    for (unsigned i = 0; i < run_a.count; i++) {
        assert_int_equal(frame_read(&f, run_a.code[i], strlen(run_a.code[i])), FRAME_GOOD);
        f.run ^= 1;
        frame_write(&f, text);
        assert_int_equal(add(text), FRAME_GOOD);
    }
    free(parts_records(&p.run[0], &n, &whole));
    assert_false(whole);
    parts_free(&p);

    /* More runs than are told apart. */
    for (unsigned i = 0; i < PARTS_RUNS + 3; i++) {
        f.run = i;
        frame_write(&f, text);
        assert_int_equal(add(text), FRAME_GOOD);
    }
    assert_int_equal(p.runs, PARTS_RUNS);
    assert_int_equal(p.dropped, 3);
    parts_free(&p);
}

/* Not enough memory is said, wherever it ends. */
static void little_memory(void **state)
{
    static uint8_t memory[1 << 20];
    unsigned refused = 0;
    (void)state;
    for (size_t size = 0; size < sizeof memory; size += 7001) {
        struct arena arena = {memory, size, 0};
        struct deflated d;
        const bool good = deflate_begin(&arena) && deflate_add(run_a.text, run_a.n) && deflate_end(&d);
        refused += !good;
        if (good) assert_int_equal(d.n, run_a.stream.n);
    }
    assert_in_range(refused, 10, 60);
}

int main(void)
{
    make(&run_a, 0);
    make(&run_b, 0x5eed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rfc),       cmocka_unit_test(all_pairs), cmocka_unit_test(header),
        cmocka_unit_test(any_order), cmocka_unit_test(two_runs),  cmocka_unit_test(one_missing),
        cmocka_unit_test(names),     cmocka_unit_test(forged),    cmocka_unit_test(little_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
