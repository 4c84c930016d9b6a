/* Matches of breakpoints, which a Pentium counts whether they are enabled or not (SDM vol. 3B table 19-38,
 * 23h to 26h). */
#include "bench/truth.h"
#include "kernel/breakpoint.h"

#define STR_(x) #x
#define STR(x)  STR_(x)
#define PORT    0x61 /* system control: reading it changes nothing */

/* Words of the argument: LINE is what the program loads and stores. */
enum { LINE };

/* The loop's head is reached by jumps only: where it follows another instruction it may be in the V pipe, and
 * code at a breakpoint that is not enabled is looked at in the U pipe only. */
TRUTH_PAYLOAD(breakpoints, TRUTH_ARG_TO_C
              ".rept 10\n\tmovl (" TRUTH_C "), %eax\n\t.endr\n\t"
              ".rept 5\n\tmovl %eax, 4(" TRUTH_C ")\n\t.endr\n\t"
              "movb 6(" TRUTH_C "), %al\n\t"
              "movw %ax, 2(" TRUTH_C ")\n\t"
              ".rept 3\n\tinb $" STR(PORT) ", %al\n\t.endr\n\t"
                                           "movl $7, %edx\n\t"
                                           "jmp 1f\n\t"
                                           ".balign 16\n"
                                           ".globl truth_breakpoint_head\ntruth_breakpoint_head:\n"
                                           "1:\n\tdecl %edx\n\t"
                                           "jnz 1b")
extern const char truth_breakpoint_head[];

static bool prepare(struct bench_run *run)
{
    if (!truth_array(run, TRUTH_LINE)) return false;
    const uintptr_t at = truth_words(run)[LINE];
    breakpoint_describe(0, at, BREAKPOINT_ACCESS, 4);
    breakpoint_describe(1, at + 4, BREAKPOINT_WRITE, 2);
    breakpoint_describe(2, PORT, BREAKPOINT_IO, 1);
    breakpoint_describe(3, (uintptr_t)truth_breakpoint_head, BREAKPOINT_CODE, 1);
    return true;
}

static const struct truth_row rows[] = {
    P5("breakpoint_match_on_dr0_register", 11, "10 loads, and the store of 2 bytes into its end"),
    P5("breakpoint_match_on_dr1_register", 5, "5 stores of 4 bytes; the load beside them is none"),
    P5("breakpoint_match_on_dr2_register", 3, "3 reads of the port"),
    P5("breakpoint_match_on_dr3_register", 7, "7 turns, each behind a jump"),
    TRUTH_END,
};

static const struct truth_program programs[] = {
    {{"breakpoints", "accesses, reads of a port and turns of a loop under four breakpoints",
      .payload = breakpoints, .prepare = prepare},
     NULL,
     TRUTH_RING0,
     rows},
};
const struct truth_theme truth_breakpoints = {programs, sizeof programs / sizeof *programs};
