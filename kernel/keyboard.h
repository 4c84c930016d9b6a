/* A PS/2 keyboard behind an 8042, asked in turn, without interrupts. USB keyboards answer as far as the
 * firmware's emulation carries, which ends when their controllers are taken from it (kernel/usb.h; usb=keep).
 *
 * Used after all measuring only. Every wait has an end. */
#pragma once
#include <stdbool.h>

/* Keys that are no character. */
#define KEYBOARD_HOME      0x100
#define KEYBOARD_UP        0x101
#define KEYBOARD_PAGE_UP   0x102
#define KEYBOARD_LEFT      0x103
#define KEYBOARD_RIGHT     0x104
#define KEYBOARD_END       0x105
#define KEYBOARD_DOWN      0x106
#define KEYBOARD_PAGE_DOWN 0x107
#define KEYBOARD_NONE      (-1)

enum keyboard_state {
    KEYBOARD_ABSENT, /* no controller (its ports read FFh), or one that never becomes empty */
    KEYBOARD_SILENT, /* a controller, but no keyboard acknowledged; one may be there all the same */
    KEYBOARD_READY
};

/* Empties the controller, enables the keyboard and its translation to scan code set 1. */
enum keyboard_state keyboard_init(void);

/* A key that was pressed and released: a lower-case letter, a digit, ' ', '\r', 27 (Esc) or a KEYBOARD_ name;
 * KEYBOARD_NONE where there is none. So a key that sticks is never reported, however often it repeats itself.
 * Never waits. */
int keyboard_key(void);

/* The next byte of scan code set 1, for who has keys of his own (kernel/keymap.h); KEYBOARD_NONE where there
 * is none. */
int keyboard_scan(void);
