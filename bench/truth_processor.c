/* Programs that cause what the processor alone can count: how often a branch is mispredicted, how often a
 * load has to wait for a store. The manuals say what the events are, and not how often they occur in a code.
 * So their rows have a lower bound only, and a reader sees what this processor counts. No model has them. */
#include "bench/truth.h"

#define ITS_OWN "the processor's own: no manual says how often"

/* ---- branches that cannot be predicted ---- */

/* xorshift32 from 2463534242: 51 of the first 100 numbers are odd. */
TRUTH_PAYLOAD(random_branches,
              "movl $2463534242, %eax\n\t"
              "movl $100, %ecx\n" /* 2 */
              "1:\n\t"
              "movl %eax, %edx\n\tshll $13, %edx\n\txorl %edx, %eax\n\t" /* 100 times these 13 */
              "movl %eax, %edx\n\tshrl $17, %edx\n\txorl %edx, %eax\n\t"
              "movl %eax, %edx\n\tshll $5, %edx\n\txorl %edx, %eax\n\t"
              "testb $1, %al\n\t"
              "jz 2f\n\t"
              "inc %edx\n" /* ODD times */
              "2:\n\t"
              "dec %ecx\n\t"
              "jnz 1b")
#define ODD 51

static const struct truth_row random_rows[] = {
    ALL("instructions", 2 + 100 * 13 + ODD, "2 + 100 x 13, and an INC for each odd number"),
    ALL("branches", 200, "2 in each turn"),
    NOW_LEAST("branch-misses", 0, ITS_OWN),
    P6_LEAST("br_miss_pred_retired", 0, 1, ITS_OWN),
    NB_LEAST("mispred_branch_retired", 0, ITS_OWN),
    NB_LEAST("tagged_mispred_branch", 0, ITS_OWN),
    NB_LEAST("retired_mispred_branch_type:conditional", 0, ITS_OWN),
    TRUTH_END,
};

/* ---- loads that wait for stores ---- */

#define TIMES(n, insn) ".rept " #n "\n\t" insn "\n\t.endr"
#define FAR_APART      65536 /* bytes: NetBurst's first check of a load's address looks at bits below these */

static bool prepare_two(struct bench_run *run) { return truth_array(run, FAR_APART + 64); }

TRUTH_PAYLOAD(fetch_argument, TRUTH_ARG_TO_C)
TRUTH_PAYLOAD(partial, TRUTH_ARG_TO_C TIMES(10, "movb %al, (" TRUTH_C ")\n\tmovl (" TRUTH_C "), %eax"))
TRUTH_PAYLOAD(aliased, TRUTH_ARG_TO_C TIMES(10, "movl %eax, (" TRUTH_C ")\n\tmovl 65536(" TRUTH_C "), %eax"))

static const struct truth_row partial_rows[] = {
    ON(P6 | CLASS_NETBURST, "instructions", 20, "10 stores of a byte, 10 loads of four with it"),
    P6_LEAST("ld_blocks", 0, 1, ITS_OWN),
    NB_LEAST("mob_load_replay_retired", 0, ITS_OWN),
    NB_LEAST("mob_load_replay:partial_data", 0, ITS_OWN),
    TRUTH_END,
};
static const struct truth_row aliased_rows[] = {
    NB("instr_retired", 20, "10 stores, 10 loads 64 KiB apart"),
    NB_LEAST("memory_cancel:64k_conf", 0, ITS_OWN),
    TRUTH_END,
};

/* ---- denormal numbers of SSE ---- */

/* The least denormal number, 1, plus itself; MXCSR is as after a reset: denormal numbers are none of 0. */
TRUTH_PAYLOAD_IN(".text.isa.sse2", sse_denormal,
                 "movl $1, %eax\n\tmovd %eax, %xmm0\n\t" TIMES(10,
                                                               "movaps %xmm0, %xmm1\n\taddss %xmm0, %xmm1"))

static const struct truth_row sse_rows[] = {
    NB("scalar_sp_retired", 10, "10 ADDSS"),
    NB_LEAST("sse_input_assist", 10, "10 ADDSS of denormal numbers"),
    TRUTH_END,
};

static const struct truth_program programs[] = {
    {{"random_branches", "100 branches on random bits", .payload = random_branches}, NULL, 0, random_rows},
    {{"partial", "10 loads of four bytes, of which a store writes one", .payload = partial,
      .prepare = prepare_two},
     fetch_argument,
     0,
     partial_rows},
    {{"aliased", "10 loads 64 KiB behind a store", .payload = aliased, .prepare = prepare_two},
     fetch_argument,
     0,
     aliased_rows},
    {{"sse_denormal", "10 ADDSS of a denormal number", .payload = sse_denormal}, NULL, TRUTH_SSE, sse_rows},
};
const struct truth_theme truth_processor = {programs, sizeof programs / sizeof *programs};
