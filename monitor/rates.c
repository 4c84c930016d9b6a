#include "monitor/rates.h"
#include "monitor/say.h"
#include "pmu/pmu.h"
#include "report/emit.h"
#include <stdio.h>
#include <string.h>

#define SHOWN(w) (int)((w)->len < 64 ? (w)->len : 64), (w)->text

struct rates rates_running;

static struct options options; /* of the processor that is measured */
static struct group group[EVENTS_MAX];
static struct arena arena;

const struct options *rates_options(void) { return &options; }

/* ---- words ---- */

/* The command line's words that mean something here. */
static const char *const valid[] = {"bench", "ring", "cpu", "with", "serialize", "limit"};
#define VALID "a benchmark, ring=, cpu=, with=, serialize=, limit="

static bool is_valid(const struct word *w)
{
    for (unsigned i = 0; i < sizeof valid / sizeof *valid; i++) {
        const size_t n = strlen(valid[i]);
        if (w->len > n && memcmp(w->text, valid[i], n) == 0 && w->text[n] == '=') return true;
    }
    return false;
}

/* NAME=VALUE, and not NAME or NAME:param=value, which is a benchmark. */
static bool has_key(const struct word *w)
{
    for (size_t i = 0; i < w->len && w->text[i] != ':'; i++)
        if (w->text[i] == '=') return true;
    return false;
}

/* The words as the command line would have them. *has_bench: one of them is a benchmark. */
static bool command_line(const char *command, const struct word *events, const struct words *words,
                         unsigned first, char *out, size_t cap, bool *has_bench)
{
    size_t n = (size_t)snprintf(out, cap, "events=%.*s", (int)events->len, events->text);
    *has_bench = false;
    for (unsigned i = first; i < words->n && n < cap; i++) {
        const struct word *w = &words->w[i];
        const bool key = has_key(w);
        if (key && !is_valid(w)) {
            complain("%s: \"%.*s\" means nothing here. Valid: " VALID ".", command, SHOWN(w));
            return false;
        }
        *has_bench |= !key || memcmp(w->text, "bench=", 6) == 0;
        n += (size_t)snprintf(out + n, cap - n, " %s%.*s", key ? "" : "bench=", (int)w->len, w->text);
    }
    if (n >= cap) complain("%s: longer than the %u characters of a command line.", command, CMDLINE_MAX);
    return n < cap;
}

/* The benchmark that is meant: one, with one value for each parameter. Of several variants the first. */
static const struct plan_item *one_item(const char *command, const struct request *asked)
{
    static struct plan_cursor at;
    static struct plan_item item;
    at = (struct plan_cursor){.line = 0};
    if (asked->opt->action != ACTION_MEASURE || !plan_next(asked->plan, &at)) {
        complain("%s: this is no benchmark that runs again and again. Valid: one of `list`.", command);
        return NULL;
    }
    item = at.item;
    while (plan_next(asked->plan, &at)) {
        if (at.item.bench == item.bench && at.item.variant != item.variant) continue;
        complain("%s: one benchmark at a time, with one value for each parameter.", command);
        return NULL;
    }
    if (item.bench->experiment) {
        complain("%s: %s is an experiment, which measures by itself. Valid: a benchmark of `list`.", command,
                 item.bench->program.name);
        return NULL;
    }
    return &item;
}

/* ---- events ---- */

static void count_lacks(void *n, const struct text_part *event)
{
    complain("This processor lacks the event %.*s.", (int)(event->len < 64 ? event->len : 64), event->s);
    ++*(unsigned *)n;
}

static void add_names(char *list, size_t cap, const struct group *g)
{
    for (unsigned i = 0; i < g->n; i++) pmu_list_add(list, cap, options.event[g->event[i]].name, "");
}

