#include "report/kept.h"
#include <stdint.h>
#include <string.h>

/* Before each line; a line is never in two pieces. */
struct header {
    uint32_t n, len;
};
_Static_assert(sizeof(struct header) == KEPT_HEADER, "kept.h");

/* A ring. Where it is wrapped, the older part lies from `oldest` to `end`, the newer one from 0 to `free`. */
static struct {
    uint8_t *base;
    size_t size;
    size_t oldest, free, end;
    bool wrapped;
    unsigned count;
    bool results, reduced; /* KEPT_RESULTS: it never wraps; it has been full */
} ring;

/* KEPT_RESULTS: the last memory is for what says how the session ended, and half of it for errors as well. */
#define RESERVED (8u << 10)

static size_t size_of(size_t len) { return (sizeof(struct header) + len + 3) & ~(size_t)3; }
static const struct header *at(size_t offset) { return (const struct header *)(ring.base + offset); }

/* Where the line behind this one lies. */
static size_t behind(size_t offset)
{
    const size_t next = offset + size_of(at(offset)->len);
    return ring.wrapped && next == ring.end ? 0 : next;
}

static void forget_oldest(void)
{
    const size_t next = behind(ring.oldest);
    if (next < ring.oldest) ring.wrapped = false;
    ring.oldest = next;
    if (--ring.count == 0) {
        ring.oldest = ring.free = 0;
        ring.wrapped = false;
    }
}

/* Is there room for so many bytes in one piece? Moves to the beginning where there is none at the end. */
static bool fits(size_t bytes)
{
    if (!ring.wrapped) {
        if (bytes <= ring.size - ring.free) return true;
        ring.end = ring.free;
        ring.free = 0;
        ring.wrapped = true;
    }
    return bytes <= ring.oldest - ring.free;
}

/* ---- what lines are worth ---- */

static const char *const bulk_types[] = {"reps",          "baseline", "region_reps", "sample",
                                         "trace_entries", "printed",  "code",        NULL};
static const char *const end_types[] = {"done", "reduced", "kept", "end", NULL};
static const char *const error_types[] = {"error", NULL};

/* A record begins {"n":12,"t":"type", */
static bool is_among(const char *const *types, const char *line, size_t len)
{
    static const char key[] = "\"t\":\"";
    const char *comma = memchr(line, ',', len), *end = line + len;
    if (!comma || (size_t)(end - ++comma) < sizeof key || memcmp(comma, key, sizeof key - 1) != 0)
        return false;
    const char *type = comma + sizeof key - 1, *quote = memchr(type, '"', (size_t)(end - type));
    if (!quote) return false;
    for (; *types; types++)
        if (strlen(*types) == (size_t)(quote - type) && memcmp(*types, type, strlen(*types)) == 0)
            return true;
    return false;
}

/* The lines that are worth more move together. */
static void forget_bulk(void)
{
    size_t from = 0, to = 0;
    unsigned left = 0;
    for (unsigned i = 0; i < ring.count; i++) {
        const struct header *h = at(from);
        const size_t bytes = size_of(h->len);
        const bool bulk = kept_is_bulk((const char *)(h + 1), h->len);
        if (!bulk && to != from) memmove(ring.base + to, h, bytes);
        from += bytes;
        if (bulk) continue;
        to += bytes;
        left++;
    }
    ring.free = to;
    ring.count = left;
}

static bool has_room(const char *line, size_t len)
{
    const size_t reserved = is_among(end_types, line, len)     ? 0
                            : is_among(error_types, line, len) ? RESERVED / 2
                                                               : RESERVED;
    return size_of(len) + reserved <= ring.size - ring.free;
}

/* Is there a place for this line? Makes one. */
static bool reduce(const char *line, size_t len)
{
    const bool bulk = kept_is_bulk(line, len);
    if (!(ring.reduced && bulk) && has_room(line, len)) return true;
    if (!ring.reduced) forget_bulk();
    ring.reduced = true;
    return !bulk && has_room(line, len);
}

/* ---- public ---- */

bool kept_is_bulk(const char *line, size_t len) { return is_among(bulk_types, line, len); }

void kept_begin(void *memory, size_t bytes, enum kept_when_full when_full)
{
    memset(&ring, 0, sizeof ring);
    ring.results = when_full == KEPT_RESULTS;
    ring.base = memory;
    ring.size = bytes;
}

void kept_room(size_t bytes)
{
    if (ring.results || bytes > ring.size) return; /* it has room of its own for the last ones */
    while (ring.count && !fits(bytes)) forget_oldest();
}

void kept_add(unsigned n, const char *line, size_t len)
{
    const size_t bytes = size_of(len);
    if (bytes > ring.size) return;
    if (!ring.results)
        kept_room(bytes);
    else if (!reduce(line, len))
        return;
    struct header *h = (struct header *)(ring.base + ring.free);
    h->n = n;
    h->len = (uint32_t)len;
    memcpy(h + 1, line, len);
    ring.free += bytes;
    ring.count++; /* last: until now the line is not there */
}

bool kept_any(void) { return ring.count != 0; }
unsigned kept_first(void) { return at(ring.oldest)->n; }
unsigned kept_last(void) { return kept_first() + ring.count - 1; }

size_t kept_bytes(void)
{
    if (!ring.wrapped) return ring.free - ring.oldest;
    return ring.end - ring.oldest + ring.free;
}

void kept_each(unsigned first, unsigned last, void (*line)(const char *line, size_t len))
{
    size_t offset = ring.oldest;
    for (unsigned i = 0; i < ring.count; i++, offset = behind(offset)) {
        const struct header *h = at(offset);
        if (h->n >= first && h->n <= last) line((const char *)(h + 1), h->len);
    }
}
