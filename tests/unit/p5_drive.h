/* Driving the PMU model in a test: one sim, its registers, and short ways to say facts. Addresses are linear
 * = physical. */
#pragma once
#include "sim/core.h"
#include "tests/unit/unit.h"

/* The i-th processor of the family; NULL after the last. */
static inline const char *model_at(unsigned i) { return sim_family_model("p5", i); }

#define CESR 0x11
#define CTR0 0x12
#define CTR1 0x13
#define MASK ((UINT64_C(1) << 40) - 1)

#define ANY_CPL    0xC0u
#define CLOCKS     0x100u
#define PIN        0x200u
#define DATA_READ  0x00u
#define DATA_WRITE 0x01u
#define READ_MISS  0x03u
#define WRITE_MISS 0x04u
#define WRITE_HIT  0x05u
#define WRITE_BACK 0x06u
#define MISALIGNED 0x0Bu
#define CODE_READ  0x0Cu
#define BRANCHES   0x12u
#define BTB_HITS   0x13u
#define TAKEN_OR   0x14u
#define FLUSHES    0x15u
#define INSNS      0x16u
#define LOCKED     0x1Cu
#define UC_READS   0x1Eu

static struct sim *sim;

static inline void given(const char *model, const char *errata)
{
    sim_free(sim);
    sim = sim_new(model, errata, NULL);
    assert_non_null(sim);
}

static inline uint64_t msr(uint32_t number)
{
    uint64_t value;
    assert_int_equal(sim_rdmsr(sim, number, &value), 1);
    return value;
}

/* Counters count these events at any CPL, from 0. */
static inline void count(unsigned es0, unsigned es1)
{
    assert_int_equal(sim_wrmsr(sim, CTR0, 0), 1);
    assert_int_equal(sim_wrmsr(sim, CTR1, 0), 1);
    assert_int_equal(sim_wrmsr(sim, CESR, (ANY_CPL | es0) | (ANY_CPL | es1) << 16), 1);
}

static inline struct sim_access mem(uint64_t lin, unsigned bytes, unsigned kind)
{
    return (struct sim_access){.lin = lin,
                               .phys = lin,
                               .phys_high = (lin | 4095) + 1,
                               .bytes = (uint8_t)bytes,
                               .kind = (uint8_t)kind};
}

static inline void insn_at(uint64_t lin, unsigned len, uint32_t op, const struct sim_access *a)
{
    struct sim_insn i = {
        .lin = lin, .phys = lin, .phys_high = (lin | 4095) + 1, .len = (uint8_t)len, .op = op};
    if (a) {
        i.access[0] = *a;
        i.n_access = 1;
    }
    sim_instruction(sim, &i);
}

static inline void branch_at(uint64_t lin, unsigned len, uint32_t op, uint64_t target)
{
    struct sim_insn i = {
        .lin = lin, .phys = lin, .target = target, .len = (uint8_t)len, .op = OP_BRANCH | op};
    sim_instruction(sim, &i);
}

static inline void data(uint64_t lin, unsigned bytes, unsigned kind)
{
    struct sim_access a = mem(lin, bytes, kind);
    insn_at(0x1000, 2, 0, &a);
}

static inline int teardown(void **state)
{
    (void)state;
    sim_free(sim);
    sim = NULL;
    return 0;
}
