/* A stick, or a tree for the network, with the user's own menu, and what becomes of its entries when they are
 * booted. */
#pragma once
#include "host/command.h"
#include <stdbool.h>
#include <stddef.h>

#define IMAGE_ENTRIES 100

/* What the user asked for. */
struct image {
    const char *output;
    const char *boot_by;              /* run-qemu.sh's option that boots it, such as "--image" */
    const char *entry[IMAGE_ENTRIES]; /* "NAME=WORDS" */
    size_t entries;
    const char *timeout; /* of the menu, as the user wrote it; NULL: the usual one */
    bool verify, floppy, sign;
};

/* For command `c`: boots each entry of the image once, in QEMU, by its menu. Prints a line for each. To the
 * command's status: STATUS_FOUND where one does not boot, or refuses its words. */
int image_verify(const struct command *c, const struct image *image);

/* Runs a script and waits for it. What it prints goes to the file `output`; NULL: to where this program's
 * goes. To its exit status; -1: it could not be run, or was ended by a signal. */
int image_script(const char *const *argv, const char *output);

/* Makes an image by this script, such as "tools/mkiso.sh", with these options of its own, for a command. To
 * its status; what is wrong has been said. */
int image_make(const struct command *c, const char *maker, const char *const *option, size_t n,
               const char *output);
