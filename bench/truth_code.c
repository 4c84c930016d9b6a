/* Instructions, branches, and code fetches. Payloads begin on a line (PAYLOAD), and so on a block of 16. */
#include "bench/truth.h"
#include "kernel/hw.h"
#include <stdio.h>
#include <string.h>

/* ---- straight-line code ---- */

#define RET 0xc3

/* Long code is written here: the head bytes once, then a unit repeated n times, then the RET. The base
 * repeats nothing. */
static bool unroll(struct bench_run *run, size_t head, size_t unit, unsigned n)
{
    const uint8_t *from = (const uint8_t *)run->payload;
    uint8_t *to = arena_alloc(run->arena, head + n * unit + 1, 4096), *code = to;
    if (!to) {
        snprintf(run->error, sizeof run->error, "needs %u bytes of memory", (unsigned)(head + n * unit + 1));
        return false;
    }
    memcpy(to, from, head);
    to += head;
    for (unsigned i = 0; from[head] != RET && i < n; i++, to += unit) memcpy(to, from + head, unit);
    *to = RET;
    run->payload = (payload_fn *)code;
    return true;
}

/* INC EAX: 40h is a prefix in long mode. */
static bool straight_1000(struct bench_run *run) { return unroll(run, 0, sizeof(void *) == 8 ? 2 : 1, 1000); }
static bool straight_200(struct bench_run *run) { return unroll(run, 2, 2, 200); } /* WBINVD, XOR */
static bool taken_50(struct bench_run *run) { return unroll(run, 0, 4, 50); }      /* JMP, NOP, NOP */

/* 1,000 INCs of one byte and the RET: 1,001 bytes are 63 blocks of 16, of which the empty payload has one. */
TRUTH_PAYLOAD(straight, "inc %eax")

static const struct truth_row straight_rows[] = {
    ALL("instructions", 1000, "1,000 INC"),
    ALL("branches", 0, "none"),
    P5("btb_hits", 0, "none"),
    P5("data_read_or_write", 0, "none"),
    P5("code_read", 62, "blocks of 16 bytes that hold the code; the CPU may read ahead"),
    P5("any_segment_register_loaded", 0, "none"),
    P5("flops", 0, "none"),
    P5("hardware_interrupts", 0, "all are masked"),
    P6("inst_decoded", 1000, "1,000 INC; instructions decoded speculatively come on top"),
    P6("data_mem_refs", 0, "none"),
    P6("ifu_ifetch", 62, "blocks of 16 bytes that hold the code; speculation comes on top"),
    P6("segment_reg_loads", 0, "none"),
    P6("hw_int_rx", 0, "all are masked"),
    /* Fog, Instruction tables: INC of a register is one on each Pentium 4. */
    NB("uops_retired", 1000, "1,000 INC, a micro-operation each"),
    NB("memory_loads", 0, "none"),
    NB("memory_stores", 0, "none"),
    NOW_LEAST("cycles", 125, "no CPU retires more than 8 in a clock"),
    ON(LAKE, "r81d0", 0, "none"),
    ON(LAKE, "r82d0", 0, "none"),
    ON(AMD, "r0040", 0, "none"),
    TRUTH_END,
};

/* ---- the same with nothing in the caches ---- */

/* WBINVD and XOR have 2 bytes each: 403 bytes are 13 lines, of which the base has one. */
TRUTH_PAYLOAD(flush, "wbinvd")
TRUTH_PAYLOAD(straight_cold, "wbinvd\n\txorl %eax, %eax")

#define LINES_6  "6 lines of 64 bytes"
#define LINES_12 "12 lines of code that WBINVD has emptied from the caches"
static const struct truth_row straight_cold_rows[] = {
    ALL("instructions", 200, "200 XOR"),
    P5("code_cache_miss", 12, LINES_12),
    P6("ifu_ifetch_miss", 12, LINES_12),
    P6("l2_ifetch", 12, LINES_12),
    P6("l2_ifetch:i", 12, LINES_12),
    P6("bus_tran_ifetch", 12, LINES_12),
    ON(ARCH, "cache-references", 6, LINES_6),
    ON(ARCH, "cache-misses", 6, LINES_6),
    ON(CORE2 | CLASS_OLD, "r0081", 6, LINES_6),
    ON(OLD | CLASS_ZEN, "r0083", 6, LINES_6),
    TRUTH_END,
};

