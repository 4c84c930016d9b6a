#include "host/records.h"
#include "host/fields.h"
#include "host/records_fault.h"
#include "host/records_find.h"
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

/* What is left of one. Most likely it is the one that was due. */
static void damaged(struct records *r, const char *bytes, size_t len)
{
    const long long n = r->session.next;
    const char *tail = len < RECORD_TAIL ? NULL : piece_tail(bytes + len - RECORD_TAIL, bytes + len);
    if (len > RECORD_MAX_BYTES) records_fault(r, DAMAGE_LONG, n, n, "record %lld: %zu bytes long", n, len);
    if (tail)
        records_fault(r, DAMAGE_CRC, n, n, "record %lld: damaged: its CRC says %.8s, its bytes %08" PRIx32, n,
                      tail + RECORD_TAIL_KEY, crc32(0, bytes, len - RECORD_TAIL));
    else
        records_fault(r, DAMAGE_CUT, n, n, "record %lld: does not end in a CRC (cut short?)", n);
    if (!r->session.number && !r->sink->stretch) begin_session(r);
    r->session.next++;
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
    return len > RECORD_TAIL ? line + len - RECORD_TAIL + RECORD_TAIL_KEY : NULL;
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

/* The last record again, in the same line: no machine boots or ends within a line. */
static bool came_just_now(struct records *r, const struct received *v)
{
    return r->session.received && r->last_line == r->line && v->n == r->session.next - 1 &&
           repeats_judge(&r->came, v->n, v->crc) == REPEAT_SAME;
}

static void take(struct records *r, struct received *v)
{
    const bool boot = v->n == 0 && strcmp(v->type, "boot") == 0;
    const bool first = boot && !records_boots_again(r, v->bytes, v->len) && !came_just_now(r, v);
    if (!r->session.number || (first && (r->session.ended || r->session.next > 0))) {
        end_session(r);
        begin_session(r);
        if (r->sink->stretch) r->session.next = v->n;
    } else if (r->session.ended && !came_just_now(r, v)) {
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
    r->last_line = r->line;
    remember(r, v);
    if (r->sink->record) r->sink->record(r->sink->ctx, v);
    if (strcmp(v->type, "reduced") == 0)
        r->left_out += json_integer_value(json_object_get(v->object, "left_out"));
    if (strcmp(v->type, "end") == 0) check_end(r, v);
}

/* Its CRC holds. */
static void record(struct records *r, const struct piece *p)
{
    struct received v = {.bytes = p->bytes, .len = p->len, .crc = p->crc};
    const long long due = r->session.next;
    json_error_t error;
    if (v.len > RECORD_MAX_BYTES)
        records_fault(r, DAMAGE_LONG, due, due, "record %lld: %zu bytes long", due, v.len);
    if (!is_ascii(r, v.bytes, v.len)) {
        if (!r->session.number && !r->sink->stretch) begin_session(r);
        r->session.next++;
        return;
    }
    v.object = json_loadb(v.bytes, v.len, JSON_REJECT_DUPLICATES, &error);
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

/* Of what a terminal prints before each line: the same for every time. */
static uint32_t shape(const char *text, size_t len)
{
    uint32_t hash = 2166136261U; /* FNV-1a */
    char last = 0;
    for (size_t i = 0; i < len; i++) {
        const char c = text[i] >= '0' && text[i] <= '9' ? '0' : text[i];
        if (c != ' ' && (c != '0' || last != '0')) hash = (hash ^ (unsigned char)c) * 16777619U;
        last = c;
    }
    return hash;
}

/* Beside a record: a time stamp is shown once, not before each record. "{" of a record that began twice would
 * be a damaged one in a line of its own. */
static void text_beside(struct records *r, const char *text, size_t len, bool before)
{
    if (!r->sink->text || piece_is_blank(text, len)) return;
    if (piece_record(text, len).kind != PIECE_NONE) return;
    const uint32_t is = shape(text, len);
    if (before && is == r->stamp) return;
    if (before) r->stamp = is;
    r->sink->text(r->sink->ctx, text, len);
}

static bool keep_open(struct records *r, const char *bytes, size_t len, char end)
{
    if (r->n_open + len + 1 > sizeof r->open) return false;
    memcpy(r->open + r->n_open, bytes, len);
    r->n_open += len;
    r->open[r->n_open++] = end;
    return true;
}

/* A line, or a part of one that ends in CR. A serial line breaks no records in two, nor does it let them
 * wait. */
static void pieces(struct records *r, const char *bytes, size_t len, char end)
{
    struct piece p = piece_first(bytes, len, true);
    if ((p.kind == PIECE_NONE && end == '\n') || (p.kind == PIECE_TEXT && p.len == len)) {
        if (r->sink->text) r->sink->text(r->sink->ctx, bytes, len);
        return;
    }
    for (const char *at = bytes, *stop = bytes + len; p.kind != PIECE_NONE;) {
        at = p.bytes + p.len;
        if (p.kind == PIECE_TEXT)
            text_beside(r, p.bytes, p.len, at < stop);
        else if (p.kind == PIECE_RECORD)
            record(r, &p);
        else if (p.kind == PIECE_OPEN && (end == '\r' || !r->sink->live) &&
                 keep_open(r, p.bytes, p.len, end)) {
            r->open_line = r->line;
            r->open_indent = (size_t)(p.bytes - bytes);
            r->open_stamp = shape(bytes, r->open_indent);
        } else
            damaged(r, p.bytes, p.len);
        p = piece_first(at, (size_t)(stop - at), false);
    }
}

/* A record was cut, and what came after it is not the rest. */
static void close_open(struct records *r)
{
    const unsigned long line = r->line;
    const char *at = r->open, *stop = r->open + r->n_open;
    if (at < stop) r->line = r->open_line;
    for (bool first = true; at < stop; first = false) {
        const char *end = at;
        while (*end != '\n' && *end != '\r') end++;
        if (first)
            damaged(r, at, (size_t)(end - at));
        else if (end > at || *end == '\n')
            pieces(r, at, (size_t)(end - at), *end);
        r->line += *end == '\n';
        at = end + 1;
    }
    r->n_open = 0;
    r->line = line;
}

/* Does the record that is open end here? A terminal may have put escape sequences where it broke it. */
static bool ends_open(struct records *r, const char *bytes, size_t len)
{
    char whole[sizeof r->open];
    size_t n = 0;
    if (r->n_open + len > sizeof whole) return false;
    for (size_t i = 0; i < r->n_open; i++)
        if (r->open[i] != '\n' && r->open[i] != '\r') whole[n++] = r->open[i];
    memcpy(whole + n, bytes, len);
    n += len;
    struct piece p = piece_first(whole, n, true);
    if (p.kind != PIECE_RECORD) p = piece_first(whole, n = piece_clean(whole, whole, n), true);
    if (p.kind != PIECE_RECORD) return false;
    const unsigned long line = r->line;
    r->line = r->open_line;
    r->n_open = 0;
    record(r, &p);
    r->line = line;
    text_beside(r, whole + p.len, n - p.len, false);
    return true;
}

/* What a program put before each line, it put before the lines of a broken record as well. */
static size_t indent_of(const struct records *r, const char *bytes, size_t len)
{
    const size_t n = r->open_indent;
    return n && n <= len && shape(bytes, n) == r->open_stamp ? n : 0;
}

/* Escape sequences inside of a record, such as colours of what was searched for. */
static bool cleaned(struct records *r, const char *bytes, size_t len, char end)
{
    char *copy = memchr(bytes, 033, len) ? malloc(len) : NULL;
    const size_t n = copy ? piece_clean(copy, bytes, len) : 0;
    const bool better = n && piece_records(copy, n) > piece_records(bytes, len);
    if (better) pieces(r, copy, n, end);
    free(copy);
    return better;
}

static void part(struct records *r, const char *bytes, size_t len, char end)
{
    if (r->n_open) {
        const size_t indent = indent_of(r, bytes, len);
        const char *rest = bytes + indent;
        if (ends_open(r, rest, len - indent)) return;
        if (piece_continues(rest, len - indent) && (end == '\r' || !r->sink->live) &&
            keep_open(r, rest, len - indent, end))
            return;
        close_open(r);
    }
    if (!cleaned(r, bytes, len, end)) pieces(r, bytes, len, end);
}

/* The parts that end in CR. Comes to where the last one begins, which has none. */
static size_t parts(struct records *r, const char *bytes, size_t len)
{
    const char *at = bytes, *cr;
    while ((cr = memchr(at, '\r', len - (size_t)(at - bytes)))) {
        part(r, at, (size_t)(cr - at), '\r');
        at = cr + 1;
    }
    return (size_t)(at - bytes);
}

static void line(struct records *r, const char *bytes, size_t len)
{
    r->line += !r->in_line;
    r->in_line = false;
    while (len && (bytes[len - 1] == '\n' || bytes[len - 1] == '\r')) len--;
    const size_t done = parts(r, bytes, len);
    part(r, bytes + done, len - done, '\n');
}

/* No room for more of a line: its parts up to the last CR go, or all of it is passed over. */
static void make_room(struct records *r)
{
    const long long due = r->session.next;
    r->line += !r->in_line;
    r->in_line = true;
    const size_t done = parts(r, r->held, r->n_held);
    if (!done) {
        records_fault(r, DAMAGE_LONG, due, due, "a line of more than %d bytes", LINE_MAX_BYTES);
        r->too_long = true;
        r->n_held = 0;
    }
    memmove(r->held, r->held + done, r->n_held -= done);
}

/* A part of a line, until its end comes. */
static bool hold(struct records *r, const char *bytes, size_t n)
{
    while (!r->too_long && r->n_held + n > LINE_MAX_BYTES) {
        const size_t fits = LINE_MAX_BYTES - r->n_held;
        if (!hold(r, bytes, fits)) return false;
        bytes += fits;
        n -= fits;
        make_room(r);
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

/* Bytes without NULs. */
static bool feed(struct records *r, const char *bytes, size_t n)
{
    while (n) {
        const char *end = memchr(bytes, '\n', n);
        const size_t part = end ? (size_t)(end - bytes) + 1 : n;
        if (!end || r->n_held || r->too_long) {
            if (!hold(r, bytes, part)) return false;
            if (end && !r->too_long) line(r, r->held, r->n_held);
            if (end) r->n_held = r->too_long = r->in_line = 0;
        } else
            line(r, bytes, part);
        bytes += part;
        n -= part;
    }
    return true;
}

/* Of what packs logs; a serial line may begin with any noise. */
static void check_packed(struct records *r, const char *bytes, size_t n)
{
    static const struct {
        const char *magic, *program;
    } packed[] = {{"\x1f\x8b\x08", "gzip"},
                  {"\xfd"
                   "7zXZ",
                   "xz"},
                  {"\x28\xb5\x2f\xfd", "zstd"},
                  {"BZh", "bzip2"}};
    if (r->sink->live || r->n_begins == sizeof r->begins) return;
    while (n-- && r->n_begins < sizeof r->begins) r->begins[r->n_begins++] = (unsigned char)*bytes++;
    if (r->n_begins < sizeof r->begins) return;
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (memcmp(r->begins, packed[i].magic, strlen(packed[i].magic)) == 0)
            records_fault(r, DAMAGE_NOTHING, 0, 0, "compressed: unpack it with %s -d", packed[i].program);
}

/* ---- public ---- */

void records_begin(struct records *r, const struct records_sink *sink)
{
    *r = (struct records){.sink = sink};
}

/* A NUL is noise, or half of a character of UTF-16, of which the other half is ASCII. */
bool records_feed(struct records *r, const char *bytes, size_t n)
{
    check_packed(r, bytes, n);
    while (n) {
        const char *nul = memchr(bytes, '\0', n);
        const size_t part = nul ? (size_t)(nul - bytes) : n;
        if (!feed(r, bytes, part)) return false;
        bytes += part + (nul != NULL);
        n -= part + (nul != NULL);
    }
    return true;
}

void records_finish(struct records *r)
{
    if (r->n_held) line(r, r->held, r->n_held);
    close_open(r);
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
