/* What a processor that is started has in the pool. Private to kernel/processors*.c. */
#pragma once
#include "kernel/percpu.h"
#include "kernel/processors.h"

#define PROCESSOR_MAIN_STACK 24576u
#define PROCESSOR_TRAP_STACK 8192u
#define PROCESSOR_SIDE_STACK 4096u

struct processor {
    struct cpu cpu;
    enum rest rest;
    volatile enum processor_state state; /* while it starts */
    uint64_t called_at;                  /* the boot processor's TSC at the last call, or NMI for it */
    unsigned wakes;                      /* NMIs that the last call took to begin */
    bool lost;                           /* it does not answer any more */
    _Alignas(64) uint8_t pmu[PROCESSOR_PMU_BYTES];
    _Alignas(4096) uint8_t unused[PERCPU_AT];
    struct percpu percpu; /* GS leads here */
    _Alignas(4096) uint8_t guard0[PAGE_SIZE];
    uint8_t main[PROCESSOR_MAIN_STACK];
    uint8_t guard1[PAGE_SIZE];
    uint8_t df[PROCESSOR_SIDE_STACK];
    uint8_t guard2[PAGE_SIZE];
    uint8_t nmi[PROCESSOR_SIDE_STACK];
    uint8_t guard3[PAGE_SIZE];
    uint8_t trap[PROCESSOR_TRAP_STACK];
};
_Static_assert(sizeof(struct processor) <= PROCESSOR_BYTES, "kernel/processors.h");

/* The processor's own part: rest, and be called, for ever. On its main stack. */
void processor_serve(struct processor *p) __attribute__((noreturn));
