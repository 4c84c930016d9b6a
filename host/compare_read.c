/* Captures to rows: what belongs together has the same benchmark, variant, parameters, event, CPU and ring.
 */
#include "host/compare.h"
#include "host/faults.h"
#include "host/label.h"
#include "host/values.h"
#include "report/schema.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which records are rows, and where their values stand ---- */

static const struct kind {
    const char *type, *bench, *value;
} kinds[] = {
    {"result", "bench", "median"},
    {"region", "bench", "total"},
    {"truth", "program", "measured"},
};

/* What makes a value doubtful whatever the statistics say (docs/records.md, result). */
#define DOUBTS "smi|stray|overhead-lowered|below-zero|wrapped|upper-bits|erratum|overcount|undercount"

struct reading {
    struct comparison *c;
    enum side side;
    json_t *seen; /* rows of this session: how often each came */
    double tsc_step;
    struct faults faults;
};

/* ---- a record's value ---- */

/* All repetitions had the same value. In captures of earlier versions min and max have twelve digits, so the
 * interval decides as well. */
static bool without_spread(const json_t *o)
{
    const char *interval = json_object_get(o, "ci99") ? "ci99" : "ci95"; /* truth rows have none */
    return number_of(o, "min") == number_of(o, "max") && number_of(o, "reps") > 1 &&
           (!json_object_get(o, interval) || number_of(o, interval) == 0);
}

static json_t *shape_of(const json_t *o)
{
    static const char *const of[] = {"min", "median", "measured", "total", "mean",
                                     "max", "ci95",   "ci99",     "reps"};
    json_t *shape = json_object();
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        json_t *v = json_object_get(o, of[i]);
        if (v) json_object_set(shape, of[i], v);
    }
    return shape;
}

/* A result's integers are exact where its reals are rounded, in captures of earlier versions to twelve
 * digits. */
static double value_of(const json_t *o, const struct kind *s, bool exact)
{
    const double counted = (number_of(o, "raw_min") - number_of(o, "overhead")) / number_of(o, "ops");
    return exact && isfinite(counted) ? counted : number_of(o, s->value);
}

static double step_of(const struct reading *r, const json_t *o)
{
    const double ops = number_of(o, "ops");
    return (strcmp(text_of(o, "event"), "tsc") == 0 ? r->tsc_step : 1) / (ops > 0 ? ops : 1);
}

/* ---- rows ---- */

static json_t *identity(const json_t *o, const struct kind *s)
{
    static const char *const copied[] = {"variant", "params", "cpu", "ring", "event"};
    json_t *id = json_pack("{s:s}", "bench", text_of(o, s->bench));
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        json_t *v = json_object_get(o, copied[i]);
        if (v) json_object_set(id, copied[i], v);
    }
    char *beside = json_object_get(o, "with") ? beside_of(o) : NULL;
    if (beside) json_object_set_new(id, "with", json_string(beside));
    free(beside);
    if (json_object_get(o, "id")) json_object_set(id, "region", json_object_get(o, "id"));
    return id;
}

/* The row that is this; a new one where there is none. NULL: no memory. Takes the reference. */
static struct compared *row_of(struct comparison *c, json_t *id)
{
    char *key = json_dumps(id, JSON_COMPACT | JSON_SORT_KEYS);
    const json_t *known = key ? json_object_get(c->index, key) : NULL;
    struct compared *row = NULL;
    if (known) {
        row = &c->row[json_integer_value(known)];
    } else if (key) {
        if (c->n == c->room) {
            const size_t room = c->room ? 2 * c->room : 64;
            struct compared *more = realloc(c->row, room * sizeof *more);
            if (!more) goto out;
            c->row = more;
            c->room = room;
        }
        char *label = label_of(id);
        json_t *doubts = json_object();
        if (!label || !doubts || json_object_set_new(c->index, key, json_integer((json_int_t)c->n)) != 0) {
            free(label);
            json_decref(doubts);
            goto out;
        }
        row = &c->row[c->n++];
        *row = (struct compared){
            .id = json_incref(id), .label = label, .event = text_of(id, "event"), .doubts = doubts};
    }
out:
    free(key);
    json_decref(id);
    return row;
}

/* ---- records ---- */

/* The same thing measured twice in a session: the second is another row, and matches the other side's second.
 */
