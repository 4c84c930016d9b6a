/* The prompt's devices: keys from serial lines and the keyboard, the line on the terminal and the screen. */
#pragma once
#include "monitor/editor.h"
#include <stdbool.h>

/* Looks for what has keys. False: there is neither a serial line nor a PS/2 keyboard that answers. */
bool prompt_open(void);

/* Waits for a line. Returns it (valid until the next call), or NULL: Ctrl-C ended it. A line that cannot be
 * what was typed is said to be so, and the next one is waited for. */
const char *prompt_line(const char *prompt);

/* A key that has been typed: a byte, or one of enum editor_key. PROMPT_NO_KEY: none has. Never waits. */
#define PROMPT_NO_KEY (-1000)
int prompt_key(void);

/* For what runs between repetitions: Ctrl-C was typed on a serial line or, if that is where keys come from,
 * the keyboard. */
bool (*prompt_interrupted(void))(void);
