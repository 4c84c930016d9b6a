/* The machine of each run, side by side, and how quiet it was. */
#include "host/machine.h"
#include "host/report_page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- properties: each writes its value, or nothing ---- */

static void file(const struct page *p, const struct capture *r) { text(p, r->file); }

static void platform(const struct page *p, const struct capture *r)
{
    const json_t *boot = run_record(r, "boot");
    text(p, text_of(boot, "platform"));
    if (*text_of(boot, "platform_detail")) textf(p, " (%s)", text_of(boot, "platform_detail"));
}

static void processor(const struct page *p, const struct capture *r)
{
    const json_t *cpu = run_record(r, "cpu");
    if (!cpu) return;
    char *name = machine_of(run_record(r, "boot"), cpu, strcmp(run_origin(r), "modelled") == 0);
    textf(p, "%s; ", name);
    free(name);
    textf(p, "%s family %.0f model %.0f stepping %.0f", text_of(cpu, "vendor"), number_of(cpu, "family"),
          number_of(cpu, "model"), number_of(cpu, "stepping"));
    const double signature = number_of(cpu, "signature");
    if (signature >= 0 && signature < 4294967296.0) textf(p, " (%lxh)", (unsigned long)signature);
    if (json_array_size(run_records(r, "cpu")) > 1)
        textf(p, "; %zu processors", json_array_size(run_records(r, "cpu")));
}

static void caches(const struct page *p, const struct capture *r)
{
    const json_t *cpu = run_record(r, "cpu");
    const char *comma = "";
    size_t i;
    json_t *c;
    json_array_foreach(json_object_get(cpu, "caches"), i, c)
    {
        const char *kind = text_of(c, "kind");
        const double ways = number_of(c, "ways");
        char size[NUMBER_MAX];
        bytes_text(size, number_of(c, "bytes"));
        textf(p, "%sL%.0f%s %s", comma, number_of(c, "level"),
              strcmp(kind, "data") == 0   ? "d"
              : strcmp(kind, "code") == 0 ? "i"
                                          : "",
              size);
        if (number_of(c, "sets") == 1)
            text(p, " fully associative");
        else if (ways > 0)
            textf(p, " %.0f-way", ways);
        if (number_of(c, "line") > 0) textf(p, ", lines of %.0f B", number_of(c, "line"));
        comma = "; ";
    }
    if (cpu && !*comma) text(p, "geometry unknown");
    if (cpu) textf(p, " (%s)", text_of(cpu, "cache_source"));
}

static void clocks(const struct page *p, const struct capture *r)
{
    const json_t *cpu = run_record(r, "cpu");
    const double hz = number_of(cpu, "tsc_hz"), ppm = number_of(cpu, "tsc_uncertainty_ppm");
    if (!cpu) return;
    if (hz > 0) {
        textf(p, "%.3f MHz", hz / 1e6);
        if (ppm < 1000) textf(p, " +/- %.0f ppm", ppm);
        if (ppm >= 1000) textf(p, " +/- %.1f %%", ppm / 1e4);
        textf(p, " (%s)", text_of(cpu, "tsc_source"));
    } else if (*text_of(run_record(r, "boot"), "modelled"))
        text(p, "unmodelled");
    else
        text(p, "rate unknown, so nothing is in units of time");
    text(p, json_is_true(json_object_get(cpu, "invariant_tsc")) ? ", invariant" : ", not invariant");
}

static void core(const struct page *p, const struct capture *r)
{
    const json_t *cpu = run_record(r, "cpu");
    const double ratio = number_of(cpu, "core_per_tsc");
    if (!*text_of(cpu, "turbo")) return;
    if (ratio > 0) textf(p, "%.4g x TSC (%s); ", ratio, text_of(cpu, "core_clock_source"));
    textf(p, "turbo %s, prefetchers %s", text_of(cpu, "turbo"), text_of(cpu, "prefetch"));
}

static void counters(const struct page *p, const struct capture *r)
{
    const json_t *pmu = json_object_get(run_record(r, "cpu"), "pmu");
    const json_t *states = json_object_get(pmu, "counters");
    size_t bad = 0, i;
    json_t *s;
    if (!pmu) return;
    if (strcmp(text_of(pmu, "family"), "none") == 0) {
        text(p, "none that the kernel knows; only the TSC counts");
        return;
    }
    textf(p, "%s (%s), %zu of %.0f bits", text_of(pmu, "family"), text_of(pmu, "model"),
          json_array_size(states), number_of(pmu, "width"));
    json_array_foreach(states, i, s)
    {
        const char *state = json_string_value(s);
        if (!state || strcmp(state, "ok") == 0) continue;
        textf(p, bad++ ? ", %zu %s" : "; counter %zu %s", i, state);
    }
}

