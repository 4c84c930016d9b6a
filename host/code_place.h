/* Where in the user's text an error is. */
#pragma once
#include "host/snippets.h"

/* "list.txt, line 3: ud2", of a record `error` with the byte of a snippet's copy or part. False: it has none,
 * or the snippets are not known (NULL). */
bool code_place(const struct snippets *all, const json_t *o, char *text, size_t size);
