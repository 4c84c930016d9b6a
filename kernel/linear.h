/* Linear addresses that nothing is at. The kernel maps 4 GiB one to one, so those of its i586 flavour are
 * scarce: a range is free if nothing that the kernel uses after bring-up lies there. */
#pragma once
#include "kernel/machine.h"

#define LINEAR_RANGE (256u << 20) /* 64 entries of the top table */

/* Returns the first range of LINEAR_RANGE bytes, at a multiple of its size, that is free; 0 if there is none.
 */
uint32_t linear_find(const struct machine *m);
