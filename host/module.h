/* Writes modules: files with code of the user's own for the kernel (include/anechoic/module.h). */
#pragma once
#include "host/snippets.h"

/* The module of these snippets, which are assembled for `bits` 32 or 64. At least one, each with a name of
 * its own. To memory that the caller frees, and its size; NULL: errno says why (EFBIG: 4 GiB and more). */
uint8_t *module_of_snippets(const struct snippets *s, unsigned bits, size_t *size);

struct program_symbol {
    char name[MODULE_NAME_BYTES]; /* of a longer one the beginning */
    uint32_t at, bytes;
};

/* A linked program (host/program.h): its image in one piece, and the functions that are measured. What may be
 * missing is 0 then (include/anechoic/module.h). */
struct program_image {
    const char *name;
    uint8_t build_id[sizeof((struct module_program *)0)->build_id];
    uint8_t *bytes; /* from address 0 on */
    uint32_t n, memory;
    uint32_t text, text_end;
    uint32_t *relocation; /* ascending */
    uint32_t relocations;
    struct program_symbol *symbol; /* ascending, each place once */
    uint32_t symbols;
    uint32_t regions;
    uint8_t *labels; /* strings, one behind the other */
    uint32_t label_bytes;
    uint32_t trace;
    uint8_t *channels; /* likewise */
    uint32_t channel_bytes;
    uint32_t start, enter, once, output;
    uint32_t interface; /* not 0: it has benchmarks with descriptors (kind 3); the entries are those of their
                           rows */
    uint32_t calls;
};
struct program_entry {
    const char *name;     /* of bench= */
    const char *function; /* NULL: it is a descriptor */
    uint32_t at;          /* the function, or the descriptor */
    uint64_t arg;
};

/* Likewise, of a program. */
uint8_t *module_of_program(const struct program_image *p, const struct program_entry *entry, size_t n,
                           unsigned bits, size_t *size);
