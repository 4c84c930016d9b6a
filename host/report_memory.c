/* Accesses to memory: from which level the data came, how its address was translated, and how long it took.
 */
#include "host/report_page.h"
#include "host/report_picture.h"
#include "host/report_profile.h"
#include "report/text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* timed: with latencies. */
static void row(const struct page *p, const json_t *o, bool timed)
{
    static const char *const figure[] = {"latency_least", "latency_median", "latency_p95",
                                         "latency_most",  "cache_median",   "retire_median"};
    const char *key, *comma = "";
    json_t *n;
    row_begin(p);
    cell(p, text_memory_name(text_of(o, "by"), text_of(o, "what")));
    cell_number(p, number_of(o, "count"));
    cell_share(p, number_of(o, "share"));
    for (size_t i = 0; timed && i < sizeof figure / sizeof *figure; i++)
        cell_number(p, number_of(o, figure[i]));
    html(p, "<td class=\"long\">");
    json_object_foreach(json_object_get(o, "traits"), key, n)
    {
        textf(p, "%s%.0f %s", comma, integer_value(n), key);
        comma = ", ";
    }
    cell_end(p);
    row_end(p);
}

/* Ranges of latencies, each twice as long as the one before. */
static void draw(const struct page *p, const json_t *all, const char *name)
{
    const json_t *h = json_object_get(all, "histogram");
    const size_t n = json_array_size(h);
    size_t first = 0;
    double most = 0;
    while (first < n && integer_value(json_array_get(h, first)) <= 0) first++;
    for (size_t i = first; i < n; i++) most = fmax(most, integer_value(json_array_get(h, i)));
    if (n > 64 || n - first < 2 || !(most > 0)) return;
    char *title = formatted("Latencies of %s", name);
    char *description =
        formatted("%.0f of %.0f accesses have a latency: %.0f to %.0f core cycles, the median %.0f.",
                  number_of(all, "latencies"), number_of(all, "accesses"), number_of(all, "latency_least"),
                  number_of(all, "latency_most"), number_of(all, "latency_median"));
    FILE *to = picture_begin(p->pictures, p->out, 256, title, description);
    fputs("$d << EOD\n", to);
    for (size_t i = first; i < n; i++) fprintf(to, "%zu %.17g\n", i, integer_value(json_array_get(h, i)));
    fprintf(to, "EOD\nset xrange [%g:%g]\nset yrange [0:%.17g]\nset ytics %.17g\nset xtics (",
            (double)first - 0.6, (double)n - 0.4, 1.15 * most, fmax(1, picture_step(most, 6)));
    for (size_t i = first; i < n; i++)
        fprintf(to, "%s'%.0f' %zu", i > first ? ", " : "", i ? ldexp(1, (int)i - 1) : 0, i);
    fprintf(to,
            ")\nset xlabel 'core cycles, from'\nset ylabel 'samples'\nset boxwidth 0.8\nunset key\n"
            "plot $d using 1:2 with boxes %s\n",
            picture_colour(0));
    picture_end(p->pictures, p->out);
    free(title);
    free(description);
}

static bool has_times(const json_t *all)
{
    return json_object_get(all, "latencies") || json_object_get(all, "cache_latencies") ||
           json_object_get(all, "retires");
}

static void table_end(const struct page *p, const json_t *all)
{
    page_table_end(p);
    html(p, "<p class=\"what\">");
    text(p, has_times(all)             ? "Latencies in core cycles. "
            : flag_of(all, "modelled") ? "Latencies are unmodelled. "
                                       : "");
    textf(p, "%.0f of %.0f samples are accesses.", number_of(all, "accesses"), number_of(all, "samples"));
    html(p, "</p>\n</div>\n");
}

static void put_run(const struct page *p, const struct capture *r)
{
    const json_t *all = NULL;
    size_t i;
    json_t *o;
    json_array_foreach(run_records(r, "memory"), i, o)
    {
        if (strcmp(text_of(o, "by"), "all") == 0 || !all) {
            const struct profile f = {.run = r, .record = o};
            char *name = profile_name(p->runs, &f);
            if (all) table_end(p, all);
            all = o;
            heading(p, name);
            html(p, "<div class=\"beside\">\n");
            draw(p, o, name);
            page_results_begin(
                p, name,
                has_times(o) ? "Found in|>Samples|>Share|>Least|>Median|>95 %|>Most|>Cache, median|>Retire, "
                               "median|Of them"
                             : "Found in|>Samples|>Share|Of them");
            page_table_body(p);
            free(name);
        }
        row(p, o, has_times(all));
    }
    if (all) table_end(p, all);
}

void section_memory(const struct page *p)
{
    for (size_t k = 0; k < p->runs->n; k++) put_run(p, &p->runs->run[k]);
}
