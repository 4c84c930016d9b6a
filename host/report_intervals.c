/* A picture of each benchmark: how far its values lie apart, and how well the mean is known. Rows of
 * different units share its axis, which is in per cent of the median. */
#include "host/report_page.h"
#include "host/report_picture.h"
#include "host/report_swept.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX     12  /* of a picture; the tables have all */
#define PICTURES_MAX 100 /* of the page, before this one */
#define ROW_HEIGHT   36
#define BELOW        46 /* for the axis */
#define CLIPPED      5  /* a maximum that is so many times as far away as all else lies to the right */

struct row {
    char *label;
    size_t run;
    bool drawn;
    bool of_zero;                          /* not drawn: the median is 0, and the values differ from it */
    double least, most, low, high, median; /* per cent from the first run's median; low, high: of the mean */
};

static double per_cent(double v, double of)
{
    if (v == of) return 0;
    return of != 0 ? 100 * (v - of) / fabs(of) : (double)NAN;
}

/* Of a value that the record lacks: where the median is. */
static double place_of(double v, double of, double median) { return isnan(v) ? median : per_cent(v, of); }

/* of_zero: with the range that cannot be drawn in place of the interval. */
static char *label_of(const struct page *p, const json_t *o, size_t run, double ci, bool of_zero)
{
    char *conditions = conditions_of(o, NULL, ""), *label;
    char median[NUMBER_MAX] = "", half[NUMBER_MAX] = "", number[24] = "";
    const double v = number_of(o, "median");
    const char *none = flag_of(o, "unmodelled") ? "unmodelled" : "no value";
    if (!isnan(v)) number_text(median, v);
    if (ci > 0) number_text(half, ci);
    if (p->runs->n > 1) snprintf(number, sizeof number, "%zu: ", run + 1);
    if (of_zero) {
        free(conditions);
        number_text(median, number_of(o, "min"));
        number_text(half, number_of(o, "max"));
        return formatted("%s%s %s to %s, not drawn: the median is 0", number, text_of(o, "event"), median,
                         half);
    }
    label = formatted("%s%s %s%s%s%s%s%s", number, text_of(o, "event"), isnan(v) ? none : median,
                      *half ? " \xc2\xb1 " : "", half, *conditions ? " (" : "", conditions,
                      *conditions ? ")" : "");
    free(conditions);
    return label;
}

static struct row row_of(const struct page *p, const json_t *o, size_t run, double base)
{
    const double ci99 = number_of(o, "ci99"), ci = isnan(ci99) ? number_of(o, "ci95") : ci99;
    const double mean = number_of(o, "mean"), half = ci > 0 ? ci : 0;
    struct row r = {.run = run};
    r.median = per_cent(number_of(o, "median"), base);
    r.least = place_of(number_of(o, "min"), base, r.median);
    r.most = place_of(number_of(o, "max"), base, r.median);
    r.low = place_of(mean - half, base, r.median);
    r.high = place_of(mean + half, base, r.median);
    r.drawn =
        isfinite(r.median) && isfinite(r.least) && isfinite(r.most) && isfinite(r.low) && isfinite(r.high);
    r.of_zero = !r.drawn && base == 0;
    r.label = label_of(p, o, run, ci, r.of_zero);
    return r;
}

/* Results of points that a sweep's picture has are drawn there. */
static json_t *swept_points(const struct runs *runs)
{
    json_t *found = sweeps_of(runs), *points = json_object(), *of, *o;
    const char *title;
    size_t k, i;
    json_object_foreach(found, title, of)
    {
        bool drawn = false;
        for (k = 0; k < runs->n; k++) drawn |= json_array_size(json_array_get(of, k)) >= 3;
        for (k = 0; drawn && k < runs->n; k++) json_array_foreach(json_array_get(of, k), i, o)
            {
                char key[40];
                snprintf(key, sizeof key, "%zu.%lld", k,
                         (long long)json_integer_value(json_object_get(o, "n")));
                json_object_set_new(points, key, json_true());
            }
    }
    json_decref(found);
    return points;
}

static bool is_swept(const json_t *points, const json_t *o, size_t run)
{
    char key[40];
    snprintf(key, sizeof key, "%zu.%lld", run, (long long)json_integer_value(json_object_get(o, "n")));
    return json_object_get(points, key) != NULL;
}

static size_t rows_to_draw(const struct page *p, const json_t *rows, struct row *to, size_t *left)
{
    json_t *points = swept_points(p->runs), *row, *o;
    size_t n = 0, i, k;
    *left = 0;
    json_array_foreach(rows, i, row)
    {
        double base = (double)NAN;
        json_array_foreach(row, k, o)
        {
            if (!json_is_object(o) || is_swept(points, o, k)) continue;
            if (isnan(base)) base = number_of(o, "median");
            if (n < ROWS_MAX)
                to[n++] = row_of(p, o, k, base);
            else
                ++*left;
        }
    }
    json_decref(points);
    return n;
}

/* ---- the picture ---- */

