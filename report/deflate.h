/* Deflating by zlib, in memory that is given. Apart, since zlib.h and kernel/crc32.h both name a crc32(). */
#pragma once
#include "kernel/arena.h"
#include <stdbool.h>

struct deflated {
    uint8_t *bytes; /* in the arena */
    size_t n;
};

/* Takes 300 KiB of the arena for itself, and all else for what it makes. False: that is too little. */
bool deflate_begin(struct arena *memory);
/* False: no room is left. */
bool deflate_add(const void *bytes, size_t n);
bool deflate_end(struct deflated *all);
