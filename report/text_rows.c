/* The rows of results: labels, units and values, under a heading that is printed when the table begins. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"

/* ---- private ---- */

#define NAME_COLUMNS 36 /* benchmark and parameters to the left, unit to the right */
#define ROW          "%7s %7s %7s +/- %s%*s%s"
#define LAST         12 /* columns of interval and overhead, with a blank between them */

static struct {
    bool open;
    unsigned conf;
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
    char value[32];
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
        snprintf(value, sizeof value, "%.7g", field_number(f, 0));
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

static void heading(unsigned conf, text_put put)
{
    char line[2 * TEXT_COLUMNS];
    put("");
    snprintf(line, sizeof line, "%-*s%*s     min  median    mean +/- %u %%  overhead", NAME_COLUMNS - 4,
             "benchmark, parameters", 4, "unit", conf);
    put(line);
    memset(line, '-', TEXT_COLUMNS);
    line[TEXT_COLUMNS] = '\0';
    put(line);
}

/* To the right of the label: the values, or a note that there are none. */
static void numbers(const struct record *r, double ci, struct para *p)
{
    static const char *const columns[] = {"min", "median", "mean"};
    char value[3][24], interval[24], overhead[24], flag[4] = "";
    double median_of = rec_number(r, "median", 0), mean_of = rec_number(r, "mean", 0);
    double scale = median_of > mean_of ? median_of : mean_of;
    const char mark = text_mark(r);
    if (has_flag(r, "flags", "unmodelled")) {
        para_printf(p, " %15s", "unmodelled"); /* ends where the medians do */
        return;
    }
    if (isfinite(ci) && ci > scale) scale = ci; /* a wide interval must not move the mark to the next line */
    for (size_t i = 0; i < 3; i++)
        text_number(value[i], sizeof value[i], rec_number(r, columns[i], (double)NAN), scale);
    snprintf(overhead, sizeof overhead, "%.0f", rec_number(r, "overhead", 0));
    do { /* fewer digits are better than the mark on a line of its own */
        text_number(interval, sizeof interval, ci, scale);
        scale *= 10;
    } while (strlen(interval) + strlen(overhead) >= LAST && scale < 1e12);
    if (mark) snprintf(flag, sizeof flag, " %c", mark);
    para_printf(p, " " ROW, value[0], value[1], value[2], interval, LAST - (int)strlen(interval), overhead,
                flag);
}

static void put_row(const struct record *r, double ci, text_put put)
{
    const char *unit = rec_text(r, "unit", "");
    int room = NAME_COLUMNS - 1 - (int)strlen(unit);
    struct label label;
    struct para p;

    bool long_unit = room < 4; /* some event names take half a line: they are printed above their row */
    if (long_unit) room = NAME_COLUMNS - 1;
    make_label(r, room, &label);
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
    para_begin(&p, put, label.row, (unsigned)room);
    p.glue = true; /* a row stays a row */
    para_str(&p, " ");
    para_str(&p, unit);
    numbers(r, ci, &p);
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
    if (!conf) conf = table.open ? table.conf : 95;
    if (!table.open || conf != table.conf) {
        table.open = false;
        heading(conf, put);
    }
    put_row(r, ci, put);
    table.open = true;
    table.conf = conf;
}
