/* Lines that a pointer chase visits in a circle, stride bytes apart: bench/stride_thrash.c. */
#pragma once
#include "bench/bench.h"

/* Returns the first line, aligned to a page. Each line holds the address of the next one, and the last line
 * that of the first. NULL: there is not enough memory, and run->error says so. */
void *chase_ring(struct bench_run *run, size_t lines, size_t stride);
uint64_t chase_bytes(size_t lines, size_t stride);

/* B. Sprunt's lines 8 KiB apart (IEEE Micro 22(4), 2002, table 1): twice as many as L1 has ways, which is
 * eight on his Pentium 4, so that every load misses under LRU. A power of two, also for L1s of six or twelve
 * ways: an odd period has no factor in common with it, and so samples all lines. */
#define SPRUNT_STRIDE 8192
size_t sprunt_lines(const struct cache_info *caches);
/* One set's lines are so far apart: 8 KiB, or more where a way of L1 has more (AMD's, before Bulldozer). */
size_t sprunt_stride(const struct cache_info *caches);
