/* Control characters, which a terminal takes for commands, and bytes that are no UTF-8 are shown as \x1b.
 * What was damaged on the line, and the strings of a capture, may hold any of them. */
#pragma once
#include <stddef.h>
#include <stdio.h>

/* Into a buffer of `size` bytes, as much as has room. Comes to `to`. What is escaped already stays as it is.
 */
const char *escape(char *to, size_t size, const char *bytes, size_t n);
/* The same of a string. */
const char *escape_text(char *to, size_t size, const char *text);
/* A line or a part of it; tabs stay, too. */
void escape_print(FILE *to, const char *bytes, size_t n);
