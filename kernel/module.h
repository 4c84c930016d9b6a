/* The user's modules: files with code that the loader handed over (include/anechoic/module.h). Each is
 * verified as a whole before anything in it is used; those that are open stay where the loader put them. */
#pragma once
#include "include/anechoic/module.h"
#include "kernel/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODULE_BITS       (sizeof(void *) == 8 ? 64u : 32u) /* what this kernel executes */
#define MODULES           16                                /* open at the same time */
#define MODULE_BENCHMARKS 64                                /* in all of them */
#define MODULE_ARG_MAX    (MODULE_BITS == 64 ? (uint64_t)INT64_MAX - 1 : (uint64_t)UINT32_MAX) /* of arg= */

struct module_bytes {
    const uint8_t *at;
    uint32_t n;
};

/* Verify the file of `size` bytes, and open it beside those that are. scratch: memory for the verification, 8
 * to 16 bytes for each snippet, or benchmark, of all modules. False: why says what is wrong with it, in words
 * that follow its name; nothing of it is used. */
bool module_open(const void *file, size_t size, struct arena scratch, char *why, size_t cap);

/* Asked for names that a module's benchmarks may not have, such as those of the kernel's own. NULL: nobody.
 */
void module_names_taken(bool (*taken)(const char *name));

/* Close the one that was opened last again, as one that is refused. */
void module_retract(void);

/* Likewise, as one that has served its time. */
void module_unload(void);

/* How many were not opened. */
unsigned modules_refused(void);

/* The last one that was refused does not count: another one may come in its place. */
void module_forgive(void);

/* Close all of them, as at the beginning. */
void modules_close(void);

/* The snippets of all modules, in their order, and the i-th of them. */
unsigned module_snippets(void);
const struct module_snippet *module_snippet(unsigned i);

/* Of a snippet of an open module. */
const char *module_snippet_name(const struct module_snippet *s);
struct module_bytes module_snippet_part(const struct module_snippet *s, enum snippet_part part);

/* The benchmarks of all programs, in their order, and the i-th of them. */
unsigned module_benchmarks(void);
const struct module_benchmark *module_benchmark(unsigned i);

/* Likewise of those with descriptors. */
unsigned module_descriptors(void);
const struct module_benchmark *module_descriptor(unsigned i);

/* Of a benchmark of an open module, of either kind. */
const char *module_benchmark_name(const struct module_benchmark *b);
const struct module_program *module_program(const struct module_benchmark *b);

/* What the program is called, and the i-th label of its regions; NULL: there are no more. */
const char *module_program_name(const struct module_benchmark *b);
const char *module_label(const struct module_benchmark *b, unsigned i);
const char *module_channel(const struct module_benchmark *b, unsigned i); /* likewise, of a trace */

/* The function that has this place of the image. False: none has. */
struct module_function {
    const char *name;
    uint32_t at, bytes;
};
bool module_function(const struct module_benchmark *b, uint32_t at, struct module_function *out);
/* The place of the function of this name. False: there is none. */
bool module_function_named(const struct module_benchmark *b, const char *name, size_t len, uint32_t *at);

/* Of one with a descriptor: where the kernel's functions belong in its image; 0: it calls none. */
uint32_t module_calls(const struct module_benchmark *b);

/* A new copy of its program, relocated, at a multiple of a page. NULL: the arena is full. */
uint8_t *module_load(const struct module_benchmark *b, struct arena *arena);
