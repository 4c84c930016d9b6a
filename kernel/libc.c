/* What stands here in newlib's place, and what newlib wants from below. The kernel formats with snprintf()
 * and hands lines to its consoles: there are no files, and nothing is allocated. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "kernel/format.h"

int vsnprintf(char *buf, size_t cap, const char *format, va_list args)
{
    return (int)format_text(buf, cap, format, args);
}

int snprintf(char *buf, size_t cap, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t len = format_text(buf, cap, format, args);
    va_end(args);
    return (int)len;
}

/* newlib's two-way search is quick on long texts and takes two kilobytes. */
char *strstr(const char *text, const char *word)
{
    size_t len = strlen(word);
    for (; strncmp(text, word, len) != 0; text++)
        if (!*text) return NULL;
    return (char *)text;
}
