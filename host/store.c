/* The database as a whole. Files and sessions: host/store_file.c; records: host/store_record.c. */
#include "host/store.h"
#include "host/export_tables.h"
#include <stdarg.h>
#include <string.h>

#define APPLICATION_ID 0x416e6563 /* "Anec": tells our databases from those of other programs */
#define BUSY_MS        60000      /* another export may be at work */

/* ---- SQL ---- */

bool store_failed(struct store *s)
{
    snprintf(s->why, sizeof s->why, "%s", s->db ? sqlite3_errmsg(s->db) : "no memory");
    return false;
}

bool store_run(struct store *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);
    va_end(args);
    const bool good = sql && sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_free(sql);
    return good || store_failed(s);
}

bool store_ask(struct store *s, int64_t *answer, const char *format, ...)
{
    va_list args;
    sqlite3_stmt *q = NULL;
    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);
    va_end(args);
    int status = sql ? sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) : SQLITE_NOMEM;
    if (status == SQLITE_OK) status = sqlite3_step(q);
    *answer = status == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
    const bool good = status == SQLITE_ROW || status == SQLITE_DONE || store_failed(s);
    sqlite3_finalize(q);
    sqlite3_free(sql);
    return good;
}

/* ---- tables ---- */

static const char own_tables[] =
    "CREATE TABLE IF NOT EXISTS file(file INTEGER PRIMARY KEY, name TEXT, path TEXT, bytes INTEGER, crc "
    "INTEGER,"
    " added TEXT);"
    "CREATE INDEX IF NOT EXISTS file_path ON file(path);"
    "CREATE TABLE IF NOT EXISTS session(session INTEGER PRIMARY KEY, file INTEGER NOT NULL REFERENCES file, "
    "name TEXT,"
    " number INTEGER NOT NULL, line INTEGER, records INTEGER, faults INTEGER, status INTEGER);"
    "CREATE INDEX IF NOT EXISTS session_file ON session(file);"
    "CREATE TABLE IF NOT EXISTS fault(file INTEGER NOT NULL REFERENCES file, session INTEGER REFERENCES "
    "session,"
    " line INTEGER, first INTEGER, last INTEGER, what TEXT);"
    "CREATE INDEX IF NOT EXISTS fault_file ON fault(file);"
    "CREATE TABLE IF NOT EXISTS field(\"table\" TEXT, \"column\" TEXT, unit TEXT, meaning TEXT,"
    " PRIMARY KEY(\"table\", \"column\")) WITHOUT ROWID;";

static bool add_table(struct store *s, const struct export_table *t)
{
    if (t->list)
        return store_run(
            s,
            "CREATE TABLE IF NOT EXISTS \"%w\"(record INTEGER NOT NULL REFERENCES \"%w\", i INTEGER NOT"
            " NULL, PRIMARY KEY(record, i)) WITHOUT ROWID",
            t->name, schema_set[t->record].name);
    return store_run(
        s,
        "CREATE TABLE IF NOT EXISTS \"%w\"(record INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES"
        " session, n INTEGER NOT NULL);"
        "CREATE INDEX IF NOT EXISTS \"%w_session\" ON \"%w\"(session)",
        t->name, t->name, t->name);
}

/* A new table gets all of its columns in this way, an older version's those that it lacks. */
static bool add_column(struct store *s, const struct export_table *t, const struct export_column *c)
{
    int64_t there;
    if (!store_ask(s, &there, "SELECT 1 FROM pragma_table_info(%Q) WHERE name = %Q COLLATE NOCASE", t->name,
                   c->name))
        return false;
    if (!there && !store_run(s, "ALTER TABLE \"%w\" ADD COLUMN \"%w\" %s", t->name, c->name,
                             export_sql_type(c->field->type)))
        return false;
    return store_run(s, "INSERT OR REPLACE INTO field VALUES(%Q, %Q, %Q, %Q)", t->name, c->name,
                     c->field->unit, c->field->meaning);
}

static bool add_tables(struct store *s)
{
    size_t n;
    const struct export_table *t = export_tables(&n);
    if (!store_run(s, "PRAGMA application_id = %d", APPLICATION_ID) || !store_run(s, "%s", own_tables))
        return false;
    for (const struct export_table *end = t + n; t < end; t++) {
        if (!add_table(s, t)) return false;
        for (size_t i = 0; i < t->columns; i++)
            if (!add_column(s, t, &t->column[i])) return false;
    }
    return true;
}

/* ---- the database ---- */

/* Empty, or one of ours. */
static bool is_ours(struct store *s)
{
    int64_t id, tables;
    if (!store_ask(s, &id, "PRAGMA application_id") ||
        !store_ask(s, &tables, "SELECT count(*) FROM sqlite_schema"))
        return false;
    if (id == APPLICATION_ID || (id == 0 && tables == 0)) return true;
    snprintf(s->why, sizeof s->why, "a database of another program");
    return false;
}

bool store_open(struct store *s, const char *path)
{
    memset(s, 0, sizeof *s);
    if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        return store_failed(s);
    sqlite3_busy_timeout(s->db, BUSY_MS);
    return is_ours(s) && store_begin(s) && add_tables(s) && store_keep(s);
}

void store_close(struct store *s)
{
    for (unsigned i = 0; i < STORE_TABLES; i++) sqlite3_finalize(s->insert[i]);
    sqlite3_close(s->db);
    s->db = NULL;
}

bool store_begin(struct store *s) { return store_run(s, "BEGIN IMMEDIATE"); }
bool store_keep(struct store *s) { return store_run(s, "COMMIT"); }

/* A full disk may have ended the transaction already. What it had written is then taken back by whoever reads
 * the database next: here at once, so that the disk gets its room back. */
void store_cancel(struct store *s)
{
    if (!sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_exec(s->db, "SELECT 1 FROM file", NULL, NULL, NULL);
}

const char *store_why(const struct store *s) { return s->why; }
