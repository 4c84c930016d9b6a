#include "host/compare_table.h"
#include <math.h>
#include <string.h>

/* ---- rows ---- */

static const struct table_column columns[] = {
    {"label", "benchmark, parameters", TABLE_PEOPLE, 0},
    {"bench", "benchmark", TABLE_PROGRAMS, 0},
    {"variant", "variant", TABLE_PROGRAMS, 0},
    {"params", "parameters", TABLE_PROGRAMS, 0},
    {"cpu", "cpu", TABLE_PROGRAMS, 0},
    {"ring", "ring", TABLE_PROGRAMS, 0},
    {"region", "region", TABLE_PROGRAMS, 0},
    {"occurrence", "occurrence", TABLE_PROGRAMS, 0},
    {"event", "event", TABLE_PEOPLE | TABLE_PROGRAMS, 0},
    {"unit", "unit", TABLE_PROGRAMS, 0},
    {"old", "old", TABLE_PEOPLE | TABLE_PROGRAMS | TABLE_VALUE, 5},
    {"new", "new", TABLE_PEOPLE | TABLE_PROGRAMS | TABLE_VALUE, 5},
    {"ratio", "ratio", TABLE_PEOPLE | TABLE_PROGRAMS | TABLE_VALUE, 5},
    {"low", "from", TABLE_PROGRAMS, 0},
    {"high", "to", TABLE_PROGRAMS, 0},
    {"interval", "interval", TABLE_PEOPLE | TABLE_VALUE, 0},
    {"verdict", "verdict", TABLE_PEOPLE | TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"exact", "exact", TABLE_PROGRAMS, 0},
    {"beyond", "beyond", TABLE_PROGRAMS, 0},
    {"p", "p", TABLE_PROGRAMS, 0},
    {"level", "level", TABLE_PROGRAMS, 0},
    {"boots_old", "boots of OLD", TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"boots_new", "boots of NEW", TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"remark", "remark", TABLE_PEOPLE | TABLE_PROGRAMS | TABLE_VALUE, 0},
    {0},
};

/* "emulated" is no doubt here: both sides are. */
static void remark(const struct compared *row, char *s, size_t cap)
{
    const char *key;
    json_t *v;
    size_t n = (size_t)snprintf(s, cap, "%s", row->why ? row->why : "");
    json_object_foreach(row->doubts, key, v)
    {
        if (n < cap) n += (size_t)snprintf(s + n, cap - n, "%s%s", n ? "; " : "", key);
    }
}

static void add_row(struct table *t, const struct compared *row)
{
    static const char *const copied[] = {"bench", "variant", "params", "cpu", "ring", "region", "occurrence"};
    const enum table_result result = row->beyond                   ? TABLE_NOT_OK
                                     : row->verdict == CANNOT_TELL ? TABLE_SKIP
                                                                   : TABLE_OK;
    char text[512];
    snprintf(text, sizeof text, "%s %s", row->label, row->event);
    table_row(t, result, text, row->why);
    table_text(t, "label", row->label);
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        json_t *v = json_object_get(row->id, copied[i]);
        if (v) table_json(t, copied[i], json_incref(v));
    }
    const json_t *unit = row->side[row->side[OLD].n ? OLD : NEW].unit;
    table_text(t, "event", row->event);
    if (json_is_string(unit)) table_text(t, "unit", json_string_value(unit));
    table_number(t, "old", row->mean[OLD]);
    table_number(t, "new", row->mean[NEW]);
    table_number(t, "ratio", row->ratio);
    table_number(t, "low", row->low);
    table_number(t, "high", row->high);
    if (row->tested && isfinite(row->low)) {
        snprintf(text, sizeof text, "%.4f to %.4f", row->low, row->high);
        table_text(t, "interval", text);
    }
    table_text(t, "verdict", verdict_name[row->verdict]);
    table_json(t, "exact", json_boolean(row->exact));
    table_json(t, "beyond", json_boolean(row->beyond));
    table_number(t, "p", row->p);
    table_number(t, "level", row->level);
    table_json(t, "boots_old", json_integer((json_int_t)row->side[OLD].n));
    table_json(t, "boots_new", json_integer((json_int_t)row->side[NEW].n));
    remark(row, text, sizeof text);
    if (*text) table_text(t, "remark", text);
}

/* ---- what is said around them ---- */

static void note(void *ctx, const char *sentence) { table_note(ctx, "%s", sentence); }

/* "12 rows: 10 same, 2 slower" */
static void add_summary(struct table *t, const struct comparison *c, const struct judging *how)
{
    char s[256];
    size_t count[VERDICTS] = {0}, beyond = 0, at = 0;
    for (size_t i = 0; i < c->n; i++) {
        count[c->row[i].verdict]++;
        beyond += c->row[i].beyond;
    }
    at = (size_t)snprintf(s, sizeof s, "%zu row%s:", c->n, c->n == 1 ? "" : "s");
    for (int v = 0; v < VERDICTS; v++)
        if (count[v])
            at += (size_t)snprintf(s + at, sizeof s - at, "%s %zu %s", s[at - 1] == ':' ? "" : ",", count[v],
                                   verdict_name[v]);
    table_summary(t, "%s", s);
    if (c->without_value)
        table_summary(t, "%zu row%s left out: no value, since the model lacks the event, or bounds only",
                      c->without_value, c->without_value == 1 ? " is" : "s are");
    if (how->fail_over >= 0)
        table_summary(t, "%zu row%s %s beyond %g %%", beyond, beyond == 1 ? "" : "s",
                      beyond == 1 ? "is" : "are", 100 * how->fail_over);
}

static void add_notes(struct table *t, const struct comparison *c)
{
    table_note(t, "OLD: %zu boot%s, NEW: %zu boot%s", c->boots[OLD], c->boots[OLD] == 1 ? "" : "s",
               c->boots[NEW], c->boots[NEW] == 1 ? "" : "s");
    if (c->emulator[OLD] && c->emulator[NEW])
        table_note(t, "Not measured on a processor: both sides were modelled or emulated");
    comparison_differences(c, note, t);
    for (int side = OLD; side < SIDES; side++)
        if (c->failed[side])
            table_note(t, "%s: %zu boot%s did not end well (a benchmark failed, or the words were wrong)",
                       side_name[side], c->failed[side], c->failed[side] == 1 ? "" : "s");
}

bool comparison_print(const struct comparison *c, const struct judging *how, bool changed_only,
                      enum table_format format, FILE *to)
{
    struct table t;
    table_begin(&t, columns);
    add_notes(&t, c);
    for (size_t i = 0; i < c->n; i++)
        if (!changed_only || c->row[i].verdict != SAME) add_row(&t, &c->row[i]);
    add_summary(&t, c, how);
    const bool good = table_print(&t, format, to);
    table_end(&t);
    return good;
}
