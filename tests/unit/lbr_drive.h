/* Last branch records in a test of a model: branches to record, and what the stack holds. */
#pragma once
#include "tests/unit/sim_drive.h"

#define JMP      (OP_BRANCH | OP_TAKEN)
#define JCC      (JMP | OP_COND)
#define NO_JCC   (OP_BRANCH | OP_COND) /* not taken */
#define IND_JMP  (JMP | OP_INDIRECT)
#define CALL     (JMP | OP_CALL)
#define IND_CALL (CALL | OP_INDIRECT)
#define RET      (JMP | OP_RET)
#define FAR      (JMP | OP_FAR)
#define IRET     (FAR | OP_RET | OP_SERIALIZE)
#define INT_N    (FAR | OP_SOFTINT)

/* A branch of two bytes, of one clock. */
static inline void go(struct sim *s, uint64_t from, uint64_t to, uint32_t op, unsigned cpl,
                      unsigned cpl_after)
{
    const struct sim_insn i = {.lin = from,
                               .phys = from & 0xffffff,
                               .len = 2,
                               .op = op,
                               .target = to,
                               .cpl = (uint8_t)cpl,
                               .cpl_after = (uint8_t)cpl_after};
    sim_ticks(s, 1, false, cpl);
    sim_instruction(s, &i);
}

/* The n-th jump of many: each differs. */
static inline void jump(struct sim *s, unsigned n) { go(s, 0x1000 + 16 * n, 0x8000 + 16 * n, JMP, 0, 0); }

static inline void deliver(struct sim *s, uint64_t from, uint64_t to, unsigned vector, bool exception,
                           unsigned cpl)
{
    const struct sim_delivery d = {from, to, (uint8_t)vector, exception, (uint8_t)cpl, 0};
    if (exception)
        sim_exception(s, vector, cpl);
    else
        sim_interrupt(s, vector, vector == 2, cpl);
    sim_delivered(s, &d);
}

/* This processor has no such register, and the emulator's glue raises #GP. */
static inline void refused(struct sim *s, uint32_t msr)
{
    uint64_t v;
    assert_int_equal(sim_rdmsr(s, msr, &v), -1);
    assert_int_equal(sim_wrmsr(s, msr, 0), -1);
    assert_true(sim_pmu_register(msr));
}

/* The n-th newest record. */
static inline struct sim_lbr_entry newest(const struct sim *s, unsigned n)
{
    struct sim_lbr_entry e[SIM_LBR_DEPTH];
    assert_true(sim_lbr_entries(s, e, n + 1) == n + 1);
    return e[n];
}
static inline void is_newest(const struct sim *s, unsigned n, uint64_t from, uint64_t to)
{
    const struct sim_lbr_entry e = newest(s, n);
    assert_int_equal(e.from, from);
    assert_int_equal(e.to, to);
}
/* How many have something. */
static inline unsigned recorded(const struct sim *s)
{
    struct sim_lbr_entry e[SIM_LBR_DEPTH];
    const unsigned n = sim_lbr_entries(s, e, SIM_LBR_DEPTH);
    unsigned k = 0;
    while (k < n && e[k].from) k++;
    return k;
}
