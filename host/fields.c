#include "host/fields.h"
#include "host/values.h"
#include "report/schema.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- faults ---- */

/* Where a value is, from the inside out. It becomes text only where there is a fault. */
struct place {
    const struct place *in; /* NULL: the record itself */
    const char *name;       /* of the record, or of the field; NULL: an element */
    size_t element;
    bool member; /* the name is a free one */
};

static size_t place_text(char *s, size_t cap, const struct place *p)
{
    static const char *const formats[] = {", \"%s\"", ", member \"%s\""};
    const size_t at = p->in ? place_text(s, cap, p->in) : 0;
    if (at >= cap) return at;
    if (!p->in) return (size_t)snprintf(s, cap, "%s", p->name);
    return at + (size_t)(p->name ? snprintf(s + at, cap - at, formats[p->member], p->name)
                                 : snprintf(s + at, cap - at, ", element %zu", p->element));
}

__attribute__((format(printf, 3, 4))) static void fault(const struct fields_check *c, const struct place *p,
                                                        const char *format, ...)
{
    char what[512];
    va_list args;
    size_t at = place_text(what, sizeof what / 2, p);
    if (at >= sizeof what / 2) at = sizeof what / 2 - 1;
    va_start(args, format);
    vsnprintf(what + at, sizeof what - at, format, args);
    va_end(args);
    c->fault(c->ctx, what);
}

/* ---- values ---- */

#define EXACT_MAX (1ll << 53)

/* A string is an integer only where a number could not hold it. */
static bool is_big_integer(const char *s)
{
    return *s && s[strspn(s, "0123456789")] == '\0' && strtoull(s, NULL, 10) > (unsigned long long)EXACT_MAX;
}

bool fields_is_integer(const json_t *v, bool negative_too)
{
    const char *s = json_string_value(v);
    if (s) return is_big_integer(s + (negative_too && *s == '-'));
    long long i = json_integer_value(v);
    return json_is_integer(v) && i <= EXACT_MAX && i >= (negative_too ? -EXACT_MAX : 0);
}

static bool is_hex(const json_t *v)
{
    const char *s = json_string_value(v);
    return s && strncmp(s, "0x", 2) == 0 && s[2] && s[2 + strspn(s + 2, "0123456789abcdef")] == '\0';
}

static bool is_type(const json_t *v, enum schema_type type)
{
    switch (type) {
    case SCHEMA_UINT:
        return fields_is_integer(v, false);
    case SCHEMA_INT:
        return fields_is_integer(v, true);
    case SCHEMA_REAL:
        return json_is_real(v);
    case SCHEMA_REAL_OR_NULL:
        return json_is_real(v) || json_is_null(v);
    case SCHEMA_NUMBER:
        return json_is_real(v) || fields_is_integer(v, true);
    case SCHEMA_STR:
        return json_is_string(v);
    case SCHEMA_BOOL:
        return json_is_boolean(v);
    case SCHEMA_HEX:
        return is_hex(v);
    case SCHEMA_INT_OR_STR:
        return fields_is_integer(v, true) || json_is_string(v);
    case SCHEMA_LIST:
        return json_is_array(v);
    case SCHEMA_OBJECT:
    case SCHEMA_MAP:
        return json_is_object(v);
    case SCHEMA_GROUP:
        break;
    }
    return false;
}

static const char *type_name(enum schema_type type)
{
    static const char *const names[] = {
        [SCHEMA_UINT] = "an unsigned integer",
        [SCHEMA_INT] = "an integer",
        [SCHEMA_REAL] = "a real",
        [SCHEMA_REAL_OR_NULL] = "a real or null",
        [SCHEMA_NUMBER] = "a number",
        [SCHEMA_STR] = "a string",
        [SCHEMA_BOOL] = "a boolean",
        [SCHEMA_HEX] = "a hexadecimal string",
        [SCHEMA_INT_OR_STR] = "an integer or a string",
        [SCHEMA_LIST] = "an array",
        [SCHEMA_OBJECT] = "an object",
        [SCHEMA_MAP] = "an object",
    };
    return names[type];
}

/* ---- fields ---- */

static void check_object(const struct fields_check *c, const struct place *p, json_t *o,
                         enum schema_set_id set);

/* A value, or a member of a list or a map. */
static void check_value(const struct fields_check *c, const struct place *p, json_t *v, enum schema_type type,
                        const struct schema_field *f)
{
    if (!is_type(v, type))
        fault(c, p, ": is not %s", type_name(type));
    else if (type == SCHEMA_STR && f->values && !schema_has_value(f->values, json_string_value(v)))
        fault(c, p, ": \"%s\" is none of %s", json_string_value(v), f->values);
    else if (type == SCHEMA_OBJECT)
        check_object(c, p, v, f->sub);
}

