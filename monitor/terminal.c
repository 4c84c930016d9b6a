#include "monitor/terminal.h"
#include <stdio.h>
#include <string.h>

#define ESC 27

/* ---- bytes to keys ---- */

/* The final byte of a sequence of the cursor keys, VT100 user guide, and of xterm's Home and End. */
static int key_of_letter(int c)
{
    switch (c) {
    case 'A':
        return KEY_UP;
    case 'B':
        return KEY_DOWN;
    case 'C':
        return KEY_RIGHT;
    case 'D':
        return KEY_LEFT;
    case 'H':
        return KEY_HOME;
    case 'F':
        return KEY_END;
    default:
        return KEY_NONE;
    }
}

/* ESC [ NUMBER ~: VT220's editing keypad, and rxvt's Home and End. */
static int key_of_number(unsigned n)
{
    static const int keys[] = {
        [1] = KEY_HOME, [3] = KEY_DELETE, [4] = KEY_END, [7] = KEY_HOME, [8] = KEY_END};
    return n < sizeof keys / sizeof *keys && keys[n] ? keys[n] : KEY_NONE;
}

static int in_sequence(struct terminal_input *in, int c)
{
    if (c >= '0' && c <= '9') in->number = in->number < 1000 ? in->number * 10 + (unsigned)(c - '0') : 1000;
    if (c < '@') return KEY_NONE;
    in->state = INPUT_PLAIN;
    return c == '~' ? key_of_number(in->number) : key_of_letter(c);
}

int terminal_key(struct terminal_input *in, int c)
{
    const bool after_return = in->return_came;
    in->return_came = false;
    if (c < 0) {
        in->state = INPUT_PLAIN;
        return KEY_DAMAGED;
    }
    if (in->state != INPUT_PLAIN && (c < ' ' || c > '~')) in->state = INPUT_PLAIN; /* it was no sequence */
    switch (in->state) {
    case INPUT_ESCAPE:
        in->state = c == '[' ? INPUT_SEQUENCE : c == 'O' ? INPUT_SHIFT : INPUT_PLAIN;
        in->number = 0;
        return KEY_NONE;
    case INPUT_SEQUENCE:
        return in_sequence(in, c);
    case INPUT_SHIFT:
        in->state = INPUT_PLAIN;
        return key_of_letter(c);
    default:
        break;
    }
    if (c == ESC) {
        in->state = INPUT_ESCAPE;
        return KEY_NONE;
    }
    if (c == '\n' && after_return) return KEY_NONE;
    in->return_came = c == '\r';
    return c;
}

/* ---- a line to what draws it ---- */

void terminal_view(const struct editor *e, const char *prompt, struct terminal_view *v)
{
    const unsigned before = (unsigned)strlen(prompt), room = TERMINAL_COLUMNS - before;
    /* The cursor needs a column behind the line, too. The window moves by half of its width. */
    unsigned first = 0;
    while (e->at - first >= room) first += room / 2;
    unsigned n = e->n - first;
    if (n > room) n = room;
    memcpy(v->text, prompt, before);
    memcpy(v->text + before, e->line + first, n);
    if (first) v->text[before] = '<'; /* there is more */
    if (first + n < e->n) v->text[before + n - 1] = '>';
    v->n = before + n;
    v->text[v->n] = '\0';
    v->cursor = before + e->at - first;
}

unsigned terminal_draw(const struct terminal_view *shown, const struct terminal_view *v,
                       char out[TERMINAL_BYTES])
{
    if (shown && v->cursor == v->n && shown->cursor == shown->n && v->n >= shown->n &&
        memcmp(shown->text, v->text, shown->n) == 0) {
        memcpy(out, v->text + shown->n, v->n - shown->n);
        return v->n - shown->n;
    }
    out[0] = '\r';
    memcpy(out + 1, v->text, v->n);
    unsigned n = 1 + v->n;
    n += (unsigned)snprintf(out + n, TERMINAL_BYTES - n, "\033[K"); /* the rest of the row is erased */
    if (v->cursor < v->n) n += (unsigned)snprintf(out + n, TERMINAL_BYTES - n, "\r\033[%uC", v->cursor);
    return n;
}
