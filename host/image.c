/* anechoic image: a bootable stick with a menu of the user's own, by tools/mkiso.sh. */
#include "host/image.h"
#include "host/command.h"
#include "host/tree.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS_MAX (2 * (2 * IMAGE_ENTRIES + 5))
#define MKISO_WRONG   2 /* its exit status for what the user got wrong */

int image_script(const char *const *argv, const char *output)
{
    int status;
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        const int to = output ? open(output, O_WRONLY | O_TRUNC) : -1;
        if (to >= 0) dup2(to, STDOUT_FILENO);
        if (to >= 0) dup2(to, STDERR_FILENO);
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The arguments of tools/mkiso.sh, which has the same options. */
struct arguments {
    const char *at[ARGUMENTS_MAX + 1];
    size_t n;
};

static bool add(struct arguments *a, const char *option, const char *value)
{
    if (a->n + 3 > ARGUMENTS_MAX) return false;
    a->at[a->n++] = option;
    if (value) a->at[a->n++] = value;
    return true;
}

static bool built(char directory[PATH_MAX])
{
    if (!tree_built("i586/anechoic.elf", directory) || !tree_built("x86_64/anechoic.elf", directory))
        return false;
    for (int i = 0; i < 2; i++) *strrchr(directory, '/') = '\0';
    return true;
}

int image_make(const struct command *c, const char *const *option, size_t n, const char *output)
{
    static char script[PATH_MAX], build[PATH_MAX];
    char caller[64];
    struct arguments a = {.n = 1};
    if (!tree_source("tools/mkiso.sh", script))
        return command_failed(
            c, STATUS_IMPOSSIBLE,
            "tools/mkiso.sh, which makes images, is neither in the source tree nor installed");
    if (!built(build)) return command_failed(c, STATUS_IMPOSSIBLE, "there are no kernels; make builds them");
    a.at[0] = script;
    for (size_t i = 0; i < n; i++)
        if (!add(&a, option[i], NULL)) return command_misused(c, "more than %d modules", IMAGE_ENTRIES);
    if (!add(&a, "--build", build) || !add(&a, output, NULL))
        return command_misused(c, "more than %d modules", IMAGE_ENTRIES);
    snprintf(caller, sizeof caller, "anechoic %s", c->name);
    setenv("MKISO_FOR", caller, 1);
    const int status = image_script(a.at, NULL);
    unsetenv("MKISO_FOR");
    return status == 0 ? STATUS_GOOD : status == MKISO_WRONG ? STATUS_USAGE : STATUS_IMPOSSIBLE;
}

static const struct command_option options[] = {
    {'o', "output", "FILE", "the image, for a stick or a CD"},
    {'e', "entry", "NAME=WORDS", "an entry of the menu, and the kernel's words for it; may be repeated"},
    {'m', "module", "FILE", "a file that the kernel gets as well, in every entry; may be repeated"},
    {'d', "default", "N", "the entry that is booted without a choice, from 1; without this the first"},
    {'t', "timeout", "S", "after S seconds (without this 5); 0: at once, with one entry; -1: never"},
    {'v', "verify", NULL, "boot each entry once, in QEMU, by the image's menu"},
    {0},
};

static int run(const struct command *self, int argc, char **argv)
{
    static struct arguments a;
    struct image image = {0};
    bool verify = false;
    for (int id; (id = command_option(self, argc, argv)) != -1;) {
        const struct command_option *o = options;
        while (o->id != id) o++;
        if (id == 'o') image.output = optarg;
        if (id == 't') image.timeout = optarg;
        verify |= id == 'v';
        if (id == 'e' && image.entries == IMAGE_ENTRIES)
            return command_misused(self, "more than %d entries", IMAGE_ENTRIES);
        if (id == 'e') image.entry[image.entries++] = optarg;
        if (id == 'o' || id == 'v') continue;
        static char names[8][16];
        char *name = names[o - options];
        snprintf(name, sizeof names[0], "--%s", o->name);
        if (!add(&a, name, optarg)) return command_misused(self, "more than %d modules", IMAGE_ENTRIES);
    }
    if (optind < argc)
        return command_misused(self, "it takes no argument, as \"%s\"; an entry is --entry NAME=WORDS",
                               argv[optind]);
    if (!image.output) return command_misused(self, "-o with the image's name is missing, as in -o usb.img");
    if (!*image.output || *image.output == '-')
        return command_misused(self, "-o \"%s\": an image needs the name of a file", image.output);
    if (!image.entries)
        return command_misused(self,
                               "no --entry: \"make iso\" makes the image with the menu of all benchmarks");
    const int status = image_make(self, a.at, a.n, image.output);
    if (status != STATUS_GOOD) return status;
    printf("%s: %zu entr%s; sudo dd if=%s of=/dev/sdX bs=4M conv=fsync writes it to the stick sdX\n",
           image.output, image.entries, image.entries == 1 ? "y" : "ies", image.output);
    return verify ? image_verify(&image) : STATUS_GOOD;
}

const struct command command_image = {
    .name = "image",
    .summary = "make a bootable stick with a menu of your own",
    .arguments = "",
    .about = "Makes an image for a USB stick or a CD, for BIOS and UEFI, with both kernels, the event "
             "database, and a menu of your own entries: --entry \"Cache misses=bench=l1_miss reps=50\". The "
             "first = ends the name.\n\n"
             "With --verify each entry is chosen once in the image's menu, in QEMU. It passes if the kernel "
             "starts and takes the entry's words. QEMU has no performance counters: events that the kernel "
             "refuses there are no fault.",
    .options = options,
    .statuses = "0 made (and each entry boots), 1 an entry does not boot or refuses its words, 2 wrong "
                "usage, 4 the image cannot be made or booted here.",
    .run = run,
};
