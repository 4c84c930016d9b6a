/* Regions: bars from the least to the most that each may have counted, and the numbers. */
#include "host/report_page.h"
#include "host/report_picture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PICTURES_MAX 40
#define BARS_MAX     60 /* in a picture */

static void region_name(char *to, size_t cap, const json_t *o)
{
    snprintf(to, cap, "%.0f%s%.60s", number_of(o, "id"), *text_of(o, "label") ? " " : "",
             text_of(o, "label"));
}

/* ---- the picture ---- */

static void bars(const struct page *p, const json_t *rows, FILE *to)
{
    const size_t runs = p->runs->n;
    const double half = 0.4 / (double)runs;
    for (size_t k = 0; k < runs; k++) {
        size_t i;
        json_t *row;
        fprintf(to, "$d%zu << EOD\n", k);
        json_array_foreach(rows, i, row)
        {
            const json_t *o = json_array_get(row, k);
            const double least = number_of(o, "least"), most = number_of(o, "most");
            const double middle = (double)i - 0.4 + half * (2.0 * (double)k + 1);
            if (i < BARS_MAX && !isnan(most))
                fprintf(to, "%.17g %.17g %.17g %.17g %.17g\n", middle - 0.9 * half, middle + 0.9 * half,
                        least, most, middle);
        }
        fputs("EOD\n", to);
    }
}

struct extent {
    double most;
    bool exact; /* no bar has a pale part */
};

static struct extent extent_of(const json_t *rows)
{
    size_t i, k;
    json_t *row, *o;
    struct extent e = {0, true};
    json_array_foreach(rows, i, row)
    {
        json_array_foreach(row, k, o)
        {
            const double most = number_of(o, "most");
            if (isnan(most)) continue;
            e.most = fmax(e.most, most);
            e.exact = e.exact && number_of(o, "least") == most;
        }
    }
    return e;
}

static void axes(FILE *to, const json_t *rows, size_t n, double most)
{
    size_t i;
    json_t *row;
    fputs("unset grid\nset grid x lc rgb '#808080' dt 3 lw 0.5\nset ytics scale 0 (", to);
    json_array_foreach(rows, i, row)
    {
        char label[80];
        if (i >= n) break;
        region_name(label, sizeof label, row_first(row));
        if (i) fputs(", ", to);
        picture_label(to, label, 14);
        fprintf(to, " %zu", i);
    }
    fprintf(
        to,
        ")\nset xrange [0:%.17g]\nset yrange [%.17g:-0.5]\nset xtics %.17g\nset format x '%s'\nset xlabel ",
        1.05 * most, (double)n - 0.5, picture_step(1.05 * most, 4), most < 1e5 ? "%g" : "%.1s%c");
    picture_string(to, text_of(row_first(json_array_get(rows, 0)), "event"), 36);
    fputc('\n', to);
}

static void draw(const struct page *p, const json_t *rows, const char *name)
{
    const size_t runs = p->runs->n, n = json_array_size(rows) < BARS_MAX ? json_array_size(rows) : BARS_MAX;
    const struct extent e = extent_of(rows);
    if (!(e.most > 0)) return;
    char *title = formatted("%s by region", name);
    FILE *to = picture_begin(
        p->pictures, p->out, 90 + (int)(n * (10 + 14 * runs)) + 16 * (int)(runs + !e.exact), title,
        e.exact ? "Of one repetition, all entries together."
                : "Of one repetition, all entries together. The full bar is the least that the region "
                  "counted; the pale one goes on to the most that it may have.");
    bars(p, rows, to);
    axes(to, rows, n, e.most);
    for (size_t k = 0; k < runs; k++) {
        fprintf(to, "%s$d%zu using (0):5:(0):3:1:2 with boxxyerror %s title ", k ? ", " : "plot ", k,
                picture_colour(k));
        picture_string(to, runs > 1 ? p->runs->run[k].name : e.exact ? "count" : "at least", 36);
        if (e.exact) continue;
        fprintf(to, ", $d%zu using 3:5:3:4:1:2 with boxxyerror fs solid 0.3 %s %s", k, picture_colour(k),
                runs > 1 ? "notitle" : "title 'at most'");
    }
    fputc('\n', to);
    picture_end(p->pictures, p->out);
    free(title);
}

/* ---- the table ---- */

static void range(const struct page *p, const json_t *o, const char *value, const char *least,
                  const char *most)
{
    const double v = number_of(o, value), low = number_of(o, least), high = number_of(o, most);
    cell_begin(p, true);
    if (!isnan(v))
        number(p, v);
    else if (!isnan(low) && !isnan(high)) {
        number(p, low);
        text(p, " to ");
        number(p, high);
    } else
        text(p, flag_of(o, "unmodelled") ? "unmodelled" : "-");
    cell_end(p);
}

static void table(const struct page *p, const json_t *rows, const char *name)
{
    size_t i, k;
    json_t *row, *o;
    const bool several = p->runs->n > 1;
    page_results_begin(p, name, several ? "Region|Run" : "Region");
    static const char *const columns[] = {"Entered", "Ended", "Total", "Per entry", "First, cold"};
    for (i = 0; i < sizeof columns / sizeof *columns; i++) page_table_column(p, columns[i], true);
    page_table_column(p, "Remarks", false);
    page_table_body(p);
    json_array_foreach(rows, i, row)
    {
        json_array_foreach(row, k, o)
        {
            char label[80], *doubts;
            if (!json_is_object(o)) continue;
            region_name(label, sizeof label, o);
            row_begin(p);
            cell(p, label);
            if (several) cell(p, p->runs->run[k].name);
            cell_number(p, number_of(o, "entered"));
            cell_number(p, number_of(o, "exited"));
            range(p, o, "total", "least", "most");
            cell_number(p, number_of(o, "per_entry"));
            range(p, o, "first", "first_least", "first_most");
            cell_begin(p, false);
            doubts = doubts_of(o);
            text(p, doubts);
            cell_end(p);
            row_end(p);
            free(doubts);
        }
    }
    page_table_end(p);
}

void section_regions(const struct page *p)
{
    json_t *groups =
               rows_by(rows_of(p->runs, "region", "bench|variant|params|cpu|ring|event|id|label"), event_of),
           *rows;
    const char *name;
    size_t n = 0;
    json_object_foreach(groups, name, rows)
    {
        if (!n) html(p, "<div class=\"pictures\">\n");
        if (n++ < PICTURES_MAX) draw(p, rows, name);
    }
    if (n) html(p, "</div>\n");
    if (n > PICTURES_MAX) paragraph(p, "%d of %zu are drawn; the tables have all.", PICTURES_MAX, n);
    json_object_foreach(groups, name, rows) { table(p, rows, name); }
    json_decref(groups);
}
