#include "monitor/live_view.h"
#include "kernel/machine.h"
#include "report/text.h"
#include <stdio.h>
#include <string.h>

#define NAME  23
#define RATE  10 /* at least: a longer one takes the name's room */
#define BAR   10
#define WHOLE 1e18 /* a scale that has no decimals */

_Static_assert(LIVE_ROWS <= 24, "a terminal has 24 rows");

static struct live_quantity *next(struct live_view *v, const char *name)
{
    struct live_quantity *q = &v->q[v->n++];
    *q = (struct live_quantity){.name = name};
    return q;
}

void live_view_begin(struct live_view *v, const struct rates *r, bool tsc)
{
    const struct run *run = &r->run;
    v->n = v->intervals = 0;
    v->seconds = 0;
    if (tsc) next(v, "tsc")->unmodelled = run->count[0].unmodelled;
    for (unsigned k = 1; k < run->n; k++) next(v, run->count[k].event)->unmodelled = run->count[k].unmodelled;
    if (!r->idle) next(v, "rounds of the benchmark");
    next(v, "interrupts");
    if (rates_count_smis(r)) next(v, "SMIs");
}

static struct live_quantity *push(struct live_quantity *q, double rate)
{
    memmove(q->rate, q->rate + 1, (LIVE_HISTORY - 1) * sizeof *q->rate);
    q->rate[LIVE_HISTORY - 1] = rate;
    return q + 1;
}

void live_view_add(struct live_view *v, const struct rates *r, const struct rates_interval *i, uint64_t hz)
{
    const bool timed = !r->run.cpu->machine->modelled; /* else counts: the model has no seconds */
    const double seconds = timed ? (double)i->ticks / (double)hz : 1;
    struct live_quantity *q = v->q;
    if (strcmp(q->name, "tsc") == 0) q = push(q, (double)i->ticks / seconds);
    for (unsigned k = 0; k + 1 < r->run.n; k++) {
        q->wrapped = i->wrapped;
        q = push(q, (double)i->count[k] / seconds);
    }
    if (!r->idle) q = push(q, (double)i->rounds / seconds);
    q = push(q, i->interrupts / seconds);
    if (rates_count_smis(r)) push(q, (double)i->smis / seconds);
    v->seconds = seconds;
    v->intervals++;
}

/* ---- rows ---- */

static void name_of(const struct live_quantity *q, int room, char text[NAME + 1])
{
    const bool cut = (int)strlen(q->name) > room;
    snprintf(text, NAME + 1, "%.*s%s", cut ? room - 2 : room, q->name, cut ? ".." : "");
}

static double most_of(const struct live_quantity *q, unsigned shown)
{
    double most = 0;
    for (unsigned i = LIVE_HISTORY - shown; i < LIVE_HISTORY; i++)
        if (q->rate[i] > most) most = q->rate[i];
    return most;
}

/* A character for each interval: a blank is 0, @ the most of those that are shown. */
static char level(double rate, double most)
{
    static const char levels[] = ".:-=+*#%@";
    const unsigned last = sizeof levels - 2;
    return rate > 0 ? levels[rate < most ? (unsigned)(rate / most * last + 0.5) : last] : ' ';
}

static void quantity(const struct live_quantity *q, unsigned shown, bool counts, char row[LIVE_COLUMNS + 1])
{
    const double now = q->rate[LIVE_HISTORY - 1], most = most_of(q, shown);
    const int bar = most > 0 ? (int)(now / most * BAR + 0.5) : 0;
    char name[NAME + 1], rate[24], past[LIVE_HISTORY + 1] = "";
    text_number(rate, sizeof rate, now, counts ? WHOLE : now);
    if (q->unmodelled) snprintf(rate, sizeof rate, "unmodelled");
    const int room = strlen(rate) > RATE ? NAME - (int)strlen(rate) + RATE : NAME;
    name_of(q, room, name);
    if (q->unmodelled) {
        snprintf(row, LIVE_COLUMNS + 1, "%-*s %*s", NAME, name, RATE, rate);
        return;
    }
    memset(past, ' ', LIVE_HISTORY);
    for (unsigned i = LIVE_HISTORY - shown; i < LIVE_HISTORY; i++) past[i] = level(q->rate[i], most);
    snprintf(row, LIVE_COLUMNS + 1, "%-*s %*s%c [%-*.*s] %s", room, name, RATE, rate, q->wrapped ? '!' : ' ',
             BAR, bar, "##########", past);
    for (size_t n = strlen(row); n && row[n - 1] == ' ';) row[--n] = '\0';
}

unsigned live_view_rows(const struct live_view *v, const struct rates *r, unsigned ring,
                        char row[LIVE_ROWS][LIVE_COLUMNS + 1])
{
    const struct run *run = &r->run;
    const struct machine *m = run->cpu->machine;
    const char *variant = run->program.variant ? run->program.variant : "";
    const char *origin = origin_flag(run->n > 1 ? m->count_origin : m->time_origin);
    const unsigned shown = v->intervals < LIVE_HISTORY ? v->intervals : LIVE_HISTORY;
    char length[24] = "";
    if (!m->modelled) snprintf(length, sizeof length, ", %.3f s", v->seconds);
    snprintf(row[0], LIVE_COLUMNS + 1, "q leaves. Interval %u%s%s%s, cpu %u, ring %u: %s%s%s", v->intervals,
             length, origin ? ", " : "", origin ? origin : "", run->cpu->index, ring,
             r->idle ? "a loop that waits" : run->program.name, *variant ? " " : "", variant);
    snprintf(row[1], LIVE_COLUMNS + 1, "%-*s %*s  %-*s%s", NAME, "", RATE,
             m->modelled ? "counted" : "a second", BAR + 3, "of the most", "the intervals before, to now");
    for (unsigned i = 0; i < v->n; i++) quantity(&v->q[i], shown, m->modelled, row[2 + i]);
    return 2 + v->n;
}
