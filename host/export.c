/* anechoic export: captures into a SQLite database, where many machines' or commits' results are asked. */
#include "host/command.h"
#include "host/escape.h"
#include "host/store.h"
#include "kernel/crc32.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES    (64 * 1024)
#define UNKNOWN_SHOWN 400 /* bytes of the list of what was passed over */

struct export
{
    struct store store;
    const char *database;
    bool again;
    bool failed; /* the database cannot be written: nothing more is tried */
    /* of the file at hand */
    const char *name;
    int64_t file, session; /* session 0: none is open */
    unsigned long sessions, records, faults, session_faults;
    char first_fault[FAULT_TEXT_BYTES];
    char unknown[UNKNOWN_SHOWN]; /* "plan, result.new": what was passed over */
};

/* ---- what the reader tells ---- */

static bool begin_session(struct export *e)
{
    if (e->session) return true;
    e->session_faults = 0;
    return store_session(&e->store, e->file, ++e->sessions, &e->session);
}

/* Each once, and those that have room. */
static void unknown(void *ctx, const char *what)
{
    struct export *e = ctx;
    char name[UNKNOWN_SHOWN];
    what = escape_text(name, sizeof name, what);
    const size_t at = strlen(e->unknown), n = strlen(what);
    for (const char *s = e->unknown; (s = strstr(s, what)) != NULL; s += n)
        if ((s == e->unknown || s[-1] == ' ') && (s[n] == ',' || s[n] == '\0')) return;
    if (at + n + 3 <= sizeof e->unknown) sprintf(e->unknown + at, "%s%s", at ? ", " : "", what);
}

static void record(void *ctx, const struct received *r)
{
    struct export *e = ctx;
    if (e->failed) return;
    e->failed = !begin_session(e) || !store_record(&e->store, e->session, r, unknown, e);
    e->records++;
}

static void fault(void *ctx, const struct fault *f)
{
    struct export *e = ctx;
    if (e->failed) return;
    if (!e->faults++) fault_text(f, e->first_fault);
    e->session_faults++;
    e->failed = !store_fault(&e->store, e->file, e->session, f);
}

static void session(void *ctx, const struct session_seen *seen)
{
    struct export *e = ctx;
    if (e->failed) return;
    if (e->session) e->failed = !store_session_end(&e->store, e->session, seen, e->session_faults);
    e->session = 0;
}

/* ---- files ---- */

/* Reads what is left of a file; r NULL: for f->bytes and f->crc only. False: errno says why. */
static bool read_all(struct export *e, struct records *r, FILE *in, struct store_file *f)
{
    static char bytes[READ_BYTES];
    f->bytes = 0;
    f->crc = 0;
    for (size_t n; !e->failed && (n = fread(bytes, 1, sizeof bytes, in)) > 0;) {
        f->bytes += (int64_t)n;
        f->crc = crc32(f->crc, bytes, n);
        if (r && !records_feed(r, bytes, n)) return false;
    }
    return !ferror(in);
}

static int cancelled(struct export *e, int status)
{
    store_cancel(&e->store);
    return status;
}

/* The database cannot be written. Files that were exported before this one are in it. */
static int store_failure(struct export *e)
{
    e->failed = true;
    return cancelled(e, command_failed(&command_export, STATUS_IMPOSSIBLE,
                                       "%s: %s; nothing of %s is in it, what was there before still is",
                                       e->database, store_why(&e->store), e->name));
}

static int unreadable(struct export *e, int error)
{
    return cancelled(e, command_failed(&command_export, STATUS_USAGE, "%s: %s; nothing of it is added",
                                       e->name, strerror(error)));
}

/* *status: the file is there, unchanged. False: the database cannot be read. */
static bool find(struct export *e, const struct store_file *f, bool *there, int *status)
{
    int64_t known;
    if (!store_find(&e->store, f, &known)) return false;
    *there = known != 0;
    if (!known) return true;
    printf("%s: is in %s already, unchanged; nothing is added (--again puts it in anew)\n", e->name,
           e->database);
    *status = cancelled(e, STATUS_GOOD);
    return true;
}

static int report(struct export *e)
{
    printf("%s: %lu records in %lu session%s added to %s\n", e->name, e->records, e->sessions,
           e->sessions == 1 ? "" : "s", e->database);
    if (*e->unknown)
        fprintf(stderr, "anechoic export: %s: passed over what only a newer version knows: %s\n", e->name,
                e->unknown);
    if (!e->faults) return STATUS_GOOD;
    return command_failed(
        &command_export, STATUS_FOUND,
        "%s: %lu fault%s, which the table \"fault\" has; what was good is added. The first: %s", e->name,
        e->faults, e->faults == 1 ? "" : "s", e->first_fault);
}

