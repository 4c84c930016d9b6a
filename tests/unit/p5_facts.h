/* Facts for tests of the P5 and P55C models: each run_ function is one, or a few that belong together. */
#pragma once
#include "tests/unit/p5_drive.h"

#define CODE 0x1004 /* in a block that has just been read */
#define WARM 0x5000 /* a line that is in the data cache, exclusive */
#define COLD 0x5100 /* of the same page, not in it */

static inline struct sim_insn at(uint32_t op)
{
    return (struct sim_insn){.lin = CODE, .phys = CODE, .len = 2, .op = op, .target = 0x1008};
}

static inline void run_insn(struct sim_insn i) { sim_instruction(sim, &i); }

static inline void run_access(uint32_t op, uint64_t lin, unsigned bytes, unsigned kind)
{
    struct sim_insn i = at(op);
    i.access[0] = mem(lin, bytes, kind);
    i.n_access = 1;
    sim_instruction(sim, &i);
}

static inline void run_uncached_write(void)
{
    struct sim_insn i = at(0);
    i.access[0] = mem(WARM, 4, SIM_WRITE);
    i.access[0].uncached = 1;
    i.n_access = 1;
    sim_instruction(sim, &i);
}

static inline void run_uncached_read(uint64_t lin, unsigned bytes)
{
    struct sim_insn i = at(0);
    i.access[0] = mem(lin, bytes, SIM_READ);
    i.access[0].uncached = 1;
    i.n_access = 1;
    sim_instruction(sim, &i);
}

static inline void run_simd(uint32_t op, unsigned simd)
{
    struct sim_insn i = at(op);
    i.simd = (uint8_t)simd;
    sim_instruction(sim, &i);
}

static inline void run_io(unsigned port, unsigned bytes, unsigned iterations)
{
    struct sim_insn i = at(OP_IO);
    i.io_port = (uint16_t)port;
    i.io_bytes = (uint8_t)bytes;
    i.iterations_io = iterations;
    sim_instruction(sim, &i);
}

static inline void run_segment(uint32_t op, unsigned loads, unsigned cpl_after)
{
    struct sim_insn i = at(op);
    i.seg_loads = (uint8_t)loads;
    i.cpl_after = (uint8_t)cpl_after;
    sim_instruction(sim, &i);
}

static inline void run_code(uint64_t lin)
{
    struct sim_insn i = at(0);
    i.lin = i.phys = lin;
    sim_instruction(sim, &i);
}

static inline void run_breakpoint(unsigned k, uint32_t rw)
{
    uint64_t dr[4] = {~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)};
    dr[k] = rw ? WARM : CODE;
    sim_debug_registers(sim, dr, (rw | 0xC) << (16 + 4 * k));
    run_access(0, WARM, 4, SIM_READ);
}

