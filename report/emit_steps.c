/* Cycle by cycle (steps=). */
#include "report/emit.h"
#include "report/emit_errata.h"
#include "report/put.h"

/* An event's counts are left out where the model lacks it. */
#define FOR_EVENTS(s, k)                       \
    for (unsigned k = 0; k < (s)->events; k++) \
        if (!(s)->run.count[k + 1].unmodelled)

static uint64_t latest(const struct steps *s)
{
    uint64_t late = 0;
    for (const struct step *a = s->at; a < s->at + s->n; a++)
        if (a->cycles.median > a->asked + late) late = a->cycles.median - a->asked;
    return late;
}

static void unmodelled(struct record *r, const struct steps *s)
{
    OPEN(r, steps, unmodelled);
    for (unsigned k = 1; k <= s->events; k++)
        if (s->run.count[k].unmodelled) ITEM(r, steps, unmodelled, s->run.count[k].event);
    rec_close(r);
}

static void whole(const struct steps *s, const struct options *opt, const struct machine *m)
{
    const char *origin = origin_flag(m->count_origin);
    struct record *r = NEW(steps);
    bool lacks = false;
    uint64_t errata = 0;
    FOR_EVENTS(s, k) errata |= errata_here(m, s->run.count[k + 1].errata);
    const char *doubt = errata_flag(m, errata);
    emit_identity(r, &s->run, opt->ring);
    OPEN(r, steps, events);
    FOR_EVENTS(s, k) ITEM(r, steps, events, s->run.count[k + 1].event);
    rec_close(r);
    PUT(r, steps, from, s->range.from);
    PUT(r, steps, to, s->range.to);
    PUT(r, steps, by, s->range.by);
    PUT(r, steps, rows, s->n);
    PUT(r, steps, reps, s->run.reps);
    PUT(r, steps, ended, s->ended);
    PUT(r, steps, cycles, s->whole.cycles.median);
    OPEN(r, steps, counts);
    FOR_EVENTS(s, k) ITEM(r, steps, counts, s->whole.count[k].median);
    rec_close(r);
    PUT(r, steps, empty, s->empty.cycles.median);
    OPEN(r, steps, empty_counts);
    FOR_EVENTS(s, k) ITEM(r, steps, empty_counts, s->empty.count[k].median);
    rec_close(r);
    if (s->as_empty) PUT(r, steps, as_empty, s->at[s->as_empty - 1].cycles.median);
    PUT(r, steps, late, latest(s));
    for (unsigned k = 1; k <= s->events; k++) lacks |= s->run.count[k].unmodelled;
    if (lacks) unmodelled(r, s);
    put_errata(r, errata);
    OPEN(r, steps, flags);
    if (origin) ITEM(r, steps, flags, origin);
    if (doubt) ITEM(r, steps, flags, doubt);
    rec_close(r);
    record_emit(r);
}

static void row(const struct steps *s, const struct step *at, const struct step *before, unsigned ring)
{
    struct record *r = NEW(step);
    emit_identity(r, &s->run, ring);
    PUT(r, step, asked, at->asked);
    PUT(r, step, cycles, at->cycles.median);
    PUT(r, step, cycles_least, at->cycles.least);
    PUT(r, step, cycles_most, at->cycles.most);
    PUT(r, step, frozen, at->frozen);
    OPEN(r, step, count);
    FOR_EVENTS(s, k) ITEM(r, step, count, at->count[k].median);
    rec_close(r);
    OPEN(r, step, came);
    FOR_EVENTS(s, k)
    ITEM(r, step, came, (double)at->count[k].median - (before ? (double)before->count[k].median : 0));
    rec_close(r);
    OPEN(r, step, least);
    FOR_EVENTS(s, k) ITEM(r, step, least, at->count[k].least);
    rec_close(r);
    OPEN(r, step, most);
    FOR_EVENTS(s, k) ITEM(r, step, most, at->count[k].most);
    rec_close(r);
    record_emit(r);
}

void emit_steps(const struct steps *s, const struct options *opt, const struct machine *m)
{
    whole(s, opt, m);
    for (unsigned i = 0; i < s->n; i++) row(s, &s->at[i], i ? &s->at[i - 1] : NULL, opt->ring);
}
