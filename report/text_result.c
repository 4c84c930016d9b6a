/* Results: one row each, under a heading that is printed when the table begins. */
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
    char bench[64];   /* benchmark and variant of the row before */
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

/* " lines=8 stride=8192 ring=3 ": what tells this row from others of the same benchmark and variant. */
static void describe(const struct record *r, char *s, size_t cap)
{
    strcpy(s, " ");
    for (const struct field *f = members(rec_find(r, "params")); f; f = member_next(f))
        append_param(s, cap, f);
    if (rec_number(r, "ring", 0) != 0) append_param(s, cap, rec_find(r, "ring"));
    if (rec_number(r, "cpu", 0) != 0) append_param(s, cap, rec_find(r, "cpu"));
}

/* Of the words in now, those that are not in before. */
static void difference(const char *now, const char *before, char *s, size_t cap)
{
    s[0] = '\0';
    while (*++now) {
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

/* The rows of a range differ in one parameter: they show that one only, under the first row's full name. What
 * does not fit into room columns is split: all but the first parameter above, the first one in the row; or
 * all of it above, where not even that fits. */
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
        l->row[0] = '\0'; /* another event of the same measurement: its unit says which */
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
        trim(l->above);
        trim(l->row);
    }
    strcpy(table.bench, bench);
    strcpy(table.params, params);
}

static void heading(unsigned conf, text_put put)
{
    char line[TEXT_COLUMNS + 1];
    put("");
    snprintf(line, sizeof line, "%-*s%*s     min  median    mean +/- %u %%  overhead", NAME_COLUMNS - 4,
             "benchmark, parameters", 4, "unit", conf);
    put(line);
    memset(line, '-', TEXT_COLUMNS);
    line[TEXT_COLUMNS] = '\0';
    put(line);
}

/* Right of the label: the values, or that there are none. */
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
    if (isfinite(ci) && ci > scale) scale = ci; /* a wide interval must not push the mark off the row */
    for (size_t i = 0; i < 3; i++)
        text_number(value[i], sizeof value[i], rec_number(r, columns[i], (double)NAN), scale);
    snprintf(overhead, sizeof overhead, "%.0f", rec_number(r, "overhead", 0));
    do { /* with fewer digits rather than with the mark on a line of its own */
        text_number(interval, sizeof interval, ci, scale);
        scale *= 10;
    } while (strlen(interval) + strlen(overhead) >= LAST && scale < 1e12);
    if (mark) snprintf(flag, sizeof flag, " %c", mark);
    para_printf(p, " " ROW, value[0], value[1], value[2], interval, LAST - (int)strlen(interval), overhead,
                flag);
}

static void row(const struct record *r, double ci, text_put put)
{
    const char *unit = rec_text(r, "unit", "");
    int room = NAME_COLUMNS - 1 - (int)strlen(unit);
    struct label label;
    struct para p;

    bool long_unit = room < 4; /* some events have names of half a line: they stand above their row */
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

static void disturbances(const struct record *r, text_put put)
{
    static const struct {
        const char *key, *words;
    } kinds[] = {{"slow", "slow"},
                 {"smi", "with an SMI"},
                 {"stray", "with an unexpected interrupt"},
                 {"culled", "culled"}};
    struct para p;
    bool any = false;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        double n = rec_number(r, kinds[i].key, 0);
        if (n <= 0) continue;
        if (i == 0) text_legend_use(LEGEND_SLOW);
        if (!any) {
            para_begin(&p, put, "  !", 4);
            para_printf(&p, "of %.0f repetitions: ", rec_number(r, "reps", 0) + rec_number(r, "culled", 0));
        }
        para_printf(&p, "%s%.0f %s", any ? ", " : "", n, kinds[i].words);
        any = true;
    }
    if (any) para_end(&p);
}

/* The median in core cycles, where a tick is something else. */
static void core_cycles(const struct record *r, text_put put)
{
    const double per_op = text_core_cycles(r);
    char number[24];
    struct para p;
    if (per_op <= 0) return;
    text_number(number, sizeof number, per_op, per_op);
    para_begin(&p, put, "    =", 6);
    para_str(&p, number);
    para_printf(&p, " core cycles (%.4g in a tick)", rec_number(r, "core_per_tsc", 0));
    para_end(&p);
}

