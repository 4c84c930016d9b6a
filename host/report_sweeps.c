/* Sweeps of a parameter: a picture of each event's medians, with their knees. */
#include "host/report_knee.h"
#include "host/report_page.h"
#include "host/report_picture.h"
#include "host/report_swept.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SWEEPS_MAX 60 /* pictures; the tables have the others' numbers */
#define KNEES_MAX  3

struct point {
    double x, y, low, high;
};

static int by_x(const void *a, const void *b)
{
    const double d = ((const struct point *)a)->x - ((const struct point *)b)->x;
    return (d > 0) - (d < 0);
}

/* Comes to how many points there are; *points is to be freed. */
static size_t points_of(const json_t *results, const char *param, struct point **points)
{
    size_t i, n = 0;
    json_t *o;
    if (!(*points = calloc(json_array_size(results) + 1, sizeof **points))) abort();
    json_array_foreach(results, i, o)
    {
        const double ci99 = number_of(o, "ci99"), ci = isnan(ci99) ? number_of(o, "ci95") : ci99;
        const double mean = number_of(o, "mean");
        struct point *p = &(*points)[n];
        p->x = number_of(json_object_get(o, "params"), param);
        p->y = number_of(o, "median");
        p->low = ci > 0 ? mean - ci : p->y;
        p->high = ci > 0 ? mean + ci : p->y;
        n += isfinite(p->x) && isfinite(p->y) && isfinite(p->low);
    }
    qsort(*points, n, sizeof **points, by_x);
    return n;
}

struct curve {
    struct point *point;
    size_t n, knees;
    struct knee knee[KNEES_MAX];
    bool factors;
};

static void find_knees(struct curve *c)
{
    double *x = calloc(c->n + 1, sizeof *x), *y = calloc(c->n + 1, sizeof *y);
    if (!x || !y) abort();
    for (size_t i = 0; i < c->n; i++) {
        x[i] = c->point[i].x;
        y[i] = c->point[i].y;
    }
    c->knees = knees(x, y, c->n, c->knee, KNEES_MAX);
    c->factors = grows_by_factors(x, c->n);
    free(x);
    free(y);
}

static void say_knees(FILE *to, const struct page *p, const struct curve *c, size_t run, const char *param)
{
    if (p->runs->n > 1) fprintf(to, "%s: ", p->runs->run[run].name);
    if (!c->knees) fputs("No knee. ", to);
    for (size_t i = 0; i < c->knees; i++) {
        const struct knee *k = &c->knee[i];
        char from[NUMBER_MAX], at[NUMBER_MAX], before[NUMBER_MAX], after[NUMBER_MAX];
        number_text(from, c->point[k->at - 1].x);
        number_text(at, c->point[k->at].x);
        number_text(before, k->before);
        number_text(after, k->after);
        fprintf(to, "Knee between %s=%s and %s: from %s to %s. ", param, from, at, before, after);
    }
}

/* The middle between the two points of a knee, as the axis shows it. */
static double middle(const struct curve *c, const struct knee *k, bool logarithm)
{
    const double a = c->point[k->at - 1].x, b = c->point[k->at].x;
    return logarithm ? sqrt(a * b) : (a + b) / 2;
}

static void data(FILE *to, const struct curve *curves, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        fprintf(to, "$d%zu << EOD\n", k);
        for (size_t i = 0; i < curves[k].n; i++) {
            const struct point *q = &curves[k].point[i];
            fprintf(to, "%.17g %.17g %.17g %.17g\n", q->x, q->y, q->low, q->high);
        }
        fputs("EOD\n", to);
    }
}

/* ---- the picture ---- */

/* What all curves of a picture cover. */
struct extent {
    double x_least, x_most, least, most, low, high; /* y: of the medians, and with their bars */
};

static struct extent extent_of(const struct curve *curves, size_t n)
{
    const double none = (double)INFINITY;
    struct extent e = {none, -none, none, -none, none, -none};
    for (size_t k = 0; k < n; k++)
        for (const struct point *q = curves[k].point; q < curves[k].point + curves[k].n; q++) {
            e.x_least = fmin(e.x_least, q->x);
            e.x_most = fmax(e.x_most, q->x);
            e.least = fmin(e.least, q->y);
            e.most = fmax(e.most, q->y);
            e.low = fmin(e.low, q->low);
            e.high = fmax(e.high, q->high);
        }
    return e;
}

/* "48", "32Ki" */
static void put_size(FILE *to, double v)
{
    static const char *const prefixes[] = {"", "Ki", "Mi", "Gi", "Ti"};
    size_t power = 0;
    for (; power < 4 && v >= 1024 && fmod(v, 1024) == 0; power++) v /= 1024;
    fprintf(to, v < 1e5 ? "%.5g%s" : "%.3g%s", v, prefixes[power]);
}

/* Of a logarithmic axis: at measured values, with room between them for some six. */
static void tics(FILE *to, const struct curve *curves, size_t n, double octaves)
{
    const struct curve *longest = curves;
    for (size_t k = 1; k < n; k++)
        if (curves[k].n > longest->n) longest = &curves[k];
    double last = 0;
    fputs("set xtics (", to);
    for (size_t i = 0; i < longest->n; i++) {
        const double x = longest->point[i].x;
        if (last > 0 && log2(x / last) < octaves / 6) continue;
        fputs(last > 0 ? ", '" : "'", to);
        put_size(to, x);
        fprintf(to, "' %.17g", x);
        last = x;
    }
    fputs(")\n", to);
}

