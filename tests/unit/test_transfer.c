/* A file in numbered lines of base64 (kernel/transfer.h): the sender's lines, and what the receiver makes of
 * good, damaged, repeated and cut ones. */
#include "kernel/crc32.h"
#include "kernel/transfer.h"
#include "kernel/uart.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CTRL_C 3

static uint8_t file[4 * TRANSFER_BYTES];
static struct transfer t;

static int given(void **state)
{
    (void)state;
    memset(file, 0xee, sizeof file);
    transfer_begin(&t, file, sizeof file);
    return 0;
}

/* All of it; the answer is to the last byte. */
static enum transfer_step types(const char *text)
{
    enum transfer_step step = TRANSFER_MORE;
    for (; *text; text++) {
        assert_int_equal(step, TRANSFER_MORE);
        step = transfer_key(&t, (unsigned char)*text);
    }
    return step;
}

/* With its CRC, from zlib's definition and not from the sender. */
static enum transfer_step sums(const char *body)
{
    char line[2048];
    snprintf(line, sizeof line, "%s %08x\r", body, (unsigned)crc32(0, body, strlen(body)));
    return types(line);
}

/* RFC 4648, section 10. */
static const struct {
    const char *bytes, *base64;
} rfc[] = {{"f", "Zg=="},        {"fo", "Zm8="},        {"foo", "Zm9v"},
           {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};

static void base64_is_that_of_the_rfc(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rfc / sizeof *rfc; i++) {
        char line[TRANSFER_LINE_BYTES], body[64], wanted[80];
        const unsigned n = (unsigned)strlen(rfc[i].bytes);
        snprintf(body, sizeof body, "7 %s", rfc[i].base64);
        snprintf(wanted, sizeof wanted, "%s %08x\r", body, (unsigned)crc32(0, body, strlen(body)));
        assert_int_equal(transfer_line(line, 7, (const uint8_t *)rfc[i].bytes, n), strlen(wanted));
        assert_string_equal(line, wanted);
        given(NULL);
        snprintf(body, sizeof body, "0 %s", rfc[i].base64);
        assert_int_equal(sums(body), TRANSFER_OK);
        assert_int_equal(t.bytes, n);
        assert_memory_equal(file, rfc[i].bytes, n);
        assert_int_equal(file[n], 0xee);
    }
}

/* The page's own example, whose CRCs are written there by another program. */
static void a_sender_of_ones_own(void **state)
{
    (void)state;
    assert_int_equal(types("0 aGVsbG8= 5bcda6ed\n"), TRANSFER_OK);
    assert_int_equal(types("1 end 05ec23b6\n"), TRANSFER_END);
    assert_memory_equal(file, "hello", 5);
}

static void every_size(void **state)
{
    (void)state;
    uint8_t bytes[sizeof file];
    for (unsigned i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 7 + (i >> 8));
    for (unsigned size = 1; size <= sizeof bytes; size += size < 10 ? 1 : 383) {
        char line[TRANSFER_LINE_BYTES];
        uint32_t number = 0;
        given(NULL);
        for (unsigned at = 0; at < size; at += TRANSFER_BYTES, number++) {
            const unsigned n = size - at < TRANSFER_BYTES ? size - at : TRANSFER_BYTES;
            assert_true(transfer_line(line, number, bytes + at, n) < sizeof line);
            assert_int_equal(types(line), TRANSFER_OK);
            assert_int_equal(t.answered, number);
        }
        transfer_line(line, number, NULL, 0);
        assert_int_equal(types(line), TRANSFER_END);
        assert_int_equal(t.bytes, size);
        assert_memory_equal(file, bytes, size);
    }
}

static void any_flipped_bit_is_seen(void **state)
{
    (void)state;
    const char good[] = "0 aGVsbG8= 5bcda6ed";
    for (size_t i = 0; i < sizeof good - 1; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            enum transfer_step step = TRANSFER_MORE;
            unsigned ends = 0; /* a CR in its middle ends it; what follows is another bad line */
            given(NULL);
            for (size_t k = 0; k < sizeof good; k++) {
                const int c = k == sizeof good - 1 ? '\r' : (unsigned char)good[k] ^ (k == i ? 1 << bit : 0);
                step = transfer_key(&t, c);
                ends += step != TRANSFER_MORE;
                assert_true(step == TRANSFER_MORE || step == TRANSFER_AGAIN ||
                            (step == TRANSFER_LEFT && i == 0));
                if (step == TRANSFER_LEFT) break;
            }
            assert_true(ends > 0);
            assert_int_equal(t.bytes, 0);
            assert_int_equal(t.due, 0);
        }
}

static void a_byte_that_is_lost_or_damaged(void **state)
{
    (void)state;
    const char good[] = "0 aGVsbG8= 5bcda6ed\r";
    for (size_t i = 0; i < sizeof good - 2; i++) {
        enum transfer_step step = TRANSFER_MORE;
        for (size_t k = 0; k < sizeof good - 1; k++)
            if (k != i) step = transfer_key(&t, good[k]);
        assert_int_equal(step, TRANSFER_AGAIN);
        for (size_t k = 0; k < sizeof good - 1; k++) step = transfer_key(&t, k == i ? UART_DAMAGED : good[k]);
        assert_int_equal(step, TRANSFER_AGAIN);
    }
    assert_int_equal(t.bytes, 0);
    assert_int_equal(types(good), TRANSFER_OK);
}

