/* Which values of control registers would certainly end the kernel: wrcr refuses these. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Control register n is to get `value` in place of `now`. long_mode: the 64-bit kernel runs. Returns why not,
 * a sentence; NULL: it may be written, and a value that the processor refuses is its #GP. */
const char *control_register_refused(unsigned n, uint64_t now, uint64_t value, bool long_mode);