static inline void run_nop(void) { run_insn(at(0)); }
static inline void run_read(void) { run_access(0, WARM, 4, SIM_READ); }
static inline void run_write(void) { run_access(0, WARM, 4, SIM_WRITE); }
static inline void run_read_miss(void) { run_access(0, COLD, 4, SIM_READ); }
static inline void run_write_miss(void) { run_access(0, COLD, 4, SIM_WRITE); }
static inline void run_page(void) { run_access(0, WARM + 0x10000, 4, SIM_READ); }
static inline void run_uncached(void) { run_uncached_read(WARM, 4); }
static inline void run_uncached_8(void) { run_uncached_read(WARM, 8); }
static inline void run_uncached_misaligned(void) { run_uncached_read(WARM + 2, 4); }
static inline void run_paddsb(void) { run_simd(OP_MMX, SIMD_SATURATES); }
static inline void run_paddb(void) { run_simd(OP_MMX, 0); }
static inline void run_misaligned(void) { run_access(0, WARM + 1, 4, SIM_RMW); }
static inline void run_lock(void) { run_access(OP_LOCK, WARM, 4, SIM_RMW); }
static inline void run_split_lock(void) { run_access(OP_LOCK, WARM + 3, 4, SIM_RMW); }
static inline void run_wbinvd(void)
{
    sim_cache_flush(sim, true);
    run_insn(at(OP_SERIALIZE));
}
static inline void run_block(void) { run_code(0x1010); }
static inline void run_line(void) { run_code(0x1020); }
static inline void run_far_code(void) { run_code(0x30000); }
static inline void run_mov_ds(void) { run_segment(0, 1, 0); }
static inline void run_far_jump(void) { run_segment(OP_BRANCH | OP_TAKEN | OP_FAR, 1, 0); }
static inline void run_iret(void) { run_segment(OP_BRANCH | OP_TAKEN | OP_FAR | OP_SERIALIZE, 1, 3); }
static inline void run_int(void) { run_segment(OP_BRANCH | OP_TAKEN | OP_FAR | OP_SOFTINT, 1, 0); }
static inline void run_into(void) { run_insn(at(OP_BRANCH | OP_COND | OP_FAR | OP_SOFTINT)); }
static inline void run_jcc(void) { run_insn(at(OP_BRANCH | OP_COND)); }
static inline void run_jmp(void) { run_insn(at(OP_BRANCH | OP_TAKEN)); }
static inline void run_jmp_twice(void)
{
    run_jmp();
    run_jmp();
}
static inline void run_taken_then_not(void)
{
    run_jmp();
    run_jcc();
}
static inline void run_call_ret(void)
{
    branch_at(CODE, 4, OP_TAKEN | OP_CALL, 0x1009);
    branch_at(0x1009, 1, OP_TAKEN | OP_RET | OP_INDIRECT, 0x1008);
    branch_at(CODE, 4, OP_TAKEN | OP_CALL, 0x1009);
    branch_at(0x1009, 1, OP_TAKEN | OP_RET | OP_INDIRECT, 0x1008);
}
static inline void run_cpuid(void) { run_insn(at(OP_SERIALIZE)); }
static inline void run_verr(void) { run_insn(at(OP_VERR)); }
static inline void run_in(void) { run_io(0x60, 1, 1); }
static inline void run_misaligned_in(void) { run_io(0x61, 4, 1); }
static inline void run_rep_insw(void) { run_io(0x1F0, 2, 256); }
static inline void run_fadd(void) { run_insn(at(OP_X87 | OP_FLOP)); }
static inline void run_fdiv(void) { run_insn(at(OP_X87 | OP_FLOP | OP_FDIV)); }
static inline void run_fcom(void) { run_insn(at(OP_X87 | OP_FCOM)); }
static inline void run_imul(void) { run_insn(at(OP_IMUL)); }
static inline void run_idiv(void) { run_insn(at(OP_IDIV)); }
static inline void run_dr0(void) { run_breakpoint(0, 0); }
static inline void run_dr1(void) { run_breakpoint(1, 3); }
static inline void run_dr2(void) { run_breakpoint(2, 3); }
static inline void run_dr3(void) { run_breakpoint(3, 3); }
static inline void run_intr(void) { sim_interrupt(sim, 32, false, 0); }
static inline void run_nmi(void) { sim_interrupt(sim, 2, true, 0); }
static inline void run_fault(void) { sim_exception(sim, 14, 0); }
static inline void run_stray(void)
{
    struct sim_access a = mem(WARM, 4, SIM_WRITE);
    sim_stray_access(sim, &a, 0);
}
static inline void run_ticks(void) { sim_ticks(sim, 12, false, 0); }
static inline void run_halt(void) { sim_ticks(sim, 34, true, 0); }
static inline void run_emms(void) { run_insn(at(OP_EMMS)); }
static inline void run_mmx_fp(void)
{
    run_insn(at(OP_MMX));
    run_insn(at(OP_MMX));
    run_emms();
    run_insn(at(OP_X87));
    run_insn(at(OP_X87));
    run_insn(at(OP_MMX));
}
static inline void run_mmx_read(void) { run_access(OP_MMX, WARM, 8, SIM_READ); }
static inline void run_mmx_read_miss(void) { run_access(OP_MMX, COLD, 8, SIM_READ); }
static inline void run_mmx_write(void) { run_access(OP_MMX, WARM, 8, SIM_WRITE); }
static inline void run_mmx_write_miss(void) { run_access(OP_MMX, COLD, 8, SIM_WRITE); }
static inline void run_mmx_misaligned(void) { run_access(OP_MMX, WARM + 4, 8, SIM_READ); }

/* The code of CODE's block and the line WARM are where the macros say; WARM+64 is modified for WBINVD. */
static inline void warm_up(const char *model)
{
    given(model, NULL);
    count(0, 0);
    run_code(0x1000);
    run_read();
    data(WARM + 64, 4, SIM_RMW);
    run_code(0x1002);
}
