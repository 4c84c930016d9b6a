/* How the repetitions are distributed: of all=1, which keeps each of them. */
#include "host/report_histogram.h"
#include "host/report_page.h"
#include "host/report_picture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PICTURES_MAX 24 /* those whose repetitions differ most; the table has all */

struct distribution {
    const struct capture *run;
    const struct repetitions *reps;
    struct spread spread;
    char *name;
    double relative; /* spread of the middle half by the median */
};

/* Values as they were read, less the overhead: of a whole repetition, since `reps` has no number of
 * operations. */
static void measure(struct distribution *d)
{
    const double overhead = number_of(d->reps->record, "overhead");
    for (size_t i = 0; i < d->reps->n; i++) d->reps->raw[i] -= isnan(overhead) ? 0 : overhead;
    spread_of(d->reps->raw, d->reps->disturbed, d->reps->n, &d->spread);
    const struct spread *s = &d->spread;
    d->relative = (s->three_quarters - s->quarter) / fmax(fabs(s->median), 1);
    d->relative += 1e-6 * (s->most - s->least) / fmax(fabs(s->median), 1);
}

static void table(const struct page *p, const struct distribution *d, size_t n)
{
    const struct capture *run = NULL;
    page_results_begin(p, "Repetitions, the overhead subtracted",
                       "Measurement|>Repetitions|>Different values|>Disturbed|>Least|>Quarter|>Median|>Three "
                       "quarters|>Most");
    page_table_body(p);
    for (; n--; d++) {
        const struct spread *s = &d->spread;
        if (p->runs->n > 1 && d->run != run) row_heading(p, 9, d->run->name);
        run = d->run;
        row_begin(p);
        cell(p, d->name);
        cell_number(p, (double)s->n);
        cell_number(p, (double)s->distinct);
        cell_number(p, (double)s->disturbed);
        const double values[] = {s->least, s->quarter, s->median, s->three_quarters, s->most};
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            cell_number(p, s->n ? values[i] : (double)NAN);
        row_end(p);
    }
    page_table_end(p);
}

/* How many numbers like this one have room below a picture. */
static unsigned tics_for(double widest)
{
    const int letters = snprintf(NULL, 0, "%.6g", widest);
    return letters <= 5 ? 5 : letters == 6 ? 4 : letters <= 8 ? 3 : 2;
}

static void draw(const struct page *p, const struct distribution *d)
{
    struct histogram h;
    char *title, *description, least[NUMBER_MAX], most[NUMBER_MAX], median[NUMBER_MAX];
    const struct spread *s = &d->spread;
    histogram_of(d->reps->raw, d->reps->disturbed, s, &h);
    number_text(least, s->least);
    number_text(median, s->median);
    number_text(most, s->most);
    char beyond[120] = "";
    if (h.beyond)
        snprintf(beyond, sizeof beyond, " %zu %s to the right of the picture.", h.beyond,
                 h.beyond == 1 ? "lies" : "lie");
    title = formatted("%s%s%s", p->runs->n > 1 ? d->run->name : "", p->runs->n > 1 ? ", " : "", d->name);
    description = formatted("%zu repetitions: least %s, median %s, most %s; %zu disturbed.%s", s->n, least,
                            median, most, s->disturbed, beyond);
    const double left = h.from - h.width / 2, right = h.from + ((double)h.bars + 0.5) * h.width;
    FILE *to = picture_begin(p->pictures, p->out, 240, title, description);
    size_t highest = 1;
    fputs("$d << EOD\n", to);
    for (size_t b = 0; b < h.bars; b++) {
        if (h.count[b] > highest) highest = h.count[b];
        fprintf(to, "%.17g %zu %zu\n", h.from + ((double)b + 0.5) * h.width, h.count[b], h.disturbed[b]);
    }
    fprintf(to,
            "EOD\nset yrange [0:%.17g]\nset ytics %.17g\nset xrange [%.17g:%.17g]\nset format x '%%.6g'\n"
            "set xtics %.17g\nset ylabel 'repetitions'\nset xlabel ",
            1.08 * (double)highest, fmax(1, picture_step((double)highest, 5)), left, right,
            picture_step(right - left, tics_for(right)));
    picture_string(to, text_of(d->reps->record, "event"), 36);
    fprintf(to, "\nset boxwidth %.17g\nplot $d using 1:2 with boxes %s title 'repetitions'", 0.9 * h.width,
            picture_colour(0));
    if (s->disturbed)
        fprintf(to, ", $d using 1:3 with boxes %s title 'disturbed ones among them'", picture_colour(1));
    fputc('\n', to);
    picture_end(p->pictures, p->out);
    free(title);
    free(description);
}

static int by_relative(const void *a, const void *b)
{
    const struct distribution *x = *(const struct distribution *const *)a,
                              *y = *(const struct distribution *const *)b;
    return (x->relative < y->relative) - (x->relative > y->relative);
}

static int by_place(const void *a, const void *b)
{
    const struct distribution *x = *(const struct distribution *const *)a,
                              *y = *(const struct distribution *const *)b;
    return (x > y) - (x < y);
}

/* Those whose values differ: the most spread ones are chosen, and drawn in the table's order. */
static void pictures(const struct page *p, const struct distribution *all, size_t n)
{
    const struct distribution **chosen = calloc(n + 1, sizeof *chosen);
    size_t spread = 0;
    if (!chosen) abort();
    for (size_t i = 0; i < n; i++)
        if (all[i].spread.distinct > 1) chosen[spread++] = &all[i];
    qsort(chosen, spread, sizeof *chosen, by_relative);
    const size_t drawn = spread < PICTURES_MAX ? spread : PICTURES_MAX;
    qsort(chosen, drawn, sizeof *chosen, by_place);
    if (spread < n)
        paragraph(
            p, "In %zu of %zu measurements all repetitions are the same: exact counts. They need no picture.",
            n - spread, n);
    if (drawn < spread)
        paragraph(p, "Drawn are the %zu of %zu whose repetitions differ most.", drawn, spread);
    if (drawn) html(p, "<div class=\"pictures\">\n");
    for (size_t i = 0; i < drawn; i++) draw(p, chosen[i]);
    if (drawn) html(p, "</div>\n");
    free(chosen);
}

void section_repetitions(const struct page *p)
{
    size_t n = 0, all = 0;
    for (size_t k = 0; k < p->runs->n; k++) all += p->runs->run[k].n_reps;
    if (!all) return;
    struct distribution *d = calloc(all, sizeof *d);
    if (!d) abort();
    for (size_t k = 0; k < p->runs->n; k++)
        for (size_t i = 0; i < p->runs->run[k].n_reps; i++, n++) {
            d[n].run = &p->runs->run[k];
            d[n].reps = &d[n].run->reps[i];
            d[n].name = event_of(d[n].reps->record);
            measure(&d[n]);
        }
    pictures(p, d, n);
    html(p, "<details><summary>All of them in numbers</summary>\n");
    table(p, d, n);
    html(p, "</details>\n");
    for (size_t i = 0; i < n; i++) free(d[i].name);
    free(d);
}
