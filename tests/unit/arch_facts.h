/* Facts for tests of the model of architectural performance monitoring: each run_ function is one, or a few
 * that belong together, after one of the preparations. */
#pragma once
#include "tests/unit/sim_drive.h"

#define CODE 0x1004 /* in a line that has just been fetched */
#define WARM \
    0x105000 /* lines that are in the L1D: one exclusive, one modified, and the one before a page's end */
#define DIRTY     0x105040
#define EDGE      0x105fc0
#define COLD      0x106080 /* nowhere */
#define ELSEWHERE 0x309000 /* where the page behind EDGE's is, physically */
#define APART     0x10000  /* lines so far apart are of one set in the L1D and in the L2 */

static struct sim *sim;
static unsigned cpl;

static inline struct sim_access mem(uint64_t lin, unsigned bytes, unsigned kind)
{
    return (struct sim_access){
        .lin = lin, .phys = lin, .phys_high = ELSEWHERE, .bytes = (uint8_t)bytes, .kind = (uint8_t)kind};
}

static inline struct sim_insn at(uint32_t op)
{
    return (struct sim_insn){.lin = CODE,
                             .phys = CODE,
                             .len = 2,
                             .op = op,
                             .target = 0x1010,
                             .cpl = (uint8_t)cpl,
                             .cpl_after = (uint8_t)cpl};
}

static inline void run_op(uint32_t op)
{
    const struct sim_insn i = at(op);
    sim_instruction(sim, &i);
}

static inline void run_access(uint32_t op, uint64_t lin, unsigned bytes, unsigned kind)
{
    struct sim_insn i = at(op);
    i.access[i.n_access++] = mem(lin, bytes, kind);
    sim_instruction(sim, &i);
}

/* n other lines of its set push a line out. */
static inline void push_out(uint64_t lin, unsigned n, uint64_t apart)
{
    for (unsigned k = 1; k <= n; k++) run_access(0, lin + k * apart, 4, SIM_READ);
}

/* ---- preparations, which nobody counts ---- */

static inline void prepare(void)
{
    run_access(0, WARM, 4, SIM_READ);
    run_access(0, DIRTY, 4, SIM_WRITE);
    run_access(0, EDGE, 4, SIM_WRITE);
}
static inline void prepare_l2(void)
{
    run_access(0, COLD, 4, SIM_READ);
    push_out(COLD, 12, 0x1000); /* 4 KiB are a way of the L1D, and no two of these are of one set in the L2 */
    prepare();
}
static inline void prepare_l3(void)
{
    run_access(0, COLD, 4, SIM_READ);
    push_out(COLD, 40, APART);
    prepare();
}
static inline void prepare_l3_modified(void)
{
    run_access(0, COLD, 4, SIM_WRITE);
    push_out(COLD, 40, APART);
    prepare();
}
static inline void prepare_flushed(void)
{
    prepare();
    sim_cache_flush(sim, true);
    run_op(0);
}
/* A line that an L3 with all others throws out leaves the L1D as well: 17 lines of one of its sets, 512 KiB
 * apart, of which the first is used on and on, so that the L1D and the L2 keep it. */
static inline void prepare_inclusion(void)
{
    prepare();
    run_access(0, COLD, 4, SIM_READ);
    for (unsigned k = 1; k <= 16; k++) {
        run_access(0, COLD + k * UINT64_C(0x80000), 4, SIM_READ);
        if (k < 16) run_access(0, COLD, 4, SIM_READ);
    }
}

/* The same, but the L2 alone keeps it: it is read again and again, each time when the L1D has lost it. */
static inline void prepare_inclusion_of_l2(void)
{
    prepare();
    run_access(0, COLD, 4, SIM_READ);
    for (unsigned k = 1; k <= 16; k++) {
        run_access(0, COLD + k * UINT64_C(0x80000), 4, SIM_READ);
        push_out(COLD, 12, 0x1000);
        if (k < 16) run_access(0, COLD, 4, SIM_READ);
    }
    prepare();
}
/* A modified line that the L2 has lost while the L1D kept it goes there when it leaves the L1D. */
static inline void prepare_written_back(void)
{
    for (unsigned k = 1; k <= 40; k++) {
        run_access(0, COLD, 4, SIM_WRITE);
        run_access(0, COLD + k * (uint64_t)APART, 4, SIM_READ);
    }
    push_out(COLD, 12, 0x1000);
    prepare();
}

/* ---- facts ---- */

