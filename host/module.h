/* Writes modules: files with code of the user's own for the kernel (include/anechoic/module.h). */
#pragma once
#include "host/snippets.h"

/* The module of these snippets, which are assembled for `bits` 32 or 64. At least one, each with a name of
 * its own. To memory that the caller frees, and its size; NULL: errno says why (EFBIG: 4 GiB and more). */
uint8_t *module_of_snippets(const struct snippets *s, unsigned bits, size_t *size);
