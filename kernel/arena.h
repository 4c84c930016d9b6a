/* A bump allocator over the benchmark pool. One run fills it, the next starts over. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct arena {
    uint8_t *base;
    size_t size, used;
};

/* bytes of memory aligned to align (a power of two), not cleared; NULL when the arena is full. */
static inline void *arena_alloc(struct arena *a, size_t bytes, size_t align)
{
    size_t start = a->used + (-(uintptr_t)(a->base + a->used) & (align - 1));
    if (start > a->size || bytes > a->size - start) return NULL;
    a->used = start + bytes;
    return a->base + start;
}

/* The same from the arena's end, for what outlives its runs: these start over below it. */
static inline void *arena_from_end(struct arena *a, size_t bytes, size_t align)
{
    if (bytes > a->size - a->used) return NULL;
    const uintptr_t end = (uintptr_t)a->base + a->size - bytes;
    if ((end & -align) < (uintptr_t)a->base + a->used) return NULL;
    a->size = (size_t)((end & -align) - (uintptr_t)a->base);
    return a->base + a->size;
}

static inline size_t arena_left(const struct arena *a) { return a->size - a->used; }
