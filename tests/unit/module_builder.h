/* Makes modules in memory, for tests: each part of a snippet is given as bytes. */
#pragma once
#include "include/anechoic/module.h"
#include <stddef.h>
#include <stdint.h>

struct built_part {
    const void *bytes;
    uint32_t n;
};

struct built_snippet {
    const char *name;
    struct built_part part[SNIPPET_PARTS];
};

/* A module of n snippets for code of `bits` bits, into at[0..cap), which is aligned to 4. Its size is
 * returned. */
size_t module_build(uint8_t *at, size_t cap, uint32_t bits, const struct built_snippet *snippet, uint32_t n);

/* A program: n bytes of image, all of them code, and its relocations; memory is twice the image. */
struct built_program {
    const void *image;
    uint32_t n;
    const uint32_t *relocation;
    uint32_t relocations;
    const struct module_symbol *symbol; /* names are left out: f0, f1, ... */
    uint32_t symbols;
    const char *labels;         /* strings, one behind the other, up to an empty one; NULL: none */
    const char *channels;       /* likewise */
    struct module_program head; /* regions, trace, start, enter, once, output */
    uint32_t interface,
        calls; /* interface not 0: kind 3, whose entries are descriptors; all may be relocated */
};
struct built_benchmark {
    const char *name;
    uint32_t entry;
    uint64_t arg;
};

/* Likewise, of a program with n benchmarks. */
size_t module_build_program(uint8_t *at, size_t cap, uint32_t bits, const struct built_program *program,
                            const struct built_benchmark *benchmark, uint32_t n);

/* Put the CRC right, after a change behind it. */
void module_sum(uint8_t *at);
