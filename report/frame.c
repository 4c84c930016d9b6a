#include "report/frame.h"
#include "kernel/crc32.h"
#include "report/base45.h"
#include <string.h>

#define MAGIC_LENGTH (sizeof FRAME_MAGIC - 1)
#define RUN_DIGITS   8u
#define PART_DIGITS  4u
#define CRC_DIGITS   8u
_Static_assert(MAGIC_LENGTH + RUN_DIGITS + 2 * PART_DIGITS + CRC_DIGITS == FRAME_HEADER, "frame.h");
_Static_assert(FRAME_HEADER + BASE45_LENGTH(FRAME_BYTES) <= FRAME_CHARACTERS, "frame.h");

static char *put_hex(char *to, uint32_t value, unsigned digits)
{
    for (unsigned i = digits; i--; value >>= 4) to[i] = "0123456789ABCDEF"[value & 15];
    return to + digits;
}

/* Moves *from on. False: there are other characters. */
static bool take_hex(const char **from, unsigned digits, uint32_t *value)
{
    for (*value = 0; digits; digits--, ++*from) {
        const char c = **from;
        if (c >= '0' && c <= '9')
            *value = *value << 4 | (uint32_t)(c - '0');
        else if (c >= 'A' && c <= 'F')
            *value = *value << 4 | (uint32_t)(c - 'A' + 10);
        else
            return false;
    }
    return true;
}

void frame_write(const struct frame *f, char *text)
{
    char *to = text;
    memcpy(to, FRAME_MAGIC, MAGIC_LENGTH);
    to = put_hex(to + MAGIC_LENGTH, f->run, RUN_DIGITS);
    to = put_hex(to, f->number, PART_DIGITS);
    to = put_hex(to, f->count, PART_DIGITS);
    to = put_hex(to, crc32(crc32(0, text, (size_t)(to - text)), f->bytes, f->n), CRC_DIGITS);
    base45_encode(to, f->bytes, f->n);
    to[BASE45_LENGTH(f->n)] = '\0';
}

enum frame_fault frame_read(struct frame *f, const char *text, size_t len)
{
    uint32_t number, count, crc;
    if (len < MAGIC_LENGTH || memcmp(text, FRAME_MAGIC, MAGIC_LENGTH) != 0) return FRAME_FOREIGN;
    const char *at = text + MAGIC_LENGTH;
    if (len < FRAME_HEADER || !take_hex(&at, RUN_DIGITS, &f->run) || !take_hex(&at, PART_DIGITS, &number) ||
        !take_hex(&at, PART_DIGITS, &count))
        return FRAME_DAMAGED;
    const size_t summed = (size_t)(at - text);
    if (!take_hex(&at, CRC_DIGITS, &crc) ||
        !base45_decode(f->bytes, sizeof f->bytes, &f->n, at, len - FRAME_HEADER))
        return FRAME_DAMAGED;
    f->number = number;
    f->count = count;
    const bool possible = number >= 1 && number <= count && f->n;
    return possible && crc32(crc32(0, text, summed), f->bytes, f->n) == crc ? FRAME_GOOD : FRAME_DAMAGED;
}
