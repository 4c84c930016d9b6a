/* Instructions, branches, and where code is read from. Payloads begin on a line (PAYLOAD), and so on a block
 * of 16. */
#include "bench/truth.h"

/* ---- straight-line code ---- */

/* 1,000 INCs of one byte and the RET: 1,001 bytes are 63 blocks of 16, of which the empty payload has one. */
TRUTH_PAYLOAD(straight, ".rept 1000\n\tinc %eax\n\t.endr")

static const struct truth_row straight_rows[] = {
    P5("instructions_executed", 1000, "1,000 INC"),
    P5("branches", 0, "none"),
    P5("btb_hits", 0, "none"),
    P5("data_read_or_write", 0, "none"),
    P5("code_read", 62, "blocks of 16 bytes that the code lies in; the CPU may read ahead"),
    P5("any_segment_register_loaded", 0, "none"),
    P5("flops", 0, "none"),
    P5("hardware_interrupts", 0, "all are masked"),
    P6("inst_retired", 1000, "1,000 INC"),
    P6("inst_decoded", 1000, "1,000 INC; what is decoded in vain, in speculation, comes on top"),
    P6("br_inst_retired", 0, "none"),
    P6("data_mem_refs", 0, "none"),
    P6("ifu_ifetch", 62, "blocks of 16 bytes that the code lies in; speculation comes on top"),
    P6("segment_reg_loads", 0, "none"),
    P6("hw_int_rx", 0, "all are masked"),
    TRUTH_END,
};

/* ---- the same with nothing in the caches ---- */

/* WBINVD has 2 bytes, XOR too: 403 bytes are 13 lines, of which the base has one. */
TRUTH_PAYLOAD(flush, "wbinvd")
TRUTH_PAYLOAD(straight_cold, "wbinvd\n\t.rept 200\n\txorl %eax, %eax\n\t.endr")

#define LINES_12 "12 lines of code that WBINVD has thrown out"
static const struct truth_row straight_cold_rows[] = {
    P5("instructions_executed", 200, "200 XOR"),
    P5("code_cache_miss", 12, LINES_12),
    P6("inst_retired", 200, "200 XOR"),
    P6("ifu_ifetch_miss", 12, LINES_12),
    P6("l2_ifetch", 12, LINES_12),
    P6("l2_ifetch:i", 12, LINES_12),
    P6("bus_tran_ifetch", 12, LINES_12),
    TRUTH_END,
};

/* ---- a counted loop ---- */

TRUTH_PAYLOAD(loop, "movl $200, %ecx\n" /* 1 */
                    "1:\n\t"
                    "inc %eax\n\t" /* 200 times these 3 */
                    "dec %ecx\n\t"
                    "jnz 1b")

static const struct truth_row loop_rows[] = {
    P5("instructions_executed", 601, "1 + 200 x 3"),
    P5("branches", 200, "one in each turn"),
    P5("taken_branches", 199, "all but the last"),
    P6("inst_retired", 601, "1 + 200 x 3"),
    P6("br_inst_retired", 200, "one in each turn"),
    P6("br_taken_retired", 199, "all but the last"),
    TRUTH_END,
};

/* ---- branches, taken and not ---- */

/* Each JMP skips two bytes that are never executed: four bytes apart, no two of them share a set of the P5's
 * branch target buffer. */
TRUTH_PAYLOAD(taken, ".rept 50\n\tjmp .+4\n\tnop\n\tnop\n\t.endr")

static const struct truth_row taken_rows[] = {
    P5("instructions_executed", 50, "50 JMP"),
    P5("branches", 50, "50 JMP"),
    P5("taken_branches", 50, "50 JMP"),
    P5("btb_hits", 50, "each was entered by the runs before"),
    P5("taken_branch_or_btb_hit", 50, "50 JMP"),
    P5("pipeline_flushes", 0, "all are predicted"),
    P5("code_read", 50, "one after each taken branch"),
    P6("inst_retired", 50, "50 JMP"),
    P6("br_inst_retired", 50, "50 JMP"),
    P6("br_taken_retired", 50, "50 JMP"),
    P6("ifu_ifetch", 50, "one after each taken branch; speculation comes on top"),
    TRUTH_END,
};

TRUTH_PAYLOAD(not_taken, "xorl %eax, %eax\n\t" /* 1: ZF is set */
                         ".rept 50\n\tjnz 1f\n\t.endr\n"
                         "1:")

static const struct truth_row not_taken_rows[] = {
    P5("instructions_executed", 51, "XOR and 50 JNZ"),
    P5("branches", 50, "50 JNZ"),
    P5("taken_branches", 0, "none is taken"),
    P5("btb_hits", 0, "a branch never taken gets no entry"),
    P5("taken_branch_or_btb_hit", 0, "neither"),
    P5("pipeline_flushes", 0, "what has no entry is predicted not taken"),
    P6("inst_retired", 51, "XOR and 50 JNZ"),
    P6("br_inst_retired", 50, "50 JNZ"),
    P6("br_taken_retired", 0, "none is taken"),
    TRUTH_END,
};

/* 10 CALLs of one RET, jumped over at the end. */
TRUTH_PAYLOAD(calls, ".rept 10\n\tcall 1f\n\t.endr\n\t"
                     "jmp 2f\n"
                     "1:\n\t"
                     "ret\n"
                     "2:")

