/* Cache geometries that CPUID does not give directly: leaf 2's descriptor bytes, and CPUs without any cache
 * leaf. Private to kernel/cache.c. */
#pragma once
#include "kernel/cache.h"

/* The cache that a leaf 2 descriptor byte stands for, on a CPU of this display family and model. False for
 * TLB, prefetch, trace cache and unknown descriptors. */
bool cache_descriptor(const struct cpu_id *id, uint8_t descriptor, struct cache *out);

/* Caches of a CPU without cache leaves: entry i; false after the last. */
bool cache_of_model(const struct cpu_id *id, unsigned i, struct cache *out);
