#include "sim/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(struct sim_text *t, const char *from, size_t n)
{
    if (!t->at || t->len + n + 1 > t->size) {
        size_t size = 2 * t->size + n + 1024;
        char *at = realloc(t->at, size);
        if (!at) {
            t->failed = true;
            return;
        }
        t->at = at;
        t->size = size;
    }
    memcpy(t->at + t->len, from, n);
    t->len += n;
    t->at[t->len] = 0;
}

void sim_out(struct sim_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char word[192];
    int n = vsnprintf(word, sizeof word, format, args);
    va_end(args);
    if ((size_t)n >= sizeof word) n = sizeof word - 1;
    append(t, word, (size_t)n);
}

void sim_out_text(struct sim_text *t, const struct sim_text *other)
{
    if (other->len) append(t, other->at, other->len);
    t->failed |= other->failed;
}

void sim_out_string(struct sim_text *t, const char *s)
{
    sim_out(t, "\"");
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        sim_out(t, c == '"' || c == '\\' ? "\\%c" : c < 32 || c > 126 ? "\\u%04x" : "%c", c);
    }
    sim_out(t, "\"");
}
