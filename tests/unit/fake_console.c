/* The stand-in of fake_console.h. A line for people that does not fit 80 columns, or that a terminal or a
 * reader of records would take for something else, ends the test. */
#include "tests/unit/fake_console.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 79
#define CTRL_C  3

char console_said[FAKE_CONSOLE_BYTES], console_terminal_said[FAKE_CONSOLE_BYTES];
unsigned console_lines, console_records;
bool fake_console_absent;
static bool (*quiet)(void);
static const unsigned char *typed;
static size_t left, used, terminal_used;

void fake_console_reset(void)
{
    console_said[0] = console_terminal_said[0] = '\0';
    used = left = terminal_used = 0;
    console_lines = console_records = 0;
}

void fake_console_type(const void *bytes, size_t n)
{
    typed = bytes;
    left = n;
}

void fake_console_quiet(bool (*says)(void)) { quiet = says; }

size_t fake_console_left(void) { return left; }

void console_text(const char *line)
{
    const size_t n = strlen(line);
    for (size_t i = 0; i < n; i++)
        if (line[i] < ' ' || line[i] > '~' || n > COLUMNS || line[0] == '{') {
            fprintf(stderr, "%zu columns, not a line for people: %s\n", n, line);
            abort();
        }
    console_lines++;
    if (used + n + 2 > sizeof console_said) return;
    memcpy(console_said + used, line, n);
    memcpy(console_said + used + n, "\n", 2);
    used += n + 1;
}

void console_record(const char *line, size_t len) { (void)line, (void)len, console_records++; }

int console_typed(void)
{
    if (left == 0) return quiet && quiet() ? CONSOLE_NO_KEY : CTRL_C;
    left--;
    return *typed++;
}

int console_key(void) { return CONSOLE_NO_KEY; }
void console_keep_typed(void) {}
void console_accept(bool on) { (void)on; }
bool console_has_terminal(void) { return !fake_console_absent; }
void console_terminal(const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (bytes[i] > '~' || bytes[i] < 0) abort();
    if (terminal_used + len >= sizeof console_terminal_said) return;
    memcpy(console_terminal_said + terminal_used, bytes, len);
    terminal_used += len;
    console_terminal_said[terminal_used] = '\0';
}
bool console_has_keys(void) { return true; }
bool console_cancelled(void) { return false; }
void console_drain(void) {}
const char *console_name(unsigned i)
{
    (void)i;
    return NULL;
}
