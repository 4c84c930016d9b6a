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
#include "pmu/names.h"
#include "pmu/p5.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REGIONS_MAX 100 /* docs/records.md, region: ids are 0 to 99 */

static const char *string(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

/* The same for the file, whose reader may be a terminal. It stays until the next one. */
static const char *shown(const json_t *o, const char *key)
{
    static char text[256];
    return escape_text(text, sizeof text, string(o, key));
}

static double number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (json_is_string(v)) return strtod(json_string_value(v), NULL); /* an integer beyond 2^53 */
    return json_is_number(v) ? json_number_value(v) : NAN;
}

/* ---- events ---- */

static const struct pmu_event *event_named(const char *name)
{
    for (const struct pmu_event *e = pmu_p5_events; e < pmu_p5_events + PMU_P5_EVENTS; e++)
        if (strcmp(e->name, name) == 0) return e;
    return NULL;
}

/* "In order to conserve space, the events are specified by their actual event codes": what has none, such as
 * tsc, is written by its name. */
static void put_event(const struct show_p5mon *p, const char *event)
{
    char name[80];
    const size_t n = strcspn(event, ":/");
    snprintf(name, sizeof name, "%.*s", (int)n, event);
    if (strcmp(name, "instructions") == 0) strcpy(name, pmu_p5_words.event[INSTRUCTIONS]);
    for (const struct pmu_alias *a = pmu_p5_aliases; a < pmu_p5_aliases + PMU_P5_ALIASES; a++)
        if (strcmp(a->name, name) == 0) snprintf(name, sizeof name, "%s", a->stands_for);
    const struct pmu_event *e = p->pentium ? event_named(name) : NULL;
    if (e)
        fprintf(p->to, "0x%x", (unsigned)e->code);
    else
        fputs(event, p->to);
}

/* ---- a measurement's numbers ---- */

static double interval_of(const json_t *o)
{
    return json_object_get(o, "ci99") ? number(o, "ci99") : number(o, "ci95");
}

static unsigned conf_of(const json_t *o) { return json_object_get(o, "ci99") ? 99 : 95; }

/* Of a whole repetition, where a result's values are of one operation. All repetitions give more digits than
 * the record's seven; with cull= the record leaves some out. */
static double average_of(const json_t *result)
{
    const json_t *values = json_object_get(result, "values"), *v;
    double sum = 0;
    size_t i;
    if (!json_array_size(values) || json_array_size(values) != (size_t)number(result, "reps"))
        return number(result, "mean") * number(result, "ops");
    json_array_foreach(values, i, v) { sum += json_number_value(v); }
    return sum / (double)json_array_size(values);
}

/* As in figure 4.9: NaN where the average is 0. */
static void put_percent(FILE *to, const char *before, double interval, double average, const char *after)
{
    if (average > 0)
        fprintf(to, "%s%.3f%s", before, 100 * interval / average, after);
    else
        fprintf(to, "%sNaN%s", before, after);
}

/* Of a region the kernel keeps no single repetitions. If they were all the same, each is known. */
static bool all_known(const struct show_p5mon *p, const json_t *region)
{
    return p->all && number(region, "min") == number(region, "max") && !isnan(number(region, "total"));
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
    json_array_foreach(json_object_get(o, "values"), k, v)
    {
        fprintf(p->to, "#     rep %zu: %.0f\n", k, json_number_value(v));
    }
    report_average(p->to, "   ", average_of(o), interval_of(o) * number(o, "ops"));
    fputc('\n', p->to);
}

static void report_region_head(const struct show_p5mon *p, const json_t *o)
{
    fprintf(p->to, "#   Region %.0f%s%s, entered %.0f times and exited %.0f times:\n", number(o, "id"),
            *string(o, "label") ? " " : "", shown(o, "label"), number(o, "entered"), number(o, "exited"));
}

static void report_region(const struct show_p5mon *p, const json_t *o)
{
    fprintf(p->to, "#     Event: %s\n", shown(o, "event"));
    for (int k = 0; all_known(p, o) && k < number(o, "reps"); k++)
        fprintf(p->to, "#       rep %d: %.0f\n", k, number(o, "total"));
    if (isnan(number(o, "total")))
        fprintf(p->to, "#       not known as one number: from %.1f to %.1f\n", number(o, "least"),
                number(o, "most"));
    else {
        report_average(p->to, "     ", number(o, "total"), interval_of(o));
        fprintf(p->to, " %.1f per time region entered\n", number(o, "per_entry"));
    }
}

/* ---- the lines: figures 4.7 to 4.9 ---- */

static void result_lines(const struct show_p5mon *p, const json_t *o)
{
    const double average = average_of(o), interval = interval_of(o) * number(o, "ops");
    const json_t *v;
    size_t k;
    json_array_foreach(json_object_get(o, "values"), k, v)
    {
        put_event(p, shown(o, "event"));
        fprintf(p->to, " %zu %.0f\n", k, json_number_value(v));
    }
    put_event(p, shown(o, "event"));
    fprintf(p->to, " -1 %.1f %.1f", average, interval);
    put_percent(p->to, " ", interval, average, "\n");
}

