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
} ring;

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

/* ---- public ---- */

void kept_begin(void *memory, size_t bytes)
{
    memset(&ring, 0, sizeof ring);
    ring.base = memory;
    ring.size = bytes;
}

void kept_room(size_t bytes)
{
    if (bytes > ring.size) return;
    while (ring.count && !fits(bytes)) forget_oldest();
}

void kept_add(unsigned n, const char *line, size_t len)
{
    const size_t bytes = size_of(len);
    if (bytes > ring.size) return;
    kept_room(bytes);
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

void kept_each(unsigned first, unsigned last, void (*line)(const char *line, size_t len))
{
    size_t offset = ring.oldest;
    for (unsigned i = 0; i < ring.count; i++, offset = behind(offset)) {
        const struct header *h = at(offset);
        if (h->n >= first && h->n <= last) line((const char *)(h + 1), h->len);
    }
}
