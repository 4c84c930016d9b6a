#include "kernel/transfer.h"
#include "kernel/crc32.h"
#include <string.h>

#define CTRL_C     3
#define CRC_DIGITS 8

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char hex[] = "0123456789abcdef";

/* ---- the receiver ---- */

/* The value of a digit of base64; 64: it is none. */
static unsigned value_of(char c)
{
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (unsigned)(at - digits) : 64;
}

/* Four digits at a time. Returns the number of bytes; 0: it is not base64. */
static unsigned decode(const char *text, unsigned n, uint8_t out[TRANSFER_BYTES])
{
    unsigned bytes = 0, padding = 0;
    if (n % 4 != 0 || n / 4 * 3 > TRANSFER_BYTES) return 0;
    while (padding < 2 && n > padding && text[n - 1 - padding] == '=') padding++;
    for (unsigned i = 0; i < n; i += 4) {
        uint32_t bits = 0;
        for (unsigned k = 0; k < 4; k++) {
            const unsigned v = i + k < n - padding ? value_of(text[i + k]) : 0;
            if (v == 64) return 0;
            bits = bits << 6 | v;
        }
        for (unsigned k = 0; k < 3; k++) out[bytes++] = (uint8_t)(bits >> (16 - 8 * k));
    }
    return bytes - padding;
}

/* The last nine characters are a blank and the CRC of those before. Returns the length of these; 0: no. */
static unsigned checked(const char *line, unsigned n)
{
    if (n <= CRC_DIGITS + 1 || line[n - CRC_DIGITS - 1] != ' ') return 0;
    const uint32_t crc = crc32(0, line, n - CRC_DIGITS - 1);
    for (unsigned i = 0; i < CRC_DIGITS; i++)
        if (line[n - CRC_DIGITS + i] != hex[crc >> (28 - 4 * i) & 15]) return 0;
    return n - CRC_DIGITS - 1;
}

/* The number in front of the first blank, whose place is *at. False: there is none. */
static bool number(const char *line, unsigned n, uint32_t *value, unsigned *at)
{
    unsigned i = 0;
    for (*value = 0; i < n && i < TRANSFER_DIGITS && line[i] >= '0' && line[i] <= '9'; i++)
        *value = *value * 10 + (uint32_t)(line[i] - '0');
    *at = i;
    return i && i < n && line[i] == ' ';
}

static enum transfer_step take(struct transfer *t)
{
    uint8_t bytes[TRANSFER_BYTES];
    uint32_t which;
    unsigned at;
    const unsigned n = t->damaged ? 0 : checked(t->line, t->n);
    if (!number(t->line, n, &which, &at) || which > t->due) return TRANSFER_AGAIN;
    t->answered = which;
    if (which < t->due) return TRANSFER_OK; /* the answer was lost */
    const char *data = t->line + at + 1;
    const unsigned length = n - at - 1;
    if (length == 3 && memcmp(data, "end", 3) == 0) return TRANSFER_END;
    const unsigned got = decode(data, length, bytes);
    if (!got) return TRANSFER_AGAIN;
    if (got > t->room - t->bytes) return TRANSFER_FULL;
    memcpy(t->to + t->bytes, bytes, got);
    t->bytes += got;
    t->due++;
    return TRANSFER_OK;
}

static void next_line(struct transfer *t)
{
    t->n = 0;
    t->damaged = false;
}

void transfer_begin(struct transfer *t, void *to, size_t room)
{
    t->to = to;
    t->room = room;
    t->bytes = 0;
    t->due = t->answered = 0;
    t->last = 0;
    next_line(t);
}

enum transfer_step transfer_key(struct transfer *t, int key)
{
    const int before = t->last;
    const bool begins = t->n == 0 && !t->damaged;
    t->last = key;
    if (key == CTRL_C && (begins || before == CTRL_C)) return TRANSFER_LEFT;
    if (key == '\n' && before == '\r') return TRANSFER_MORE;
    if (key == '\r' || key == '\n') { /* an empty line asks which one is due */
        const enum transfer_step step = take(t);
        next_line(t);
        return step;
    }
    if (key < ' ' || key > '~' || t->n == sizeof t->line)
        t->damaged = true;
    else
        t->line[t->n++] = (char)key;
    return TRANSFER_MORE;
}

enum transfer_step transfer_silence(struct transfer *t)
{
    if (t->n == 0 && !t->damaged) return TRANSFER_MORE;
    next_line(t);
    return TRANSFER_AGAIN;
}

/* ---- the sender ---- */

static unsigned encode(char *out, const uint8_t *bytes, unsigned n)
{
    unsigned length = 0;
    for (unsigned i = 0; i < n; i += 3) {
        const unsigned here = n - i < 3 ? n - i : 3;
        const uint32_t bits = (uint32_t)bytes[i] << 16 | (here > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                              (here > 2 ? bytes[i + 2] : 0);
        for (unsigned k = 0; k < 4; k++) out[length++] = k <= here ? digits[bits >> (18 - 6 * k) & 63] : '=';
    }
    return length;
}

static unsigned put_number(char *out, uint32_t n)
{
    char reversed[10];
    unsigned length = 0, at = 0;
    do reversed[length++] = (char)('0' + n % 10);
    while (n /= 10);
    while (length) out[at++] = reversed[--length];
    return at;
}

unsigned transfer_line(char out[TRANSFER_LINE_BYTES], uint32_t which, const uint8_t *bytes, unsigned n)
{
    unsigned length = put_number(out, which);
    out[length++] = ' ';
    if (n)
        length += encode(out + length, bytes, n);
    else {
        memcpy(out + length, "end", 3);
        length += 3;
    }
    const uint32_t crc = crc32(0, out, length);
    out[length++] = ' ';
    for (unsigned i = 0; i < CRC_DIGITS; i++) out[length++] = hex[crc >> (28 - 4 * i) & 15];
    out[length++] = '\r';
    out[length] = '\0';
    return length;
}
