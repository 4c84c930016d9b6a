#include "host/records.h"
#include "host/fields.h"
#include "host/records_fault.h"
#include "kernel/crc32.h"
#include "report/record.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Text for people may be longer than a record; what is longer still has lost its line ends. */
#define LINE_MAX_BYTES (64 * 1024)
#define READ_BYTES     (64 * 1024)

/* ---- sessions ---- */

static void end_session(struct records *r)
{
    struct session_seen *s = &r->session;
    if (!s->number) return;
    if (!s->ended && !r->sink->stretch)
        records_fault(r, DAMAGE_NO_END, s->next, s->next, "no \"end\": the capture stops after record %lld",
                      s->next - 1);
    if (r->left_out && !r->faulty && r->missing == r->left_out) {
        s->left_out = r->left_out;
        records_forget_gaps(r);
    }
    records_tell_gaps(r);
    repeats_free(&r->came);
    r->first_crc[0] = '\0';
    r->missing = r->left_out = 0;
    r->faulty = false; /* of the next one, which may begin with a fault */
    if (r->sink->session) r->sink->session(r->sink->ctx, s);
}

static void begin_session(struct records *r)
{
    r->session = (struct session_seen){.number = r->session.number + 1, .line = r->line};
}

/* ---- records ---- */

/* The CRC is the last field. */
static const char tail[] = ",\"crc\":\"xxxxxxxx\"}";
enum { TAIL = sizeof tail - 1, KEY = 8 };

static bool crc_right(struct records *r, const char *line, size_t len, uint32_t *is)
{
    const size_t tail_len = TAIL, key_len = KEY;
    const long long n = r->session.next;
    char want[sizeof tail];
    if (len < tail_len || memcmp(line + len - tail_len, tail, key_len) != 0) {
        records_fault(r, DAMAGE_CUT, n, n, "record %lld: does not end in a CRC (cut short?)", n);
        return false;
    }
    const uint32_t crc = *is = crc32(0, line, len - tail_len);
    snprintf(want, sizeof want, ",\"crc\":\"%08" PRIx32 "\"}", crc);
    if (memcmp(line + len - tail_len, want, tail_len) == 0) return true;
    records_fault(r, DAMAGE_CRC, n, n, "record %lld: damaged: its CRC says %.8s, its bytes %08" PRIx32, n,
                  line + len - tail_len + key_len, crc);
    return false;
}

static bool is_ascii(struct records *r, const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!(line[i] & 0x80)) continue;
        records_fault(r, DAMAGE_ASCII, r->session.next, r->session.next,
                      "record %lld: byte %02xh is not ASCII", r->session.next, (unsigned char)line[i]);
        return false;
    }
    return true;
}

/* Does it have the number that is due? What is after that left a gap; what is before may come late. */
static void check_number(struct records *r, const struct received *v, enum repeat repeat)
{
    const long long due = r->session.next, n = v->n;
    if (n > due)
        records_add_gap(r, due, n - 1);
    else if (v->late)
        records_fill_gap(r, n);
    else if (n < due)
        records_fault(r, DAMAGE_ORDER, n, n, "record %lld comes where %lld was due%s", n, due,
                      repeat == REPEAT_OTHER ? ", and is not the one that came before" : "");
}

static const char *crc_of(const char *line, size_t len)
{
    while (len && (line[len - 1] == '\n' || line[len - 1] == '\r')) len--;
    return len > TAIL ? line + len - TAIL + KEY : NULL;
}

static bool has_date(const char *line, size_t len)
{
    static const char key[] = ",\"date\":\"";
    for (size_t at = 0; at + sizeof key - 1 <= len; at++)
        if (memcmp(line + at, key, sizeof key - 1) == 0) return true;
    return false;
}

static void remember(struct records *r, const struct received *v)
{
    repeats_add(&r->came, v->n, v->crc);
    if (v->n == 0 && has_date(v->bytes, v->len))
        memcpy(r->first_crc, crc_of(v->bytes, v->len), sizeof r->first_crc);
}

static void check_end(struct records *r, const struct received *v)
{
    struct session_seen *s = &r->session;
    s->total = json_integer_value(json_object_get(v->object, "records"));
    s->status = json_integer_value(json_object_get(v->object, "status"));
    s->ended = true;
    if (s->total != v->n + 1)
        records_fault(r, DAMAGE_COUNT, v->n, v->n,
                      "record %lld (end): counts %lld records; by its number there are %lld", v->n, s->total,
                      v->n + 1);
}

