/* The kernel's way from words to registers: pmu_event_parse(), schedule_groups(), the driver's program() and
 * start(), on the registers of host/registers.c. */
#include "host/event_msrs.h"
#include "host/command.h"
#include "host/registers.h"
#include "measure/schedule.h"
#include "pmu/errata.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CHANGED_MAX 128

/* The next event's length: up to a comma outside of slashes. */
static size_t event_length(const char *s)
{
    bool slashes = false;
    size_t n = 0;
    for (; s[n] && (s[n] != ',' || slashes); n++)
        if (s[n] == '/') slashes = !slashes;
    return n;
}

/* To the number of events; -1: a fault has been reported. */
static int parse(const struct pmu *pmu, const char *events, struct pmu_code code[EVENTS_MAX])
{
    char why[240], near[128];
    int n = 0;
    for (const char *s = events;; s++) {
        const size_t len = event_length(s);
        if (n == EVENTS_MAX) {
            command_misused(&command_events, "more than %d events", EVENTS_MAX);
            return -1;
        }
        if (!pmu_event_parse(pmu, s, len, &code[n++], why, sizeof why, near, sizeof near)) {
            command_misused(&command_events, "%.*s: %s%s%s", (int)len, s, why, *near ? "; there are " : "",
                            near);
            return -1;
        }
        s += len;
        if (!*s) return n;
    }
}

/* "; may be wrong: errata HSD29 (with Hyper-Threading), HSM30 (with Hyper-Threading)", and the end of the
 * line. */
static void print_errata(uint64_t errata)
{
    static const char *const effect[] = {
        [ERRATUM_WRONG] = "wrong", [ERRATUM_HIGH] = "too high", [ERRATUM_LOW] = "too low"};
    const char *before = errata & (errata - 1) ? "errata " : "erratum ";
    if (errata) printf("; may be %s: ", effect[pmu_errata_effect(errata)]);
    for (; errata; errata &= errata - 1, before = ", ") {
        const struct erratum *e = pmu_erratum(pmu_errata_first(errata));
        printf("%s%s%s", before, e->name, pmu_erratum_condition(e));
    }
    putchar('\n');
}

/* How a counter's value is read. */
static void print_counter(const struct pmu *pmu, const struct pmu_code *code, unsigned counter)
{
    printf("  %-44s counter %u: RDMSR 0x%" PRIx32, code->name, counter, pmu->counter_msr[counter]);
    if (pmu->rdpmc) printf(", RDPMC 0x%" PRIx32, pmu->rdpmc_index[counter]);
    print_errata(code->errata);
}

static bool refused(const char *why)
{
    command_failed(&command_events, STATUS_IMPOSSIBLE, "%s", why);
    return false;
}

/* Registers that keep the value which they have while nothing is counted are not shown. */
static bool print_run(struct pmu *pmu, const struct pmu_code *code, const struct group *g)
{
    const struct pmu_code *codes[PMU_COUNTERS] = {NULL}, *const nothing[PMU_COUNTERS] = {NULL};
    struct register_value changed[CHANGED_MAX];
    char why[160];
    for (unsigned i = 0; i < g->n; i++) {
        codes[g->counter[i]] = &code[g->event[i]];
        print_counter(pmu, &code[g->event[i]], g->counter[i]);
    }
    if (!pmu->ops->program(pmu, nothing, why, sizeof why)) return refused(why);
    registers_begin();
    if (!pmu->ops->program(pmu, codes, why, sizeof why)) return refused(why);
    pmu_start(pmu);
    const unsigned n = registers_changed(changed, CHANGED_MAX);
    for (unsigned i = 0; i < n; i++)
        printf("  WRMSR 0x%-8" PRIx32 " 0x%" PRIx64 "\n", changed[i].msr, changed[i].value);
    pmu_stop(pmu);
    return true;
}

static bool in_a_run(unsigned event, const struct group *g, unsigned runs)
{
    for (unsigned k = 0; k < runs; k++)
        for (unsigned i = 0; i < g[k].n; i++)
            if (g[k].event[i] == event) return true;
    return false;
}

int event_msrs(struct event_cpu *cpu, const char *events)
{
    static struct pmu_code code[EVENTS_MAX];
    static struct group runs[EVENTS_MAX];
    const int n = parse(&cpu->pmu, events, code);
    if (n < 0) return STATUS_USAGE;
    const unsigned n_runs = schedule_groups(&cpu->pmu, code, (unsigned)n, runs);
    for (unsigned i = 0; i < (unsigned)n; i++)
        if (!in_a_run(i, runs, n_runs))
            return command_failed(&command_events, STATUS_USAGE,
                                  "%s: no counter of this CPU that can be used has it", code[i].name);
    printf("%s%s%s, %s-%u-%X-%X\n", cpu->pmu.model, *cpu->names ? ": " : "", cpu->names, cpu->id.vendor,
           cpu->id.family, cpu->id.model, cpu->id.stepping);
    for (unsigned k = 0; k < n_runs; k++) {
        if (n_runs > 1) printf("run %u of %u\n", k + 1, n_runs);
        if (!print_run(&cpu->pmu, code, &runs[k])) return STATUS_IMPOSSIBLE;
    }
    return STATUS_GOOD;
}
