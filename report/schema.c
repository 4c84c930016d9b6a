#include "report/schema.h"
#include <string.h>

#define RECORD(name) [SCHEMA_##name] = {#name, SCHEMA_IS_RECORD},
#define PART(name)   [SCHEMA_##name] = {#name, SCHEMA_IS_PART},
#define GROUP(name)  [SCHEMA_##name] = {#name, SCHEMA_IS_GROUP},
#define ALSO(of, group)
#define FIELD(of, key, type, presence, unit, meaning)
const struct schema_set schema_set[SCHEMA_SETS] = {
#include "report/schema.def"
};

/* A type with an argument in brackets becomes several members of the row. */
#define SCHEMA_ONE_OF(a)    SCHEMA_STR, .values = a
#define SCHEMA_LIST(a)      SCHEMA_LIST, .of = SCHEMA_##a
#define SCHEMA_MAP(a)       SCHEMA_MAP, .of = SCHEMA_##a
#define SCHEMA_OBJECT(part) SCHEMA_OBJECT, .sub = SCHEMA_##part

#define RECORD(name)
#define PART(name)
#define GROUP(name)
#define ALSO(a, group) {.set = SCHEMA_##a, .type = SCHEMA_GROUP, .sub = SCHEMA_##group},
#define FIELD(a, k, t, p, u, m) \
    {.set = SCHEMA_##a, .key = #k, .type = SCHEMA_##t, .presence = SCHEMA_##p, .unit = u, .meaning = m},
const struct schema_field schema_field[] = {
#include "report/schema.def"
};
const size_t schema_fields = sizeof schema_field / sizeof *schema_field;

enum schema_set_id schema_record(const char *type)
{
    unsigned i = 0;
    while (i < SCHEMA_SETS && (schema_set[i].is != SCHEMA_IS_RECORD || strcmp(schema_set[i].name, type) != 0))
        i++;
    return (enum schema_set_id)i;
}

const struct schema_field *schema_first(enum schema_set_id set)
{
    size_t low = 0, high = schema_fields;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (schema_field[middle].set < set)
            low = middle + 1;
        else
            high = middle;
    }
    return low < schema_fields && schema_field[low].set == set ? &schema_field[low] : NULL;
}

const struct schema_field *schema_find(enum schema_set_id set, const char *key)
{
    for (const struct schema_field *f = schema_first(set); f; f = schema_next(f)) {
        if (f->key && strcmp(f->key, key) == 0) return f;
        const struct schema_field *shared = f->key ? NULL : schema_find(f->sub, key);
        if (shared) return shared;
    }
    return NULL;
}

bool schema_has_value(const char *values, const char *value)
{
    for (size_t n; *values; values += n + (values[n] == '|')) {
        n = strcspn(values, "|");
        if (strlen(value) == n && strncmp(value, values, n) == 0) return true;
    }
    return false;
}
