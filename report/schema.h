/* The catalogue of records (report/schema.def) as a table, for programs that read records. Code that emits
 * records uses report/put.h. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Types of fields. */
enum schema_type {
    SCHEMA_UINT,
    SCHEMA_INT,
    SCHEMA_REAL,
    SCHEMA_REAL_OR_NULL,
    SCHEMA_NUMBER, /* an integer where it is whole, else a real */
    SCHEMA_STR,
    SCHEMA_BOOL,
    SCHEMA_HEX,
    SCHEMA_INT_OR_STR,
    SCHEMA_LIST,
    SCHEMA_OBJECT,
    SCHEMA_MAP,  /* an object whose keys are free */
    SCHEMA_GROUP /* no field: all those of a group */
};

enum schema_presence {
    SCHEMA_ALWAYS,
    SCHEMA_OPTIONAL,
    SCHEMA_COUNTED,
    SCHEMA_EITHER,
    SCHEMA_TIMED,
    SCHEMA_TIMED_OPTIONAL
};

/* Sets of fields: records, parts and groups, SCHEMA_boot, SCHEMA_cache, ... */
#define RECORD(name) SCHEMA_##name,
#define PART(name)   SCHEMA_##name,
#define GROUP(name)  SCHEMA_##name,
#define ALSO(of, group)
#define FIELD(of, key, type, presence, unit, meaning)
enum schema_set_id {
#include "report/schema.def"
    SCHEMA_SETS
};

struct schema_set {
    const char *name;
    enum { SCHEMA_IS_RECORD, SCHEMA_IS_PART, SCHEMA_IS_GROUP } is;
};

/* A row; its columns: report/schema.def. */
struct schema_field {
    enum schema_set_id set;
    const char *key; /* NULL: all fields of a group, which is .sub */
    enum schema_type type;
    enum schema_type of;    /* of a LIST or a MAP: the type of its members */
    enum schema_set_id sub; /* of an OBJECT, a LIST of them, or a GROUP: the set of its fields */
    const char *values;     /* of a STR or a LIST of them: the allowed values, "a|b|c"; NULL: any */
    enum schema_presence presence;
    const char *unit, *meaning;
};

extern const struct schema_set schema_set[SCHEMA_SETS];
extern const struct schema_field schema_field[]; /* in the order of .set */
extern const size_t schema_fields;

/* The set that describes records of this type; SCHEMA_SETS: there is no such type. */
enum schema_set_id schema_record(const char *type);

/* The fields of a set, one after the other; NULL: there are no more. */
const struct schema_field *schema_first(enum schema_set_id set);
static inline const struct schema_field *schema_next(const struct schema_field *f)
{
    return f + 1 < schema_field + schema_fields && f[1].set == f->set ? f + 1 : NULL;
}

/* The field with this key in a set or in its groups; NULL: it has none. */
const struct schema_field *schema_find(enum schema_set_id set, const char *key);

/* Is this one of a field's allowed values ("a|b|c")? */
bool schema_has_value(const char *values, const char *value);
