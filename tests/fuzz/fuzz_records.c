/* libFuzzer: captures, as `anechoic check` and `show` read them. The first byte is how long the pieces are in
 * which the rest arrives; odd: what a line has from its first '{' on gets the CRC that fits, so that what
 * lies behind the CRC is reached. Whatever arrives, the reader ends, comes to the same however it is cut,
 * prints nothing wider than a line, and takes for text what it would take for text again.
 */
#include "host/fields.h"
#include "host/records.h"
#include "host/records_find.h"
#include "host/to_record.h"
#include "kernel/crc32.h"
#include "report/text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct seen {
    unsigned long records, faults, sessions, lines, again;
    bool show;
};

static void put(const char *line)
{
    if (strlen(line) > TEXT_COLUMNS) abort();
}

static void field_fault(void *ctx, const char *what)
{
    struct seen *s = ctx;
    s->faults += what[0] != '\0';
}

static void record(void *ctx, const struct received *r)
{
    struct seen *s = ctx;
    const struct fields_check fields = {true, s->records % 2, field_fault, s};
    s->records++;
    fields_check(&fields, r->object, "record");
    if (s->show) text_render(to_record(r->object), put);
}

static void text(void *ctx, const char *line, size_t len)
{
    struct seen *s = ctx;
    if (piece_record(line, len).kind != PIECE_NONE) abort();
    s->lines++;
}

static void fault(void *ctx, const struct fault *f)
{
    struct seen *s = ctx;
    s->faults += f->what[0] != '\0';
}

static void session(void *ctx, const struct session_seen *seen)
{
    struct seen *s = ctx;
    s->sessions += seen->number > 0;
    s->again += seen->repeated;
}

static struct seen read_in_pieces(const char *bytes, size_t n, size_t piece, bool show)
{
    struct seen s = {.show = show};
    const struct records_sink sink = {
        .record = record, .text = text, .fault = fault, .session = session, .ctx = &s};
    struct records r;
    text_begin();
    records_begin(&r, &sink);
    for (size_t at = 0; at < n; at += piece) records_feed(&r, bytes + at, n - at < piece ? n - at : piece);
    records_finish(&r);
    return s;
}

/* The lines, with CRCs that fit, into `to`, which has room for them. Comes to their length. */
static size_t with_crcs(const char *bytes, size_t n, char *to)
{
    char *at = to;
    for (const char *end = bytes + n, *next; bytes < end; bytes = next) {
        const char *stop = memchr(bytes, '\n', (size_t)(end - bytes));
        next = stop ? stop + 1 : end;
        const size_t len = (size_t)((stop ? stop : end) - bytes);
        memcpy(at, bytes, len);
        const char *begin = memchr(bytes, '{', len);
        if (begin) {
            size_t body = len - (bytes[len - 1] == '}');
            if (body > 18 && memcmp(bytes + body - 17, ",\"crc\":\"", 8) == 0) body -= 17;
            const size_t before = (size_t)(begin - bytes);
            if (body < before) body = before;
            at += body +
                  (size_t)sprintf(at + body, ",\"crc\":\"%08" PRIx32 "\"}", crc32(0, begin, body - before));
        } else
            at += len;
        if (stop) *at++ = '\n';
    }
    return (size_t)(at - to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    const size_t piece = (size_t)data[0] / 2 + 1;
    char *bytes = malloc(size * 20 + 1);
    size_t n = size - 1;
    memcpy(bytes, data + 1, n);
    if (data[0] & 1) n = with_crcs((const char *)data + 1, size - 1, bytes);
    const struct seen whole = read_in_pieces(bytes, n, n, true),
                      pieces = read_in_pieces(bytes, n, piece, false);
    if (whole.records != pieces.records || whole.faults != pieces.faults ||
        whole.sessions != pieces.sessions || whole.lines != pieces.lines || whole.again != pieces.again)
        abort();
    free(bytes);
    return 0;
}
