/* Profiles by data address: the addresses, and how they lie against the sets of a cache. */
#include "host/report_page.h"
#include "host/report_picture.h"
#include "host/report_profile.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 64 /* addresses in a table; the picture has all */

/* The deduction that was made of this profile; NULL: none. */
static const json_t *deduction_of(const struct profile *f)
{
    static const char *const same[] = {"bench", "variant", "params", "cpu",
                                       "ring",  "event",   "method", "period"};
    size_t i;
    json_t *o;
    json_array_foreach(run_records(f->run, "deduction"), i, o)
    {
        size_t k = 0;
        while (k < sizeof same / sizeof *same &&
               json_equal(json_object_get(o, same[k]), json_object_get(f->record, same[k])))
            k++;
        if (k == sizeof same / sizeof *same) return o;
    }
    return NULL;
}

struct geometry {
    unsigned long long line; /* bytes */
    unsigned level, sets, ways;
};

/* The cache that the deduction lays the lines against; without one the first data cache. */
static bool geometry_of(const struct profile *f, const json_t *deduction, struct geometry *g)
{
    size_t i;
    json_t *c;
    const double level = number_of(deduction, "level");
    json_array_foreach(json_object_get(run_record(f->run, "cpu"), "caches"), i, c)
    {
        const double line = number_of(c, "line"), sets = number_of(c, "sets"), ways = number_of(c, "ways");
        if (strcmp(text_of(c, "kind"), "code") == 0 || (level > 0 && number_of(c, "level") != level))
            continue;
        if (!(line >= 1 && line <= 65536 && sets >= 1 && sets <= 1e6 && ways >= 1 && ways <= 1e6 &&
              number_of(c, "level") >= 1 && number_of(c, "level") <= 9))
            continue;
        *g = (struct geometry){(unsigned long long)line, (unsigned)number_of(c, "level"), (unsigned)sets,
                               (unsigned)ways};
        return true;
    }
    return false;
}

static unsigned set_of(const struct geometry *g, const json_t *line)
{
    return (unsigned)(hex_of(line, "address") / g->line % g->sets);
}

static void table(const struct page *p, const struct profile *f, const struct geometry *g)
{
    const size_t shown = f->n < ROWS_MAX ? f->n : ROWS_MAX;
    char caption[80] = "Addresses";
    if (shown < f->n) snprintf(caption, sizeof caption, "The lowest %zu of %zu addresses", shown, f->n);
    page_results_begin(p, caption, "Address|>Samples|>Share|>From the one before");
    if (g) page_table_column(p, "Set", true);
    const bool latency = profile_has(f, "latency_median"), accesses = latency || profile_has(f, "levels");
    if (latency) page_table_column(p, "Latency, median", true);
    if (accesses) page_table_column(p, "Level", false);
    page_table_body(p);
    for (size_t i = 0; i < shown; i++) {
        const json_t *line = f->line[i];
        row_begin(p);
        html(p, "<td class=\"code\">");
        text(p, text_of(line, "address"));
        cell_end(p);
        cell_number(p, number_of(line, "count"));
        cell_share(p, number_of(line, "share"));
        cell_number(p, number_of(line, "step"));
        if (g) cell_number(p, set_of(g, line));
        if (accesses) cells_access(p, line, latency);
        row_end(p);
    }
    page_table_end(p);
}

/* How many different lines of memory each set would have to hold. */
static unsigned *lines_in_sets(const struct profile *f, const struct geometry *g)
{
    unsigned *in = calloc(g->sets, sizeof *in);
    unsigned long long before = ~0ull;
    if (!in) abort();
    for (size_t i = 0; i < f->n; i++) {
        const unsigned long long line = hex_of(f->line[i], "address") / g->line;
        in[set_of(g, f->line[i])] += line != before;
        before = line;
    }
    return in;
}

static void draw(const struct page *p, const struct profile *f, const struct geometry *g)
{
    unsigned *in = lines_in_sets(f, g), most = g->ways, over = 0, used = 0;
    char *title, *description;
    for (unsigned s = 0; s < g->sets; s++) {
        if (in[s] > most) most = in[s];
        over += in[s] > g->ways;
        used += in[s] > 0;
    }
    title = formatted("Lines in each set of the L%u", g->level);
    description = formatted("%u of %u sets are used; %u of them by more lines than the cache has ways (%u).",
                            used, g->sets, over, g->ways);
    FILE *to = picture_begin(p->pictures, p->out, 256, title, description);
    fputs("$d << EOD\n", to);
    for (unsigned s = 0; s < g->sets; s++)
        if (in[s]) fprintf(to, "%u %u\n", s, in[s]);
    fprintf(
        to,
        "EOD\nset xrange [-1:%u]\nset yrange [0:%.17g]\nset ytics %.17g\nset xtics %.17g\nset xlabel 'set'\n"
        "set ylabel 'lines'\nset boxwidth %.17g\nplot $d using 1:2 with boxes %s title 'lines in this set', "
        "%u with lines lc rgb '#050505' dt 2 lw 1.5 title 'ways of the cache: %u'\n",
        g->sets, 1.15 * most, fmax(1, picture_step(most, 6)), fmax(1, picture_step(g->sets, 6)),
        fmax(0.8, g->sets / 300.0), picture_colour(0), g->ways, g->ways);
    picture_end(p->pictures, p->out);
    free(title);
    free(description);
    free(in);
}

static void conclusion(const struct page *p, const struct profile *f, const json_t *d)
{
    html(p, "<p>");
    if (d) {
        textf(p, "%.0f addresses", number_of(d, "addresses"));
        if (number_of(d, "difference") > 0) textf(p, ", %.0f bytes apart", number_of(d, "difference"));
        textf(p, ": %s.", text_of(d, "conclusion"));
        if (number_of(d, "left_out") > 0) textf(p, " %.0f were left out as noise.", number_of(d, "left_out"));
        if (*text_of(d, "warning")) {
            html(p, " <span class=\"alarm\">");
            text(p, text_of(d, "warning"));
            html(p, "</span>");
        }
    }
    if (number_of(f->record, "unknown") > 0)
        textf(p, " Of %.0f of %.0f samples the address is not known.", number_of(f->record, "unknown"),
              number_of(f->record, "samples"));
    if (strcmp(text_of(f->record, "addresses"), "registers") == 0)
        text(p, " The addresses are computed from the recorded registers.");
    html(p, "</p>\n");
}

void section_addresses(const struct page *p)
{
    size_t n;
    struct profile *all = profiles_of(p->runs, "data address", &n);
    for (size_t i = 0; i < n; i++) {
        const struct profile *f = &all[i];
        const json_t *d = deduction_of(f);
        struct geometry g;
        char *name = profile_name(p->runs, f);
        const bool known = geometry_of(f, d, &g);
        heading(p, name);
        conclusion(p, f, d);
        html(p, "<div class=\"beside\">\n");
        if (known && f->n) draw(p, f, &g);
        table(p, f, known ? &g : NULL);
        html(p, "</div>\n");
        free(name);
    }
    profiles_free(all, n);
}
