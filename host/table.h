/* A table that people and programs read: rows of named cells, filled once and printed in any of five formats.
 *
 *   text      aligned columns, for a terminal
 *   markdown  the same for a pull request
 *   csv       RFC 4180, but lines end in LF; the first line has the columns' keys
 *   json      {"notes":[...],"rows":[{key:value...}...],"summary":[...]}
 *   ktap      each row a test, its values in a diagnostic line before it
 */
#pragma once
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#define TABLE_FORMATS "text|csv|json|ktap|markdown"
enum table_format { TABLE_TEXT, TABLE_CSV, TABLE_JSON, TABLE_KTAP, TABLE_MARKDOWN };

/* False: there is no such format. */
bool table_format_named(const char *name, enum table_format *format);

/* Who sees a column. */
enum {
    TABLE_PEOPLE = 1 /* text, markdown */,
    TABLE_PROGRAMS = 2 /* csv, json */,
    TABLE_VALUE = 4 /* ktap */
};

#define TABLE_COLUMNS_MAX 32
struct table_column {
    const char *key;   /* NULL ends the list */
    const char *title; /* for people */
    unsigned faces;
    int digits; /* of a number, for people; 0: the cells are text */
};

/* What ktap makes of a row. */
enum table_result { TABLE_OK, TABLE_NOT_OK, TABLE_SKIP };

struct table {
    const struct table_column *column;
    json_t *notes, *rows, *summary;
    json_t *tests;  /* of each row: its result, name and reason */
    bool no_memory; /* something is missing from it */
};

void table_begin(struct table *t, const struct table_column *column);
void table_end(struct table *t);

/* A sentence above the table, or below. */
void table_note(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_summary(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The next row. name, why (may be NULL: nothing to say): what ktap calls it, and why it was skipped. */
void table_row(struct table *t, enum table_result result, const char *name, const char *why);

/* Its cells; one that is not set is empty, as is a number that is not finite. */
void table_text(struct table *t, const char *key, const char *text);
void table_number(struct table *t, const char *key, double value);
void table_json(struct table *t, const char *key, json_t *value); /* takes the reference */

/* False: there was no memory for all of it; nothing is printed. */
bool table_print(const struct table *t, enum table_format format, FILE *to);
