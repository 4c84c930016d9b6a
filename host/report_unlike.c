/* Of three runs and more: where one is unlike most of the others. In a rack of equal machines these are the
 * ones to look at first.
 *
 * A fact of the machine is compared as it stands, where more than half of the runs agree. A result's median
 * is compared with the median of all runs': it is unlike them beyond both a share of it and a number of
 * typical deviations (the median of the absolute ones), which a few bad machines hardly move.
 */
#include "host/report_page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_LEAST 3
#define SHARE      0.05 /* of the median */
#define DEVIATIONS 10   /* typical ones: of 1,000 normal values none is so far off */
#define ROWS_MAX   200
#define SAME       "bench|variant|params|cpu|ring|event"

/* Facts that are the same each time that the same machine boots; measured rates are not. */
static const struct fact {
    const char *type, *field, *name;
} facts[] = {
    {"boot", "version", "version of Anechoic"},
    {"boot", "flavour", "kernel"},
    {"boot", "cmdline", "command line"},
    {"boot", "platform", "platform"},
    {"boot", "modelled", "modelled CPU"},
    {"boot", "memory_kib", "memory in KiB"},
    {"cpu", "vendor", "vendor"},
    {"cpu", "brand", "brand"},
    {"cpu", "signature", "CPUID signature"},
    {"cpu", "caches", "caches"},
    {"cpu", "turbo", "turbo"},
    {"cpu", "prefetch", "prefetchers"},
    {"cpu", "apic", "local APIC"},
    {"cpu", "pmu", "counters"},
};

struct table {
    const struct page *p;
    size_t rows;
};

/* ---- rows ---- */

static void put_row(struct table *t, size_t run, const char *what, const char *own, const char *most)
{
    const struct page *p = t->p;
    if (!t->rows) {
        page_table_begin(p, "Where a run is unlike most of the others", "Run|What|Here|In most runs");
        page_table_body(p);
    }
    if (t->rows++ >= ROWS_MAX) return;
    row_begin(p);
    cell(p, p->runs->run[run].name);
    cell(p, what);
    cell(p, own);
    cell(p, most);
    row_end(p);
}

/* ---- facts ---- */

static char *fact_text(const struct capture *r, const struct fact *f)
{
    const json_t *v = json_object_get(run_record(r, f->type), f->field);
    if (json_is_string(v)) return formatted("%s", json_string_value(v));
    char *s = v ? json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS) : formatted("-");
    if (!s) abort();
    return s;
}

/* The value that more than half have: whatever is left when different ones take each other away (Boyer and
 * Moore), if a count agrees. NULL: there is none. */
static const char *majority(char *const *value, size_t n)
{
    const char *candidate = NULL;
    size_t votes = 0, has = 0;
    for (size_t i = 0; i < n; i++) {
        if (!votes) candidate = value[i];
        votes += strcmp(value[i], candidate) == 0 ? 1 : (size_t)-1;
    }
    for (size_t i = 0; i < n; i++) has += strcmp(value[i], candidate) == 0;
    return 2 * has > n ? candidate : NULL;
}

static void put_fact(struct table *t, const struct fact *f)
{
    const struct runs *rs = t->p->runs;
    char **value = calloc(rs->n, sizeof *value);
    if (!value) abort();
    for (size_t i = 0; i < rs->n; i++) value[i] = fact_text(&rs->run[i], f);
    const char *most = majority(value, rs->n);
    for (size_t i = 0; most && i < rs->n; i++)
        if (strcmp(value[i], most) != 0) put_row(t, i, f->name, value[i], most);
    for (size_t i = 0; i < rs->n; i++) free(value[i]);
    free(value);
}

/* ---- results ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts. */
static double middle(double *v, size_t n)
{
    qsort(v, n, sizeof *v, by_size);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void put_result(struct table *t, const json_t *row)
{
    const size_t runs = json_array_size(row);
    double *v = calloc(runs + 1, sizeof *v);
    size_t n = 0;
    if (!v) abort();
    for (size_t i = 0; i < runs; i++) {
        const double median = number_of(json_array_get(row, i), "median");
        if (isfinite(median)) v[n++] = median;
    }
    const double most = n ? middle(v, n) : NAN;
    for (size_t i = 0; i < n; i++) v[i] = fabs(v[i] - most);
    const double far = n ? fmax(DEVIATIONS * middle(v, n), SHARE * fabs(most)) : NAN;
    free(v);
    char *what = event_of(row_first(row)), usual[NUMBER_MAX], own[NUMBER_MAX];
    number_text(usual, most);
    for (size_t i = 0; i < runs && n >= RUNS_LEAST; i++) {
        const double median = number_of(json_array_get(row, i), "median");
        number_text(own, median);
        if (!isfinite(median) && 2 * n > runs)
            put_row(t, i, what, "no result", usual);
        else if (fabs(median - most) > far)
            put_row(t, i, what, own, usual);
    }
    free(what);
}

/* ---- public ---- */

void section_unlike(const struct page *p)
{
    struct table t = {.p = p};
    if (p->runs->n < RUNS_LEAST) return;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) put_fact(&t, &facts[i]);
    json_t *rows = rows_of(p->runs, "result", SAME), *row;
    const char *key;
    json_object_foreach(rows, key, row) { put_result(&t, row); }
    json_decref(rows);
    if (t.rows) page_table_end(p);
    if (t.rows > ROWS_MAX) paragraph(p, "%zu more rows are left out.", t.rows - ROWS_MAX);
    paragraph(
        p,
        "%zu runs were compared%s. A fact is named where more than half of the runs have another one; a "
        "result, where its median is more than %.0f %% and %d typical deviations away from that of all.",
        p->runs->n, t.rows ? "" : ", and none is unlike the others", 100 * SHARE, DEVIATIONS);
}
