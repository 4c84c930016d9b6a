/* Inflating by zlib. Apart, since zlib.h and kernel/crc32.h both name a crc32(). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inflated {
    size_t most; /* set by the caller: more than this is refused */
    char *text;  /* the caller's to free, after inflate_end() */
    size_t n, room;
    bool over; /* the stream's own end, and its checksum, came */
    struct z_stream_s *stream;
};

bool inflate_begin(struct inflated *all); /* False: there is no memory */
/* False: the stream is damaged, goes on after its end, or is too long; what came before stays. */
bool inflate_add(struct inflated *all, const uint8_t *bytes, size_t n);
bool inflate_end(struct inflated *all); /* True: it was whole */
