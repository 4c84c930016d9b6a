/* Writes modules: files with code of the user's own for the kernel (include/anechoic/module.h). */
#pragma once
#include "host/snippets.h"

/* The module of these snippets, which are assembled for `bits` 32 or 64. At least one, each with a name of
 * its own. To memory that the caller frees, and its size; NULL: errno says why (EFBIG: 4 GiB and more). */
uint8_t *module_of_snippets(const struct snippets *s, unsigned bits, size_t *size);

/* A linked program (host/program.h): its image in one piece, and the functions that are measured. */
struct program_image {
    uint8_t *bytes; /* from address 0 on */
    uint32_t n, memory;
    uint32_t text, text_end;
    uint32_t *relocation; /* ascending */
    uint32_t relocations;
};
struct program_entry {
    const char *name;
    uint32_t at;
    uint64_t arg;
};

/* Likewise, of a program. */
uint8_t *module_of_program(const struct program_image *p, const struct program_entry *entry, size_t n,
                           unsigned bits, size_t *size);
