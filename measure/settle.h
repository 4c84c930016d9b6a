/* A state of caches, TLBs and branch target buffers that does not depend on the kernel's earlier work.
 *
 * Otherwise a repetition would find, and so count, different things in two builds whose boots take different
 * branches. The state is settled before the overhead is measured, which precedes the repetitions, and before
 * the costs of markers are measured. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define SETTLE_BYTES (64u << 10) /* twice the L1I of most */

/* Write the code of settle_jumps() to SETTLE_BYTES from the start of a page, which nothing else may use.
 * Called first. */
void settle_init(uint8_t *code);

/* Take 16,384 jumps, as many as branch target buffers have entries. */
void settle_jumps(void);

/* Empty the caches and TLBs if asked to, which takes milliseconds with large caches, and take the jumps. A
 * Linux process only takes the jumps. */
void settle(bool caches);
