/* Records in a results database: each field's value in its column, the elements of lists in their tables. */
#include "host/export_tables.h"
#include "host/fields.h"
#include "host/store.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

/* What an integer is beyond 2^53, and what addresses are, are texts in records. As numbers SQL can calculate
 * with them. Those beyond 2^63 - 1 are none of SQLite's integers; these stay texts, in hexadecimal, which its
 * column takes as it is, while a decimal one would become a rounded real. */
static int bind_digits(sqlite3_stmt *q, int at, const char *digits)
{
    char hex[24];
    const bool negative = *digits == '-';
    errno = 0;
    const unsigned long long u = strtoull(digits + negative, NULL, strncmp(digits, "0x", 2) == 0 ? 16 : 10);
    if (errno == 0 && u <= INT64_MAX)
        return sqlite3_bind_int64(q, at, negative ? -(long long)u : (long long)u);
    if (errno != 0 || negative) return sqlite3_bind_text(q, at, digits, -1, SQLITE_TRANSIENT);
    snprintf(hex, sizeof hex, "0x%llx", u);
    return sqlite3_bind_text(q, at, hex, -1, SQLITE_TRANSIENT);
}

static bool is_number(const struct schema_field *f)
{
    return f->type == SCHEMA_UINT || f->type == SCHEMA_INT || f->type == SCHEMA_HEX;
}

static int bind_json(sqlite3_stmt *q, int at, const json_t *v)
{
    char *text = json_dumps(v, JSON_COMPACT);
    return text ? sqlite3_bind_text(q, at, text, -1, free) : SQLITE_NOMEM;
}

static int bind(sqlite3_stmt *q, int at, const json_t *v, const struct schema_field *f)
{
    const char *text = json_string_value(v);
    switch (json_typeof(v)) {
    case JSON_STRING:
        if (is_number(f) && (strncmp(text, "0x", 2) == 0 || fields_is_integer(v, true)))
            return bind_digits(q, at, text);
        return sqlite3_bind_text(q, at, text, -1, SQLITE_TRANSIENT);
    case JSON_INTEGER:
        return sqlite3_bind_int64(q, at, json_integer_value(v));
    case JSON_REAL:
        return sqlite3_bind_double(q, at, json_real_value(v));
    case JSON_TRUE:
    case JSON_FALSE:
        return sqlite3_bind_int64(q, at, json_is_true(v));
    case JSON_NULL:
        return sqlite3_bind_null(q, at);
    case JSON_OBJECT:
    case JSON_ARRAY:
        break;
    }
    return bind_json(q, at, v);
}

/* ---- rows ---- */

#define KEYS 2 /* parameters in front of the columns' */

struct row {
    struct store *store;
    const struct export_table *table;
    sqlite3_stmt *insert;
    void (*unknown)(void *ctx, const char *what);
    void *ctx;
};

/* INSERT INTO "result"(session, n, "bench", ...) VALUES(?, ?, ?, ...) */
static sqlite3_stmt *new_insert(struct store *s, const struct export_table *t)
{
    sqlite3_stmt *insert = NULL;
    sqlite3_str *sql = sqlite3_str_new(s->db);
    sqlite3_str_appendf(sql, "INSERT INTO \"%w\"(%s", t->name, t->list ? "record, i" : "session, n");
    for (size_t i = 0; i < t->columns; i++) sqlite3_str_appendf(sql, ", \"%w\"", t->column[i].name);
    sqlite3_str_appendall(sql, ") VALUES(?, ?");
    for (size_t i = 0; i < t->columns; i++) sqlite3_str_appendall(sql, ", ?");
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    if (!text || sqlite3_prepare_v3(s->db, text, -1, SQLITE_PREPARE_PERSISTENT, &insert, NULL) != SQLITE_OK)
        store_failed(s);
    sqlite3_free(text);
    return insert;
}

/* The table's statement, without values. */
static bool prepare(struct row *row, unsigned index)
{
    sqlite3_stmt **insert = &row->store->insert[index];
    if (*insert)
        sqlite3_clear_bindings(*insert);
    else
        *insert = new_insert(row->store, row->table);
    row->insert = *insert;
    return *insert;
}

static void tell_unknown(const struct row *row, const char *object, const char *key)
{
    char what[160];
    snprintf(what, sizeof what, "%.50s%s%.50s.%.50s", row->table->name, object ? "." : "",
             object ? object : "", key);
    row->unknown(row->ctx, what);
}

/* Binds the fields of an object, which are those of a set, and of objects in it. object: its key; NULL: it is
 * the record, or an element. What has no column is a list with a table of its own. */
static bool bind_fields(const struct row *row, enum schema_set_id set, const char *object, json_t *o)
{
    const char *key;
    json_t *v;
    json_object_foreach(o, key, v)
    {
        const struct schema_field *f = schema_find(set, key);
        const struct export_column *c = f ? export_column(row->table, object, key) : NULL;
        const bool frame = !object && !row->table->list && schema_has_value("n|t|crc", key);
        if (!f && !frame) tell_unknown(row, object, key);
        if (f && f->type == SCHEMA_OBJECT && !bind_fields(row, f->sub, key, v)) return false;
        if (c && bind(row->insert, KEYS + (int)(c - row->table->column) + 1, v, c->field) != SQLITE_OK)
            return store_failed(row->store);
    }
    return true;
}

static bool add_row(struct row *row, unsigned index, int64_t key1, int64_t key2, json_t *o)
{
    size_t n;
    row->table = &export_tables(&n)[index];
    if (!prepare(row, index)) return false;
    sqlite3_bind_int64(row->insert, 1, key1);
    sqlite3_bind_int64(row->insert, 2, key2);
    if (!bind_fields(row, row->table->set, NULL, o)) return false;
    const bool good = sqlite3_step(row->insert) == SQLITE_DONE || store_failed(row->store);
    sqlite3_reset(row->insert); /* a statement that has failed would hold up the rollback */
    return good;
}

/* ---- public ---- */

bool store_record(struct store *s, int64_t session, const struct received *r,
                  void (*unknown)(void *ctx, const char *what), void *ctx)
{
    struct row row = {.store = s, .unknown = unknown, .ctx = ctx};
    size_t n, i;
    json_t *element;
    const struct export_table *tables = export_tables(&n);
    const enum schema_set_id set = schema_record(r->type);
    unsigned index = 0;
    if (set == SCHEMA_SETS) {
        unknown(ctx, r->type);
        return true;
    }
    while (tables[index].record != set) index++;
    if (!add_row(&row, index, session, r->n, r->object)) return false;
    const int64_t record = sqlite3_last_insert_rowid(s->db);
    for (unsigned k = index + 1; k < n && tables[k].list; k++) {
        json_t *in = tables[k].object ? json_object_get(r->object, tables[k].object) : r->object;
        json_array_foreach(json_object_get(in, tables[k].list), i, element)
        {
            if (!add_row(&row, k, record, (int64_t)i, element)) return false;
        }
    }
    return true;
}
