/* Files, sessions and faults in a results database. */
#include "host/export_tables.h"
#include "host/store.h"

bool store_find(struct store *s, const struct store_file *f, int64_t *known)
{
    return store_ask(s, known, "SELECT file FROM file WHERE path = %Q AND bytes = %lld AND crc = %u", f->path,
                     (long long)f->bytes, (unsigned)f->crc);
}

#define SESSIONS_OF "SELECT session FROM session JOIN file USING (file) WHERE path = %Q"

bool store_forget(struct store *s, const char *path)
{
    size_t n;
    const struct export_table *tables = export_tables(&n);
    /* Backwards: the rows of a list before the records that they belong to. */
    for (size_t i = n; i-- > 0;) {
        const char *record = schema_set[tables[i].record].name;
        const bool gone =
            tables[i].list
                ? store_run(s,
                            "DELETE FROM \"%w\" WHERE record IN (SELECT record FROM \"%w\" WHERE session IN "
                            "(" SESSIONS_OF "))",
                            tables[i].name, record, path)
                : store_run(s, "DELETE FROM \"%w\" WHERE session IN (" SESSIONS_OF ")", record, path);
        if (!gone) return false;
    }
    return store_run(s, "DELETE FROM fault WHERE file IN (SELECT file FROM file WHERE path = %Q)", path) &&
           store_run(s, "DELETE FROM session WHERE file IN (SELECT file FROM file WHERE path = %Q)", path) &&
           store_run(s, "DELETE FROM file WHERE path = %Q", path);
}

bool store_file(struct store *s, const struct store_file *f, int64_t *file)
{
    if (!store_run(
            s,
            "INSERT INTO file(name, path, added) VALUES(%Q, %Q, strftime('%%Y-%%m-%%dT%%H:%%M:%%SZ', 'now'))",
            f->name, f->path))
        return false;
    *file = sqlite3_last_insert_rowid(s->db);
    return true;
}

bool store_file_read(struct store *s, int64_t file, const struct store_file *f)
{
    return store_run(s, "UPDATE file SET bytes = %lld, crc = %u WHERE file = %lld", (long long)f->bytes,
                     (unsigned)f->crc, (long long)file);
}

bool store_session(struct store *s, int64_t file, unsigned long number, int64_t *session)
{
    if (!store_run(
            s, "INSERT INTO session(file, name, number) SELECT file, name, %lu FROM file WHERE file = %lld",
            number, (long long)file))
        return false;
    *session = sqlite3_last_insert_rowid(s->db);
    return true;
}

bool store_session_end(struct store *s, int64_t session, const struct session_seen *seen,
                       unsigned long faults)
{
    return store_run(s, "UPDATE session SET line = %lu, records = %lu, faults = %lu WHERE session = %lld",
                     seen->line, seen->received, faults, (long long)session) &&
           (!seen->ended || store_run(s, "UPDATE session SET status = %lld WHERE session = %lld",
                                      seen->status, (long long)session));
}

bool store_fault(struct store *s, int64_t file, int64_t session, const struct fault *f)
{
    return store_run(s,
                     "INSERT INTO fault(file, session, line, first, last, what) "
                     "VALUES(%lld, nullif(%lld, 0), %lu, %lld, %lld, %Q)",
                     (long long)file, (long long)session, f->line, f->first, f->last, f->what);
}
