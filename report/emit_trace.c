/* The trace of a run: what the hooks of its payload wrote, and what came in between. */
#include "measure/trace.h"
#include "report/emit.h"
#include "report/put.h"

/* Three lists of so many numbers fit into a record. */
#define ENTRIES_PER_RECORD 40

static void emit_entries(const struct run *run, unsigned ring)
{
    const struct trace *t = run->trace;
    for (unsigned first = 0, n; first < t->n; first += n) {
        const struct trace_entry *at = t->at + first;
        struct record *r = NEW(trace_entries);
        n = t->n - first < ENTRIES_PER_RECORD ? t->n - first : ENTRIES_PER_RECORD;
        emit_identity(r, run, ring);
        PUT(r, trace_entries, first, first);
        OPEN(r, trace_entries, time);
        for (unsigned i = 0; i < n; i++) ITEM(r, trace_entries, time, at[i].tsc - t->at->tsc);
        rec_close(r);
        OPEN(r, trace_entries, channel);
        for (unsigned i = 0; i < n; i++) ITEM(r, trace_entries, channel, at[i].channel);
        rec_close(r);
        OPEN(r, trace_entries, value);
        for (unsigned i = 0; i < n; i++) ITEM(r, trace_entries, value, at[i].value);
        rec_close(r);
        record_emit(r);
    }
}

void emit_trace(const struct run *run, const struct options *opt, const struct machine *m)
{
    const char *origin = origin_flag(m->time_origin);
    const struct trace *t = run->trace;
    if (!t || !t->asked) return;
    struct record *r = NEW(trace);
    emit_identity(r, run, opt->ring);
    OPEN(r, trace, channels);
    for (unsigned i = 0; i < TRACE_CHANNELS && run->program.channels[i]; i++)
        ITEM(r, trace, channels, run->program.channels[i]);
    rec_close(r);
    PUT(r, trace, size, t->size);
    PUT(r, trace, written, t->written);
    PUT(r, trace, kept, t->n);
    PUT(r, trace, lost, t->written - t->n);
    PUT(r, trace, overhead, t->overhead);
    if (t->n) PUT(r, trace, from, t->at->tsc);
    OPEN(r, trace, flags);
    if (origin) ITEM(r, trace, flags, origin);
    if (t->written > t->n) ITEM(r, trace, flags, "lost");
    if (!t->n) ITEM(r, trace, flags, "empty");
    rec_close(r);
    record_emit(r);
    emit_entries(run, opt->ring);
}
