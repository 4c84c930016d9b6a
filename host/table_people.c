#include "host/table_people.h"
#include "host/escape.h"
#include <math.h>
#include <string.h>

#define CELL_MAX 256 /* what is longer is cut */
#define NOTE_MAX 1024
#define GAP      2 /* blanks between columns */

/* ---- cells ---- */

/* So many significant digits, but never an exponent for a large number: 1043005, 0.0521. */
static void number_text(char *s, double v, int digits)
{
    if (fabs(v) >= pow(10, digits - 1))
        snprintf(s, CELL_MAX, "%.0f", v);
    else
        snprintf(s, CELL_MAX, "%.*g", digits, v);
}

static void cell_text(char *s, const json_t *cell, const struct table_column *c)
{
    *s = '\0';
    if (json_is_string(cell))
        escape_text(s, CELL_MAX, json_string_value(cell));
    else if (json_is_number(cell))
        number_text(s, json_number_value(cell), c->digits ? c->digits : 7);
    else if (json_is_boolean(cell))
        strcpy(s, json_is_true(cell) ? "yes" : "");
}

/* Columns on a terminal: bytes but for those that go on with an UTF-8 character. */
static size_t width_of(const char *s)
{
    size_t n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

/* ---- text ---- */

static size_t column_width(const struct table *t, const struct table_column *c)
{
    char s[CELL_MAX];
    size_t width = width_of(c->title), i;
    const json_t *row;
    json_array_foreach(t->rows, i, row)
    {
        cell_text(s, json_object_get(row, c->key), c);
        if (width_of(s) > width) width = width_of(s);
    }
    return width;
}

struct line {
    FILE *to;
    size_t blanks; /* that are due before the next cell: a line does not end in blanks */
};

static void put_cell(struct line *l, const char *s, size_t width, bool number)
{
    const size_t rest = width - width_of(s);
    if (*s) {
        fprintf(l->to, "%*s%s", (int)(l->blanks + (number ? rest : 0)), "", s);
        l->blanks = number ? 0 : rest;
    } else
        l->blanks += width;
    l->blanks += GAP;
}

static void put_lines(FILE *to, const char *before, const json_t *lines, const char *after)
{
    size_t i;
    const json_t *line;
    json_array_foreach(lines, i, line)
    {
        char s[NOTE_MAX];
        fprintf(to, "%s%s%s", before, escape_text(s, sizeof s, json_string_value(line)), after);
    }
}

void table_print_text(const struct table *t, FILE *to)
{
    size_t width[TABLE_COLUMNS_MAX], total = 0, i;
    struct line l = {.to = to};
    const json_t *row;
    char s[CELL_MAX];

    put_lines(to, "", t->notes, "\n");
    if (json_array_size(t->notes)) fputc('\n', to);
    for (const struct table_column *c = t->column; c->key && json_array_size(t->rows); c++) {
        if (!(c->faces & TABLE_PEOPLE)) continue;
        total += width[c - t->column] = column_width(t, c);
        put_cell(&l, c->title, width[c - t->column], c->digits);
        total += GAP;
    }
    if (total) fputc('\n', to);
    for (; total > GAP; total--) fputc('-', to);
    if (total) fputc('\n', to);
    json_array_foreach(t->rows, i, row)
    {
        l.blanks = 0;
        for (const struct table_column *c = t->column; c->key; c++) {
            if (!(c->faces & TABLE_PEOPLE)) continue;
            cell_text(s, json_object_get(row, c->key), c);
            put_cell(&l, s, width[c - t->column], c->digits);
        }
        fputc('\n', to);
    }
    if (json_array_size(t->rows)) fputc('\n', to);
    put_lines(to, "", t->summary, "\n");
}

/* ---- markdown (GitHub's and GitLab's tables) ---- */

static void markdown_text(FILE *to, const char *s)
{
    for (; *s; s++) fprintf(to, strchr("\\`*<>|[]&~", *s) ? "\\%c" : "%c", *s);
}

static void markdown_lines(FILE *to, const json_t *lines)
{
    size_t i;
    const json_t *line;
    json_array_foreach(lines, i, line)
    {
        char s[NOTE_MAX];
        fputs("- ", to);
        markdown_text(to, escape_text(s, sizeof s, json_string_value(line)));
        fputc('\n', to);
    }
}

static void markdown_rows(const struct table *t, FILE *to)
{
    const json_t *row;
    char s[CELL_MAX];
    size_t i;
    for (const struct table_column *c = t->column; c->key; c++)
        if (c->faces & TABLE_PEOPLE) fprintf(to, "| %s ", c->title);
    fputs("|\n", to);
    for (const struct table_column *c = t->column; c->key; c++)
        if (c->faces & TABLE_PEOPLE) fputs(c->digits ? "|---:" : "|---", to);
    fputs("|\n", to);
    json_array_foreach(t->rows, i, row)
    {
        for (const struct table_column *c = t->column; c->key; c++) {
            if (!(c->faces & TABLE_PEOPLE)) continue;
            cell_text(s, json_object_get(row, c->key), c);
            fputs("| ", to);
            markdown_text(to, s);
            fputc(' ', to);
        }
        fputs("|\n", to);
    }
}

void table_print_markdown(const struct table *t, FILE *to)
{
    markdown_lines(to, t->notes);
    if (json_array_size(t->notes)) fputc('\n', to);
    if (json_array_size(t->rows)) {
        markdown_rows(t, to);
        fputc('\n', to);
    }
    markdown_lines(to, t->summary);
}

/* ---- ktap (Linux, Documentation/dev-tools/ktap.rst; any parser of TAP reads it) ---- */

/* A name has no '#', which begins a directive. */
static void ktap_text(FILE *to, const char *text)
{
    char s[NOTE_MAX];
    for (const char *c = escape_text(s, sizeof s, text); *c; c++) fputc(*c == '#' ? '_' : *c, to);
}

static void ktap_values(const struct table *t, const json_t *row, FILE *to)
{
    char s[CELL_MAX];
    fputc('#', to);
    for (const struct table_column *c = t->column; c->key; c++) {
        if (!(c->faces & TABLE_VALUE)) continue;
        cell_text(s, json_object_get(row, c->key), c);
        if (!*s) continue;
        fprintf(to, " %s: ", c->title);
        ktap_text(to, s);
        fputc(';', to);
    }
    fputc('\n', to);
}

void table_print_ktap(const struct table *t, FILE *to)
{
    size_t count[TABLE_SKIP + 1] = {0}, i;
    const json_t *row;
    fprintf(to, "KTAP version 1\n1..%zu\n", json_array_size(t->rows));
    put_lines(to, "# ", t->notes, "\n");
    json_array_foreach(t->rows, i, row)
    {
        const json_t *test = json_array_get(t->tests, i);
        const int result = (int)json_integer_value(json_object_get(test, "result"));
        ktap_values(t, row, to);
        fprintf(to, "%s %zu ", result == TABLE_NOT_OK ? "not ok" : "ok", i + 1);
        ktap_text(to, json_string_value(json_object_get(test, "name")));
        if (result == TABLE_SKIP) {
            fputs(" # SKIP ", to);
            ktap_text(to, json_string_value(json_object_get(test, "why")));
        }
        fputc('\n', to);
        count[result]++;
    }
    put_lines(to, "# ", t->summary, "\n");
    fprintf(to, "# Totals: pass:%zu fail:%zu xfail:0 xpass:0 skip:%zu error:0\n", count[TABLE_OK],
            count[TABLE_NOT_OK], count[TABLE_SKIP]);
}
