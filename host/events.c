/* anechoic events: the events of any CPU, as the kernel's drivers have them, and what they would write to
 * count them. */
#include "host/command.h"
#include "host/event_cpus.h"
#include "host/event_msrs.h"
#include "host/event_open.h"
#include "report/emit_events.h"
#include "report/record.h"
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#define FIND_MAX 64

/* ---- output ---- */

static void put_text(const char *line) { puts(line); }
static void put_record(const char *line, size_t len) { printf("%.*s\n", (int)len, line); }

static void put_cpu(void *ctx, const struct event_cpu *cpu)
{
    const struct pmu *p = &cpu->pmu;
    const unsigned fixed = (unsigned)__builtin_popcount(p->fixed);
    char counters[32], model[64];
    (void)ctx;
    snprintf(counters, sizeof counters, fixed ? "%u + %u fixed" : "%u", p->counters - fixed, fixed);
    snprintf(model, sizeof model, "%s%s%s%s", p->model, p->core_type ? " (" : "",
             p->core_type ? p->core_type : "", p->core_type ? ")" : "");
    printf("%-36s %-24s %s\n", cpu->names, model, counters);
}

static void list_cpus(void)
{
    printf("%-36s %-24s %s\n", "name", "CPU", "counters");
    event_cpus(put_cpu, NULL);
}

/* ---- the command ---- */

struct asked {
    const char *cpu, *database, *encode;
    bool json, list;
};

static int list_events(const struct asked *a, const struct event_cpu *cpu, const char *pattern)
{
    char words[FIND_MAX];
    const struct session_sinks sinks = {.record_line = a->json ? put_record : NULL,
                                        .text_line = a->json ? NULL : put_text};
    const size_t n = pattern ? strlen(pattern) : 0;
    if (n >= sizeof words || (pattern && strspn(pattern, "+") == n))
        return command_misused(&command_events, "a pattern has 1 to %u characters, such as l2+miss",
                               (unsigned)sizeof words - 1);
    for (size_t i = 0; i <= n && pattern; i++) words[i] = (char)tolower((unsigned char)pattern[i]);
    session_begin(&sinks);
    return emit_events(&cpu->pmu, pattern ? words : NULL) ? STATUS_GOOD : STATUS_FOUND;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct asked a = {0};
    struct event_cpu cpu;
    for (int id; (id = command_option(self, argc, argv)) != -1;) {
        if (id == 'c') a.cpu = optarg;
        if (id == 'd') a.database = optarg;
        if (id == 'e') a.encode = optarg;
        a.json |= id == 'j';
        a.list |= id == 'l';
    }
    if (argc - optind > 1)
        return command_misused(self, "one pattern at a time; several words are joined by +, such as l2+miss");
    if (a.encode && optind < argc) return command_misused(self, "--encode takes no pattern");
    if (a.list && (a.cpu || a.encode || a.json || a.database || optind < argc))
        return command_misused(self, "--list stands alone: it lists the CPUs");
    if (a.encode && a.json)
        return command_misused(self, "--encode shows registers, which are no records: no --json");
    if (a.list) return list_cpus(), STATUS_GOOD;
    const int status = event_open(self, a.cpu, a.database, &cpu);
    if (status != STATUS_GOOD) return status;
    if (a.encode) return event_msrs(&cpu, a.encode);
    return list_events(&a, &cpu, optind < argc ? argv[optind] : NULL);
}

static const struct command_option options[] = {
    {'c', "cpu", "NAME",
     "the CPU, as --list names it, or by its CPUID: GenuineIntel-6-9E-A; without it this "
     "computer's"},
    {'l', "list", NULL, "list the CPUs"},
    {'e', "encode", "EVENTS", "show what is written to the CPU's registers to count these, as after events="},
    {'j', "json", NULL, "print events as records"},
    {'d', "database", "FILE", "the event database; without it the one that was built or installed"},
    {0},
};

const struct command command_events = {
    .name = "events",
    .summary = "show the events of any CPU, their codes and registers",
    .arguments = "[PATTERN]",
    .about = "Shows the events that a CPU can count, with code, unit mask, counters and description, as the "
             "kernel shows them with events=list; with a pattern those whose names and descriptions have its "
             "words, as events=find: does (l2+miss: both words).\n\n"
             "With --encode it shows which counters the kernel would use, in how many runs, and the values "
             "that it would write to the model-specific registers. The kernel's own drivers run for that, on "
             "simulated registers: nothing is written to this computer's.\n\n"
             "How many counters a named CPU has is what its CPUID says with both threads of a core in use.",
    .options = options,
    .statuses = "0 shown, 1 nothing has the pattern, 2 wrong usage, an unknown CPU or event, or a database "
                "that cannot be used, 4 this computer shows no counters, or the output cannot be written.",
    .run = run,
};
