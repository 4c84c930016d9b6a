/* Results and ratios: a table a benchmark. */
#include "host/report_page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *name_of(const json_t *o)
{
    return formatted("%s%s%s", text_of(o, "bench"), *text_of(o, "variant") ? " " : "", text_of(o, "variant"));
}

/* ---- cells ---- */

static void where(const struct page *p, const json_t *o)
{
    char *conditions = conditions_of(o, NULL, "");
    cell(p, conditions);
    free(conditions);
}

static double interval(const json_t *o)
{
    const double ci99 = number_of(o, "ci99");
    return isnan(ci99) ? number_of(o, "ci95") : ci99;
}

static void remark(const struct page *p, const json_t *o)
{
    char *doubts = doubts_of(o);
    const json_t *fwq = json_object_get(o, "fwq");
    text(p, doubts);
    if (fwq) {
        textf(p, "%slate quanta: %.0f over the least, %.0f over it + 10 %%; largest detour %.0f ticks",
              *doubts ? "; " : "", number_of(fwq, "late_min"), number_of(fwq, "late_10pct"),
              number_of(fwq, "detour_max_tsc"));
        textf(p, "; time lost %.4g %%", 100 * number_of(fwq, "lost_share"));
    }
    if (number_of(o, "core_per_op") > 0 && fabs(number_of(o, "core_per_tsc") - 1) > 0.005) {
        char core[NUMBER_MAX];
        number_text(core, number_of(o, "core_per_op"));
        textf(p, "%s%s core cycles (%.4g in a tick)", *doubts ? "; " : "", core,
              number_of(o, "core_per_tsc"));
    }
    free(doubts);
}

/* Of one run: all there is. */
static void whole_row(const struct page *p, const json_t *o)
{
    static const char *const values[] = {"median", "mean",     NULL,        "min",
                                         "max",    "overhead", "ns_per_op", "reps"};
    row_begin(p);
    where(p, o);
    cell(p, text_of(o, "event"));
    cell(p, text_of(o, "unit"));
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        cell_begin(p, true);
        const double v = values[i] ? number_of(o, values[i]) : interval(o);
        if (!isnan(v)) number(p, v);
        cell_end(p);
    }
    html(p, "<td class=\"long\">");
    remark(p, o);
    cell_end(p);
    row_end(p);
}

/* Of several: the median with the mean's interval, and what is doubtful. */
static void short_cell(const struct page *p, const json_t *o)
{
    cell_begin(p, true);
    if (json_is_object(o)) {
        const double median = number_of(o, "median"), ci = interval(o);
        char *doubts = doubts_of(o);
        if (isnan(median))
            text(p, flag_of(o, "unmodelled") ? "unmodelled" : "-");
        else
            number(p, median);
        if (ci > 0) {
            text(p, " \xc2\xb1 ");
            number(p, ci);
        }
        if (*doubts && !isnan(median)) {
            html(p, " <abbr title=\"");
            text(p, doubts);
            html(p, "\">!</abbr>");
        }
        free(doubts);
    }
    cell_end(p);
}

static void runs_columns(const struct page *p)
{
    for (size_t i = 0; i < p->runs->n; i++) page_table_column(p, p->runs->run[i].name, true);
    page_table_body(p);
}

/* Of one run: every statistic. */
static void statistics(const struct page *p, const json_t *rows)
{
    size_t i;
    json_t *row;
    page_results_begin(
        p, "Statistics",
        "Parameters|Event|Unit|>Median|>Mean|>\xc2\xb1|>Least|>Most|>Overhead|>ns|>Repetitions|Remarks");
    page_table_body(p);
    json_array_foreach(rows, i, row) { whole_row(p, row_first(row)); }
    page_table_end(p);
}

/* Of several: beside each other. */
static void side_by_side(const struct page *p, const json_t *rows)
{
    size_t i, k;
    json_t *row, *o;
    page_results_begin(p, "Medians \xc2\xb1 the mean's interval", "Parameters|Event|Unit");
    runs_columns(p);
    json_array_foreach(rows, i, row)
    {
        o = row_first(row);
        row_begin(p);
        where(p, o);
        cell(p, text_of(o, "event"));
        cell(p, text_of(o, "unit"));
        json_array_foreach(row, k, o) { short_cell(p, o); }
        row_end(p);
    }
    page_table_end(p);
}

/* ---- the grid: of one run, a row for the parameters, a column for an event or a ratio ---- */

