#include "measure/options_parser.h"
#include <stdio.h>
#include <string.h>

#define MORE_NAMES ", ...; bench=list shows all"

/* For "valid:": names that begin as what was typed, then the others, as many as fit. */
static void list_names(const struct parser *ps, struct piece typed, char *buf, size_t cap)
{
    size_t used = (size_t)snprintf(buf, cap, "all, list, truth, tags, cascade or article by itself");
    for (unsigned alike = 2; alike-- > 0;)
        for (unsigned i = 0; i < ps->with->n_bench; i++) {
            const char *name = ps->with->bench[i]->program.name;
            if (ps->with->bench[i]->hidden) continue;
            if ((typed.len >= 2 && strncmp(name, typed.s, 2) == 0) != alike) continue;
            if (used + strlen(name) + sizeof MORE_NAMES + 2 > cap) {
                snprintf(buf + used, cap - used, MORE_NAMES);
                return;
            }
            used += (size_t)snprintf(buf + used, cap - used, ", %s", name);
        }
}

/* Names of variants, as many as fit, and "..." for the others. */
static void list_variants(const struct bench *b, const char *between, char *buf, size_t cap)
{
    size_t used = 0;
    buf[0] = '\0';
    for (unsigned i = 0; i < bench_variants(b); i++) {
        const char *name = bench_program(b, i).variant;
        if (used + strlen(between) + strlen(name) + sizeof "..." + strlen(between) > cap) {
            snprintf(buf + used, cap - used, "%s...", between);
            return;
        }
        used += (size_t)snprintf(buf + used, cap - used, "%s%s", i ? between : "", name);
    }
}

/* "variant=" is a word for it. */
static bool takes_variant(const struct bench *b) { return b->found || bench_variants(b) > 1; }

static void list_params(const struct bench *b, char *buf, size_t cap)
{
    size_t used = 0;
    buf[0] = '\0';
    for (unsigned i = 0; i < b->params && used < cap; i++)
        used += (size_t)snprintf(buf + used, cap - used, "%s%s=", i ? ", " : "", b->param[i].name);
    if (takes_variant(b) && used < cap) {
        char names[64];
        list_variants(b, "|", names, sizeof names);
        snprintf(buf + used, cap - used, ", variant=%s", names);
    }
    if (buf[0] == '\0') snprintf(buf, cap, "%s takes no parameters", b->program.name);
}

static void variant_value(struct parser *ps, const struct bench *b, struct piece value, int *variant)
{
    char names[200];
    for (unsigned i = 0; i < bench_variants(b); i++)
        if (piece_is(value, bench_program(b, i).variant)) {
            *variant = (int)i;
            return;
        }
    if (b->found && bench_variants(b) == 0) return; /* a fault of the benchmark itself */
    list_variants(b, ", ", names, sizeof names);
    parser_fault(ps, value, "unknown variant", "%s", names);
}

/* A number that the parameter accepts; else the fault. */
static const char *one_value(const struct bench_param *p, struct piece value, int64_t *out)
{
    if (!piece_number(value, true, out)) return piece_number_fault(value, true);
    if (*out < p->min || *out > p->max) return "number out of range";
    if (p->step == STEP_DOUBLES) return *out & (*out - 1) ? "no power of two" : NULL;
    return p->step && (*out - p->min) % p->step ? "number between two steps" : NULL;
}

/* VALUE or, where the parameter accepts a range, FROM..TO. */
static void param_value(struct parser *ps, const struct bench_param *p, struct piece value,
                        struct param_range *range)
{
    struct piece to = {.s = NULL}, from = value;
    int64_t a = 0, b = 0;
    for (size_t i = 0; i + 1 < value.len; i++)
        if (value.s[i] == '.' && value.s[i + 1] == '.') {
            from.len = i;
            to = (struct piece){value.s + i + 2, value.len - i - 2};
            break;
        }
    if (to.s && !p->range) {
        parser_fault(ps, value, "this parameter takes no range", "one value from %lld to %lld",
                     (long long)p->min, (long long)p->max);
        return;
    }
    const char *wrong = one_value(p, from, &a);
    if (!wrong && to.s) wrong = one_value(p, to, &b);
    if (!wrong && to.s && b < a) wrong = "range that ends before it begins";
    if (wrong) {
        char steps[48] = "";
        if (p->step > 1) snprintf(steps, sizeof steps, " in steps of %lld", (long long)p->step);
        if (p->step == STEP_DOUBLES) snprintf(steps, sizeof steps, ", a power of two");
        parser_fault(ps, value, wrong, "%s=%lld to %lld%s%s; K, M or G may follow the digits", p->name,
                     (long long)p->min, (long long)p->max, steps,
                     p->range ? ", or a range such as 1..32" : "");
        return;
    }
    *range = (struct param_range){a, to.s ? b : a};
}

