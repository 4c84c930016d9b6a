/* Runs another program, without a shell. */
#pragma once
#include <stdio.h>

/* Runs argv[0], found by PATH, with `in` as its standard input from its beginning (NULL: nothing) and its
 * messages unheard. Comes to what it printed, as text to be freed; NULL: it could not be started (errno
 * says why; ENOENT: there is no such program) or ended with another status than 0 (errno is then 0). */
char *tool_run(char *const argv[], FILE *in);