/* False: a cell would have two values, since something was measured twice. */
static bool put_in_grid(json_t *grid, json_t *columns, const json_t *rows, const char *column)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        json_t *o = row_first(row);
        char *at = measurement_of(o, NULL);
        json_t *cells = json_object_get(grid, at);
        const bool taken = json_object_get(cells, text_of(o, column)) != NULL;
        if (!cells) json_object_set_new(grid, at, cells = json_object());
        json_object_set(cells, text_of(o, column), o);
        json_object_set_new(columns, text_of(o, column), json_true());
        free(at);
        if (taken) return false;
    }
    return true;
}

/* True: the grid is there. */
static bool grid(const struct page *p, const json_t *results, const json_t *ratios)
{
    json_t *rows = json_object(), *columns = json_object(), *cells, *unused;
    const char *at, *column;
    const bool good = put_in_grid(rows, columns, results, "event") &&
                      put_in_grid(rows, columns, ratios, "name") && json_object_size(columns) > 1;
    if (good) {
        page_results_begin(p, "Medians", "Parameters");
        json_object_foreach(columns, column, unused) { page_table_column(p, column, true); }
        page_table_body(p);
        json_object_foreach(rows, at, cells)
        {
            void *first = json_object_iter(cells);
            row_begin(p);
            where(p, json_object_iter_value(first));
            json_object_foreach(columns, column, unused)
            {
                const json_t *o = json_object_get(cells, column);
                const double median = number_of(o, "median");
                cell_begin(p, true);
                if (o && isnan(median) && flag_of(o, "unmodelled"))
                    text(p, "unmodelled");
                else if (o)
                    number(p, isnan(median) ? number_of(o, "value") : median);
                cell_end(p);
            }
            row_end(p);
        }
        page_table_end(p);
    }
    json_decref(rows);
    json_decref(columns);
    return good;
}

static void ratios(const struct page *p, const json_t *rows)
{
    size_t i, k;
    json_t *row, *o;
    if (!rows) return;
    page_results_begin(p, "Ratios of the medians", "Parameters|Ratio|Formula");
    runs_columns(p);
    json_array_foreach(rows, i, row)
    {
        o = row_first(row);
        row_begin(p);
        where(p, o);
        cell(p, text_of(o, "name"));
        cell(p, text_of(o, "formula"));
        json_array_foreach(row, k, o)
        {
            cell_begin(p, true);
            if (json_is_object(o)) number(p, number_of(o, "value"));
            cell_end(p);
        }
        row_end(p);
    }
    page_table_end(p);
}

/* What a ratio is, once for each of its names. */
static void formulas(const struct page *p, const json_t *rows)
{
    json_t *said = json_object(), *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const json_t *o = row_first(row);
        if (json_object_get(said, text_of(o, "name"))) continue;
        html(p, json_object_size(said) ? "; " : "<p class=\"what\">Ratios: ");
        textf(p, "%s = %s", text_of(o, "name"), text_of(o, "formula"));
        json_object_set_new(said, text_of(o, "name"), json_true());
    }
    if (json_object_size(said)) html(p, ".</p>\n");
    json_decref(said);
}

/* The grid says what matters; where there is one, the statistics are behind it. */
static void one_run(const struct page *p, const json_t *rows, const json_t *ratio_rows)
{
    const bool summed_up = grid(p, rows, ratio_rows);
    if (summed_up) {
        formulas(p, ratio_rows);
        html(p, "<details><summary>All statistics</summary>\n");
    } else
        ratios(p, ratio_rows);
    statistics(p, rows);
    if (summed_up) html(p, "</details>\n");
}

void section_results(const struct page *p)
{
    json_t *groups = rows_by(rows_of(p->runs, "result", "bench|variant|params|cpu|ring|event"), name_of);
    json_t *derived = rows_by(rows_of(p->runs, "derived", "bench|variant|params|cpu|ring|name"), name_of);
    json_t *rows;
    const char *name;
    if (json_object_size(groups))
        paragraph(p, "Values are of one operation, the overhead subtracted, in the unit of their row. "
                     "\xc2\xb1 is half "
                     "the width of the mean's confidence interval.");
    json_object_foreach(groups, name, rows)
    {
        heading(p, name);
        put_intervals(p, name, rows);
        if (p->runs->n == 1)
            one_run(p, rows, json_object_get(derived, name));
        else {
            side_by_side(p, rows);
            ratios(p, json_object_get(derived, name));
        }
    }
    json_decref(groups);
    json_decref(derived);
}
