#include "host/escape.h"
#include <stdbool.h>

static bool is_plain(char c) { return c >= ' ' && c < 0x7f; }

const char *escape(char *to, size_t size, const char *bytes, size_t n)
{
    size_t used = 0;
    if (size) *to = '\0';
    for (; n; n--, bytes++) {
        char one[5];
        const int len = snprintf(one, sizeof one, is_plain(*bytes) ? "%c" : "\\x%02x", (unsigned char)*bytes);
        if (used + (size_t)len >= size) break;
        used += (size_t)snprintf(to + used, size - used, "%s", one);
    }
    return to;
}

void escape_print(FILE *to, const char *bytes, size_t n)
{
    for (; n; n--, bytes++) {
        if (is_plain(*bytes) || *bytes == '\t')
            fputc(*bytes, to);
        else
            fprintf(to, "\\x%02x", (unsigned char)*bytes);
    }
}
