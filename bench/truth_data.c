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

#define LINES 64

static bool prepare_lines(struct bench_run *run) { return truth_array(run, LINES * TRUTH_LINE); }

/* A load, or a store, in each of 64 lines: 2 KiB, which every L1 has in half of its sets. One sweep brings
 * them, the next one, back from the last line, finds them there: 1 + 64 x 4 instructions, 64 branches, 63 of
 * them taken. */
#define UP           "movl $64, %edx\n1:\n\tmovl (" TRUTH_C "), %eax\n\tadd $32, " TRUTH_C "\n\tdec %edx\n\tjnz 1b\n\t"
#define DOWN(access) "movl $64, %edx\n2:\n\tsub $32, " TRUTH_C "\n\t" access "\n\tdec %edx\n\tjnz 2b\n\t"
TRUTH_PAYLOAD(one_sweep, TRUTH_ARG_TO_C UP)
TRUTH_PAYLOAD(loads, TRUTH_ARG_TO_C UP DOWN("movl (" TRUTH_C "), %eax"))
TRUTH_PAYLOAD(stores, TRUTH_ARG_TO_C UP DOWN("movl %eax, (" TRUTH_C ")"))

static const struct truth_row loads_rows[] = {
    P5("instructions_executed", 257, "1 + 64 x 4"),
    P5("data_read", 64, "64 loads"),
    P5("data_write", 0, "none"),
    P5("data_read_or_write", 64, "64 loads"),
    P5("data_read_miss", 0, "the sweep before has brought all lines"),
    P5("misaligned_data_memory_or_io_references", 0, "all are aligned"),
    P6("inst_retired", 257, "1 + 64 x 4"),
    P6("data_mem_refs", 64, "64 loads"),
    P6("dcu_lines_in", 0, "the sweep before has brought all lines"),
    P6("l2_ld", 0, "the sweep before has brought all lines"),
    P6("misalign_mem_ref", 0, "all are aligned"),
    TRUTH_END,
};
static const struct truth_row stores_rows[] = {
    P5("instructions_executed", 257, "1 + 64 x 4"),
    P5("data_read", 0, "none"),
    P5("data_write", 64, "64 stores"),
    P5("data_write_miss", 0, "the loads before have brought all lines"),
    P5("write_hit_to_m_or_e_state_lines", 64, "the loads before have brought all lines"),
    P6("inst_retired", 257, "1 + 64 x 4"),
    P6("data_mem_refs", 64, "64 stores"),
    P6("dcu_lines_in", 0, "the loads before have brought all lines"),
    P6("l2_st", 0, "the lines are exclusive: no ownership is asked for"),
    TRUTH_END,
};

/* ---- misaligned ---- */

/* 4 bytes from offset 5 of a line on: across a boundary of 8, within the line. */
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
    TRUTH_END,
};

/* ---- locked ---- */

/* Below the stack pointer, where nothing is: interrupts do not come. */
#define BELOW "-64(" TRUTH_SP ")"
TRUTH_PAYLOAD(locked,
              ".rept 10\n\tlock\n\tincl " BELOW "\n\t.endr\n\t.rept 5\n\txchgl %eax, " BELOW "\n\t.endr")

static const struct truth_row locked_rows[] = {
    P5("instructions_executed", 15, "10 LOCK INC and 5 XCHG"),
    P5("locked_bus_cycle", 15, "10 LOCK INC and 5 XCHG, the read of each"),
    P5("data_read", 15, "each reads"),
    P5("data_write", 15, "and writes"),
    P6("inst_retired", 15, "10 LOCK INC and 5 XCHG"),
    P6("data_mem_refs", 30, "each reads and writes"),
    TRUTH_END,
};

/* ---- Safford's program 2 ---- */

/* Figure 5.11 on a stack that is aligned first, so that the three misaligned words lie in one line: 28 bytes
 * below a line's beginning the frame begins, and -511(EBP) is byte 9 of a line. The base is the aligning
 * alone. */
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
/* The base touches the stack as well, by a PUSH and a POP in the place of PUSH and LEAVE. */
#define TOUCH "push " TRUTH_BP "\n\tpop " TRUTH_BP "\n\t"

TRUTH_PAYLOAD(frame, FRAME UNFRAME)
TRUTH_PAYLOAD(program_2, FRAME PROGRAM_2 UNFRAME)
TRUTH_PAYLOAD(frame_cold, "wbinvd\n\t" FRAME TOUCH UNFRAME "\n\twbinvd")
TRUTH_PAYLOAD(program_2_cold, "wbinvd\n\t" FRAME PROGRAM_2 UNFRAME "\n\twbinvd")

static const struct truth_row program_2_rows[] = {
    P5("instructions_executed", 17, "4 + 3 x 4 + LEAVE"),
    P5_TELL("data_read", 7, NULL,
            "3 INC and LEAVE are 4; the misaligned ones count twice, as table 5.4 has measured it"),
    P5_TELL("data_write", 7, NULL,
            "3 INC and PUSH are 4; the misaligned ones count twice, as table 5.4 has measured it"),
    P5("misaligned_data_memory_or_io_references", 6, "3 INC, read and write"),
    P5_TELL("branches", 3, NULL, "table 5.4 has 4; figure 5.11 executes one in each of 3 turns"),
    P6("inst_retired", 17, "4 + 3 x 4 + LEAVE"),
    P6("data_mem_refs", 8, "3 INC read and write, PUSH, LEAVE; none across lines"),
    P6("br_inst_retired", 3, "one in each of 3 turns"),
    P6("misalign_mem_ref", 4,
       "one of the 3 words crosses 8 bytes: both halves, read and write; the manual calls the event "
       "approximate"),
    TRUTH_END,
};
static const struct truth_row program_2_cold_rows[] = {
    P5("data_read_miss", 1, "the first INC brings the line (table 5.4: 1)"),
    P5("data_write_miss", 0, "its line is there by then (table 5.4: 0)"),
    P5_TELL("data_cache_lines_written_back", 1, NULL,
            "table 5.4 has 0; here a WBINVD at the end writes back the line that was changed"),
    P6("dcu_lines_in", 1, "the first INC brings the line"),
    P6("dcu_m_lines_out", 1, "written back by the WBINVD at the end"),
    TRUTH_END,
};

static const struct truth_program programs[] = {
    {"loads", "64 loads, one a line, all in L1", loads, one_sweep, prepare_lines, false, loads_rows},
    {"stores", "64 stores, one a line, all in L1", stores, one_sweep, prepare_lines, false, stores_rows},
    {"misaligned", "10 loads and 10 stores across 8 bytes", misaligned, fetch_argument, prepare_lines, false,
     misaligned_rows},
    {"locked", "10 LOCK INC and 5 XCHG with memory", locked, NULL, NULL, false, locked_rows},
    {"program_2", "Safford's program 2, figure 5.11: 3 misaligned read-modify-writes", program_2, frame, NULL,
     false, program_2_rows},
    {"program_2_cold", "the same behind WBINVD", program_2_cold, frame_cold, NULL, true, program_2_cold_rows},
};
const struct truth_theme truth_data = {programs, sizeof programs / sizeof *programs};
