#include "host/program.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* With the word that calls its benchmarks. */
static void say_made(const struct program_job *j, size_t size, const struct program_entry *entry,
                     size_t entries)
{
    printf("%s: %zu bytes, %u bits, bench=", j->to, size, j->bits);
    for (size_t i = 0; i < entries; i++) printf("%s%s", i ? "," : "", entry[i].name);
    putchar('\n');
}

static int write_module(const struct command *self, const struct program_job *j,
                        const struct program_image *image, const struct program_entry *entry, size_t entries)
{
    size_t size;
    uint8_t *module = module_of_program(image, entry, entries, j->bits, &size);
    FILE *to = module ? fopen(j->to, "wb") : NULL;
    bool good = to && fwrite(module, 1, size, to) == size;
    if (to && fclose(to) != 0) good = false;
    if (!good)
        command_failed(self, 0, "%s: %s", j->to, strerror(errno));
    else
        say_made(j, size, entry, entries);
    free(module);
    return good ? STATUS_GOOD : STATUS_IMPOSSIBLE;
}

/* The module's name without directory and ending: of bench=, unless --entry names one. */
static const char *name_of(const struct program_job *j, char *room, size_t size)
{
    const char *base = strrchr(j->to, '/');
    snprintf(room, size, "%s", base ? base + 1 : j->to);
    char *dot = strrchr(room, '.');
    if (dot) *dot = '\0';
    return room;
}

static bool is_name(const char *s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return *s && strchr(letters, *s) && s[strspn(s, others)] == '\0' && strlen(s) < MODULE_NAME_BYTES;
}

static int check_names(const struct command *self, const struct program_image *image,
                       const struct program_entry *entry, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_name(entry[i].name))
            return command_failed(
                self, STATUS_USAGE,
                "\"%s\" cannot be the name of a benchmark: a letter, then letters, digits or _, "
                "%d at most%s",
                entry[i].name, MODULE_NAME_BYTES - 1,
                image->interface ? ""
                                 : "; it comes from --entry NAME=FUNCTION, or from the module's file name, "
                                   "-o");
    return STATUS_GOOD;
}

int program_build(const struct command *self, struct program_job *j)
{
    char elf[PATH_MAX], name[256];
    struct program_image image = {.name = name_of(j, name, sizeof name)};
    struct program_entry entry[PROGRAM_ENTRIES];
    memcpy(entry, j->entry, sizeof entry);
    size_t entries = j->entries;
    if (snprintf(elf, sizeof elf, "%s.debug", j->to) >= (int)sizeof elf || strlen(name) >= MODULE_NAME_BYTES)
        return command_failed(self, STATUS_USAGE, "-o %s: a name that is too long", j->to);
    int status = program_link(self, j, elf);
    if (status == STATUS_GOOD) status = program_image(self, j, elf, &image, entry, &entries);
    for (size_t i = 0; i < entries; i++)
        if (!entry[i].name) entry[i].name = name;
    if (status == STATUS_GOOD) status = check_names(self, &image, entry, entries);
    if (status == STATUS_GOOD) status = program_signatures(self, elf, j->bits, entry, entries);
    if (status == STATUS_GOOD) status = write_module(self, j, &image, entry, entries);
    if (status != STATUS_GOOD) unlink(elf);
    free(image.bytes);
    free(image.relocation);
    free(image.symbol);
    free(image.labels);
    free(image.channels);
    return status;
}
