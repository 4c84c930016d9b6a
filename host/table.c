/* Filling a table, and the formats for programs. The formats for people: host/table_people.c. */
#include "host/table.h"
#include "host/escape.h"
#include "host/table_people.h"
#include "report/json.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define JSON_FORM (JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII)

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

/* ---- cells for programs ---- */

/* As JSON. A real has the digits that read back as the same double, as in records; jansson would write them
 * all. To be freed; NULL: no memory. */
static char *cell_json(const json_t *cell)
{
    char s[REAL_TEXT + sizeof ".0"];
    if (!json_is_real(cell)) return json_dumps(cell, JSON_FORM);
    real_text(s, json_real_value(cell));
    if (!strpbrk(s, ".e")) strcat(s, ".0");
    return strdup(s);
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
        text = cell_json(cell);
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
static void json_row(FILE *to, const struct table *t, const json_t *row)
{
    const char *before = "{";
    for (const struct table_column *c = t->column; c->key; c++) {
        if (!(c->faces & TABLE_PROGRAMS)) continue;
        const json_t *cell = json_object_get(row, c->key);
        char *text = cell ? cell_json(cell) : NULL;
        fprintf(to, "%s\"%s\":%s", before, c->key, text ? text : "null");
        free(text);
        before = ",";
    }
    fputc('}', to);
}

static void json(const struct table *t, FILE *to)
{
    size_t i;
    const json_t *row;
    fputc('{', to);
    json_member(to, "notes", t->notes, ",");
    fputs("\"rows\":[", to);
    json_array_foreach(t->rows, i, row)
    {
        fputs(i ? ",\n" : "\n", to);
        json_row(to, t, row);
    }
    fputs("],\n", to);
    json_member(to, "summary", t->summary, "}");
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
