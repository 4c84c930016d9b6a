/* A machine at its prompt, for the tests of `anechoic code --on tty:`, behind a Unix socket that
 * tests/wire/wire.c damages.
 *
 *   prompt [OPTION...] SOCKET MODULE
 *
 *   SOCKET   is made; one program after the other connects to it
 *   MODULE   the file that gets each module that comes, byte for byte
 *
 *   --bits N       what the kernel takes (default 64)
 *   --room N       bytes for a module (default 1,000,000)
 *   --keep N       bytes in which records are kept (default 1,000,000)
 *   --counters W   the state of the processor's counters (default ok)
 *   --slow MS      the time that it takes for each byte that is typed (default 0)
 *
 * The kernel's own code makes the records, keeps and repeats them, and receives modules (monitor/receive.c).
 * Only what it measures is made up: run bench=code answers with a result for each snippet of the module, run
 * bench=wrong with an error of the words, run bench=hangs with nothing until Ctrl-C, run bench=dies with the
 * session's end.
 */
#include "include/anechoic/module.h"
#include "kernel/console.h"
#include "kernel/crc32.h"
#include "monitor/receive.h"
#include "report/kept.h"
#include "report/record.h"
#include "report/text.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define CTRL_C 3

static int line_fd = -1; /* who is connected */
static unsigned long bits = 64, room = 1000000, keep = 1000000, slow_ms;
static const char *counters = "ok", *module_file;
static uint8_t *module;
static size_t module_bytes;

static __attribute__((noreturn)) void die(const char *what)
{
    perror(what);
    exit(2);
}

/* ---- the console ---- */