static void check_members(const struct fields_check *c, const struct place *p, json_t *v,
                          const struct schema_field *f)
{
    struct place inner = {.in = p, .member = true};
    json_t *m;
    if (f->type == SCHEMA_LIST) {
        json_array_foreach(v, inner.element, m) { check_value(c, &inner, m, f->of, f); }
    } else if (f->type == SCHEMA_MAP) {
        json_object_foreach(v, inner.name, m) { check_value(c, &inner, m, f->of, f); }
    }
}

/* Units of the clocks that the PMU model has none of. */
#define CLOCK_UNITS "tsc|ticks|cycles|core cycles|s|ms|us|ns|Hz"

/* A unit such as "tsc/load", or "uops/cycles". */
static bool of_a_clock(const char *unit)
{
    char part[32];
    for (size_t n; *unit; unit += n + (unit[n] == '/')) {
        n = strcspn(unit, "/");
        snprintf(part, sizeof part, "%.*s", (int)(n < sizeof part ? n : 0), unit);
        if (schema_has_value(CLOCK_UNITS, part)) return true;
    }
    return false;
}

/* Does the record itself name a clock as this field's unit? What an article says is its own; an integer with
 * such a unit is what the user asked for; and the truth suite judges the model's counters of cycles. */
static bool names_a_clock(const json_t *o, const struct schema_field *f)
{
    const enum schema_type type = f->type == SCHEMA_LIST ? f->of : f->type;
    if (f->set == SCHEMA_experiment && strcmp(f->key, "article") == 0) return false;
    if (strcmp(f->unit, "`event`") == 0) return strcmp(text_of(o, "event"), "tsc") == 0;
    if (strcmp(f->unit, "`unit`") != 0) return false;
    return (type == SCHEMA_REAL || type == SCHEMA_REAL_OR_NULL || type == SCHEMA_NUMBER) &&
           of_a_clock(text_of(o, "unit"));
}

static void check_field(const struct fields_check *c, const struct place *in, json_t *o,
                        const struct schema_field *f)
{
    const bool counted = f->presence == SCHEMA_COUNTED || f->presence == SCHEMA_EITHER;
    const struct place p = {.in = in, .name = f->key};
    const bool timed = f->presence == SCHEMA_TIMED || f->presence == SCHEMA_TIMED_OPTIONAL;
    const bool optional = f->presence == SCHEMA_OPTIONAL || f->presence == SCHEMA_TIMED_OPTIONAL;
    json_t *v = json_object_get(o, f->key);
    if (c->modelled && c->strict && v && (timed || names_a_clock(o, f)))
        fault(c, &p, ": is there, though the PMU model has no clock");
    if ((optional || (c->modelled && timed)) && (!v || json_is_null(v))) return;
    if (counted && flag_of(o, "unmodelled")) {
        if (v) fault(c, &p, ": is there, though the event is not modelled");
    } else if (v) {
        check_value(c, &p, v, f->type, f);
        check_members(c, &p, v, f);
    } else if (f->presence != SCHEMA_EITHER)
        fault(c, &p, ": is missing");
}

/* Of alternative fields exactly one is present. */
static void check_either(const struct fields_check *c, const struct place *in, json_t *o,
                         enum schema_set_id set)
{
    struct place p = {.in = in};
    unsigned n = 0;
    for (const struct schema_field *f = schema_first(set); f; f = schema_next(f)) {
        if (f->presence != SCHEMA_EITHER) continue;
        if (!p.name) p.name = f->key;
        n += json_object_get(o, f->key) != NULL;
    }
    if (!p.name || n == 1 || flag_of(o, "unmodelled")) return;
    fault(c, &p, ": is %s", n ? "there beside another of its kind" : "missing");
}

static void check_known(const struct fields_check *c, const struct place *in, json_t *o,
                        enum schema_set_id set)
{
    const char *key;
    json_t *v;
    json_object_foreach(o, key, v)
    {
        const struct place p = {.in = in, .name = key};
        const bool frame = !in->in && schema_has_value("n|t|crc", key);
        if (!frame && !schema_find(set, key)) fault(c, &p, ": is in no catalogue");
    }
}

static void check_set(const struct fields_check *c, const struct place *in, json_t *o, enum schema_set_id set)
{
    for (const struct schema_field *f = schema_first(set); f; f = schema_next(f)) {
        if (f->type == SCHEMA_GROUP)
            check_set(c, in, o, f->sub);
        else
            check_field(c, in, o, f);
    }
    check_either(c, in, o, set);
}

static void check_object(const struct fields_check *c, const struct place *p, json_t *o,
                         enum schema_set_id set)
{
    check_set(c, p, o, set);
    if (c->strict) check_known(c, p, o, set);
}

bool fields_check(const struct fields_check *c, json_t *o, const char *where)
{
    const enum schema_set_id set = schema_record(text_of(o, "t"));
    const struct place record = {.name = where};
    if (set != SCHEMA_SETS)
        check_object(c, &record, o, set);
    else if (c->strict)
        fault(c, &record, ": no such type of record");
    return set != SCHEMA_SETS;
}
