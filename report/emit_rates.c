#include "report/emit_rates.h"
#include "report/emit_errata.h"
#include "report/put.h"

static void put_flags(struct record *r, const struct counted *c, bool wrapped, const struct machine *m)
{
    const uint64_t errata = errata_here(m, c->errata);
    const char *doubt = errata_flag(m, errata);
    put_errata(r, errata);
    OPEN(r, rate, flags);
    if (c->unmodelled) ITEM(r, rate, flags, "unmodelled");
    if (wrapped && !c->unmodelled) ITEM(r, rate, flags, "wrapped");
    if (doubt) ITEM(r, rate, flags, doubt);
    rec_close(r);
}

static void put_time_stamp(struct record *r, const struct logged *l, double seconds)
{
    rec_object(r, NULL);
    const bool unmodelled = l->rates->run.count[0].unmodelled;
    PUT(r, rate, event, "tsc");
    if (!unmodelled) {
        PUT(r, rate, count, l->interval->ticks);
        PUT(r, rate, rate, (double)l->interval->ticks / seconds);
    }
    OPEN(r, rate, flags);
    if (unmodelled) ITEM(r, rate, flags, "unmodelled");
    rec_close(r);
    rec_close(r);
}

/* count[0] of a run is the time stamp. */
static void put_event(struct record *r, const struct logged *l, unsigned i, double seconds)
{
    const struct counted *c = &l->rates->run.count[1 + i];
    rec_object(r, NULL);
    PUT(r, rate, event, c->event);
    PUT(r, rate, counter, c->counter);
    if (!c->unmodelled) {
        PUT(r, rate, count, l->interval->count[i]);
        PUT(r, rate, rate, (double)l->interval->count[i] / seconds);
    }
    put_flags(r, c, l->interval->wrapped, l->rates->run.cpu->machine);
    rec_close(r);
}

void emit_interval(const struct logged *l)
{
    const struct rates_interval *i = l->interval;
    const struct run *run = &l->rates->run;
    const struct machine *m = run->cpu->machine;
    const double hz = (double)l->tsc_hz, seconds = (double)i->ticks / hz;
    const char *origin = origin_flag(run->n > 1 ? m->count_origin : m->time_origin);
    struct record *r = NEW(interval);
    emit_identity(r, run, l->opt->ring);
    PUT(r, interval, number, l->number);
    PUT(r, interval, of, l->of);
    PUT(r, interval, at, (double)l->after / hz);
    PUT(r, interval, seconds, seconds);
    PUT(r, interval, tsc, i->ticks);
    PUT(r, interval, slices, i->slices);
    if (!l->rates->idle) PUT(r, interval, rounds, i->rounds);
    PUT(r, interval, interrupts, i->interrupts);
    PUT(r, interval, interrupts_rate, i->interrupts / seconds);
    if (rates_count_smis(l->rates)) PUT(r, interval, smis, i->smis);
    OPEN(r, interval, events);
    if (l->opt->tsc) put_time_stamp(r, l, seconds);
    for (unsigned k = 0; k + 1 < run->n; k++) put_event(r, l, k, seconds);
    rec_close(r);
    OPEN(r, interval, flags);
    if (origin) ITEM(r, interval, flags, origin);
    rec_close(r);
    record_emit(r);
}