/* ---- a counted loop ---- */

TRUTH_PAYLOAD(loop, "movl $200, %ecx\n" /* 1 */
                    "1:\n\t"
                    "inc %eax\n\t" /* 200 times these 3 */
                    "dec %ecx\n\t"
                    "jnz 1b")

static const struct truth_row loop_rows[] = {
    ALL("instructions", 601, "1 + 200 x 3"),
    ON(P5 | CLASS_P6 | CLASS_NOW, "branches", 200, "one in each turn"),
    P5("taken_branches", 199, "all but the last"),
    P6("br_taken_retired", 199, "all but the last"),
    NB("branch_retired:mmtp:mmtm", 199, "all but the last"),
    NB("branch_retired:mmnp:mmnm", 1, "the last"),
    NB("retired_branch_type:conditional", 200, "one in each turn"),
    ON(CORE2, "r0cc4", 199, "all but the last"),
    ON(BRIDGE, "r20c4", 199, "all but the last"),
    ON(BRIDGE, "r10c4", 1, "the last"),
    ON(AMD, "r00c4", 199, "all but the last"),
    ON(ZEN, "r00d1", 200, "one in each turn"),
    TRUTH_END,
};

/* ---- branches, taken and not ---- */

/* Each JMP skips two bytes that are never executed. At a distance of four bytes no two of them share a set of
 * the P5's branch target buffer. */
TRUTH_PAYLOAD(taken, "jmp .+4\n\tnop\n\tnop")

static const struct truth_row taken_rows[] = {
    ALL("instructions", 50, "50 JMP"),
    ALL("branches", 50, "50 JMP"),
    P5("taken_branches", 50, "50 JMP"),
    P5("btb_hits", 50, "earlier runs have put each into the buffer"),
    P5("taken_branch_or_btb_hit", 50, "50 JMP"),
    P5("pipeline_flushes", 0, "all are predicted"),
    P5("code_read", 50, "one after each taken branch"),
    P6("br_taken_retired", 50, "50 JMP"),
    P6("ifu_ifetch", 50, "one after each taken branch; speculation comes on top"),
    NB("retired_branch_type", 0, "direct jumps have none of these types"),
    ON(CORE2, "r0cc4", 50, "50 JMP"),
    ON(BRIDGE, "r20c4", 50, "50 JMP"),
    ON(AMD, "r00c4", 50, "50 JMP"),
    TRUTH_END,
};

TRUTH_PAYLOAD(not_taken, "xorl %eax, %eax\n\t" /* 1: ZF is set */
                         ".rept 50\n\tjnz 1f\n\t.endr\n"
                         "1:")

static const struct truth_row not_taken_rows[] = {
    ON(P5 | CLASS_P6 | CLASS_NOW, "instructions", 51, "XOR and 50 JNZ"),
    ON(P5 | CLASS_P6 | CLASS_NOW, "branches", 50, "50 JNZ"),
    P5("taken_branches", 0, "none is taken"),
    P5("btb_hits", 0, "a branch that is never taken gets no entry"),
    P5("taken_branch_or_btb_hit", 0, "neither"),
    P5("pipeline_flushes", 0, "a branch without an entry is predicted as not taken"),
    P6("br_taken_retired", 0, "none is taken"),
    NB("branch_retired:mmtp:mmtm", 0, "none is taken"),
    NB("branch_retired:mmnp:mmnm", 50, "50 JNZ"),
    ON(BRIDGE, "r20c4", 0, "none is taken"),
    ON(BRIDGE, "r10c4", 50, "50 JNZ"),
    ON(AMD, "r00c4", 0, "none is taken"),
    TRUTH_END,
};

/* 10 CALLs of one RET, jumped over at the end. */
TRUTH_PAYLOAD(calls, ".rept 10\n\tcall 1f\n\t.endr\n\t"
                     "jmp 2f\n"
                     "1:\n\t"
                     "ret\n"
                     "2:")

