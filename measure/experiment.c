#include "measure/experiment.h"
#include "bench/experiment.h"
#include "measure/stats.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

/* Samples at this distance from the target. */
static unsigned hits_at(const struct profile *ip, int at)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < ip->n; i++)
        if (ip->place[i].decoded && ip->place[i].instructions == at) n += ip->line[i].count;
    return (unsigned)n;
}

/* Another run with the same number of samples would give another share by chance alone. */
static void share(struct experiment *e, unsigned hits, unsigned of)
{
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

static double extreme(const struct profile *data, bool most)
{
    uint64_t n = data->line[0].count;
    for (unsigned i = 1; i < data->n; i++)
        if (most ? data->line[i].count > n : data->line[i].count < n) n = data->line[i].count;
    return (double)n;
}

static double ours(const struct bench_figure *f, const struct sampling *s, const struct profile *ip,
                   const struct profile *data, const struct deduction *d)
{
    switch ((enum figure)f->figure) {
    case FIGURE_EVENTS:
        return (double)s->occurred;
    case FIGURE_SAMPLES:
        return s->inside;
    case FIGURE_INSTRUCTIONS:
        return ip->n;
    case FIGURE_NEAREST:
        return nearest(ip);
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
                        const struct deduction *d, unsigned conf, struct experiments *out)
{
    const struct bench *b = s->run.item->bench;
    out->n = 0;
    if (!b->sampling || s->storm || !knows(b->sampling, s->event)) return;
    for (const struct bench_figure *f = b->sampling->figure; f->what && out->n < EXPERIMENT_FIGURES; f++) {
        if (f->by != SAMPLE_BY_NONE && f->by != s->by) continue;
        struct experiment *e = &out->at[out->n++];
        *e = (struct experiment){.name = b->program.name,
                                 .what = f->what,
                                 .unit = f->unit,
                                 .article = (double)f->article,
                                 .ours = ours(f, s, ip, data, d),
                                 .note = f->note,
                                 .event = s->event,
                                 .conf = conf};
        if (f->figure == FIGURE_SHARE && ip->samples) share(e, hits_at(ip, f->at), (unsigned)ip->samples);
        if (f->figure == FIGURE_FEWEST && data && data->n) {
            note_each(b->sampling, s->samples.n, data->n, out->note, sizeof out->note);
            e->note = out->note;
        }
    }
}
