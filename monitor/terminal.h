/* A terminal at the other end of a serial line, and one row of a screen: bytes to keys, a line to what draws
 * it. */
#pragma once
#include "monitor/editor.h"

#define TERMINAL_COLUMNS 79 /* of a row; the last column of 80 stays free, since terminals wrap behind it */

/* The state of a sequence of bytes: ECMA-48's CSI (ESC [) and VT100's SS3 (ESC O). */
struct terminal_input {
    enum { INPUT_PLAIN, INPUT_ESCAPE, INPUT_SEQUENCE, INPUT_SHIFT } state;
    unsigned number;
    bool return_came; /* CR LF is one Enter */
};
/* A byte that came in. Returns a key of the editor; KEY_NONE: nothing yet, or a sequence that means nothing
 * here. */
int terminal_key(struct terminal_input *in, int byte);

/* What is to be seen of a line: a window that the cursor is in. */
struct terminal_view {
    char text[TERMINAL_COLUMNS + 1]; /* the prompt and a part of the line */
    unsigned n, cursor;              /* its length; the cursor's column, 0..n */
};
void terminal_view(const struct editor *e, const char *prompt, struct terminal_view *v);

/* The bytes that make a terminal show v, if it shows shown (NULL: nothing is known of the row). Only
 * characters that were added at the end are sent, if that is all that has changed. Returns their number. */
#define TERMINAL_BYTES (TERMINAL_COLUMNS + 16)
unsigned terminal_draw(const struct terminal_view *shown, const struct terminal_view *v,
                       char out[TERMINAL_BYTES]);