static const struct truth_row calls_rows[] = {
    ON(P5 | CLASS_P6 | CLASS_NOW, "instructions", 21, "10 CALL, 10 RET, JMP"),
    ALL("branches", 21, "10 CALL, 10 RET, JMP"),
    P5("data_read", 10, "10 RET"),
    P5("data_write", 10, "10 CALL"),
    P5("returns", 10, "10 RET"),
    P6("br_taken_retired", 21, "10 CALL, 10 RET, JMP"),
    P6("data_mem_refs", 20, "10 CALL, 10 RET"),
    NB("retired_branch_type:call", 10, "10 CALL"),
    NB("retired_branch_type:return", 10, "10 RET"),
    NB("memory_stores", 10, "10 CALL"),
    NB("memory_loads", 0, "RET cannot be tagged (SDM 18.15.6.1)"),
    ON(BRIDGE, "r02c4", 10, "10 CALL"),
    ON(BRIDGE, "r08c4", 10, "10 RET"),
    ON(LAKE, "r81d0", 10, "10 RET"),
    ON(LAKE, "r82d0", 10, "10 CALL"),
    ON(OLD | CLASS_ZEN, "r00c8", 10, "10 RET"),
    ON(AMD, "r0040", 20, "10 CALL, 10 RET"),
    TRUTH_END,
};

/* ---- far returns ---- */

/* 10 turns of PUSH CS (not available in long mode), CALL and a far return to the instruction after the CALL.
 */
#ifdef __x86_64__
#define FAR_RETURN "lretq\n"
#else
#define FAR_RETURN "lret\n"
#endif
TRUTH_PAYLOAD(far, "mov %cs, %edx\n\t"
                   "movl $10, %ecx\n" /* 2 */
                   "1:\n\t"
                   "push " TRUTH_D "\n\t" /* 10 times these 5 */
                   "call 2f\n\t"
                   "dec %ecx\n\t"
                   "jnz 1b\n\t"
                   "jmp 3f\n"
                   "2:\n\t" FAR_RETURN "3:")

#define FAR_BRANCHES "10 CALL, 10 far returns, 10 JNZ, JMP"
static const struct truth_row far_rows[] = {
    NOW("instructions", 53, "2 + 10 x 5 + JMP"),  NOW("branches", 31, FAR_BRANCHES),
    ON(AMD, "r00c4", 30, "all but the last JNZ"), ON(BRIDGE, "r40c4", 10, "10 far returns"),
    ON(AMD, "r00c6", 10, "10 far returns"),       TRUTH_END,
};

/* ---- Safford's program 1 ---- */

/* Figure 5.10 from begreg to endreg, and the POP of EBP, which the figure omits: without it the RET would
 * return to the old EBP. The first three instructions have 8 bytes, so that the loop is aligned without
 * padding. */
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
    ON(NETBURST | CLASS_NOW, "instructions", 305, "3 + 100 x 3 + XOR + POP"),
    ALL("branches", 100, "one in each turn"),
    TRUTH_ROW(CLASS_P5 | CLASS_P6, "instructions", 305, TRUTH_LISTED,
              "3 + 100 x 3 + XOR + POP, as in table 5.3; figure 5.10 shows 304, without the POP of EBP", true,
              0),
    P5_TELL("btb_hits", 99, TRUTH_LISTED,
            "table 5.3 has 98 for a first run, whose first branch is not yet in the buffer; here an earlier "
            "run has "
            "put it there"),
    P5("taken_branch_or_btb_hit", 100, "99 taken, the last one found in the buffer"),
    P5_TELL("pipeline_flushes", 1, TRUTH_LISTED,
            "table 5.3 has 2 for a first run: entering the loop and leaving it; here entering is predicted"),
    P6("br_taken_retired", 99, "all but the last"),
    P6("data_mem_refs", 2, "PUSH and POP"),
    NB("memory_loads", 1, "POP"),
    NB("memory_stores", 1, "PUSH"),
    ON(LAKE, "r81d0", 1, "POP"),
    ON(LAKE, "r82d0", 1, "PUSH"),
    ON(AMD, "r0040", 2, "PUSH and POP"),
    TRUTH_END,
};

