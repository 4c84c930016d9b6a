/* What stands above everything: the title, and whether this was a processor at all. */
#include "host/machine.h"
#include "host/report_page.h"
#include <stdlib.h>
#include <string.h>

#define NAMED_MAX 3 /* benchmarks, machines; further ones are counted */

/* ---- the title ---- */

/* "a, b, c and 2 more"; "nothing" if there is none. */
static void put_names(FILE *to, json_t *names, const char *nothing)
{
    const size_t n = json_object_size(names);
    size_t i = 0;
    const char *name;
    json_t *unused;
    if (!n) fputs(nothing, to);
    json_object_foreach(names, name, unused)
    {
        if (i < NAMED_MAX) fprintf(to, "%s%s", i ? ", " : "", name);
        i++;
    }
    if (n > NAMED_MAX) fprintf(to, " and %zu more", n - NAMED_MAX);
}

/* What a run has if it has no results of benchmarks. */
static const struct {
    const char *type, *key, *name; /* name NULL: that of the record's field */
} subjects[] = {
    {"result", "bench", NULL},         {"sampling", "bench", NULL},         {"profile", "bench", NULL},
    {"experiment", "", "experiments"}, {"truth", "", "truth suite"},        {"relation", "", "truth suite"},
    {"event", "", "list of events"},   {"bench", "", "list of benchmarks"},
};

static void add_subjects(json_t *names, const struct capture *r)
{
    size_t i;
    json_t *o;
    for (size_t s = 0; s < sizeof subjects / sizeof *subjects; s++)
        json_array_foreach(run_records(r, subjects[s].type), i, o)
        {
            const char *name = subjects[s].name ? subjects[s].name : text_of(o, subjects[s].key);
            if (*name) json_object_set_new(names, name, json_true());
        }
}

/* "2026-11-27T12:00:00": the day. Dates sort as text. */
static void put_dates(FILE *to, const struct runs *runs)
{
    const char *first = "", *last = "";
    for (size_t i = 0; i < runs->n; i++) {
        const char *date = text_of(run_record(&runs->run[i], "boot"), "date");
        if (!*date) continue;
        if (!*first || strcmp(date, first) < 0) first = date;
        if (!*last || strcmp(date, last) > 0) last = date;
    }
    if (*first) fprintf(to, ", %.10s", first);
    if (strncmp(first, last, 10) != 0) fprintf(to, " to %.10s", last);
}

char *page_title(const struct runs *runs)
{
    json_t *names = json_object(), *machines = json_object();
    char *title = NULL;
    size_t len;
    FILE *to = open_memstream(&title, &len);
    if (!to) abort();
    for (size_t i = 0; i < runs->n; i++) {
        const struct capture *r = &runs->run[i];
        char *machine =
            machine_of(run_record(r, "boot"), run_record(r, "cpu"), strcmp(run_origin(r), "modelled") == 0);
        add_subjects(names, r);
        json_object_set_new(machines, machine, json_true());
        free(machine);
    }
    put_names(to, names, "No results");
    fputs(" on ", to);
    put_names(to, machines, "no machine");
    if (runs->n > 1) fprintf(to, ", %zu runs", runs->n);
    put_dates(to, runs);
    if (fclose(to) || !title) abort();
    json_decref(names);
    json_decref(machines);
    return title;
}

/* ---- the banner ---- */

static const struct {
    const char *origin, *begins, *says;
} origins[] = {
    {"modelled", "Modelled, not measured.",
     "No processor was measured: counts are those of a PMU model in the emulator Bochs, and times and cycles "
     "say nothing about a processor."},
    {"emulated", "Emulated, not measured.",
     "No processor was measured: times and cycles are the emulator's, and say nothing about a processor."},
    {"hosted", "Measured below Linux.",
     "Linux ran other things in between, and its interrupts are in the times: minimum and median stand, the "
     "mean may not."},
    {"virtualized", "Virtualized.",
     "What the hypervisor did in between is in the times and may be in the counts."},
};

void put_banner(const struct page *p)
{
    const bool all = *runs_origin(p->runs);
    for (size_t k = 0; k < sizeof origins / sizeof *origins; k++) {
        size_t before = 0;
        for (size_t i = 0; i < p->runs->n; i++) {
            const struct capture *r = &p->runs->run[i];
            if (strcmp(run_origin(r), origins[k].origin) != 0) continue;
            if (!before) {
                html(p, "<p class=\"banner\" role=\"note\"><strong>");
                text(p, origins[k].begins);
                html(p, "</strong> ");
            }
            if (!all) textf(p, "%s%s", before ? ", " : "Run ", r->name);
            before++;
        }
        if (!before) continue;
        if (!all) text(p, ". ");
        text(p, origins[k].says);
        html(p, "</p>\n");
    }
}
