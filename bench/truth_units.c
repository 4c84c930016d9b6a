/* Arithmetic, segment registers, I/O. */
#include "bench/truth.h"

TRUTH_PAYLOAD(x87, "fld1\n\t" /* 1 */
                   "fld1\n\t"
                   ".rept 20\n\tfadd %st(1), %st\n\t.endr\n\t"
                   ".rept 20\n\tfmul %st(1), %st\n\t.endr\n\t"
                   ".rept 20\n\tfdiv %st(1), %st\n\t.endr\n\t"
                   "fstp %st\n\t" /* 63 */
                   "fstp %st")

static const struct truth_row x87_rows[] = {
    P5("instructions_executed", 64, "4 + 60"),
    P5("flops", 60, "20 FADD, 20 FMUL, 20 FDIV"),
    P6("inst_retired", 64, "4 + 60"),
    P6("flops", 60, "20 FADD, 20 FMUL, 20 FDIV"),
    P6("fp_comp_ops_exe", 60, "20 FADD, 20 FMUL, 20 FDIV"),
    P6("mul", 20, "20 FMUL"),
    P6("div", 20, "20 FDIV"),
    TRUTH_END,
};

TRUTH_PAYLOAD(integer, "movl $3, %ecx\n\t" /* 1 */
                       "movl $7, %eax\n\t"
                       ".rept 10\n\timull %ecx, %eax\n\t.endr\n\t"
                       ".rept 10\n\tmull %ecx\n\t.endr\n\t"
                       ".rept 10\n\txorl %edx, %edx\n\tdivl %ecx\n\t.endr") /* 42 */

static const struct truth_row integer_rows[] = {
    P5("instructions_executed", 42, "2 + 20 + 20"),
    P5("flops", 20, "10 IMUL and 10 MUL: the multiplier is the x87's (SDM)"),
    P6("inst_retired", 42, "2 + 20 + 20"),
    P6("mul", 20, "10 IMUL and 10 MUL"),
    P6("div", 10, "10 DIV"),
    P6("fp_comp_ops_exe", 30, "10 IMUL, 10 MUL, 10 DIV (SDM)"),
    P6("flops", 0, "integers are none"),
    TRUTH_END,
};

/* ES gets what DS has, which is allowed at either level. */
TRUTH_PAYLOAD(segments, "movl %ds, %eax\n\t"
                        ".rept 10\n\tmovl %eax, %es\n\t.endr")

static const struct truth_row segments_rows[] = {
    P5("instructions_executed", 11, "1 + 10"),
    P5("any_segment_register_loaded", 10, "10 loads of ES"),
    P6("inst_retired", 11, "1 + 10"),
    P6("segment_reg_loads", 10, "10 loads of ES"),
    TRUTH_END,
};

/* Port 61h, system control: reading it changes nothing. */
TRUTH_PAYLOAD(io, ".rept 10\n\tinb $0x61, %al\n\t.endr")

static const struct truth_row io_rows[] = {
    P5("instructions_executed", 10, "10 IN"),
    P5("io_read_or_write_cycle", 10, "10 IN of a byte"),
    P5("data_read_or_write", 0, "I/O is no memory"),
    P6("inst_retired", 10, "10 IN"),
    P6("bus_trans_io", 10, "10 IN of a byte"),
    P6("data_mem_refs", 0, "I/O is no memory"),
    TRUTH_END,
};

static const struct truth_program programs[] = {
    {"x87", "20 FADD, 20 FMUL, 20 FDIV", x87, NULL, NULL, false, x87_rows},
    {"integer", "10 IMUL, 10 MUL, 10 DIV", integer, NULL, NULL, false, integer_rows},
    {"segments", "10 loads of ES", segments, NULL, NULL, false, segments_rows},
    {"port", "10 reads of a port", io, NULL, NULL, true, io_rows},
};
const struct truth_theme truth_units = {programs, sizeof programs / sizeof *programs};
