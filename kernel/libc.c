/* snprintf() in newlib's place. The kernel hands lines to its consoles: there are no files, and nothing is
 * allocated. */
#include "kernel/format.h"
#include <stdio.h>

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
