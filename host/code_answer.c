#include "host/code_answer.h"
#include "host/code_place.h"
#include "host/escape.h"
#include "host/machine.h"
#include "host/to_record.h"
#include "host/values.h"
#include "report/schema.h"
#include "report/text.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRECISION  5e-7 /* what is smaller than this part of a value is not shown */
#define NAME_SHOWN 128

static const struct table_column columns[] = {
    {"variant", "snippet", TABLE_PEOPLE | TABLE_PROGRAMS, 0},
    {"params", "parameters", TABLE_PROGRAMS, 0},
    {"cpu", "cpu", TABLE_PROGRAMS, 0},
    {"ring", "ring", TABLE_PROGRAMS, 0},
    {"event", "event", TABLE_PEOPLE | TABLE_PROGRAMS, 0},
    {"value", "value", TABLE_PEOPLE | TABLE_PROGRAMS | TABLE_VALUE, 7},
    {"aggregate", "aggregate", TABLE_PROGRAMS, 0},
    {"unit", "unit", TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"core_cycles", "core cycles", TABLE_PEOPLE | TABLE_PROGRAMS | TABLE_VALUE, 7},
    {"reps", "repetitions", TABLE_PROGRAMS, 0},
    {"ops", "operations", TABLE_PROGRAMS, 0},
    {"min", "min", TABLE_PROGRAMS, 0},
    {"median", "median", TABLE_PROGRAMS, 0},
    {"mean", "mean", TABLE_PROGRAMS, 0},
    {"max", "max", TABLE_PROGRAMS, 0},
    {"ci95", "+/- 95 %", TABLE_PROGRAMS, 0},
    {"ci99", "+/- 99 %", TABLE_PROGRAMS, 0},
    {"raw_min", "raw minimum", TABLE_PROGRAMS, 0},
    {"overhead", "overhead", TABLE_PROGRAMS, 0},
    {"flags", "flags", TABLE_PEOPLE | TABLE_PROGRAMS | TABLE_VALUE, 0},
    {"message", "message", TABLE_PEOPLE | TABLE_PROGRAMS | TABLE_VALUE, 0},
    {0},
};

/* What nanoBench calls the events that it always counts. */
static const struct {
    const char *event, *called;
} known[] = {
    {"instructions", "Instructions retired"},
    {"cycles", "Core cycles"},
    {"ref-cycles", "Reference cycles"},
    {"tsc", "Time-stamp counter"},
};

/* ---- values ---- */

/* The integers have no error of the division by the number of operations, if all repetitions had the value.
 */
static double value_of(const struct answers *a, const json_t *o)
{
    const double value = number_of(o, a->aggregate), ops = a->total ? number_of(o, "ops") : 1;
    const double sum = number_of(o, "raw_min") - number_of(o, "overhead");
    if (a->total && number_of(o, "min") == number_of(o, "max") && isfinite(sum)) return sum;
    return value * ops;
}

/* Two digits after the point, as nanoBench has them; four where two are not all. */
static void value_text(char *s, size_t size, double v)
{
    if (fabs(v - round(v * 100) / 100) <= PRECISION * fabs(v))
        snprintf(s, size, "%.2f", v);
    else if (fabs(v) >= 0.001)
        snprintf(s, size, "%.4f", v);
    else
        snprintf(s, size, "%.3g", v);
}

/* " +/- 0.05", where the interval is not too small to be seen. */
static void interval_text(char *s, size_t size, const struct answers *a, const json_t *o, double scale)
{
    double half = scale * number_of(o, json_object_get(o, "ci99") ? "ci99" : "ci95");
    if (a->total) half *= number_of(o, "ops");
    *s = '\0';
    if (half >= 0.005) snprintf(s, size, " +/- %.2f", half);
}

/* Core cycles in a tick; 0: not known, or not the result of a clock. */
static double core_per(const json_t *o)
{
    const double ratio = number_of(o, "core_per_tsc");
    return ratio > 0 ? ratio : 0;
}

/* " (smi, wrapped)": all but where the number comes from, which is said at the end, and the errata of a model
 * that an older kernel ran on: its counts have none. */
