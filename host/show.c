/* anechoic show: the kernel's tables, printed again from the records, or the records in another program's
 * form. */
#include "host/show.h"
#include "host/command.h"
#include "host/escape.h"
#include "host/faults.h"
#include "host/lines.h"
#include "host/section.h"
#include "host/show_lines.h"
#include "host/to_record.h"
#include "report/text.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define FORMATS "text|csv|json|ktap|p5mon"

struct show {
    const struct format *format;
    struct faults faults;   /* of the capture */
    struct section section; /* --mark; .name NULL: all is shown */
    unsigned long session;  /* that is being read */
    struct show_rows rows;
    struct show_p5mon p5mon;
    struct show_lines lines;
};

/* ---- formats ---- */

static void put(const char *line)
{
    escape_print(stdout, line, strlen(line));
    putchar('\n');
}

static void text_capture(struct show *s)
{
    show_lines_end(&s->lines);
    text_begin();
}
static void text_record(struct show *s, const struct received *r)
{
    text_render(to_record(r->object), put);
    show_lines_record(&s->lines, r->object, r->type, s->faults.name, put);
}

static void rows_record(struct show *s, const struct received *r)
{
    show_rows_record(&s->rows, r->object, r->type);
}
static void rows_begin(struct show *s) { show_rows_begin(&s->rows); }
static void rows_capture(struct show *s) { show_rows_file(&s->rows, s->faults.name); }
static void rows_session(struct show *s, const struct session_seen *seen)
{
    (void)seen;
    show_rows_next(&s->rows);
}
static void ktap_session(struct show *s, const struct session_seen *seen)
{
    rows_session(s, seen);
    show_rows_session(&s->rows, s->faults.name, seen);
}
static void ktap_over(struct show *s) { show_rows_capture(&s->rows, s->faults.name, s->faults.n); }
static bool csv_end(struct show *s) { return show_rows_end(&s->rows, TABLE_CSV, stdout); }
static bool json_end(struct show *s) { return show_rows_end(&s->rows, TABLE_JSON, stdout); }
static bool ktap_end(struct show *s) { return show_rows_end(&s->rows, TABLE_KTAP, stdout); }

static void p5mon_begin(struct show *s) { show_p5mon_begin(&s->p5mon, stdout); }
static void p5mon_record(struct show *s, const struct received *r)
{
    show_p5mon_record(&s->p5mon, r->object, r->type);
}
static void p5mon_session(struct show *s, const struct session_seen *seen)
{
    (void)seen;
    show_p5mon_flush(&s->p5mon);
}
static bool p5mon_end(struct show *s)
{
    show_p5mon_end(&s->p5mon);
    return true;
}

/* Each may be NULL but for record. */
static const struct format {
    const char *name;
    void (*begin)(struct show *s);
    void (*capture)(struct show *s); /* another one begins */
    void (*record)(struct show *s, const struct received *r);
    void (*session)(struct show *s, const struct session_seen *seen);
    void (*over)(struct show *s); /* the capture is */
    bool (*end)(struct show *s);  /* false: no memory for what was held back */
} formats[] = {
    {"text", NULL, text_capture, text_record, NULL, NULL, NULL},
    {"csv", rows_begin, rows_capture, rows_record, rows_session, NULL, csv_end},
    {"json", rows_begin, rows_capture, rows_record, rows_session, NULL, json_end},
    {"ktap", rows_begin, rows_capture, rows_record, ktap_session, ktap_over, ktap_end},
    {"p5mon", p5mon_begin, NULL, p5mon_record, p5mon_session, NULL, p5mon_end},
};

static const struct format *format_named(const char *name)
{
    for (const struct format *f = formats; f < formats + sizeof formats / sizeof *formats; f++)
        if (strcmp(name, f->name) == 0) return f;
    return NULL;
}

/* ---- captures ---- */