static void region_head(const struct show_p5mon *p, const json_t *o)
{
    fprintf(p->to, "# Region %.0f: entered %.0f exited %.0f\n", number(o, "id"), number(o, "entered"),
            number(o, "exited"));
}

static void region_lines(const struct show_p5mon *p, const json_t *o)
{
    const double total = number(o, "total"), interval = interval_of(o);
    const bool known = !isnan(total);
    for (int k = 0; all_known(p, o) && k < number(o, "reps"); k++) {
        fprintf(p->to, "%.0f ", number(o, "id"));
        put_event(p, shown(o, "event"));
        fprintf(p->to, " %d %.0f\n", k, total);
    }
    fprintf(p->to, known ? "%.0f " : "# %.0f ", number(o, "id")); /* no program takes a bound for a value */
    put_event(p, shown(o, "event"));
    if (known) {
        fprintf(p->to, " -1 %.1f %.1f", total, interval);
        put_percent(p->to, " ", interval, total, "");
        fprintf(p->to, " %.1f\n", number(o, "per_entry"));
    } else
        fprintf(p->to, ": from %.1f to %.1f\n", number(o, "least"), number(o, "most"));
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
            if (number(o, "id") != id) continue;
            if (!headed) regions++;
            if (!headed && head) head(p, o);
            if (one) one(p, o);
            headed = true;
        }
    }
    return regions;
}

/* ---- public ---- */

void show_p5mon_begin(struct show_p5mon *p, FILE *to)
{
    *p = (struct show_p5mon){.to = to, .results = json_array(), .regions = json_array()};
    fputs("# run_p5mon results file\n", to);
}

void show_p5mon_flush(struct show_p5mon *p)
{
    const unsigned regions = each_region(p, NULL, NULL);
    const json_t *first = json_array_get(json_array_size(p->results) ? p->results : p->regions, 0);
    if (first) {
        char *label = label_of(p->id);
        fputs("# Command: ", p->to);
        if (label) escape_print(p->to, label, strlen(label));
        fputs("\n# Results (", p->to);
        if (regions) fprintf(p->to, "for %u regions, ", regions);
        fprintf(p->to, "%.0f repetitions, %u%% confidence level):\n", number(first, "reps"), conf_of(first));
        free(label);
        each_result(p, report_result);
        each_region(p, report_region_head, report_region);
        fprintf(p->to, "# %sEvent Repetition Value [conf.int] [percentage]\n", regions ? "Region " : "");
        if (regions)
            each_region(p, region_head, region_lines);
        else
            each_result(p, result_lines);
    }
    json_array_clear(p->results);
    json_array_clear(p->regions);
    json_decref(p->id);
    p->id = NULL;
    p->all = false;
}

void show_p5mon_end(struct show_p5mon *p)
{
    show_p5mon_flush(p);
    json_decref(p->results);
    json_decref(p->regions);
}

static json_t *identity(const json_t *o)
{
    static const char *const of[] = {"bench", "variant", "params", "cpu", "ring"};
    json_t *id = json_object();
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        json_t *v = json_object_get(o, of[i]);
        if (v) json_object_set(id, of[i], v);
    }
    return id;
}

static json_t *result_of_event(const struct show_p5mon *p, const char *event)
{
    json_t *o;
    size_t i;
    json_array_foreach(p->results, i, o)
    {
        if (strcmp(string(o, "event"), event) == 0) return o;
    }
    return NULL;
}

/* Raw values of a result's repetitions, less the overhead. */
static void add_values(const struct show_p5mon *p, const json_t *reps)
{
    json_t *result = result_of_event(p, string(reps, "event")), *values;
    const json_t *v;
    size_t i;
    if (!result) return;
    values = json_object_get(result, "values");
    if (!values) {
        values = json_array();
        json_object_set_new(result, "values", values);
    }
    json_array_foreach(json_object_get(reps, "raw"), i, v)
    {
        const double raw = json_is_string(v) ? strtod(json_string_value(v), NULL) : json_number_value(v);
        json_array_append_new(values, json_real(raw - number(reps, "overhead")));
    }
}

void show_p5mon_record(struct show_p5mon *p, json_t *o, const char *type)
{
    const bool result = strcmp(type, "result") == 0, reps = strcmp(type, "reps") == 0;
    const char *family = string(json_object_get(o, "pmu"), "family");
    if (strcmp(type, "cpu") == 0) p->pentium = strcmp(family, "P5") == 0;
    if (!result && !reps && strcmp(type, "region") != 0) return;

    json_t *id = identity(o);
    if (!json_equal(id, p->id) || (result && result_of_event(p, string(o, "event")))) show_p5mon_flush(p);
    if (!p->id) p->id = json_incref(id);
    json_decref(id);
    if (isnan(number(o, "mean")) && result) return; /* not modelled */
    p->all |= reps;
    if (reps)
        add_values(p, o);
    else
        json_array_append(result ? p->results : p->regions, o);
}
