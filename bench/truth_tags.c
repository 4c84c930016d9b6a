/* NetBurst's tags: each mechanism on a known number of matching instructions (bench=tags, and in
 * bench=truth).
 *
 * At most two selections of tagged micro-operations count at once (CRU_ESCR2 and 3). So programs that differ
 * only in their rows measure the mechanisms in pairs.
 */
#include "bench/truth.h"

#define LINE 64 /* bytes; NetBurst's */

static bool prepare_line(struct bench_run *run) { return truth_array_apart(run, 2 * LINE); }

TRUTH_PAYLOAD(fetch_argument, TRUTH_ARG_TO_C)

/* ---- something for each mechanism ---- */

#define TIMES(n, insn) ".rept " #n "\n\t" insn "\n\t.endr\n\t"
TRUTH_PAYLOAD_IN(".text.isa.sse2", everything,
                 TRUTH_ARG_TO_C "xorps %xmm0, %xmm0\n\t" TIMES(20, "movl (" TRUTH_C "), %eax") /* 21 */
                 TIMES(10, "movl %eax, (" TRUTH_C ")") TIMES(5, "incl 4(" TRUTH_C ")")         /* 36 */
                 TIMES(8, "movl 62(" TRUTH_C "), %eax") TIMES(4, "movl %eax, 62(" TRUTH_C ")") /* 48 */
                 TIMES(18, "addps %xmm0, %xmm0") TIMES(6, "addpd %xmm0, %xmm0")                /* 72 */
                 TIMES(7, "addss %xmm0, %xmm0") TIMES(4, "addsd %xmm0, %xmm0")                 /* 83 */
                 TIMES(3, "paddd %xmm0, %xmm0")                                                /* 86 */
                 "fld1\n\t" TIMES(12, "fadd %st, %st") "fstp %st\n\t"                          /* 100 */
                 TIMES(9, "paddd %mm0, %mm0") "emms")                                          /* 110 */

#define ALL_LOADS  33
#define ALL_STORES 19
#define LOADS_ARE  "20 loads, 5 INC, 8 loads across lines"
#define STORES_ARE "10 stores, 5 INC, 4 stores across lines"
#define IN_VAIN    "executed speculatively and thrown away; a model without speculation has none"
#define PACKED_SP  "18 ADDPS, XORPS"
#define SPLITS     "8 loads across lines"

static const struct truth_row none_rows[] = {
    NB("instr_retired", 110, "all"),
    NB_LEAST("instr_retired:bogusntag:bogustag", 0, IN_VAIN),
    TRUTH_END,
};

/* The other events of the group decide which instructions are tagged: one group. */
static const struct truth_row front_rows[] = {
    NB("memory_loads", ALL_LOADS, LOADS_ARE),
    NB("instr_retired:nbogustag", ALL_LOADS, "each load is of another instruction"),
    NB("instr_retired:nbogusntag", 110 - ALL_LOADS, "all others"),
    NB_LEAST("memory_loads:bogus", 0, IN_VAIN),
    TRUTH_END,
};
static const struct truth_row stores_rows[] = {
    NB("memory_stores", ALL_STORES, STORES_ARE),
    NB_LEAST("memory_stores:bogus", 0, IN_VAIN),
    TRUTH_END,
};

static const struct truth_row execution_rows[] = {
    NB("packed_sp_retired", 19, PACKED_SP),
    NB_LEAST("packed_sp_retired:bogus", 0, IN_VAIN),
    NB("packed_dp_retired", 6, "6 ADDPD"),
    NB("scalar_sp_retired", 7, "7 ADDSS"),
    NB("scalar_dp_retired", 4, "4 ADDSD"),
    NB("64_bit_mmx_retired", 9, "9 PADDD of MMX registers"),
    NB("128_bit_mmx_retired", 3, "3 PADDD of XMM registers"),
    NB("x87_fp_retired", 12, "12 FADD"),
    TRUTH_END,
};
static const struct truth_row values_rows[] = {
    NB("scalar_sp_retired:tag=1", 7, "7 ADDSS"),
    NB("scalar_sp_retired:tag=2", 7, "7 ADDSS"),
    NB("scalar_sp_retired:tag=4", 7, "7 ADDSS"),
    NB("scalar_sp_retired:tag=8", 7, "7 ADDSS"),
    NB("scalar_sp_retired:tag=15", 7, "7 ADDSS, each with four tags and counted once"),
    TRUTH_END,
};

static const struct truth_row replay_rows[] = {
    NB("split_load_retired", 8, SPLITS),
    NB_LEAST("split_load_retired:bogus", 0, IN_VAIN),
    NB("split_store_retired", 4, "4 stores across lines"),
    NB("1stl_cache_load_miss_retired", 0, "all lines are in L1"),
    TRUTH_END,
};

