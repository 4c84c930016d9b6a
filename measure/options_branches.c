/* branches= of the command line. */
#include "measure/options_parser.h"
#include "pmu/lbr.h"
#include <string.h>

/* "any, any_call, ..." */
static const char *names(void)
{
    static char list[96];
    list[0] = '\0';
    for (unsigned i = 0; i < LBR_WORDS; i++) pmu_list_add(list, sizeof list, lbr_words[i].name, "");
    return list;
}

static void filter_word(struct parser *ps, struct piece name)
{
    for (const struct lbr_word *w = lbr_words; w < lbr_words + LBR_WORDS; w++) {
        if (!piece_is(name, w->name)) continue;
        ps->opt->branches |= w->branches;
        return;
    }
    parser_fault(ps, name, "unknown kind of branches", "%s", names());
}

/* lbr, or lbr:WORD,WORD,...: kinds add up, and so do rings. */
void key_branches(struct parser *ps, struct piece v)
{
    struct piece rest;
    const struct piece facility = piece_cut(v, ':', &rest);
    unsigned *branches = &ps->opt->branches;
    const unsigned before = ps->faults;
    if (!piece_is(facility, "lbr")) {
        parser_fault(ps, facility, "unknown value", "lbr, or lbr: and kinds of branches: %s", names());
        return;
    }
    while (rest.s) {
        const struct piece name = piece_cut(rest, ',', &rest);
        filter_word(ps, name);
    }
    if (ps->faults != before) return;
    if (!(*branches & (LBR_ANY | LBR_CALL_STACK))) *branches |= LBR_ANY;
    if (*branches & LBR_CALL_STACK && (*branches & LBR_ANY) != (LBR_REL_CALL | LBR_IND_CALL | LBR_RET))
        parser_fault(ps, v, "a call stack is made of calls and returns alone",
                     "lbr:call_stack, with u at most");
}

/* An event that counts each branch that is taken: then every one is met equally often, whatever its block
 * takes. Where none is known, all branches. The first that this CPU has is used. */
static const struct {
    uint32_t classes;
    const char *user, *kernel;
} taken[] = {
    {CLASS_BRIDGE, "br_inst_retired.near_taken:u", "br_inst_retired.near_taken:k"},
    {CLASS_BRIDGE, "r20c4:u", "r20c4:k"},
    {CLASS_CORE2, "r0cc4:u", "r0cc4:k"}, /* BR_INST_RETIRED.TAKEN */
    {CLASS_AMD, "r00c4:u", "r00c4:k"},   /* taken branches: BKDGs and PPRs, PMCx0C4 */
    {CLASS_ALL, "branches:u", "branches:k"},
};

static bool samples_itself(const struct plan *plan)
{
    bool any = false;
    for (unsigned i = 0; i < plan->n; i++) any |= plan->line[i].bench->sampling != NULL;
    return any;
}

/* By the first of the events that this CPU has. */
static void add_taken(struct parser *ps)
{
    struct options *opt = ps->opt;
    const struct pmu *pmu = ps->with->pmu;
    for (unsigned i = 0; i < sizeof taken / sizeof *taken; i++) {
        struct pmu_code code;
        char why[8];
        const char *word = opt->ring ? taken[i].user : taken[i].kernel;
        if (taken[i].classes != CLASS_ALL && !(taken[i].classes & pmu->classes)) continue;
        if (!pmu_event_parse(pmu, word, strlen(word), &code, why, sizeof why, NULL, 0)) continue;
        opt->tsc = false;
        options_event(ps, (struct piece){word, strlen(word)});
        return;
    }
}

void judge_branches(struct parser *ps, const struct word *w, const struct word *sample)
{
    struct options *opt = ps->opt;
    if (!w || (!sample && samples_itself(ps->plan))) return;
    if (!sample) {
        opt->sample = SAMPLE_BY_PMI;
        if (!opt->ring_given) opt->ring = 3;
    }
    const bool named = opt->n_events || opt->elsewhere || opt->list_events || opt->every_event;
    if (opt->sample == SAMPLE_BY_PMI && !named && ps->with->pmu->ops) add_taken(ps);
}
