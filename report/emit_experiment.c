#include "report/emit_experiment.h"
#include "measure/stats.h"
#include "report/put.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Kept for a page (emit_article.c). */
static struct held {
    struct experiment experiment;
    enum origin origin;
    char event[40], note[200]; /* their texts, which may not be there any more by then */
} held[32];
static unsigned n_held;
static bool holding;

void experiments_hold(void) { holding = true; }

void experiments_release(void)
{
    holding = false;
    for (unsigned i = 0; i < n_held; i++) {
        struct held *h = &held[i];
        if (h->experiment.event) h->experiment.event = h->event;
        if (h->experiment.note) h->experiment.note = h->note;
        emit_experiment(&h->experiment, h->origin);
    }
    n_held = 0;
}

void emit_experiment(const struct experiment *e, enum origin origin)
{
    if (holding && n_held < sizeof held / sizeof *held) {
        struct held *h = &held[n_held++];
        h->experiment = *e;
        h->origin = origin;
        if (e->event) snprintf(h->event, sizeof h->event, "%s", e->event);
        if (e->note) snprintf(h->note, sizeof h->note, "%s", e->note);
        return;
    }
    struct record *r = NEW(experiment);
    PUT(r, experiment, experiment, e->name);
    PUT(r, experiment, what, e->what);
    PUT(r, experiment, unit, e->unit);
    if (e->event) PUT(r, experiment, event, e->event);
    if (!isnan(e->article)) PUT(r, experiment, article, e->article);
    if (!isnan(e->ours)) PUT(r, experiment, ours, e->ours);
    if (e->of) {
        PUT(r, experiment, of, e->of);
        PUT(r, experiment, conf, e->conf);
        PUT(r, experiment, low, e->low);
        PUT(r, experiment, high, e->high);
    }
    if (e->note) PUT(r, experiment, note, e->note);
    OPEN(r, experiment, flags);
    if (origin != ORIGIN_SILICON && !isnan(e->ours)) ITEM(r, experiment, flags, origin_flag(origin));
    rec_close(r);
    record_emit(r);
}

/* ---- of a sampling run ---- */

/* Instructions from the target to the i-th line's; false: not known. */
static bool distance(const struct profile_source *from, const struct profile *ip, unsigned i, int64_t *n)
{
    return profile_distance(from->code, (uintptr_t)from->run->item->bench->target, ip->line[i].key, n);
}

/* Samples at this distance. */
static unsigned hits_at(const struct profile_source *from, const struct profile *ip, int at)
{
    uint64_t n = 0;
    int64_t here;
    for (unsigned i = 0; i < ip->n; i++)
        if (distance(from, ip, i, &here) && here == at) n += ip->line[i].count;
    return (unsigned)n;
}

/* Another run of as many samples would have given another share, by chance alone. */
static void share(struct experiment *e, unsigned hits, unsigned of)
{
    e->ours = 100.0 * hits / of;
    e->of = of;
    stats_binomial(e->conf, hits, of, &e->low, &e->high);
    e->low *= 100;
    e->high *= 100;
}

static double nearest(const struct profile_source *from, const struct profile *ip)
{
    int64_t least = INT32_MAX, here;
    for (unsigned i = 0; i < ip->n; i++) {
        if (!distance(from, ip, i, &here)) continue;
        if (here < 0) here = -here;
        if (here < least) least = here;
    }
    return least == INT32_MAX ? (double)NAN : (double)(int32_t)least;
}

static double extreme(const struct profile *data, bool most)
{
    uint64_t n = data->line[0].count;
    for (unsigned i = 1; i < data->n; i++)
        if (most ? data->line[i].count > n : data->line[i].count < n) n = data->line[i].count;
    return (double)n;
}

static double ours(const struct bench_figure *f, const struct sampling *s, const struct profile_source *from,
                   const struct profile *ip, const struct profile *data, const struct deduction *d)
{
    switch ((enum figure)f->figure) {
    case FIGURE_EVENTS:
        return (double)s->occurred;
    case FIGURE_SAMPLES:
        return s->inside;
    case FIGURE_INSTRUCTIONS:
        return ip->n;
    case FIGURE_NEAREST:
        return nearest(from, ip);
    default:
        break;
    }
    if (f->figure == FIGURE_SHARE || !data || !data->n) return (double)NAN;
    if (f->figure == FIGURE_ADDRESSES) return data->n;
    if (f->figure == FIGURE_DIFFERENCE) return d->difference ? (double)d->difference : (double)NAN;
    return extreme(data, f->figure == FIGURE_MOST);
}

static bool knows(const struct bench_sampling *own, const char *event)
{
    for (unsigned i = 0; i < sizeof own->event / sizeof *own->event; i++)
        if (own->event[i] && strcmp(own->event[i], event) == 0) return true;
    return false;
}

/* The article's, of this kind. */
static double article_of(const struct bench_sampling *own, enum figure kind)
{
    const struct bench_figure *f = own->figure;
    while (f->what && f->figure != kind) f++;
    return f->what ? (double)f->article : (double)NAN;
}

/* How many samples an address should have, here and there. */
static void tell_each(const struct bench_sampling *own, unsigned samples, unsigned addresses, char *s,
                      size_t cap)
{
    const double n = article_of(own, FIGURE_SAMPLES), over = article_of(own, FIGURE_ADDRESSES);
    snprintf(s, cap, "%u samples at %u addresses are %.4g each; the article's %.0f at %.0f are %.4g each",
             samples, addresses, (double)samples / addresses, n, over, n / over);
}

void emit_figures(const struct sampling *s, const struct profile_source *from, const struct profile *ip,
                  const struct profile *data, const struct deduction *d, unsigned conf)
{
    const struct bench *b = from->run->item->bench;
    /* Of another event they would say nothing. */
    if (!b->sampling || s->storm || !knows(b->sampling, from->event)) return;
    for (const struct bench_figure *f = b->sampling->figure; f->what; f++) {
        if (f->by != SAMPLE_BY_NONE && f->by != s->by) continue;
        char each[160];
        struct experiment e = {.name = b->name,
                               .what = f->what,
                               .unit = f->unit,
                               .article = (double)f->article,
                               .ours = ours(f, s, from, ip, data, d),
                               .note = f->note,
                               .event = from->event,
                               .conf = conf};
        if (f->figure == FIGURE_SHARE && ip->samples)
            share(&e, hits_at(from, ip, f->at), (unsigned)ip->samples);
        if (f->figure == FIGURE_FEWEST && data && data->n) {
            tell_each(b->sampling, s->samples.n, data->n, each, sizeof each);
            e.note = each;
        }
        emit_experiment(&e, from->origin);
    }
}
