#include "report/emit_experiment.h"
#include "report/put.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Held for the article's page (emit_article.c). */
static struct held {
    struct experiment experiment;
    enum origin origin;
    char event[40], note[200]; /* copies of their texts, which may be overwritten by then */
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

/* Under the PMU model cycles are not a processor's. */
static bool withheld(const char *unit) { return !record_has_clocks() && strstr(unit, "cycle"); }

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
    const bool hidden = withheld(e->unit), known = !isnan(e->ours) && !hidden;
    const char *note = hidden && (!isnan(e->ours) || !e->note)
                           ? "not modelled: the emulator's cycles are not a processor's"
                           : e->note;
    struct record *r = NEW(experiment);
    PUT(r, experiment, experiment, e->name);
    PUT(r, experiment, what, e->what);
    PUT(r, experiment, unit, e->unit);
    if (e->event) PUT(r, experiment, event, e->event);
    if (!isnan(e->article)) PUT(r, experiment, article, e->article);
    if (known) PUT(r, experiment, ours, e->ours);
    if (e->of && known) {
        PUT(r, experiment, of, e->of);
        PUT(r, experiment, conf, e->conf);
        PUT(r, experiment, low, e->low);
        PUT(r, experiment, high, e->high);
    }
    if (note) PUT(r, experiment, note, note);
    OPEN(r, experiment, flags);
    if (origin != ORIGIN_SILICON && known) ITEM(r, experiment, flags, origin_flag(origin));
    rec_close(r);
    record_emit(r);
}
