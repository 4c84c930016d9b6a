#include "host/label.h"
#include "host/machine.h"
#include "host/show.h"
#include "host/values.h"
#include "report/schema.h"
#include <stdlib.h>
#include <string.h>

static const struct table_column columns[] = {
    {"record", "record", TABLE_PROGRAMS, 0},
    {"bench", "benchmark", TABLE_PROGRAMS, 0},
    {"variant", "variant", TABLE_PROGRAMS, 0},
    {"params", "parameters", TABLE_PROGRAMS, 0},
    {"cpu", "cpu", TABLE_PROGRAMS, 0},
    {"ring", "ring", TABLE_PROGRAMS, 0},
    {"region", "region", TABLE_PROGRAMS, 0},
    {"event", "event", TABLE_PROGRAMS, 0},
    {"unit", "unit", TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"reps", "repetitions", TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"value", "value", TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"least", "least", TABLE_PROGRAMS | TABLE_VALUE, 0}, /* of a region: the value lies between these */
    {"most", "most", TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"min", "min", TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"mean", "mean", TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"ci95", "95 % interval", TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"ci99", "99 % interval", TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"max", "max", TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"overhead", "overhead", TABLE_PROGRAMS, 0},
    {"ns_per_op", "ns", TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"expected", "expected", TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"verdict", "verdict", TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"flags", "flags", TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"message", "message", TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"file", "file", TABLE_PROGRAMS, 0}, /* which capture, and of whom: rows of several are in one table */
    {"machine", "machine", TABLE_PROGRAMS, 0},
    {"session", "session", TABLE_PROGRAMS, 0},
    {0},
};

/* Where a column's value stands in a record, if it is not the column's own name. */
static const struct {
    const char *record, *key, *column;
} renamed[] = {
    {"result", "median", "value"},     {"region", "total", "value"},   {"region", "id", "region"},
    {"truth", "program", "bench"},     {"truth", "measured", "value"}, {"truth", "reason", "message"},
    {"relation", "program", "bench"},  {"relation", "left", "value"},  {"relation", "right", "expected"},
    {"relation", "reason", "message"},
};

/* ["a","b"] with "+" between: a+b. */
static void joined(FILE *to, const json_t *list, const char *between)
{
    size_t i;
    const json_t *v;
    json_array_foreach(list, i, v)
    {
        fprintf(to, "%s%s", i ? between : "", json_is_string(v) ? json_string_value(v) : "?");
    }
}

/* What was measured: an event, or the events of a relation. The caller frees it. */
static char *events_of(const json_t *o)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    fputs(text_of(o, "event"), to);
    joined(to, json_object_get(o, "left_terms"), " + ");
    if (*text_of(o, "relation")) fprintf(to, " %s ", text_of(o, "relation"));
    joined(to, json_object_get(o, "right_terms"), " + ");
    return fclose(to) == 0 ? text : NULL;
}

/* ---- tests ---- */

/* A measurement that came about is ok, a truth row if it agrees; what this CPU or model lacks is skipped. */
static enum table_result result_of(const json_t *o, const char *type, const char **why)
{
    const char *verdict = text_of(o, "verdict");
    *why = NULL;
    if (strcmp(type, "error") == 0) return TABLE_NOT_OK;
    if (flag_of(o, "unmodelled")) *why = "unmodelled";
    if (strcmp(type, "truth") == 0 || strcmp(type, "relation") == 0) {
        if (schema_has_value("agrees|within|answered", verdict)) return TABLE_OK;
        if (strcmp(verdict, "differs") == 0) return TABLE_NOT_OK;
        *why = verdict;
    }
    return *why ? TABLE_SKIP : TABLE_OK;
}

/* ---- rows ---- */

static const char *column_of(const char *type, const char *key)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (strcmp(renamed[i].record, type) == 0 && strcmp(renamed[i].key, key) == 0)
            return renamed[i].column;
    for (const struct table_column *c = columns; c->key; c++)
        if (strcmp(c->key, key) == 0) return key;
    return NULL;
}

static void set_flags(struct table *t, const json_t *flags)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) return;
    joined(to, flags, " ");
    if (fclose(to) == 0) table_text(t, "flags", text);
    free(text);
}

