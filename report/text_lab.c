/* The results of experiments: values, tables, series. */
#include "report/json.h"
#include "report/text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- private ---- */

#define NAME_COLUMNS  44
#define COLUMN_LEAST  11 /* of a table, with the blanks to its left */
#define LABEL_COLUMNS 28 /* of a table whose rows have names */

static char shown[256];   /* the experiment, with its parameters, whose heading has been printed; "": none */
static char doubted[128]; /* its errata that have been printed */
static char table[96];    /* the same for a table in it */

/* All digits where a column has room for them, and two decimals at least; else five. */
static void real(char *s, size_t cap, double v)
{
    char exact[REAL_TEXT];
    snprintf(s, cap, "%.2f", v);
    real_text(exact, v);
    const char *point = strchr(exact, '.');
    if (!strchr(exact, 'e') && (!point || strlen(point) <= 3)) return;
    if (strlen(exact) < COLUMN_LEAST)
        snprintf(s, cap, "%s", exact);
    else
        text_number(s, cap, v, __builtin_fabs(v));
}

/* Whole numbers as they are; others as above. Without a value: why there is none. */
static void number(char *s, size_t cap, const struct field *value, bool unmodelled)
{
    const double v = field_number(value, (double)NAN);
    if (!value)
        snprintf(s, cap, "%s", unmodelled ? "unmodelled" : "absent");
    else if (value->type == FIELD_UINT)
        snprintf(s, cap, "%llu", (unsigned long long)value->u);
    else if (value->type != FIELD_REAL)
        snprintf(s, cap, "%.0f", v);
    else if (__builtin_fabs(v) >= 1e18)
        snprintf(s, cap, "%.6g", v);
    else
        real(s, cap, v);
}

/* The experiment and its parameters, where they are not those of the record before. */
void text_lab_heading(const struct record *r, text_put put)
{
    char now[sizeof shown];
    struct para p;
    size_t n = (size_t)snprintf(now, sizeof now, "%s", rec_text(r, "bench", "?"));
    for (const struct field *f = members(rec_find(r, "params")); f && n < sizeof now; f = member_next(f))
        n += (size_t)snprintf(now + n, sizeof now - n, " %s=%.0f", f->key, field_number(f, 0));
    if (strcmp(now, shown) == 0) return;
    strcpy(shown, now);
    table[0] = doubted[0] = '\0';
    put("");
    para_begin(&p, put, now, 4);
    if (text_origin()) para_printf(&p, " (%s)", text_origin());
    para_end(&p);
}

/* Once for an experiment, unless further events have others. */
void text_lab_doubts(const struct record *r, text_put put)
{
    char now[sizeof doubted] = "";
    size_t n = 0;
    for (const struct field *f = members(rec_find(r, "errata")); f && n < sizeof now; f = member_next(f))
        n += (size_t)snprintf(now + n, sizeof now - n, "%s ", f->s);
    if (!*now || strcmp(now, doubted) == 0) return;
    strcpy(doubted, now);
    text_doubts(r, put);
}

static void cell_value(const struct field *cell, char *s, size_t cap)
{
    const struct field *why = members(member(cell, "flags"));
    number(s, cap, member(cell, "value"), why && strcmp(why->s, "unmodelled") == 0);
}

/* "name (unit)", or the name alone where the unit says no more. */
static void column_name(char *s, size_t cap, const struct field *cell)
{
    const char *name = member_text(cell, "name", "?"), *unit = member_text(cell, "unit", "");
    snprintf(s, cap, *unit && strcmp(name, unit) != 0 ? "%s (%s)" : "%s", name, unit);
}

static int width(const char *column)
{
    const int n = (int)strlen(column) + 2;
    return n < COLUMN_LEAST ? COLUMN_LEAST : n;
}

/* What stands to the left of a table's numbers. */
static void row_begin(struct para *p, const struct record *r, const char *label, text_put put)
{
    para_begin(p, put, "", 2);
    p->glue = true;
    if (rec_find(r, "label")) para_printf(p, "%-*s", LABEL_COLUMNS, label);
}

static void table_heading(const struct record *r, text_put put)
{
    struct para p;
    para_begin(&p, put, "", 2);
    para_str(&p, table);
    para_end(&p);
    row_begin(&p, r, "", put);
    for (const struct field *c = members(rec_find(r, "cells")); c; c = member_next(c)) {
        char name[80];
        column_name(name, sizeof name, c);
        para_printf(&p, "%*s", width(name), name);
    }
    para_end(&p);
}

/* ---- public ---- */

void text_lab_close(void) { shown[0] = table[0] = '\0'; }

void text_lab_value(const struct record *r, text_put put)
{
    char value[32];
    struct para p;
    text_lab_heading(r, put);
    table[0] = '\0';
    number(value, sizeof value, rec_find(r, "value"), has_flag(r, "flags", "unmodelled"));
    para_begin(&p, put, "", 4);
    p.n = 2;
    para_str(&p, rec_text(r, "name", "?"));
    do para_str(&p, " ");
    while (p.n < NAME_COLUMNS && !p.wrapped);
    p.glue = true;
    para_printf(&p, "%11s", value);
    if (rec_find(r, "value") && *rec_text(r, "unit", "")) para_printf(&p, " %s", rec_text(r, "unit", ""));
    para_end(&p);
    text_lab_doubts(r, put);
    if (!rec_find(r, "note")) return;
    para_begin(&p, put, "", 6);
    para_str(&p, rec_text(r, "note", ""));
    para_end(&p);
}

void text_lab_row(const struct record *r, text_put put)
{
    struct para p;
    text_lab_heading(r, put);
    if (strcmp(table, rec_text(r, "table", "")) != 0) {
        snprintf(table, sizeof table, "%s", rec_text(r, "table", ""));
        table_heading(r, put);
    }
    row_begin(&p, r, rec_text(r, "label", ""), put);
    for (const struct field *c = members(rec_find(r, "cells")); c; c = member_next(c)) {
        char name[80], value[32];
        column_name(name, sizeof name, c);
        cell_value(c, value, sizeof value);
        para_printf(&p, " %*s", width(name) - 1, value);
    }
    para_end(&p);
    text_lab_doubts(r, put);
}

void text_lab_series(const struct record *r, text_put put)
{
    const char *unit = rec_text(r, "unit", "");
    const double first = rec_number(r, "first", 0);
    struct para p;
    text_lab_heading(r, put);
    table[0] = '\0';
    para_begin(&p, put, "", 4);
    p.n = 2;
    if (first > 0)
        para_printf(&p, "from %.0f on:", first);
    else
        para_printf(&p, "%s%s%s:", rec_text(r, "name", "?"), *unit ? ", " : "", unit);
    for (const struct field *f = members(rec_find(r, "values")); f; f = member_next(f)) {
        char value[32];
        number(value, sizeof value, f, false);
        para_printf(&p, " %s", value);
    }
    para_end(&p);
    text_lab_doubts(r, put);
}
