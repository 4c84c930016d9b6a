/* For `--format p5mon`: the records of one measurement, gathered until it is complete. */
#include "host/show.h"
#include "host/values.h"
#include <math.h>
#include <string.h>

#define REPETITIONS_MAX 1e6 /* docs/measuring.md, reps= */

static const char *const own[] = {P5MON_VALUES, P5MON_LEAST, P5MON_MOST}; /* no record brings its own */

static json_t *identity(const json_t *o)
{
    static const char *const of[] = {"bench", "variant", "params", "cpu", "ring"};
    json_t *id = json_object();
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        json_t *v = json_object_get(o, of[i]);
        if (v) json_object_set(id, of[i], v);
    }
    return id;
}

/* Results have no id. */
static bool same_id(const json_t *a, const json_t *b)
{
    const json_t *x = json_object_get(a, "id"), *y = json_object_get(b, "id");
    return x == y || json_equal(x, y);
}

/* The last record of the same event, and of the same region. */
static json_t *of_event(const json_t *records, const json_t *like)
{
    for (size_t i = json_array_size(records); i--;) {
        json_t *o = json_array_get(records, i);
        if (strcmp(text_of(o, "event"), text_of(like, "event")) == 0 && same_id(o, like)) return o;
    }
    return NULL;
}

static void append(json_t *list, double value)
{
    json_array_append_new(list, isnan(value) ? json_null() : json_real(value));
}

/* A list of o, with a null for each repetition before `first` that no record had. */
static json_t *list_from(json_t *o, const char *key, double first)
{
    json_t *list = json_object_get(o, key);
    if (!list) json_object_set_new(o, key, list = json_array());
    while (json_array_size(list) < first && first < REPETITIONS_MAX) append(list, (double)NAN);
    return list;
}

/* Raw values of a result's repetitions, less the overhead. */
static void add_reps(const struct show_p5mon *p, const json_t *reps)
{
    json_t *result = of_event(p->results, reps);
    const json_t *v;
    size_t i;
    if (!result) return;
    json_t *values = list_from(result, P5MON_VALUES, number_of(reps, "first"));
    json_array_foreach(json_object_get(reps, "raw"), i, v)
    {
        append(values, integer_value(v) - number_of(reps, "overhead"));
    }
}

/* A region's, as ranges; and as values where they are known. */
static void add_region_reps(const struct show_p5mon *p, const json_t *reps)
{
    json_t *region = of_event(p->regions, reps);
    const json_t *v;
    size_t i;
    if (!region) return;
    const double first = number_of(reps, "first");
    json_t *least = list_from(region, P5MON_LEAST, first), *most = list_from(region, P5MON_MOST, first),
           *values = list_from(region, P5MON_VALUES, first);
    json_array_foreach(json_object_get(reps, "least"), i, v)
    {
        const double from = integer_value(v),
                     to = integer_value(json_array_get(json_object_get(reps, "most"), i));
        append(least, from);
        append(most, to);
        append(values, from == to ? from : (double)NAN);
    }
}

/* What becomes of each type. */
static const struct taken {
    const char *type;
    bool result, region;
    void (*reps)(const struct show_p5mon *p, const json_t *o);
} taken[] = {
    {"result", .result = true},
    {"region", .region = true},
    {"reps", .reps = add_reps},
    {"region_reps", .reps = add_region_reps},
};

static const struct taken *taken_as(const char *type)
{
    for (const struct taken *t = taken; t < taken + sizeof taken / sizeof *taken; t++)
        if (strcmp(t->type, type) == 0) return t;
    return NULL;
}

/* ---- public ---- */

void show_p5mon_begin(struct show_p5mon *p, FILE *to)
{
    *p = (struct show_p5mon){.to = to, .results = json_array(), .regions = json_array()};
    fputs("# run_p5mon results file\n", to);
}

void show_p5mon_flush(struct show_p5mon *p)
{
    show_p5mon_print(p);
    json_array_clear(p->results);
    json_array_clear(p->regions);
    json_decref(p->id);
    p->id = NULL;
}

void show_p5mon_end(struct show_p5mon *p)
{
    show_p5mon_flush(p);
    json_decref(p->results);
    json_decref(p->regions);
}

void show_p5mon_record(struct show_p5mon *p, json_t *o, const char *type)
{
    const struct taken *as = taken_as(type);
    const char *family = text_of(json_object_get(o, "pmu"), "family");
    if (strcmp(type, "cpu") == 0) p->pentium = strcmp(family, "P5") == 0;
    if (!as) return;

    json_t *id = identity(o);
    if (!json_equal(id, p->id) || (as->result && of_event(p->results, o))) show_p5mon_flush(p);
    if (!p->id) p->id = json_incref(id);
    json_decref(id);
    if (isnan(number_of(o, "mean")) && as->result) return; /* not modelled */
    if (as->reps) {
        as->reps(p, o);
        return;
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) json_object_del(o, own[i]);
    json_array_append(as->result ? p->results : p->regions, o);
}
