/* Latency and throughput of the arithmetic units and of the first-level data cache: the table of D. Heller's
 * notes on rabbit, "Pipeline Latency (Pentium Pro)", a benchmark a line.
 *
 * Latency: each operation waits for the one before, so n of them take n latencies. Throughput: none waits for
 * another one (x87: each waits for the seventh before it), so the unit is never without work. FDIV takes as
 * long as the precision of the x87's control word asks for, so it is three lines. The operands are ordinary
 * numbers: there is no zero, no power of two to divide by, no exception but the inexact result, which is
 * masked. */
#include "bench/bench.h"

/* CHAINS: the x87's other registers; where an add or a multiplication begins in each clock, none has a longer
 * latency. UNROLL is a multiple of it; next to so many operations the loop's own two instructions are little.
 */
#define CHAINS 7
#define UNROLL 70

#define STR_(x) #x
#define STR(x)  STR_(x)

/* The precision control of the x87's control word (SDM 1, 8.1.5.2), with all exceptions masked. */
enum x87_control { X87_SINGLE = 0x007f, X87_DOUBLE = 0x027f, X87_EXTENDED = 0x037f };

struct unit_arg {
    uint32_t turns;
    uint16_t control, found; /* the x87's control word: of the operations; the one before, which comes back */
    void *self;              /* its own address, for the chain of loads */
};

#define REPEAT(n, text) ".rept " STR(n) "\n\t" text "\n\t.endr\n\t"
#define EACH(operation) REPEAT(UNROLL, operation)
/* `body` is UNROLL operations; %0 counts turns. */
#define TURNS(body)     "\n1:\n\t" body "decl %0\n\tjnz 1b\n\t"

/* ---- integer multiply, load ---- */

PAYLOAD static void imul_latency(void *arg)
{
    uint32_t turns = ((const struct unit_arg *)arg)->turns, x = 3;
    __asm__ volatile(TURNS(EACH("imull %1, %1")) : "+r"(turns), "+r"(x)::"cc");
}

/* The form with three operands only writes its result. */
PAYLOAD static void imul_throughput(void *arg)
{
    uint32_t turns = ((const struct unit_arg *)arg)->turns, x;
    __asm__ volatile(TURNS(EACH("imull $7, %2, %1")) : "+r"(turns), "=&r"(x) : "r"(3) : "cc");
}

PAYLOAD static void load_latency(void *arg)
{
    uint32_t turns = ((const struct unit_arg *)arg)->turns;
    void *p = &((struct unit_arg *)arg)->self;
    __asm__ volatile(TURNS(EACH("mov (%1), %1")) : "+r"(turns), "+r"(p)::"cc", "memory");
}

PAYLOAD static void load_throughput(void *arg)
{
    uint32_t turns = ((const struct unit_arg *)arg)->turns;
    void *p = &((struct unit_arg *)arg)->self, *loaded;
    __asm__ volatile(TURNS(EACH("mov (%2), %1")) : "+r"(turns), "=&r"(loaded) : "r"(p) : "cc", "memory");
}

/* ---- x87 ---- */

/* With `top` in ST and `others` in ST(1) to ST(7). All eight are empty again behind the body. */
#define X87(others, top, body)                                                          \
    struct unit_arg *unit = arg;                                                        \
    uint32_t turns = unit->turns;                                                       \
    __asm__ volatile("fnstcw %2\n\tfldcw %1\n\t" REPEAT(CHAINS, others) top TURNS(body) \
                         REPEAT(1 + CHAINS, "fstp %%st") "fldcw %2"                     \
                     : "+r"(turns)                                                      \
                     : "m"(unit->control), "m"(unit->found)                             \
                     : "cc", "memory", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)")

/* An operation of ST and ST(i), by its two bytes: assemblers differ in which one FDIV is, and which FDIVR. */
#define EACH_BYTES(first, second) EACH(".byte " first ", " second)
/* One of each ST(i) in turn, which is where the result goes. */
#define EACH_CHAIN(second) \
    REPEAT(UNROLL / CHAINS, ".set i, 0\n\t" REPEAT(CHAINS, ".set i, i + 1\n\t.byte 0xdc, " second " + i"))

/* FADD ST, ST(1); FADD ST(i), ST. */
PAYLOAD static void fadd_latency(void *arg) { X87("fldln2", "fldpi", EACH_BYTES("0xd8", "0xc1")); }
PAYLOAD static void fadd_throughput(void *arg) { X87("fldln2", "fldpi", EACH_CHAIN("0xc0")); }

/* FMUL ST, ST(1); FMUL ST(i), ST; by 1, so that products neither grow nor vanish. */
PAYLOAD static void fmul_latency(void *arg) { X87("fld1", "fldpi", EACH_BYTES("0xd8", "0xc9")); }
PAYLOAD static void fmul_throughput(void *arg) { X87("fldln2", "fld1", EACH_CHAIN("0xc8")); }

/* FDIVR ST, ST(1): ST = ST(1) / ST; FDIVR ST(i), ST: ST(i) = ST / ST(i). Two in a row give the first number
 * again. */
PAYLOAD static void fdiv_latency(void *arg) { X87("fldln2", "fldpi", EACH_BYTES("0xd8", "0xf9")); }
PAYLOAD static void fdiv_throughput(void *arg) { X87("fldln2", "fldpi", EACH_CHAIN("0xf0")); }

/* ---- the table ---- */

static bool prepare(struct bench_run *run)
{
    struct unit_arg *unit = run->arg;
    const uint16_t *control = run->own;
    *unit = (struct unit_arg){.turns = (uint32_t)(run->param[0] / UNROLL),
                              .control = control ? *control : X87_EXTENDED};
    unit->self = &unit->self;
    run->ops = (double)run->param[0];
    return true;
}

static const uint16_t single = X87_SINGLE, twice = X87_DOUBLE, extended = X87_EXTENDED;

#define UNIT(id, what, unit, x87, expected)                                                               \
    BENCHMARK(id) = {                                                                                     \
        .program = {.name = #id, .desc = what, .prepare = prepare, .own = x87},                           \
        .op = #unit,                                                                                      \
        .cost = expected,                                                                                 \
        BENCH_PARAM_LIST({"n", "operations", "in one repetition", UNROLL, 1400000, UNROLL, 1400, false}), \
        .variant = {{"latency", unit##_latency}, {"throughput", unit##_throughput}},                      \
    }

/* Expected: core cycles. Of P6 by Heller's notes; of a Pentium by its Developer's Manual, volume 3,
 * instruction timing. */
UNIT(imul, "32-bit integer multiplications", imul, NULL, "latency 4, throughput 1 on P6");
UNIT(l1_load, "loads that hit the first-level cache", load, NULL, "latency 3, throughput 1 on P6");
UNIT(fadd, "x87 adds", fadd, NULL, "latency 3, throughput 1 on P6 and on a Pentium");
UNIT(fmul, "x87 multiplications", fmul, NULL, "latency 5, throughput 2 on P6; 3 and 2 on a Pentium");
UNIT(fdiv_single, "x87 divisions to single precision", fdiv, &single,
     "17 on P6, not pipelined; 19 on a Pentium");
UNIT(fdiv_double, "x87 divisions to double precision", fdiv, &twice,
     "32 on P6, not pipelined; 33 on a Pentium");
UNIT(fdiv_extended, "x87 divisions to extended precision", fdiv, &extended,
     "37 on P6, not pipelined; 39 on a Pentium");
