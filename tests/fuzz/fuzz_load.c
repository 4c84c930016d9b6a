/* libFuzzer: a module over the serial line (kernel/transfer.h). The first byte: what the input is.
 *
 * 0: bytes as they come, to a receiver with little room. Whatever comes, the file stays in its room, and a
 * line is answered with one step. 1: the same lines with their CRC put right, so that numbers and base64
 * behind it are reached. Others: a file, sent in lines of so many bytes at most, over a line that damages one
 * byte in a few; what is asked for again is sent again. What arrives is the file, or nothing. */
#include "kernel/crc32.h"
#include "kernel/transfer.h"
#include "kernel/uart.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 1000

static struct transfer t;

static void check(bool holds)
{
    if (!holds) abort();
}

static bool over(enum transfer_step s)
{
    return s == TRANSFER_END || s == TRANSFER_LEFT || s == TRANSFER_FULL;
}

static enum transfer_step give(int key)
{
    const size_t before = t.bytes;
    const uint32_t due = t.due;
    const enum transfer_step s = transfer_key(&t, key);
    check(t.bytes <= t.room && t.bytes >= before && t.bytes - before <= TRANSFER_BYTES && t.due - due <= 1);
    check(s == TRANSFER_OK ? t.answered + 1 == t.due || t.answered < t.due : t.bytes == before);
    check(s != TRANSFER_END || t.answered == t.due);
    return s;
}

static void raw(const uint8_t *data, size_t n, bool repaired)
{
    uint8_t *file = malloc(ROOM); /* exact, so that a byte too far is seen */
    transfer_begin(&t, file, ROOM);
    enum transfer_step s = TRANSFER_MORE;
    for (size_t i = 0, begin = 0; i < n && !over(s); i++) {
        if (repaired && data[i] == '\n') {
            char crc[16];
            snprintf(crc, sizeof crc, " %08x", (unsigned)crc32(0, data + begin, i - begin));
            for (const char *c = crc; *c; c++) check(give(*c) == TRANSFER_MORE);
            begin = i + 1;
        }
        s = data[i] == 0xfe ? transfer_silence(&t) : give(data[i] == 0xff ? UART_DAMAGED : data[i]);
    }
    free(file);
}

/* damage: one byte in so many is changed; 0: none. */
static enum transfer_step send(const char *line, unsigned n, unsigned damage, uint32_t *random)
{
    enum transfer_step s = TRANSFER_MORE;
    for (unsigned i = 0; i < n && s == TRANSFER_MORE; i++) {
        *random = *random * 1664525 + 1013904223;
        const uint32_t r = *random >> 8;
        if (damage && r % damage == 0 &&
            i + 1 < n) { /* its end arrives, or the receiver has to wait for silence */
            if (r / damage % 3 == 0) continue;
            if (r / damage % 3 == 1)
                s = give(line[i]);
            else {
                const int other = line[i] ^ 1 << r / damage % 7;
                s = give(other == '\r' || other == '\n' || other == 3 ? UART_DAMAGED : other);
                continue;
            }
        }
        s = give(line[i]);
    }
    return s;
}

static void whole(uint8_t how, const uint8_t *data, size_t n)
{
    const unsigned most = 1 + (how * 37u) % TRANSFER_BYTES, damage = how & 1 ? 2 * (most + 20) : 0;
    uint8_t *file = malloc(n ? n : 1);
    uint32_t random = how;
    char line[TRANSFER_LINE_BYTES];
    enum transfer_step s = TRANSFER_MORE;
    transfer_begin(&t, file, n);
    for (unsigned tries = 0; tries < 400 && !over(s); tries++) {
        const size_t at = (size_t)t.due * most;
        const unsigned part = at >= n ? 0 : n - at < most ? (unsigned)(n - at) : most;
        const unsigned length = transfer_line(line, t.due, data + at, part);
        check(length < sizeof line && line[length - 1] == '\r');
        s = send(line, length, damage, &random);
    }
    check(over(s) ? s == TRANSFER_END && t.bytes == n && memcmp(file, data, n) == 0 : damage != 0);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    if (data[0] < 2)
        raw(data + 1, size - 1, data[0]);
    else
        whole(data[0], data + 1, size < 600 ? size - 1 : 599);
    return 0;
}