static void param_word(struct parser *ps, const struct bench *b, struct piece piece,
                       struct param_range *range, int *variant, unsigned *seen)
{
    struct piece value, key = piece_cut(piece, '=', &value);
    if (value.s && piece_is(key, "variant") && takes_variant(b)) {
        if (*variant >= 0) parser_fault(ps, piece, "given twice", "variant= once");
        variant_value(ps, b, value, variant);
        return;
    }
    for (unsigned i = 0; value.s && i < b->params; i++)
        if (piece_is(key, b->param[i].name)) {
            if (*seen & 1u << i) parser_fault(ps, piece, "given twice", "%s= once", b->param[i].name);
            *seen |= 1u << i;
            param_value(ps, &b->param[i], value, &range[i]);
            return;
        }
    char valid[200];
    list_params(b, valid, sizeof valid);
    parser_fault(ps, piece, value.s ? "unknown parameter" : "parameter without a value", "%s", valid);
}

/* The name of a variant by itself. */
static bool bare_variant(const struct bench *b, struct piece piece, int *variant)
{
    for (unsigned i = 0; takes_variant(b) && i < bench_variants(b); i++)
        if (piece_is(piece, bench_program(b, i).variant)) {
            *variant = (int)i;
            return true;
        }
    return false;
}

static void add(struct parser *ps, const struct bench *b, int variant, const struct param_range *range,
                struct piece at)
{
    if (!plan_add(ps->plan, b, variant, range))
        parser_fault(ps, at, "too many benchmarks", "at most %u of them in one run", PLAN_LINES);
}

/* Variants that are found must be there, unless it is known why they are not. */
static bool there(struct parser *ps, const struct bench *b, struct piece at)
{
    const char *missing = b->found && bench_variants(b) == 0 ? b->found->missing() : NULL;
    if (missing) parser_fault(ps, at, "nothing to measure", "%s", missing);
    return !missing;
}

/* The largest values requested must fit into memory. */
static bool fits(struct parser *ps, const struct bench *b, const struct param_range *range, struct piece at)
{
    int64_t largest[BENCH_PARAMS];
    for (unsigned i = 0; i < BENCH_PARAMS; i++) largest[i] = range[i].to;
    uint64_t need = b->memory ? b->memory(largest, ps->with->caches) : 0;
    if (need <= ps->with->memory) return true;
    parser_fault(ps, at, "more memory than is free", "at most %llu bytes; this needs %llu",
                 (unsigned long long)ps->with->memory, (unsigned long long)need);
    return false;
}

static const struct bench *bench_named(const struct parser *ps, struct piece name)
{
    for (unsigned i = 0; i < ps->with->n_bench; i++)
        if (piece_is(name, ps->with->bench[i]->program.name)) return ps->with->bench[i];
    return NULL;
}

/* A benchmark with its parameters. NULL: the fault was reported. */
static const struct bench *bench_and_params(struct parser *ps, struct piece spec, bool bare, int *variant,
                                            struct param_range *range)
{
    struct piece rest, name = piece_cut(spec, ':', &rest);
    const struct bench *b = bench_named(ps, name);
    const unsigned before = ps->faults;
    unsigned seen = 0;
    *variant = PLAN_ALL;
    if (!b) {
        char valid[200];
        list_names(ps, name, valid, sizeof valid);
        parser_fault(ps, name, name.len ? "unknown benchmark" : "benchmark name missing", "%s", valid);
        return NULL;
    }
    plan_defaults(b, range);
    while (rest.s) {
        struct piece param = piece_cut(rest, ':', &rest);
        if (!bare || *variant >= 0 || !bare_variant(b, param, variant))
            param_word(ps, b, param, range, variant, &seen);
    }
    return ps->faults == before && there(ps, b, spec) && fits(ps, b, range, spec) ? b : NULL;
}

