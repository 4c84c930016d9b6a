/* Facts for tests of the NetBurst model, and the events that they move. */
#pragma once
#include "tests/unit/netburst_drive.h"
#include "tests/unit/oracle_json.h"

/* ---- events as facts 3.7 has them, and a counter for each block ---- */

struct block {
    uint32_t escr;
    uint8_t counter, esel;
};
static const struct block bpu = {0x3b2, 0, 0}, mob = {0x3aa, 0, 2}, itlb = {0x3b6, 0, 3}, pmh = {0x3ac, 0, 4},
                          fsb = {0x3a2, 0, 6}, bsu = {0x3a0, 0, 7}, ms = {0x3c0, 4, 0}, tc = {0x3c4, 4, 1},
                          tbpu = {0x3c2, 4, 2}, firm = {0x3a4, 8, 1}, saat = {0x3ae, 8, 2},
                          dac = {0x3a8, 8, 5}, alf = {0x3ca, 12, 1}, rat = {0x3bc, 12, 2},
                          cru0 = {0x3b8, 12, 4}, cru2 = {0x3cc, 12, 5};

struct event {
    const char *name;
    const struct block *block;
    uint8_t select;
    uint16_t mask;
};

/* Modelled, and not dependent on tags. */
static const struct event modelled[] = {
    {"instr_retired:NBOGUSNTAG", &cru0, 0x02, 1},
    {"uops_retired:NBOGUS", &cru0, 0x01, 1},
    {"branch_retired:MMNP+MMNM", &cru2, 0x06, 3},
    {"branch_retired:MMTP+MMTM", &cru2, 0x06, 12},
    {"uop_type:TAGLOADS", &rat, 0x02, 2},
    {"uop_type:TAGSTORES", &rat, 0x02, 4},
    {"retired_branch_type:UNCONDITIONAL", &tbpu, 0x04, 1},
    {"retired_branch_type:CONDITIONAL", &tbpu, 0x04, 2},
    {"retired_branch_type:CALL", &tbpu, 0x04, 4},
    {"retired_branch_type:RETURN", &tbpu, 0x04, 8},
    {"retired_branch_type:INDIRECT", &tbpu, 0x04, 16},
    {"page_walk_type:DTMISS", &pmh, 0x01, 1},
    {"load_port_replay:SPLIT_LD", &saat, 0x04, 2},
    {"store_port_replay:SPLIT_ST", &saat, 0x05, 2},
    {"memory_complete:LSC", &saat, 0x08, 1},
    {"memory_complete:SSC", &saat, 0x08, 2},
    {"BSQ_cache_reference:RD_2ndL_HITS", &bsu, 0x0c, 1},
    {"BSQ_cache_reference:RD_2ndL_HITE", &bsu, 0x0c, 2},
    {"BSQ_cache_reference:RD_2ndL_HITM", &bsu, 0x0c, 4},
    {"BSQ_cache_reference:RD_3rdL_HITS", &bsu, 0x0c, 8},
    {"BSQ_cache_reference:RD_3rdL_HITE", &bsu, 0x0c, 16},
    {"BSQ_cache_reference:RD_3rdL_HITM", &bsu, 0x0c, 32},
    {"BSQ_cache_reference:RD_2ndL_MISS", &bsu, 0x0c, 0x100},
    {"BSQ_cache_reference:RD_3rdL_MISS", &bsu, 0x0c, 0x200},
    {"global_power_events:RUNNING", &fsb, 0x13, 1},
    {"packed_SP_uop:ALL", &firm, 0x08, 0x8000},
    {"packed_DP_uop:ALL", &firm, 0x0c, 0x8000},
    {"scalar_SP_uop:ALL", &firm, 0x0a, 0x8000},
    {"scalar_DP_uop:ALL", &firm, 0x0e, 0x8000},
    {"64bit_MMX_uop:ALL", &firm, 0x02, 0x8000},
    {"128bit_MMX_uop:ALL", &firm, 0x1a, 0x8000},
    {"x87_FP_uop:ALL", &firm, 0x04, 0x8000},
    {"x87_assist:FPSU", &cru2, 0x03, 1},
    {"x87_assist:FPSO", &cru2, 0x03, 2},
    {"x87_assist:POAO", &cru2, 0x03, 4},
    {"x87_assist:POAU", &cru2, 0x03, 8},
    {"x87_assist:PREA", &cru2, 0x03, 16},
    {"instr_completed:NBOGUS", &cru0, 0x07, 1}, /* Prescott */
};
#define N_MODELLED (sizeof modelled / sizeof *modelled)

