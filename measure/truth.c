#include "measure/truth.h"
#include "kernel/hw.h"
#include "measure/reduce.h"
#include <string.h>

static const char *const verdict_text[TRUTH_VERDICTS] = {
    "agrees", "within", "differs", "absent", "not advancing", "refused", "unmodelled", "answered"};

const char *truth_verdict_text(enum truth_verdict v) { return verdict_text[v]; }

const struct truth_program *truth_program_at(unsigned i)
{
    static const struct truth_theme *const themes[] = {&truth_code,    &truth_data,        &truth_cache,
                                                       &truth_units,   &truth_simd,        &truth_tags,
                                                       &truth_figures, &truth_breakpoints, &truth_processor};
    for (unsigned t = 0; t < sizeof themes / sizeof *themes; t++) {
        if (i < themes[t]->n) return &themes[t]->program[i];
        i -= themes[t]->n;
    }
    return NULL;
}

/* ---- what a program needs ---- */

const char *truth_before_text(const struct truth_program *p)
{
    return p->program.before == truth_flush  ? "WBINVD, MOV CR3"
           : p->program.before == truth_jump ? "2,048 other jumps"
                                             : NULL;
}

/* The feature that this program needs and that is missing here; NULL: none. */
static const char *missing(const struct truth_program *p, const struct cpu *cpu, unsigned ring)
{
    static const uint32_t sse = CPUID_1_EDX_FXSR | CPUID_1_EDX_SSE; /* then fpu_init() has enabled it */
    static const uint32_t clflush = CPUID_1_EDX_CLFSH | CPUID_1_EDX_SSE2;
    if (p->flags & TRUTH_RING0 && ring != 0) return "CPL 0";
    if (p->flags & TRUTH_MMX && !(cpu->id.f1_edx & CPUID_1_EDX_MMX)) return "MMX";
    if (p->flags & TRUTH_SSE && (cpu->id.f1_edx & sse) != sse) return "SSE";
    if (p->flags & TRUTH_CLFLUSH && (cpu->id.f1_edx & clflush) != clflush) return "CLFLUSH";
    if (p->flags & TRUTH_TIMER && !cpu->timer) return "a local APIC's timer";
    return NULL;
}

/* One session of the suite. */
struct suite {
    const struct cpu *cpu;
    struct cpu quiet;   /* the same without looking for Ctrl-C between repetitions: code that runs there
                               takes lines and branch-target entries away from the payload */
    enum action suite;  /* ACTION_TRUTH or ACTION_TAGS */
    struct options opt; /* with the events of the program at hand */
    struct arena arena; /* the rest of it */
    const struct truth_sink *sink;
    struct truth_totals *totals;
    const char *word[EVENTS_MAX];
    struct truth_count count[EVENTS_MAX];
    unsigned n;
    unsigned request[EVENTS_MAX]; /* opt.event[i] is word[request[i]] */
    struct group group[EVENTS_MAX];
    struct run run;
    struct result base[BRACKET_COUNTERS], result[BRACKET_COUNTERS]; /* of one group */
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
    static const struct truth_count none = {.state = TRUTH_ABSENT};
    for (unsigned i = 0; i < s->n; i++)
        if (strcmp(s->word[i], word) == 0) return &s->count[i];
    return &none; /* more than EVENTS_MAX were requested */
}

/* Why an event of this CPU cannot be measured: the best verdict of the counters that could count it. */
static enum truth_verdict why_not(const struct pmu *pmu, uint32_t counters)
{
    for (unsigned i = 0; i < pmu->counters; i++)
        if (counters >> i & 1 && pmu->state[i] == COUNTER_NOT_ADVANCING) return TRUTH_NOT_ADVANCING;
    return TRUTH_ABSENT;
}

/* Put words into opt.event[]; those that cannot be measured get their verdict. */
static void resolve(struct suite *s)
{
    const struct pmu *pmu = s->cpu->pmu;
    s->opt.n_events = 0;
    for (unsigned i = 0; i < s->n; i++) {
        char why[160], near[128];
        struct pmu_code *code = &s->opt.event[s->opt.n_events];
        s->count[i] = (struct truth_count){.state = TRUTH_ABSENT}; /* also if it will be in no group */
        if (!pmu_event_parse(pmu, s->word[i], strlen(s->word[i]), code, why, sizeof why, near, sizeof near))
            continue;
        if (!(code->counters & pmu->usable))
            s->count[i].state = why_not(pmu, code->counters);
        else
            s->request[s->opt.n_events++] = i;
    }
}

