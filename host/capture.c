/* anechoic capture: keeps what the kernel sends, and says whether all of it came. */
#include "host/ask.h"
#include "host/command.h"
#include "host/listen.h"
#include "host/source.h"
#include "host/stop.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINGER_MS 1000 /* after "end": its text is still to come */
#define REOPEN_MS 1000

struct capture {
    struct source_wanted from;
    const char *to;
    bool forever, each;
    struct source source;
    struct keep keep;
    struct lava_log log;
    char name[PATH_MAX];  /* of this boot's file */
    unsigned long failed; /* files that are not complete */
};

static void show(void *ctx, const char *line, size_t len)
{
    (void)ctx;
    printf("%.*s\n", (int)len, line);
}

static void flush(void *ctx)
{
    (void)ctx;
    fflush(stdout);
}

/* ---- files ---- */

static void close_file(struct capture *c)
{
    if (keep_close(&c->keep) && !c->keep.error) return;
    command_failed(&command_capture, 0, "%s: %s: it is not complete", c->keep.name, strerror(c->keep.error));
    c->failed++;
}

/* The first record of a boot comes, which gets a file. */
static void begin_file(void *ctx)
{
    struct capture *c = ctx;
    close_file(c);
    if (keep_open_boot(&c->keep, c->to, c->name, sizeof c->name))
        command_failed(&command_capture, 0, "%s: a boot begins: %s", c->source.name, c->name);
}

/* Files are made later, perhaps in the night: whether they can be is asked now. */
static bool can_make_files(const char *pattern)
{
    char directory[PATH_MAX];
    const char *slash = strrchr(pattern, '/');
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - pattern + 1) : 1,
             slash ? pattern : ".");
    if (access(directory, W_OK | X_OK) == 0) return true;
    command_failed(&command_capture, STATUS_USAGE, "-o %s: no file can be made in %s: %s", pattern, directory,
                   strerror(errno));
    return false;
}

/* False: said. */
static bool open_file(struct capture *c)
{
    if (c->to && command_same_file(c->from.name, c->to)) {
        command_failed(&command_capture, STATUS_USAGE, "-o %s: it is what is captured; -o needs another file",
                       c->to);
        return false;
    }
    if (c->each && !can_make_files(c->to)) return false;
    if (keep_open(&c->keep, c->each ? NULL : c->to)) return true;
    command_failed(&command_capture, STATUS_USAGE, "%s: %s", c->to, strerror(c->keep.error));
    return false;
}

/* ---- sources ---- */

static int open_source(struct capture *c, bool quietly)
{
    char why[600], note[600];
    const int status = source_open(&c->source, &c->from, why, note, sizeof why);
    if (status != STATUS_GOOD && !quietly)
        return command_failed(&command_capture, status, "%s: %s", c->from.name, why);
    if (*note) command_failed(&command_capture, status, "%s: %s", c->from.name, note);
    return status;
}

/* The device or the connection has gone; with --forever it may come back. */
static bool open_again(struct capture *c)
{
    source_close(&c->source);
    if (c->source.kind == SOURCE_FILE) return false;
    while (c->forever && !stop_asked()) {
        if (open_source(c, true) == STATUS_GOOD) return true;
        stop_wait(-1, REOPEN_MS);
    }
    return false;
}

/* ---- sessions ---- */

/* A session up to its "end" and what follows at once. */
static enum listen_result one_session(struct capture *c, struct listener *l)
{
    enum listen_result r = listen_until(l, c->source.fd, listen_over, -1);
    if (r == LISTEN_ENOUGH) r = listen_until(l, c->source.fd, listen_invited, LINGER_MS);
    if (r == LISTEN_ENOUGH || r == LISTEN_QUIET) r = ask_again(l, &c->source);
    return r;
}

static void tell_gone(const struct capture *c, enum listen_result r)
{
    const int error = errno;
    if (r == LISTEN_LOST || c->source.kind == SOURCE_SERIAL)
        command_failed(&command_capture, 0, "%s: it has gone: %s", c->source.name,
                       r == LISTEN_LOST ? strerror(error) : "the line was hung up");
    else if (c->source.kind == SOURCE_TCP)
        command_failed(&command_capture, 0, "%s: the other side has closed it", c->source.name);
}

