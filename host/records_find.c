#define _GNU_SOURCE /* memmem() */
#include "host/records_find.h"
#include "kernel/crc32.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char number[] = "{\"n\":", type[] = ",\"t\":\"", crc_key[] = ",\"crc\":\"";
#define LENGTH(text) (sizeof(text) - 1)

/* ---- what belongs to the terminal ---- */

/* ECMA-48: ESC [ parameters letter; ESC ] and the like up to BEL or ESC \; ESC ( B. Comes to its length. */
static size_t escape_length(const char *at, const char *end)
{
    const char *p = at + 1;
    if (p == end) return 1;
    if (*p == '[') {
        for (p++; p < end && *p >= ' ' && *p < '@';) p++;
        return (size_t)(p - at) + (p < end);
    }
    if (strchr("]P^_X", *p)) {
        while (p < end && *p != '\a' && *p != 033) p++;
        if (p < end && *p == 033 && p + 1 < end) p++;
        return (size_t)(p - at) + (p < end);
    }
    while (p < end && *p >= ' ' && *p < '0') p++;
    return (size_t)(p - at) + (p < end);
}

/* Past what prints nothing: escape sequences, byte order marks and controls. blanks: past these as well. */
static const char *skip(const char *at, const char *end, bool blanks)
{
    while (at < end) {
        const unsigned char c = (unsigned char)*at;
        if (c == 033)
            at += escape_length(at, end);
        else if (end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
            at += 3;
        else if (end - at >= 2 && (memcmp(at, "\xff\xfe", 2) == 0 || memcmp(at, "\xfe\xff", 2) == 0))
            at += 2;
        else if ((c < ' ' && c != '\t') || c == 0x7f || (blanks && (c == ' ' || c == '\t')))
            at++;
        else
            break;
    }
    return at;
}

bool piece_is_blank(const char *text, size_t len) { return skip(text, text + len, true) == text + len; }

/* ---- where records begin and end ---- */

/* Does a record begin here? *cut: the line ends before this is certain. */
static bool is_head(const char *at, const char *end, bool *cut)
{
    const char *p = at + LENGTH(number);
    *cut = false;
    while (p < end && *p >= '0' && *p <= '9') p++;
    if (p == at + LENGTH(number) && p < end) return false;
    const size_t left = (size_t)(end - p), wanted = left < LENGTH(type) ? left : LENGTH(type);
    *cut = left < LENGTH(type);
    return memcmp(p, type, wanted) == 0;
}

/* "params":{"n":5} is inside of a record. */
static bool is_value(const char *at, const char *begin)
{
    return at - begin >= 2 && at[-1] == ':' && at[-2] == '"';
}

/* The next beginning of a record from `from` on; NULL if none. */
static const char *next_head(const char *from, const char *end, const char *begin)
{
    bool cut;
    while (from < end && (from = memmem(from, (size_t)(end - from), number, LENGTH(number)))) {
        if (!is_value(from, begin) && is_head(from, end, &cut)) return from;
        from++;
    }
    return NULL;
}

const char *piece_tail(const char *from, const char *end)
{
    while (from < end && (from = memmem(from, (size_t)(end - from), crc_key, LENGTH(crc_key)))) {
        if (end - from >= RECORD_TAIL && memcmp(from + RECORD_TAIL - 2, "\"}", 2) == 0) return from;
        from++;
    }
    return NULL;
}

/* A record that begins at `from` and ends before `end`, with the CRC that it says; else up to its last CRC.
 */
static struct piece between(const char *from, const char *end)
{
    struct piece p = {PIECE_OPEN, from, (size_t)(end - from), 0};
    char want[RECORD_TAIL - RECORD_TAIL_KEY + 1];
    const char *done = from;
    for (const char *tail = from; (tail = piece_tail(tail, end)); tail++) {
        p.crc = crc32(p.crc, done, (size_t)(tail - done));
        done = tail;
        snprintf(want, sizeof want, "%08" PRIx32 "\"}", p.crc);
        p.kind = memcmp(tail + RECORD_TAIL_KEY, want, sizeof want - 1) == 0 ? PIECE_RECORD : PIECE_DAMAGED;
        p.len = (size_t)(tail - from) + RECORD_TAIL;
        if (p.kind == PIECE_RECORD) break;
    }
    return p;
}

/* ---- pieces ---- */

/* Ends it in a CRC that no text has by chance? "xxxxxxxx" of a manual is none. */
static bool ends_in_digits(const struct piece *p)
{
    const char *crc = p->bytes + p->len - RECORD_TAIL + RECORD_TAIL_KEY;
    return strspn(crc, "0123456789abcdef") == 8;
}

/* No record begins in it as it should: is it what is left of one? */
static struct piece headless(const char *line, const char *end, bool begins, bool ends)
{
    const char *first = begins ? skip(line, end, false) : line;
    const bool brace = begins && ends && first < end && *first == '{';
    struct piece p = between(brace ? first : line, end);
    if (brace && p.kind != PIECE_OPEN) return p;
    if (!brace && p.kind != PIECE_OPEN && ends_in_digits(&p)) {
        p.kind = PIECE_DAMAGED; /* even if by chance this is the CRC of what is left */
        return p;
    }
    return (struct piece){brace ? PIECE_DAMAGED : PIECE_TEXT, p.bytes, (size_t)(end - p.bytes), 0};
}

struct piece piece_first(const char *line, size_t len, bool begins)
{
    const char *end = line + len, *head = next_head(line, end, line);
    if (!len) return (struct piece){PIECE_NONE, line, 0, 0};
    if (head != line) return headless(line, head ? head : end, begins, !head);
    const char *next = next_head(line + 1, end, line);
    struct piece p = between(line, next ? next : end);
    if (p.kind == PIECE_OPEN && next) p.kind = PIECE_DAMAGED;
    return p;
}

bool piece_continues(const char *line, size_t len)
{
    return !next_head(line, line + len, line) && between(line, line + len).kind == PIECE_OPEN;
}

unsigned piece_records(const char *line, size_t len)
{
    unsigned n = 0;
    const char *end = line + len;
    struct piece p = piece_first(line, len, true);
    for (; p.kind != PIECE_NONE; p = piece_first(p.bytes + p.len, (size_t)(end - p.bytes) - p.len, false))
        n += p.kind == PIECE_RECORD;
    return n;
}

size_t piece_clean(char *to, const char *from, size_t len)
{
    size_t n = 0;
    const char *end = from + len;
    while ((from = skip(from, end, false)) < end) to[n++] = *from++;
    return n;
}

struct piece piece_record(const char *line, size_t len)
{
    while (len && (line[len - 1] == '\n' || line[len - 1] == '\r')) len--;
    struct piece p = piece_first(line, len, true);
    while (p.kind == PIECE_TEXT) {
        len -= (size_t)(p.bytes + p.len - line);
        line = p.bytes + p.len;
        p = piece_first(line, len, false);
    }
    return p;
}
