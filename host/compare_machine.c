/* On what the two sides ran: what is different is said, and what makes every number incomparable is refused.
 */
#include "host/compare.h"
#include "host/values.h"
#include "report/schema.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EMULATORS  "qemu-tcg|bochs"
#define QEMU_TCG   "TCGTCGTCGTCG" /* as CPUID names it */
#define FACT_MAX   400
#define VALUES_MAX 160

/* ---- facts ---- */

enum about { MACHINE, PROGRAM };

static const struct fact {
    const char *type, *part, *key; /* of the record, and of a part in it */
    const char *name;              /* for people */
    enum about about;
    double tolerance; /* of a number that each boot measures anew: what is this near is the same; 0: exact */
} facts[] = {
    {"boot", NULL, "platform", "platform", MACHINE, 0},
    {"boot", NULL, "modelled", "modelled CPU", MACHINE, 0},
    {"boot", NULL, "platform_detail", "hypervisor", MACHINE, 0},
    {"boot", NULL, "acpi_oem", "ACPI's OEM", MACHINE, 0},
    {"cpu", NULL, "vendor", "vendor", MACHINE, 0},
    {"cpu", NULL, "brand", "brand", MACHINE, 0},
    {"cpu", NULL, "family", "family", MACHINE, 0},
    {"cpu", NULL, "model", "model", MACHINE, 0},
    {"cpu", NULL, "stepping", "stepping", MACHINE, 0},
    {"cpu", "pmu", "model", "counters", MACHINE, 0},
    {"cpu", NULL, "tsc_hz", "TSC rate in Hz", MACHINE, 0.01},
    {"cpu", NULL, "turbo", "turbo", MACHINE, 0},
    {"cpu", NULL, "prefetch", "prefetchers", MACHINE, 0},
    {"boot", NULL, "version", "version", PROGRAM, 0},
    {"boot", NULL, "flavour", "kernel", PROGRAM, 0},
};
#define FACTS (sizeof facts / sizeof *facts)

static void fact_text(char *s, size_t cap, const json_t *v)
{
    if (!v || json_is_null(v))
        snprintf(s, cap, "none");
    else if (json_is_string(v))
        snprintf(s, cap, "%s", *json_string_value(v) ? json_string_value(v) : "none");
    else
        snprintf(s, cap, "%.15g", json_number_value(v));
}

/* The text of a value that was seen before, on either side, and is the same within the tolerance. */
static void as_seen(const struct comparison *c, const struct fact *f, char *s, size_t cap)
{
    const char *key;
    json_t *v;
    for (int side = OLD; side < SIDES; side++)
        json_object_foreach(json_object_get(c->facts[side], f->name), key, v)
        {
            const double known = strtod(key, NULL);
            if (fabs(strtod(s, NULL) - known) <= f->tolerance * known) snprintf(s, cap, "%s", key);
        }
}

/* Of the record of a boot: also below Linux, whose process it is then. */
static bool is_emulator(const json_t *boot, const char *platform)
{
    return *text_of(boot, "modelled") || schema_has_value(EMULATORS, platform) ||
           strcmp(text_of(boot, "platform_detail"), QEMU_TCG) == 0;
}

/* A Linux process has no firmware's tables, and does not know what only CPL 0 may read. */
static bool nobody_knows(const struct comparison *c, enum side side, const json_t *value)
{
    return c->hosted[side] &&
           (!value || (json_is_string(value) && strcmp(json_string_value(value), "unknown") == 0));
}

