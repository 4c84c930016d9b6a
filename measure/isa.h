/* Why an instruction faulted: the CPU's feature that it needs, or the control bit or the ring that forbids
 * it. One table has them all: isa_table.c. */
#pragma once
#include "kernel/cpuid.h"
#include "kernel/trap.h"

#define ISA_MAX_BYTES  15 /* no instruction is longer: SDM vol. 2A section 2.3.11 */
#define ISA_TEXT_BYTES 160

enum isa_verdict {
    ISA_UNKNOWN,   /* not in the table, or nothing is missing */
    ISA_LACKING,   /* this CPU lacks the feature, by CPUID */
    ISA_DISABLED,  /* a bit of a control register forbids it */
    ISA_RING0,     /* ring 3 may not execute it */
    ISA_ONLY64,    /* it exists in 64-bit mode only */
    ISA_NOT64,     /* it does not exist in 64-bit mode */
    ISA_INVALID,   /* the opcode is defined to be invalid, on every CPU: UD2 and the like */
    ISA_LOCKED,    /* LOCK before an instruction that does not take it */
    ISA_INTERRUPT, /* INT n: a call of a vector that is the kernel's */
};

struct isa_reason {
    enum isa_verdict verdict;
    const char *name; /* of the feature or instruction; "" if none */
    const char *bit;  /* ISA_DISABLED: "CR4.FSGSBASE" */
    bool is_set;      /* its value */
    uint8_t vector;   /* ISA_INTERRUPT */
    unsigned length;  /* of the instruction, in bytes; 0: not known */
};

/* Explains the trap t (#UD, #NM or #GP; others are ISA_UNKNOWN) of the instruction at code, of which n bytes
 * can be read, as 32- or 64-bit code. */
void isa_explain(const uint8_t *code, unsigned n, bool long_mode, const struct cpu_id *id,
                 const struct trap *t, struct isa_reason *r);

/* ": 0f 58 c1 needs SSE, which this CPU lacks"; with ISA_UNKNOWN the bytes alone. */
void isa_text(const struct isa_reason *r, const char *bytes, char *text, size_t cap);