static void memory(const struct page *p, const struct capture *r)
{
    const json_t *boot = run_record(r, "boot");
    char all[NUMBER_MAX], pool[NUMBER_MAX];
    if (!boot) return;
    bytes_text(all, 1024 * number_of(boot, "memory_kib"));
    bytes_text(pool, number_of(boot, "pool_bytes"));
    textf(p, "%s; pool %s, %s", all, pool, text_of(boot, "pool_type"));
}

static void kernel(const struct page *p, const struct capture *r)
{
    const json_t *boot = run_record(r, "boot");
    if (boot)
        textf(p, "Anechoic %s, %s; loader %s", text_of(boot, "version"), text_of(boot, "flavour"),
              *text_of(boot, "loader") ? text_of(boot, "loader") : "without a name");
}

static void words(const struct page *p, const struct capture *r)
{
    const json_t *boot = run_record(r, "boot");
    html(p, "<code>");
    text(p, text_of(boot, "cmdline"));
    html(p, "</code>");
    if (json_is_true(json_object_get(boot, "cmdline_cut"))) text(p, " (and more)");
}

/* A time as people say it. */
static void put_time(const struct page *p, double us)
{
    if (us < 1e3)
        textf(p, "%.4g us", us);
    else if (us < 1e6)
        textf(p, "%.4g ms", us / 1e3);
    else
        textf(p, "%.4g s", us / 1e6);
}

static void quiet(const struct page *p, const struct capture *r, const char *when)
{
    size_t i;
    json_t *q;
    json_array_foreach(run_records(r, "quiet"), i, q)
    {
        const char *verdict = text_of(q, "verdict");
        const bool bad = strcmp(verdict, "disturbed") == 0;
        if (strcmp(text_of(q, "when"), when) != 0 && *text_of(q, "when")) continue;
        html(p, bad ? "<span class=\"alarm\">" : "<b>");
        text(p, strcmp(verdict, "quiet") == 0 ? "yes" : bad ? "NO, disturbed" : "unknown");
        html(p, bad ? "</span>" : "</b>");
        textf(p, ": %s", text_of(q, "reason"));
        if (!json_object_get(q, "watched_tsc")) continue; /* the PMU model has no ticks */
        text(p, "; ");
        if (number_of(q, "watched_ms") > 0) {
            put_time(p, 1e3 * number_of(q, "watched_ms"));
            text(p, " watched, ");
        }
        textf(p, "%.0f gap%s of more than %.0f ticks, the largest %.0f", number_of(q, "gaps"),
              number_of(q, "gaps") == 1 ? "" : "s", number_of(q, "threshold_tsc"),
              number_of(q, "largest_gap_tsc"));
        if (number_of(q, "largest_gap_us") > 0) {
            text(p, " (");
            put_time(p, number_of(q, "largest_gap_us"));
            text(p, ")");
        }
        if (number_of(q, "smis") >= 0) textf(p, "; %.0f SMIs", number_of(q, "smis"));
    }
}

static void before(const struct page *p, const struct capture *r) { quiet(p, r, "before"); }
static void after(const struct page *p, const struct capture *r) { quiet(p, r, "after"); }

static void ending(const struct page *p, const struct capture *r)
{
    const json_t *done = run_record(r, "done");
    if (done)
        textf(p, "%.0f measurements, %.0f failed; ", number_of(done, "measurements"),
              number_of(done, "failed"));
    textf(p, "%lld records; ", r->records);
    if (r->ended)
        textf(p, "status %lld", r->status);
    else
        text(p, "no end");
}

static const struct property {
    const char *name;
    void (*put)(const struct page *p, const struct capture *r);
} properties[] = {
    {"File", file},      {"Platform", platform},  {"Processor", processor}, {"Caches", caches},
    {"TSC", clocks},     {"Core", core},          {"Counters", counters},   {"Memory", memory},
    {"Kernel", kernel},  {"Command line", words}, {"Quiet before", before}, {"Quiet after", after},
    {"Came to", ending},
};

/* ---- public ---- */

void section_runs(const struct page *p)
{
    page_table_begin(p, p->runs->n == 1 ? "The machine" : "The machines", p->runs->n == 1 ? "" : "Run");
    if (p->runs->n == 1) page_table_column(p, "Property", false);
    for (size_t i = 0; i < p->runs->n; i++)
        page_table_column(p, p->runs->n == 1 ? "Value" : p->runs->run[i].name, false);
    page_table_body(p);
    for (const struct property *q = properties; q < properties + sizeof properties / sizeof *properties;
         q++) {
        html(p, "<tr><th scope=\"row\">");
        text(p, q->name);
        html(p, "</th>");
        for (size_t i = 0; i < p->runs->n; i++) {
            html(p, "<td class=\"long\">");
            q->put(p, &p->runs->run[i]);
            html(p, "</td>");
        }
        html(p, "</tr>\n");
    }
    page_table_end(p);
}
