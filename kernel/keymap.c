/* Scan code set 1 as in IBM's PS/2 Hardware Interface Technical Reference, "Keyboard". */
#include "kernel/keymap.h"
#include "kernel/keyboard.h"

#define PREFIX   0xe0
#define PREFIX_1 0xe1 /* Pause: two bytes follow */
#define RELEASED 0x80
#define LAST     0x39 /* of the keys with characters */

enum {
    CODE_ENTER = 0x1c,
    CODE_CTRL = 0x1d,
    CODE_SHIFT = 0x2a,
    CODE_SHIFT_RIGHT = 0x36,
    CODE_CAPS = 0x3a,
    CODE_SLASH = 0x35
};

/* From 0 on; a NUL is a key without a character. */
static const char plain[LAST + 2] = "\0\0331234567890-=\b\tqwertyuiop[]\r\0asdfghjkl;'`\0\\zxcvbnm,./\0*\0 ";
static const char shifted[LAST + 2] =
    "\0\033!@#$%^&*()_+\b\tQWERTYUIOP{}\r\0ASDFGHJKL:\"~\0|ZXCVBNM<>?\0*\0 ";

/* With the prefix, and without it on the numeric pad. */
static int pad_key(unsigned code)
{
    switch (code) {
    case 0x47:
        return KEYBOARD_HOME;
    case 0x48:
        return KEYBOARD_UP;
    case 0x49:
        return KEYBOARD_PAGE_UP;
    case 0x4b:
        return KEYBOARD_LEFT;
    case 0x4d:
        return KEYBOARD_RIGHT;
    case 0x4f:
        return KEYBOARD_END;
    case 0x50:
        return KEYBOARD_DOWN;
    case 0x51:
        return KEYBOARD_PAGE_DOWN;
    case 0x53:
        return KEYMAP_DELETE;
    default:
        return KEYBOARD_NONE;
    }
}

static int pressed(const struct keymap *map, unsigned code, bool prefixed)
{
    if (code > LAST) return pad_key(code);
    if (prefixed && code != CODE_ENTER && code != CODE_SLASH) return KEYBOARD_NONE;
    const char c = plain[code];
    const bool letter = c >= 'a' && c <= 'z';
    if (!c) return KEYBOARD_NONE;
    if (map->ctrl) return letter ? c & 31 : KEYBOARD_NONE;
    return (map->shift != (letter && map->caps) && !prefixed) ? shifted[code] : c;
}

int keymap_byte(struct keymap *map, uint8_t byte)
{
    if (map->skip) {
        map->skip--;
        return KEYBOARD_NONE;
    }
    if (byte == PREFIX || byte == PREFIX_1) {
        map->prefixed = byte == PREFIX;
        map->skip = byte == PREFIX_1 ? 2 : 0;
        return KEYBOARD_NONE;
    }
    const bool prefixed = map->prefixed, down = !(byte & RELEASED);
    const unsigned code = byte & ~RELEASED & 0xff;
    map->prefixed = false;
    if (code == CODE_CTRL)
        map->ctrl = down;
    else if (code == CODE_SHIFT ||
             code == CODE_SHIFT_RIGHT) /* with the prefix: not a key, but part of another's codes */
        map->shift = prefixed ? map->shift : down;
    else if (code == CODE_CAPS)
        map->caps ^= down;
    else if (down)
        return pressed(map, code, prefixed);
    return KEYBOARD_NONE;
}
