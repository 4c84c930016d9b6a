/* Which values of control registers would certainly end the kernel: wrcr and wrmsr refuse these. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define CONTROL_EFER 0xc0000080u /* an MSR, but a control register all the same (SDM vol. 3A 2.2.1) */

/* Control register n, or CONTROL_EFER, is to get `value` in place of `now`. long_mode: the 64-bit kernel
 * runs. Returns why not, a sentence; NULL: it may be written, and a value that the processor refuses is its
 * #GP. */
const char *control_register_refused(unsigned n, uint64_t now, uint64_t value, bool long_mode);
