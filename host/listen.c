#include "host/listen.h"
#include "host/mend.h"
#include "host/records_find.h"
#include "host/stop.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHOWN_BYTES 512 /* of a line for people; longer ones are shown in pieces */

__attribute__((format(printf, 2, 3))) static void say(const struct listener *l, const char *format, ...)
{
    va_list args;
    if (l->hooks->settled) l->hooks->settled(l->hooks->ctx);
    fprintf(stderr, "anechoic %s: %s: ", l->command, l->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* ---- what the reader finds ---- */

static void record(void *ctx, const struct received *r)
{
    struct listener *l = ctx;
    struct listen_session *s = &l->session;
    s->begun = true;
    if (ledger_arrived(&l->ledger, r->n)) {
        s->received++;
        s->recovered += r->late;
        s->late += r->late;
    }
    if (strcmp(r->type, "kept") == 0) s->kept = true;
    if (strcmp(r->type, "end") == 0) {
        s->ended = true;
        s->status = json_integer_value(json_object_get(r->object, "status"));
        ledger_total(&l->ledger, json_integer_value(json_object_get(r->object, "records")));
    }
    if (l->hooks->record) l->hooks->record(l->hooks->ctx, r);
}

static void fault(void *ctx, const struct fault *f)
{
    struct listener *l = ctx;
    struct listen_session *s = &l->session;
    if (f->damage == DAMAGE_NOTHING) return;
    s->begun = true;
    if (s->faults < LISTEN_FAULTS) s->fault[s->faults] = *f;
    s->faults++;
}

/* What the kernel says while it waits (report/wait.h). */
static bool invitation(struct listener *l, const char *line, size_t len)
{
    static const char begins[] = "waiting: records ";
    char text[128];
    snprintf(text, sizeof text, "%.*s", (int)(len < sizeof text ? len : sizeof text - 1), line);
    const char *at = strstr(text, begins);
    l->wait_over = strstr(text, "the wait is over") != NULL;
    long long first, last;
    if (!at || sscanf(at + sizeof begins - 1, "%lld..%lld are kept", &first, &last) != 2) return false;
    if (first < 0 || last < first) return false;
    l->kept_first = first;
    l->kept_last = last;
    return l->invited = true;
}

/* Control characters would take over the terminal, as bytes at a wrong rate do. */
static void show(struct listener *l, const char *line, size_t len)
{
    char shown[SHOWN_BYTES];
    size_t n = 0;
    do {
        const size_t part = len - n < sizeof shown ? len - n : sizeof shown;
        for (size_t i = 0; i < part; i++) {
            const unsigned char c = (unsigned char)line[n + i];
            const bool text = (c >= ' ' && c < 0x7f) || c == '\t';
            l->garbage += !text && c != 0x1b && c != '\r';
            shown[i] = text ? (char)c : '?';
        }
        if (l->hooks->text) l->hooks->text(l->hooks->ctx, shown, part);
        n += part;
    } while (n < len);
}

static void text(void *ctx, const char *line, size_t len)
{
    struct listener *l = ctx;
    const bool before = l->invited;
    if (!invitation(l, line, len) || !before) show(l, line, len);
}

/* ---- the session's end ---- */

static const char *rate_hint(const struct listener *l)
{
    return l->garbage > l->bytes / 4 ? "; a quarter of the bytes and more are no text: is --baud right?" : "";
}

static void tell_faults(struct listener *l, const char *which)
{
    const struct listen_session *s = &l->session;
    char text[FAULT_TEXT_BYTES];
    for (unsigned long i = 0; i < s->faults && i < LISTEN_FAULTS; i++)
        say(l, "%s%s", which, fault_text(&s->fault[i], text));
    if (s->faults > LISTEN_FAULTS) say(l, "%sand %lu more faults", which, s->faults - LISTEN_FAULTS);
}

static void report(struct listener *l)
{
    struct listen_session *s = &l->session;
    char which[PATH_MAX] = "";
    const bool healed = s->recovered && s->ended && ledger_complete(&l->ledger);
    const bool bad = !s->ended || !ledger_complete(&l->ledger) || (s->faults && !healed);
    l->sessions++;
    if (l->hooks->boot && l->keep->name)
        snprintf(which, sizeof which, "%s: ", l->keep->name);
    else if (l->sessions > 1)
        snprintf(which, sizeof which, "session %lu: ", l->sessions);
    tell_faults(l, which);
    if (!ledger_complete(&l->ledger))
        say(l, "%s%s %s damaged or missing", which, ledger_text(&l->ledger),
            ledger_missing(&l->ledger) == 1 ? "is" : "are");
    if (s->recovered)
        say(l, "%s%lld record%s came again when asked for", which, s->recovered,
            s->recovered == 1 ? "" : "s");
    if (bad)
        say(l, "%s%lld good record%s, NOT COMPLETE, %lu fault%s%s", which, s->received,
            s->received == 1 ? "" : "s", s->faults, s->faults == 1 ? "" : "s",
            s->received ? "" : rate_hint(l));
    else if (!l->quiet)
        say(l, "%s%lld records, complete, status %lld", which, s->received, s->status);
    l->bad_sessions += bad;
}

/* What was asked for again at the monitor's prompt is in the file; the damaged lines in whose place it came
 * go. */
static void mend_session(struct listener *l)
{
    static const struct late none;
    if (!l->keep->regular || l->keep->error) return;
    if (mend(l->keep, l->session.start, l->keep->written, &none))
        l->position = l->keep->written;
    else
        say(l, "%s: %s; its damaged lines stay", l->keep->name, strerror(errno));
}

static void over(void *ctx, const struct session_seen *seen)
{
    struct listener *l = ctx;
    if (seen->repeated)
        say(l, "%lu record%s came again, unchanged", seen->repeated, seen->repeated == 1 ? "" : "s");
    report(l);
    if (l->session.late && l->session.faults && l->session.ended && ledger_complete(&l->ledger))
        mend_session(l);
    ledger_free(&l->ledger);
    l->session = (struct listen_session){.start = l->position};
}

void listen_settle(struct listener *l)
{
    if (l->reader.session.number) records_finish(&l->reader);
    l->invited = l->wait_over = l->booting = false;
}

/* ---- lines ---- */

void listen_begin(struct listener *l)
{
    l->sink = (struct records_sink){record, text, fault, over, l, .live = !l->log};
    records_begin(&l->reader, &l->sink);
}

static void reply(void *ctx, const struct received *r)
{
    struct listener *l = ctx;
    l->reply(l->reply_ctx, r);
}

static void reply_text(void *ctx, const char *line, size_t len) { invitation(ctx, line, len); }

/* Lines, or a piece of one that is too long. */
static bool take(struct listener *l, const char *bytes, size_t n)
{
    const struct records_sink sink = {.record = reply, .text = reply_text, .ctx = l};
    bool good;
    if (l->asking) { /* each line by itself: they come in any order */
        struct records replies;
        records_begin(&replies, &sink);
        good = records_feed(&replies, bytes, n);
        records_finish(&replies);
    } else
        good = records_feed(&l->reader, bytes, n);
    l->position += (off_t)n;
    for (size_t i = 0; i < n; i++) l->bytes += bytes[i] != '\0'; /* UTF-16 is no noise */
    return good;
}

static bool another(const struct listener *l, const char *line, size_t n)
{
    static const char boot[] = "{\"n\":0,\"t\":\"boot\"";
    const bool due = l->hooks->boot ? l->booting : l->session.ended;
    if (l->asking ? ledger_lacks(&l->ledger, 0) : !due) return false;
    const struct piece p = piece_record(line, n);
    if (!l->asking && records_boots_again(&l->reader, p.bytes, p.len)) return false;
    return p.len >= sizeof boot - 1 && memcmp(p.bytes, boot, sizeof boot - 1) == 0;
}

/* ---- a file a boot ---- */

static bool kept(const struct listener *l) { return !l->hooks->boot || l->booting; }

/* The first record may be damaged, so any will do. */
static void begin_boot(struct listener *l, const char *line, size_t n)
{
    if (!l->hooks->boot || l->booting || piece_record(line, n).kind == PIECE_NONE) return;
    l->booting = true;
    l->position = l->session.start = 0;
    l->hooks->boot(l->hooks->ctx);
}

/* ---- a LAVA job's log ---- */

struct line {
    char *bytes;
    size_t n;
};

/* The line itself, or the serial text that it has, which lies at the end of its room. */
static struct line next_line(struct listener *l, char *from, size_t n)
{
    if (!l->log) return (struct line){from, n};
    const size_t part = l->read_log ? n : lava_line(l->log, from, n);
    l->read_log = false;
    memmove(from + n - part, from, part);
    if (l->log->recognised) l->reader.line = l->log->line - 1; /* faults name the log's lines */
    return (struct line){from + n - part, part};
}

/* Takes the lines that are there, until enough() or another session. What is kept of them moves to the front
 * of what is held. */
static enum listen_result take_lines(struct listener *l, bool (*enough)(const struct listener *))
{
    enum listen_result result = LISTEN_QUIET;
    size_t done = 0, keeping = 0;
    while (done < l->n_held && result == LISTEN_QUIET) {
        char *from = l->held + done;
        const char *end = memchr(from, '\n', l->n_held - done);
        const size_t n = end ? (size_t)(end - from) + 1 : l->n_held - done;
        if (!end && l->n_held < sizeof l->held) break;
        const struct line line = next_line(l, from, n);
        if (another(l, line.bytes, line.n)) {
            result = LISTEN_ANOTHER;
            done += n - line.n;
            l->read_log = l->log != NULL;
            break;
        }
        begin_boot(l, line.bytes, line.n);
        if (!take(l, line.bytes, line.n)) result = LISTEN_LOST; /* no memory */
        done += n;
        if (kept(l)) {
            memmove(l->held + keeping, line.bytes, line.n);
            keeping += line.n;
        }
        if (enough(l)) result = LISTEN_ENOUGH;
    }
    if (keeping && !keep_write(l->keep, l->held, keeping))
        say(l, "%s: %s; it has the first %lld bytes, the rest is only shown and checked", l->keep->name,
            strerror(l->keep->error), (long long)l->keep->written);
    memmove(l->held, l->held + done, l->n_held - done);
    l->n_held -= done;
    return result;
}

/* ---- public ---- */

/* Where the log, not the machine, is why records are missing. */
static void report_log(struct listener *l)
{
    const struct lava_log *log = l->log;
    if (!log || !log->recognised) return;
    if (log->strange)
        say(l, "line %lu: %s%s", log->first_line, log->first_why,
            log->strange > 1 ? "; other lines are so too" : "");
    if (!log->serial)
        say(l, "a LAVA job's log without a machine's output, which has lvl: target or feedback");
    if (*log->error) say(l, "the job says: %s", log->error);
}

void listen_finish(struct listener *l)
{
    if (l->n_held) { /* a line that the end cut in two */
        const struct line line = next_line(l, l->held, l->n_held);
        l->n_held = 0;
        begin_boot(l, line.bytes, line.n);
        take(l, line.bytes, line.n);
        if (kept(l)) keep_write(l->keep, line.bytes, line.n);
    }
    report_log(l);
    listen_settle(l);
    records_finish(&l->reader);
    ledger_free(&l->ledger);
    if (l->sessions) return;
    l->bad_sessions++;
    tell_faults(l, "");
    say(l, "no records at all%s", rate_hint(l));
}

bool listen_over(const struct listener *l) { return l->session.ended || l->invited; }
bool listen_invited(const struct listener *l) { return l->invited; }
bool listen_wait_over(const struct listener *l) { return l->wait_over; }

enum listen_result listen_until(struct listener *l, int fd, bool (*enough)(const struct listener *),
                                int quiet_ms)
{
    for (;;) {
        const enum listen_result r = l->n_held ? take_lines(l, enough) : LISTEN_QUIET;
        if (l->hooks->settled && r != LISTEN_QUIET) l->hooks->settled(l->hooks->ctx);
        if (r != LISTEN_QUIET) return r;
        if (l->hooks->settled) l->hooks->settled(l->hooks->ctx);
        if (l->hooks->idle) l->hooks->idle(l->hooks->ctx);
        if (!stop_wait(fd, quiet_ms)) return stop_asked() ? LISTEN_STOPPED : LISTEN_QUIET;
        const ssize_t n = read(fd, l->held + l->n_held, sizeof l->held - l->n_held);
        if (n == 0) return LISTEN_EOF;
        if (n < 0 && errno != EAGAIN && errno != EINTR) return LISTEN_LOST;
        if (n > 0) l->n_held += (size_t)n;
    }
}
