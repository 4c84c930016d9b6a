/* The results file of run_p5mon (Safford's thesis, seed 003, section 4.4.3, figures 4.7 to 4.9). A line that
 * begins with '#' is a comment there; its report (figures 4.4 and 4.6) stands above the lines in such
 * comments, so that what reads run_p5mon's files reads these.
 *
 * run_p5mon ran one program and counted raw events. Here each measurement of a capture has its own block, the
 * overhead of the bracket is subtracted, and an interval has n - 1 where run_p5mon's has n: of figure 4.7's
 * event 0x3 it is 76.2, not 63.2. */
#include "host/escape.h"
#include "host/label.h"
#include "host/show.h"
#include "host/values.h"
#include "pmu/names.h"
#include "pmu/p5.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define REGIONS_MAX 100 /* docs/records.md, region: ids are 0 to 99 */

/* A record's string, for a file whose reader may be a terminal. It stays until the next one. */
static const char *shown(const json_t *o, const char *key)
{
    static char text[256];
    return escape_text(text, sizeof text, text_of(o, key));
}

/* ---- events ---- */

static const struct pmu_event *event_named(const char *name)
{
    for (const struct pmu_event *e = pmu_p5_events; e < pmu_p5_events + PMU_P5_EVENTS; e++)
        if (strcasecmp(e->name, name) == 0) return e;
    return NULL;
}

/* "In order to conserve space, the events are specified by their actual event codes": what has none, such as
 * tsc, is written by its name. Case does not matter, as on the command line: the thesis has capitals in some.
 */
static void put_event(const struct show_p5mon *p, const char *event)
{
    char name[80];
    const size_t n = strcspn(event, ":/");
    snprintf(name, sizeof name, "%.*s", (int)n, event);
    if (strcasecmp(name, "instructions") == 0) strcpy(name, pmu_p5_words.event[INSTRUCTIONS]);
    for (const struct pmu_alias *a = pmu_p5_aliases; a < pmu_p5_aliases + PMU_P5_ALIASES; a++)
        if (strcasecmp(a->name, name) == 0) snprintf(name, sizeof name, "%s", a->stands_for);
    const struct pmu_event *e = p->pentium ? event_named(name) : NULL;
    if (e)
        fprintf(p->to, "0x%x", (unsigned)e->code);
    else
        fputs(event, p->to);
}

/* ---- a measurement's numbers ---- */

static double interval_of(const json_t *o)
{
    return json_object_get(o, "ci99") ? number_of(o, "ci99") : number_of(o, "ci95");
}

static unsigned conf_of(const json_t *o) { return json_object_get(o, "ci99") ? 99 : 95; }

/* All repetitions give more digits than the twelve of earlier versions; with cull= the record leaves some
 * out. */
static double average_of(const json_t *o, double otherwise)
{
    const json_t *values = json_object_get(o, P5MON_VALUES), *v;
    double sum = 0;
    size_t i;
    if (!json_array_size(values) || json_array_size(values) != (size_t)number_of(o, "reps")) return otherwise;
    json_array_foreach(values, i, v) { sum += json_is_null(v) ? (double)NAN : json_number_value(v); }
    return isnan(sum) ? otherwise : sum / (double)json_array_size(values);
}

/* Of a whole repetition, where a result's values are of one operation. */
static double result_average(const json_t *o)
{
    return average_of(o, number_of(o, "mean") * number_of(o, "ops"));
}

/* NaN: it is not known as one number. */
static double region_average(const json_t *o) { return average_of(o, number_of(o, "total")); }

/* As in figure 4.9: NaN where the average is 0. */
static void put_percent(FILE *to, const char *before, double interval, double average, const char *after)
{
    if (average > 0)
        fprintf(to, "%s%.3f%s", before, 100 * interval / average, after);
    else
        fprintf(to, "%sNaN%s", before, after);
}

/* What a region counted in repetition k. */
struct range {
    double least, most;
};

static struct range range_of(const json_t *o, size_t k)
{
    return (struct range){json_number_value(json_array_get(json_object_get(o, P5MON_LEAST), k)),
                          json_number_value(json_array_get(json_object_get(o, P5MON_MOST), k))};
}

static void put_range(FILE *to, struct range x)
{
    if (x.least == x.most)
        fprintf(to, "%.0f\n", x.least);
    else
        fprintf(to, "from %.0f to %.0f\n", x.least, x.most);
}

/* Of the average; none where the markers were wrong, or the model lacks the event. */
static void put_bounds(FILE *to, const json_t *region)
{
    const double least = number_of(region, "least"), most = number_of(region, "most");
    if (isnan(least))
        fputs("no value\n", to);
    else
        fprintf(to, "from %.1f to %.1f\n", least, most);
}

/* ---- the report: figures 4.4 and 4.6 ---- */

static void report_average(FILE *to, const char *margin, double average, double interval)
{
    fprintf(to, "#%s  Average: %.1f +/- %.1f", margin, average, interval);
    put_percent(to, " (", interval, average, "%)");
}

static void report_result(const struct show_p5mon *p, const json_t *o)
{
    const json_t *v;
    size_t k;
    fprintf(p->to, "#   Event: %s\n", shown(o, "event"));
    json_array_foreach(json_object_get(o, P5MON_VALUES), k, v)
    {
        if (json_is_number(v)) fprintf(p->to, "#     rep %zu: %.0f\n", k, json_number_value(v));
    }
    report_average(p->to, "   ", result_average(o), interval_of(o) * number_of(o, "ops"));
    fputc('\n', p->to);
}

