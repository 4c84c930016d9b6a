/* The console of a Linux process: text and records on standard output, as they would come over a serial line.
 * At the prompt (--prompt FILE) standard input has the keys, and records go to the file. */
#include "kernel/console.h"
#include "hosted/hosted.h"
#include "hosted/linux.h"
#include <asm/poll.h>
#include <linux/fcntl.h>
#include <linux/time_types.h>
#include <string.h>

#define CTRL_C     3
#define IDLE_NS    5000000    /* the longest wait for a key: nobody else wakes the prompt */
#define AT_THE_END "\rexit\r" /* when standard input has ended */

static struct stream {
    long fd;
    char buffer[16384];
    size_t used;
    bool gone; /* nobody reads any more */
} out = {.fd = 1}, file;
static bool terminal;

static void drain(struct stream *s)
{
    for (size_t at = 0; at < s->used && !s->gone;) {
        const long n = sys_call(__NR_write, s->fd, s->buffer + at, s->used - at);
        s->gone = n <= 0 && n != -4; /* EINTR */
        if (n > 0) at += (size_t)n;
    }
    s->used = 0;
}

void console_drain(void) { drain(&out); }

/* A line at a time: what was written survives whatever ends the process. */
static void put_line(struct stream *s, const char *line, size_t len)
{
    if (len + 1 > sizeof s->buffer) return;
    memcpy(s->buffer, line, len);
    s->buffer[len] = '\n';
    s->used = len + 1;
    drain(s);
}

void console_record(const char *line, size_t len) { put_line(terminal ? &file : &out, line, len); }
void console_text(const char *line) { put_line(&out, line, strlen(line)); }

void console_init(const struct bootinfo *bi, const char *spec, bool without_screen)
{
    (void)bi, (void)spec, (void)without_screen;
}

const char *console_records_to(const char *spec)
{
    return (void)spec, "a Linux process has its standard output alone";
}

const char *console_name(unsigned i) { return i ? NULL : "stdout"; }
const char *console_trouble(unsigned i) { return (void)i, NULL; }

/* ---- the prompt ---- */

void hosted_prompt(const char *path)
{
    file.fd = sys_call(__NR_open, path, (long)(O_WRONLY | O_CREAT | O_TRUNC), 0666L);
    if (sys_failed(file.fd)) hosted_die("this file cannot be written", path);
    terminal = true;
}

bool hosted_has_prompt(void) { return terminal; }

REPEATED bool console_cancelled(void)
{
    const bool was = hosted_stop;
    hosted_stop = false;
    return was;
}

/* The next byte of standard input, after IDLE_NS at most. */
int console_typed(void)
{
    static const char *end;
    struct pollfd keys = {.fd = 0, .events = POLLIN};
    struct __kernel_timespec wait = {.tv_nsec = IDLE_NS};
    uint8_t byte;
    if (!terminal) return CONSOLE_NO_KEY;
    if (console_cancelled()) return CTRL_C;
    if (end) return *end ? *end++ : CONSOLE_NO_KEY;
    if (sys_call(__NR_ppoll, &keys, 1L, &wait, 0L, 0L) <= 0) return CONSOLE_NO_KEY;
    const long n = sys_call(__NR_read, 0L, &byte, 1L);
    if (n == 0) end = AT_THE_END;
    return n == 1 ? byte : CONSOLE_NO_KEY;
}

int console_key(void) { return CONSOLE_NO_KEY; }
void console_keep_typed(void) {}
void console_accept(bool on) { (void)on; }
bool console_has_terminal(void) { return terminal; }
bool console_has_keys(void) { return false; }

void console_terminal(const char *bytes, size_t len)
{
    if (!terminal || len > sizeof out.buffer) return;
    memcpy(out.buffer, bytes, len);
    out.used = len;
    drain(&out);
}