/* Comes to how many maxima lie to the right of it. */
static size_t range_of(const struct row *r, size_t n, double *from, double *to)
{
    double reach = 0, most = 0;
    size_t beyond = 0, i;
    for (i = 0; i < n; i++) {
        if (!r[i].drawn) continue;
        reach = fmax(reach,
                     fmax(fmax(fabs(r[i].least), fabs(r[i].median)), fmax(fabs(r[i].low), fabs(r[i].high))));
        most = fmax(most, r[i].most);
    }
    if (reach > 0 && most > CLIPPED * reach) most = CLIPPED * reach;
    *from = -reach;
    *to = fmax(most, reach);
    if (*to - *from <= 0) {
        *from = -1;
        *to = 1;
    }
    for (i = 0; i < n; i++) beyond += r[i].drawn && r[i].most > *to;
    const double margin = 0.06 * (*to - *from);
    *from -= margin;
    *to += margin;
    return beyond;
}

static void data(FILE *to, const struct row *r, size_t n, size_t series, double right)
{
    fprintf(to, "$d%zu << EOD\n", series);
    for (size_t i = 0; i < n; i++)
        if (r[i].drawn && r[i].run % PICTURE_SERIES == series)
            fprintf(to, "%.17g %.17g %.17g %.17g %.17g %.17g\n", (double)i + 0.72, r[i].least,
                    fmin(r[i].most, right), r[i].low, r[i].high, r[i].median);
    fputs("EOD\n", to);
}

static void draw(const struct page *p, const char *name, const struct row *r, size_t n, size_t left)
{
    double from, right;
    bool used[PICTURE_SERIES] = {false};
    char beyond[120] = "", others[80] = "", zero[80] = "";
    size_t of_zero = 0;
    const size_t clipped = range_of(r, n, &from, &right);
    if (clipped)
        snprintf(beyond, sizeof beyond, " %zu of the largest values %s to the right of the picture.", clipped,
                 clipped == 1 ? "lies" : "lie");
    for (size_t i = 0; i < n; i++) of_zero += r[i].of_zero;
    if (of_zero)
        snprintf(zero, sizeof zero, " %zu %s not drawn: the median is 0.", of_zero,
                 of_zero == 1 ? "row is" : "rows are");
    if (left) snprintf(others, sizeof others, " %zu more rows are only in the tables.", left);
    char *description = formatted(
        "Dot: median; thick line: the mean with its interval; thin line: from the least to the largest "
        "value. The axis is the distance from the %s.%s%s%s",
        p->runs->n > 1 ? "first run's median" : "median", beyond, zero, others);
    char *title = formatted("%s: spread", name);
    const int height = BELOW + ROW_HEIGHT * (int)n;
    FILE *to = picture_begin(p->pictures, p->out, height, title, description);
    for (size_t s = 0; s < PICTURE_SERIES; s++) data(to, r, n, s, right);
    fprintf(
        to,
        "set border 1\nunset ytics\nunset key\nset grid x lc rgb '#808080' dt 3 lw 0.5\nset xrange "
        "[%.17g:%.17g]\nset lmargin at screen 0.06\nset rmargin at screen 0.9\nset tmargin at screen 0.99\n"
        "set bmargin at screen %.3f\nset yrange [%zu:0]\nset xtics %.17g\nset format x '%%.6g %%%%'\n",
        from, right, (double)BELOW / height, n, picture_step(right - from, 4));
    for (size_t i = 0; i < n; i++) {
        used[r[i].run % PICTURE_SERIES] |= r[i].drawn;
        fprintf(to, "set label %zu ", i + 1);
        picture_string(to, r[i].label, 52);
        fprintf(to, " at graph 0,first %.17g left\n", (double)i + 0.32);
    }
    size_t plots = 0;
    for (size_t s = 0; s < PICTURE_SERIES; s++) {
        if (!used[s]) continue;
        const char *colour = picture_colour(s);
        fprintf(to,
                "%s$d%zu using 2:1:($3-$2):(0) with vectors nohead lc rgb '#808080' lw 1.5 notitle, "
                "$d%zu using 4:1:($5-$4):(0) with vectors nohead %s lw 6 notitle, "
                "$d%zu using 6:1 with points %s ps 0.8 notitle",
                plots++ ? ", " : "plot ", s, s, colour, s, picture_style(s));
    }
    fputs(plots ? "\n" : "plot NaN notitle\n", to);
    picture_end(p->pictures, p->out);
    free(description);
    free(title);
}

void put_intervals(const struct page *p, const char *name, const json_t *rows)
{
    struct row r[ROWS_MAX];
    size_t left;
    if (pictures_count(p->pictures) >= PICTURES_MAX) {
        html(p, "<p class=\"what\">No picture of the spread: the page has ");
        textf(p, "%d or more already. The tables have all values.", PICTURES_MAX);
        html(p, "</p>\n");
        return;
    }
    const size_t n = rows_to_draw(p, rows, r, &left);
    bool any = false, of_zero = false;
    if (!n) html(p, "<p class=\"what\"><a href=\"#sweeps\">Pictures: Sweeps</a></p>\n");
    for (size_t i = 0; i < n; i++) {
        any |= r[i].drawn;
        of_zero |= r[i].of_zero;
    }
    if (any) draw(p, name, r, n, left);
    if (!any && of_zero) html(p, "<p class=\"what\">No picture of the spread: the median is 0.</p>\n");
    for (size_t i = 0; i < n; i++) free(r[i].label);
}
