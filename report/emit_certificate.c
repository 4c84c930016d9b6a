/* The noise certificate, as a part of the record `done`. */
#include "report/emit.h"
#include "report/put.h"
#include <stdio.h>

static bool counted(const struct certificate *c) { return c->cpu->smi_counter || c->by_event; }

/* What is off, in words for the text's one line. */
static void off(struct record *r, const struct certificate *c)
{
    char words[64];
    const char *name;
    OPEN(r, certificate, off);
    if (c->disturbed > c->again) {
        snprintf(words, sizeof words, "%u of %u runs disturbed", c->disturbed - c->again, c->runs - c->again);
        ITEM(r, certificate, off, words);
    }
    if (counted(c) && c->smis) {
        snprintf(words, sizeof words, "%u SMI%s", (unsigned)c->smis, c->smis == 1 ? "" : "s");
        ITEM(r, certificate, off, words);
    }
    for (unsigned i = 0; (name = throttle_name(c->throttled, i)) != NULL; i++) {
        snprintf(words, sizeof words, "throttled: %s", name);
        ITEM(r, certificate, off, words);
    }
    if (record_has_clocks() && certificate_clock_moved(c)) {
        snprintf(words, sizeof words, "core clock %.3g to %.3g x TSC", c->core_least, c->core_most);
        ITEM(r, certificate, off, words);
    }
    rec_close(r);
}

static void throttling(struct record *r, const struct certificate *c)
{
    const char *name;
    PUT(r, certificate, throttle, c->throttle == KNOWN ? "read" : known_text(c->throttle));
    if (c->throttle != KNOWN) return;
    OPEN(r, certificate, throttled);
    for (unsigned i = 0; (name = throttle_name(c->throttled, i)) != NULL; i++)
        ITEM(r, certificate, throttled, name);
    rec_close(r);
    if (!c->stuck) return;
    OPEN(r, certificate, stuck);
    for (unsigned i = 0; (name = throttle_name(c->stuck, i)) != NULL; i++) ITEM(r, certificate, stuck, name);
    rec_close(r);
}

void emit_certificate(struct record *r, const struct certificate *c)
{
    const uint64_t hz = c->cpu->machine->clock.tsc_hz;
    OPEN(r, done, certificate);
    off(r, c);
    PUT(r, certificate, elapsed_tsc, c->elapsed);
    if (hz) PUT(r, certificate, elapsed_s, (double)c->elapsed / (double)hz);
    PUT(r, certificate, runs, c->runs);
    PUT(r, certificate, disturbed, c->disturbed);
    PUT(r, certificate, again, c->again);
    if (c->runs) PUT(r, certificate, over_median_tsc, c->over_median);
    PUT(r, certificate, smis_by, c->cpu->smi_counter ? "msr 34h" : c->by_event ? "event" : "none");
    if (counted(c)) PUT(r, certificate, smis, c->smis);
    if (c->core_most > 0) {
        PUT(r, certificate, core_per_tsc_least, c->core_least);
        PUT(r, certificate, core_per_tsc_most, c->core_most);
    }
    throttling(r, c);
    rec_close(r);
}
