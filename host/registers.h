/* In the place of kernel/hw.h's machine: CPUID is this computer's, and every model-specific register exists
 * and keeps what is written to it. So the kernel's drivers of performance counters run here, and what they
 * would write can be read. They touch nothing of this computer.
 */
#pragma once
#include <stdint.h>

/* All registers become 0, as if they had never been written. */
void registers_reset(void);
void registers_set(uint32_t msr, uint64_t value);

/* The registers that are not as they were at registers_begin(), in the order in which they became so. */
struct register_value {
    uint32_t msr;
    uint64_t value;
};
void registers_begin(void);
unsigned registers_changed(struct register_value *out, unsigned max); /* how many there are, at most max */
