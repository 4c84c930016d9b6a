/* Filling a table, and the formats for programs. The formats for people: host/table_people.c. */
#include "host/table.h"
#include "host/escape.h"
#include "host/table_people.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A record's real has twelve significant digits; what is computed from them gets a few more. */
#define REAL_DIGITS 14
#define JSON_FORM   (JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(REAL_DIGITS))

/* ---- filling ---- */

static void check(struct table *t, int error) { t->no_memory |= error != 0; }

void table_begin(struct table *t, const struct table_column *column)
{
    size_t n = 0;
    while (column[n].key) n++;
    if (n > TABLE_COLUMNS_MAX) abort();
    *t = (struct table){.column = column,
                        .notes = json_array(),
                        .rows = json_array(),
                        .summary = json_array(),
                        .tests = json_array()};
    t->no_memory = !t->notes || !t->rows || !t->summary || !t->tests;
}

void table_end(struct table *t)
{
    json_decref(t->notes);
    json_decref(t->rows);
    json_decref(t->summary);
    json_decref(t->tests);
}

void table_note(struct table *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    check(t, json_array_append_new(t->notes, json_vsprintf(format, args)));
    va_end(args);
}

void table_summary(struct table *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    check(t, json_array_append_new(t->summary, json_vsprintf(format, args)));
    va_end(args);
}

void table_row(struct table *t, enum table_result result, const char *name, const char *why)
{
    check(t, json_array_append_new(t->rows, json_object()));
    check(t, json_array_append_new(t->tests, json_pack("{s:i,s:s,s:s}", "result", result, "name", name, "why",
                                                       why ? why : "")));
}

void table_json(struct table *t, const char *key, json_t *value)
{
    check(t, json_object_set_new(json_array_get(t->rows, json_array_size(t->rows) - 1), key, value));
}

void table_text(struct table *t, const char *key, const char *text) { table_json(t, key, json_string(text)); }

void table_number(struct table *t, const char *key, double value)
{
    if (isfinite(value)) table_json(t, key, json_real(value));
}

/* ---- csv ---- */

static void csv_text(FILE *to, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++) fprintf(to, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', to);
}

static void csv_cell(FILE *to, const json_t *cell)
{
    char *text = NULL;
    if (json_is_string(cell))
        text = strdup(json_string_value(cell));
    else if (cell && !json_is_null(cell))
        text = json_dumps(cell, JSON_FORM);
    const size_t size = text ? 4 * strlen(text) + 1 : 0;
    char *shown = text ? malloc(size) : NULL;
    if (shown) csv_text(to, escape_text(shown, size, text));
    free(shown);
    free(text);
}

static void csv(const struct table *t, FILE *to)
{
    const json_t *row;
    size_t i;
    const char *between = "";
    for (const struct table_column *c = t->column; c->key; c++) {
        if (!(c->faces & TABLE_PROGRAMS)) continue;
        fprintf(to, "%s%s", between, c->key);
        between = ",";
    }
    fputc('\n', to);
    json_array_foreach(t->rows, i, row)
    {
        between = "";
        for (const struct table_column *c = t->column; c->key; c++) {
            if (!(c->faces & TABLE_PROGRAMS)) continue;
            fputs(between, to);
            csv_cell(to, json_object_get(row, c->key));
            between = ",";
        }
        fputc('\n', to);
    }
}

/* ---- json ---- */

/* A member of the whole, an element a line, so that a difference of two files can be read. */
static void json_member(FILE *to, const char *name, const json_t *list, const char *after)
{
    const json_t *element;
    size_t i;
    fprintf(to, "\"%s\":[", name);
    json_array_foreach(list, i, element)
    {
        fputs(i ? ",\n" : "\n", to);
        json_dumpf(element, to, JSON_FORM);
    }
    fprintf(to, "]%s\n", after);
}

/* The cells for programs, in the columns' order; an empty one is null. */
static json_t *json_rows(const struct table *t)
{
    json_t *all = json_array(), *row;
    size_t i;
    json_array_foreach(t->rows, i, row)
    {
        json_t *shown = json_object();
        for (const struct table_column *c = t->column; c->key; c++) {
            if (!(c->faces & TABLE_PROGRAMS)) continue;
            json_t *cell = json_object_get(row, c->key);
            json_object_set_new(shown, c->key, cell ? json_incref(cell) : json_null());
        }
        json_array_append_new(all, shown);
    }
    return all;
}

static void json(const struct table *t, FILE *to)
{
    json_t *rows = json_rows(t);
    fputc('{', to);
    json_member(to, "notes", t->notes, ",");
    json_member(to, "rows", rows, ",");
    json_member(to, "summary", t->summary, "}");
    json_decref(rows);
}

/* ---- all ---- */

static const struct {
    const char *name;
    void (*print)(const struct table *t, FILE *to);
} formats[] = {
    [TABLE_TEXT] = {"text", table_print_text},
    [TABLE_CSV] = {"csv", csv},
    [TABLE_JSON] = {"json", json},
    [TABLE_KTAP] = {"ktap", table_print_ktap},
    [TABLE_MARKDOWN] = {"markdown", table_print_markdown},
};

bool table_format_named(const char *name, enum table_format *format)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(name, formats[i].name) != 0) continue;
        *format = (enum table_format)i;
        return true;
    }
    return false;
}

bool table_print(const struct table *t, enum table_format format, FILE *to)
{
    if (!t->no_memory) formats[format].print(t, to);
    return !t->no_memory;
}