/* All of them in one group, since nothing is shared in time: else which ones fit, and which do not. */
static bool fit(const char *command, const struct pmu *pmu)
{
    const unsigned n = options.n_events, groups = schedule_groups(pmu, options.event, n, group);
    char fits[300] = "", rest[300] = "";
    bool counted[EVENTS_MAX] = {false};
    if (n == 0 || (groups == 1 && group[0].n == n)) return true;
    if (groups) add_names(fits, sizeof fits, &group[0]);
    for (unsigned i = 0; groups && i < group[0].n; i++) counted[group[0].event[i]] = true;
    for (unsigned i = 0; i < n; i++)
        if (!counted[i]) pmu_list_add(rest, sizeof rest, options.event[i].name, "");
    complain(
        "%s: %s fit the counters at once, and counts are never estimated. %u fit: %s. Not with them: %s.",
        command, n == 1 ? "this event does not" : "these events do not", groups ? group[0].n : 0,
        groups ? fits : "none", rest);
    return false;
}

static bool choose_events(const char *command, const struct request *asked, const struct cpu *cpu)
{
    unsigned lacks = 0;
    if (asked->opt->list_events) {
        complain("%s: `events` lists events. Valid here: EVENT[,EVENT...], or tsc.", command);
        return false;
    }
    if (!cpu->pmu->usable && (asked->opt->n_event_words || asked->opt->absent[0])) {
        complain("%s: no performance counter counts on this processor%s. Valid: tsc.", command,
                 cpu->pmu->ops ? "" : ", or none that this kernel knows");
        return false;
    }
    if (asked->opt->absent[0]) {
        complain("%s: this CPU has no event for %s.", command, asked->opt->absent);
        return false;
    }
    if (cpu->index)
        options_elsewhere(asked->opt, cpu->pmu, count_lacks, &lacks, &options);
    else
        options = *asked->opt;
    for (unsigned i = 0; i < options.n_events; i++)
        if (options.event[i].preset) {
            complain("%s: rates have no presets and cascades. Valid: events without init= and " PMU_CASCADE
                     ".",
                     command);
            return false;
        }
    return !lacks && fit(command, cpu->pmu);
}

/* ---- public ---- */

bool rates_milliseconds(const char *command, const struct word *w, unsigned *ms)
{
    uint64_t n;
    if (number_parse(w->text, w->len, &n) && n >= 1 && n <= RATES_MS_MAX) {
        *ms = (unsigned)n;
        return true;
    }
    complain("%s: \"%.*s\" is not an interval. Valid: 1 to %u milliseconds.", command, SHOWN(w),
             RATES_MS_MAX);
    return false;
}

bool rates_open(struct monitor *m, const char *command, const struct word *events, const struct words *words,
                unsigned first)
{
    static char line[CMDLINE_MAX + 1];
    struct machine *machine = m->session->machine;
    struct request asked;
    const struct plan_item *item = NULL;
    bool has_bench;
    if (!machine->clock.tsc_hz) {
        complain("%s: rates are of seconds, and the rate of the time stamp is not known here. Boot with "
                 "tsc=HZ.",
                 command);
        return false;
    }
    if (!command_line(command, events, words, first, line, sizeof line, &has_bench)) return false;
    if (!request_read(m->session, line, &asked)) return false;
    if (cpu_set_count(&asked.where) > 1) {
        complain("%s: one processor at a time. Valid: cpu=N.", command);
        return false;
    }
    const struct cpu *cpu = machine->cpu[cpu_set_next(&asked.where, 0)];
    if (has_bench && !(item = one_item(command, &asked))) return false;
    if (!choose_events(command, &asked, cpu)) return false;
    arena = (struct arena){machine->memory.pool, machine->memory.pool_bytes, 0};
    if (rates_begin(&rates_running, item, &options, cpu, options.n_events ? &group[0] : NULL, &arena))
        return true;
    rates_close(m);
    return false;
}

void rates_close(struct monitor *m)
{
    const struct run *run = &rates_running.run;
    rates_end(&rates_running);
    if (run->status == RUN_OK || run->status == RUN_CANCELLED) return;
    emit_run_failure(run);
    m->failed = true;
}
