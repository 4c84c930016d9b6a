/* A results database: SQLite, with the tables of host/export_tables.h and these:
 *
 *   file     a row for each file that was exported
 *   session  a row for each session: which file, its name, and which one in it
 *   fault    what was damaged or missing in a file
 *   field    unit and meaning of each column of the records' tables
 *
 * A database that another version has made is used as it is: missing tables and columns are added, and what a
 * newer version has added stays.
 *
 * Each function that can fail returns false, and store_why() then says why. After a failure only
 * store_cancel() and store_close() may follow.
 */
#pragma once
#include "host/records.h"
#include <sqlite3.h>
#include <stdint.h>

#define STORE_TABLES 64

struct store {
    sqlite3 *db;
    sqlite3_stmt *insert[STORE_TABLES]; /* by the index of the table; made when it is needed */
    char why[256];
};

/* What tells a file from another one. */
struct store_file {
    const char *name; /* as the user wrote it */
    const char *path; /* absolute; of standard input: its name */
    int64_t bytes;
    uint32_t crc; /* CRC-32 of them all */
};

/* Opens the database at path, which is made where there is none, and adds the tables and columns that it
 * lacks. False also where it is one of another program: it is left as it is. */
bool store_open(struct store *s, const char *path);
void store_close(struct store *s);
const char *store_why(const struct store *s);

/* What follows is kept by store_keep(), as a whole, or forgotten by store_cancel(). */
bool store_begin(struct store *s);
bool store_keep(struct store *s);
void store_cancel(struct store *s);

/* *known: the number of the file of this path, bytes and CRC that is in the database; 0: there is none. */
bool store_find(struct store *s, const struct store_file *f, int64_t *known);

/* Takes out all that came from a file of this path. */
bool store_forget(struct store *s, const char *path);

/* Adds a file; *file: its number. Bytes and CRC may still be unknown: store_file_read() sets them. */
bool store_file(struct store *s, const struct store_file *f, int64_t *file);
bool store_file_read(struct store *s, int64_t file, const struct store_file *f);

/* Adds a session, the number-th of its file; *session: its number in the database. store_session_end() adds
 * what is known when it is over. */
bool store_session(struct store *s, int64_t file, unsigned long number, int64_t *session);
bool store_session_end(struct store *s, int64_t session, const struct session_seen *seen,
                       unsigned long faults);

/* session 0: it belongs to none. */
bool store_fault(struct store *s, int64_t file, int64_t session, const struct fault *f);

/* Adds a record to its table, and its lists' elements to theirs. unknown() is told each type of record that
 * the catalogue lacks ("plan"), and each field ("result.new"); these are passed over. */
bool store_record(struct store *s, int64_t session, const struct received *r,
                  void (*unknown)(void *ctx, const char *what), void *ctx);

/* ---- for the files host/store*.c only ---- */

/* SQL in the manner of sqlite3_mprintf(): %w is a name within double quotes, %Q a text with its quotes. */
bool store_run(struct store *s, const char *format, ...);
/* The first value that a query gives; 0: it gives none. */
bool store_ask(struct store *s, int64_t *answer, const char *format, ...);
/* Takes over SQLite's message. Always false. */
bool store_failed(struct store *s);