/* Programmed, they do not move, and the oracle has this name for them. */
static const struct event unmodelled[] = {
    {"instr_retired:BOGUSNTAG", &cru0, 0x02, 4},
    {"instr_retired:BOGUSTAG", &cru0, 0x02, 8},
    {"uops_retired:BOGUS", &cru0, 0x01, 2},
    {"mispred_branch_retired:NBOGUS", &cru0, 0x03, 1},
    {"front_end_event:BOGUS", &cru2, 0x08, 2},
    {"execution_event:BOGUS0", &cru2, 0x0c, 0x10},
    {"execution_event:BOGUS3", &cru2, 0x0c, 0x80},
    {"replay_event:BOGUS", &cru2, 0x09, 2},
    {"branch_retired:MMNP", &cru2, 0x06, 1},
    {"branch_retired:MMNM", &cru2, 0x06, 2},
    {"branch_retired:MMTP", &cru2, 0x06, 4},
    {"branch_retired:MMTM", &cru2, 0x06, 8},
    {"machine_clear", &cru2, 0x02, 4},
    {"retired_mispred_branch_type:CONDITIONAL", &tbpu, 0x05, 2},
    {"BPU_fetch_request:TCMISS", &bpu, 0x03, 1},
    {"TC_deliver_mode", &tc, 0x01, 1},
    {"TC_misc:FLUSH", &tc, 0x06, 16},
    {"tc_ms_xfer:CISC", &ms, 0x05, 1},
    {"uop_queue_writes", &ms, 0x09, 4},
    {"ITLB_reference:MISS", &itlb, 0x18, 2},
    {"resource_stall:SBFULL", &alf, 0x01, 32},
    {"page_walk_type:ITMISS", &pmh, 0x01, 2},
    {"MOB_load_replay:UNALGN_ADDR", &mob, 0x03, 32},
    {"memory_cancel:64K_CONF", &dac, 0x02, 8},
    {"WC_Buffer", &dac, 0x05, 1},
    {"BSQ_cache_reference:WR_2ndL_MISS", &bsu, 0x0c, 0x400},
    {"BSQ_allocation", &bsu, 0x05, 0x1234},
    {"IOQ_allocation", &fsb, 0x03, 0x21},
    {"FSB_data_activity", &fsb, 0x17, 1},
    {"b2b_cycles", &fsb, 0x16, 2},
    {"x87_SIMD_moves_uop:ALLP0", &firm, 0x2e, 8},
    {"SSE_input_assist:ALL", &firm, 0x34, 0x8000},
    {"RESERVED", &firm, 0x3f, 0x8000},
    {"RESERVED", &cru0, 0x01, 0x8000},
    {"RESERVED", &cru0, 0x07, 1}, /* instr_completed, before Prescott */
};

static inline void program(const struct event *e)
{
    count(e->block->counter, e->block->escr, EVENT(e->select, e->mask) | BOTH, ESEL(e->block->esel));
}

/* ---- facts ---- */

#define CODE     0x1004u
#define WARM     0x5000u /* a line that L1D and L2 have, exclusive */
#define COLD     0x5400u /* of the same page, in neither */
#define IN_2     0x5800u /* in the L2 only, exclusive */
#define MODIFIED 0x5c00u /* in the L2 only, modified */

static inline struct sim_insn at(uint32_t op)
{
    return (struct sim_insn){.lin = CODE, .phys = CODE, .len = 2, .op = op};
}

static inline void run(struct sim_insn i)
{
    sim_ticks(sim, 1, false, 0);
    sim_instruction(sim, &i);
}

static inline void access(uint32_t op, uint64_t lin, unsigned bytes, unsigned kind)
{
    struct sim_insn i = at(op);
    i.access[i.n_access++] = mem(lin, bytes, kind);
    run(i);
}

static inline void uncached(void)
{
    struct sim_insn i = at(0);
    i.access[i.n_access++] = mem(WARM + 60, 8, SIM_READ);
    i.access[0].uncached = 1;
    run(i);
}