static void axes(FILE *to, const struct curve *curves, size_t n, const struct extent *e, bool logarithm,
                 const char *param, const char *unit)
{
    if (logarithm) {
        const double octaves = log2(e->x_most / e->x_least), margin = exp2(0.04 * octaves);
        fprintf(to, "set logscale x 2\nset xrange [%.17g:%.17g]\n", e->x_least / margin, e->x_most * margin);
        tics(to, curves, n, octaves);
    } else {
        const double margin = 0.04 * (e->x_most - e->x_least);
        const double step = picture_step(e->x_most - e->x_least, 6); /* parameters are whole numbers */
        fprintf(to, "set xtics %.17g\nset xrange [%.17g:%.17g]\n", fmax(step, 1), e->x_least - margin,
                e->x_most + margin);
    }
    if (e->low > 0 && e->most > 30 * e->least)
        fputs("set logscale y 10\n", to);
    else if (e->least >= 0) {
        const double top = e->most > 0 ? fmin(1.08 * e->high, 1.5 * e->most) : 1;
        fprintf(to, "set yrange [0:%.17g]\nset ytics %.17g\n", top, picture_step(top, 6));
    }
    fputs("set format y '%.4g'\nset xlabel ", to);
    picture_string(to, param, 36);
    const char *slash = strrchr(unit, '/'); /* the event stands in the title */
    char *per = slash ? formatted("per %s", slash + 1) : formatted("%s", unit);
    fputs("\nset ylabel ", to);
    picture_string(to, per, 28);
    fputc('\n', to);
    free(per);
}

static void draw(const struct page *p, const char *title, const struct curve *curves, size_t n,
                 const char *param, const char *unit)
{
    char *description = NULL;
    size_t len, knee = 1, drawn = 0;
    bool logarithm = true;
    const struct extent extent = extent_of(curves, n);
    FILE *about = open_memstream(&description, &len);
    if (!about) abort();
    fputs("Medians; the thin bars are the mean's interval, which may go beyond the picture. ", about);
    for (size_t k = 0; k < n; k++) {
        if (!curves[k].n) continue;
        logarithm = logarithm && curves[k].factors;
        say_knees(about, p, &curves[k], k, param);
    }
    if (fclose(about)) abort();
    FILE *to = picture_begin(p->pictures, p->out, 250 + 16 * (int)n, title, description);
    data(to, curves, n);
    axes(to, curves, n, &extent, logarithm, param, unit);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < curves[k].knees; i++, knee++) {
            const double x = middle(&curves[k], &curves[k].knee[i], logarithm);
            fprintf(to, "set arrow %zu from %.17g,graph 0 to %.17g,graph 1 nohead dt 2 %s\n", knee, x, x,
                    picture_colour(k));
        }
    for (size_t k = 0; k < n; k++) {
        if (!curves[k].n) continue;
        fprintf(to,
                "%s$d%zu using 1:3:(0):($4-$3) with vectors nohead %s lw 0.8 notitle, "
                "$d%zu using 1:2 with linespoints %s ps 0.7 lw 1.5 title ",
                drawn++ ? ", " : "plot ", k, picture_colour(k), k, picture_style(k));
        picture_string(to, p->runs->n > 1 ? p->runs->run[k].name : "median", 36);
    }
    fputc('\n', to);
    picture_end(p->pictures, p->out);
    free(description);
}

static void sweep(const struct page *p, const char *title, const json_t *of)
{
    const size_t n = p->runs->n;
    const char *param = json_string_value(json_array_get(of, n)), *unit = "";
    struct curve *curves = calloc(n, sizeof *curves);
    if (!curves) abort();
    for (size_t k = 0; k < n; k++) {
        const json_t *results = json_array_get(of, k);
        curves[k].n = points_of(results, param, &curves[k].point);
        find_knees(&curves[k]);
        if (curves[k].n) unit = text_of(json_array_get(results, 0), "unit");
    }
    draw(p, title, curves, n, param, unit);
    for (size_t k = 0; k < n; k++) free(curves[k].point);
    free(curves);
}

/* Has a run three points at least? */
static bool is_sweep(const json_t *of, size_t runs)
{
    for (size_t k = 0; k < runs; k++)
        if (json_array_size(json_array_get(of, k)) >= 3) return true;
    return false;
}

void section_sweeps(const struct page *p)
{
    json_t *found = sweeps_of(p->runs), *of;
    const char *title;
    size_t n = 0;
    json_object_foreach(found, title, of)
    {
        if (!is_sweep(of, p->runs->n)) continue;
        if (n == 0) html(p, "<div class=\"pictures\">\n");
        if (n < SWEEPS_MAX) sweep(p, title, of);
        n++;
    }
    if (n) html(p, "</div>\n");
    if (n > SWEEPS_MAX) paragraph(p, "%d of %zu sweeps are drawn; the tables have all.", SWEEPS_MAX, n);
    json_decref(found);
}