/* The same with none of its branches in the buffer. Jumps 4 bytes apart map to all of its sets, 32 to each,
 * and take the 4 ways. Where the victim is chosen at random, an old entry survives this once in 10,000 times.
 */
static bool prepare_jumps(struct bench_run *run)
{
    void *jumps = truth_chain(run, 2048, 4);
    truth_words(run)[TRUTH_JUMPS_WORD] = (uintptr_t)jumps;
    if (!jumps) snprintf(run->error, sizeof run->error, "needs 8192 bytes of memory");
    return jumps != NULL;
}

static const struct truth_row program_1_cold_rows[] = {
    P5("branches", 100, "one in each turn"),
    P5_TELL("btb_hits", 98, TRUTH_LISTED, "table 5.3: the first turn's branch is not in the buffer"),
    P5("taken_branch_or_btb_hit", 100, "99 taken, the last one found in the buffer"),
    P5_TELL("pipeline_flushes", 2, TRUTH_LISTED, "table 5.3: the loop's first branch and its last"),
    TRUTH_END,
};

/* ---- code on several pages ---- */

#define PAGE  4096
#define PAGES 4

/* The code lies in the kernel's first 4 MiB, which are mapped as pages of 4 KiB, unlike the pool. A jump at
 * the beginning of each page leads to the same offset in the next one. Each has lines of its own, since this
 * program is not about caches. */
static uint8_t code_page[PAGES * PAGE] __attribute__((aligned(PAGE), section(".bss.code")));

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

/* MOV CR3 empties the TLBs. The base calls only the last page. */
#define FLUSH_TLB "mov %cr3, " TRUTH_A "\n\tmov " TRUTH_A ", %cr3\n\t"
TRUTH_PAYLOAD(last_page, TRUTH_ARG FLUSH_TLB "call *" TRUTH_WORD(1))
TRUTH_PAYLOAD(code_pages, TRUTH_ARG FLUSH_TLB "call *" TRUTH_WORD(0))

static const struct truth_row pages_rows[] = {
    ALL("branches", PAGES - 1, "JMP from page to page"),
    P5("code_tlb_miss", PAGES - 1, "pages that are not in the TLB after MOV CR3"),
    P6("itlb_miss", PAGES - 1, "pages that are not in the TLB after MOV CR3"),
    TRUTH_END,
};

static const struct truth_program programs[] = {
    {{"straight", "1,000 INC in a row", .payload = straight, .prepare = straight_1000},
     NULL,
     0,
     straight_rows},
    {{"loop", "a loop of 200 turns", .payload = loop}, NULL, 0, loop_rows},
    {{"taken", "50 jumps, each over two bytes", .payload = taken, .prepare = taken_50}, NULL, 0, taken_rows},
    {{"not_taken", "50 branches that are not taken", .payload = not_taken}, NULL, 0, not_taken_rows},
    {{"calls", "10 calls of an empty routine", .payload = calls}, NULL, 0, calls_rows},
    {{"far", "10 far returns", .payload = far}, NULL, 0, far_rows},
    {{"program_1", "Safford's program 1, figure 5.10: a loop of 100 turns", .payload = program_1},
     NULL,
     0,
     program_1_rows},
    {{"program_1_cold", "the same, with branches that the buffer does not know", .payload = program_1,
      .prepare = prepare_jumps, .before = truth_jump},
     NULL,
     0,
     program_1_cold_rows},
    {{"straight_cold", "200 XOR in a row after WBINVD", .payload = straight_cold, .prepare = straight_200,
      .before = truth_flush},
     flush,
     TRUTH_RING0,
     straight_cold_rows},
    {{"code_pages", "code on 4 pages after MOV CR3", .payload = code_pages, .prepare = prepare_pages,
      .before = truth_flush},
     last_page,
     TRUTH_RING0,
     pages_rows},
};
const struct truth_theme truth_code = {programs, sizeof programs / sizeof *programs};
