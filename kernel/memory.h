/* Memory for benchmarks: one contiguous pool, and the memory that is kept for other uses. */
#pragma once
#include "kernel/bootinfo.h"

struct memory {
    uint8_t *pool; /* page-aligned; 4 MiB-aligned where there is room */
    size_t pool_bytes;
    bool pool_is_builtin; /* no memory map: the small pool inside the kernel image is all there is */
    uint64_t total_kib;   /* available memory as the loader gave it */
};

/* Choose the largest contiguous available range below 4 GiB that holds neither the kernel nor a module. */
void memory_init(const struct bootinfo *bi, struct memory *m);

/* The pool inside the kernel image where it is not in use, and its size; 0: it is. */
uint8_t *memory_spare(const struct memory *m, size_t *bytes);

/* Does the pool exist? Writes to its ends and its middle. If they do not read back (the loader's size was
 * wrong), the built-in pool replaces it, and false is returned. After paging_init(). */
bool memory_check(struct memory *m);
