/* Arithmetic, segment registers, I/O. */
#include "bench/truth.h"
#include <stdio.h>

TRUTH_PAYLOAD(x87, "fld1\n\t" /* 1 */
                   "fld1\n\t"
                   ".rept 20\n\tfadd %st(1), %st\n\t.endr\n\t"
                   ".rept 20\n\tfmul %st(1), %st\n\t.endr\n\t"
                   ".rept 20\n\tfdiv %st(1), %st\n\t.endr\n\t"
                   "fstp %st\n\t" /* 63 */
                   "fstp %st")

static const struct truth_row x87_rows[] = {
    ALL("instructions", 64, "4 + 60"),
    P5("flops", 60, "20 FADD, 20 FMUL, 20 FDIV"),
    P6("flops", 60, "20 FADD, 20 FMUL, 20 FDIV"),
    P6("fp_comp_ops_exe", 60, "20 FADD, 20 FMUL, 20 FDIV"),
    P6("mul", 20, "20 FMUL"),
    P6("div", 20, "20 FDIV"),
    NB("x87_fp_uop", 60, "20 FADD, 20 FMUL, 20 FDIV"),
    NB("x87_fp_retired", 60, "20 FADD, 20 FMUL, 20 FDIV"),
    ON(OLD | CLASS_ZEN, "r01cb", 64, "4 + 60"),
    TRUTH_END,
};

/* 2^8192 by squaring, then the square of its reciprocal: below the least normal number. It stays so when
 * multiplied by 1. */
TRUTH_PAYLOAD(denormal, "fld1\n\t"
                        "fld1\n\t"
                        "fadd %st, %st\n\t" /* 2 */
                        ".rept 13\n\tfmul %st, %st\n\t.endr\n\t"
                        "fdivr %st(1), %st\n\t"
                        "fmul %st, %st\n\t" /* 2^-16384; 18 */
                        ".rept 10\n\tfmul %st(1), %st\n\t.endr\n\t"
                        "fstp %st\n\t"
                        "fstp %st")

static const struct truth_row denormal_rows[] = {
    P6("inst_retired", 30, "18 + 10 + 2"),
    P6("flops", 26, "16 to get there, 10 FMUL"),
    P6("fp_assist", 10, "10 FMUL of a denormal number (by analogy with the Pentium 4)"),
    TRUTH_END,
};

/* Each assist of the x87 ten times: registers that are empty are read; a stack of eight is pushed upon;
 * 2^8192 is squared; the square of ln 2 / 2^8192 is less than the least normal number, and not exact (so that
 * its flag is raised); that number is multiplied by 2^8192, which makes a normal one. */
#define TEN(...) ".rept 10\n\t" __VA_ARGS__ "\n\t.endr\n\t"
TRUTH_PAYLOAD(assists, TEN("fadd %st(1), %st") "fstp %st\n\t"                             /* 11 */
                                               ".rept 8\n\tfld1\n\t.endr\n\t" TEN("fld1") /* 29 */
              ".rept 8\n\tfstp %st\n\t.endr\n\t"                                          /* 37 */
              "fld1\n\tfadd %st, %st\n\t.rept 13\n\tfmul %st, %st\n\t.endr\n\t"           /* 52: 2^8192 */
              TEN("fld %st\n\tfmul %st(1), %st\n\tfstp %st")                              /* 82 */
              "fldln2\n\tfdiv %st(1), %st\n\t"                /* 84: ln 2 / 2^8192 */
              TEN("fld %st\n\tfmul %st(1), %st\n\tfstp %st")  /* 114 */
              "fld1\n\tfdiv %st(2), %st\n\tfmul %st, %st\n\t" /* 117: 2^-16384 */
              TEN("fld %st\n\tfmul %st(3), %st\n\tfstp %st")  /* 147 */
              "fstp %st\n\tfstp %st\n\tfstp %st")             /* 150 */

static const struct truth_row assists_rows[] = {
    NB("instr_retired", 150, "all"),
    NB("x87_assist:fpsu", 10, "10 FADD of empty registers"),
    NB("x87_assist:fpso", 10, "10 FLD1 upon a full stack"),
    NB("x87_assist:poao", 10, "10 FMUL whose product is too large"),
    NB("x87_assist:poau", 10, "10 FMUL whose product is too small"),
    NB("x87_assist:prea", 10, "10 FMUL of a denormal number"),
    P6("fp_assist", 40, "40 of the 50: FLD1 is no calculation (by analogy with the Pentium 4)"),
    TRUTH_END,
};

TRUTH_PAYLOAD(integer, "movl $3, %ecx\n\t" /* 1 */
                       "movl $7, %eax\n\t"
                       ".rept 10\n\timull %ecx, %eax\n\t.endr\n\t"
                       ".rept 10\n\tmull %ecx\n\t.endr\n\t"
                       ".rept 10\n\txorl %edx, %edx\n\tdivl %ecx\n\t.endr") /* 42 */

