/* Which feature of the CPU an instruction belongs to: what an invalid opcode may have needed. */
#pragma once
#include "kernel/cpuid.h"

#define ISA_MAX_BYTES 15 /* no instruction is longer: SDM vol. 2A section 2.3.11 */

enum isa_verdict {
    ISA_UNKNOWN, /* not in the table, or this CPU has the feature: why it is invalid cannot be told */
    ISA_LACKING, /* this CPU lacks it, by CPUID */
    ISA_INVALID, /* the opcode is defined to be invalid, on every CPU: UD2 and the like */
};

/* Judge the instruction at code, of which n bytes can be read, as 32- or 64-bit code. *name: the feature, or
 * the opcode's name; set unless UNKNOWN. */
enum isa_verdict isa_judge(const uint8_t *code, unsigned n, bool long_mode, const struct cpu_id *id,
                           const char **name);
