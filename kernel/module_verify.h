/* Verification of a module (include/anechoic/module.h): nothing in a file is believed before. */
#pragma once
#include "kernel/module.h"

/* Is the file of `size` bytes, at most, a module that this kernel can use? False: why says what is wrong. Its
 * names are compared with each other only. */
bool module_verify(const void *file, size_t size, char *why, size_t cap);

/* Writes why, and returns false. */
bool module_refuse(char *why, size_t cap, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* What rows of a module's table are called: "snippet". */
const char *module_row(const struct module_header *h);

/* Of a verified module: the name of the i-th row. */
const char *module_row_name(const struct module_header *h, uint32_t i);

/* ---- the parts of the verification among themselves: each refuses by why, and returns false ---- */

/* The i-th row. */
const void *module_row_at(const struct module_header *h, uint32_t i);

/* Is there a name, a string of printable ASCII? what, i: whose. */
bool module_check_string(const struct module_header *h, uint32_t at, const char *what, uint32_t i, char *why,
                         size_t cap);

/* Are these bytes in the file, outside of the header? */
bool module_inside(const struct module_header *h, struct module_code c);

/* Of a program, and of one of its benchmarks. */
bool module_check_program(const struct module_header *h, char *why, size_t cap);
bool module_check_benchmark(const struct module_header *h, uint32_t i, char *why, size_t cap);

/* Likewise of kind 3. What a descriptor says can be read only when it is loaded (bench/descriptor_verify.h).
 */
bool module_check_descriptors(const struct module_header *h, char *why, size_t cap);
bool module_check_descriptor(const struct module_header *h, uint32_t i, char *why, size_t cap);
