/* The rows of results: labels, units and values, under a heading that is printed when the table begins. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/json.h"
#include "report/text.h"

/* ---- private ---- */

#define AHEAD 60 /* benchmark and parameters to the left, unit to the right, and three values */
#define LEAST 7  /* columns of a value: more where a count has more digits */
#define ROW   "%*s %*s %*s +/- %s%*s"
#define LAST  12 /* columns of interval and overhead, with a blank between them */

static struct {
    bool open;
    unsigned conf;
    int width;        /* of a value: all rows under a heading have the same */
    char bench[96];   /* benchmark and variant of the row before */
    char params[256]; /* " key=value key=value " of the row before */
} table;

static void append(char *s, size_t cap, const char *a, const char *b)
{
    size_t n = strlen(s);
    snprintf(s + n, cap - n, "%s%s", a, b);
}

static void append_param(char *s, size_t cap, const struct field *f)
{
    char value[REAL_TEXT];
    switch (f->type) {
    case FIELD_STR:
        snprintf(value, sizeof value, "%s", f->s);
        break;
    case FIELD_INT:
        snprintf(value, sizeof value, "%lld", (long long)f->i);
        break;
    case FIELD_UINT:
        snprintf(value, sizeof value, "%llu", (unsigned long long)f->u);
        break;
    default:
        real_text(value, field_number(f, 0));
    }
    append(s, cap, f->key, "=");
    append(s, cap, value, " ");
}

/* " lines=8 stride=8192 ring=3 ": distinguishes this row from others of the same benchmark and variant. */
static void describe(const struct record *r, char *s, size_t cap)
{
    strcpy(s, " ");
    for (const struct field *f = members(rec_find(r, "params")); f; f = member_next(f))
        append_param(s, cap, f);
    if (rec_number(r, "ring", 0) != 0) append_param(s, cap, rec_find(r, "ring"));
    if (rec_number(r, "cpu", 0) != 0) append_param(s, cap, rec_find(r, "cpu"));
}

/* Append the words of now that are not in before. */
static void difference(const char *now, const char *before, char *s, size_t cap)
{
    while (*now == ' ' && *++now) { /* the last word may have been cut, with its blank */
        char word[72];
        size_t len = strcspn(now, " ");
        snprintf(word, sizeof word, " %.*s ", (int)len, now);
        if (!strstr(before, word)) append(s, cap, "", word + 1);
        now += len;
    }
}

struct label {
    char above[sizeof table.bench + sizeof table.params]; /* a line of its own; "" = none */
    char row[sizeof table.bench + sizeof table.params];
};

static void trim(char *s)
{
    for (size_t n = strlen(s); n && s[n - 1] == ' ';) s[--n] = '\0';
}

/* The rows of a range differ in one parameter and show only that one, under the first row's full name. A
 * label that does not fit into room columns is split: all but the first parameter above, the first one in the
 * row; or all of it above, if not even that fits. */
static void make_label(const struct record *r, int room, struct label *l)
{
    char bench[sizeof table.bench], params[sizeof table.params], changed[sizeof table.params] = "";
    const char *variant = rec_text(r, "variant", "");

    snprintf(bench, sizeof bench, "%s%s%s", rec_text(r, "bench", "?"), *variant ? " " : "", variant);
    describe(r, params, sizeof params);
    if (table.open && strcmp(bench, table.bench) == 0)
        difference(params, table.params, changed, sizeof changed);

    l->above[0] = '\0';
    if (table.open && strcmp(bench, table.bench) == 0 && strcmp(params, table.params) == 0)
        l->row[0] = '\0'; /* another event of the same measurement: its unit names it */
    else if (*changed)
        snprintf(l->row, sizeof l->row, "  %s", changed);
    else
        snprintf(l->row, sizeof l->row, "%s%s", bench, params);
    trim(l->row);
    if ((int)strlen(l->row) > room) {
        const char *words = *changed ? changed : params + 1;
        size_t first = strcspn(words, " ");
        const bool split = 2 + (int)first <= room;
        snprintf(l->above, sizeof l->above, split ? "%s%s" : "%s", split ? (*changed ? " " : bench) : l->row,
                 words + first);
        snprintf(l->row, sizeof l->row, "  %.*s", split ? (int)first : 0, words);
        trim(l->row);
    }
    strcpy(table.bench, bench);
    strcpy(table.params, params);
}

/* Columns of the label and the unit. */
static int name_columns(void) { return AHEAD - 3 * (table.width + 1); }

