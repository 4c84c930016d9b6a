/* Loads and stores that hit, misaligned ones, locked ones. */
#include "bench/truth.h"
#include <stdio.h>

bool truth_array(struct bench_run *run, size_t bytes)
{
    void *p = arena_alloc(run->arena, bytes, 4096);
    if (!p) {
        snprintf(run->error, sizeof run->error, "needs %u bytes of memory", (unsigned)bytes);
        return false;
    }
    truth_words(run)[0] = (uintptr_t)p;
    return true;
}

/* Bytes. Whole lines of any of these CPUs (16 to 64 bytes), and no place where anything else begins. */
#define APART (17 * 64)

bool truth_array_apart(struct bench_run *run, size_t bytes)
{
    if (!truth_array(run, APART + bytes)) return false;
    truth_words(run)[0] += APART;
    return true;
}

#define LINES 64

static bool prepare_lines(struct bench_run *run) { return truth_array(run, LINES * TRUTH_LINE); }

/* A load, or a store, in each of 64 lines: 2 KiB, which take half of the sets of any L1, or fewer. The first
 * sweep loads them; the next one, from the last line back, hits: 1 + 64 x 4 instructions, 64 branches, 63 of
 * them taken. */
#define UP           "movl $64, %edx\n1:\n\tmovl (" TRUTH_C "), %eax\n\tadd $32, " TRUTH_C "\n\tdec %edx\n\tjnz 1b\n\t"
#define DOWN(access) "movl $64, %edx\n2:\n\tsub $32, " TRUTH_C "\n\t" access "\n\tdec %edx\n\tjnz 2b\n\t"
TRUTH_PAYLOAD(one_sweep, TRUTH_ARG_TO_C UP)
TRUTH_PAYLOAD(loads, TRUTH_ARG_TO_C UP DOWN("movl (" TRUTH_C "), %eax"))
TRUTH_PAYLOAD(stores, TRUTH_ARG_TO_C UP DOWN("movl %eax, (" TRUTH_C ")"))

#define BROUGHT "the sweep before has loaded all lines"
#define LOADED  "the loads before have loaded all lines"
static const struct truth_row loads_rows[] = {
    ON(P5 | CLASS_P6 | CLASS_NOW, "instructions", 257, "1 + 64 x 4"),
    P5("data_read", 64, "64 loads"),
    P5("data_write", 0, "none"),
    P5("data_read_or_write", 64, "64 loads"),
    P5("data_read_miss", 0, BROUGHT),
    P5("misaligned_data_memory_or_io_references", 0, "all are aligned"),
    P6("data_mem_refs", 64, "64 loads"),
    P6("dcu_lines_in", 0, BROUGHT),
    P6("l2_ld", 0, BROUGHT),
    P6("misalign_mem_ref", 0, "all are aligned"),
    NB("memory_loads", 64, "64 loads"),
    NB("memory_stores", 0, "none"),
    NB("1stl_cache_load_miss_retired", 0, BROUGHT),
    ON(CORE2, "r01c0", 64, "64 loads"),
    ON(CORE2, "r02c0", 0, "none"),
    ON(CORE2, "r0f45", 0, BROUGHT),
    ON(LAKE, "r81d0", 64, "64 loads"),
    ON(LAKE, "r82d0", 0, "none"),
    ON(BRIDGE, "r0151", 0, BROUGHT),
    ON(AMD, "r0040", 64, "64 loads"),
    ON(OLD, "r0141", 0, BROUGHT),
    ON(ZEN, "r8060", 0, BROUGHT),
    TRUTH_END,
};
static const struct truth_row stores_rows[] = {
    ON(P5 | CLASS_P6 | CLASS_NOW, "instructions", 257, "1 + 64 x 4"),
    P5("data_read", 0, "none"),
    P5("data_write", 64, "64 stores"),
    P5("data_write_miss", 0, LOADED),
    P5("write_hit_to_m_or_e_state_lines", 64, LOADED),
    P6("data_mem_refs", 64, "64 stores"),
    P6("dcu_lines_in", 0, LOADED),
    P6("l2_st", 0, "the lines are exclusive, so no request for ownership"),
    NB("memory_loads", 0, "none"),
    NB("memory_stores", 64, "64 stores"),
    ON(CORE2, "r01c0", 0, "none"),
    ON(CORE2, "r02c0", 64, "64 stores"),
    ON(LAKE, "r81d0", 0, "none"),
    ON(LAKE, "r82d0", 64, "64 stores"),
    ON(BRIDGE, "r0151", 0, LOADED),
    ON(AMD, "r0040", 64, "64 stores"),
    ON(OLD, "r0141", 0, LOADED),
    ON(ZEN, "r4060", 0, LOADED),
    TRUTH_END,
};