/* What says which machine it was is shown with each section. */
static bool is_shown(const struct show *s, const struct received *r)
{
    if (!s->section.name || section_has(&s->section, s->session, r->n)) return true;
    return s->session == s->section.session && (strcmp(r->type, "boot") == 0 || strcmp(r->type, "cpu") == 0);
}

static void record(void *ctx, const struct received *r)
{
    struct show *s = ctx;
    if (is_shown(s, r)) s->format->record(s, r);
}

static void session(void *ctx, const struct session_seen *seen)
{
    struct show *s = ctx;
    s->session = seen->number + 1;
    if (s->format->session) s->format->session(s, seen);
}

static void fault(void *ctx, const struct fault *f)
{
    struct show *s = ctx;
    faults_add(&s->faults, f);
}

static int show(void *ctx, const char *name, FILE *in)
{
    struct show *s = ctx;
    const struct records_sink sink = {.record = record, .fault = fault, .session = session, .ctx = s};
    s->faults = (struct faults){.name = name};
    s->session = 1;
    if (s->section.name && !section_find(in, &s->section))
        return command_failed(&command_show, STATUS_USAGE,
                              "%s: --mark reads it twice, which a pipe does not allow", name);
    if (s->section.name && !s->section.session)
        return command_failed(&command_show, STATUS_USAGE, "%s: no section is marked \"%s\"; valid: %s", name,
                              s->section.name, s->section.others[0] ? s->section.others : "none is marked");
    if (s->format->capture) s->format->capture(s);
    if (!records_read(in, &sink))
        return command_failed(&command_show, STATUS_USAGE, "%s: %s", name, strerror(errno));
    if (s->format->over) s->format->over(s);
    if (!s->faults.n) return STATUS_GOOD;
    return command_failed(&command_show, STATUS_FOUND, "%s: %lu fault%s; what was good is shown", name,
                          s->faults.n, s->faults.n == 1 ? "" : "s");
}

static int run(const struct command *self, int argc, char **argv)
{
    struct show s = {.format = formats};
    for (int id; (id = command_option(self, argc, argv)) != -1;) {
        if (id == 'd' && !lines_debug(optarg)) return command_misused(self, "--debug is given too often");
        if (id == 'm') s.section.name = optarg;
        if (id != 'f') continue;
        s.format = format_named(optarg);
        if (!s.format) return command_misused(self, "--format: \"%s\" is none of " FORMATS, optarg);
    }
    if (optind == argc) return command_misused(self, "no file is named");
    if (s.format->begin) s.format->begin(&s);
    const int status = command_files(self, argc - optind, argv + optind, show, &s);
    show_lines_end(&s.lines);
    if (s.format->end && !s.format->end(&s)) return command_failed(self, STATUS_IMPOSSIBLE, "no memory left");
    return status;
}

static const struct command_option options[] = {
    {'f', "format", "NAME", FORMATS " (default text)"},
    {'d', "debug", "FILE",
     "debug information of a program of your own, or a directory in which NAME.mod.debug is (default: beside "
     "the capture, "
     "then the current directory); may be repeated"},
    {'m', "mark", "NAME", "only the section of the session that `mark NAME` named at the prompt"},
    {0},
};

const struct command command_show = {
    .name = "show",
    .summary = "print a capture's results",
    .arguments = "FILE...",
    .about =
        "Prints the kernel's tables from the records of captures. - is standard input.\n\n"
        "--format csv and json: a row for each result, region, truth row, relation and error; the last "
        "columns "
        "say of which file, machine and session. ktap: "
        "each of them a test. A measurement that came about is ok, a truth row if it agrees; a truth row "
        "that differs, a failed benchmark, a session that did not end well and a damaged capture are not "
        "ok; what this CPU or model lacks is skipped. p5mon: the results file of run_p5mon, its report in "
        "comments, with each repetition if the capture has them (all=1). What is known between two bounds "
        "only is a comment.",
    .options = options,
    .statuses = "0 all is shown, 1 a capture is damaged or incomplete, 2 wrong usage or an unreadable file, "
                "4 the output cannot be written.",
    .run = run,
};