static inline void run_nop(void) { run_op(0); }
static inline void run_tick(void) { sim_ticks(sim, 3, false, cpl); }
static inline void run_halt(void)
{
    sim_ticks(sim, 50, true, cpl);
    sim_ticks(sim, 2, false, cpl);
}
static inline void run_jcc(void) { run_op(OP_BRANCH | OP_COND); }
static inline void run_jcc_taken(void) { run_op(OP_BRANCH | OP_COND | OP_TAKEN); }
static inline void run_jmp(void) { run_op(OP_BRANCH | OP_TAKEN | OP_INDIRECT); }
static inline void run_call(void) { run_access(OP_BRANCH | OP_TAKEN | OP_CALL, DIRTY, 4, SIM_WRITE); }
static inline void run_ret(void) { run_access(OP_BRANCH | OP_TAKEN | OP_RET, WARM, 4, SIM_READ); }
static inline void run_far(void) { run_op(OP_BRANCH | OP_TAKEN | OP_FAR | OP_CALL); }
static inline void run_iret(void) { run_op(OP_BRANCH | OP_TAKEN | OP_FAR | OP_RET | OP_SERIALIZE); }
static inline void run_interrupt(void) { sim_interrupt(sim, 0x40, false, cpl); }
static inline void run_nmi(void) { sim_interrupt(sim, 2, true, cpl); }
static inline void run_exception(void) { sim_exception(sim, 14, cpl); }
static inline void run_sse(void) { run_op(OP_SSE); }
static inline void run_x87(void) { run_op(OP_X87 | OP_FLOP); }
static inline void run_mmx(void) { run_op(OP_MMX); }
static inline void run_read(void) { run_access(0, WARM, 4, SIM_READ); }
static inline void run_write(void) { run_access(0, DIRTY, 4, SIM_WRITE); }
static inline void run_write_clean(void) { run_access(0, WARM, 4, SIM_WRITE); }
static inline void run_rmw(void) { run_access(OP_LOCK, DIRTY, 4, SIM_RMW); }
static inline void run_read_cold(void) { run_access(0, COLD, 4, SIM_READ); }
static inline void run_write_cold(void) { run_access(0, COLD, 4, SIM_WRITE); }
static inline void run_rmw_cold(void) { run_access(0, COLD, 4, SIM_RMW); }
static inline void run_read_warm_again(void) { run_access(0, WARM, 64, SIM_READ); }
static inline void run_split(void) { run_access(0, DIRTY - 2, 4, SIM_READ); }
static inline void run_split_cold(void) { run_access(0, DIRTY + 62, 4, SIM_READ); }
static inline void run_two_loads(void)
{
    struct sim_insn i = at(0);
    i.access[i.n_access++] = mem(WARM, 4, SIM_READ);
    i.access[i.n_access++] = mem(COLD, 4, SIM_READ);
    i.access[i.n_access++] = mem(COLD + 8, 4, SIM_READ);
    sim_instruction(sim, &i);
}
static inline void run_uncached(void)
{
    struct sim_insn i = at(0);
    i.access[0] = mem(0xfee00340, 4, SIM_READ);
    i.access[0].uncached = 1;
    i.n_access = 1;
    sim_instruction(sim, &i);
}
/* The second page's line comes from where that page is. */
static inline void run_page_crossing(void)
{
    run_access(0, EDGE + 62, 4, SIM_WRITE);
    run_access(0, ELSEWHERE, 2, SIM_READ);
}
static inline void run_code(void)
{
    struct sim_insn i = at(0);
    i.lin = i.phys = 0x1040;
    sim_instruction(sim, &i);
}
static inline void run_code_crossing(void)
{
    struct sim_insn i = at(0);
    i.lin = i.phys = 0x103f;
    sim_instruction(sim, &i);
}
static inline void run_code_page_crossing(void)
{
    struct sim_insn i = at(0);
    i.lin = i.phys = 0x1fff; /* this line is cold, too */
    i.phys_high = WARM & ~UINT64_C(0xfff);
    sim_instruction(sim, &i);
}
static inline void run_rep(void)
{
    struct sim_access a[3] = {mem(WARM, 4, SIM_READ), mem(DIRTY, 4, SIM_WRITE), mem(WARM + 4, 4, SIM_READ)};
    sim_more_accesses(sim, a, 3, cpl);
    sim_more_accesses(sim, a, 2, cpl);
    run_op(OP_REP);
}
static inline void run_rep_broken_off(void)
{
    struct sim_access a = mem(WARM, 4, SIM_READ);
    sim_more_accesses(sim, &a, 1, cpl);
    sim_interrupt(sim, 0x40, false, cpl);
    run_op(0);
}
static inline void run_stray(void)
{
    const struct sim_access a = mem(DIRTY, 4, SIM_WRITE);
    sim_stray_access(sim, &a, cpl);
    run_op(0);
}
static inline void run_flushes(void)
{
    sim_tlb_flush(sim);
    sim_tlb_invalidate(sim, WARM);
    run_op(0);
}
