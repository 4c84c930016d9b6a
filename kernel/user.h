/* Ring 3: run a function there and come back. */
#pragma once
#include <stdint.h>

/* Run fn(a, b, c) at CPL 3 on the stack that ends at top (16-byte aligned, in memory given to ring 3 by
 * paging_user()), and return when it returns. fn and what it calls must lie between user_text_start and
 * user_text_end. A trap inside goes to the innermost guard, as from ring 0. Interrupts are enabled while a
 * handler is set (trap_interrupts()). */
typedef void user_fn(void *a, void *b, void *c);
void user_call(void *top, user_fn *fn, void *a, void *b, void *c);

extern char user_text_start[], user_text_end[]; /* linker.ld: payloads and brackets */
extern const char kernel_text_end[];            /* ... of all code of the kernel's, which begins with those */
/* The only instruction of its own in ring 3: after fn's return. Weak: tests on the host have none. */
extern char user_done[] __attribute__((weak));
extern char benchmarks_text_end[]; /* ... where the payloads of benchmarks end, the last of them */