/* A pipe cannot be read twice: whether it has been here before shows at its end only. */
static bool can_rewind(FILE *in) { return fseek(in, 0, SEEK_SET) == 0; }

/* Reads the file's sessions into the database. *error: errno of a file that cannot be read, else 0. */
static bool add_sessions(struct export *e, FILE *in, struct store_file *f, int *error)
{
    const struct records_sink sink = {.record = record, .fault = fault, .session = session, .ctx = e};
    struct records r;
    if (!store_file(&e->store, f, &e->file)) return false;
    records_begin(&r, &sink);
    *error = read_all(e, &r, in, f) ? 0 : errno;
    records_finish(&r);
    return !e->failed;
}

/* After store_begin(); keeps or cancels. False: the database fails. */
static bool add_file(struct export *e, FILE *in, struct store_file *f, int *status)
{
    bool there = false;
    int error = 0;
    if (e->again && !store_forget(&e->store, f->path)) return false;
    if (can_rewind(in)) {
        if (!read_all(e, NULL, in, f)) return *status = unreadable(e, errno), true;
        if (!find(e, f, &there, status)) return false;
        if (there) return true;
        rewind(in);
    }
    if (!add_sessions(e, in, f, &error)) return false;
    if (error) return *status = unreadable(e, error), true;
    if (!e->records) {
        command_failed(&command_export, STATUS_FOUND, "%s: %s; nothing is added", f->name, e->first_fault);
        return *status = cancelled(e, STATUS_FOUND), true;
    }
    if (!find(e, f, &there, status)) return false;
    if (there) return true;
    if (!store_file_read(&e->store, e->file, f) || !store_keep(&e->store)) return false;
    return *status = report(e), true;
}

static int export_file(void *ctx, const char *name, FILE *in)
{
    struct export *e = ctx;
    int status = STATUS_GOOD;
    if (e->failed) return STATUS_IMPOSSIBLE;
    e->name = name;
    e->file = e->session = 0;
    e->sessions = e->records = e->faults = 0;
    *e->first_fault = *e->unknown = '\0';
    char *path = in == stdin ? NULL : realpath(name, NULL);
    struct store_file f = {.name = name, .path = path ? path : name};
    if (!store_begin(&e->store) || !add_file(e, in, &f, &status)) status = store_failure(e);
    free(path);
    return status;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct export e = {0};
    for (int id; (id = command_option(self, argc, argv)) != -1;) {
        if (id == 'o') e.database = optarg;
        e.again |= id == 'a';
    }
    if (e.database && (!*e.database || strcmp(e.database, ":memory:") == 0)) /* SQLite's, which do not last */
        return command_misused(self, "-o \"%s\": needs the name of a file", e.database);
    if (!e.database)
        return command_misused(self, "-o with the database's name is missing, as in -o results.sqlite");
    if (optind == argc) return command_misused(self, "no file is named");
    const bool open = store_open(&e.store, e.database);
    const int status = open ? command_files(self, argc - optind, argv + optind, export_file, &e)
                            : command_failed(self, STATUS_USAGE, "%s: %s", e.database, store_why(&e.store));
    store_close(&e.store);
    return status;
}

static const struct command_option options[] = {
    {'o', "output", "DATABASE", "the database; it is made where there is none"},
    {'a', "again", NULL, "put files in anew: what came from a file of the same name before goes"},
    {0},
};

const struct command command_export = {
    .name = "export",
    .summary = "add captures to a SQLite database",
    .arguments = "FILE...",
    .about = "Adds captures to a SQLite database, where the results of many machines or of many versions of "
             "a program are asked questions. - is standard input.\n\n"
             "A type of record is a table of that name. Lists of objects have a table of their own "
             "(cpu_caches); lists of values and free parameters are columns with JSON, for json_each() and "
             "->>. The tables file, session, fault and field say where the rows come from, what was damaged, "
             "and what the columns mean. Each file is added as a whole or not at all. A file that is there "
             "already and has not changed is not added again.",
    .options = options,
    .statuses = "0 all is added or was there, 1 a capture is damaged or incomplete (what was good is added), "
                "2 wrong usage, an unreadable file or no database of anechoic's, 4 the database or the "
                "output cannot be written.",
    .run = run,
};