/* ---- misaligned ---- */

/* 4 bytes from offset 5 of a line on: they cross a boundary of 8 and stay within the line. */
#define ACROSS                                                                              \
    ".set i, 0\n\t.rept 10\n\tmovl i*32+5(" TRUTH_C "), %eax\n\tmovl %eax, i*32+5(" TRUTH_C \
    ")\n\t.set i, i+1\n\t.endr"
TRUTH_PAYLOAD(fetch_argument, TRUTH_ARG_TO_C)
TRUTH_PAYLOAD(misaligned, TRUTH_ARG_TO_C ACROSS)

static const struct truth_row misaligned_rows[] = {
    P5("misaligned_data_memory_or_io_references", 20, "10 loads and 10 stores"),
    P5("data_read", 20, "10 loads, each counted twice: misaligned (Safford, 5.5.2)"),
    P5("data_write", 20, "10 stores, each counted twice: misaligned (Safford, 5.5.2)"),
    P6("misalign_mem_ref", 40,
       "10 loads and 10 stores, both halves of each; the manual calls the event approximate"),
    P6("data_mem_refs", 20, "10 loads and 10 stores, none across lines"),
    NB("memory_loads", 10, "10 loads"),
    NB("memory_stores", 10, "10 stores"),
    NB("split_load_retired", 0, "none across lines"),
    ON(LAKE, "r81d0", 10, "10 loads"),
    ON(LAKE, "r82d0", 10, "10 stores"),
    ON(K8 | CLASS_ZEN, "r0040", 40, "each in two words of 8 bytes"),
    TRUTH_END,
};

/* ---- locked ---- */

/* Below the stack pointer, which is unused: no interrupts come. */
#define BELOW "-64(" TRUTH_SP ")"
TRUTH_PAYLOAD(locked,
              ".rept 10\n\tlock\n\tincl " BELOW "\n\t.endr\n\t.rept 5\n\txchgl %eax, " BELOW "\n\t.endr")

#define LOCKED "locked accesses cannot be tagged (SDM 18.15.6.1)"
static const struct truth_row locked_rows[] = {
    ALL("instructions", 15, "10 LOCK INC and 5 XCHG"),
    P5("locked_bus_cycle", 15, "10 LOCK INC and 5 XCHG, the read of each"),
    P5("data_read", 15, "each reads"),
    P5("data_write", 15, "and writes"),
    P6("data_mem_refs", 30, "each reads and writes"),
    NB("memory_loads", 0, LOCKED),
    NB("memory_stores", 0, LOCKED),
    ON(LAKE, "r81d0", 15, "each reads"),
    ON(LAKE, "r82d0", 15, "and writes"),
    ON(OLD, "r0124", 15, "10 LOCK INC and 5 XCHG"),
    TRUTH_END,
};

/* ---- Safford's program 2 ---- */

/* Figure 5.11 on a stack that is aligned first, so that the three misaligned words lie in one line: the frame
 * begins 28 bytes below the beginning of a line, and -511(EBP) is byte 9 of a line. The base only aligns the
 * stack. */
#define FRAME                                                                                             \
    "mov " TRUTH_SP ", " TRUTH_C "\n\tand $-32, " TRUTH_SP "\n\tpush " TRUTH_C "\n\tsub $32 - 2*" TRUTH_W \
    " - 8, " TRUTH_SP "\n\t" /* after PUSH EBP: 8 modulo 32 */
#define UNFRAME "add $32 - 2*" TRUTH_W " - 8, " TRUTH_SP "\n\tpop " TRUTH_SP
#define PROGRAM_2                                                                      \
    "push " TRUTH_BP "\n\t"              /* 1; a write */                              \
    "mov " TRUTH_SP ", " TRUTH_BP "\n\t" /* 2 */                                       \
    "sub $1024, " TRUTH_SP "\n\t"        /* 3 */                                       \
    "xorl %edx, %edx\n"                  /* 4 */                                       \
    "1:\n\t"                                                                           \
    "incl -511(" TRUTH_BP "," TRUTH_D ",4)\n\t" /* 3 times these 4; a read, a write */ \
    "inc %edx\n\t"                                                                     \
    "cmpl $2, %edx\n\t"                                                                \
    "jle 1b\n\t"                                                                       \
    "leave\n\t" /* 17; a read */
