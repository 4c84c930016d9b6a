/* An image with one descriptor, as gcc and ld make it of a source with BENCHMARK(): for tests of modules of
 * kind 3. */
#pragma once
#include "bench/bench.h"
#include "tests/unit/module_builder.h"

#define BUILT_TEXT 64 /* bytes of code, at its beginning */

struct built_image {
    uint8_t code[BUILT_TEXT];
    struct bench bench;
    struct bench_param param[2];
    const char *label[3];
    char text[256]; /* all strings */
};

/* Its pointers are offsets, which relocations make addresses. */
void built_descriptor(struct built_image *image);

/* Where these pointers are; how many. */
unsigned built_relocations(uint32_t *at);

/* A module with it, into at[0..cap). To its size. */
size_t built_module(uint8_t *at, size_t cap, const struct built_image *image);
