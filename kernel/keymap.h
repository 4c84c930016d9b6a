/* Scan code set 1 to what was typed, on a keyboard with the US layout: keys count when they are pressed, and
 * repeat. No device is touched: bytes come from keyboard_scan() (kernel/keyboard.h). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct keymap {
    bool shift, ctrl, caps;
    bool prefixed; /* E0h came */
    uint8_t skip;  /* bytes of Pause that are still to come */
};

/* Returns a character, a control character (Ctrl with a letter; 13, 9, 27, 8 of the keys that have them), a
 * KEYBOARD_ name of kernel/keyboard.h, KEYMAP_DELETE, or KEYBOARD_NONE: nothing typed. */
#define KEYMAP_DELETE 0x108
int keymap_byte(struct keymap *map, uint8_t byte);
