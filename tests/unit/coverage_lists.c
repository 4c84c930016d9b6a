/* The lists of coverage_lists.h. */
#include "tests/unit/coverage_lists.h"
#include "pmu/p5.h"
#include "sim/netburst.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define EVENTS 1024

struct event events[EVENTS];
unsigned n_events;

/* Names with one code are one event, under the first of them. */
static void add_event(const char *name, const uint64_t code[WORDS])
{
    for (unsigned i = 0; i < n_events; i++)
        if (memcmp(events[i].code, code, sizeof events[i].code) == 0) return;
    if (n_events == EVENTS) fail_msg("more events than %d", EVENTS);
    snprintf(events[n_events].name, sizeof events[n_events].name, "%s", name);
    memcpy(events[n_events++].code, code, sizeof events[0].code);
}

/* On NetBurst two events may have one ESCR and CCCR, which are in different ESCRs: enum nb_unit, by the
 * model's names, which are the manual's. libpfm4 has one of its own. */
static uint64_t unit_of(const char *event)
{
    if (strcmp(event, "uops_type") == 0) event = "uop_type";
    for (const struct sim_event *e = nb_events; e < nb_events + NB_EVENTS; e++)
        if (strncasecmp(e->name, event, strlen(event)) == 0 && strchr(":", e->name[strlen(event)]))
            return e->code >> 24; /* the name goes on with a colon or ends */
    fail_msg("in which ESCR is %s?", event);
    return U_NONE;
}

static FILE *open_dump(const char *file)
{
    char path[LENGTH];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/events/%s.txt", build ? build : "build", file);
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("cannot read %s: `make events` makes it", path);
    return f;
}

const char *library(void)
{
    static char words[LENGTH];
    char version[LENGTH / 2] = "";
    FILE *f = open_dump("amd64");
    assert_int_equal(fscanf(f, "L %100s", version), 1);
    fclose(f);
    snprintf(words, sizeof words, "libpfm4 %s", version);
    return words;
}

bool has_libpfm4(const char *file)
{
    FILE *f = open_dump(file);
    const bool has = fgetc(f) != EOF;
    fclose(f);
    return has;
}

void load_libpfm4(const char *file, const char *pmu)
{
    char line[4096], event[LENGTH / 2] = "";
    bool here = false, masks = false;
    FILE *f = open_dump(file);
    n_events = 0;
    while (fgets(line, sizeof line, f)) {
        char *rest = NULL, name[LENGTH], *kind = strtok_r(line, "\t\n", &rest);
        char *word = rest && *rest == '\t' ? NULL : strtok_r(NULL, "\t\n", &rest);
        uint64_t code[WORDS] = {0};
        if (*kind == 'P') here = word && strcmp(word, pmu) == 0;
        if (!here) continue;
        if (*kind == 'E') snprintf(event, sizeof event, "%s", word), masks = false;
        if (*kind == 'U') masks = true;
        if (*kind != 'X') continue;
        /* "X", masks separated by colons (perhaps none), codes */
        const bool plain = !word;
        if (masks == plain || (word && strchr(word, ':'))) continue;
        snprintf(name, sizeof name, plain ? "%s" : "%s:%s", event, word);
        for (unsigned k = 0; k < WORDS && (word = strtok_r(NULL, "\t\n", &rest)); k++)
            code[k] = strtoull(word, NULL, 16);
        if (strncmp(pmu, "netburst", 8) == 0) code[2] = unit_of(event);
        add_event(name, code);
    }
    fclose(f);
    assert_true(n_events > 50);
}

void load_p5(unsigned models)
{
    n_events = 0;
    for (const struct pmu_event *e = pmu_p5_events; e < pmu_p5_events + PMU_P5_EVENTS; e++)
        if (!e->models || e->models & models) add_event(e->name, (uint64_t[WORDS]){e->code, e->counters});
}
