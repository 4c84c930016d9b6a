/* What printf() prints, in the subset that the kernel uses. */
#ifndef KERNEL_FORMAT_H
#define KERNEL_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* vsnprintf() of C11 (7.21.6.12): up to cap - 1 characters and a NUL (nothing if cap is 0); the length that
 * the whole text has is returned. Here are the flags - + space # 0, a width, a precision, the lengths hh h l
 * ll z, and the conversions d i u x X c s e f g %. Doubles are exact to the last digit whatever the
 * precision; the current rounding mode is not looked at. A conversion that is not here stands in the output
 * as it was written and so does all that follows it (its argument's size is not known); tools/formatcheck.sh
 * fails the build on such. */
size_t format_text(char *buf, size_t cap, const char *format, va_list args);

#endif