static void heading(unsigned conf, text_put put)
{
    char line[2 * TEXT_COLUMNS];
    const int w = table.width + 1, room = name_columns();
    const char *label = room >= 26 ? "benchmark, parameters" : room >= 14 ? "benchmark" : "";
    put("");
    text_origin_put(put);
    snprintf(line, sizeof line, "%-*s%*s%*s%*s%*s +/- %u %%  overhead", room > 4 ? room - 4 : 0, label,
             room > 4 ? 4 : 0, *label ? "unit" : "", w, "min", w, "median", w, "mean", conf);
    put(line);
    memset(line, '-', TEXT_COLUMNS);
    line[TEXT_COLUMNS] = '\0';
    put(line);
}

struct numbers {
    char value[3][32], interval[32], overhead[32];
    bool unmodelled;
    int beyond; /* columns that interval and overhead need beyond theirs */
};

/* An interval is a real, and has as many digits as there is room for beside the overhead. */
static void interval(struct numbers *n, double ci, double scale)
{
    const size_t room = LAST > strlen(n->overhead) + 2 ? LAST - strlen(n->overhead) - 1 : 1;
    for (int i = 0; i < 5; i++, scale *= 10) {
        text_number(n->interval, sizeof n->interval, ci, scale);
        if (strlen(n->interval) <= room) return;
    }
    snprintf(n->interval, sizeof n->interval, "%.*e", room > 6 ? 1 : 0, ci);
}

static struct numbers numbers_of(const struct record *r, double ci)
{
    static const char *const columns[] = {"min", "median", "mean"};
    struct numbers n = {.unmodelled = has_flag(r, "flags", "unmodelled")};
    const double median = rec_number(r, "median", 0), mean = rec_number(r, "mean", 0);
    double scale =
        __builtin_fabs(median) > __builtin_fabs(mean) ? __builtin_fabs(median) : __builtin_fabs(mean);
    if (n.unmodelled) return n;
    if (isfinite(ci) && ci > scale) scale = ci;
    for (size_t i = 0; i < 3; i++) {
        const double v = rec_number(r, columns[i], (double)NAN);
        (i < 2 || v == median ? text_count : text_number)(n.value[i], sizeof n.value[i], v, scale);
    }
    snprintf(n.overhead, sizeof n.overhead, "%.0f", rec_number(r, "overhead", 0));
    interval(&n, ci, scale);
    const int last = (int)(strlen(n.interval) + strlen(n.overhead)) + 1;
    n.beyond = last > LAST ? last - LAST : 0;
    return n;
}

static int width_of(const struct numbers *n)
{
    size_t width = LEAST;
    for (unsigned i = 0; i < 3; i++)
        if (strlen(n->value[i]) > width) width = strlen(n->value[i]);
    return (int)width;
}

/* To the right of the label: the values, or a note that there are none. */
static void put_numbers(const struct numbers *n, struct para *p)
{
    const int w = table.width;
    if (n->unmodelled) /* ends where the medians do */
        para_printf(p, " %*s", 2 * w + 1, "unmodelled");
    else
        para_printf(p, " " ROW, w, n->value[0], w, n->value[1], w, n->value[2], n->interval,
                    LAST + n->beyond - (int)strlen(n->interval), n->overhead);
}

static void put_row(const struct record *r, const struct numbers *n, text_put put)
{
    const char *unit = rec_text(r, "unit", "");
    const int columns = name_columns() - n->beyond;
    int room = columns - 1 - (int)strlen(unit);
    struct label label;
    struct para p;

    bool long_unit = room < 4; /* some event names take half a line: they are printed above their row */
    if (long_unit) room = columns - 1;
    make_label(r, room > 0 ? room : 0, &label);
    if (*label.above) {
        para_begin(&p, put, label.above, 4);
        para_end(&p);
    }
    if (long_unit) {
        if (*label.row) put(label.row);
        para_begin(&p, put, "    ", 4);
        para_str(&p, unit);
        para_end(&p);
        label.row[0] = '\0';
        unit = "";
    }
    para_begin(&p, put, label.row, room > 0 ? (unsigned)room : 0);
    p.glue = true; /* a row stays a row */
    if (columns > 0) para_printf(&p, " %s", unit);
    put_numbers(n, &p);
    para_end(&p);
}

/* ---- public ---- */

void text_rows_forget(void) { table.open = false; }

void text_rows_legend(void)
{
    text_legend_use(LEGEND_OVERHEAD);
    text_legend_use(LEGEND_INTERVAL);
}

void text_row(const struct record *r, unsigned conf, double ci, text_put put)
{
    const struct numbers n = numbers_of(r, ci);
    const int width = width_of(&n);
    if (!conf) conf = table.open ? table.conf : 95;
    if (!table.open) table.width = LEAST;
    if (!table.open || conf != table.conf ||
        width > table.width) { /* wider columns have a heading of their own */
        table.open = false;
        if (width > table.width) table.width = width;
        heading(conf, put);
    }
    put_row(r, &n, put);
    table.open = true;
    table.conf = conf;
}
