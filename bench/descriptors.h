/* Benchmarks and experiments that modules bring with their descriptors (include/anechoic/module.h, kind 3):
 * sources as in bench/ and experiments/, which serve bench= as the kernel's own do. */
#pragma once
#include "bench/bench.h"

/* Load the image of the module that was opened last, if it is of this kind, and put its benchmarks into the
 * list. calls: the addresses of ANECHOIC_CALLS, in their order. Memory comes from the pool's end, and stays.
 * False: why says what is wrong with it, and the pool is as before; the caller closes the module. */
bool descriptors_load(struct arena *pool, const uintptr_t *calls, char *why, size_t cap);

/* Puts pointers to those that are loaded into list[]; how many. */
unsigned descriptors_benches(const struct bench **list);

/* Forget those of a module that was closed (module_unload()). */
void descriptors_unload(void);

/* Forget all, as at the beginning. */
void descriptors_forget(void);
