#include "host/program.h"
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* As the kernel is compiled (Makefile), but position-independent. Interrupts come on the payload's own stack,
 * so that there is no red zone; and nothing is set up for stack protectors. */
static const char *const common[] = {"-O2",
                                     "-g",
                                     "-fPIE",
                                     "-fvisibility=hidden",
                                     "-ffreestanding",
                                     "-fno-stack-protector",
                                     "-fcf-protection=none",
                                     "-fno-asynchronous-unwind-tables",
                                     "-ffunction-sections",
                                     "-fdata-sections",
                                     NULL};
static const char *const of_32[] = {"-m32", "-march=i586", "-mno-sse", "-mno-mmx", "-mfpmath=387", NULL};
static const char *const of_64[] = {"-m64", "-mno-red-zone", NULL};

/* gcc links, too; only what is needed of the files stays. */
static const char *const linking[] = {
    "-nostdlib", "-static-pie",
    "-Wl,--entry=0,--no-dynamic-linker,--no-undefined,--gc-sections,--build-id=none",
    "-Wl,-z,text,-z,norelro,-z,noexecstack,-z,max-page-size=4096", NULL};

#define WORDS (PROGRAM_FILES + PROGRAM_OPTIONS + 2 * PROGRAM_ENTRIES + 48)
struct words {
    const char *at[WORDS + 1];
    size_t n;
};

static void add(struct words *w, const char *word) { w->at[w->n++] = word; }
static void add_all(struct words *w, const char *const *list)
{
    while (*list) add(w, *list++);
}

/* To its exit status; -1: errno says why it did not run. */
static int run(const struct words *w)
{
    pid_t child;
    int status;
    errno = posix_spawnp(&child, w->at[0], NULL, NULL, (char *const *)(const void *)w->at, environ);
    if (errno) return -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int link_all(const struct command *self, const struct program_job *j, const char *elf)
{
    char keep[PROGRAM_ENTRIES][sizeof "-Wl,--undefined=" + MODULE_NAME_BYTES];
    struct words w = {.n = 0};
    add(&w, "gcc");
    add_all(&w, common);
    add_all(&w, j->bits == 64 ? of_64 : of_32);
    for (size_t i = 0; i < j->options; i++) add(&w, j->option[i]);
    add_all(&w, linking);
    for (size_t i = 0; i < j->entries; i++) {
        snprintf(keep[i], sizeof keep[i], "-Wl,--undefined=%s", j->entry[i].name);
        add(&w, keep[i]);
    }
    add(&w, "-o");
    add(&w, elf);
    for (size_t i = 0; i < j->files; i++) add(&w, j->file[i]);
    if (j->bits == 64) add(&w, "-lgcc"); /* Debian's gcc alone has none for 32 bits */
    const int status = run(&w);
    if (status < 0) return command_failed(self, STATUS_IMPOSSIBLE, "gcc: %s", strerror(errno));
    return status ? command_failed(self, STATUS_USAGE, "gcc could not make the payload") : STATUS_GOOD;
}

static int write_module(const struct command *self, const struct program_job *j,
                        const struct program_image *image, const struct program_entry *entry)
{
    size_t size;
    uint8_t *module = module_of_program(image, entry, j->entries, j->bits, &size);
    FILE *to = module ? fopen(j->to, "wb") : NULL;
    bool good = to && fwrite(module, 1, size, to) == size;
    if (to && fclose(to) != 0) good = false;
    if (!good)
        command_failed(self, 0, "%s: %s", j->to, strerror(errno));
    else
        printf("%s: %zu bytes, %u bits, bench=%s%s\n", j->to, size, j->bits, entry[0].name,
               j->entries > 1 ? " and others" : "");
    free(module);
    return good ? STATUS_GOOD : STATUS_IMPOSSIBLE;
}

/* The module's name without directory and ending: of bench=. Where there are several functions each has its
 * own name. */
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

int program_build(const struct command *self, struct program_job *j)
{
    char elf[] = "/tmp/anechoic.XXXXXX", name[256];
    struct program_image image = {0};
    struct program_entry entry[PROGRAM_ENTRIES];
    memcpy(entry, j->entry, sizeof entry);
    if (j->entries == 1) entry[0].name = name_of(j, name, sizeof name);
    for (size_t i = 0; i < j->entries; i++)
        if (!is_name(entry[i].name))
            return command_failed(
                self, STATUS_USAGE,
                "\"%s\" cannot be the name of a benchmark: a letter, then letters, digits or _, "
                "%d at most%s",
                entry[i].name, MODULE_NAME_BYTES - 1,
                j->entries == 1 ? "; it comes from the module's file name, -o" : "");
    const int fd = mkstemp(elf);
    if (fd < 0) return command_failed(self, STATUS_IMPOSSIBLE, "%s: %s", elf, strerror(errno));
    close(fd);
    int status = link_all(self, j, elf);
    if (status == STATUS_GOOD) status = program_image(self, j, elf, &image, entry);
    if (status == STATUS_GOOD) status = write_module(self, j, &image, entry);
    free(image.bytes);
    free(image.relocation);
    unlink(elf);
    return status;
}
