/* Debug registers, as what counters can count the matches of: a breakpoint that is described and not enabled
 * raises no #DB. SDM vol. 3B 17.2.
 */
#pragma once
#include <stdint.h>

#define BREAKPOINTS 4

/* What matches: DR7's field R/W. */
enum breakpoint_kind { BREAKPOINT_CODE = 0, BREAKPOINT_WRITE = 1, BREAKPOINT_IO = 2, BREAKPOINT_ACCESS = 3 };

/* DRn, 0 to 3, matches len bytes (1, 2 or 4; of code 1) at a linear address that is a multiple of len, or a
 * port. I/O also sets CR4.DE, which a CPU must have. The other registers stay as they are; whoever saved the
 * CPU's state (kernel/cpu_state.h) restores it. At CPL 0. */
void breakpoint_describe(unsigned n, uintptr_t at, enum breakpoint_kind kind, unsigned len);
