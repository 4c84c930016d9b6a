/* TAB: the name of a command, completed. */
#pragma once
#include <stddef.h>

/* What stands before the cursor is line[0..at). add (cap bytes): what all names that begin so have in common
 * behind it, and a blank where it is a whole name then. Returns how many names begin so; 0: none, or the
 * cursor is not in the name of a command (the first word, or the one behind help). */
unsigned complete(const char *line, unsigned at, char *add, size_t cap);
/* These names, as a message. */
void complete_list(const char *line, unsigned at);