static bool number_occurrence(struct reading *r, json_t *id)
{
    char *key = json_dumps(id, JSON_COMPACT | JSON_SORT_KEYS);
    if (!key) return false;
    const json_int_t n = json_integer_value(json_object_get(r->seen, key)) + 1;
    const bool good = json_object_set_new(r->seen, key, json_integer(n)) == 0 &&
                      (n == 1 || json_object_set_new(id, "occurrence", json_integer(n)) == 0);
    free(key);
    return good;
}

static void note_doubts(struct compared *row, const json_t *o)
{
    size_t i;
    const json_t *flag;
    json_array_foreach(json_object_get(o, "flags"), i, flag)
    {
        const char *name = json_string_value(flag);
        if (name && schema_has_value(DOUBTS, name)) json_object_set_new(row->doubts, name, json_true());
    }
}

/* False: no memory. */
static bool add(struct reading *r, const json_t *o, const struct kind *s)
{
    const bool exact = without_spread(o);
    const double value = value_of(o, s, exact);
    if (!isfinite(value)) {
        r->c->without_value++;
        return true;
    }
    json_t *id = identity(o, s);
    if (!id || !number_occurrence(r, id)) {
        json_decref(id);
        return false;
    }
    struct compared *row = row_of(r->c, id);
    if (!row) return false;

    struct measured *m = &row->side[r->side];
    double *more = realloc(m->value, (m->n + 1) * sizeof *more);
    if (!more) return false;
    m->value = more;
    m->value[m->n++] = value;
    m->spread |= !exact;
    m->alone |= json_integer_value(json_object_get(o, "reps")) == 1;
    if (!m->shape) m->shape = shape_of(o);
    m->step = fmax(m->step, step_of(r, o));
    json_t *unit = json_object_get(o, "unit");
    if (!m->unit) m->unit = unit ? json_incref(unit) : json_null();
    const bool emulated = flag_of(o, "emulated|modelled");
    row->emulated |= emulated;
    r->c->emulator[r->side] |= emulated;
    note_doubts(row, o);
    return true;
}

static void record(void *ctx, const struct received *v)
{
    struct reading *r = ctx;
    const double step = strcmp(v->type, "quiet") == 0 ? number_of(v->object, "tsc_step") : (double)NAN;
    if (step > 0) r->tsc_step = step;
    comparison_machine(r->c, r->side, v->object, v->type);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(v->type, kinds[i].type) == 0 && !add(r, v->object, &kinds[i])) r->c->no_memory = true;
}

static void fault(void *ctx, const struct fault *f)
{
    struct reading *r = ctx;
    r->c->faults++;
    faults_add(&r->faults, f);
}

static void session(void *ctx, const struct session_seen *s)
{
    struct reading *r = ctx;
    r->c->boots[r->side]++;
    r->c->failed[r->side] += s->ended && s->status != 0;
    json_object_clear(r->seen);
    r->tsc_step = 1;
}

/* ---- public ---- */

const char *const side_name[] = {[OLD] = "OLD", [NEW] = "NEW"};

void comparison_begin(struct comparison *c)
{
    *c = (struct comparison){.index = json_object(), .facts = {[OLD] = json_object(), [NEW] = json_object()}};
    c->no_memory = !c->index || !c->facts[OLD] || !c->facts[NEW];
}

void comparison_end(struct comparison *c)
{
    for (struct compared *row = c->row; row < c->row + c->n; row++) {
        for (int side = OLD; side < SIDES; side++) {
            free(row->side[side].value);
            json_decref(row->side[side].unit);
            json_decref(row->side[side].shape);
        }
        json_decref(row->id);
        json_decref(row->doubts);
        free(row->label);
    }
    free(c->row);
    json_decref(c->index);
    json_decref(c->facts[OLD]);
    json_decref(c->facts[NEW]);
}

bool comparison_read(struct comparison *c, enum side side, const char *name, FILE *in)
{
    struct reading r = {.c = c, .side = side, .faults = {.name = name}, .seen = json_object(), .tsc_step = 1};
    const struct records_sink sink = {.record = record, .fault = fault, .session = session, .ctx = &r};
    const bool good = r.seen && records_read(in, &sink);
    json_decref(r.seen);
    return good;
}