static const struct truth_row front_execution_rows[] = {
    NB("memory_loads", ALL_LOADS, LOADS_ARE),
    NB("packed_sp_retired", 19, PACKED_SP),
    TRUTH_END,
};
static const struct truth_row front_replay_rows[] = {
    NB("memory_loads", ALL_LOADS, LOADS_ARE),
    NB("split_load_retired", 8, SPLITS),
    TRUTH_END,
};
static const struct truth_row execution_replay_rows[] = {
    NB("packed_sp_retired", 19, PACKED_SP),
    NB("split_load_retired", 8, SPLITS),
    TRUTH_END,
};

/* ---- replayed more than once ---- */

#define WALKED 16

/* The last two bytes of a page and the first two of the next: both pages, and both lines, are new. */
TRUTH_PAYLOAD(replayed, TRUTH_ARG_TO_C "movl $16, %edx\n"
                                       "1:\n\t"
                                       "movl 4094(" TRUTH_C "), %eax\n\t"
                                       "add $8192, " TRUTH_C "\n\t"
                                       "dec %edx\n\t"
                                       "jnz 1b")

#define BOTH_MISS "16 loads, each across two lines that miss L1, on two pages that miss the TLB"
static const struct truth_row replayed_rows[] = {
    NB("memory_loads", WALKED, "16 loads"),
    NB("1stl_cache_load_miss_retired", WALKED, BOTH_MISS),
    NB("dtlb_load_miss_retired", WALKED, BOTH_MISS),
    NB("dtlb_all_miss_retired", WALKED, BOTH_MISS),
    NB("split_load_retired", WALKED, BOTH_MISS),
    NB("page_walk_type:dtmiss", 2 * WALKED, "each of the pages"),
    TRUTH_END,
};

/* ---- what cannot be tagged: SDM 18.15.6.1 ---- */

#define BELOW "-64(" TRUTH_SP ")"
#ifdef __x86_64__
#define FAR_RETURN "lretq"
#else
#define FAR_RETURN "lret"
#endif
/* Beside them there are only the stores of CALL and PUSH. */
TRUTH_PAYLOAD(untaggable,
              TIMES(5, "inb $0x61, %al") TIMES(5, "orb $0, 0xb8000") TIMES(5, "lock\n\tincl " BELOW)
                  TIMES(5, "xchgl %eax, " BELOW) TIMES(5, "call 9f")
                      TIMES(5, "mov %cs, %eax\n\tpush " TRUTH_A "\n\tcall 8f") "jmp 7f\n"
                                                                               "8:\n\t" FAR_RETURN "\n"
                                                                               "9:\n\tret\n"
                                                                               "7:")

#define CANNOT "I/O, uncached and locked accesses, returns, far transfers cannot be tagged"
static const struct truth_row untaggable_rows[] = {
    NB("instr_retired", 51, "20 accesses, 5 CALL and RET, 5 times 4 that return far, JMP"),
    NB("memory_loads", 0, CANNOT),
    NB("memory_stores", 15, "10 CALL and 5 PUSH; all else cannot be tagged"),
    NB("1stl_cache_load_miss_retired", 0, CANNOT),
    NB("dtlb_all_miss_retired", 0, CANNOT),
    TRUTH_END,
};

#define EVERYTHING(name, desc, rows)                                                                  \
    {                                                                                                 \
        {name, desc, .payload = everything, .prepare = prepare_line}, fetch_argument, TRUTH_SSE, rows \
    }
static const struct truth_program programs[] = {
    EVERYTHING("untagged", "110 instructions, counted without tags", none_rows),
    EVERYTHING("front_end", "the same, loads tagged at the front end", front_rows),
    EVERYTHING("front_end_stores", "the same, stores tagged", stores_rows),
    EVERYTHING("execution", "the same, tagged where they are executed", execution_rows),
    EVERYTHING("tag_values", "the same with each tag value", values_rows),
    EVERYTHING("replay", "the same, tagged where they are replayed", replay_rows),
    EVERYTHING("front_end_execution", "two mechanisms at once", front_execution_rows),
    EVERYTHING("front_end_replay", "two mechanisms at once", front_replay_rows),
    EVERYTHING("execution_replay", "two mechanisms at once", execution_replay_rows),
    {{"replayed", "16 loads that are replayed for several reasons", .payload = replayed,
      .prepare = truth_prepare_pages, .before = truth_flush},
     fetch_argument,
     TRUTH_RING0,
     replayed_rows},
    {{"untaggable", "what cannot be tagged", .payload = untaggable}, NULL, TRUTH_RING0, untaggable_rows},
};
const struct truth_theme truth_tags = {programs, sizeof programs / sizeof *programs};