void comparison_machine(struct comparison *c, enum side side, const json_t *record, const char *type)
{
    const char *platform = json_string_value(json_object_get(record, "platform"));
    if (strcmp(type, "boot") != 0 && strcmp(type, "cpu") != 0) return;
    if (platform) *(is_emulator(record, platform) ? &c->emulator[side] : &c->hardware[side]) = true;
    if (platform) *(strcmp(platform, "linux") == 0 ? &c->hosted[side] : &c->booted[side]) = true;
    if (json_integer_value(json_object_get(record, "cpu")) != 0) return; /* the first stands for all */
    for (const struct fact *f = facts; f < facts + FACTS; f++) {
        char text[FACT_MAX];
        if (strcmp(f->type, type) != 0) continue;
        if (f->tolerance > 0 && c->emulator[side]) continue; /* an emulator's time comes and goes */
        const json_t *part = f->part ? json_object_get(record, f->part) : record;
        const json_t *value = json_object_get(part, f->key);
        if (nobody_knows(c, side, value)) continue;
        fact_text(text, sizeof text, value);
        if (f->tolerance > 0) as_seen(c, f, text, sizeof text);
        json_t *values = json_object_get(c->facts[side], f->name);
        if (!values) {
            values = json_object();
            c->no_memory |= json_object_set_new(c->facts[side], f->name, values) != 0;
        }
        c->no_memory |= json_object_set_new(values, text, json_true()) != 0;
    }
}

/* ---- differences ---- */

static void values_text(char *s, size_t cap, json_t *values)
{
    size_t n = 0;
    const char *key;
    json_t *v;
    *s = '\0';
    json_object_foreach(values, key, v)
    {
        if (n < cap) n += (size_t)snprintf(s + n, cap - n, "%s%s", n ? ", " : "", key);
    }
    if (n >= cap) strcpy(s + cap - 4, "...");
}

void comparison_differences(const struct comparison *c, void (*say)(void *ctx, const char *sentence),
                            void *ctx)
{
    static const char *const word[] = {[MACHINE] = "different machines", [PROGRAM] = "different programs"};
    char sentence[2 * VALUES_MAX + 128], old[VALUES_MAX], new[VALUES_MAX];
    for (const struct fact *f = facts; f < facts + FACTS; f++) {
        json_t *values[SIDES];
        for (int side = OLD; side < SIDES; side++) {
            values[side] = json_object_get(c->facts[side], f->name);
            if (json_object_size(values[side]) < 2) continue;
            values_text(old, sizeof old, values[side]);
            snprintf(sentence, sizeof sentence, "%s within %s: %s: %s", word[f->about], side_name[side],
                     f->name, old);
            say(ctx, sentence);
        }
        if (!values[OLD] || !values[NEW] || json_equal(values[OLD], values[NEW])) continue;
        values_text(old, sizeof old, values[OLD]);
        values_text(new, sizeof new, values[NEW]);
        snprintf(sentence, sizeof sentence, "%s: %s: %s, now %s", word[f->about], f->name, old, new);
        say(ctx, sentence);
    }
    for (int side = OLD; side < SIDES; side++) {
        const int other = OLD + NEW - side;
        if (!c->hosted[side] || c->booted[side] || !c->booted[other] || c->hosted[other]) continue;
        snprintf(sentence, sizeof sentence,
                 "%s ran as a Linux process and %s was booted: a difference may be what Linux costs",
                 side_name[side], side_name[other]);
        say(ctx, sentence);
    }
    for (int side = OLD; side < SIDES; side++) {
        if (json_object_size(c->facts[side]) > 0) continue;
        snprintf(sentence, sizeof sentence, "%s does not say on what it ran: its first records are missing",
                 side_name[side]);
        say(ctx, sentence);
    }
}

const char *comparison_refused(const struct comparison *c)
{
    for (int side = OLD; side < SIDES; side++)
        if (c->emulator[side] && c->hardware[side])
            return side == OLD ? "OLD has boots of a model or an emulator and of a processor"
                               : "NEW has boots of a model or an emulator and of a processor";
    if ((c->emulator[OLD] && c->hardware[NEW]) || (c->hardware[OLD] && c->emulator[NEW]))
        return "one side was modelled or emulated, the other ran on a processor: their numbers say nothing "
               "about "
               "each other";
    return NULL;
}
