/* Programs whose counts follow from their code: bench=truth (measure/truth.c).
 *
 * A program's payload runs between a bracket's CALL and its return, so that this pair and the final RET
 * belong to the overhead. Expected counts follow from the listing in the source, which is assembly to the
 * last instruction. A program may have a base: the same payload without the part that is to be counted. The
 * base is measured as well, and subtracted. So the payload may flush or warm the caches: the result contains
 * neither the effect of their earlier contents nor the bracket's own misses afterwards.
 */
#pragma once
#include "bench/program.h"
#include "pmu/pmu.h"

#define TRUTH_LINE    32 /* bytes; on all P5 and P6. NetBurst's lines are twice as long */
#define TRUTH_UNKNOWN UINT64_MAX

/* Expectations that depend on the caches' geometry. */
enum truth_geometry { TRUTH_LISTED, TRUTH_L1_MISSES, TRUTH_L2_HITS, TRUTH_L2_HIT_CLOCKS, TRUTH_NO_L2_MISS };

/* The expected count of one event. */
struct truth_row {
    const char *event;  /* as pmu_event_parse() takes it */
    const char *reason; /* the rule, or why it differs from the thesis */
    uint32_t classes;   /* enum pmu_class: the CPUs that it is for; 0 ends the list */
    uint16_t expected;
    uint8_t of;    /* enum truth_geometry; not TRUTH_LISTED: that, and not expected */
    bool tell;     /* the reason is printed even where the values agree */
    uint8_t least; /* not 0: expected is a lower bound, occurrences times this; the board or the pipeline adds
                      the rest */
};

/* What a program needs. */
#define TRUTH_RING0   0x01 /* has instructions that CPL 3 may not execute */
#define TRUTH_MMX     0x02
#define TRUTH_SSE     0x04
#define TRUTH_TIMER   0x08 /* the local APIC's timer */
#define TRUTH_CLFLUSH 0x10 /* and MFENCE */

struct truth_program {
    struct program program;
    payload_fn *base; /* also measured, and subtracted; NULL: only the empty payload is subtracted */
    uint8_t flags;    /* TRUTH_* */
    const struct truth_row *row; /* NULL: measured for the relations only */
};

/* For program.before. The first empties caches and TLBs (WBINVD, MOV CR3); the second fills the branch target
 * buffer with other branches (2,048 jumps). */
void truth_flush(const struct bench_run *run);
void truth_jump(const struct bench_run *run);

/* The expected value of the row on a CPU with these caches; TRUTH_UNKNOWN: not known here. */
uint64_t truth_expected(const struct truth_row *row, const struct cache_info *caches);

#define TRUTH_ROW(classes, event, n, of, reason, tell, least) \
    {                                                         \
        event, reason, classes, n, of, tell, least            \
    }
/* Words that perf has for every CPU (pmu/names.h). */
#define ALL(event, n, reason)          TRUTH_ROW(CLASS_ALL, event, n, TRUTH_LISTED, reason, false, 0)
#define NOW(event, n, reason)          TRUTH_ROW(CLASS_NOW, event, n, TRUTH_LISTED, reason, false, 0)
#define NOW_LEAST(event, n, reason)    TRUTH_ROW(CLASS_NOW, event, n, TRUTH_LISTED, reason, true, 1)
#define ON(cpus, event, n, reason)     TRUTH_ROW(CLASS_##cpus, event, n, TRUTH_LISTED, reason, false, 0)
#define ON_OF(cpus, event, of, reason) TRUTH_ROW(CLASS_##cpus, event, 0, of, reason, false, 0)
#define P5(event, n, reason)           TRUTH_ROW(CLASS_P5, event, n, TRUTH_LISTED, reason, false, 0)
#define P6(event, n, reason)           TRUTH_ROW(CLASS_P6, event, n, TRUTH_LISTED, reason, false, 0)
#define NB(event, n, reason)           TRUTH_ROW(CLASS_NETBURST, event, n, TRUTH_LISTED, reason, false, 0)
#define P5_OF(event, of, reason)       TRUTH_ROW(CLASS_P5, event, 0, of, reason, false, 0)
#define P6_OF(event, of, reason)       TRUTH_ROW(CLASS_P6, event, 0, of, reason, false, 0)
#define NB_OF(event, of, reason)       TRUTH_ROW(CLASS_NETBURST, event, 0, of, reason, false, 0)
#define P5_TELL(event, n, of, reason)  TRUTH_ROW(CLASS_P5, event, n, of, reason, true, 0)
#define P6_TELL(event, n, of, reason)  TRUTH_ROW(CLASS_P6, event, n, of, reason, true, 0)
/* n occurrences, each of which counts t or more. */
#define P6_LEAST(event, n, t, reason)  TRUTH_ROW(CLASS_P6, event, (n) * (t), TRUTH_LISTED, reason, true, t)
/* n or more: speculation adds the rest. */
#define NB_LEAST(event, n, reason)     TRUTH_ROW(CLASS_NETBURST, event, n, TRUTH_LISTED, reason, true, 1)
#define TRUTH_END                      TRUTH_ROW(0, NULL, 0, TRUTH_LISTED, NULL, false, 0)

