/* Sampling an op in a test of the AMD model: the bits of its data, and instructions with an access. */
#pragma once
#include "tests/unit/ibs_drive.h"

#define LD          BIT(0)
#define ST          BIT(1)
#define DC_MISS     BIT(7)
#define MISALIGN    BIT(8)
#define UC          BIT(14)
#define LOCKED      BIT(15)
#define LIN         BIT(17)
#define PHYS        BIT(18)
#define L2_MISS     BIT(20)
#define SW_PF       BIT(21)
#define WIDTH(c)    ((uint64_t)(c) << 22)
#define BOTH        (LIN | PHYS)
#define OLD(m)      ((m) < 2) /* without the fields from bit 20 on: AMD's header, "KV+" */
#define LATENCY(d3) ((unsigned)((d3) >> 32 & 0xffff))

/* The next instruction is tagged. */
static inline void tag_next(struct sim *s, unsigned m, uint64_t more)
{
    wr(s, OPCTL, (COUNTS_OPS(m) ? OPS : 0) | OP_ENABLE | MAX(0x90) | more);
    row(s, 0x1000, 0x90);
    assert_false(rd(s, OPCTL) & OP_VALID);
}

static inline void sample(struct sim *s, unsigned m, const struct sim_insn *i)
{
    tag_next(s, m, 0);
    sim_ticks(s, 1, false, i->cpl);
    sim_instruction(s, i);
    assert_true(rd(s, OPCTL) & OP_VALID);
    assert_int_equal(rd(s, OPRIP), i->lin);
}

static inline struct sim_insn accessing(uint64_t lin, unsigned bytes, unsigned kind)
{
    struct sim_insn i = {.lin = 0x401000, .phys = 0x1000, .len = 4, .cpl = 3, .cpl_after = 3, .n_access = 1};
    i.access[0] =
        (struct sim_access){lin + 0x7f0000000000, lin, lin | 0x40000000, (uint8_t)bytes, (uint8_t)kind, 0};
    return i;
}

/* What of these bits this processor has. */
static inline uint64_t as(unsigned m, uint64_t d3) { return OLD(m) ? d3 & 0xfffff : d3; }
#define FLAGS(d3) ((d3)&0x03ffffff)
