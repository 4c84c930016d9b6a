#include "host/machine.h"
#include "host/values.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *platform, *where;
} platforms[] = {
    {"bochs", " (emulated by Bochs)"},
    {"qemu-tcg", " (emulated by QEMU)"},
    {"kvm", " (under KVM)"},
    {"hypervisor", " (under a hypervisor)"},
};

/* "  Intel(R)  Pentium(R)": CPUID pads brands with blanks. */
static void copy_words(char *to, size_t size, const char *from)
{
    size_t n = 0;
    for (; *from && n + 1 < size; from++)
        if (*from != ' ' || (n && to[n - 1] != ' ')) to[n++] = *from;
    while (n && to[n - 1] == ' ') n--;
    to[n] = '\0';
}

/* A model's brand is of what it imitates; its name is its own. */
static void processor(char *to, size_t size, const json_t *cpu, bool modelled)
{
    const char *model = text_of(json_object_get(cpu, "pmu"), "model");
    copy_words(to, size, modelled && *model ? model : text_of(cpu, "brand"));
    if (!*to) copy_words(to, size, model);
    if (*to) return;
    if (*text_of(cpu, "vendor") && number_of(cpu, "family") >= 0)
        snprintf(to, size, "%s family %.0f model %.0f", text_of(cpu, "vendor"), number_of(cpu, "family"),
                 number_of(cpu, "model"));
    else
        snprintf(to, size, "unknown processor");
}

char *machine_of(const json_t *boot, const json_t *cpu, bool modelled)
{
    const char *platform = text_of(boot, "platform"), *where = "";
    char name[200];
    processor(name, sizeof name, cpu, modelled);
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++)
        if (strcmp(platforms[i].platform, platform) == 0) where = platforms[i].where;
    if (modelled) where = " (modelled in Bochs)";
    const size_t size = strlen(name) + strlen(where) + 1;
    char *text = malloc(size);
    if (!text) abort();
    snprintf(text, size, "%s%s", name, where);
    return text;
}
