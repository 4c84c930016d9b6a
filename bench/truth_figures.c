/* The programs of Safford's figures 5.7 and 5.8: a loop with two exits, and the same program in three parts
 * whose counts add up to its own. The thesis marks these parts as regions; tests/payload/p5mon/ has them with
 * its markers. Here a part is what the program counts beyond its base, the program without that part.
 *
 * printf() is the empty routine at the end. The first RET is the payload's own, which is not counted. */
#include "bench/truth.h"

#define ENTER(start)                                                            \
    "push " TRUTH_BP "\n\t"                                                     \
    "mov " TRUTH_SP ", " TRUTH_BP "\n\t"                                        \
    "movl $" start ", %ecx\n\t" /* XOR in the figures, whose ECX begins at 0 */ \
    "movl $9, %eax\n\t"         /* 4 */
#define LOOP            \
    "1:\n\t"            \
    "incl %edx\n\t"     \
    "addl $2, %ecx\n\t" \
    "jns 3f\n\t"        \
    "decl %eax\n\t"     \
    "jns 1b\n\t"
/* After the loop's end, and after the exit in its middle. */
#define PRINT_EDX "push " TRUTH_D "\n\tpush $0\n\tcall 2f\n\tjmp 4f\n\t"
#define PRINT_ECX "3:\n\tpush " TRUTH_C "\n\tpush $0\n\tcall 2f\n\t"
#define LEAVE     "4:\n\txorl %eax, %eax\n\tleave\n\tret\n2:" /* printf()'s RET, and these two */

#define WITH_LOOP(start) ENTER(start) LOOP PRINT_EDX PRINT_ECX LEAVE
TRUTH_PAYLOAD(figure_first_turn, WITH_LOOP("0"))
TRUTH_PAYLOAD(figure_sixth_turn, WITH_LOOP("-12"))
TRUTH_PAYLOAD(figure_last_turn, WITH_LOOP("-100"))
TRUTH_PAYLOAD(figure_by_the_middle, ENTER("0") PRINT_ECX LEAVE)
TRUTH_PAYLOAD(figure_by_the_end, ENTER("0") PRINT_EDX LEAVE)

static const struct truth_row first_turn_rows[] = {
    ALL("instructions", 3, "INC, ADD, JNS: ECX is not negative any more"),
    ALL("branches", 1, "JNS"),
    P5("data_read_or_write", 0, "none"),
    P6("br_taken_retired", 1, "JNS"),
    P6("data_mem_refs", 0, "none"),
    NB("branch_retired:mmtp:mmtm", 1, "JNS"),
    NB("branch_retired:mmnp:mmnm", 0, "none"),
    ON(CORE2, "r0cc4", 1, "JNS"),
    ON(BRIDGE, "r20c4", 1, "JNS"),
    ON(AMD, "r00c4", 1, "JNS"),
    TRUTH_END,
};

/* ECX: -10, -8, ... */
static const struct truth_row sixth_turn_rows[] = {
    ALL("instructions", 28, "5 turns of 5, and INC, ADD, JNS"),
    ALL("branches", 11, "5 turns of 2, and JNS"),
    P6("br_taken_retired", 6, "the JNS at the end of 5 turns, and the one that leaves"),
    NB("branch_retired:mmtp:mmtm", 6, "the JNS at the end of 5 turns, and the one that leaves"),
    NB("branch_retired:mmnp:mmnm", 5, "the JNS in the middle of 5 turns"),
    ON(CORE2, "r0cc4", 6, "the JNS at the end of 5 turns, and the one that leaves"),
    ON(BRIDGE, "r20c4", 6, "the JNS at the end of 5 turns, and the one that leaves"),
    ON(BRIDGE, "r10c4", 5, "the JNS in the middle of 5 turns"),
    ON(AMD, "r00c4", 6, "the JNS at the end of 5 turns, and the one that leaves"),
    TRUTH_END,
};

/* EAX: 8 to -1; ECX stays negative. */
static const struct truth_row last_turn_rows[] = {
    ALL("instructions", 50, "10 turns of 5"),
    ALL("branches", 20, "10 turns of 2"),
    P6("br_taken_retired", 9, "the JNS at the end of 9 turns"),
    NB("branch_retired:mmtp:mmtm", 9, "the JNS at the end of 9 turns"),
    NB("branch_retired:mmnp:mmnm", 11, "the JNS in the middle of 10 turns, and the last one"),
    ON(CORE2, "r0cc4", 9, "the JNS at the end of 9 turns"),
    ON(BRIDGE, "r20c4", 9, "the JNS at the end of 9 turns"),
    ON(BRIDGE, "r10c4", 11, "the JNS in the middle of 10 turns, and the last one"),
    ON(AMD, "r00c4", 9, "the JNS at the end of 9 turns"),
    TRUTH_END,
};

static const struct truth_row whole_rows[] = {
    ALL("instructions", 13, "4 before the loop, 3 in it, 6 behind it"),
    ALL("branches", 3, "JNS; CALL, RET"),
    P5("data_read", 2, "RET, LEAVE"),
    P5("data_write", 4, "PUSH; 2 PUSH, CALL"),
    P6("br_taken_retired", 3, "JNS; CALL, RET"),
    P6("data_mem_refs", 6, "PUSH; 2 PUSH, CALL, RET, LEAVE"),
    NB("memory_loads", 1, "LEAVE; RET cannot be tagged (SDM 18.15.6.1)"),
    NB("memory_stores", 4, "PUSH; 2 PUSH, CALL"),
    ON(CORE2, "r0cc4", 3, "JNS; CALL, RET"),
    ON(BRIDGE, "r20c4", 3, "JNS; CALL, RET"),
    ON(LAKE, "r81d0", 2, "RET, LEAVE"),
    ON(LAKE, "r82d0", 4, "PUSH; 2 PUSH, CALL"),
    ON(AMD, "r00c4", 3, "JNS; CALL, RET"),
    ON(AMD, "r0040", 6, "PUSH; 2 PUSH, CALL, RET, LEAVE"),
    TRUTH_END,
};

static const struct truth_program programs[] = {
    {{"figure_5_7", "the loop of Safford's figure 5.7, left in its first turn", .payload = figure_first_turn},
     figure_by_the_middle,
     0,
     first_turn_rows},
    {{"figure_5_7_sixth", "the same loop, left in its sixth turn", .payload = figure_sixth_turn},
     figure_by_the_middle,
     0,
     sixth_turn_rows},
    {{"figure_5_7_last", "the same loop, left at the end of its tenth turn", .payload = figure_last_turn},
     figure_by_the_end,
     0,
     last_turn_rows},
    {{"figure_5_8", "Safford's figure 5.8, whose three regions make the whole", .payload = figure_first_turn},
     NULL,
     0,
     whole_rows},
};
const struct truth_theme truth_figures = {programs, sizeof programs / sizeof *programs};