static const struct truth_row calls_rows[] = {
    P5("instructions_executed", 21, "10 CALL, 10 RET, JMP"),
    P5("branches", 21, "10 CALL, 10 RET, JMP"),
    P5("data_read", 10, "10 RET"),
    P5("data_write", 10, "10 CALL"),
    P5("returns", 10, "10 RET"),
    P6("inst_retired", 21, "10 CALL, 10 RET, JMP"),
    P6("br_inst_retired", 21, "10 CALL, 10 RET, JMP"),
    P6("br_taken_retired", 21, "10 CALL, 10 RET, JMP"),
    P6("data_mem_refs", 20, "10 CALL, 10 RET"),
    TRUTH_END,
};

/* ---- Safford's program 1 ---- */

/* Figure 5.10 from begreg to endreg, and the instruction that takes EBP from the stack again, which the
 * figure has left out: without it its RET would return to the old EBP. The first three have 8 bytes, so that
 * the loop is aligned without a filler. */
TRUTH_PAYLOAD(program_1, "push " TRUTH_BP "\n\t" /* 1 */
                         "movl %esp, %ebp\n\t"   /* 2 */
                         "movl $99, %eax\n"      /* 3 */
                         "1:\n\t"
                         "inc %edx\n\t" /* 100 times these 3 */
                         "dec %eax\n\t"
                         "jns 1b\n\t"
                         "xorl %eax, %eax\n\t" /* 304 */
                         "pop " TRUTH_BP)      /* 305 */

static const struct truth_row program_1_rows[] = {
    P5_TELL(
        "instructions_executed", 305, NULL,
        "3 + 100 x 3 + XOR + POP, as table 5.3 has it; figure 5.10 shows 304, without what takes EBP back"),
    P5("branches", 100, "one in each turn"),
    P5_TELL(
        "btb_hits", 99, NULL,
        "table 5.3 has 98 for a first run, whose first branch is not yet in the buffer; here it is, from the "
        "run before"),
    P5("taken_branch_or_btb_hit", 100, "99 taken, the last one found in the buffer"),
    P5_TELL("pipeline_flushes", 1, NULL,
            "table 5.3 has 2 for a first run: entering the loop and leaving it; entering is predicted here"),
    P6_TELL("inst_retired", 305, NULL, "3 + 100 x 3 + XOR + POP; figure 5.10 shows 304, without the POP"),
    P6("br_inst_retired", 100, "one in each turn"),
    P6("br_taken_retired", 99, "all but the last"),
    P6("data_mem_refs", 2, "PUSH and POP"),
    TRUTH_END,
};

/* ---- code on several pages ---- */

#define PAGE  4096
#define PAGES 4

/* In the kernel's own first 4 MiB, which are mapped by pages of 4 KiB; the pool is not. A jump at the
 * beginning of each page leads to the same place of the next one; each on lines of its own, since caches are
 * no part of this. */
static uint8_t code_page[PAGES * PAGE] __attribute__((aligned(PAGE)));

static bool prepare_pages(struct bench_run *run)
{
    for (unsigned i = 0; i < PAGES; i++) {
        uint8_t *at = code_page + i * PAGE;
        at[0] = i + 1 < PAGES ? 0xe9 : 0xc3; /* JMP rel32, or RET */
        *(volatile uint32_t *)(at + 1) = PAGE - 5;
    }
    truth_words(run)[0] = (uintptr_t)code_page;
    truth_words(run)[1] = (uintptr_t)code_page + (PAGES - 1) * PAGE;
    return true;
}

/* MOV CR3 empties the TLBs. The base calls the last page alone. */
#define FLUSH_TLB "mov %cr3, " TRUTH_A "\n\tmov " TRUTH_A ", %cr3\n\t"
TRUTH_PAYLOAD(last_page, TRUTH_ARG FLUSH_TLB "call *" TRUTH_WORD(1))
TRUTH_PAYLOAD(code_pages, TRUTH_ARG FLUSH_TLB "call *" TRUTH_WORD(0))

static const struct truth_row pages_rows[] = {
    P5("code_tlb_miss", PAGES - 1, "pages that the TLB does not have after MOV CR3"),
    P5("branches", PAGES - 1, "JMP from page to page"),
    P6("itlb_miss", PAGES - 1, "pages that the TLB does not have after MOV CR3"),
    P6("br_inst_retired", PAGES - 1, "JMP from page to page"),
    TRUTH_END,
};

static const struct truth_program programs[] = {
    {"straight", "1,000 INC in a row", straight, NULL, NULL, false, straight_rows},
    {"loop", "a loop of 200 turns", loop, NULL, NULL, false, loop_rows},
    {"taken", "50 jumps, each over two bytes", taken, NULL, NULL, false, taken_rows},
    {"not_taken", "50 branches that are not taken", not_taken, NULL, NULL, false, not_taken_rows},
    {"calls", "10 calls of an empty routine", calls, NULL, NULL, false, calls_rows},
    {"program_1", "Safford's program 1, figure 5.10: a loop of 100 turns", program_1, NULL, NULL, false,
     program_1_rows},
    {"straight_cold", "200 XOR in a row behind WBINVD", straight_cold, flush, NULL, true, straight_cold_rows},
    {"code_pages", "code on 4 pages behind MOV CR3", code_pages, last_page, prepare_pages, true, pages_rows},
};
const struct truth_theme truth_code = {programs, sizeof programs / sizeof *programs};
