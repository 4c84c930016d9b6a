/* The user's modules: files with code that the loader handed over (include/anechoic/module.h). Each is
 * verified as a whole before anything in it is used; those that are open stay where the loader put them. */
#pragma once
#include "include/anechoic/module.h"
#include "kernel/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODULE_BITS (sizeof(void *) == 8 ? 64u : 32u) /* what this kernel executes */
#define MODULES     16                                /* open at the same time; BOOT_MODULES */

struct module_bytes {
    const uint8_t *at;
    uint32_t n;
};

/* Verify the file of `size` bytes, and open it beside those that are. scratch: memory for the verification, 8
 * to 16 bytes for each snippet of all modules. False: why says what is wrong with it, in words that follow
 * its name; nothing of it is used. */
bool module_open(const void *file, size_t size, struct arena scratch, char *why, size_t cap);

/* How many were not opened. */
unsigned modules_refused(void);

/* Close all of them, as at the beginning. */
void modules_close(void);

/* The snippets of all modules, in their order, and the i-th of them. */
unsigned module_snippets(void);
const struct module_snippet *module_snippet(unsigned i);

/* Of a snippet of an open module. */
const char *module_snippet_name(const struct module_snippet *s);
struct module_bytes module_snippet_part(const struct module_snippet *s, enum snippet_part part);
