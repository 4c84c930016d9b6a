#include "report/base45.h"
#include <string.h>

#define BASE 45u

static const char alphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"; /* RFC 9285, table 1 */

/* Least significant first. */
static void put(char *to, unsigned value, unsigned characters)
{
    for (; characters; characters--, value /= BASE) *to++ = alphabet[value % BASE];
}

/* False: there is another character. */
static bool take(const char *text, unsigned characters, unsigned *value)
{
    *value = 0;
    while (characters--) {
        const char *at = memchr(alphabet, text[characters], BASE);
        if (!at) return false;
        *value = *value * BASE + (unsigned)(at - alphabet);
    }
    return true;
}

void base45_encode(char *to, const uint8_t *bytes, size_t n)
{
    for (; n >= 2; n -= 2, bytes += 2, to += 3) put(to, bytes[0] * 256u + bytes[1], 3);
    if (n) put(to, bytes[0], 2);
}

bool base45_decode(uint8_t *to, size_t room, size_t *n, const char *text, size_t len)
{
    unsigned value;
    *n = len / 3 * 2 + (len % 3 == 2);
    if (len % 3 == 1 || *n > room) return false;
    for (; len >= 3; len -= 3, text += 3) {
        if (!take(text, 3, &value) || value > 0xffff) return false;
        *to++ = (uint8_t)(value >> 8);
        *to++ = (uint8_t)value;
    }
    if (!len) return true;
    if (!take(text, 2, &value) || value > 0xff) return false;
    *to = (uint8_t)value;
    return true;
}
