/* Bytes that a terminal could take for commands, and bytes in no known encoding, are shown as \x1b. What was
 * damaged on the line, and what a file holds that is no capture, may be any bytes. */
#pragma once
#include <stddef.h>
#include <stdio.h>

/* Into a buffer of `size` bytes, as much as has room; printable ASCII stays as it is. Comes to `to`. */
const char *escape(char *to, size_t size, const char *bytes, size_t n);
/* A line or a part of it; tabs stay, too. */
void escape_print(FILE *to, const char *bytes, size_t n);
