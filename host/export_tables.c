#include "host/export_tables.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLES_MAX  96
#define COLUMNS_MAX 1024

static struct export_table tables[TABLES_MAX];
static struct export_column columns[COLUMNS_MAX];
static size_t n_tables, n_columns;

/* The tables are made of our own catalogue: a program that lacks room for them is wrong. */
static void need(bool room)
{
    if (!room) abort();
}

static struct export_table *new_table(enum schema_set_id record, enum schema_set_id set, const char *object,
                                      const char *list)
{
    need(n_tables < TABLES_MAX);
    struct export_table *t = &tables[n_tables++];
    const char *of = schema_set[record].name;
    const int len = list ? snprintf(t->name, sizeof t->name, "%s_%s%s%s", of, object ? object : "",
                                    object ? "_" : "", list)
                         : snprintf(t->name, sizeof t->name, "%s", of);
    need((size_t)len < sizeof t->name);
    t->record = record;
    t->set = set;
    t->object = object;
    t->list = list;
    t->column = &columns[n_columns];
    return t;
}

static void new_column(struct export_table *t, const char *object, const struct schema_field *f)
{
    need(n_columns < COLUMNS_MAX);
    struct export_column *c = &columns[n_columns++];
    const int len =
        snprintf(c->name, sizeof c->name, "%s%s%s", object ? object : "", object ? "_" : "", f->key);
    need((size_t)len < sizeof c->name);
    c->object = object;
    c->field = f;
    t->columns++;
}

static bool is_table(const struct schema_field *f)
{
    return f->type == SCHEMA_LIST && f->of == SCHEMA_OBJECT;
}

/* The columns of a set of fields. Objects that are deeper than one level, and lists of objects in elements of
 * lists, would be JSON: the catalogue has none. */
static void add_columns(struct export_table *t, const char *object, enum schema_set_id set)
{
    for (const struct schema_field *f = schema_first(set); f; f = schema_next(f)) {
        if (f->type == SCHEMA_GROUP)
            add_columns(t, object, f->sub);
        else if (f->type == SCHEMA_OBJECT && !object && !t->list)
            add_columns(t, f->key, f->sub);
        else if (!is_table(f) || t->list)
            new_column(t, object, f);
    }
}

static void add_lists(enum schema_set_id record, const char *object, enum schema_set_id set)
{
    for (const struct schema_field *f = schema_first(set); f; f = schema_next(f)) {
        if (f->type == SCHEMA_GROUP)
            add_lists(record, object, f->sub);
        else if (f->type == SCHEMA_OBJECT && !object)
            add_lists(record, f->key, f->sub);
        else if (is_table(f))
            add_columns(new_table(record, f->sub, object, f->key), NULL, f->sub);
    }
}

static void make_tables(void)
{
    for (unsigned set = 0; set < SCHEMA_SETS; set++) {
        const enum schema_set_id record = (enum schema_set_id)set;
        if (schema_set[record].is != SCHEMA_IS_RECORD) continue;
        add_columns(new_table(record, record, NULL, NULL), NULL, record);
        add_lists(record, NULL, record);
    }
}

const struct export_table *export_tables(size_t *n)
{
    if (n_tables == 0) make_tables();
    *n = n_tables;
    return tables;
}

static bool same(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

const struct export_column *export_column(const struct export_table *t, const char *object, const char *key)
{
    for (const struct export_column *c = t->column; c < t->column + t->columns; c++)
        if (strcmp(c->field->key, key) == 0 && same(c->object, object)) return c;
    return NULL;
}

const char *export_sql_type(enum schema_type type)
{
    static const char *const names[] = {
        [SCHEMA_UINT] = "INTEGER", [SCHEMA_INT] = "INTEGER",
        [SCHEMA_REAL] = "REAL",    [SCHEMA_REAL_OR_NULL] = "REAL",
        [SCHEMA_STR] = "TEXT",     [SCHEMA_BOOL] = "INTEGER",
        [SCHEMA_NUMBER] = "REAL",  [SCHEMA_HEX] = "INTEGER",
        [SCHEMA_INT_OR_STR] = "",  [SCHEMA_LIST] = "TEXT",
        [SCHEMA_MAP] = "TEXT",     [SCHEMA_OBJECT] = "TEXT",
        [SCHEMA_GROUP] = "",
    };
    return names[type];
}
