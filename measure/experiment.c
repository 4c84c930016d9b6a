#include "measure/experiment.h"
#include "bench/experiment.h"
#include "measure/stats.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

/* A run's results. */
struct results {
    const struct sampling *s;
    const struct profile *ip, *data;
    const struct deduction *d;
    const struct memory_profile *memory;
};

/* Samples of a line whose data was found beyond the L1. */
static uint64_t misses(const struct profile_line *l)
{
    uint64_t n = 0;
    for (unsigned i = 0; l->access && i < LEVELS; i++)
        if (i != LEVEL_L1) n += l->access->level[i];
    return n;
}

/* A figure of samples at a distance from the target: so many of those that count for it. */
static void count(const struct bench_figure *f, const struct profile *ip, unsigned *hits, unsigned *of)
{
    uint64_t here = 0, all = f->figure == FIGURE_SHARE ? ip->samples : 0;
    for (unsigned i = 0; i < ip->n; i++) {
        const uint64_t n = f->figure == FIGURE_SHARE ? ip->line[i].count : misses(&ip->line[i]);
        if (f->figure == FIGURE_MISSES) all += n;
        if (ip->place[i].decoded && ip->place[i].instructions == f->at) here += n;
    }
    *hits = (unsigned)here;
    *of = (unsigned)all;
}

/* Another run with the same number of samples would give another share by chance alone. */
static void share(struct experiment *e, unsigned hits, unsigned of)
{
    if (!of) return;
    e->ours = 100.0 * hits / of;
    e->of = of;
    stats_binomial(e->conf, hits, of, &e->low, &e->high);
    e->low *= 100;
    e->high *= 100;
}

static double nearest(const struct profile *ip)
{
    int64_t least = INT32_MAX;
    for (unsigned i = 0; i < ip->n; i++) {
        const struct profile_place *p = &ip->place[i];
        const int64_t away = p->instructions < 0 ? -p->instructions : p->instructions;
        if (p->decoded && away < least) least = away;
    }
    return least == INT32_MAX ? (double)NAN : (double)(int32_t)least;
}

/* Of the addresses that the deduction considers; NAN: of none. */
static double extreme(const struct results *r, bool most)
{
    double n = (double)NAN;
    for (const struct profile_line *l = r->data->line; l < r->data->line + r->data->n; l++) {
        const double count = (double)l->count;
        if (deduce_counts(r->d, l) && (isnan(n) || (most ? count > n : count < n))) n = count;
    }
    return n;
}

static double ours(const struct bench_figure *f, const struct results *r)
{
    const struct profile *data = r->data;
    switch ((enum figure)f->figure) {
    case FIGURE_EVENTS:
        return (double)r->s->occurred;
    case FIGURE_SAMPLES:
        return r->s->inside;
    case FIGURE_INSTRUCTIONS:
        return r->ip->n;
    case FIGURE_NEAREST:
        return nearest(r->ip);
    case FIGURE_LATENCY:
        return r->memory && r->memory->all.latency.n ? r->memory->all.latency.median : (double)NAN;
    case FIGURE_SHARE: /* share()'s */
    case FIGURE_MISSES:
    case FIGURE_LEVEL:
        return (double)NAN;
    default:
        break;
    }
    if (!data || !data->n) return (double)NAN;
    if (f->figure == FIGURE_ADDRESSES) return r->d->addresses;
    if (f->figure == FIGURE_DIFFERENCE) return r->d->difference ? (double)r->d->difference : (double)NAN;
    return extreme(r, f->figure == FIGURE_MOST);
}

/* The way in which it was sampled; 0: in none of the benchmark's. By another method than the row's, but by
 * its event (sample=): that method's. */
static unsigned way_of(const struct bench_sampling *own, const struct sampling *s)
{
    unsigned other = 0;
    for (const struct bench_way *w = own->way; w->way; w++) {
        const bool event = w->event && strcmp(w->event, s->event) == 0;
        if (w->by == s->by && (event || !w->event)) return w->way;
        if (event && !w->latency) other = s->by == SAMPLE_BY_PEBS ? WAY_PEBS : WAY_PMI;
    }
    return other;
}

/* The article's figure of this kind. */
static double article_of(const struct bench_sampling *own, enum figure kind)
{
    const struct bench_figure *f = own->figure;
    while (f->what && f->figure != kind) f++;
    return f->what ? (double)f->article : (double)NAN;
}

/* The expected number of samples per address, here and in the article. */
static void note_each(const struct bench_sampling *own, unsigned samples, unsigned addresses, char *s,
                      size_t cap)
{
    const double n = article_of(own, FIGURE_SAMPLES), over = article_of(own, FIGURE_ADDRESSES);
    snprintf(s, cap, "%u samples at %u addresses are %.4g each; the article's %.0f at %.0f are %.4g each",
             samples, addresses, (double)samples / addresses, n, over, n / over);
}

/* ---- public ---- */

void experiment_figures(const struct sampling *s, const struct profile *ip, const struct profile *data,
                        const struct deduction *d, const struct memory_profile *memory, unsigned conf,
                        struct experiments *out)
{
    const struct results results = {s, ip, data, d, memory};
    const struct bench *b = s->run.item->bench;
    const unsigned way = b->sampling ? way_of(b->sampling, s) : 0;
    unsigned hits, of;
    out->n = 0;
    if (!way || s->storm) return;
    for (const struct bench_figure *f = b->sampling->figure; f->what && out->n < EXPERIMENT_FIGURES; f++) {
        if (f->ways && !(f->ways & way)) continue;
        struct experiment *e = &out->at[out->n++];
        *e = (struct experiment){.name = b->program.name,
                                 .what = f->what,
                                 .unit = f->unit,
                                 .article = (double)f->article,
                                 .ours = ours(f, &results),
                                 .note = f->note,
                                 .event = s->event,
                                 .conf = conf};
        if (f->figure == FIGURE_SHARE || f->figure == FIGURE_MISSES) {
            count(f, ip, &hits, &of);
            share(e, hits, of);
        }
        if (f->figure == FIGURE_LEVEL && memory)
            share(e, memory->level[f->at].samples,
                  memory->all.samples - memory->level[LEVEL_UNKNOWN].samples);
        if (f->figure == FIGURE_FEWEST && data && d->addresses) {
            note_each(b->sampling, (unsigned)d->samples, d->addresses, out->note, sizeof out->note);
            e->note = out->note;
        }
    }
}