static void take(struct records *r, struct received *v)
{
    const bool first = v->n == 0 && strcmp(v->type, "boot") == 0 && !records_boots_again(r, v->bytes, v->len);
    if (!r->session.number || (first && (r->session.ended || r->session.next > 0))) {
        end_session(r);
        begin_session(r);
        if (r->sink->stretch) r->session.next = v->n;
    } else if (r->session.ended) {
        records_fault(r, DAMAGE_AFTER_END, v->n, v->n, "record %lld: after \"end\"", v->n);
        return;
    }
    const enum repeat repeat = repeats_judge(&r->came, v->n, v->crc);
    if (repeat == REPEAT_SAME) {
        r->session.repeated++;
        return;
    }
    v->late = repeat == REPEAT_NEW && v->n < r->session.next;
    check_number(r, v, repeat);
    if (!v->late) r->session.next = v->n + 1;
    if (repeat != REPEAT_NEW)
        repeats_rewind(&r->came, v->n); /* most likely of another boot, whose beginning was lost */
    r->session.received++;
    remember(r, v);
    if (r->sink->record) r->sink->record(r->sink->ctx, v);
    if (strcmp(v->type, "reduced") == 0)
        r->left_out += json_integer_value(json_object_get(v->object, "left_out"));
    if (strcmp(v->type, "end") == 0) check_end(r, v);
}

static void record(struct records *r, const char *line, size_t len)
{
    struct received v = {.bytes = line, .len = len};
    const long long due = r->session.next;
    json_error_t error;
    if (len > RECORD_MAX_BYTES)
        records_fault(r, DAMAGE_LONG, due, due, "record %lld: %zu bytes long", due, len);
    if (!crc_right(r, line, len, &v.crc) || !is_ascii(r, line, len)) {
        if (!r->session.number && !r->sink->stretch) begin_session(r);
        r->session.next++; /* most likely the one that was due */
        return;
    }
    v.object = json_loadb(line, len, JSON_REJECT_DUPLICATES, &error);
    v.type = json_string_value(json_object_get(v.object, "t"));
    const json_t *n = json_object_get(v.object, "n");
    if (!v.object)
        records_fault(r, DAMAGE_JSON, due, due, "record %lld: not JSON: %s", due, error.text);
    else if (!v.type || !fields_is_integer(n, false) || !json_is_integer(n))
        records_fault(r, DAMAGE_JSON, due, due, "record %lld: without number or type", due);
    else {
        v.n = json_integer_value(n);
        take(r, &v);
    }
    json_decref(v.object);
}

/* ---- lines ---- */

static void line(struct records *r, const char *bytes, size_t len)
{
    r->line++;
    while (len && (bytes[len - 1] == '\n' || bytes[len - 1] == '\r')) len--;
    if (len && bytes[0] == '{')
        record(r, bytes, len);
    else if (r->sink->text)
        r->sink->text(r->sink->ctx, bytes, len);
}

/* A part of a line, until its end comes. */
static bool hold(struct records *r, const char *bytes, size_t n)
{
    if (r->n_held + n > LINE_MAX_BYTES) {
        const long long due = r->session.next;
        if (!r->too_long) {
            r->line++;
            records_fault(r, DAMAGE_LONG, due, due, "a line of more than %d bytes", LINE_MAX_BYTES);
        }
        r->too_long = true;
        r->n_held = 0;
    }
    if (r->too_long) return true;
    if (r->n_held + n > r->room) {
        const size_t room = r->n_held + n < RECORD_MAX_BYTES ? RECORD_MAX_BYTES : LINE_MAX_BYTES;
        char *more = realloc(r->held, room);
        if (!more) return false;
        r->held = more;
        r->room = room;
    }
    memcpy(r->held + r->n_held, bytes, n);
    r->n_held += n;
    return true;
}

/* ---- public ---- */

void records_begin(struct records *r, const struct records_sink *sink)
{
    *r = (struct records){.sink = sink};
}

bool records_feed(struct records *r, const char *bytes, size_t n)
{
    while (n) {
        const char *end = memchr(bytes, '\n', n);
        const size_t part = end ? (size_t)(end - bytes) + 1 : n;
        if (!end || r->n_held || r->too_long) {
            if (!hold(r, bytes, part)) return false;
            if (end && !r->too_long) line(r, r->held, r->n_held);
            if (end) r->n_held = r->too_long = 0;
        } else
            line(r, bytes, part);
        bytes += part;
        n -= part;
    }
    return true;
}

void records_finish(struct records *r)
{
    if (r->n_held) line(r, r->held, r->n_held);
    if (!r->session.number) records_fault(r, DAMAGE_NOTHING, 0, 0, "no records at all");
    end_session(r);
    free(r->held);
    repeats_free(&r->came);
    records_begin(r, r->sink);
}

bool records_boots_again(const struct records *r, const char *line, size_t len)
{
    const char *crc = crc_of(line, len);
    return r->session.number && !r->session.ended && r->first_crc[0] && crc &&
           memcmp(crc, r->first_crc, sizeof r->first_crc) == 0;
}

bool records_read(FILE *in, const struct records_sink *sink)
{
    struct records r;
    static char bytes[READ_BYTES];
    bool good = true;
    records_begin(&r, sink);
    for (size_t n; good && (n = fread(bytes, 1, sizeof bytes, in)) > 0;) good = records_feed(&r, bytes, n);
    good = good && !ferror(in);
    const int error = errno;
    if (good || r.session.number)
        records_finish(&r);
    else
        free(r.held); /* a directory: that it has no records is not what is wrong */
    errno = error;
    return good;
}
