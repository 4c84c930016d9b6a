/* The console of a Linux process: standard output, text and records, as they would come over a serial line.
 */
#include "kernel/console.h"
#include "hosted/hosted.h"
#include "hosted/linux.h"
#include <string.h>

static char buffer[16384];
static size_t used;
static bool gone; /* nobody reads any more */

void console_drain(void)
{
    for (size_t at = 0; at < used && !gone;) {
        const long n = sys_call(__NR_write, 1L, buffer + at, used - at);
        gone = n <= 0 && n != -4; /* EINTR */
        if (n > 0) at += (size_t)n;
    }
    used = 0;
}

/* A line at a time: what was written survives whatever ends the process. */
void console_record(const char *line, size_t len)
{
    if (used + len + 1 > sizeof buffer) console_drain();
    if (len + 1 > sizeof buffer) return;
    memcpy(buffer + used, line, len);
    buffer[used + len] = '\n';
    used += len + 1;
    console_drain();
}

void console_text(const char *line) { console_record(line, strlen(line)); }

void console_init(const struct bootinfo *bi, const char *spec, bool without_screen)
{
    (void)bi, (void)spec, (void)without_screen;
}

const char *console_records_to(const char *spec)
{
    return (void)spec, "a Linux process has its standard output alone";
}

REPEATED bool console_cancelled(void)
{
    const bool was = hosted_stop;
    hosted_stop = false;
    return was;
}

const char *console_name(unsigned i) { return i ? NULL : "stdout"; }
const char *console_trouble(unsigned i) { return (void)i, NULL; }

/* ---- no keys, no terminal ---- */

int console_key(void) { return CONSOLE_NO_KEY; }
int console_typed(void) { return CONSOLE_NO_KEY; }
void console_keep_typed(void) {}
void console_accept(bool on) { (void)on; }
bool console_has_terminal(void) { return false; }
void console_terminal(const char *bytes, size_t len) { (void)bytes, (void)len; }
bool console_has_keys(void) { return false; }
