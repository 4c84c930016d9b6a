/* Verification of a descriptor that a module of the user's own has brought (include/anechoic/module.h, kind
 * 3). */
#pragma once
#include "bench/bench.h"

/* The image that it lies in, where it was loaded to. */
struct descriptor_image {
    const uint8_t *at;
    uint32_t bytes;
    uint32_t text, text_end; /* its machine code: from the image's beginning */
};

/* Is it one that can be measured: strings in the image, functions in its code, parameters within bounds?
 * Copies it to *bench, with its parameters in param[BENCH_PARAMS], so that the code cannot change them. name:
 * what the module's table calls it. at: where it is in the image, aligned to a word. False: why says what is
 * wrong, in words that follow the module's name. */
bool descriptor_verify(const struct descriptor_image *image, uint32_t at, const char *name,
                       struct bench *bench, struct bench_param *param, char *why, size_t cap);
