/* The payload that was sampled, disassembled by binutils' objdump. */
#pragma once
#include "host/report_runs.h"

struct instruction {
    unsigned long long address;
    char *text; /* "mov (%eax),%eax" */
};

struct code {
    unsigned long long base; /* linear address of the payload's first byte */
    size_t size;             /* 0: the run has no such code, or not all of it */
    unsigned mode;           /* 32 or 64 */
    struct instruction *instruction;
    size_t n; /* 0: not disassembled; `failure` says why */
    const char *failure;
    char *listing; /* where the texts are */
};

/* The code of a benchmark's variant in a run, from its `code` records. To be freed by code_free(). */
void code_of(const struct capture *r, const char *bench, const char *variant, struct code *to);
void code_free(struct code *c);

/* The instruction at this address; c->n: none begins there. */
size_t code_at(const struct code *c, unsigned long long address);
