/* Traces, the harness's side: a ring for a payload's hooks (include/anechoic/trace.h), one call that is
 * traced, and its entries in the order of time.
 *
 * The traced call is one more, after the repetitions and as warm as they are: nothing is added between two of
 * them. With sample= there is no such call: the ring goes on through all calls of a pass that samples, so
 * that interrupts are in it, too.
 */
#pragma once
#include "include/anechoic/trace.h"
#include "kernel/trap.h"
#include "measure/execute.h"

#define TRACE_LEAST 16 /* trace=: entries, a power of two */
#define TRACE_MOST  65536

struct trace {
    struct trace_ring *ring; /* in the arena, where ring 3 can write it */
    unsigned size;           /* its entries */
    bool asked;              /* trace= was given; without it nothing below is set */
    uint64_t overhead;       /* ticks from one hook to another right behind it, the least that was seen */
    struct trace_entry *at;  /* what was kept, by time */
    unsigned n;
    uint32_t written; /* entries, with those that later ones have overwritten */
    interrupt_fn *handler;
    void *handler_of;
};

/* A ring for a run whose program has hooks, of opt->trace entries; NULL: the run is refused. */
struct trace *trace_open(struct run *run, const struct options *opt, struct arena *arena);

/* After the repetitions: measures what a hook costs, then the traced call. */
void trace_call(struct trace *t, const struct execution *x);

/* Measures what a hook costs, where x is ready to be executed. */
void trace_calibrate(struct trace *t, const struct execution *x);

/* The ring begins anew; and what is in it is kept as t->at[0..n). */
void trace_begin(struct trace *t);
void trace_keep(struct trace *t);

/* As trap_interrupts(), with each interrupt on a channel of its own before its handler is called. */
void trace_interrupts(struct trace *t, interrupt_fn *handler, void *of);

/* The handler that does so (measure/trace_interrupt.c); to: a struct trace. */
INTERRUPT_FN void trace_interrupt(void *to, const struct trap_frame *f);
