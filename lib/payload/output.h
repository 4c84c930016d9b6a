/* struct module_output (include/anechoic/module.h), for C and assembly. */
#pragma once

#define OUTPUT_BYTES 0
#define OUTPUT_SIZE  (12 + 4096)

#ifndef __ASSEMBLER__
#include <anechoic/module.h>
#include <stddef.h>

_Static_assert(offsetof(struct module_output, bytes) == OUTPUT_BYTES &&
                   sizeof(struct module_output) == OUTPUT_SIZE,
               "what start.S knows of struct module_output");

extern struct module_output anechoic_output;

/* Ends the call. */
void anechoic_end(void) __attribute__((noreturn));

/* n bytes more of what the call prints. */
void anechoic_put(const char *text, size_t n);
#endif
