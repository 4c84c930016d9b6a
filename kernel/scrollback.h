/* The last of the text that went to the screen, in a ring, and its rows as a screen of a given width shows
 * them. Plain C; the ring holds characters only, so that memory which was overwritten is text like any other.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct scrollback {
    char *text;
    size_t size, next; /* next: where the next character goes */
    bool full;         /* earlier text has been overwritten */
};

/* Keep what comes from now on. Where this was not called nothing is kept. */
void scrollback_begin(struct scrollback *s, void *memory, size_t bytes);
void scrollback_add(struct scrollback *s, const char *text);

/* How many rows its lines are, of cols characters at most. Where earlier text has been overwritten, the first
 * row says so in the place of a line that is no longer whole. */
unsigned scrollback_rows(const struct scrollback *s, unsigned cols);

/* The position of a row, counted from 0; beyond the last one: the end. */
size_t scrollback_find(const struct scrollback *s, unsigned cols, unsigned row);

/* Writes the row at a position into out, cols characters, filled up with blanks; others than printable ASCII
 * are '?'. Returns the position of the next row. At the end: a blank row, and the end again. */
size_t scrollback_row(const struct scrollback *s, unsigned cols, size_t at, char *out);