static inline void nop(void) { run(at(0)); }
static inline void halted(void) { sim_ticks(sim, 7, true, 0); }
static inline void read_hit(void) { access(0, WARM, 4, SIM_READ); }
static inline void write_hit(void) { access(0, WARM, 4, SIM_WRITE); }
static inline void rmw(void) { access(0, WARM, 4, SIM_RMW); }
static inline void read_miss(void) { access(0, COLD, 4, SIM_READ); }
static inline void write_miss(void) { access(0, COLD, 4, SIM_WRITE); }
static inline void read_l2(void) { access(0, IN_2, 4, SIM_READ); }
static inline void read_l2_modified(void) { access(0, MODIFIED, 4, SIM_READ); }
static inline void split_hit(void) { access(0, WARM + 62, 4, SIM_READ); }
static inline void split_store(void) { access(0, WARM + 62, 4, SIM_WRITE); }
static inline void split_cold(void) { access(0, COLD + 60, 8, SIM_READ); }
static inline void page(void) { access(0, WARM + 0x10000, 4, SIM_READ); }
static inline void page_rmw(void) { access(0, WARM + 0x10000, 4, SIM_RMW); }
static inline void across_pages(void) { access(0, WARM + 0x20ffe, 4, SIM_READ); }
static inline void locked_miss(void) { access(OP_LOCK, COLD, 4, SIM_RMW); }
static inline void ret(void) { access(OP_BRANCH | OP_TAKEN | OP_RET, COLD, 4, SIM_READ); }
static inline void stray(void)
{
    struct sim_access a = mem(COLD, 4, SIM_WRITE);
    sim_stray_access(sim, &a, 0);
}
static inline void deliveries(void)
{
    sim_exception(sim, 14, 0);
    sim_interrupt(sim, 32, false, 0);
}
static inline void jcc(void) { run(at(OP_BRANCH | OP_COND)); }
static inline void jcc_taken(void) { run(at(OP_BRANCH | OP_COND | OP_TAKEN)); }
static inline void jmp(void) { run(at(OP_BRANCH | OP_TAKEN)); }
static inline void jmp_indirect(void) { run(at(OP_BRANCH | OP_TAKEN | OP_INDIRECT)); }
static inline void call(void) { access(OP_BRANCH | OP_TAKEN | OP_CALL, WARM, 4, SIM_WRITE); }
static inline void call_indirect(void)
{
    access(OP_BRANCH | OP_TAKEN | OP_CALL | OP_INDIRECT, WARM, 4, SIM_WRITE);
}
static inline void far(void) { run(at(OP_BRANCH | OP_TAKEN | OP_FAR | OP_CALL)); }
static inline void packed_sp(void) { run(at(OP_SSE | OP_PACKED_SP)); }
static inline void packed_dp(void) { run(at(OP_SSE | OP_PACKED_DP)); }
static inline void scalar_sp(void) { run(at(OP_SSE | OP_SCALAR_SP)); }
static inline void scalar_dp(void) { run(at(OP_SSE | OP_SCALAR_DP)); }
static inline void mmx(void) { run(at(OP_MMX)); }
static inline void mmx128(void) { run(at(OP_SSE | OP_MMX128)); }
static inline void sse_move(void) { run(at(OP_SSE)); }
static inline void fadd(void) { run(at(OP_X87 | OP_FLOP)); }
static inline void fcom(void) { run(at(OP_X87 | OP_FCOM)); }
static inline void assisted(uint32_t op, uint8_t assist)
{
    struct sim_insn i = at(op);
    i.assist = assist;
    run(i);
}
static inline void empty_stack(void) { assisted(OP_X87 | OP_FLOP | OP_ASSIST, ASSIST_STACK_UNDERFLOW); }
static inline void full_stack(void) { assisted(OP_X87, ASSIST_STACK_OVERFLOW); }
static inline void too_large(void) { assisted(OP_X87 | OP_FLOP | OP_ASSIST, ASSIST_OVERFLOW); }
static inline void too_small(void) { assisted(OP_X87 | OP_FLOP | OP_ASSIST, ASSIST_UNDERFLOW); }
static inline void denormals(void)
{
    assisted(OP_X87 | OP_FLOP | OP_ASSIST, ASSIST_OPERAND | ASSIST_UNDERFLOW);
}
static inline void fld(void) { access(OP_X87, WARM, 8, SIM_READ); }

static inline void warm_up(void)
{
    sim_oracle_begin(sim, "");
    access(0, IN_2, 4, SIM_READ);
    access(0, MODIFIED, 4, SIM_WRITE);
    /* Out of the L1D again: its set takes lines 2 KiB (Prescott: 2 KiB, too) apart, in other pages' L2 sets.
     */
    for (unsigned k = 0; k < 8; k++) access(0, 0x30000 + 0x1000 * k + 0x800, 4, SIM_READ);
    access(0, 0x200000, 4, SIM_WRITE);
    access(0, WARM, 4, SIM_READ);
    json_decref(oracle_line(sim));
}

static inline void given_warm(const char *model)
{
    given(model, NULL);
    warm_up();
}

static inline json_t *oracle_of(void (*what)(void))
{
    sim_oracle_begin(sim, "x");
    what();
    return oracle_line(sim);
}
