/* Programs whose counts follow from their code: bench=truth (measure/truth.c).
 *
 * A program's payload runs between a bracket's CALL and its return, so that this pair and the final RET are
 * the overhead's; what is expected is counted from the listing in the source, which is assembly to the last
 * instruction. A program may have a base: the same payload without what is to be counted. It is measured
 * beside it and taken off as well. So caches may be flushed, or warmed, inside the payload, and neither what
 * stood in them before nor the bracket's own misses afterwards are in the result.
 */
#pragma once
#include "bench/bench.h"

#define TRUTH_LINE    32 /* bytes; all P5 and P6 have such lines */
#define TRUTH_UNKNOWN UINT64_MAX

enum truth_family { TRUTH_NONE, TRUTH_P5, TRUTH_P6, TRUTH_FAMILIES };

/* What one event of one family must count. */
struct truth_row {
    const char *event;  /* as pmu_event_parse() takes it */
    const char *reason; /* the rule, or why it is not what the thesis prints */
    /* Where it depends on the geometry; TRUTH_UNKNOWN: not known here. NULL: expected holds. */
    uint64_t (*of)(const struct cache_info *caches);
    uint16_t expected;
    uint8_t family; /* enum truth_family; TRUTH_NONE ends the list */
    bool tell;      /* the reason stands in the text even where the values agree */
};

struct truth_program {
    const char *name, *desc;
    payload_fn *payload, *base;             /* base NULL: the empty payload alone is taken off */
    bool (*prepare)(struct bench_run *run); /* NULL: nothing to prepare. The same for the base */
    bool ring0;                             /* has instructions that CPL 3 may not execute */
    const struct truth_row *row;            /* NULL: measured for the relations only */
};

#define TRUTH_ROW(family, event, n, of, reason, tell) \
    {                                                 \
        event, reason, of, n, family, tell            \
    }
#define P5(event, n, reason)          TRUTH_ROW(TRUTH_P5, event, n, NULL, reason, false)
#define P6(event, n, reason)          TRUTH_ROW(TRUTH_P6, event, n, NULL, reason, false)
#define P5_OF(event, of, reason)      TRUTH_ROW(TRUTH_P5, event, 0, of, reason, false)
#define P6_OF(event, of, reason)      TRUTH_ROW(TRUTH_P6, event, 0, of, reason, false)
#define P5_TELL(event, n, of, reason) TRUTH_ROW(TRUTH_P5, event, n, of, reason, true)
#define P6_TELL(event, n, of, reason) TRUTH_ROW(TRUTH_P6, event, n, of, reason, true)
#define TRUTH_END                     TRUTH_ROW(TRUTH_NONE, NULL, 0, NULL, NULL, false)

#define TRUTH_TERMS 4
/* Sums of counts that must be equal, or of which the left one may not be the larger. */
struct truth_relation {
    enum truth_family family;
    const char *left[TRUTH_TERMS];
    bool equal; /* false: left <= right */
    const char *right[TRUTH_TERMS];
    const char *source;
};

struct truth_theme {
    const struct truth_program *program;
    unsigned n;
};
extern const struct truth_theme truth_code, truth_data, truth_cache, truth_units;

/* Measured on one program, truth_mixed. */
extern const struct truth_program truth_mixed;
extern const struct truth_relation truth_relations[];
extern const unsigned truth_n_relations;

/* ---- for the payloads ---- */

/* A payload that is this assembly and a RET, nothing else: no compiler has a hand in it. It may change AX,
 * CX, DX and the flags. */
#define TRUTH_PAYLOAD(name, ...)                                                                             \
    __asm__(".pushsection .payload, \"ax\", @progbits\n\t.balign 64\n\t.type payload_" #name ", @function\n" \
            "payload_" #name ":\n\t" __VA_ARGS__ "\n\tret\n\t.size payload_" #name ", . - payload_" #name    \
            "\n\t.popsection");                                                                              \
    extern payload_fn name __asm__("payload_" #name);

/* The argument, a list of words, and the registers of the flavour's width. Expectations are of the i586
 * flavour, which is what P5 and P6 run; programs with an argument have a base that fetches it too. */
#ifdef __x86_64__
#define TRUTH_A   "%rax"
#define TRUTH_C   "%rcx"
#define TRUTH_D   "%rdx"
#define TRUTH_SP  "%rsp"
#define TRUTH_BP  "%rbp"
#define TRUTH_W   "8"
#define TRUTH_ARG "mov %rdi, %rcx\n\t"
#else
#define TRUTH_A   "%eax"
#define TRUTH_C   "%ecx"
#define TRUTH_D   "%edx"
#define TRUTH_SP  "%esp"
#define TRUTH_BP  "%ebp"
#define TRUTH_W   "4"
#define TRUTH_ARG "mov 4(%esp), %ecx\n\t"
#endif
#define TRUTH_WORD(n)  TRUTH_W "*" #n "(" TRUTH_C ")" /* word n of the argument */
#define TRUTH_ARG_TO_C TRUTH_ARG "mov " TRUTH_WORD(0) ", " TRUTH_C "\n\t"

/* The argument's words, to fill in. */
static inline uintptr_t *truth_words(struct bench_run *run) { return run->arg; }

/* Room in the arena, on a page of its own, as word 0 of the argument. */
bool truth_array(struct bench_run *run, size_t bytes);