static void what_is_not_base64(void **state)
{
    (void)state;
    static const char *const bad[] = {"0 ",
                                      "0 aGV",
                                      "0 a===",
                                      "0 ====",
                                      "0 aG=s",
                                      "0 aGVs=G8=",
                                      "0 aGVs bG8=",
                                      "0 aG-s",
                                      "0 aG_s",
                                      "0",
                                      "x aGVs",
                                      "-0 aGVs",
                                      " aGVs",
                                      "00000000000000 aGVs",
                                      "4294967296 aGVs",
                                      "0  aGVs"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const enum transfer_step step = sums(bad[i]);
        if (step != TRANSFER_AGAIN) fail_msg("\"%s\": %d", bad[i], step);
    }
}

static void numbers(void **state)
{
    (void)state;
    assert_int_equal(sums("0 aGVs"), TRANSFER_OK);
    assert_int_equal(sums("0 aGVs"), TRANSFER_OK); /* its answer was lost: once in the file */
    assert_int_equal(t.answered, 0);
    assert_int_equal(t.bytes, 3);
    assert_int_equal(sums("2 aGVs"), TRANSFER_AGAIN);
    assert_int_equal(t.due, 1);
    assert_int_equal(sums("2 end"), TRANSFER_AGAIN); /* a line is missing */
    assert_int_equal(sums("1 bG8h"), TRANSFER_OK);
    assert_int_equal(t.answered, 1);
    assert_int_equal(sums("2 end"), TRANSFER_END);
    assert_memory_equal(file, "hello!", 6);
}

static void line_ends(void **state)
{
    (void)state;
    assert_int_equal(types("0 aGVsbG8= 5bcda6ed\r"), TRANSFER_OK);
    assert_int_equal(types("\n"), TRANSFER_MORE);
    assert_int_equal(types("\n"), TRANSFER_AGAIN); /* an empty line asks */
    assert_int_equal(t.due, 1);
}

static void silence(void **state)
{
    (void)state;
    assert_int_equal(transfer_silence(&t), TRANSFER_MORE);
    types("0 aGV");
    assert_int_equal(transfer_silence(&t), TRANSFER_AGAIN);
    assert_int_equal(transfer_silence(&t), TRANSFER_MORE);
    assert_int_equal(types("0 aGVsbG8= 5bcda6ed\r"), TRANSFER_OK);
    transfer_key(&t, UART_DAMAGED);
    assert_int_equal(transfer_silence(&t), TRANSFER_AGAIN);
    assert_int_equal(types("1 end 05ec23b6\r"), TRANSFER_END);
}

static void ctrl_c(void **state)
{
    (void)state;
    assert_int_equal(transfer_key(&t, CTRL_C), TRANSFER_LEFT);
    types("0 aG");
    assert_int_equal(transfer_key(&t, CTRL_C), TRANSFER_MORE); /* a flipped bit, perhaps */
    assert_int_equal(types("sbG8= 5bcda6ed\r"), TRANSFER_AGAIN);
    types("0 aG");
    assert_int_equal(transfer_key(&t, CTRL_C), TRANSFER_MORE);
    assert_int_equal(transfer_key(&t, CTRL_C), TRANSFER_LEFT);
}

static void room(void **state)
{
    (void)state;
    transfer_begin(&t, file, 5);
    assert_int_equal(sums("0 aGVs"), TRANSFER_OK);
    assert_int_equal(sums("1 bG8h"), TRANSFER_FULL);
    assert_int_equal(file[3], 0xee);
    transfer_begin(&t, file, 6);
    assert_int_equal(sums("0 aGVs"), TRANSFER_OK);
    assert_int_equal(sums("1 bG8h"), TRANSFER_OK);
}

static void too_long(void **state)
{
    (void)state;
    char line[3 * TRANSFER_LINE_MAX];
    memset(line, 'A', sizeof line);
    line[0] = '0', line[1] = ' ', line[sizeof line - 1] = '\0';
    assert_int_equal(types(line), TRANSFER_MORE);
    assert_int_equal(types("\r"), TRANSFER_AGAIN);
    line[2 + TRANSFER_BYTES / 3 * 4 + 4] = '\0';
    assert_int_equal(sums(line), TRANSFER_AGAIN); /* four digits more than a line has */
    line[2 + TRANSFER_BYTES / 3 * 4] = '\0';
    assert_int_equal(sums(line), TRANSFER_OK);
    assert_int_equal(t.bytes, TRANSFER_BYTES);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup(f, given)
    const struct CMUnitTest tests[] = {CASE(base64_is_that_of_the_rfc),
                                       CASE(a_sender_of_ones_own),
                                       CASE(every_size),
                                       CASE(any_flipped_bit_is_seen),
                                       CASE(a_byte_that_is_lost_or_damaged),
                                       CASE(what_is_not_base64),
                                       CASE(numbers),
                                       CASE(line_ends),
                                       CASE(silence),
                                       CASE(ctrl_c),
                                       CASE(room),
                                       CASE(too_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
