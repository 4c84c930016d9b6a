#include "measure/trace.h"
#include "measure/watchdog.h"
#include <stdio.h>

_Static_assert(offsetof(struct trace_ring, count) == TRACE_COUNT, "trace.h");
_Static_assert(offsetof(struct trace_ring, mask) == TRACE_MASK, "trace.h");
_Static_assert(offsetof(struct trace_ring, entry) == TRACE_ENTRIES, "trace.h");
_Static_assert(sizeof(struct trace_entry) == 1 << TRACE_SHIFT, "trace.h");

#define HOOKS 8   /* one after the other, to see what one costs */
#define CALLS 100 /* of them */

_Static_assert(HOOKS <= TRACE_LEAST, "they fit into any ring");

PAYLOAD static void hooks(void *arg)
{
    struct trace_ring *ring = arg;
    trace_here(ring, 0, 0);
    trace_here(ring, 1, 1);
    trace_here(ring, 2, 2);
    trace_here(ring, 3, 3);
    trace_here(ring, 4, 4);
    trace_here(ring, 5, 5);
    trace_here(ring, 6, 6);
    trace_here(ring, 7, 7);
}

/* An interrupt can come between a hook's XADD and its RDTSC, and then the later entry has the earlier time.
 * So few are out of order, and each is near its place. */
static void sort(struct trace_entry *at, unsigned n)
{
    for (unsigned i = 1; i < n; i++) {
        const struct trace_entry x = at[i];
        unsigned k = i;
        for (; k && at[k - 1].tsc > x.tsc; k--) at[k] = at[k - 1];
        at[k] = x;
    }
}

/* ---- public ---- */

struct trace *trace_open(struct run *run, const struct options *opt, struct arena *arena)
{
    const unsigned size = opt->trace ? opt->trace : TRACE_LEAST;
    const size_t bytes = size * sizeof(struct trace_entry);
    struct trace *t = run_alloc(run, arena, sizeof *t, 64, "a trace");
    char what[32];
    if (!t) return NULL;
    snprintf(what, sizeof what, "a trace of %u", size);
    t->size = size;
    t->asked = opt->trace != 0;
    if (!(t->ring = run_alloc(run, arena, sizeof *t->ring + bytes, 64, what))) return NULL;
    if (t->asked && !(t->at = run_alloc(run, arena, bytes, 64, what))) return NULL;
    t->ring->mask = size - 1;
    return t;
}

void trace_begin(struct trace *t)
{
    t->ring->count = 0;
    t->ring->mask = t->size - 1; /* code of the user's own may have written there */
}

void trace_keep(struct trace *t)
{
    t->written = t->ring->count;
    t->n = t->written < t->size ? t->written : t->size;
    for (unsigned i = 0; i < t->n; i++) t->at[i] = t->ring->entry[(t->written - t->n + i) & (t->size - 1)];
    sort(t->at, t->n);
}

void trace_calibrate(struct trace *t, const struct execution *x)
{
    struct execution plain = *x;
    plain.before = NULL; /* the hooks are as warm as can be */
    t->overhead = UINT64_MAX;
    watchdog_pause();
    for (unsigned i = 0; i < CALLS; i++) {
        trace_begin(t);
        execute(&plain, hooks, t->ring);
        for (unsigned k = 1; k < HOOKS; k++) {
            const uint64_t ticks = t->ring->entry[k].tsc - t->ring->entry[k - 1].tsc;
            if (ticks < t->overhead) t->overhead = ticks;
        }
    }
    watchdog_resume();
}

void trace_call(struct trace *t, const struct execution *x)
{
    trace_calibrate(t, x);
    trace_begin(t);
    execute(x, x->bench->payload, x->bench->arg);
    trace_keep(t);
}

void trace_interrupts(struct trace *t, interrupt_fn *handler, void *of)
{
    t->handler = handler;
    t->handler_of = of;
    trap_interrupts(trace_interrupt, t);
}