static void fwq(const struct record *r, const struct field *o, text_put put)
{
    struct para p;
    double us = field_number(member(o, "detour_max_us"), (double)NAN);
    para_begin(&p, put, "", 4);
    para_printf(&p, "late quanta: %.0f over min, ", field_number(member(o, "late_min"), 0));
    para_printf(&p, "%.0f over min + 10 %%, ", field_number(member(o, "late_10pct"), 0));
    para_printf(&p, "of %.0f; largest detour ", rec_number(r, "reps", 0));
    p.glue = true;
    para_printf(&p, "%.0f tsc", field_number(member(o, "detour_max_tsc"), 0));
    if (isfinite(us)) para_printf(&p, us < 1000 ? " (%.3g us)" : " (%.0f us)", us);
    p.glue = false;
    para_printf(&p, "; time lost %.4g %%", 100 * field_number(member(o, "lost_share"), 0));
    para_end(&p);
}

/* What makes a value worth less than it looks. */
static const struct {
    const char *flag, *meaning;
} doubts[] = {{"overhead-lowered", "a raw count was below the overhead, which was lowered to it"},
              {"wrapped", "this took so long that the counter may have wrapped around"},
              {"upper-bits", "read by RDPMC: bits above 31 are wrong on CPUs with erratum N17"},
              {"overcount", "may be too high: errata 990, 1291, 1292"}};

/* ---- public ---- */

double text_core_cycles(const struct record *r)
{
    double ratio = rec_number(r, "core_per_tsc", 0);
    return ratio <= 0 || (ratio > 0.995 && ratio < 1.005) ? 0 : rec_number(r, "core_per_op", 0);
}

bool text_has_doubt(const struct record *r)
{
    static const char *const disturbed[] = {"slow", "smi", "stray", "culled"};
    for (size_t i = 0; i < sizeof disturbed / sizeof *disturbed; i++)
        if (rec_number(r, disturbed[i], 0) > 0) return true;
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++)
        if (has_flag(r, "flags", doubts[i].flag)) return true;
    return false;
}

void text_doubts(const struct record *r, text_put put)
{
    struct para p;
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++) {
        if (!has_flag(r, "flags", doubts[i].flag)) continue;
        para_begin(&p, put, "    !", 6);
        para_str(&p, doubts[i].meaning);
        para_end(&p);
    }
}

void text_rows_forget(void) { table.open = false; }

void text_rows_legend(void)
{
    text_legend_use(LEGEND_OVERHEAD);
    text_legend_use(LEGEND_INTERVAL);
}

void text_table_close(text_put put)
{
    grid_close(put);
    text_rows_forget();
}

void text_result(const struct record *r, text_put put)
{
    unsigned conf = rec_find(r, "ci99")                                ? 99
                    : table.open && has_flag(r, "flags", "unmodelled") ? table.conf
                                                                       : 95;
    const double ci = rec_number(r, conf == 99 ? "ci99" : "ci95", (double)NAN);

    if (grid_result(r, ci, put)) return;
    if (grid_put(put) == put) text_rows_legend();
    put = grid_put(put);
    if (!table.open || conf != table.conf) {
        table.open = false;
        heading(conf, put);
    }
    row(r, ci, put);
    table.open = true;
    table.conf = conf;
    core_cycles(r, put);
    if (rec_find(r, "fwq")) fwq(r, rec_find(r, "fwq"), put);
    disturbances(r, put);
    text_doubts(r, put);
}

/* Below the rows whose counts it was made of. */
void text_derived(const struct record *r, text_put put)
{
    char number[24];
    const double value = rec_number(r, "value", 0);
    struct para p;
    if (grid_derived(r, put)) return;
    put = grid_put(put);
    text_number(number, sizeof number, value, __builtin_fabs(value));
    para_begin(&p, put, "  =", 4);
    para_str(&p, number);
    para_str(&p, " ");
    para_str(&p, rec_text(r, "name", "?"));
    para_str(&p, " (");
    para_str(&p, rec_text(r, "formula", "?"));
    para_str(&p, ")");
    para_end(&p);
    text_doubts(r, put);
}
