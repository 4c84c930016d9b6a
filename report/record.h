/* Records: the only form of the kernel's output.
 *
 * A record is built field by field and then emitted; the session numbers it, renders it as a JSON line and as
 * text for people (one source, two faces) and hands both to the sinks. Schema: docs/records.md.
 */
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_MAX_BYTES  4096 /* one rendered JSON line, without the newline */
#define RECORD_MAX_FIELDS 320
#define RECORD_SCHEMA     1 /* "schema" of the boot record; a change that breaks readers raises it */

enum field_type {
    FIELD_INT,
    FIELD_UINT,
    FIELD_REAL,
    FIELD_STR,
    FIELD_BOOL,
    FIELD_OPEN_OBJECT,
    FIELD_OPEN_ARRAY,
    FIELD_CLOSE
};

struct field {
    enum field_type type;
    const char *key; /* NULL inside arrays and for FIELD_CLOSE; must outlive the record (a literal) */
    union {
        int64_t i;
        uint64_t u;
        double d;
        bool b;
        const char *s; /* points into the record's own copy */
    };
};

struct record {
    const char *type; /* "boot", "cpu", "result", ... */
    unsigned n;
    bool timed;        /* the next field comes from a clock */
    unsigned withheld; /* number of open lists and objects that are left out */
    bool overflow; /* a field or a string did not fit: record_emit() then reports the loss as an error record
                    */
    struct field f[RECORD_MAX_FIELDS];
    char text[RECORD_MAX_BYTES];
    size_t text_used;
};

/* false: this session runs on the PMU model, whose clock does not belong to a processor. Fields that come
 * from a clock (TIMED in report/schema.def) are then left out of all records that follow, whoever puts them
 * there. At first: true. */
void records_have_clocks(bool have);
bool record_has_clocks(void);

/* true: this session is a Linux process, whose numbers have Linux' work in them. Each list `flags` then
 * begins with "hosted", whoever opens it. */
void records_hosted(bool are);

/* Start a record of this type. There is one scratch record: emit it before starting the next. */
struct record *record_new(const char *type);

void rec_int(struct record *r, const char *key, int64_t v);
void rec_uint(struct record *r, const char *key, uint64_t v);
void rec_real(struct record *r, const char *key, double v); /* NaN and infinities become JSON null */
/* An integer where v is whole and a double holds it exactly, up to 2^53; else a real. */
void rec_number_value(struct record *r, const char *key, double v);
void rec_bool(struct record *r, const char *key, bool v);
void rec_str(struct record *r, const char *key, const char *s);
void rec_strf(struct record *r, const char *key, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void rec_vstrf(struct record *r, const char *key, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));
void rec_hex(struct record *r, const char *key, uint64_t v); /* a string: "0x1f" */
/* The longest prefix of s that takes at most json_bytes in the rendered line (escapes take 2 or 6); false: it
 * was shortened. */
bool rec_str_fit(struct record *r, const char *key, const char *s, size_t json_bytes);
void rec_object(struct record *r, const char *key); /* opens; close with rec_close() */
void rec_array(struct record *r, const char *key);
void rec_close(struct record *r);
/* The next field, with all in it, comes from a clock (report/put.h calls this). */
static inline void rec_timed(struct record *r) { r->timed = true; }

/* Look a top-level field up by key (fields of nested objects are not seen); NULL where absent. */
const struct field *rec_find(const struct record *r, const char *key);
/* The value as text/number with a fallback, for renderers. rec_number accepts INT, UINT, REAL and BOOL. */
const char *rec_text(const struct record *r, const char *key, const char *fallback);
double rec_number(const struct record *r, const char *key, double fallback);
/* A number that is a whole one from 0 to 2^32 - 1, as a capture's may not be; else 0. */
uint32_t natural_number(double v);
double field_number(const struct field *f, double fallback); /* the same for a given field; f may be NULL */

/* ---- rendering (report/json.c, report/text.c) ---- */

/* One JSON line: {"n":N,"t":"TYPE",fields...,"crc":"xxxxxxxx"}, without the newline. Returns its length, or 0
 * if it would exceed cap (NUL included) or opening and closing fields do not match. Integers beyond +-2^53,
 * which a double may not hold exactly, become strings; reals have twelve significant digits and always a
 * point or exponent. The CRC is CRC-32 (IEEE) from '{' to before ,"crc". */
size_t json_render(const struct record *r, unsigned n, char *buf, size_t cap);

/* The text face of a record, through put(), one call per line (line without newline). A type that has no text
 * face (e.g. "reps") prints nothing. Table headings are printed when a table begins. */
void text_render(const struct record *r, void (*put)(const char *line));

/* ---- session (report/session.c) ---- */

/* The sinks of lines. Either may be NULL: that output is off. */
struct session_sinks {
    void (*record_line)(const char *line, size_t len); /* a JSON line without newline */
    void (*text_line)(const char *line);               /* a line of text without newline */
};
void session_begin(const struct session_sinks *sinks);    /* numbering starts at 0 */
void session_redirect(const struct session_sinks *sinks); /* numbering continues */
void record_emit(struct record *r);
void session_pause(
    void); /* the monitor's prompt comes: text that waits for other records is printed, tables end */
void session_end(int status);   /* the "end" record: records (itself included), status */
unsigned session_errors(void);  /* error records emitted so far */
unsigned session_records(void); /* all of them */

/* Shorthands. Both emit at once. */
void report_error(const char *what, const char *fmt, ...)
    __attribute__((format(printf, 2, 3))); /* {"t":"error","what":...,"message":...} */
void report_note(const char *what, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
