/* A lock for a few instructions on what processors share. Not for interrupt handlers. */
#pragma once
#include "kernel/hw.h"

struct lock {
    volatile uint32_t taken;
};

/* So many turns are some seconds; who holds it needs microseconds. It may have been ended by an NMI meanwhile
 * (processor_stop()), and then the lock is broken: nobody may wait for ever. */
#ifdef HOST /* where a thread that holds it may not be scheduled for a while, and none is ended */
#define LOCK_TURNS UINT32_MAX
#else
#define LOCK_TURNS (1u << 26)
#endif

static inline void lock_take(struct lock *l)
{
    for (uint32_t turn = 0; __atomic_exchange_n(&l->taken, 1, __ATOMIC_ACQUIRE) && turn < LOCK_TURNS; turn++)
        while (l->taken && turn++ < LOCK_TURNS) hw_pause();
}

static inline void lock_give(struct lock *l) { __atomic_store_n(&l->taken, 0, __ATOMIC_RELEASE); }
