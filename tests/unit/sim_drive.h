/* Driving a model in a test: its interrupt and pins, registers that must be there, and plain instructions. */
#pragma once
#include "sim/core.h"
#include "tests/unit/unit.h"
#include <string.h>

/* What the last machine() has raised. */
static struct {
    unsigned pmi, steps[2], overflows[2];
} seen;

static inline void on_pmi(void *ctx)
{
    assert_ptr_equal(ctx, &seen);
    seen.pmi++;
}

static inline void on_pin(void *ctx, unsigned pin, bool overflow)
{
    assert_ptr_equal(ctx, &seen);
    assert_true(pin < 2);
    if (overflow)
        seen.overflows[pin]++;
    else
        seen.steps[pin]++;
}

static inline struct sim *machine(const char *model)
{
    static const struct sim_host host = {&seen, on_pmi, on_pin};
    memset(&seen, 0, sizeof seen);
    struct sim *s = sim_new(model, NULL, &host);
    assert_non_null(s);
    return s;
}

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
