#define _GNU_SOURCE /* memmem() */
#include "host/prompt.h"
#include "host/records_find.h"
#include "host/stop.h"
#include "kernel/crc32.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SHOWN       "anechoic> " /* monitor/monitor.c */
#define STALE_MS    60           /* what came before the question */
#define SHOWN_MS    1500         /* from Ctrl-C to the prompt, between two repetitions that take long */
#define SHOWN_TRIES 4
#define MEND_MS     2000
#define MEND_TRIES  12 /* in a row that bring nothing */
#define CTRL_C      "\003"
#define LINE_BYTES  1024 /* EDITOR_LINE (monitor/editor.h) */
#define LINE_TRIES  8
#define TAKEN_MS    1500 /* without a byte: the echo of a line may take longer */
#define TAKEN_MOST  12000

static long long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* ---- bytes ---- */

static bool take_line(struct prompt *p, const char *bytes, size_t n)
{
    const bool echo = p->echo && piece_record(bytes, n).kind == PIECE_NONE;
    p->echo = false;
    if (echo) return true;
    if (!p->repeated) return records_feed(&p->reader, bytes, n);
    struct records_sink each = prompt_sink(p);
    each.fault = NULL;
    each.live = false;
    struct records one; /* each by itself: they come in any order */
    records_begin(&one, &each);
    const bool good = records_feed(&one, bytes, n);
    records_finish(&one);
    return good;
}

/* Whole lines are taken; is what remains the prompt? */
static bool take_lines(struct prompt *p)
{
    char *end;
    size_t done = 0;
    while ((end = memchr(p->held + done, '\n', p->n_held - done))) {
        const size_t n = (size_t)(end - (p->held + done)) + 1;
        if (!take_line(p, p->held + done, n)) return false;
        done += n;
    }
    memmove(p->held, p->held + done, p->n_held - done);
    p->n_held -= done;
    if (p->n_held == sizeof p->held) p->n_held = 0; /* no line of the kernel's is as long */
    p->shown = memmem(p->held, p->n_held, SHOWN, sizeof SHOWN - 1) != NULL;
    return true;
}

static bool read_some(struct prompt *p)
{
    const ssize_t n = read(p->source.fd, p->held + p->n_held, sizeof p->held - p->n_held);
    if (n == 0) errno = EIO;
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (n <= 0) return false;
    for (ssize_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)p->held[p->n_held + (size_t)i];
        p->garbage += (c < ' ' && !strchr("\r\n\t\033", c)) || c > '~';
    }
    p->bytes += (unsigned long)n;
    p->n_held += (size_t)n;
    return take_lines(p);
}

/* ---- among themselves ---- */

bool prompt_shown(const struct prompt *p) { return p->shown; }

enum prompt_pump prompt_pump(struct prompt *p, bool (*enough)(const struct prompt *p), long ms, int quiet_ms)
{
    const long long until = now_ms() + ms;
    while (!enough(p)) {
        long long left = ms < 0 ? -1 : until - now_ms();
        if (ms >= 0 && left <= 0) return PUMP_LATE;
        if (quiet_ms >= 0 && (left < 0 || left > quiet_ms)) left = quiet_ms;
        if (left > 60000) left = 60000;
        if (stop_wait(p->source.fd, (int)left)) {
            if (!read_some(p)) return PUMP_GONE;
        } else if (stop_asked())
            return PUMP_STOPPED;
        else if (left == quiet_ms)
            return PUMP_QUIET;
    }
    return PUMP_ENOUGH;
}

static bool never(const struct prompt *p)
{
    (void)p;
    return false;
}

static bool send_bytes(struct prompt *p, const char *bytes)
{
    const bool begins = p->begins;
    p->begins = false;
    prompt_pump(p, never, STALE_MS, 0);
    p->begins = begins;
    p->n_held = 0;
    p->echo = true;
    p->shown = p->taken = p->not_obeyed = p->news = false;
    p->module_bits = 0;
    p->answer = ANSWER_NONE;
    return source_send(&p->source, bytes, strlen(bytes));
}

enum prompt_pump prompt_interrupt(struct prompt *p)
{
    if (!send_bytes(p, CTRL_C)) return PUMP_GONE;
    return prompt_pump(p, prompt_shown, SHOWN_MS, -1);
}

/* A record, or damage, comes from a command that is obeyed, too. */
static bool heard(const struct prompt *p) { return p->taken || p->not_obeyed || p->news; }

/* With its CRC, until the kernel has taken it. */
static enum prompt_pump send_line(struct prompt *p, const char *line)
{
    char sent[LINE_BYTES];
    enum prompt_pump r = PUMP_LATE;
    const int n = snprintf(sent, sizeof sent, "crc %08x %s\r", (unsigned)crc32(0, line, strlen(line)), line);
    if (n >= (int)sizeof sent) return PUMP_LATE;
    for (unsigned tries = 0; tries < LINE_TRIES; tries++) {
        r = send_bytes(p, sent) ? prompt_pump(p, heard, TAKEN_MOST, TAKEN_MS) : PUMP_GONE;
        if (r == PUMP_GONE || r == PUMP_STOPPED || (r == PUMP_ENOUGH && !p->not_obeyed)) return r;
        r = prompt_interrupt(p);
        if (r == PUMP_GONE || r == PUMP_STOPPED) return r;
    }
    return PUMP_LATE;
}

enum prompt_pump prompt_ask(struct prompt *p, const char *line)
{
    p->boot = p->cpu = p->done = p->error = p->loaded = p->bad_words = p->failed = p->refused = false;
    p->damaged = 0;
    return send_line(p, line);
}

static int told(const struct prompt *p, int status, const char *what)
{
    return command_failed(p->command, status, "%s: %s", p->source.name, what);
}

