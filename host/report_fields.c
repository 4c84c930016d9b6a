/* Fields of records, and records of several runs beside each other (host/report_runs.h). */
#include "host/fields.h"
#include "host/report_runs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- fields ---- */

const char *text_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

double integer_value(const json_t *v)
{
    if (!fields_is_integer(v, true)) return (double)NAN;
    return json_is_string(v) ? strtod(json_string_value(v), NULL) : (double)json_integer_value(v);
}

double number_of(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_real(v) ? json_real_value(v) : integer_value(v);
}

bool flag_of(const json_t *o, const char *flag)
{
    size_t i;
    json_t *f;
    json_array_foreach(json_object_get(o, "flags"), i, f)
    {
        if (json_is_string(f) && strcmp(json_string_value(f), flag) == 0) return true;
    }
    return false;
}

unsigned long long hex_of(const json_t *o, const char *key)
{
    const char *s = text_of(o, key);
    return strncmp(s, "0x", 2) == 0 ? strtoull(s + 2, NULL, 16) : 0;
}

char *params_of(const json_t *o, const char *without)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);
    const char *key, *blank = "";
    json_t *v;
    if (!to) abort();
    json_object_foreach(json_object_get(o, "params"), key, v)
    {
        if (without && strcmp(key, without) == 0) continue;
        if (json_is_string(v))
            fprintf(to, "%s%s=%s", blank, key, json_string_value(v));
        else
            fprintf(to, "%s%s=%" JSON_INTEGER_FORMAT, blank, key, json_integer_value(v));
        blank = " ";
    }
    if (fclose(to) || !text) abort();
    return text;
}

char *measurement_of(const json_t *o, const char *without)
{
    char *params = params_of(o, without);
    char *name = formatted("%s%s%s%s%s%s", text_of(o, "bench"), *text_of(o, "variant") ? " " : "",
                           text_of(o, "variant"), *params ? " " : "", params,
                           number_of(o, "ring") > 0 ? ", CPL 3" : "");
    free(params);
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
