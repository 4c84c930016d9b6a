/* What records are about, and records of several runs beside each other (host/report_runs.h). */
#include "host/report_runs.h"
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* ", CPL 3, CPU 1": where it ran, where that is not CPL 0 on the first processor. */
static void put_place(FILE *to, const json_t *o, const char *between)
{
    static const struct {
        const char *key, *name;
    } places[] = {{"ring", "CPL"}, {"cpu", "CPU"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!(number_of(o, places[i].key) > 0)) continue;
        fprintf(to, "%s%s %.0f", between, places[i].name, number_of(o, places[i].key));
        between = ", ";
    }
}

char *conditions_of(const json_t *o, const char *without, const char *name)
{
    char *text = NULL, *params = params_of(o, without);
    size_t len;
    FILE *to = open_memstream(&text, &len);
    if (!to || !params) abort();
    fprintf(to, "%s%s%s", name, *name && *params ? " " : "", params);
    put_place(to, o, *name || *params ? ", " : "");
    if (fclose(to) || !text) abort();
    free(params);
    return text;
}

char *measurement_of(const json_t *o, const char *without)
{
    char *name =
        formatted("%s%s%s", text_of(o, "bench"), *text_of(o, "variant") ? " " : "", text_of(o, "variant"));
    char *whole = conditions_of(o, without, name);
    free(name);
    return whole;
}

char *event_of(const json_t *o)
{
    char *of = measurement_of(o, NULL), *name = formatted("%s: %s", of, text_of(o, "event"));
    free(of);
    return name;
}

/* ---- a run's records ---- */

json_t *run_records(const struct capture *r, const char *type)
{
    static json_t *none;
    json_t *of = json_object_get(r->types, type);
    if (!of && !none) none = json_array();
    return of ? of : none;
}

json_t *run_record(const struct capture *r, const char *type)
{
    return json_array_get(run_records(r, type), 0);
}

/* ---- rows ---- */

static char *key_of(const json_t *o, const char *fields)
{
    json_t *parts = json_array();
    for (size_t n; *fields; fields += n + (fields[n] == '|')) {
        n = strcspn(fields, "|");
        json_t *v = json_object_getn(o, fields, n);
        json_array_append_new(parts, v ? json_incref(v) : json_null());
    }
    char *key = json_dumps(parts, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(parts);
    if (!key) abort();
    return key;
}

/* counts: key -> how many records of it each run had so far. */
static void put_in_row(json_t *rows, json_t *counts, size_t n_runs, size_t run, json_t *o, char *key)
{
    json_t *had = json_object_get(counts, key);
    char again[24];
    if (!had) {
        json_object_set_new(counts, key, had = json_array());
        for (size_t i = 0; i < n_runs; i++) json_array_append_new(had, json_integer(0));
    }
    const json_int_t n = json_integer_value(json_array_get(had, run));
    json_array_set_new(had, run, json_integer(n + 1));
    snprintf(again, sizeof again, "\n%lld", (long long)n);
    key = realloc(key, strlen(key) + sizeof again);
    if (!key) abort();
    strcat(key, again);
    json_t *row = json_object_get(rows, key);
    if (!row) {
        json_object_set_new(rows, key, row = json_array());
        for (size_t i = 0; i < n_runs; i++) json_array_append_new(row, json_null());
    }
    json_array_set(row, run, o);
    free(key);
}

json_t *rows_of(const struct runs *rs, const char *type, const char *fields)
{
    json_t *rows = json_object(), *counts = json_object(), *o;
    size_t i;
    for (size_t k = 0; k < rs->n; k++) json_array_foreach(run_records(&rs->run[k], type), i, o)
        {
            put_in_row(rows, counts, rs->n, k, o, key_of(o, fields));
        }
    json_decref(counts);
    return rows;
}

json_t *row_first(const json_t *row)
{
    size_t i;
    json_t *o;
    json_array_foreach(row, i, o)
    {
        if (json_is_object(o)) return o;
    }
    return NULL;
}

json_t *rows_by(json_t *rows, char *(*name)(const json_t *o))
{
    json_t *groups = json_object(), *row;
    const char *key;
    json_object_foreach(rows, key, row)
    {
        char *of = name(row_first(row));
        json_t *group = json_object_get(groups, of);
        if (!group) json_object_set_new(groups, of, group = json_array());
        json_array_append(group, row);
        free(of);
    }
    json_decref(rows);
    return groups;
}
