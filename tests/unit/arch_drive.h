/* Driving the model of architectural performance monitoring in a test: what each processor has, its
 * registers, and ways to say facts. */
#pragma once
#include "sim/arch.h"
#include "tests/unit/sim_drive.h"

enum {
    PRED_CMD = 0x49,
    PMC0 = 0xc1,
    SEL0 = 0x186,
    MISC = 0x1a0,
    PREFETCH = 0x1a4,
    DEBUGCTL = 0x1d9,
    FIXED0 = 0x309,
    METRICS = 0x329,
    CAPABILITIES = 0x345,
    FIXED_CTRL = 0x38d,
    STATUS = 0x38e,
    CTRL = 0x38f,
    RESET = 0x390,
    SET = 0x391,
    INUSE = 0x392,
    A_PMC0 = 0x4c1
};
#define USR      0x10000u
#define OS       0x20000u
#define E        0x40000u
#define INT      0x100000u
#define EN       0x400000u
#define INV      0x800000u
#define CMASK(n) ((uint32_t)(n) << 24)
#define BOTH     (USR | OS)
#define BIT(n)   (1ull << (n))

/* What follows from CPUID.0AH of the named processors. */
static const struct expected {
    const char *name;
    uint32_t leaf_a[4];
    unsigned version, general, width, fixed;
    uint64_t select, fixed_ctrl, ctrl, ctrl_reset, ovf, debugctl; /* bits that can be written */
    uint64_t capabilities;
} cpus[] = {
    {"coreduo", {0x07280201, 0, 0, 0}, 1, 2, 40, 0, 0xffdfffff, 0, 0, 0, 0, 0x7c3, 0},
    {"core2",
     {0x07280202, 0, 0, 0x503},
     2,
     2,
     40,
     3,
     0xffdfffff,
     0xbbb,
     0x700000003,
     3,
     0xc000000700000003,
     0x1fc3,
     0xc2},
    {"sandybridge",
     {0x07300803, 0, 0, 0x603},
     3,
     8,
     48,
     3,
     0xfff7ffff,
     0xfff,
     0x7000000ff,
     0xff,
     0xe0000007000000ff,
     0x5fc3,
     0x31c3},
    {"haswell",
     {0x07300403, 0, 0, 0x603},
     3,
     4,
     48,
     3,
     0xfff7ffff,
     0xfff,
     0x70000000f,
     0xf,
     0xe00000070000000f,
     0x5fc3,
     0x32c4},
    {"skylake",
     {0x07300404, 0, 0, 0x603},
     4,
     4,
     48,
     3,
     0xfff7ffff,
     0xfff,
     0x70000000f,
     0xf,
     0xfc8000070000000f,
     0x5fc3,
     0x33c5},
    {"icelake",
     {0x08300805, 0, 0xf, 0x8604},
     5,
     8,
     48,
     4,
     0x4ffd7ffff,
     0x11110000bbbb,
     0x1000f000000ff,
     0xff,
     0xfc81000f000000ff,
     0x5fc3,
     0xf4c5},
    {"tigerlake",
     {0x08300805, 0, 0xf, 0x8604},
     5,
     8,
     48,
     4,
     0x4ffd7ffff,
     0x11110000bbbb,
     0x1000f000000ff,
     0xff,
     0xfc81000f000000ff,
     0x5fc3,
     0xf4c5},
};
#define CPUS          (sizeof cpus / sizeof *cpus)
#define EACH_CPU(c)   for (const struct expected *c = cpus; c < cpus + CPUS; c++)
#define WIDTH(c)      (BIT((c)->width) - 1)
#define IA32_PMC(i)   (PMC0 + (i))
#define FULL_WRITE(c) ((c)->capabilities >> 13 & 1)

static inline void faults(struct sim *s, uint32_t msr, uint64_t v)
{
    assert_int_equal(sim_wrmsr(s, msr, v), 0);
}
static inline void absent(struct sim *s, uint32_t msr)
{
    uint64_t v;
    assert_int_equal(sim_rdmsr(s, msr, &v), -1);
    assert_int_equal(sim_wrmsr(s, msr, 0), -1);
}

/* Exactly these bits can be set; the others raise #GP and leave the register alone. */
static inline void writable(struct sim *s, uint32_t msr, uint64_t mask)
{
    wr(s, msr, 0);
    for (unsigned bit = 0; bit < 64; bit++) {
        if (mask >> bit & 1) {
            wr(s, msr, BIT(bit));
            assert_int_equal(rd(s, msr), BIT(bit));
            wr(s, msr, 0);
        } else {
            faults(s, msr, BIT(bit));
            assert_int_equal(rd(s, msr), 0);
        }
    }
    wr(s, msr, mask);
    assert_int_equal(rd(s, msr), mask);
    wr(s, msr, 0);
}

static inline void enable_all(struct sim *s, const struct expected *c)
{
    if (c->version >= 2) wr(s, CTRL, c->ctrl);
}
