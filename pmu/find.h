/* The match of events=find:WORD+WORD... */
#pragma once
#include <stdbool.h>

/* Does each of the words, which '+' separates, occur in at least one of the texts? In any order; the case of
 * the texts does not matter, the words are in lower case. text: n of them, each may be NULL. */
bool find_matches(const char *words, const char *const *text, unsigned n);
