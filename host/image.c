/* anechoic image and pxe: a bootable stick, or a tree for a TFTP server, with a menu of the user's own, by
 * scripts. */
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
#define SCRIPT_WRONG  2 /* the scripts' exit status for what the user got wrong */

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

/* The arguments of the script, which has the same options. */
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

int image_make(const struct command *c, const char *maker, const char *const *option, size_t n,
               const char *output)
{
    static char script[PATH_MAX], build[PATH_MAX];
    char caller[64];
    struct arguments a = {.n = 1};
    if (!tree_source(maker, script))
        return command_failed(c, STATUS_IMPOSSIBLE, "%s is neither in the source tree nor installed", maker);
    if (!built(build)) return command_failed(c, STATUS_IMPOSSIBLE, "there are no kernels; make builds them");
    a.at[0] = script;
    for (size_t i = 0; i < n; i++)
        if (!add(&a, option[i], NULL))
            return command_misused(c, "more than %d modules or machines", IMAGE_ENTRIES);
    if (!add(&a, "--build", build) || !add(&a, output, NULL))
        return command_misused(c, "more than %d modules or machines", IMAGE_ENTRIES);
    snprintf(caller, sizeof caller, "anechoic %s", c->name);
    setenv("MKISO_FOR", caller, 1);
    const int status = image_script(a.at, NULL);
    unsetenv("MKISO_FOR");
    return status == 0 ? STATUS_GOOD : status == SCRIPT_WRONG ? STATUS_USAGE : STATUS_IMPOSSIBLE;
}

/* ---- the commands ---- */

/* Options that both have. */
#define ENTRY                                                                                              \
    {                                                                                                      \
        'e', "entry", "NAME=WORDS", "an entry of the menu, and the kernel's words for it; may be repeated" \
    }
#define MODULE                                                                                        \
    {                                                                                                 \
        'm', "module", "FILE", "a file that the kernel gets as well, in every entry; may be repeated" \
    }
#define DEFAULT                                                                                          \
    {                                                                                                    \
        'd', "default", "N", "the entry that is booted without a choice, from 1; without this the first" \
    }
#define TIMEOUT                                                                                        \
    {                                                                                                  \
        't', "timeout", "S", "after S seconds (without this 5); 0: at once, with one entry; -1: never" \
    }
#define VERIFY                                                            \
    {                                                                     \
        'v', "verify", NULL, "boot each entry once, in QEMU, by the menu" \
    }

/* Reads the options: those of the script go to `a`. To a status. */
static int read_options(const struct command *self, int argc, char **argv, struct image *image,
                        struct arguments *a)
{
    for (int id; (id = command_option(self, argc, argv)) != -1;) {
        const struct command_option *o = self->options;
        while (o->id != id) o++;
        if (id == 'o') image->output = optarg;
        if (id == 't') image->timeout = optarg;
        image->verify |= id == 'v';
        if (id == 'e' && image->entries == IMAGE_ENTRIES)
            return command_misused(self, "more than %d entries", IMAGE_ENTRIES);
        if (id == 'e') image->entry[image->entries++] = optarg;
        image->floppy |= id == 'f';
        image->sign |= id == 'k' || id == 'c' || id == 's';
        if (id == 'o' || id == 'v' || id == 'f') continue;
        static char names[16][16];
        char *name = names[o - self->options];
        snprintf(name, sizeof names[0], "--%s", o->name);
        if (!add(a, name, optarg))
            return command_misused(self, "more than %d modules or machines", IMAGE_ENTRIES);
    }
    return STATUS_GOOD;
}

static const struct command_option image_options[] = {
    {'o', "output", "FILE", "the image, for a stick or a CD"},
    {'f', "floppy", NULL, "a floppy of 1.44 MB instead, with the i586 kernel, for a BIOS"},
    {'k', "key", "FILE", "sign the image with this private key, for UEFI with Secure Boot; and"},
    {'c', "cert", "FILE", "its certificate, which is in the firmware's db (both PEM)"},
    {'s', "shim", NULL,
     "with them: for a PC with the keys that it was shipped with, by way of Debian's shim"},
    ENTRY,
    MODULE,
    DEFAULT,
    TIMEOUT,
    VERIFY,
    {0},
};

