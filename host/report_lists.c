/* What a run listed: sampling runs, events, benchmarks. */
#include "host/report_page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A column: a field, or what is written from the record. */
struct column {
    const char *heading, *field;
    void (*put)(const struct page *p, const json_t *o);
};

static void members(const struct page *p, const json_t *o, const char *key)
{
    size_t i;
    json_t *m;
    json_array_foreach(json_object_get(o, key), i, m)
    {
        if (i) text(p, ", ");
        if (json_is_string(m))
            text(p, json_string_value(m));
        else
            textf(p, "%.0f", integer_value(m));
    }
}

static void counters(const struct page *p, const json_t *o) { members(p, o, "counters"); }
static void umasks(const struct page *p, const json_t *o) { members(p, o, "umasks"); }
static void variants(const struct page *p, const json_t *o) { members(p, o, "variants"); }

static void code(const struct page *p, const json_t *o)
{
    text(p, text_of(o, "code"));
    if (*text_of(o, "umask")) textf(p, "/%s", text_of(o, "umask"));
}

static void meaning(const struct page *p, const json_t *o)
{
    if (*text_of(o, "stands_for")) textf(p, "stands for %s", text_of(o, "stands_for"));
    text(p, text_of(o, "desc"));
    if (*text_of(o, "msr")) textf(p, "; needs %s, which is not programmed", text_of(o, "msr"));
}

static void measurement(const struct page *p, const json_t *o)
{
    char *of = measurement_of(o, NULL);
    text(p, of);
    free(of);
}

/* With what was left out by the hardware. */
static void sampled(const struct page *p, const json_t *o)
{
    const double latency = number_of(o, "latency");
    text(p, text_of(o, "event"));
    if (json_is_true(json_object_get(o, "l3miss"))) text(p, ", of those that missed the L3");
    if (!isnan(latency))
        textf(p, ", of those that took %s %.0f cycles",
              strncmp(text_of(o, "by"), "ibs", 3) ? "more than" : "at least", latency);
}

static void share(const struct page *p, const json_t *o)
{
    if (!isnan(number_of(o, "handler_share"))) textf(p, "%.2f %%", 100 * number_of(o, "handler_share"));
}

static void handler(const struct page *p, const json_t *o)
{
    char ticks[NUMBER_MAX];
    if (isnan(number_of(o, "handler_tsc"))) {
        if (flag_of(o, "modelled")) text(p, "unmodelled");
        return;
    }
    number_text(ticks, number_of(o, "handler_tsc"));
    text(p, ticks);
}

static void doubts(const struct page *p, const json_t *o)
{
    char *s = doubts_of(o);
    text(p, s);
    free(s);
}

static void parameters(const struct page *p, const json_t *o)
{
    size_t i;
    json_t *q;
    json_array_foreach(json_object_get(o, "params"), i, q)
    {
        textf(p, "%s%s: %s", i ? "; " : "", text_of(q, "name"), text_of(q, "help"));
    }
}

static const struct column sampling[] = {{"Measurement", NULL, measurement},
                                         {"Event", NULL, sampled},
                                         {"By", "by", NULL},
                                         {">Period", "period", NULL},
                                         {"Unit", "unit", NULL},
                                         {">Interrupts", "interrupts", NULL},
                                         {">Samples", "samples", NULL},
                                         {">Outside", "outside", NULL},
                                         {">Lost", "lost", NULL},
                                         {">Occurred", "occurred", NULL},
                                         {"Handler, tsc", NULL, handler},
                                         {"Handler's share", NULL, share},
                                         {"Remarks", NULL, doubts},
                                         {0}};
static const struct column event[] = {{"Event", "event", NULL},
                                      {"Code", NULL, code},
                                      {"What it counts", NULL, meaning},
                                      {"Kind", "kind", NULL},
                                      {"Counters", NULL, counters},
                                      {"Unit masks", NULL, umasks},
                                      {0}};
static const struct column bench[] = {{"Benchmark", "bench", NULL},
                                      {"What it does", "desc", NULL},
                                      {"What it should cost", "cost", NULL},
                                      {"Unit", "unit", NULL},
                                      {"Variants", NULL, variants},
                                      {"Parameters", NULL, parameters},
                                      {0}};

struct list {
    const char *type, *caption;
    const struct column *columns;
};

static const struct list sampling_runs = {"sampling", "Sampling runs", sampling};
static const struct list lists[] = {{"event", "Events", event}, {"bench", "Benchmarks", bench}};

static void put_cell(const struct page *p, const struct column *c, const json_t *o)
{
    const bool numeric = c->heading[0] == '>';
    if (numeric) {
        cell_number(p, number_of(o, c->field));
        return;
    }
    html(p, c->put == meaning || c->put == parameters ? "<td class=\"long\">" : "<td>");
    if (c->put)
        c->put(p, o);
    else
        text(p, text_of(o, c->field));
    cell_end(p);
}

static void put_list(const struct page *p, const struct list *l, const struct capture *r)
{
    char caption[400];
    size_t i;
    json_t *o;
    const bool several = p->runs->n > 1;
    if (!json_array_size(run_records(r, l->type))) return;
    snprintf(caption, sizeof caption, "%s%s%.300s", l->caption, several ? ", " : "", several ? r->name : "");
    (l == &sampling_runs ? page_results_begin : page_table_begin)(p, caption, "");
    for (const struct column *c = l->columns; c->heading; c++)
        page_table_column(p, c->heading + (c->heading[0] == '>'), c->heading[0] == '>');
    page_table_body(p);
    json_array_foreach(run_records(r, l->type), i, o)
    {
        row_begin(p);
        for (const struct column *c = l->columns; c->heading; c++) put_cell(p, c, o);
        row_end(p);
    }
    page_table_end(p);
}

static void put_lists(const struct page *p, const struct list *l, size_t n)
{
    for (; n--; l++)
        for (size_t k = 0; k < p->runs->n; k++) put_list(p, l, &p->runs->run[k]);
}

void section_sampling(const struct page *p) { put_lists(p, &sampling_runs, 1); }
void section_lists(const struct page *p) { put_lists(p, lists, sizeof lists / sizeof *lists); }
