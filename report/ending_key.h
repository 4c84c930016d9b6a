/* Keys after the session: of the keyboard, else of a serial line. */
#pragma once

enum ending_key {
    KEY_NONE,
    KEY_NEXT,     /* n, right, page down */
    KEY_PREVIOUS, /* p, left, page up */
    KEY_DOWN,
    KEY_UP,
    KEY_FIRST, /* home */
    KEY_LAST,  /* end */
    KEY_SPACE,
    KEY_ENTER,
    KEY_LEAVE /* q, Esc, Ctrl-C */
};

/* Which one has come in since the last question. Never waits. */
enum ending_key ending_key(void);