static int image(const struct command *self, int argc, char **argv)
{
    static struct arguments a;
    struct image image = {.boot_by = "--image"};
    int status = read_options(self, argc, argv, &image, &a);
    if (status != STATUS_GOOD) return status;
    if (optind < argc)
        return command_misused(self, "it takes no argument, as \"%s\"; an entry is --entry NAME=WORDS",
                               argv[optind]);
    if (!image.output) return command_misused(self, "-o with the image's name is missing, as in -o usb.img");
    if (!*image.output || *image.output == '-')
        return command_misused(self, "-o \"%s\": an image needs the name of a file", image.output);
    if (!image.entries)
        return command_misused(self,
                               "no --entry: \"make iso\" makes the image with the menu of all benchmarks");
    if (image.floppy && image.sign)
        return command_misused(self, "--floppy is for a BIOS, and --key for UEFI; choose one");
    status = image_make(self,
                        image.floppy ? "tools/mkfloppy.sh"
                        : image.sign ? "tools/mksigned.sh"
                                     : "tools/mkiso.sh",
                        a.at, a.n, image.output);
    if (status != STATUS_GOOD) return status;
    printf(image.floppy
               ? "%s: %zu entr%s; sudo dd if=%s of=/dev/fd0 conv=fsync writes it to the floppy\n"
               : "%s: %zu entr%s; sudo dd if=%s of=/dev/sdX bs=4M conv=fsync writes it to the stick sdX\n",
           image.output, image.entries, image.entries == 1 ? "y" : "ies", image.output);
    return image.verify ? image_verify(self, &image) : STATUS_GOOD;
}

const struct command command_image = {
    .name = "image",
    .summary = "make a bootable stick with a menu of your own",
    .arguments = "",
    .about =
        "Makes an image for a USB stick or a CD, for BIOS and UEFI, with both kernels, the event "
        "database, and a menu of your own entries: --entry \"Cache misses=bench=l1_miss reps=50\". The "
        "first = ends the name.\n\n"
        "With --floppy it is a floppy, for machines that boot from neither: GRUB, the i586 kernel and "
        "the event "
        "database. The x86_64 kernel is left out; such a machine has no use for it. Files that do not "
        "fit are "
        "an error.\n\n"
        "With --key and --cert the image is for UEFI with Secure Boot and keys of your own, see "
        "docs/secure-boot.md: what is booted is one signed program, and its menu cannot be edited. --verify "
        "boots it with Secure Boot off.\n\n"
        "With --verify each entry is chosen once in the image's menu, in QEMU. It passes if the kernel "
        "starts and takes the entry's words. QEMU has no performance counters: events that the kernel "
        "refuses there are no fault.",
    .options = image_options,
    .statuses = "0 made (and each entry boots), 1 an entry does not boot or refuses its words, 2 wrong "
                "usage, 4 the image cannot be made or booted here.",
    .run = image,
};

static const struct command_option pxe_options[] = {
    ENTRY,
    {'a', "mac", "MAC=WORDS",
     "the machine whose network card has this address gets these words at once; may be repeated"},
    MODULE,
    DEFAULT,
    TIMEOUT,
    VERIFY,
    {0},
};

static int pxe(const struct command *self, int argc, char **argv)
{
    static struct arguments a;
    struct image tree = {.boot_by = "--pxe"};
    int status = read_options(self, argc, argv, &tree, &a);
    if (status != STATUS_GOOD) return status;
    if (optind == argc) return command_misused(self, "the directory is missing, which the TFTP server shows");
    if (optind + 1 < argc)
        return command_misused(self, "one directory at a time, not both %s and %s", argv[optind],
                               argv[optind + 1]);
    tree.output = argv[optind];
    if (!*tree.output || *tree.output == '-')
        return command_misused(self, "\"%s\" is no name of a directory", tree.output);
    if (tree.verify && !tree.entries)
        return command_misused(self, "--verify boots the menu's entries, and there is no --entry");
    status = image_make(self, "tools/mkpxe.sh", a.at, a.n, tree.output);
    if (status != STATUS_GOOD) return status;
    printf("%s: load boot/grub/i386-pc/core.0 (BIOS), boot/grub/x86_64-efi/core.efi (UEFI), "
           "boot/grub/i386-efi/core.efi (UEFI, 32 bits) or anechoic.ipxe (iPXE)\n",
           tree.output);
    return tree.verify ? image_verify(self, &tree) : STATUS_GOOD;
}

const struct command command_pxe = {
    .name = "pxe",
    .summary = "make a tree for a TFTP server, to boot over the network",
    .arguments = "DIR",
    .about =
        "Makes a tree that a TFTP server shows as its root, for BIOS and UEFI, with both kernels, the event "
        "database, GRUB and a script for iPXE. The menu has your own entries, as with \"anechoic image\", or "
        "else a few of the benchmarks. DIR is made, or is empty, or is a tree of this command's, which is "
        "replaced.\n\n"
        "A machine can have words of its own, which are booted without a menu: --mac "
        "\"52:54:00:12:34:56=bench=all\". They are in the files machines.grub and machines.ipxe, which may "
        "be "
        "edited: each boot reads them. docs/network-boot.md has what the DHCP server is told.\n\n"
        "With --verify each entry is chosen once in the menu, in QEMU, which loads it over the network from "
        "its own TFTP server.",
    .options = pxe_options,
    .statuses = "0 made (and each entry boots), 1 an entry does not boot or refuses its words, 2 wrong "
                "usage, 4 the tree cannot be made or booted here.",
    .run = pxe,
};
