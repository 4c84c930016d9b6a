/* The session: numbers records and hands both faces to the sinks. */
#include <stdarg.h>
#include <string.h>

#include "kernel/packed.h"
#include "report/record.h"
#include "report/text.h"

/* ---- private ---- */

static struct session_sinks sink;
static unsigned next_n, errors;
static char line[RECORD_MAX_BYTES + 1];

static void emit_message(const char *type, const char *what, const char *fmt, va_list ap)
{
    struct record *r = record_new(type);
    rec_str(r, "what", what);
    rec_vstrf(r, "message", fmt, ap);
    record_emit(r);
}

static void put_text(const char *s)
{
    char room[UNPACK_MAX];
    sink.text_line(unpack(s, room));
}

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
    /* Rendered even where records are off, so that a record that does not fit is told either way. */
    size_t len = r->overflow ? 0 : json_render(r, next_n, line, sizeof line);
    if (len == 0) {
        const char *lost = r->type;
        r = record_new("error");
        rec_str(r, "what", "record");
        rec_strf(r, "message", "a record of type %s was lost: over %d bytes or %d fields, or badly nested",
                 lost, RECORD_MAX_BYTES, RECORD_MAX_FIELDS);
        len = json_render(r, next_n, line, sizeof line);
    }
    next_n++;
    if (strcmp(r->type, "error") == 0) errors++;
    if (sink.record_line) sink.record_line(line, len);
    if (sink.text_line) text_render(r, put_text);
}

void session_end(int status)
{
    struct record *r = record_new("end");
    rec_uint(r, "records", next_n + 1u);
    rec_int(r, "status", status);
    record_emit(r);
}

unsigned session_errors(void) { return errors; }
unsigned session_records(void) { return next_n; }

void report_error(const char *what, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    emit_message("error", what, fmt, ap);
    va_end(ap);
}

void report_note(const char *what, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    emit_message("note", what, fmt, ap);
    va_end(ap);
}