#define TRUTH_TERMS 4
/* ASKED: whether both sides are equal; neither answer is wrong. */
enum truth_must { AT_MOST, EQUAL, ASKED };
/* A count and a sum of counts that must be equal, or the left of which must not be larger; or of which a
 * source asks whether they are equal. */
struct truth_relation {
    const char *left;
    uint32_t classes;                   /* enum pmu_class */
    uint8_t must;                       /* enum truth_must */
    const char *right[TRUTH_TERMS + 1]; /* up to NULL */
    const char *source;
};

struct truth_theme {
    const struct truth_program *program;
    unsigned n;
};
extern const struct truth_theme truth_code, truth_data, truth_cache, truth_units, truth_simd, truth_tags,
    truth_figures, truth_breakpoints, truth_processor;

/* Measured on one program, truth_mixed. */
extern const struct truth_program truth_mixed;
extern const struct truth_relation truth_relations[];
extern const unsigned truth_n_relations;

/* ---- for the payloads ---- */

/* A payload that consists of this assembly and a RET, without compiled code. It may change AX, CX, DX and the
 * flags. */
#define TRUTH_PAYLOAD(name, ...) TRUTH_PAYLOAD_IN(".payload", name, __VA_ARGS__)
/* The same in a section for instructions that a Pentium lacks. */
#define TRUTH_PAYLOAD_IN(section, name, ...)                                                              \
    __asm__(".pushsection " section ", \"ax\", @progbits\n\t.balign 64\n\t.type payload_" #name           \
            ", @function\n"                                                                               \
            "payload_" #name ":\n\t" __VA_ARGS__ "\n\tret\n\t.size payload_" #name ", . - payload_" #name \
            "\n\t.popsection");                                                                           \
    extern payload_fn name __asm__("payload_" #name);

/* The argument, a list of words, and the registers of the flavour's width. Expectations are those of the i586
 * flavour, which P5 and P6 run. Programs with an argument have a base that fetches it too. */
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

/* The argument's words, for the caller to fill in. */
static inline uintptr_t *truth_words(struct bench_run *run) { return run->arg; }

/* prepare() of a payload that loads from some 20 pages of 4 KiB, by the address in its first word: the pages
 * of the kernel's code. The pool has large pages. */
static inline bool truth_prepare_pages(struct bench_run *run)
{
    extern const char kernel_text[]; /* linker.ld */
    truth_words(run)[0] = (uintptr_t)kernel_text;
    return true;
}

/* Writes n jumps, one every stride bytes, each to the next, and a RET at the end. NULL: no room in the arena.
 */
void *truth_chain(struct bench_run *run, uint32_t n, uint8_t stride);

/* truth_jump() calls this chain, whose address is the last word of the argument. */
#define TRUTH_JUMPS_WORD (BENCH_ARG_BYTES / sizeof(uintptr_t) - 1)

/* Allocates memory in the arena, on a page of its own, and makes it word 0 of the argument. */
bool truth_array(struct bench_run *run, size_t bytes);
/* The same for a few lines that are to stay in L1, whose sets have as little as two lines: apart from where
 * pages, structures and stacks begin, which is where the harness's own data lie. On a line. */
bool truth_array_apart(struct bench_run *run, size_t bytes);
