/* The session: numbers records and hands both faces to the sinks. */
#include <stdarg.h>
#include <string.h>

#include "report/put.h"
#include "report/text.h"

/* ---- private ---- */

static struct session_sinks sink;
static unsigned next_n, errors;
static char line[RECORD_MAX_BYTES + 1];

/* ---- public ---- */

void session_begin(const struct session_sinks *sinks)
{
    sink = *sinks;
    next_n = errors = 0;
    text_begin();
}

void session_redirect(const struct session_sinks *sinks) { sink = *sinks; }

void record_emit(struct record *r)
{
    /* Rendered even if records are off, so that a record that does not fit is reported in any case. */
    size_t len = r->overflow ? 0 : json_render(r, next_n, line, sizeof line);
    if (len == 0) {
        const char *lost = r->type;
        r = NEW(error);
        PUT(r, error, what, "record");
        PUTF(r, error, message, "a record of type %s was lost: over %d bytes or %d fields, or badly nested",
             lost, RECORD_MAX_BYTES, RECORD_MAX_FIELDS);
        len = json_render(r, next_n, line, sizeof line);
    }
    next_n++;
    if (strcmp(r->type, "error") == 0) errors++;
    if (sink.record_line) sink.record_line(line, len);
    if (sink.text_line) text_render(r, sink.text_line);
}

void session_pause(void)
{
    if (sink.text_line)
        text_finish(sink.text_line);
    else
        text_begin();
}

void session_end(int status)
{
    struct record *r = NEW(end);
    PUT(r, end, records, next_n + 1u);
    PUT(r, end, status, status);
    record_emit(r);
}

unsigned session_errors(void) { return errors; }
unsigned session_records(void) { return next_n; }

void report_error(const char *what, const char *fmt, ...)
{
    struct record *r = NEW(error);
    va_list ap;
    va_start(ap, fmt);
    PUT(r, error, what, what);
    rec_vstrf(r, TEXT_KEY(error, message), fmt, ap);
    va_end(ap);
    record_emit(r);
}

void report_note(const char *what, const char *fmt, ...)
{
    struct record *r = NEW(note);
    va_list ap;
    va_start(ap, fmt);
    PUT(r, note, what, what);
    rec_vstrf(r, TEXT_KEY(note, message), fmt, ap);
    va_end(ap);
    record_emit(r);
}
