/* Driving a model in a test: registers that must be there, and plain instructions. */
#pragma once
#include "sim/core.h"
#include "tests/unit/unit.h"

static inline uint64_t rd(struct sim *s, uint32_t msr)
{
    uint64_t v = 0xdeadbeefdeadbeef;
    assert_int_equal(sim_rdmsr(s, msr, &v), 1);
    return v;
}

static inline void wr(struct sim *s, uint32_t msr, uint64_t v) { assert_int_equal(sim_wrmsr(s, msr, v), 1); }

/* n instructions of this kind, each a tick. */
static inline void retire(struct sim *s, unsigned n, uint32_t op, unsigned cpl)
{
    const struct sim_insn i = {
        .lin = 0x1000, .phys = 0x1000, .len = 2, .op = op, .cpl = (uint8_t)cpl, .cpl_after = (uint8_t)cpl};
    while (n--) {
        sim_ticks(s, 1, false, cpl);
        sim_instruction(s, &i);
    }
}
