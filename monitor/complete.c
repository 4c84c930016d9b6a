#include "monitor/complete.h"
#include "kernel/console.h"
#include "monitor/command.h"
#include "report/text.h"
#include <string.h>

#define HELP "help"

/* ---- private ---- */

/* The word that the cursor is in: its beginning; NULL: no command's name stands there. */
static const char *word_at_cursor(const char *line, unsigned at)
{
    const char *end = line + at, *w = line;
    while (w < end && *w == ' ') w++;
    const char *blank = memchr(w, ' ', (size_t)(end - w));
    if (!blank) return w;
    if ((size_t)(blank - w) != strlen(HELP) || memcmp(w, HELP, strlen(HELP)) != 0) return NULL;
    while (blank < end && *blank == ' ') blank++;
    return memchr(blank, ' ', (size_t)(end - blank)) ? NULL : blank;
}

static bool begins(const char *name, const char *w, size_t len)
{
    return strlen(name) >= len && memcmp(name, w, len) == 0;
}

static size_t common(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n]) n++;
    return n;
}

/* ---- public ---- */

unsigned complete(const char *line, unsigned at, char *add, size_t cap)
{
    const char *w = word_at_cursor(line, at), *first = NULL;
    const size_t len = w ? (size_t)(line + at - w) : 0;
    size_t shared = 0;
    unsigned n = 0;
    bool whole = false; /* the word is a name, even if others begin with it */
    add[0] = '\0';
    for (unsigned i = 0; w && i < commands_n; i++) {
        const char *name = commands[i].name;
        if (!begins(name, w, len)) continue;
        whole |= name[len] == '\0';
        shared = first ? (common(first, name) < shared ? common(first, name) : shared) : strlen(name);
        if (!first) first = name;
        n++;
    }
    if (!n) return 0;
    const size_t more = whole ? 0 : shared - len;
    if (more + 2 > cap) return n;
    memcpy(add, first + len, more);
    add[more] = '\0';
    if (whole || n == 1) strcat(add, " ");
    return whole ? 1 : n;
}

void complete_list(const char *line, unsigned at)
{
    const char *w = word_at_cursor(line, at);
    const size_t len = w ? (size_t)(line + at - w) : 0;
    struct para p;
    para_begin(&p, console_text, "", 0);
    for (unsigned i = 0, n = 0; w && i < commands_n; i++)
        if (begins(commands[i].name, w, len)) para_printf(&p, "%s%s", n++ ? " " : "", commands[i].name);
    para_end(&p);
}