static void listen_all(struct capture *c, struct listener *l)
{
    for (;;) {
        const enum listen_result r = one_session(c, l);
        if (r == LISTEN_EOF || r == LISTEN_LOST) {
            const bool after_end = l->session.ended || (l->sessions && !l->session.begun);
            if (!after_end) tell_gone(c, r);
            if (!open_again(c)) return;
        }
        const bool go_on = c->forever || c->log.recognised; /* a log may have several boots */
        if (r == LISTEN_ANOTHER && !go_on) listen_leave(l);
        if (r == LISTEN_STOPPED || !go_on) return;
        listen_settle(l);
    }
}

static int capture(struct capture *c)
{
    static struct listener l;
    static struct listen_hooks hooks = {.text = show, .settled = flush};
    const int status = open_source(c, false);
    if (status != STATUS_GOOD) return status;
    if (!open_file(c)) {
        source_close(&c->source);
        return STATUS_USAGE;
    }
    hooks.ctx = c;
    if (c->each) hooks.boot = begin_file;
    if (c->to && strcmp(c->to, "-") == 0) hooks.text = NULL; /* it has the text already */
    l = (struct listener){.command = command_capture.name,
                          .name = c->source.name,
                          .hooks = &hooks,
                          .keep = &c->keep,
                          .log = c->source.kind == SOURCE_FILE ? &c->log : NULL};
    listen_begin(&l);
    listen_all(c, &l);
    listen_finish(&l);
    source_close(&c->source);
    close_file(c);
    return l.bad_sessions || c->failed ? STATUS_FOUND : STATUS_GOOD;
}

enum { OPTION_LOCK_DIR = 256 };

static int run(const struct command *self, int argc, char **argv)
{
    static struct capture c;
    c.from = (struct source_wanted){.baud = SOURCE_BAUD, .lock_dir = SERIAL_LOCK_DIR};
    for (int id; (id = command_option(self, argc, argv)) != -1;) {
        switch (id) {
        case 'b':
            if (!source_rate(optarg, &c.from.baud))
                return command_misused(self, "--baud %s: a serial line has one of %s", optarg,
                                       source_rates());
            break;
        case 'e':
            c.each = true;
            break;
        case 'f':
            c.forever = true;
            break;
        case 'o':
            c.to = optarg;
            break;
        case OPTION_LOCK_DIR:
            c.from.lock_dir = optarg;
            break;
        }
    }
    if (argc - optind != 1)
        return command_misused(self, "%s",
                               optind == argc ? "no device, file or HOST:PORT is named"
                                              : "it captures from one source at a time");
    if (c.each && (!c.to || !*c.to || strcmp(c.to, "-") == 0))
        return command_misused(self, "--each needs -o FILE, of whose name each boot's is made");
    c.from.name = argv[optind];
    stop_catch();
    return capture(&c);
}

static const struct command_option options[] = {
    {'b', "baud", "RATE", "rate of the serial device (default 115200), as the kernel's console= has it"},
    {'e', "each", NULL,
     "each boot has a file of its own, named by the date and a number: -o lab.rec is lab-2026-11-23-1.rec. "
     "It begins at the boot's first record; what is printed between boots is only shown"},
    {'f', "forever", NULL, "go on with the next boot; wait for a device that has gone; Ctrl-C ends it"},
    {'o', "output", "FILE", "keep every line here, records and text, as it comes; - is standard output"},
    {OPTION_LOCK_DIR, "lock-dir", "DIR",
     "where lock files of serial devices are (default " SERIAL_LOCK_DIR ")"},
    {0},
};

const struct command command_capture = {
    .name = "capture",
    .summary = "keep what the kernel sends over a serial line",
    .arguments = "DEVICE|FILE|HOST:PORT|LAVA-LOG",
    .about =
        "Listens to a serial device, to a console server's TCP port (raw, not Telnet), to a file or a "
        "pipe, until the session's \"end\" record comes. Text is shown as it comes. Records are checked "
        "as they come: their checksums and their numbers. Those that are damaged or missing are named "
        "at the end. Text has no checksum, so damage to it is not seen. - is standard input.\n\n"
        "The log of a LAVA job (a file, or standard input) is known by its lines, YAML maps with dt, lvl "
        "and msg. What the machine sent is taken out of it, all its boots, and checked in the same way; "
        "lines that are named are the log's.\n\n"
        "A device is set to 8 data bits, no parity and 1 stop bit, and locked by a lock file of the "
        "kind that other terminal programs respect. It is left as it was found.\n\n"
        "Ctrl-C ends it; what has come is kept.",
    .options = options,
    .statuses = "0 complete, 1 damaged or incomplete, or the file could not be written, 2 wrong usage, or a "
                "source that cannot be opened, 4 the device is in use by another program or lacks this rate, "
                "or the output cannot be written.",
    .run = run,
};
