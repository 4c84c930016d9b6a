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
    const char *event[2]; /* of ring 0, of ring 3 */
} taken[] = {
    {CLASS_BRIDGE, {"r20c4:k", "r20c4:u"}}, /* BR_INST_RETIRED.NEAR_TAKEN */
    {CLASS_CORE2, {"r0cc4:k", "r0cc4:u"}},  /* BR_INST_RETIRED.TAKEN */
    {CLASS_AMD, {"r00c4:k", "r00c4:u"}},    /* taken branches: BKDGs and PPRs, PMCx0C4 */
    {CLASS_ALL, {"branches:k", "branches:u"}},
};

static bool samples_itself(const struct plan *plan)
{
    bool any = false;
    for (unsigned i = 0; i < plan->n; i++) any |= plan->line[i].bench->sampling != NULL;
    return any;
}

/* By the first row that is for this CPU. */
static void add_taken(struct parser *ps)
{
    const unsigned own = ps->with->pmu->classes, user = ps->opt->ring != 0;
    unsigned i = 0;
    while (taken[i].classes != CLASS_ALL && !(taken[i].classes & own)) i++;
    ps->opt->tsc = false;
    options_event(ps, (struct piece){taken[i].event[user], strlen(taken[i].event[user])});
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
