#include "measure/truth.h"
#include "measure/reduce.h"
#include <string.h>

static const char *const verdict_text[TRUTH_VERDICTS] = {"agrees", "differs", "absent", "not advancing"};

const char *truth_verdict_text(enum truth_verdict v) { return verdict_text[v]; }

const struct truth_program *truth_program_at(unsigned i)
{
    static const struct truth_theme *const themes[] = {&truth_code, &truth_data, &truth_cache, &truth_units};
    for (unsigned t = 0; t < sizeof themes / sizeof *themes; t++) {
        if (i < themes[t]->n) return &themes[t]->program[i];
        i -= themes[t]->n;
    }
    return NULL;
}

/* One session of the suite. */
struct suite {
    const struct machine *m;
    struct machine quiet; /* the same without looking for Ctrl-C between repetitions: code that runs there
                             takes lines and branch-target entries away from the payload */
    struct options opt;   /* with the events of the program at hand */
    struct arena *arena;
    const struct truth_sink *sink;
    struct truth_totals *totals;
    const char *word[EVENTS_MAX];
    struct truth_count count[EVENTS_MAX];
    unsigned n;
    unsigned request[EVENTS_MAX]; /* opt.event[i] is word[request[i]] */
    struct run run;
};

/* ---- events ---- */

static void ask(struct suite *s, const char *word)
{
    for (unsigned i = 0; i < s->n; i++)
        if (strcmp(s->word[i], word) == 0) return;
    if (s->n < EVENTS_MAX) s->word[s->n++] = word;
}

static const struct truth_count *answer(const struct suite *s, const char *word)
{
    for (unsigned i = 0; i < s->n; i++)
        if (strcmp(s->word[i], word) == 0) return &s->count[i];
    return NULL;
}

/* Why an event that this CPU has cannot be measured: the best of the counters that could take it. */
static enum truth_verdict why_not(const struct pmu *pmu, uint32_t counters)
{
    for (unsigned i = 0; i < pmu->counters; i++)
        if (counters >> i & 1 && pmu->state[i] == COUNTER_NOT_ADVANCING) return TRUTH_NOT_ADVANCING;
    return TRUTH_ABSENT;
}

/* Words into opt.event[]; those that cannot be measured get their verdict. */
static void resolve(struct suite *s)
{
    const struct pmu *pmu = s->m->pmu;
    s->opt.n_events = 0;
    for (unsigned i = 0; i < s->n; i++) {
        char why[160], near[128];
        struct pmu_code *code = &s->opt.event[s->opt.n_events];
        memset(&s->count[i], 0, sizeof s->count[i]);
        if (!pmu_event_parse(pmu, s->word[i], strlen(s->word[i]), code, why, sizeof why, near, sizeof near))
            s->count[i].state = TRUTH_ABSENT;
        else if (!(code->counters & pmu->usable))
            s->count[i].state = why_not(pmu, code->counters);
        else
            s->request[s->opt.n_events++] = i;
    }
}

/* ---- measuring ---- */

/* One payload with one group; false: it has failed, and this has been told. */
static bool run_once(struct suite *s, const struct truth_program *p, payload_fn *payload,
                     const struct group *group, struct result *result)
{
    struct bench bench = {.name = p->name, .desc = p->desc, .op = "run", .cost = ""};
    struct plan_item item = {.bench = &bench};
    struct run *run = &s->run;
    bench.variant[0] = (struct bench_variant){payload == p->base ? "base" : "", payload};
    bench.prepare = p->prepare;
    run_item(&item, &s->opt, &s->quiet, group, s->arena, run);
    if (run->status == RUN_OK) reduce_flags(run, &s->quiet, s->arena);
    for (unsigned k = 1; run->status == RUN_OK && k < run->n; k++)
        if (!reduce(run, k, &s->opt, &s->quiet, s->arena, &result[k - 1])) run->status = RUN_MEMORY;
    if (run->status == RUN_OK) return true;
    s->sink->failure(s->sink->ctx, run);
    return false;
}

static bool measure_group(struct suite *s, const struct truth_program *p, const struct group *group)
{
    struct result base[BRACKET_COUNTERS], result[BRACKET_COUNTERS];
    uint64_t overhead[BRACKET_COUNTERS];
    memset(base, 0, sizeof base);
    if (p->base && !run_once(s, p, p->base, group, base)) return false;
    for (unsigned k = 0; k < group->n; k++) overhead[k] = s->run.count[k + 1].overhead; /* the base's */
    if (!run_once(s, p, p->payload, group, result)) return false;
    for (unsigned k = 0; k < group->n; k++) {
        const struct stats *st = &result[k].stats;
        /* As many as the base's raw values lie above this run's overhead: the two runs' overheads may differ
         * where what is counted depends on the caches, and must not come between. */
        double off =
            p->base ? base[k].stats.median + (double)overhead[k] - (double)s->run.count[k + 1].overhead : 0;
        s->count[s->request[group->event[k]]] =
            (struct truth_count){.state = TRUTH_AGREES,
                                 .median = st->median - off,
                                 .min = st->min - off,
                                 .max = st->max - off,
                                 .base = off,
                                 .raw_min = result[k].raw_min,
                                 .overhead = s->run.count[k + 1].overhead,
                                 .counter = group->counter[k],
                                 .reps = st->n,
                                 .smi = base[k].smi + result[k].smi,
                                 .stray = base[k].stray + result[k].stray};
    }
    return true;
}

