#include "report/emit_experiment.h"
#include "report/record.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Kept for a page (emit_article.c). */
static struct held {
    struct experiment experiment;
    const char *origin;
    char event[40]; /* its text, which may not be there any more by then */
} held[24];
static unsigned n_held;
static bool holding;

void experiments_hold(void) { holding = true; }

void experiments_release(void)
{
    holding = false;
    for (unsigned i = 0; i < n_held; i++) {
        struct held *h = &held[i];
        if (h->experiment.event) h->experiment.event = h->event;
        emit_experiment(&h->experiment, h->origin);
    }
    n_held = 0;
}

void emit_experiment(const struct experiment *e, const char *origin)
{
    if (holding && n_held < sizeof held / sizeof *held) {
        struct held *h = &held[n_held++];
        h->experiment = *e;
        h->origin = origin;
        if (e->event) snprintf(h->event, sizeof h->event, "%s", e->event);
        return;
    }
    struct record *r = record_new("experiment");
    rec_str(r, "experiment", e->name);
    rec_str(r, "what", e->what);
    rec_str(r, "unit", e->unit);
    if (e->event) rec_str(r, "event", e->event);
    if (!isnan(e->article)) rec_real(r, "article", e->article);
    if (!isnan(e->ours)) rec_real(r, "ours", e->ours);
    if (e->note) rec_str(r, "note", e->note);
    rec_array(r, "flags");
    if (origin && !isnan(e->ours)) rec_str(r, NULL, origin);
    rec_close(r);
    record_emit(r);
}

/* ---- of a sampling run ---- */

/* Instructions from the target to the i-th line's; false: not known. */
static bool distance(const struct profile_source *from, const struct profile *ip, unsigned i, int64_t *n)
{
    return profile_distance(from->code, (uintptr_t)from->run->item->bench->target, ip->line[i].key, n);
}

static double share_at(const struct profile_source *from, const struct profile *ip, int at)
{
    double n = 0;
    int64_t here;
    for (unsigned i = 0; i < ip->n; i++)
        if (distance(from, ip, i, &here) && here == at) n += (double)ip->line[i].count;
    return 100 * n / (double)ip->samples;
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
        return s->samples.n;
    case FIGURE_INSTRUCTIONS:
        return ip->n;
    case FIGURE_SHARE:
        return ip->samples ? share_at(from, ip, f->at) : (double)NAN;
    case FIGURE_NEAREST:
        return nearest(from, ip);
    default:
        break;
    }
    if (!data || !data->n) return (double)NAN;
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

void emit_figures(const struct sampling *s, const struct profile_source *from, const struct profile *ip,
                  const struct profile *data, const struct deduction *d)
{
    const struct bench *b = from->run->item->bench;
    /* Of another event they would say nothing. */
    if (!b->sampling || s->storm || !knows(b->sampling, from->event)) return;
    for (const struct bench_figure *f = b->sampling->figure; f->what; f++) {
        if (f->by != SAMPLE_BY_NONE && f->by != s->by) continue;
        emit_experiment(&(struct experiment){b->name, f->what, f->unit, (double)f->article,
                                             ours(f, s, from, ip, data, d), f->note, from->event},
                        from->origin);
    }
}