static void report_region_head(const struct show_p5mon *p, const json_t *o)
{
    fprintf(p->to, "#   Region %.0f%s%s, entered %.0f times and exited %.0f times:\n", number_of(o, "id"),
            *text_of(o, "label") ? " " : "", shown(o, "label"), number_of(o, "entered"),
            number_of(o, "exited"));
}

static void report_region(const struct show_p5mon *p, const json_t *o)
{
    const double average = region_average(o);
    const json_t *v;
    size_t k;
    fprintf(p->to, "#     Event: %s\n", shown(o, "event"));
    json_array_foreach(json_object_get(o, P5MON_LEAST), k, v)
    {
        if (!json_is_number(v)) continue;
        fprintf(p->to, "#       rep %zu: ", k);
        put_range(p->to, range_of(o, k));
    }
    if (isnan(average)) {
        fputs("#       not known as one number: ", p->to);
        put_bounds(p->to, o);
    } else {
        report_average(p->to, "     ", average, interval_of(o));
        fprintf(p->to, " %.1f per time region entered\n", number_of(o, "per_entry"));
    }
}

/* ---- the lines: figures 4.7 to 4.9 ---- */

static void result_lines(const struct show_p5mon *p, const json_t *o)
{
    const double average = result_average(o), interval = interval_of(o) * number_of(o, "ops");
    const json_t *v;
    size_t k;
    json_array_foreach(json_object_get(o, P5MON_VALUES), k, v)
    {
        if (!json_is_number(v)) continue;
        put_event(p, shown(o, "event"));
        fprintf(p->to, " %zu %.0f\n", k, json_number_value(v));
    }
    put_event(p, shown(o, "event"));
    fprintf(p->to, " -1 %.1f %.1f", average, interval);
    put_percent(p->to, " ", interval, average, "\n");
}

static void region_head(const struct show_p5mon *p, const json_t *o)
{
    fprintf(p->to, "# Region %.0f: entered %.0f exited %.0f\n", number_of(o, "id"), number_of(o, "entered"),
            number_of(o, "exited"));
}

/* A comment where it is not known, so that no program takes a bound for a value. */
static void region_line(const struct show_p5mon *p, const json_t *o, bool known)
{
    fprintf(p->to, known ? "%.0f " : "# %.0f ", number_of(o, "id"));
    put_event(p, shown(o, "event"));
}

static void region_lines(const struct show_p5mon *p, const json_t *o)
{
    const double average = region_average(o), interval = interval_of(o);
    const json_t *v;
    size_t k;
    json_array_foreach(json_object_get(o, P5MON_LEAST), k, v)
    {
        if (!json_is_number(v)) continue;
        const struct range x = range_of(o, k);
        region_line(p, o, x.least == x.most);
        fprintf(p->to, x.least == x.most ? " %zu " : " %zu: ", k);
        put_range(p->to, x);
    }
    region_line(p, o, !isnan(average));
    if (!isnan(average)) {
        fprintf(p->to, " -1 %.1f %.1f", average, interval);
        put_percent(p->to, " ", interval, average, "");
        fprintf(p->to, " %.1f\n", number_of(o, "per_entry"));
    } else {
        fputs(": ", p->to);
        put_bounds(p->to, o);
    }
}

/* ---- both ---- */

typedef void put_one(const struct show_p5mon *p, const json_t *o);

static void each_result(const struct show_p5mon *p, put_one *one)
{
    const json_t *o;
    size_t i;
    json_array_foreach(p->results, i, o) { one(p, o); }
}

/* All events of a region, then those of the next. Comes to the number of regions. */
static unsigned each_region(const struct show_p5mon *p, put_one *head, put_one *one)
{
    unsigned regions = 0;
    const json_t *o;
    size_t i;
    for (int id = 0; id < REGIONS_MAX; id++) {
        bool headed = false;
        json_array_foreach(p->regions, i, o)
        {
            if (number_of(o, "id") != id) continue;
            if (!headed) regions++;
            if (!headed && head) head(p, o);
            if (one) one(p, o);
            headed = true;
        }
    }
    return regions;
}

/* ---- public ---- */

void show_p5mon_print(const struct show_p5mon *p)
{
    const unsigned regions = each_region(p, NULL, NULL);
    const json_t *first = json_array_get(json_array_size(p->results) ? p->results : p->regions, 0);
    if (!first) return;
    char *label = label_of(p->id);
    fputs("# Command: ", p->to);
    if (label) escape_print(p->to, label, strlen(label));
    fputs("\n# Results (", p->to);
    if (regions) fprintf(p->to, "for %u regions, ", regions);
    fprintf(p->to, "%.0f repetitions, %u%% confidence level):\n", number_of(first, "reps"), conf_of(first));
    free(label);
    each_result(p, report_result);
    each_region(p, report_region_head, report_region);
    fprintf(p->to, "# %sEvent Repetition Value [conf.int] [percentage]\n", regions ? "Region " : "");
    if (regions)
        each_region(p, region_head, region_lines);
    else
        each_result(p, result_lines);
}