static const struct truth_row integer_rows[] = {
    ALL("instructions", 42, "2 + 20 + 20"),
    P5("flops", 20, "10 IMUL and 10 MUL: the multiplier is the x87's (SDM)"),
    P6("mul", 20, "10 IMUL and 10 MUL"),
    P6("div", 10, "10 DIV"),
    P6("fp_comp_ops_exe", 30, "10 IMUL, 10 MUL, 10 DIV (SDM)"),
    P6("flops", 0, "integer operations do not count"),
    TRUTH_END,
};

/* ES gets the selector of DS, which is allowed at either level. */
TRUTH_PAYLOAD(segments, "movl %ds, %eax\n\t"
                        ".rept 10\n\tmovl %eax, %es\n\t.endr")

static const struct truth_row segments_rows[] = {
    ALL("instructions", 11, "1 + 10"),
    P5("any_segment_register_loaded", 10, "10 loads of ES"),
    P6("segment_reg_loads", 10, "10 loads of ES"),
    TRUTH_END,
};

/* Port 61h, system control: reading it changes nothing. */
TRUTH_PAYLOAD(io, ".rept 10\n\tinb $0x61, %al\n\t.endr")

static const struct truth_row io_rows[] = {
    ALL("instructions", 10, "10 IN"),
    P5("io_read_or_write_cycle", 10, "10 IN of a byte"),
    P5("data_read_or_write", 0, "I/O is not a memory access"),
    P6("bus_trans_io", 10, "10 IN of a byte"),
    P6("data_mem_refs", 0, "I/O is not a memory access"),
    NB("memory_loads", 0, "I/O is not a memory access, and cannot be tagged"),
    ON(AMD, "r0040", 0, "I/O is not a memory access"),
    TRUTH_END,
};

/* ---- interrupts ---- */

/* Requests n interrupts and waits until the last one has come, or for a million turns: tenths of a second on
 * the slowest CPU. Then EDX is 0, and the request is cancelled. */
#define INTERRUPTS(n)                     \
    "movl $" #n ", %eax\n\t"              \
    "movl $1000000, %edx\n\t"             \
    "int $0x31\n" /* VECTOR_TIMER_CALL */ \
    "1:\n\t"                              \
    "testl %eax, %eax\n\t"                \
    "jz 2f\n\t"                           \
    "decl %edx\n\t"                       \
    "jnz 1b\n\t"                          \
    "xorl %eax, %eax\n\t"                 \
    "int $0x31\n"                         \
    "2:"
TRUTH_PAYLOAD(interrupt, INTERRUPTS(1))
TRUTH_PAYLOAD(interrupts, INTERRUPTS(5))

/* A timer that does not interrupt would look like a counter that does not count. */
static bool prepare_timer(struct bench_run *run)
{
    uint32_t turns_left;
    __asm__ volatile("call *%1" : "=d"(turns_left) : "c"(interrupt) : "eax", "cc", "memory");
    if (!turns_left) snprintf(run->error, sizeof run->error, "the local APIC's timer does not interrupt");
    return turns_left != 0;
}

static const struct truth_row interrupt_rows[] = {
    P5("hardware_interrupts", 1, "the timer's"),
    P6("hw_int_rx", 1, "the timer's"),
    ON(CORE2, "r00c8", 1, "the timer's"),
    ON(INTERRUPTS, "r01cb", 1, "the timer's"),
    ON(OLD, "r00cf", 1, "the timer's"),
    ON(ZEN4, "r002c", 1, "the timer's"),
    TRUTH_END,
};
static const struct truth_row interrupts_rows[] = {
    P5("hardware_interrupts", 5, "the timer's, one after the other"),
    P6("hw_int_rx", 5, "the timer's, one after the other"),
    ON(CORE2, "r00c8", 5, "the timer's, one after the other"),
    ON(INTERRUPTS, "r01cb", 5, "the timer's, one after the other"),
    ON(OLD, "r00cf", 5, "the timer's, one after the other"),
    ON(ZEN4, "r002c", 5, "the timer's, one after the other"),
    TRUTH_END,
};

static const struct truth_program programs[] = {
    {{"x87", "20 FADD, 20 FMUL, 20 FDIV", .payload = x87}, NULL, 0, x87_rows},
    {{"denormal", "10 FMUL of a denormal number", .payload = denormal}, NULL, 0, denormal_rows},
    {{"assists", "10 x87 instructions for each of the five assists", .payload = assists},
     NULL,
     0,
     assists_rows},
    {{"integer", "10 IMUL, 10 MUL, 10 DIV", .payload = integer}, NULL, 0, integer_rows},
    {{"segments", "10 loads of ES", .payload = segments}, NULL, 0, segments_rows},
    {{"port", "10 reads of a port", .payload = io}, NULL, TRUTH_RING0, io_rows},
    {{"interrupt", "one interrupt of the local APIC's timer", .payload = interrupt, .prepare = prepare_timer},
     NULL,
     TRUTH_TIMER,
     interrupt_rows},
    {{"interrupts", "five interrupts of it, one after the other", .payload = interrupts,
      .prepare = prepare_timer},
     NULL,
     TRUTH_TIMER,
     interrupts_rows},
};
const struct truth_theme truth_units = {programs, sizeof programs / sizeof *programs};
