#include "monitor/editor.h"
#include <string.h>

/* ---- private ---- */

static void insert(struct editor *e, char c)
{
    if (e->n + 1 >= EDITOR_LINE) {
        e->too_long = true;
        return;
    }
    memmove(e->line + e->at + 1, e->line + e->at, e->n - e->at + 1);
    e->line[e->at++] = c;
    e->n++;
}

/* The bytes from..to go; the cursor stands where they were. */
static void cut(struct editor *e, unsigned from, unsigned to)
{
    memmove(e->line + from, e->line + to, e->n - to + 1);
    e->n -= to - from;
    e->at = from;
}

static unsigned word_begin(const struct editor *e)
{
    unsigned at = e->at;
    while (at && e->line[at - 1] == ' ') at--;
    while (at && e->line[at - 1] != ' ') at--;
    return at;
}

static char *kept(struct editor *e, unsigned back) { return e->history[(e->lines - back) % EDITOR_HISTORY]; }

static void show(struct editor *e, const char *line)
{
    strcpy(e->line, line); /* as long as this one at most */
    e->n = e->at = (unsigned)strlen(line);
}

static void older(struct editor *e)
{
    const unsigned most = e->lines < EDITOR_HISTORY ? e->lines : EDITOR_HISTORY;
    if (e->back == most) return;
    if (e->back == 0) strcpy(e->unfinished, e->line);
    show(e, kept(e, ++e->back));
}

static void newer(struct editor *e)
{
    if (e->back == 0) return;
    e->back--;
    show(e, e->back ? kept(e, e->back) : e->unfinished);
}

/* Not twice in a row, and no empty one. */
static void keep(struct editor *e)
{
    if (e->n == 0 || (e->lines && strcmp(kept(e, 1), e->line) == 0)) return;
    strcpy(e->history[e->lines % EDITOR_HISTORY], e->line);
    e->lines++;
    /* Stays a number of lines, however many there are. */
    if (e->lines == 2 * EDITOR_HISTORY) e->lines = EDITOR_HISTORY;
}

/* ---- public ---- */

void editor_begin(struct editor *e)
{
    e->lines = 0;
    editor_line(e);
}

void editor_line(struct editor *e)
{
    e->line[0] = '\0';
    e->n = e->at = e->back = 0;
    e->too_long = e->damaged = false;
}

enum editor_answer editor_key(struct editor *e, int key)
{
    switch (key) {
    case '\r':
    case '\n':
        if (!e->damaged && !e->too_long) keep(e);
        e->back = 0;
        return EDITOR_ENTERED;
    case KEY_CTRL('C'):
        return EDITOR_CANCELLED;
    case KEY_CTRL('L'):
        return EDITOR_REDRAW;
    case KEY_CTRL('A'):
    case KEY_HOME:
        e->at = 0;
        break;
    case KEY_CTRL('E'):
    case KEY_END:
        e->at = e->n;
        break;
    case KEY_CTRL('B'):
    case KEY_LEFT:
        if (e->at) e->at--;
        break;
    case KEY_CTRL('F'):
    case KEY_RIGHT:
        if (e->at < e->n) e->at++;
        break;
    case KEY_CTRL('K'):
        cut(e, e->at, e->n);
        break;
    case KEY_CTRL('U'):
        cut(e, 0, e->at);
        break;
    case KEY_CTRL('W'):
        cut(e, word_begin(e), e->at);
        break;
    case KEY_CTRL('H'):
    case 127:
        if (e->at) cut(e, e->at - 1, e->at);
        break;
    case KEY_CTRL('D'):
    case KEY_DELETE:
        if (e->at < e->n) cut(e, e->at, e->at + 1);
        break;
    case KEY_CTRL('P'):
    case KEY_UP:
        older(e);
        break;
    case KEY_CTRL('N'):
    case KEY_DOWN:
        newer(e);
        break;
    case KEY_DAMAGED:
        e->damaged = true;
        break;
    case '\t':
        insert(e, ' ');
        break;
    default:
        if (key >= ' ' && key < 127) insert(e, (char)key);
    }
    return EDITOR_MORE;
}