/* ---- measuring ---- */

/* One payload with one group; false: it failed, which has been reported. */
static bool run_once(struct suite *s, const struct truth_program *p, payload_fn *payload,
                     const struct group *group, struct result *result)
{
    struct program program = p->program;
    struct run *run = &s->run;
    program.payload = payload;
    program.variant = payload == p->base ? "base" : "";
    run_program(&program, &s->opt, &s->quiet, group, &s->arena, run);
    if (run->status == RUN_OK) reduce_flags(run, s->cpu->machine, &s->arena);
    for (unsigned k = 1; run->status == RUN_OK && k < run->n; k++)
        reduce(run, k, &s->opt, s->cpu->machine, &s->arena, &result[k - 1]);
    if (run->status == RUN_OK) return true;
    s->sink->failure(s->sink->ctx, run);
    return false;
}

static bool measure_group(struct suite *s, const struct truth_program *p, const struct group *group,
                          unsigned g, unsigned groups)
{
    struct result *const base = s->base, *const result = s->result;
    uint64_t overhead[BRACKET_COUNTERS] = {0};
    bool lowered[BRACKET_COUNTERS] = {false};
    memset(base, 0, sizeof s->base);
    if (p->base && !run_once(s, p, p->base, group, base)) return false;
    for (unsigned k = 0; p->base && k < group->n; k++) { /* the base's */
        overhead[k] = s->run.count[k + 1].overhead;
        lowered[k] = s->run.count[k + 1].overhead_lowered;
    }
    if (!run_once(s, p, p->program.payload, group, result)) return false;
    for (unsigned k = 0; k < group->n; k++) {
        const struct stats *st = &result[k].stats;
        if (s->run.count[k + 1].lacking) {
            s->count[s->request[group->event[k]]].state = TRUTH_UNMODELLED;
            continue;
        }
        /* The base's raw values less this run's overhead: the overheads of the two runs may differ for events
         * that depend on the caches, and must not affect the difference. */
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
                                 .group = g,
                                 .groups = groups,
                                 .counter = group->counter[k],
                                 .reps = st->n,
                                 .smi = base[k].smi + base[k].smis + result[k].smi + result[k].smis,
                                 .stray = base[k].stray + result[k].stray,
                                 .errata = s->run.count[k + 1].errata,
                                 .overhead_lowered = lowered[k] || s->run.count[k + 1].overhead_lowered};
    }
    return true;
}

/* All words on one program. */
static bool measure(struct suite *s, const struct truth_program *p)
{
    resolve(s);
    unsigned groups = schedule_groups(s->cpu->pmu, s->opt.event, s->opt.n_events, s->group);
    for (unsigned g = 0; g < groups; g++)
        if (!measure_group(s, p, &s->group[g], g, groups)) return false;
    return true;
}

/* True: run this program, whose words have been collected. A program without words belongs to another family;
 * this is reported only for the tags, all of which belong to one family. */
static bool begin(struct suite *s, const struct truth_program *p)
{
    if (s->cpu->cancelled && s->cpu->cancelled()) s->totals->cancelled = true;
    if (s->totals->cancelled || (s->n == 0 && s->suite != ACTION_TAGS)) return false;
    const char *what = s->n ? missing(p, s->cpu, s->opt.ring) : "a Pentium 4";
    if (what) s->sink->left_out(s->sink->ctx, p, what);
    if (!what) s->totals->programs++;
    return !what;
}

/* ---- programs ---- */

static void judge(struct suite *s, const struct truth_program *p, const struct truth_row *row)
{
    struct truth_result r = {.program = p, .row = row, .count = *answer(s, row->event)};
    r.expected = truth_expected(row, &s->cpu->caches);
    if (r.count.state != TRUTH_AGREES)
        r.verdict = r.count.state;
    else if (r.expected == TRUTH_UNKNOWN)
        r.verdict = TRUTH_ABSENT;
    else
        r.verdict = row->least ? (r.count.median >= (double)r.expected ? TRUTH_WITHIN : TRUTH_DIFFERS)
                               : (r.count.median == (double)r.expected ? TRUTH_AGREES : TRUTH_DIFFERS);
    s->totals->verdict[r.verdict]++;
    s->sink->result(s->sink->ctx, &r);
}

