#include "kernel/scrollback.h"
#include <string.h>

static size_t length(const struct scrollback *s) { return s->full ? s->size : s->next; }

/* The character at a position, from the oldest one on. */
static char character(const struct scrollback *s, size_t at)
{
    if (s->full) at += s->next;
    return s->text[at < s->size ? at : at - s->size];
}

/* Behind the line at a position. Where there is no line end: behind one character, so that it goes on. */
static size_t behind_line(const struct scrollback *s, size_t at)
{
    for (size_t i = at; i < length(s); i++)
        if (character(s, i) == '\n') return i + 1;
    return at + 1;
}

static void put(char *out, unsigned cols, unsigned col, char c)
{
    if (out && col < cols) out[col] = (char)(c >= ' ' && c <= '~' ? c : '?');
}

/* out NULL: only the position of the next row is wanted. */
static size_t row_at(const struct scrollback *s, unsigned cols, size_t at, char *out)
{
    static const char dropped[] = "(earlier text was dropped)";
    if (out) memset(out, ' ', cols);
    if (at == 0 && s->full) {
        for (unsigned i = 0; dropped[i]; i++) put(out, cols, i, dropped[i]);
        return behind_line(s, 0);
    }
    for (unsigned col = 0; at < length(s); at++, col++) {
        const char c = character(s, at);
        if (c == '\n') return at + 1;
        if (col == cols) return at;
        put(out, cols, col, c);
    }
    return at;
}

/* ---- public ---- */

void scrollback_begin(struct scrollback *s, void *memory, size_t bytes)
{
    *s = (struct scrollback){memory, bytes, 0, false};
}

void scrollback_add(struct scrollback *s, const char *text)
{
    if (s->size == 0) return;
    for (; *text; text++) {
        if (s->next == s->size) {
            s->next = 0;
            s->full = true;
        }
        s->text[s->next++] = *text;
    }
}

unsigned scrollback_rows(const struct scrollback *s, unsigned cols)
{
    unsigned rows = 0;
    for (size_t at = 0; at < length(s); rows++) at = row_at(s, cols, at, NULL);
    return rows;
}

size_t scrollback_find(const struct scrollback *s, unsigned cols, unsigned row)
{
    size_t at = 0;
    for (; row && at < length(s); row--) at = row_at(s, cols, at, NULL);
    return at;
}

size_t scrollback_row(const struct scrollback *s, unsigned cols, size_t at, char *out)
{
    return row_at(s, cols, at, out);
}
