#include "host/escape.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Characters of several bytes in UTF-8 (RFC 3629): the first byte, and the least code that needs so many. */
static const struct {
    unsigned char first, mask;
    uint32_t least;
} forms[] = {{0xc0, 0xe0, 0xa0}, {0xe0, 0xf0, 0x800}, {0xf0, 0xf8, 0x10000}}; /* from 80h to 9Fh: controls */

/* How many bytes from here are one character that is shown as it is; 0: this byte is escaped. */
static size_t plain(const char *bytes, size_t n)
{
    const unsigned char *b = (const unsigned char *)bytes;
    if (*b < 0x80) return *b >= ' ' && *b != 0x7f;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if ((*b & forms[i].mask) != forms[i].first) continue;
        const size_t len = i + 2;
        uint32_t code = *b & (unsigned char)~forms[i].mask;
        for (size_t k = 1; k < len; k++) {
            if (k >= n || (b[k] & 0xc0) != 0x80) return 0;
            code = code << 6 | (b[k] & 0x3f);
        }
        const bool surrogate = code >= 0xd800 && code <= 0xdfff;
        return code >= forms[i].least && code <= 0x10ffff && !surrogate ? len : 0;
    }
    return 0;
}

const char *escape(char *to, size_t size, const char *bytes, size_t n)
{
    size_t used = 0;
    while (n) {
        char one[5];
        size_t taken = plain(bytes, n), len = taken;
        if (taken)
            memcpy(one, bytes, taken);
        else
            taken = 1, len = (size_t)snprintf(one, sizeof one, "\\x%02x", (unsigned char)*bytes);
        if (used + len >= size) break;
        memcpy(to + used, one, len);
        used += len;
        bytes += taken;
        n -= taken;
    }
    if (size) to[used] = '\0';
    return to;
}

const char *escape_text(char *to, size_t size, const char *text)
{
    return escape(to, size, text, strlen(text));
}

void escape_print(FILE *to, const char *bytes, size_t n)
{
    while (n) {
        const size_t len = *bytes == '\t' ? 1 : plain(bytes, n);
        if (len)
            fwrite(bytes, 1, len, to);
        else
            fprintf(to, "\\x%02x", (unsigned char)*bytes);
        bytes += len ? len : 1;
        n -= len ? len : 1;
    }
}
