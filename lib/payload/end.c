/* Ends a call: exit(), abort(), assert(). Nothing is flushed or called before (atexit()): the memory stays as
 * it is, for the next call. */
#include "lib/payload/output.h"
#include <stdlib.h>
#include <string.h>

static void end(enum module_ended how, int status) __attribute__((noreturn));
static void end(enum module_ended how, int status)
{
    if (status) {
        anechoic_output.ended = how;
        anechoic_output.status = status;
    }
    anechoic_end();
}

void exit(int status) { end(MODULE_EXITED, status); }
void _exit(int status) { end(MODULE_EXITED, status); }
void _Exit(int status) { end(MODULE_EXITED, status); }
void abort(void) { end(MODULE_ABORTED, 1); }

static void put(const char *text) { anechoic_put(text, strlen(text)); }

void __assert_func(const char *file, int line, const char *function, const char *what);
void __assert_func(const char *file, int line, const char *function, const char *what)
{
    char digits[12], *at = digits + sizeof digits;
    *--at = '\0';
    do *--at = (char)('0' + line % 10);
    while (line /= 10);
    put(file);
    put(":");
    put(at);
    if (function) {
        put(": ");
        put(function);
        put("()");
    }
    put(": assertion failed: ");
    put(what);
    put("\n");
    abort();
}