static void one_program(struct suite *s, const struct truth_program *p)
{
    const struct truth_row *row;
    s->n = 0;
    for (row = p->row; row->classes; row++)
        if (row->classes & s->cpu->pmu->classes) ask(s, row->event);
    if (!begin(s, p)) return;
    if (!measure(s, p)) {
        s->totals->failed++;
        return;
    }
    for (row = p->row; row->classes; row++)
        if (row->classes & s->cpu->pmu->classes) judge(s, p, row);
}

/* ---- relations ---- */

/* The sum of the terms, up to NULL; r gets the worst of their states, and their flag. */
static double sum(const struct suite *s, const char *const *term, struct truth_relation_result *r)
{
    double total = 0;
    for (; *term; term++) {
        const struct truth_count *c = answer(s, *term);
        total += c->median;
        if (c->state > r->verdict) r->verdict = c->state;
        r->errata |= c->errata;
        r->overhead_lowered |= c->overhead_lowered;
    }
    return total;
}

static void ask_all(struct suite *s, const char *const *term)
{
    for (; *term; term++) ask(s, *term);
}

static enum truth_verdict compare(const struct truth_relation *x, double left, double right)
{
    if (x->must == ASKED) return TRUTH_ANSWERED;
    const bool holds = x->must == EQUAL ? left == right : left <= right;
    return holds ? TRUTH_AGREES : TRUTH_DIFFERS;
}

static void relations(struct suite *s)
{
    const struct truth_program *p = &truth_mixed;
    s->n = 0;
    for (unsigned i = 0; i < truth_n_relations; i++) {
        const struct truth_relation *x = &truth_relations[i];
        if (!(x->classes & s->cpu->pmu->classes)) continue;
        ask(s, x->left);
        ask_all(s, x->right);
    }
    if (!begin(s, p)) return;
    if (!measure(s, p)) {
        s->totals->failed++;
        return;
    }
    for (unsigned i = 0; i < truth_n_relations; i++) {
        struct truth_relation_result r = {
            .program = p, .relation = &truth_relations[i], .verdict = TRUTH_AGREES};
        if (!(r.relation->classes & s->cpu->pmu->classes)) continue;
        r.left = sum(s, (const char *const[]){r.relation->left, NULL}, &r);
        r.right = sum(s, r.relation->right, &r);
        if (r.verdict == TRUTH_AGREES) r.verdict = compare(r.relation, r.left, r.right);
        s->totals->verdict[r.verdict]++;
        s->sink->relation(s->sink->ctx, &r);
    }
}

/* In the arena's last part, so that it does not move payloads and their data. NULL: no room.
 */
static struct suite *new_suite(const struct options *opt, const struct cpu *cpu, struct arena arena)
{
    struct suite *s = arena_from_end(&arena, sizeof *s, 64);
    if (!s) return NULL;
    s->cpu = cpu;
    s->quiet = *cpu;
    s->quiet.cancelled = NULL;
    s->opt = *opt;
    s->arena = arena;
    return s;
}

void truth_run(enum action suite, const struct options *opt, const struct cpu *cpu, struct arena *arena,
               const struct truth_sink *sink, struct truth_totals *totals)
{
    const bool tags = suite == ACTION_TAGS;
    const struct truth_program *p;
    struct suite *s = new_suite(opt, cpu, *arena);
    memset(totals, 0, sizeof *totals);
    if (s) {
        s->sink = sink;
        s->totals = totals;
        s->suite = suite;
    }
    for (unsigned i = 0; (p = truth_program_at(i)) != NULL; i++) {
        if (tags && (p < truth_tags.program || p >= truth_tags.program + truth_tags.n)) continue;
        if (s)
            one_program(s, p);
        else
            sink->left_out(sink->ctx, p, "more memory");
    }
    if (s && !tags) relations(s);
}