int prompt_lost(struct prompt *p, enum prompt_pump why, const char *meanwhile)
{
    char text[400];
    if (why == PUMP_STOPPED) {
        const int status = 128 + stop_signal();
        stop_forget();
        prompt_interrupt(p);
        return status;
    }
    if (why == PUMP_GONE)
        snprintf(text, sizeof text, "it has gone while %s: %s", meanwhile, strerror(errno));
    else
        snprintf(text, sizeof text, "no answer came while %s", meanwhile);
    return told(p, STATUS_IMPOSSIBLE, text);
}

/* Another record: before its number are all that are missing. */
static enum prompt_pump know_last(struct prompt *p)
{
    const enum prompt_pump r = send_line(p, "machine");
    return r == PUMP_ENOUGH ? prompt_pump(p, prompt_shown, MEND_MS, -1) : r;
}

static enum prompt_pump resend(struct prompt *p, struct ledger_gap g)
{
    char line[64];
    snprintf(line, sizeof line, "resend %lld..%lld", g.first, g.last);
    const enum prompt_pump r = send_line(p, line);
    return r == PUMP_ENOUGH ? prompt_pump(p, prompt_shown, -1, MEND_MS) : r;
}

/* The kernel has no memory for those that are too old. */
static bool mend_all(struct prompt *p)
{
    enum prompt_pump r = PUMP_ENOUGH;
    const long long last = p->ledger.next;
    for (unsigned tries = 0; tries < MEND_TRIES && r != PUMP_GONE && r != PUMP_STOPPED; tries++) {
        const unsigned long before = p->recovered;
        if (p->ledger.next == last)
            r = know_last(p);
        else if (!ledger_complete(&p->ledger))
            r = resend(p, p->ledger.gap[0]);
        if (p->recovered > before) tries = 0;
        if (p->ledger.next > last && ledger_complete(&p->ledger)) return true;
    }
    return false;
}

bool prompt_mend(struct prompt *p, bool doubt)
{
    if (!doubt && ledger_complete(&p->ledger) && !p->damaged) return true;
    p->repeated = true;
    const bool good = mend_all(p);
    p->repeated = false;
    if (!good)
        command_failed(p->command, 0, "%s: %s damaged or missing, and did not come again", p->source.name,
                       ledger_complete(&p->ledger) ? "records are" : ledger_text(&p->ledger));
    return good;
}

/* ---- public ---- */

static void begin(struct prompt *p)
{
    p->sink = prompt_sink(p);
    records_begin(&p->reader, &p->sink);
}

/* DEVICE[,BAUD] */
static bool split(struct prompt *p, const char *spec)
{
    const char *comma = strrchr(spec, ',');
    size_t n = strlen(spec);
    p->wanted = (struct source_wanted){p->device, SOURCE_BAUD, p->lock_dir ? p->lock_dir : SERIAL_LOCK_DIR};
    if (comma && comma[1] >= '0' && comma[1] <= '9') {
        if (!source_rate(comma + 1, &p->wanted.baud)) return false;
        n = (size_t)(comma - spec);
    }
    snprintf(p->device, sizeof p->device, "%.*s", (int)(n < sizeof p->device ? n : sizeof p->device - 1),
             spec);
    return true;
}

static int no_prompt(const struct prompt *p)
{
    const char *rate = p->garbage > p->bytes / 4 ? "what came is no text: is the rate right? " : "";
    return command_failed(
        p->command, STATUS_IMPOSSIBLE,
        "%s, %lu baud: no prompt answers. %sBoot the machine with exit=monitor (key m in GRUB's menu) and "
        "its console on this line; " PROMPT_PREFIX "%s,BAUD names another rate",
        p->source.name, p->wanted.baud, rate, p->source.name);
}

int prompt_open(struct prompt *p, const char *spec)
{
    char why[600], note[600];
    if (!split(p, spec))
        return command_failed(p->command, STATUS_USAGE, PROMPT_PREFIX "%s: a serial line has one of %s", spec,
                              source_rates());
    const int status = source_open(&p->source, &p->wanted, why, note, sizeof why);
    if (status != STATUS_GOOD) return command_failed(p->command, status, "%s: %s", p->device, why);
    if (*note) told(p, 0, note);
    if (!source_can_ask(&p->source)) {
        source_close(&p->source);
        return told(
            p, STATUS_USAGE,
            "nothing can be sent there; it is no serial device, and no HOST:PORT of a console server");
    }
    begin(p);
    for (unsigned tries = 0; tries < SHOWN_TRIES; tries++) {
        const enum prompt_pump r = prompt_interrupt(p);
        if (r == PUMP_ENOUGH) return STATUS_GOOD;
        if (r == PUMP_LATE) continue;
        const int lost = prompt_lost(p, r, "the prompt was waited for");
        prompt_close(p);
        return lost;
    }
    const int lost = no_prompt(p);
    prompt_close(p);
    return lost;
}

static bool machine_known(const struct prompt *p) { return p->shown && p->boot && p->cpu; }

int prompt_machine(struct prompt *p)
{
    enum prompt_pump r = PUMP_LATE;
    for (unsigned tries = 0; tries < SHOWN_TRIES && r == PUMP_LATE; tries++) {
        p->begins = true;
        p->keeping = false; /* it begins with a whole `boot` record */
        r = prompt_ask(p, "machine");
        if (r == PUMP_ENOUGH) r = prompt_pump(p, machine_known, 2 * SHOWN_MS, -1);
    }
    return r == PUMP_ENOUGH
               ? STATUS_GOOD
               : prompt_lost(p, r, "it was asked what machine it is; does its kernel know `machine`?");
}

void prompt_close(struct prompt *p)
{
    source_close(&p->source);
    records_finish(&p->reader);
    ledger_free(&p->ledger);
}
