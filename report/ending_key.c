#include "report/ending_key.h"
#include "kernel/console.h"
#include "kernel/keyboard.h"

#define CTRL_C 3
#define ESC    27

static const struct {
    int code;
    enum ending_key key;
} keys[] = {
    {'n', KEY_NEXT},
    {KEYBOARD_RIGHT, KEY_NEXT},
    {KEYBOARD_PAGE_DOWN, KEY_NEXT},
    {'p', KEY_PREVIOUS},
    {KEYBOARD_LEFT, KEY_PREVIOUS},
    {KEYBOARD_PAGE_UP, KEY_PREVIOUS},
    {KEYBOARD_DOWN, KEY_DOWN},
    {KEYBOARD_UP, KEY_UP},
    {KEYBOARD_HOME, KEY_FIRST},
    {KEYBOARD_END, KEY_LAST},
    {' ', KEY_SPACE},
    {'\r', KEY_ENTER},
    {'\n', KEY_ENTER},
    {'q', KEY_LEAVE},
    {CTRL_C, KEY_LEAVE},
};

/* On a serial line Esc begins what an arrow key sends, and so ends nothing. */
enum ending_key ending_key(void)
{
    int code = keyboard_key();
    if (code == ESC) return KEY_LEAVE;
    if (code == KEYBOARD_NONE && console_has_keys()) code = console_key();
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].code == code) return keys[i].key;
    return KEY_NONE;
}
