/* Writes machine code, or counts its bytes. */
#pragma once
#include "kernel/module.h"
#include <string.h>

/* at NULL: it only counts. */
struct writer {
    uint8_t *at;
    uint64_t n;
};

static inline void put(struct writer *w, const void *bytes, size_t n)
{
    if (w->at && n) memcpy(w->at + w->n, bytes, n);
    w->n += n;
}
#define PUT(w, ...) put(w, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

static inline void put_code(struct writer *w, struct module_bytes code) { put(w, code.at, code.n); }

static inline void put_32(struct writer *w, uint32_t value) { put(w, &value, sizeof value); }

/* Of memory below 4 GiB. */
static inline void put_address(struct writer *w, const void *p) { put_32(w, (uint32_t)(uintptr_t)p); }
