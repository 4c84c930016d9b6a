#include "host/machine.h"
#include "host/values.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "%s": the processor. A model's brand is what it imitates. */
static const struct {
    const char *platform, *text;
} platforms[] = {
    {"bochs", "model of a %s in Bochs"},
    {"qemu-tcg", "QEMU's emulated %s"},
    {"kvm", "%s under KVM"},
    {"hypervisor", "%s under a hypervisor"},
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

char *machine_of(const json_t *boot, const json_t *cpu)
{
    const char *platform = text_of(boot, "platform"), *before = "", *after = "";
    char name[200], begins[64];
    processor(name, sizeof name, cpu, strcmp(platform, "bochs") == 0);
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++)
        if (strcmp(platforms[i].platform, platform) == 0) {
            const size_t n = strcspn(platforms[i].text, "%");
            snprintf(begins, sizeof begins, "%.*s", (int)n, platforms[i].text);
            before = begins;
            after = platforms[i].text + n + 2;
        }
    const size_t size = strlen(before) + strlen(name) + strlen(after) + 1;
    char *text = malloc(size);
    if (!text) abort();
    snprintf(text, size, "%s%s%s", before, name, after);
    return text;
}