/* All words on one program. */
static bool measure(struct suite *s, const struct truth_program *p)
{
    static struct group group[EVENTS_MAX];
    resolve(s);
    unsigned groups = schedule_groups(s->opt.event, s->opt.n_events, s->m->pmu->usable, group);
    for (unsigned g = 0; g < groups; g++)
        if (!measure_group(s, p, &group[g])) return false;
    return true;
}

/* True: go on with this program. */
static bool begin(struct suite *s, const struct truth_program *p)
{
    if (s->m->cancelled && s->m->cancelled()) s->totals->cancelled = true;
    if (s->totals->cancelled) return false;
    s->n = 0;
    if (!p->ring0 || s->opt.ring == 0) return true;
    s->sink->left_out(s->sink->ctx, p);
    return false;
}

/* ---- programs ---- */

static bool of_family(const struct suite *s, unsigned family)
{
    static const char *const names[TRUTH_FAMILIES] = {"", "P5", "P6"};
    return strcmp(names[family], s->m->pmu->ops->family) == 0;
}

static void judge(struct suite *s, const struct truth_program *p, const struct truth_row *row)
{
    struct truth_result r = {.program = p, .row = row, .count = *answer(s, row->event)};
    r.expected = row->of ? row->of(s->m->caches) : row->expected;
    if (r.count.state != TRUTH_AGREES)
        r.verdict = r.count.state;
    else if (r.expected == TRUTH_UNKNOWN)
        r.verdict = TRUTH_ABSENT;
    else
        r.verdict = r.count.median == (double)r.expected ? TRUTH_AGREES : TRUTH_DIFFERS;
    s->totals->verdict[r.verdict]++;
    s->sink->result(s->sink->ctx, &r);
}

static void one_program(struct suite *s, const struct truth_program *p)
{
    const struct truth_row *row;
    if (!begin(s, p)) return;
    for (row = p->row; row->family; row++)
        if (of_family(s, row->family)) ask(s, row->event);
    if (s->n == 0) return;
    s->totals->programs++;
    if (!measure(s, p)) {
        s->totals->failed++;
        return;
    }
    for (row = p->row; row->family; row++)
        if (of_family(s, row->family)) judge(s, p, row);
}

/* ---- relations ---- */

/* The sum of the terms; *state: the worst of theirs. */
static double sum(const struct suite *s, const char *const term[TRUTH_TERMS], enum truth_verdict *state)
{
    double total = 0;
    for (unsigned i = 0; i < TRUTH_TERMS && term[i]; i++) {
        const struct truth_count *c = answer(s, term[i]);
        total += c->median;
        if (c->state > *state) *state = c->state;
    }
    return total;
}

static void ask_all(struct suite *s, const char *const term[TRUTH_TERMS])
{
    for (unsigned i = 0; i < TRUTH_TERMS && term[i]; i++) ask(s, term[i]);
}

static void relations(struct suite *s)
{
    const struct truth_program *p = &truth_mixed;
    if (!begin(s, p)) return;
    for (unsigned i = 0; i < truth_n_relations; i++) {
        const struct truth_relation *x = &truth_relations[i];
        if (!of_family(s, x->family)) continue;
        ask_all(s, x->left);
        ask_all(s, x->right);
    }
    if (s->n == 0) return;
    s->totals->programs++;
    if (!measure(s, p)) {
        s->totals->failed++;
        return;
    }
    for (unsigned i = 0; i < truth_n_relations; i++) {
        struct truth_relation_result r = {
            .program = p, .relation = &truth_relations[i], .verdict = TRUTH_AGREES};
        if (!of_family(s, r.relation->family)) continue;
        r.left = sum(s, r.relation->left, &r.verdict);
        r.right = sum(s, r.relation->right, &r.verdict);
        if (r.verdict == TRUTH_AGREES && (r.relation->equal ? r.left != r.right : r.left > r.right))
            r.verdict = TRUTH_DIFFERS;
        s->totals->verdict[r.verdict]++;
        s->sink->relation(s->sink->ctx, &r);
    }
}

void truth_run(const struct options *opt, const struct machine *m, struct arena *arena,
               const struct truth_sink *sink, struct truth_totals *totals)
{
    static struct suite s;
    const struct truth_program *p;
    s.m = m;
    s.quiet = *m;
    s.quiet.cancelled = NULL;
    s.opt = *opt;
    s.arena = arena;
    s.sink = sink;
    s.totals = totals;
    memset(totals, 0, sizeof *totals);
    for (unsigned i = 0; (p = truth_program_at(i)) != NULL; i++) one_program(&s, p);
    relations(&s);
}