static void put(const char *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        const ssize_t part = write(line_fd, bytes + done, n - done);
        if (part <= 0) return; /* whoever asked has gone */
        done += (size_t)part;
    }
}
void console_terminal(const char *bytes, size_t n) { put(bytes, n); }
void console_record(const char *line, size_t n)
{
    put(line, n);
    put("\r\n", 2);
}
static void say(const char *line) { console_record(line, strlen(line)); }
int console_typed(void)
{
    struct pollfd p = {line_fd, POLLIN, 0};
    unsigned char key;
    if (poll(&p, 1, 1) <= 0) return CONSOLE_NO_KEY;
    return read(line_fd, &key, 1) == 1 ? key : CTRL_C; /* gone: as if it had been typed */
}
uint64_t hw_rdtsc(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
void text_begin(void) {}
void text_finish(text_put to) { (void)to; }
void text_render(const struct record *r, text_put to) { (void)r, (void)to; }
static void send_record(const char *line, size_t len)
{
    kept_add(session_records() - 1, line, len);
    console_record(line, len);
}

/* ---- commands ---- */

static void machine(void)
{
    struct record *r = record_new("boot");
    rec_str(r, "flavour", bits == 64 ? "x86_64" : "i586");
    rec_str(r, "platform", "silicon");
    record_emit(r);
    r = record_new("cpu");
    rec_str(r, "brand", "A brand");
    rec_object(r, "pmu");
    rec_array(r, "counters");
    rec_str(r, NULL, counters);
    rec_close(r);
    rec_close(r);
    record_emit(r);
}

static void load(void)
{
    static const struct clock clock = {.tsc_hz = 1000000000};
    static struct transfer t;
    char text[300];
    snprintf(text, sizeof text, "ready for %lu bytes, code of %lu bits; Ctrl-C leaves", room, bits);
    say(text);
    transfer_begin(&t, module, room);
    char why[200];
    if (!receive(&t, &clock, why, sizeof why)) {
        snprintf(text, sizeof text, "failed: %s", why);
        say(text);
        return;
    }
    FILE *to = fopen(module_file, "wb");
    if (!to || fwrite(module, 1, t.bytes, to) != t.bytes || fclose(to) != 0) die(module_file);
    module_bytes = t.bytes;
    report_note("monitor", "load: %u bytes, CRC-32 %08x", (unsigned)t.bytes,
                (unsigned)crc32(0, module, t.bytes));
}

static void result(const char *name, unsigned i)
{
    struct record *r = record_new("result");
    rec_str(r, "bench", "code");
    rec_str(r, "variant", name);
    rec_str(r, "event", "tsc");
    for (unsigned k = 0; k < 4; k++) {
        static const char *const key[] = {"min", "median", "mean", "max"};
        rec_uint(r, key[k], i + 1);
    }
    rec_uint(r, "ci95", 0);
    record_emit(r);
}

static void measure(void)
{
    const struct module_header *h = (const struct module_header *)(const void *)module;
    const struct module_snippet *s = (const struct module_snippet *)(const void *)(module + h->table);
    for (unsigned i = 0; module_bytes && i < h->count; i++) result((const char *)module + s[i].name, i);
    struct record *r = record_new("done");
    rec_uint(r, "measurements", module_bytes ? h->count : 0);
    rec_uint(r, "failed", 0);
    record_emit(r);
}

static void wrong_words(void)
{
    struct record *r = record_new("error");
    rec_str(r, "what", "command line");
    rec_str(r, "message", "unknown benchmark: \"wrong\"");
    record_emit(r);
}

static void resend(const char *range)
{
    unsigned first, last;
    char text[128];
    if (sscanf(range, "%u..%u", &first, &last) == 1) last = first;
    if (first >= kept_first() && last <= kept_last() && first <= last) {
        kept_each(first, last, console_record);
        return;
    }
    snprintf(text, sizeof text, "\"%s\" is not valid here. Valid: N or N..M, from %u to %u", range,
             kept_first(), kept_last());
    say(text);
}

static void obey(const char *line)
{
    unsigned crc;
    if (sscanf(line, "crc %8x ", &crc) == 1 && strlen(line) > 13) {
        if (crc != crc32(0, line + 13, strlen(line + 13))) {
            say("Not obeyed: the CRC-32 of what follows is another one.");
            return;
        }
        say("taken");
        obey(line + 13);
    } else if (strcmp(line, "machine") == 0)
        machine();
    else if (strncmp(line, "load ", 5) == 0)
        load();
    else if (strncmp(line, "resend ", 7) == 0)
        resend(line + 7);
    else if (strncmp(line, "run ", 4) == 0) {
        if (strstr(line, "wrong")) wrong_words();
        if (strstr(line, "hangs"))
            while (console_typed() != CTRL_C) continue;
        if (strstr(line, "dies")) session_end(3);
        if (strstr(line, "bench=code")) measure();
    } else if (*line)
        say("There is no command of this name.");
}

/* The editor's way: what is typed is echoed; Ctrl-C drops the line. */
static void serve(void)
{
    static char line[1024];
    size_t n = 0;
    struct pollfd gone = {line_fd, 0, 0};
    bool prompt = true;
    while (poll(&gone, 1, 0) == 0 || !(gone.revents & (POLLHUP | POLLERR))) {
        if (prompt) put("\ranechoic> \033[K", 14);
        prompt = false;
        const int key = console_typed();
        if (key == CONSOLE_NO_KEY) continue;
        if (key == CTRL_C) {
            put("^C\r\n", 4);
            n = 0;
            prompt = true;
        } else if (key == '\r') {
            put("\r\n", 2);
            line[n] = '\0';
            obey(line);
            n = 0;
            prompt = true;
        } else if (n < sizeof line - 1 && key >= ' ' && key < 0x7f) {
            line[n++] = (char)key;
            usleep((useconds_t)slow_ms * 1000);
            put(&line[n - 1], 1);
        }
    }
}

int main(int argc, char **argv)
{
    static const struct session_sinks sinks = {send_record, NULL};
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        const unsigned long v = strtoul(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--bits") == 0) bits = v;
        if (strcmp(argv[i], "--room") == 0) room = v;
        if (strcmp(argv[i], "--keep") == 0) keep = v;
        if (strcmp(argv[i], "--slow") == 0) slow_ms = v;
        if (strcmp(argv[i], "--counters") == 0) counters = argv[i + 1];
    }
    if (argc - i != 2) {
        fprintf(stderr, "usage: prompt [OPTION...] SOCKET MODULE (the comment at its top has them)\n");
        return 2;
    }
    module_file = argv[i + 1];
    signal(SIGPIPE, SIG_IGN);
    module = calloc(room + 1, 1);
    kept_begin(calloc(keep, 1), keep, KEPT_LAST);
    session_begin(&sinks);
    const int l = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(a.sun_path, sizeof a.sun_path, "%s", argv[i]);
    unlink(argv[i]);
    if (bind(l, (struct sockaddr *)&a, sizeof a) != 0 || listen(l, 4) != 0) die(argv[i]);
    while ((line_fd = accept(l, NULL, NULL)) >= 0) {
        serve();
        close(line_fd);
    }
    return 0;
}
