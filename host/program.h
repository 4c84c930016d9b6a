/* A program of the user's, from sources to a module: gcc and ld make a position-independent ELF file, and
 * what a loader would do with it is reduced to an image and a list of words (host/program_image.c). */
#pragma once
#include "host/command.h"
#include "host/module.h"
#include "host/object.h"

#define PROGRAM_FILES   64
#define PROGRAM_OPTIONS 32
#define PROGRAM_ENTRIES 64 /* MODULE_BENCHMARKS of the kernel */

struct program_job {
    const char *file[PROGRAM_FILES]; /* .c, .s, .S, .o or .a */
    size_t files;
    const char *option[PROGRAM_OPTIONS]; /* of the compiler's, after those that it needs */
    size_t options;
    struct program_entry entry[PROGRAM_ENTRIES]; /* name NULL: the module's */
    size_t entries;
    bool asked;     /* the user has named entries or their arguments */
    const char *to; /* the module */
    unsigned bits;
    uint64_t heap; /* bytes for malloc() */
};

/* Makes the module. To the exit status; what is wrong has been said, by gcc and ld themselves where it is
 * theirs. */
int program_build(const struct command *self, struct program_job *j);

/* Compiles and links j's files into `elf`. Likewise. */
int program_link(const struct command *self, const struct program_job *j, const char *elf);

/* The image of a linked file, and where its entries are; where it has BENCHMARK()s they are the entries
 * instead of j's. Freed by the caller, also after a fault. Likewise. */
int program_image(const struct command *self, const struct program_job *j, const char *elf,
                  struct program_image *image, struct program_entry *entry, size_t *entries);

/* The BENCHMARK()s of an image (bench/bench.h), whose table is these bytes of it: entries, and the image's
 * interface. False: what is wrong has been said. */
bool program_descriptors(const struct command *self, struct program_image *image, uint64_t table,
                         uint64_t bytes, unsigned bits, struct program_entry *entry, size_t *entries);

/* Refuses functions that cannot be called as void f(long n), by the linked file's debug information. For a
 * function without any it prints that nothing was checked. Returns STATUS_GOOD or a status whose error was
 * printed. */
int program_signatures(const struct command *self, const char *elf, unsigned bits,
                       const struct program_entry *entry, size_t entries);

/* Adds to an image what the file's symbols and its build ID say. False: no memory. */
bool program_symbols(const struct object *o, struct program_image *image);