static void flags_text(char *s, size_t size, const json_t *flags, bool modelled)
{
    const char *const skipped = modelled ? "hosted|emulated|modelled|virtualized|erratum|overcount|undercount"
                                         : "hosted|emulated|modelled|virtualized";
    size_t i, n = 0;
    const json_t *flag;
    *s = '\0';
    json_array_foreach(flags, i, flag)
    {
        const char *name = json_string_value(flag);
        if (!name || schema_has_value(skipped, name) || n >= size) continue;
        char shown[64];
        n += (size_t)snprintf(s + n, size - n, "%s%s", n ? ", " : " (",
                              escape_text(shown, sizeof shown, name));
    }
    if (n && n < size) snprintf(s + n, size - n, ")");
}

/* ---- one result ---- */

/* "imul rax, rbx, unroll 100": what differs from snippet to snippet, or from value to value of a range. */
static void heading_of(char *s, size_t size, const json_t *o)
{
    const char *sweep = text_of(o, "sweep");
    const json_t *value = json_object_get(json_object_get(o, "params"), sweep);
    char name[NAME_SHOWN], by[41];
    escape_text(name, sizeof name, text_of(o, "variant"));
    escape_text(by, sizeof by, sweep);
    if (json_is_integer(value))
        snprintf(s, size, "%s, %s %" JSON_INTEGER_FORMAT, name, by, json_integer_value(value));
    else
        snprintf(s, size, "%s", name);
}

static void head(struct answers *a, const json_t *o)
{
    char heading[sizeof a->heading];
    heading_of(heading, sizeof heading, o);
    if (a->answered && strcmp(heading, a->heading) == 0) return;
    strcpy(a->heading, heading);
    a->answered++;
    if (a->headings && a->format == TABLE_TEXT) printf("%s%s\n", a->printed ? "\n" : "", heading);
}

/* A line: what is called so, scale times. */
static void line(struct answers *a, const json_t *o, const char *called, double scale)
{
    char value[64], interval[64], flags[256];
    const double v = scale * value_of(a, o);
    value_text(value, sizeof value,
               scale == 1 ? v : round(v * 100) / 100); /* a ratio has three digits or four */
    interval_text(interval, sizeof interval, a, o, scale);
    flags_text(flags, sizeof flags, json_object_get(o, "flags"), flag_of(o, "modelled"));
    printf("%s%s: %s%s%s\n", a->headings ? "  " : "", called, value, interval, flags);
}

static void print(struct answers *a, const json_t *o)
{
    char event[128];
    a->printed = true;
    escape_text(event, sizeof event, text_of(o, "event"));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(event, known[i].event) == 0) escape_text(event, sizeof event, known[i].called);
    if (flag_of(o, "unmodelled")) {
        printf("%s%s: not modelled\n", a->headings ? "  " : "", event);
        return;
    }
    if (core_per(o)) line(a, o, "Core cycles", core_per(o));
    line(a, o, event, 1);
}

static void add_row(struct answers *a, const json_t *o, const char *message)
{
    char name[512];
    const bool unmodelled = flag_of(o, "unmodelled");
    snprintf(name, sizeof name, "%s %s", text_of(o, "variant"), text_of(o, "event"));
    table_row(&a->table,
              message      ? TABLE_NOT_OK
              : unmodelled ? TABLE_SKIP
                           : TABLE_OK,
              name, unmodelled ? "unmodelled" : NULL);
    for (const struct table_column *c = columns; c->key; c++) {
        json_t *v = json_object_get(o, c->key);
        if (v) table_json(&a->table, c->key, json_incref(v));
    }
    if (message || unmodelled) return;
    table_number(&a->table, "value", value_of(a, o));
    if (core_per(o)) table_number(&a->table, "core_cycles", core_per(o) * value_of(a, o));
    table_text(&a->table, "aggregate", a->aggregate);
}

/* ---- records ---- */

static void take_origin(struct answers *a, const json_t *o)
{
    a->modelled |= flag_of(o, "modelled");
    a->emulated |= flag_of(o, "emulated");
    a->virtualized |= flag_of(o, "virtualized");
    a->hosted |= flag_of(o, "hosted");
}

static void result(struct answers *a, const json_t *o)
{
    if (strcmp(text_of(o, "bench"), "code") != 0) return;
    take_origin(a, o);
    head(a, o);
    if (a->format == TABLE_TEXT)
        print(a, o);
    else
        add_row(a, o, NULL);
}

static void put(const char *line) { puts(line); }

