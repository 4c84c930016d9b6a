/* steps= of the command line. */
#include "measure/options_parser.h"

#define HELP "FROM..TO or FROM..TO:BY, in cycles from 0 to %d, such as 0..200 or 0..10000:50; or auto"

/* The part before "..", and in *rest that behind it; .s NULL: there is none. */
static struct piece range_cut(struct piece v, struct piece *rest)
{
    *rest = (struct piece){.s = NULL};
    for (size_t i = 0; i + 1 < v.len; i++) {
        if (v.s[i] != '.' || v.s[i + 1] != '.') continue;
        *rest = (struct piece){v.s + i + 2, v.len - i - 2};
        return (struct piece){v.s, i};
    }
    return v;
}

static bool cycle(struct parser *ps, struct piece v, uint32_t *out)
{
    int64_t n;
    if (!piece_number(v, true, &n) || n > STEPS_CYCLE) {
        parser_fault(ps, v, piece_number_fault(v, true), HELP, STEPS_CYCLE);
        return false;
    }
    *out = (uint32_t)n;
    return true;
}

void key_steps(struct parser *ps, struct piece v)
{
    struct step_range *r = &ps->opt->steps;
    struct piece by, to, from = range_cut(piece_cut(v, ':', &by), &to);
    *r = (struct step_range){.given = true, .automatic = piece_is(v, "auto"), .by = 1};
    if (r->automatic) return;
    if (!to.s) {
        parser_fault(ps, v, "not a range", HELP, STEPS_CYCLE);
        return;
    }
    if (!cycle(ps, from, &r->from) || !cycle(ps, to, &r->to) || (by.s && !cycle(ps, by, &r->by))) return;
    if (r->to < r->from)
        parser_fault(ps, v, "range that ends before it begins", HELP, STEPS_CYCLE);
    else if (r->by == 0)
        parser_fault(ps, by, "number out of range", "1 or more cycles from one step to the next");
    else if ((r->to - r->from) / r->by >= STEPS_MOST)
        parser_fault(ps, v, "too many steps", "at most %d: steps=%u..%u:%u", STEPS_MOST, r->from, r->to,
                     (r->to - r->from) / STEPS_MOST + 1);
}

/* ---- the line ---- */

static bool any_of(const struct plan *plan, bool (*is)(const struct bench *b))
{
    for (unsigned i = 0; i < plan->n; i++)
        if (is(plan->line[i].bench)) return true;
    return false;
}

static bool by_itself(const struct bench *b) { return b->experiment || b->sampling; }
static bool has_regions(const struct bench *b) { return b->program.regions != NULL; }

static bool begins_apart(const struct options *opt)
{
    bool any = false;
    for (unsigned i = 0; i < opt->n_events; i++) any |= opt->event[i].preset || opt->event[i].cascade;
    return any;
}

static bool has_breakpoints(const struct options *opt)
{
    bool any = opt->pins.show != PINS_FOUND;
    for (unsigned i = 0; i < BREAKPOINTS; i++) any |= opt->breakpoint[i].len != 0;
    return any;
}

void judge_steps(struct parser *ps, const struct word *w, const struct word *events)
{
    const struct options *opt = ps->opt;
    const struct {
        bool is;
        const char *what, *valid;
    } rows[] = {
        {opt->sample, "steps stop the counters, samples let them run", "steps= or sample="},
        {opt->paired, "a pair is timed as a whole", "steps= or pair="},
        {opt->action != ACTION_MEASURE && opt->action != ACTION_LIST, "this bench= counts in its own way",
         "bench= with names of benchmarks, or no steps="},
        {opt->every_event, "events=all counts whole calls", "events=EVENT,... or no events=, with steps="},
        {begins_apart(opt), "steps preset the counters themselves", "events= without init= and cascades"},
        {events && opt->tsc && !opt->list_events, "the time stamp does not stop", "events= without tsc"},
        {opt->n_ratios || opt->levels, "ratios and levels are of whole calls",
         "steps= without ratio= and levels="},
        {opt->all || opt->cull || opt->again, "a step has the median of its repetitions",
         "steps= without all=, cull= and again="},
        {opt->trace || has_breakpoints(opt), "nothing else may look at the payload",
         "steps= without trace=, pins= and dr0= to dr3="},
        {opt->n_events == EVENTS_MAX, "too many events", "at most 63 with steps="},
        {any_of(ps->plan, by_itself), "an experiment measures by itself",
         "bench= without experiments, or no steps="},
        {any_of(ps->plan, has_regions), "regions read counters while they run",
         "bench= without regions, or no steps="},
        {!ps->elsewhere && !ps->with->pmu->freezes,
         "this CPU's counters do not stop by themselves after so many cycles",
         "Intel's CPUs since Core 2 and AMD's since Zen 4; here sample=pmi or timer shows where events and "
         "time go"},
    };
    _Static_assert(EVENTS_MAX == 64, "at most 63");
    for (size_t i = 0; w && i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].is) continue;
        ps->word = w;
        parser_fault(ps, (struct piece){w->text, w->len}, rows[i].what, "%s", rows[i].valid);
        ps->word = NULL;
        return;
    }
}
