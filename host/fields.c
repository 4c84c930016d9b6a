#include "host/fields.h"
#include "report/schema.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- places ---- */

/* What is looked at. It becomes text only where there is a fault. */
struct place {
    const struct place *in; /* NULL: the record */
    enum { RECORD, FIELD, ELEMENT, MEMBER } is;
    const char *name; /* of the record, or the key */
    size_t index;     /* of the element */
};

struct message {
    char text[512];
    size_t n;
};

__attribute__((format(printf, 2, 0))) static void vput(struct message *m, const char *fmt, va_list ap)
{
    const size_t room = sizeof m->text - m->n;
    const int n = vsnprintf(m->text + m->n, room, fmt, ap);
    if (n > 0) m->n += (size_t)n < room ? (size_t)n : room - 1;
}

__attribute__((format(printf, 2, 3))) static void put(struct message *m, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vput(m, fmt, ap);
    va_end(ap);
}

static void put_place(struct message *m, const struct place *p)
{
    if (p->in) put_place(m, p->in);
    switch (p->is) {
    case RECORD:
        put(m, "%s", p->name);
        break;
    case FIELD:
        put(m, ", \"%s\"", p->name);
        break;
    case ELEMENT:
        put(m, ", element %zu", p->index);
        break;
    case MEMBER:
        put(m, ", member \"%s\"", p->name);
        break;
    }
}

__attribute__((format(printf, 3, 4))) static void fault(const struct fields_check *c, const struct place *p,
                                                        const char *fmt, ...)
{
    struct message m = {.n = 0};
    va_list ap;
    put_place(&m, p);
    put(&m, ": ");
    va_start(ap, fmt);
    vput(&m, fmt, ap);
    va_end(ap);
    c->fault(c->ctx, m.text);
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

static void check_object(const struct fields_check *c, const struct place *where, json_t *o,
                         enum schema_set_id set, bool nested);

/* A value, or a member of a list or a map. */
static void check_value(const struct fields_check *c, const struct place *where, json_t *v,
                        enum schema_type type, const struct schema_field *f)
{
    if (!is_type(v, type))
        fault(c, where, "is not %s", type_name(type));
    else if (type == SCHEMA_STR && f->values && !schema_has_value(f->values, json_string_value(v)))
        fault(c, where, "\"%s\" is none of %s", json_string_value(v), f->values);
    else if (type == SCHEMA_OBJECT)
        check_object(c, where, v, f->sub, true);
}

static void check_members(const struct fields_check *c, const struct place *place, json_t *v,
                          const struct schema_field *f)
{
    const char *key;
    json_t *m;
    size_t i;
    if (f->type == SCHEMA_LIST) {
        json_array_foreach(v, i, m)
        {
            const struct place where = {place, ELEMENT, NULL, i};
            check_value(c, &where, m, f->of, f);
        }
    } else if (f->type == SCHEMA_MAP) {
        json_object_foreach(v, key, m)
        {
            const struct place where = {place, MEMBER, key, 0};
            check_value(c, &where, m, f->of, f);
        }
    }
}

static bool is_unmodelled(json_t *o)
{
    size_t i;
    json_t *flag;
    json_array_foreach(json_object_get(o, "flags"), i, flag)
    {
        if (json_is_string(flag) && strcmp(json_string_value(flag), "unmodelled") == 0) return true;
    }
    return false;
}

static void check_field(const struct fields_check *c, const struct place *where, json_t *o,
                        const struct schema_field *f)
{
    const bool counted = f->presence == SCHEMA_COUNTED || f->presence == SCHEMA_EITHER;
    json_t *v = json_object_get(o, f->key);
    const struct place place = {where, FIELD, f->key, 0};

    if (f->presence == SCHEMA_OPTIONAL && (!v || json_is_null(v))) return;
    if (counted && is_unmodelled(o)) {
        if (v) fault(c, &place, "is there, though the event is not modelled");
    } else if (v) {
        check_value(c, &place, v, f->type, f);
        check_members(c, &place, v, f);
    } else if (f->presence != SCHEMA_EITHER)
        fault(c, &place, "is missing");
}

/* Of alternative fields exactly one is present. */
static void check_either(const struct fields_check *c, const struct place *where, json_t *o,
                         enum schema_set_id set)
{
    const struct schema_field *first = NULL;
    unsigned n = 0;
    for (const struct schema_field *f = schema_first(set); f < schema_end(set); f++) {
        if (f->presence != SCHEMA_EITHER) continue;
        if (!first) first = f;
        n += json_object_get(o, f->key) != NULL;
    }
    if (!first || n == 1 || is_unmodelled(o)) return;
    const struct place place = {where, FIELD, first->key, 0};
    fault(c, &place, "is %s", n ? "there beside another of its kind" : "missing");
}

static void check_known(const struct fields_check *c, const struct place *where, json_t *o,
                        enum schema_set_id set, bool nested)
{
    const char *key;
    json_t *v;
    json_object_foreach(o, key, v)
    {
        const bool frame = !nested && schema_has_value("n|t|crc", key);
        const struct place place = {where, FIELD, key, 0};
        if (!frame && !schema_find(set, key)) fault(c, &place, "is in no catalogue");
    }
}

static void check_set(const struct fields_check *c, const struct place *where, json_t *o,
                      enum schema_set_id set)
{
    for (const struct schema_field *f = schema_first(set); f < schema_end(set); f++) {
        if (f->type == SCHEMA_GROUP)
            check_set(c, where, o, f->sub);
        else
            check_field(c, where, o, f);
    }
    check_either(c, where, o, set);
}

static void check_object(const struct fields_check *c, const struct place *where, json_t *o,
                         enum schema_set_id set, bool nested)
{
    check_set(c, where, o, set);
    if (c->strict) check_known(c, where, o, set, nested);
}

bool fields_check(const struct fields_check *c, json_t *o, const char *name)
{
    const struct place where = {NULL, RECORD, name, 0};
    const enum schema_set_id set = schema_record(json_string_value(json_object_get(o, "t")));
    if (set != SCHEMA_SETS)
        check_object(c, &where, o, set, false);
    else if (c->strict)
        fault(c, &where, "no such type of record");
    return set != SCHEMA_SETS;
}