/* steps= (records steps and step): the kernel's own tables, as text alone. Several are one answer. */
static void steps(struct answers *a, json_t *o)
{
    char heading[sizeof a->heading];
    heading_of(heading, sizeof heading, o);
    take_origin(a, o);
    if (!a->answered || strcmp(heading, a->heading) != 0) a->answered++;
    strcpy(a->heading, heading);
    if (a->format == TABLE_TEXT) {
        a->printed = true;
        text_render(to_record(o), put);
    } else if (!a->stepped) {
        a->failed++;
        fprintf(stderr,
                "anechoic %s: tables of steps= are text: leave --format out; their records are in the "
                "capture (-o FILE)\n",
                a->command);
    }
    a->stepped = true;
}

static void say(const struct answers *a, const char *kind, const json_t *o)
{
    char message[1024], name[NAME_SHOWN], valid[512], place[512];
    escape_text(name, sizeof name, text_of(o, "variant"));
    escape_text(message, sizeof message, text_of(o, "message"));
    escape_text(valid, sizeof valid, text_of(o, "valid"));
    fflush(stdout);
    const bool named = strstr(message, name) != NULL; /* "": too */
    const bool placed = code_place(a->snippets, o, place, sizeof place);
    fprintf(stderr, "anechoic %s: %s%s%s%s%s%s%s%s\n", a->command, kind, named ? "" : name, named ? "" : ": ",
            message, *valid ? "; valid: " : "", valid, placed ? "; " : "", placed ? place : "");
}

static void error(struct answers *a, const json_t *o)
{
    a->failed++;
    say(a, "", o);
    if (a->format != TABLE_TEXT) add_row(a, o, text_of(o, "message"));
}

/* Those that are about events or snippets; the machine's are in the capture. */
static void note(struct answers *a, const json_t *o)
{
    if (schema_has_value("events|memory|module|steps", text_of(o, "what"))) say(a, "note: ", o);
}

static void boot(struct answers *a, const json_t *o)
{
    const char *platform = text_of(o, "platform");
    a->modelled |= *text_of(o, "modelled") != '\0';
    a->emulated |= schema_has_value("qemu-tcg|bochs", platform);
    a->virtualized |= schema_has_value("kvm|hypervisor", platform);
    a->hosted |= strcmp(platform, "linux") == 0;
    json_decref(a->boot);
    json_decref(a->cpu); /* of a session before */
    a->cpu = NULL;
    a->boot = json_incref((json_t *)(uintptr_t)o);
}

static void cpu(struct answers *a, const json_t *o)
{
    if (!a->cpu) a->cpu = json_incref((json_t *)(uintptr_t)o);
}

void answers_begin(struct answers *a) { table_begin(&a->table, columns); }

void answers_record(struct answers *a, const struct received *r)
{
    static const struct {
        const char *type;
        void (*take)(struct answers *a, const json_t *o);
    } types[] = {{"result", result}, {"error", error}, {"note", note}, {"boot", boot}, {"cpu", cpu}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].type, r->type) == 0) types[i].take(a, r->object);
    if (strcmp(r->type, "steps") == 0 || strcmp(r->type, "step") == 0) steps(a, r->object);
}

/* ---- where the numbers come from ---- */

static void origin(const struct answers *a, char *s, size_t size)
{
    char *machine = machine_of(a->boot, a->cpu, a->modelled), name[200];
    escape_text(name, sizeof name, machine);
    free(machine);
    if (a->modelled)
        snprintf(s, size,
                 "Run on %s, not on a processor: counts are exact; cycles, time and latency need silicon.",
                 name);
    else if (a->emulated)
        snprintf(
            s, size,
            "Run on %s, not on a processor: time is the emulator's, and counts instructions with --icount; "
            "latency needs silicon.",
            name);
    else if (a->hosted)
        snprintf(s, size, "Measured on %s: what Linux%s in between is in the numbers (docs/here.md).", name,
                 a->virtualized ? " and its hypervisor do" : " does");
    else if (a->virtualized)
        snprintf(s, size, "Measured on %s: what the hypervisor does in between is in the numbers.", name);
    else
        snprintf(s, size, "Measured on %s.", name);
}

bool answers_end(struct answers *a)
{
    char text[400];
    bool good = true;
    if (a->stepped && a->format == TABLE_TEXT) text_finish(put);
    if (a->answered) {
        origin(a, text, sizeof text);
        if (a->format == TABLE_TEXT)
            printf("%s%s\n", a->headings ? "\n" : "", text);
        else
            table_note(&a->table, "%s", text);
    }
    if (a->format == TABLE_TEXT)
        good = fflush(stdout) == 0 && !ferror(stdout);
    else
        good = table_print(&a->table, a->format, stdout);
    table_end(&a->table);
    json_decref(a->boot);
    json_decref(a->cpu);
    return good;
}
