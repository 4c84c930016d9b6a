/* The words for what looks at a payload from aside: hooks in it (trace=), and the pins of its processor
 * (pins=). */
#include "measure/options_parser.h"
#include "measure/trace.h"
#include <string.h>

#define PINS_MOST 0x7fffffff /* as a period */

void key_trace(struct parser *ps, struct piece v)
{
    int64_t n;
    if (!piece_number(v, false, &n) || n < TRACE_LEAST || n > TRACE_MOST || n & (n - 1))
        parser_fault(ps, v, piece_number_fault(v, false), "a power of two from %d to %d: entries of the ring",
                     TRACE_LEAST, TRACE_MOST);
    else
        ps->opt->trace = (unsigned)n;
}

void key_pins(struct parser *ps, struct piece v)
{
    struct piece after, what = piece_cut(v, ':', &after);
    int64_t n = 0;
    if (piece_is(what, "increment") && !after.s)
        ps->opt->pins.show = PINS_INCREMENT;
    else if (!piece_is(what, "overflow"))
        parser_fault(ps, v, "unknown value", "increment, overflow or overflow:EVENTS");
    else if (after.s && (!piece_number(after, false, &n) || n < 1 || n > PINS_MOST))
        parser_fault(ps, after, piece_number_fault(after, false), "1 to %d, in digits", PINS_MOST);
    else
        ps->opt->pins = (struct pmu_pins){PINS_OVERFLOW, (uint32_t)n};
}

static void word_fault(struct parser *ps, const struct word *w, const char *what, const char *valid)
{
    ps->word = w;
    parser_fault(ps, (struct piece){w->text, w->len}, what, "%s", valid);
    ps->word = NULL;
}

/* Something in the plan must have hooks. */
static void judge_trace(struct parser *ps, const struct word *trace)
{
    for (unsigned i = 0; i < ps->plan->n; i++)
        if (ps->plan->line[i].bench->program.channels) return;
    word_fault(ps, trace, "nothing that is measured has hooks of a trace",
               "bench=traced, or a program of yours with trace_here() (anechoic payload build)");
}

static void judge_pins(struct parser *ps, const struct word *pins)
{
    if (!ps->with->pmu->shows_pins)
        word_fault(ps, pins, "this CPU's counters show nothing on pins",
                   "a Pentium or Pentium MMX, or no pins=");
    else if (ps->opt->sample)
        word_fault(ps, pins, "with sample= the pins are the sampler's", "pins= without sample=");
    else if (!ps->opt->n_events)
        word_fault(ps, pins, "no event to show on the pins",
                   "events=EVENT: PM0 is the pin of counter 0, PM1 of 1");
}

void judge_probes(struct parser *ps, const struct probe_words *at)
{
    if (at->trace) judge_trace(ps, at->trace);
    if (at->pins) judge_pins(ps, at->pins);
}
