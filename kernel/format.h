/* Formatted output: the subset of printf() that the kernel uses. */
#ifndef KERNEL_FORMAT_H
#define KERNEL_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* vsnprintf() of C11 (7.21.6.12): up to cap - 1 characters and a NUL (nothing if cap is 0); returns the
 * length of the whole text. It knows the flags - + space # 0, a width, a precision, the lengths hh h l ll z,
 * and the conversions d i u x X c s e f g %. Doubles are exact to the last digit at any precision; the
 * current rounding mode is ignored. An unknown conversion, and everything after it, is printed as written,
 * since the size of its argument is unknown; tools/formatcheck.sh fails the build on one. */
size_t format_text(char *buf, size_t cap, const char *format, va_list args);

#endif
