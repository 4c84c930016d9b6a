#include "host/inflate.h"
#include <stdlib.h>
#include <zlib.h>

#define FIRST_ROOM (64 * 1024)

bool inflate_begin(struct inflated *all)
{
    all->stream = calloc(1, sizeof *all->stream);
    if (all->stream && inflateInit(all->stream) == Z_OK) return true;
    free(all->stream);
    return false;
}

static bool grow(struct inflated *all)
{
    size_t room = all->room ? 2 * all->room : FIRST_ROOM;
    if (room > all->most) room = all->most;
    if (room == all->room) return false;
    char *more = realloc(all->text, room);
    if (!more) return false;
    all->text = more;
    all->room = room;
    return true;
}

bool inflate_add(struct inflated *all, const uint8_t *bytes, size_t n)
{
    z_stream *s = all->stream;
    s->next_in = (uint8_t *)(uintptr_t)bytes;
    s->avail_in = (unsigned)n;
    for (;;) {
        if (all->over) return s->avail_in == 0;
        if (all->n == all->room && !grow(all)) return false;
        s->next_out = (uint8_t *)all->text + all->n;
        s->avail_out = (unsigned)(all->room - all->n);
        const int result = inflate(s, Z_NO_FLUSH);
        all->n = all->room - s->avail_out;
        all->over = result == Z_STREAM_END;
        if (result == Z_BUF_ERROR) return s->avail_in == 0; /* it has taken all */
        if (result != Z_OK && result != Z_STREAM_END) return false;
        if (s->avail_in == 0 && s->avail_out) return true;
    }
}

bool inflate_end(struct inflated *all)
{
    inflateEnd(all->stream);
    free(all->stream);
    return all->over;
}