/* The base also touches the stack, by a PUSH and a POP instead of PUSH and LEAVE. */
#define TOUCH "push " TRUTH_BP "\n\tpop " TRUTH_BP "\n\t"

TRUTH_PAYLOAD(frame, FRAME UNFRAME)
TRUTH_PAYLOAD(program_2, FRAME PROGRAM_2 UNFRAME)
TRUTH_PAYLOAD(frame_cold, "wbinvd\n\t" FRAME TOUCH UNFRAME "\n\twbinvd")
TRUTH_PAYLOAD(program_2_cold, "wbinvd\n\t" FRAME PROGRAM_2 UNFRAME "\n\twbinvd")

static const struct truth_row program_2_rows[] = {
    ALL("instructions", 17, "4 + 3 x 4 + LEAVE"),
    ON(P6 | CLASS_NOW, "branches", 3, "one in each of 3 turns"),
    P5_TELL("data_read", 7, TRUTH_LISTED,
            "3 INC and LEAVE are 4; the misaligned ones count twice, as in table 5.4"),
    P5_TELL("data_write", 7, TRUTH_LISTED,
            "3 INC and PUSH are 4; the misaligned ones count twice, as in table 5.4"),
    P5("misaligned_data_memory_or_io_references", 6, "3 INC, read and write"),
    P5_TELL("branches", 3, TRUTH_LISTED, "table 5.4 has 4; figure 5.11 executes one in each of 3 turns"),
    P6("data_mem_refs", 8, "3 INC read and write, PUSH, LEAVE; none across lines"),
    P6("misalign_mem_ref", 4,
       "one of the 3 words crosses 8 bytes: both halves, read and write; the manual calls the event "
       "approximate"),
    NB("memory_loads", 4, "3 INC and LEAVE"),
    NB("memory_stores", 4, "3 INC and PUSH"),
    ON(LAKE, "r81d0", 4, "3 INC and LEAVE"),
    ON(LAKE, "r82d0", 4, "3 INC and PUSH"),
    TRUTH_END,
};
static const struct truth_row program_2_cold_rows[] = {
    P5("data_read_miss", 1, "the first INC loads the line (table 5.4: 1)"),
    P5("data_write_miss", 0, "the line is in the cache by then (table 5.4: 0)"),
    P5_TELL("data_cache_lines_written_back", 1, TRUTH_LISTED,
            "table 5.4 has 0; here a WBINVD at the end writes the changed line back"),
    P6("dcu_lines_in", 1, "the first INC loads the line"),
    P6("dcu_m_lines_out", 1, "written back by the WBINVD at the end"),
    NB("1stl_cache_load_miss_retired", 1, "the first INC loads the line"),
    ON(CORE2, "r0f45", 1, "the first INC loads the line"),
    ON(BRIDGE, "r0151", 1, "the first INC loads the line"),
    ON(OLD, "r0141", 1, "the first INC loads the line"),
    ON(ZEN, "r8060", 1, "the first INC loads the line"),
    TRUTH_END,
};

static const struct truth_program programs[] = {
    {{"loads", "64 loads, one per line, all in L1", .payload = loads, .prepare = prepare_lines},
     one_sweep,
     0,
     loads_rows},
    {{"stores", "64 stores, one per line, all in L1", .payload = stores, .prepare = prepare_lines},
     one_sweep,
     0,
     stores_rows},
    {{"misaligned", "10 loads and 10 stores across 8 bytes", .payload = misaligned, .prepare = prepare_lines},
     fetch_argument,
     0,
     misaligned_rows},
    {{"locked", "10 LOCK INC and 5 XCHG with memory", .payload = locked}, NULL, 0, locked_rows},
    {{"program_2", "Safford's program 2, figure 5.11: 3 misaligned read-modify-writes", .payload = program_2},
     frame,
     0,
     program_2_rows},
    {{"program_2_cold", "the same after WBINVD", .payload = program_2_cold, .before = truth_flush},
     frame_cold,
     TRUTH_RING0,
     program_2_cold_rows},
};
const struct truth_theme truth_data = {programs, sizeof programs / sizeof *programs};
