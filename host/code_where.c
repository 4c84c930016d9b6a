#include "host/code_where.h"
#include "host/prompt.h"
#include <stdio.h>
#include <string.h>

/* By what every CPU with counters has; more than these two do not fit the counters of a Pentium in one run.
 */
#define COUNTS "instructions,cycles"

static const struct place {
    const char *name; /* "image:": something follows */
    struct code_where is;
} places[] = {
    {"here", {.target = "here", .bits = 64, .only64 = true}},
    {"qemu", {.target = "qemu", .option = "--icount", .bits = 64}},
    {"kvm", {.target = "kvm", .events = COUNTS, .bits = 64}},
    {"bochs:", {.events = COUNTS, .bits = 64}},
    {"image:", {.events = COUNTS, .bits = 64}},
    {PROMPT_PREFIX, {.events = COUNTS}},
};

/* The modelled CPUs, and the kernels that they boot: the default one first. */
static const struct model {
    const char *name, *kernels;
} models[] = {
#define MODEL(name, family, signature, kernels, ...) {#name, #kernels},
#include "sim/models.def"
#undef MODEL
};
#define MODELS (models + sizeof models / sizeof *models)

static const struct model *find_model(const char *name)
{
    for (const struct model *m = models; m < MODELS; m++)
        if (strcmp(m->name, name) == 0) return m;
    return NULL;
}

static bool refuse(const char *on, char *why, size_t size)
{
    int n = snprintf(
        why, size, "--on %s: there are here, qemu, kvm, image:FILE, tty:DEVICE, and bochs: with one of", on);
    for (const struct model *m = models; m < MODELS && n > 0 && (size_t)n < size; m++)
        n += snprintf(why + n, size - (size_t)n, "%s %s", m == models ? "" : ",", m->name);
    return false;
}

bool code_where(struct code_where *w, const char *on, char *why, size_t size)
{
    const struct place *p = places, *const end = places + sizeof places / sizeof *places;
    const char *colon = strchr(on, ':');
    const size_t len = colon ? (size_t)(colon - on) + 1 : strlen(on);
    while (p < end && (strlen(p->name) != len || memcmp(p->name, on, len) != 0)) p++;
    if (p == end || (colon && !colon[1])) return refuse(on, why, size);
    *w = p->is;
    if (!colon) return true;
    if (strcmp(p->name, "image:") == 0) {
        w->image = colon + 1;
        return true;
    }
    if (strcmp(p->name, PROMPT_PREFIX) == 0) {
        w->tty = colon + 1;
        return true;
    }
    const struct model *m = find_model(colon + 1);
    if (!m) return refuse(on, why, size);
    w->target = on;
    w->only32 = !strstr(m->kernels, "x86_64");
    if (strncmp(m->kernels, "i586", 4) == 0) w->bits = 32;
    return true;
}
