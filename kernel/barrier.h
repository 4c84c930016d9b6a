/* A barrier: nobody passes before all have come. For code that runs on several processors at once.
 *
 * Each party counts in a line of its own how often it has come, and the first one, when it has seen all,
 * counts in another line how often all have passed. So no instruction is locked, and one who waits reads a
 * line that is written once. It waits with PAUSE: an emulator that executes one processor after the other
 * goes on with the next one there.
 *
 * A party that never comes would keep the others for ever, so each waits for a number of ticks at most. After
 * that the barrier is broken: none of those who come later waits. */
#pragma once
#include "kernel/hw.h"

/* What is written by one processor and read by others lies in lines of its own. Neighbours of 64 bytes are
 * fetched in pairs by some prefetchers, and NetBurst's second-level sectors are 128 bytes. */
#define LINES_APART 128

#define SPIN_PAUSE() __asm__ volatile("pause" ::: "memory")

struct barrier_party {
    _Alignas(LINES_APART) volatile uint32_t came;
};

struct barrier {
    unsigned n;
    uint64_t ticks; /* for which each waits; of its own TSC */
    _Alignas(LINES_APART) volatile uint32_t passed;
    volatile uint32_t broken;
    struct barrier_party party[];
};

/* Bytes of one for n parties; its memory is aligned to LINES_APART. */
static inline size_t barrier_bytes(unsigned n)
{
    return sizeof(struct barrier) + n * sizeof(struct barrier_party);
}

/* Before any party uses it. n: at least 1; ticks: not 0. */
void barrier_init(struct barrier *b, unsigned n, uint64_t ticks);

/* Party `me`, 0 to n - 1, has come. False: another one has not come in time, or the barrier was broken. */
bool barrier_wait(struct barrier *b, unsigned me);

/* Nobody needs to wait any more: a party has to give up. */
static inline void barrier_break(struct barrier *b) { b->broken = 1; }
