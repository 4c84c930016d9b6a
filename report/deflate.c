#define Z_SOLO /* no files, no heap (zlib.h) */
#include "report/deflate.h"
#include <zlib.h>

static z_stream stream;
static uint8_t *out;

static void *give(void *arena, unsigned items, unsigned size)
{
    return arena_alloc(arena, (size_t)items * size, sizeof(uint64_t));
}

/* All of it is given back at once, with the arena. */
static void take_back(void *arena, void *bytes) { (void)arena, (void)bytes; }

bool deflate_begin(struct arena *memory)
{
    stream = (z_stream){.zalloc = give, .zfree = take_back, .opaque = memory};
    if (deflateInit(&stream, Z_BEST_COMPRESSION) != Z_OK) return false;
    const size_t room = arena_left(memory);
    out = arena_alloc(memory, room, 1);
    stream.next_out = out;
    stream.avail_out = (unsigned)room;
    return room != 0;
}

bool deflate_add(const void *bytes, size_t n)
{
    stream.next_in = (uint8_t *)(uintptr_t)bytes;
    stream.avail_in = (unsigned)n;
    return deflate(&stream, Z_NO_FLUSH) == Z_OK && stream.avail_in == 0;
}

bool deflate_end(struct deflated *all)
{
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) return false;
    *all = (struct deflated){out, stream.total_out};
    return true;
}
