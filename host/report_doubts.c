/* What may be doubted about each run: before anybody reads a number. */
#include "host/report_page.h"
#include <stdlib.h>
#include <string.h>

#define NOTES_OPEN 4 /* more are folded away, so that the numbers come soon */

static void begin(const struct page *p, bool alarm) { html(p, alarm ? "<li class=\"alarm\">" : "<li>"); }

/* Returns how many doubts there were, as all of these do. */
static unsigned session_doubts(const struct page *p, const struct capture *r)
{
    unsigned n = 0;
    for (unsigned long i = 0; i < r->faults && i < RUN_FAULTS_MAX; i++, n++) {
        begin(p, true);
        textf(p, "Damaged or missing: %s", r->fault[i]);
        html(p, "</li>\n");
    }
    if (r->faults > RUN_FAULTS_MAX) {
        begin(p, true);
        textf(p, "and %lu more of the kind.", r->faults - RUN_FAULTS_MAX);
        html(p, "</li>\n");
    }
    if (r->ended && r->status) {
        begin(p, true);
        textf(p, "The kernel ended with status %lld.", r->status);
        html(p, "</li>\n");
        n++;
    }
    const char *type;
    json_t *count;
    json_object_foreach(r->passed, type, count)
    {
        begin(p, false);
        textf(p, "%lld records of type \"%s\" were passed over: this version does not know them.",
              (long long)json_integer_value(count), type);
        html(p, "</li>\n");
        n++;
    }
    return n;
}

static unsigned machine_doubts(const struct page *p, const struct capture *r)
{
    unsigned n = 0;
    size_t i;
    json_t *q;
    json_array_foreach(run_records(r, "quiet"), i, q)
    {
        if (strcmp(text_of(q, "verdict"), "quiet") == 0) continue;
        const bool disturbed = strcmp(text_of(q, "verdict"), "disturbed") == 0;
        begin(p, disturbed);
        textf(p, "%s %s the measurements: %s",
              disturbed ? "The machine was disturbed" : "Nobody knows how quiet it was",
              *text_of(q, "when") ? text_of(q, "when") : "before", text_of(q, "reason"));
        html(p, "</li>\n");
        n++;
    }
    return n;
}

static unsigned counter_doubts(const struct page *p, const struct capture *r)
{
    const json_t *states = json_object_get(json_object_get(run_record(r, "cpu"), "pmu"), "counters");
    unsigned n = 0;
    for (size_t i = 0, next; i < json_array_size(states); i = next) {
        const json_t *one = json_array_get(states, i);
        const char *state = json_string_value(one);
        for (next = i + 1; json_equal(one, json_array_get(states, next));) next++;
        if (!state || strcmp(state, "ok") == 0) continue;
        if (n++ == 0) begin(p, true);
        text(p, n == 1 ? "Counter" : ", counter");
        if (next - i == 1)
            textf(p, " %zu is %s", i, state);
        else
            textf(p, "s %zu to %zu are %s", i, next - 1, state);
    }
    if (n) html(p, ".</li>\n");
    return n;
}

/* Results with each sort of doubt, counted. */
static unsigned result_doubts(const struct page *p, const struct capture *r)
{
    static const char *const types[] = {"result", "region", "truth", "sampling"};
    json_t *counts = json_object(), *o, *flag, *count;
    const char *name;
    unsigned n = 0;
    size_t i, k;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        json_array_foreach(run_records(r, types[t]), i, o)
        {
            json_array_foreach(json_object_get(o, "flags"), k, flag)
            {
                name = json_string_value(flag);
                if (!name || strcmp(name, "emulated") == 0 || strcmp(name, "modelled") == 0 ||
                    strcmp(name, "virtualized") == 0 || strcmp(name, "hosted") == 0)
                    continue;
                json_object_set_new(counts, name,
                                    json_integer(json_integer_value(json_object_get(counts, name)) + 1));
            }
        }
    if (json_object_size(counts)) {
        begin(p, false);
        text(p, "Rows with a remark: ");
        json_object_foreach(counts, name, count)
        {
            textf(p, "%s%lld %s", n++ ? ", " : "", (long long)json_integer_value(count), name);
        }
        text(p, ". Their rows say more.");
        html(p, "</li>\n");
    }
    json_decref(counts);
    return n;
}

static unsigned said(const struct page *p, const struct capture *r, const char *type, bool alarm)
{
    size_t i;
    json_t *o;
    json_array_foreach(run_records(r, type), i, o)
    {
        begin(p, alarm);
        textf(p, "%s: ", text_of(o, "what"));
        const char *bench = text_of(o, "bench"), *variant = text_of(o, "variant");
        if (*bench && !strstr(text_of(o, "message"), bench))
            textf(p, "%s%s%s: ", bench, *variant ? " " : "", variant);
        text(p, text_of(o, "message"));
        if (*text_of(o, "place")) textf(p, " (%s)", text_of(o, "place"));
        if (*text_of(o, "valid")) textf(p, "; valid: %s", text_of(o, "valid"));
        html(p, "</li>\n");
    }
    return (unsigned)i;
}

static unsigned interval_doubt(const struct page *p, const struct capture *r)
{
    const char *intervals = text_of(run_record(r, "done"), "intervals");
    if (!*intervals) return 0;
    begin(p, false);
    textf(p, "Intervals (+/-) cover the %s. They do not say how boots differ.", intervals);
    html(p, "</li>\n");
    return 1;
}

void section_doubts(const struct page *p)
{
    for (size_t i = 0; i < p->runs->n; i++) {
        const struct capture *r = &p->runs->run[i];
        if (p->runs->n > 1) heading(p, r->name);
        html(p, "<ul>\n");
        const unsigned n = session_doubts(p, r) + said(p, r, "error", true) + machine_doubts(p, r) +
                           counter_doubts(p, r) + result_doubts(p, r) + interval_doubt(p, r);
        const size_t notes = json_array_size(run_records(r, "note"));
        if (!n && !notes) html(p, "<li>Nothing was found to doubt.</li>\n");
        if (notes > NOTES_OPEN)
            fprintf(p->out, "</ul>\n<details><summary>%zu notes of the kernel</summary>\n<ul>\n", notes);
        said(p, r, "note", false);
        html(p, notes > NOTES_OPEN ? "</ul>\n</details>\n" : "</ul>\n");
    }
}
