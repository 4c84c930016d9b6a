#include "monitor/prompt.h"
#include "kernel/console.h"
#include "kernel/hw.h"
#include "kernel/keyboard.h"
#include "kernel/keymap.h"
#include "kernel/screen.h"
#include "kernel/uart.h"
#include "monitor/complete.h"
#include "monitor/say.h"
#include "monitor/terminal.h"
#include <stdio.h>
#include <string.h>

#define CTRL_C 3

static struct editor editor;
static struct terminal_input input;
static struct keymap keymap;
static bool keyboard;

/* ---- keys ---- */

/* KEY_NONE: a byte that is no key by itself. */
#define NOTHING PROMPT_NO_KEY

static int from_keyboard(void)
{
    const int byte = keyboard ? keyboard_scan() : KEYBOARD_NONE;
    if (byte == KEYBOARD_NONE) return NOTHING;
    const int key = keymap_byte(&keymap, (uint8_t)byte);
    switch (key) {
    case KEYBOARD_UP:
        return KEY_UP;
    case KEYBOARD_DOWN:
        return KEY_DOWN;
    case KEYBOARD_LEFT:
        return KEY_LEFT;
    case KEYBOARD_RIGHT:
        return KEY_RIGHT;
    case KEYBOARD_HOME:
        return KEY_HOME;
    case KEYBOARD_END:
        return KEY_END;
    case KEYMAP_DELETE:
        return KEY_DELETE;
    default:
        return key >= 0 && key < 0x100 ? key : KEY_NONE;
    }
}

int prompt_key(void)
{
    const int byte = console_typed();
    return byte != CONSOLE_NO_KEY ? terminal_key(&input, byte) : from_keyboard();
}

static bool interrupted(void)
{
    bool was = console_cancelled();
    for (int key = from_keyboard(); key != NOTHING; key = from_keyboard()) was |= key == CTRL_C;
    return was;
}

/* ---- the line, drawn ---- */

static struct terminal_view shown;
static bool known; /* the terminal shows it */

static void draw(const char *prompt)
{
    struct terminal_view v;
    char out[TERMINAL_BYTES];
    terminal_view(&editor, prompt, &v);
    if (known && v.n == shown.n && v.cursor == shown.cursor && memcmp(v.text, shown.text, v.n) == 0) return;
    console_terminal(out, terminal_draw(known ? &shown : NULL, &v, out));
    screen_row(v.text, v.cursor);
    shown = v;
    known = true;
}

/* The line is complete: what follows begins in the next row. */
static void finish(const char *prompt, const char *behind)
{
    char line[2 * TERMINAL_COLUMNS];
    editor.at = editor.n;
    draw(prompt);
    console_terminal(behind, strlen(behind));
    console_terminal("\r\n", 2);
    snprintf(line, sizeof line, "%s%s\n", shown.text, behind);
    screen_row("", TERMINAL_COLUMNS); /* its mark goes */
    screen_write(line);
    known = false;
}

/* False: it cannot be what was typed, which is said. */
static bool usable(void)
{
    if (editor.damaged)
        complain("Not obeyed: a byte of this line was damaged or lost on its way. Type it again.");
    else if (editor.too_long)
        complain("Not obeyed: this line is longer than the %d characters that there is room for.",
                 EDITOR_LINE - 1);
    return !editor.damaged && !editor.too_long;
}

/* TAB in a command's name: what is certain is added; where nothing is, the names are shown. False: it is a
 * blank like any other. */
static bool completed(const char *prompt)
{
    char add[32];
    const unsigned names = complete(editor.line, editor.at, add, sizeof add);
    for (const char *c = add; *c; c++) editor_key(&editor, *c);
    if (names > 1 && !add[0]) {
        const unsigned at = editor.at;
        finish(prompt, "");
        editor.at = at;
        complete_list(editor.line, at);
    }
    return names > 0;
}

/* ---- public ---- */

bool prompt_open(void)
{
    keymap = (struct keymap){0};
    input = (struct terminal_input){0};
    keyboard = keyboard_init() == KEYBOARD_READY;
    console_keep_typed();
    editor_begin(&editor);
    return keyboard || console_has_terminal();
}

const char *prompt_line(const char *prompt)
{
    editor_line(&editor);
    known = false;
    console_accept(true);
    for (;;) {
        const int key = prompt_key();
        if (key ==
            NOTHING) { /* drawn when all that was typed is in the line: pasted text goes through at once */
            draw(prompt);
            hw_pause();
            continue;
        }
        if (key == KEY_NONE || (key == '\t' && completed(prompt))) continue;
        switch (editor_key(&editor, key)) {
        case EDITOR_ENTERED:
            finish(prompt, "");
            if (usable()) {
                console_accept(false);
                return editor.line;
            }
            editor_line(&editor);
            break;
        case EDITOR_CANCELLED:
            finish(prompt, "^C");
            return NULL;
        case EDITOR_REDRAW:
            console_terminal("\033[H\033[2J", 7);
            known = false;
            break;
        default:
            break;
        }
    }
}

bool (*prompt_interrupted(void))(void) { return keyboard ? interrupted : console_cancelled; }
