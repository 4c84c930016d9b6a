/* What stands here in newlib's place, and what newlib wants from below. The kernel formats with snprintf()
 * and hands lines to its consoles: there are no files, and nothing is allocated. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

#ifdef __x86_64__
/* newlib's write 256 bytes and more around the caches (MOVNTI), out of which that takes the lines: what is
 * cleared between two repetitions has to be as warm as whatever else was used. */
#define WORD sizeof(uint64_t)

void *memset(void *to, int value, size_t bytes)
{
    void *at = to;
    size_t words = bytes / WORD, rest = bytes % WORD;
    const uint64_t word = UINT64_C(0x0101010101010101) * (uint8_t)value;
    __asm__ volatile("rep stosq" : "+D"(at), "+c"(words) : "a"(word) : "memory");
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(rest) : "a"(word) : "memory");
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    void *at = to;
    size_t words = bytes / WORD, rest = bytes % WORD;
    __asm__ volatile("rep movsq" : "+D"(at), "+S"(from), "+c"(words)::"memory");
    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(rest)::"memory");
    return to;
}
#endif