/* ---- whose rows ---- */

void show_rows_file(struct show_rows *s, const char *name)
{
    s->file = name;
    s->session = 0;
    show_rows_next(s);
}

void show_rows_next(struct show_rows *s)
{
    s->session++;
    s->first = json_array_size(s->table.rows);
    json_decref(s->boot);
    json_decref(s->cpu);
    free(s->machine);
    s->boot = s->cpu = NULL;
    s->modelled = false;
    s->machine = NULL;
}

/* Rows that came before the processor's record, such as errors, get it as well. */
static void note_machine(struct show_rows *s)
{
    free(s->machine);
    s->machine = machine_of(s->boot, s->cpu, s->modelled);
    for (size_t i = s->first; i < json_array_size(s->table.rows); i++)
        json_object_set_new(json_array_get(s->table.rows, i), "machine", json_string(s->machine));
}

static void set_whose(struct show_rows *s)
{
    json_t *file = json_string(s->file);
    if (file)
        table_json(&s->table, "file", file);
    else
        table_text(&s->table, "file", "?"); /* no UTF-8 */
    if (s->machine) table_text(&s->table, "machine", s->machine);
    table_json(&s->table, "session", json_integer((json_int_t)s->session));
}

static void add_row(struct table *t, const json_t *o, const char *type, const char *label, const char *event)
{
    const char *key, *why;
    json_t *v;
    char name[1024];
    const enum table_result result = result_of(o, type, &why);
    snprintf(name, sizeof name, "%s%s%s", *label ? label : text_of(o, "what"), *event ? " " : "", event);
    table_row(t, result, name, why);
    table_text(t, "record", type);
    if (*event) table_text(t, "event", event);
    json_object_foreach((json_t *)o, key, v)
    {
        const char *column = column_of(type, key);
        if (strcmp(key, "flags") == 0)
            set_flags(t, v);
        else if (column && strcmp(key, "event") != 0)
            table_json(t, column, json_incref(v));
    }
}

void show_rows_begin(struct show_rows *s)
{
    *s = (struct show_rows){0};
    table_begin(&s->table, columns);
}

void show_rows_record(struct show_rows *s, const json_t *o, const char *type)
{
    const bool modelled = !s->modelled && (flag_of(o, "modelled") || *text_of(o, "modelled"));
    const bool is_cpu = strcmp(type, "cpu") == 0 && !s->cpu;
    s->modelled |= modelled;
    if (strcmp(type, "boot") == 0 && !s->boot) s->boot = json_incref((json_t *)(uintptr_t)o);
    if (is_cpu) s->cpu = json_incref((json_t *)(uintptr_t)o);
    if (is_cpu || (modelled && s->cpu)) note_machine(s);
    if (!schema_has_value("result|region|truth|relation|error", type)) return;
    char *label = label_of(o), *event = events_of(o);
    if (label && event) {
        add_row(&s->table, o, type, label, event);
        set_whose(s);
    } else
        s->table.no_memory = true;
    free(label);
    free(event);
}

void show_rows_session(struct show_rows *s, const char *name, const struct session_seen *seen)
{
    char text[512], message[64] = "it has no end";
    snprintf(text, sizeof text, "session %lu of %s", seen->number, name);
    table_row(&s->table, seen->ended && seen->status == 0 ? TABLE_OK : TABLE_NOT_OK, text, NULL);
    if (seen->ended) snprintf(message, sizeof message, "status %lld", seen->status);
    table_text(&s->table, "message", message);
}

void show_rows_capture(struct show_rows *s, const char *name, unsigned long faults)
{
    char text[512], message[64];
    snprintf(text, sizeof text, "capture %s", name);
    table_row(&s->table, faults ? TABLE_NOT_OK : TABLE_OK, text, NULL);
    snprintf(message, sizeof message, faults ? "%lu faults" : "complete and undamaged", faults);
    table_text(&s->table, "message", message);
}

bool show_rows_end(struct show_rows *s, enum table_format format, FILE *to)
{
    const bool good = table_print(&s->table, format, to);
    table_end(&s->table);
    json_decref(s->boot);
    json_decref(s->cpu);
    free(s->machine);
    return good;
}
