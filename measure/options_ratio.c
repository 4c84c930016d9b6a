/* ratio= of the command line. */
#include "measure/options_parser.h"
#include <string.h>

/* The length of the event that p begins with: up to a comma or a slash, but for those of /event=0xc0,inv/ */
static size_t event_length(struct piece p)
{
    size_t n = 0;
    if (p.len && p.s[0] == '/') {
        for (n = 1; n < p.len && p.s[n] != '/'; n++) continue;
        n += n < p.len;
    }
    while (n < p.len && p.s[n] != ',' && p.s[n] != '/') n++;
    return n;
}

/* Is it among the events that are to be counted? */
static bool counted(const struct parser *ps, struct piece event)
{
    struct pmu_code code;
    char why[8];
    if (!ps->with->pmu->ops ||
        !pmu_event_parse(ps->with->pmu, event.s, event.len, &code, why, sizeof why, NULL, 0))
        return false;
    for (unsigned i = 0; i < ps->opt->n_events; i++)
        if (pmu_code_same(&ps->opt->event[i], &code)) return true;
    return false;
}

static void add_term(struct parser *ps, struct piece event)
{
    if (!counted(ps, event)) options_event(ps, event);
}

/* On another processor's PMU it may be known. */
static const struct ratio *named(const struct parser *ps, struct piece word)
{
    char name[RATIO_WORD];
    const struct ratio *r;
    for (unsigned i = 0; (r = ratio_at(i)); i++) {
        ratio_word(r, name, sizeof name);
        if (piece_is(word, name) && (ps->elsewhere || ratio_known(ps->with->pmu, r))) return r;
    }
    return NULL;
}

/* under.s NULL: the word has no slash. */
static void one_ratio(struct parser *ps, struct piece word, struct piece over, struct piece under)
{
    struct options *opt = ps->opt;
    const struct ratio *r = under.s ? NULL : named(ps, word);
    if (opt->n_ratios == RATIOS_ASKED || opt->n_events + 2 > EVENTS_MAX) {
        parser_fault(ps, word, "too many ratios", "at most %u, and %u events", RATIOS_ASKED, EVENTS_MAX);
        return;
    }
    if (!under.s && !r) {
        parser_fault(ps, word, "unknown ratio", "EVENT/EVENT, or a name that ratio=list shows");
        return;
    }
    if (r) {
        over = (struct piece){r->over, strlen(r->over)};
        under = (struct piece){r->under, strlen(r->under)};
    }
    add_term(ps, over);
    add_term(ps, under);
    opt->ratio[opt->n_ratios++] =
        (struct asked_ratio){.named = r, .over = {over.s, over.len}, .under = {under.s, under.len}};
}

void key_ratio(struct parser *ps, struct piece v)
{
    if (piece_is(v, "list")) {
        ps->opt->list_events = ps->opt->list_ratios = true;
        return;
    }
    for (struct piece rest = v; rest.s;) {
        const size_t first = event_length(rest);
        const bool two = first < rest.len && rest.s[first] == '/';
        struct piece over = {rest.s, first}, under = {.s = NULL}, word = over;
        if (two) {
            under = (struct piece){rest.s + first + 1, rest.len - first - 1};
            under.len = event_length(under);
            word.len = first + 1 + under.len;
        }
        if (word.len < rest.len && rest.s[word.len] == '/') {
            parser_fault(ps, rest, "a ratio has two terms", "EVENT/EVENT[,EVENT/EVENT...]");
            return;
        }
        one_ratio(ps, word, over, under);
        if (word.len < rest.len)
            rest = (struct piece){rest.s + word.len + 1, rest.len - word.len - 1};
        else
            rest.s = NULL;
    }
}

void judge_counted(struct parser *ps, const struct word *w)
{
    const struct options *opt = ps->opt;
    const char *valid = opt->every_event && opt->n_ratios ? "ratio= or events=all"
                        : opt->sample                     ? "this word or sample=: it is for counts"
                        : opt->paired                     ? "this word or pair="
                        : opt->action != ACTION_MEASURE && opt->action != ACTION_LIST
                            ? "bench= with names of benchmarks"
                            : NULL;
    if (!w || !valid || !(opt->n_ratios || opt->levels)) return;
    ps->word = w;
    parser_fault(ps, (struct piece){w->text, w->len}, "this word does not go with another", "%s", valid);
    ps->word = NULL;
}
