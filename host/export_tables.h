/* The tables of a results database, made from the catalogue of records (report/schema.def).
 *
 * A type of record is a table of that name. Its columns are:
 *
 *   a field with one value            a column of its name
 *   a list of values, free keys       a column of its name, with the JSON text
 *   an object (pmu, fwq)              a column for each of its fields: pmu_family
 *   a list of objects (caches)        a table of its own, cpu_caches, with a row for each element
 *
 * Every table has keys besides, which SQL asks by: EXPORT_RECORD and others (host/store.c).
 */
#pragma once
#include "report/schema.h"

struct export_column {
    char name[48];                    /* in SQL */
    const char *object;               /* key of the object inside which the field is; NULL: none */
    const struct schema_field *field; /* its key, its type */
};

struct export_table {
    char name[48];
    enum schema_set_id record; /* the type of record */
    enum schema_set_id set;    /* whose fields a row has: the record's, or an element's */
    const char *object, *list; /* of a list's elements: the list's key, and the object that has it or NULL;
                                  list NULL: the table is the record's own */
    const struct export_column *column;
    size_t columns;
};

/* All tables. That of a record is followed by those of its lists. */
const struct export_table *export_tables(size_t *n);

/* The column for a key of the object; NULL: it has none. object as above: compared by its text. */
const struct export_column *export_column(const struct export_table *t, const char *object, const char *key);

/* "INTEGER", "REAL", "TEXT", or "" for what may be either. */
const char *export_sql_type(enum schema_type type);
