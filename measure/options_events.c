/* events= of the command line. */
#include "measure/options_parser.h"
#include <stdio.h>
#include <string.h>

/* One event of a list: up to the next comma outside of slashes. */
static struct piece event_cut(struct piece list, struct piece *rest)
{
    bool slashes = false;
    for (size_t i = 0; i < list.len; i++) {
        if (list.s[i] == '/') slashes = !slashes;
        if (list.s[i] != ',' || slashes) continue;
        *rest = (struct piece){list.s + i + 1, list.len - i - 1};
        return (struct piece){list.s, i};
    }
    *rest = (struct piece){.s = NULL};
    return list;
}

/* One of perf's words without an event on this CPU, at any level: reported, but not a fault, so that one list
 * serves every machine. */
static bool absent_word(struct parser *ps, struct piece name)
{
    const struct pmu_word *w;
    size_t n = name.len;
    while (n && (name.s[n - 1] == 'u' || name.s[n - 1] == 'k')) n--;
    if (n && name.s[n - 1] == ':') name.len = n - 1;
    if (!(w = pmu_word_named(ps->with->pmu, name.s, name.len)) || w->event) return false;
    pmu_list_add(ps->opt->absent, sizeof ps->opt->absent, w->word, "");
    return true;
}

/* One event, or a cascade's two, behind those that *out has. False: why says what is wrong with the word, and
 * near may say what resembles it. */
static bool add_event(const struct pmu *pmu, struct piece word, struct options *out, char *why, size_t cap,
                      char *near, size_t near_cap)
{
    struct pmu_code *to = &out->event[out->n_events];
    if (pmu_cascade_mark(word.s, word.len) == word.len) {
        if (!pmu_event_parse(pmu, word.s, word.len, to, why, cap, near, near_cap)) return false;
        out->n_events++;
        return true;
    }
    if (near_cap) near[0] = '\0';
    if (out->n_events + 2 > EVENTS_MAX) {
        snprintf(why, cap, "too many events: a cascade is two, of at most %d", EVENTS_MAX);
        return false;
    }
    if (!pmu_cascade_parse(pmu, word.s, word.len, to, why, cap, near, near_cap)) return false;
    if (!to->preset || to->init >= 0) {
        snprintf(why, cap,
                 "%s would not overflow in less than 2^%u events: give it a preset below 0, %s:init=-1000",
                 to->name, pmu->width - 1, to->name);
        return false;
    }
    out->n_events += 2;
    return true;
}

void options_event(struct parser *ps, struct piece name)
{
    struct options *opt = ps->opt;
    char why[240], near[128];
    if (piece_is(name, "tsc")) {
        opt->tsc = true;
        return;
    }
    if (piece_is(name, "all")) {
        parser_fault(ps, name, "not part of a list", "events=all alone: all events of this CPU");
        return;
    }
    if (opt->n_event_words < EVENTS_MAX)
        opt->event_word[opt->n_event_words++] = (struct text_part){name.s, name.len};
    if (absent_word(ps, name)) {
    } else if (opt->n_events == EVENTS_MAX) {
        parser_fault(ps, name, "too many events", "at most %u", EVENTS_MAX);
    } else if (!ps->with->pmu->ops && ps->elsewhere && name.len) {
        opt->elsewhere = true;
    } else if (!ps->with->pmu->ops) {
        parser_fault(ps, name, "this CPU has no performance counters that this kernel knows", "tsc");
    } else if (!add_event(ps->with->pmu, name, opt, why, sizeof why, near, sizeof near)) {
        if (ps->elsewhere && name.len) {
            opt->elsewhere = true;
            return;
        }
        ps->why = why;
        parser_fault(ps, name, "unknown event", "%s%sevents=list shows all, events=find:WORD+WORD finds some",
                     near, near[0] ? "; " : "");
        ps->why = NULL;
    }
}

void judge_events(struct parser *ps, const struct word *events, const struct word *ratio)
{
    const struct options *opt = ps->opt;
    const struct word *w = events ? events : ratio;
    char why[160];
    bool own = false; /* an experiment chooses how to sample */
    for (unsigned i = 0; i < ps->plan->n; i++) own |= ps->plan->line[i].bench->sampling != NULL;
    if (!w || opt->list_events || opt->sample == SAMPLE_BY_PEBS || (own && !opt->sample)) return;
    for (unsigned i = 0; i < opt->n_events; i++) {
        if (!pmu_event_by_pebs(&opt->event[i], why, sizeof why)) continue;
        ps->word = w;
        ps->why = why;
        parser_fault(ps, (struct piece){w->text, w->len}, "an event of PEBS",
                     "sample=pebs, or another event");
        ps->why = NULL;
        ps->word = NULL;
        return;
    }
}

/* events=find:WORD+WORD... */
static void key_find(struct parser *ps, struct piece words)
{
    struct options *opt = ps->opt;
    size_t letters = 0;
    for (size_t i = 0; i < words.len; i++) letters += words.s[i] != '+';
    if (letters == 0 || words.len >= sizeof opt->find) {
        parser_fault(ps, words, letters ? "too long" : "nothing to find",
                     "find: and 1 to %u characters, such as find:l2+miss", (unsigned)sizeof opt->find - 1);
        return;
    }
    for (size_t i = 0; i < words.len; i++)
        opt->find[i] = (char)(words.s[i] >= 'A' && words.s[i] <= 'Z' ? words.s[i] - 'A' + 'a' : words.s[i]);
    opt->list_events = true;
}

void key_events(struct parser *ps, struct piece v)
{
    static const char find[] = "find:";
    const size_t n = sizeof find - 1;
    if (v.len >= n && memcmp(v.s, find, n) == 0) {
        key_find(ps, (struct piece){v.s + n, v.len - n});
        return;
    }
    if (piece_is(v, "list")) {
        ps->opt->list_events = true;
        return;
    }
    if (piece_is(v, "all")) { /* and the time stamp, as without events= */
        if (!ps->with->pmu->ops && !ps->elsewhere)
            parser_fault(ps, v, "this CPU has no performance counters that this kernel knows", "tsc");
        ps->opt->every_event = true;
        return;
    }
    ps->opt->tsc = false;
    for (struct piece rest = v; rest.s;) {
        struct piece name = event_cut(rest, &rest);
        options_event(ps, name);
    }
}

void options_elsewhere(const struct options *given, const struct pmu *pmu,
                       void (*lacks)(void *ctx, const struct text_part *event), void *ctx,
                       struct options *out)
{
    char why[240], near[128];
    *out = *given;
    out->n_events = 0;
    out->absent[0] = '\0';
    for (unsigned i = 0; i < given->n_event_words; i++) {
        const struct text_part *w = &given->event_word[i];
        if (!pmu->ops ||
            !add_event(pmu, (struct piece){w->s, w->len}, out, why, sizeof why, near, sizeof near))
            lacks(ctx, w);
    }
}
