/* kernel/console.h for host tests of the monitor: what it writes is kept, and judged; a test types. */
#pragma once
#include "kernel/console.h"

#define FAKE_CONSOLE_BYTES 65536u
extern char console_said[FAKE_CONSOLE_BYTES]; /* lines for people, '\n' behind each; more is not kept */
extern char console_terminal_said[FAKE_CONSOLE_BYTES]; /* bytes to the terminal alone */
extern unsigned console_lines;                         /* how many came */
extern unsigned console_records;                       /* records that went out */
extern bool fake_console_absent;                       /* no serial line answers */

void fake_console_reset(void); /* nothing was said, and nothing is typed */
void fake_console_type(const void *bytes,
                       size_t n); /* bytes must stay; behind them comes Ctrl-C, again and again */
size_t fake_console_left(void);   /* bytes that nobody has read */
/* While says() is true, nothing comes instead of that Ctrl-C; NULL, as at the beginning: never. */
void fake_console_quiet(bool (*says)(void));
