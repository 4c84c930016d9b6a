/* The line editor: keys change a line, a cursor and a history. It touches no device (monitor/terminal.h
 * draws), so that it is tested and fuzzed on the host. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define EDITOR_LINE    1024 /* bytes of a line, its NUL included */
#define EDITOR_HISTORY 16   /* lines that are kept; the oldest goes first */

/* Keys that are no character of the line; others are bytes. */
enum editor_key {
    KEY_UP = 0x100,
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_HOME,
    KEY_END,
    KEY_DELETE,
    KEY_NONE,   /* a byte in the middle of a sequence: nothing to do yet */
    KEY_DAMAGED /* a byte came with a transmission error, or was lost */
};
#define KEY_CTRL(letter) ((letter)&31)

struct editor {
    char line[EDITOR_LINE];
    unsigned n, at;                            /* length; where the cursor stands, 0..n */
    bool too_long;                             /* characters were refused, since the line is full */
    bool damaged;                              /* a byte of it is missing or wrong */
    char history[EDITOR_HISTORY][EDITOR_LINE]; /* a ring */
    unsigned lines;                            /* that were ever added to it */
    unsigned back;                             /* so many lines back one is shown; 0: the new one */
    char unfinished[EDITOR_LINE];              /* the new one meanwhile */
};

enum editor_answer {
    EDITOR_MORE,
    EDITOR_ENTERED,   /* e->line is complete; the next key begins a new one */
    EDITOR_CANCELLED, /* Ctrl-C: the line was thrown away */
    EDITOR_REDRAW     /* Ctrl-L: the screen is to be drawn anew */
};

void editor_begin(struct editor *e); /* an empty history */
void editor_line(struct editor *e);  /* an empty line */

/* Printable ASCII is inserted at the cursor, a tab as a blank. Enter is 13 or 10. Other bytes do nothing. */
enum editor_answer editor_key(struct editor *e, int key);