static void one_bench(struct parser *ps, struct piece spec)
{
    struct param_range range[BENCH_PARAMS];
    int variant;
    const struct bench *b = bench_and_params(ps, spec, false, &variant, range);
    if (b) add(ps, b, variant, range, spec);
}

bool bench_word_load(struct parser *ps, struct piece spec, struct load *out)
{
    struct param_range range[BENCH_PARAMS];
    int variant;
    const struct bench *b = bench_and_params(ps, spec, true, &variant, range);
    if (!b) return false;
    if (b->experiment || b->sampling) {
        parser_fault(ps, spec, "an experiment is no neighbour", "a benchmark with a payload");
        return false;
    }
    *out = (struct load){.bench = b, .variant = variant < 0 ? 0 : (unsigned)variant};
    for (unsigned i = 0; i < b->params; i++) {
        out->param[i] = range[i].from;
        if (range[i].from == range[i].to) continue;
        parser_fault(ps, spec, "a range", "one value for each parameter");
        return false;
    }
    return true;
}

/* Adds every benchmark that is neither hidden nor an experiment, or only the main job of these, or the
 * article's experiments; or all that came in modules, experiments included. */
enum which { ADD_ALL, ADD_MAIN, ADD_EXPERIMENTS, ADD_MODULES };

static bool is_wanted(const struct bench *b, enum which which)
{
    if (b->hidden) return false;
    if (which == ADD_MODULES) return b->found ? bench_variants(b) > 0 : b->program.users;
    return !b->experiment && !b->sampling == (which != ADD_EXPERIMENTS) && (which != ADD_MAIN || b->main_job);
}

static void add_all(struct parser *ps, enum which which, struct piece at)
{
    for (unsigned i = 0; i < ps->with->n_bench; i++) {
        const struct bench *b = ps->with->bench[i];
        struct param_range range[BENCH_PARAMS];
        if (!is_wanted(b, which)) continue;
        plan_defaults(b, range);
        add(ps, b, PLAN_ALL, range, at);
    }
}

void bench_word_default(struct parser *ps)
{
    ps->opt->modules_default = ps->with->modules;
    add_all(ps, ps->with->modules ? ADD_MODULES : ADD_MAIN, (struct piece){"", 0});
}

static const char *const actions[] = {[ACTION_LIST] = "list",
                                      [ACTION_TRUTH] = "truth",
                                      [ACTION_TAGS] = "tags",
                                      [ACTION_CASCADE] = "cascade",
                                      [ACTION_ARTICLE] = "article"};
#define ACTIONS (sizeof actions / sizeof *actions)

bool bench_word_reserved(const char *name)
{
    for (unsigned a = 1; a < ACTIONS; a++)
        if (strcmp(name, actions[a]) == 0) return true;
    return strcmp(name, "all") == 0;
}

void bench_word_parse(struct parser *ps, struct piece value)
{
    for (unsigned a = 1; a < ACTIONS; a++)
        if (piece_is(value, actions[a])) {
            ps->opt->action = (enum action)a;
            if (a == ACTION_ARTICLE) add_all(ps, ADD_EXPERIMENTS, value);
            return;
        }
    if (piece_is(value, "all")) {
        add_all(ps, ADD_ALL, value);
        return;
    }
    for (struct piece rest = value; rest.s;) {
        struct piece spec = piece_cut(rest, ',', &rest);
        int64_t number;
        if (piece_number(spec, true, &number)) { /* the 2 of bench=stride_thrash:lines=1,2,4 */
            parser_fault(ps, spec, "a comma begins another benchmark, but this is a number",
                         "one value, or a range such as lines=1..4; or NAME:lines=1,NAME:lines=2");
            return;
        }
        one_bench(ps, spec);
    }
}
