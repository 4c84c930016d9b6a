/* P6 model: what single instructions count. */
#include "tests/unit/p6_oracle.h"

/* What an instruction counts, event by event. */
TEST(test_operations)
{
    enum { X87 = OP_X87 };
    static const struct {
        uint32_t op;
        unsigned fp_exe, flops, mul, div, branch, taken;
    } rows[] = {
        {0, 0, 0, 0, 0, 0, 0},
        {X87, 0, 0, 0, 0, 0, 0}, /* FLD */
        {X87 | OP_FST, 0, 0, 0, 0, 0, 0},
        {X87 | OP_FLOP, 1, 1, 0, 0, 0, 0},
        {X87 | OP_FLOP | OP_FMUL, 1, 1, 1, 0, 0, 0},
        {X87 | OP_FLOP | OP_FDIV, 1, 1, 0, 1, 0, 0},
        {X87 | OP_FCOM, 1, 1, 0, 0, 0, 0},
        {OP_IMUL, 1, 0, 1, 0, 0, 0},
        {OP_IDIV, 1, 0, 0, 1, 0, 0},
        {OP_BRANCH | OP_COND, 0, 0, 0, 0, 1, 0},
        {OP_BRANCH | OP_COND | OP_TAKEN, 0, 0, 0, 0, 1, 1},
        {OP_BRANCH | OP_CALL | OP_TAKEN | OP_INDIRECT, 0, 0, 0, 0, 1, 1},
    };
    for (unsigned m = 0; m < 3; m++) {
        struct sim *s = machine(models[m]);
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            const struct {
                uint8_t event, counter;
                unsigned want;
            } events[] = {{0x10, 0, rows[r].fp_exe},
                          {0xc1, 0, rows[r].flops},
                          {0x12, 1, rows[r].mul},
                          {0x13, 1, rows[r].div},
                          {0xc4, 0, rows[r].branch},
                          {0xc4, 1, rows[r].branch},
                          {0xc9, 0, rows[r].taken},
                          {0xc0, 1, 1},
                          {0xd0, 0, 1},
                          {0xc8, 0, 0},
                          {0x06, 1, 0},
                          {0x43, 1, 0}};
            for (size_t k = 0; k < sizeof events / sizeof *events; k++) {
                program(s, events[k].counter, events[k].event | BOTH);
                retire(s, 7, rows[r].op, 3);
                assert_int_equal(rd(s, CTR0 + events[k].counter), 7 * events[k].want);
            }
        }
        sim_free(s);
    }
}

TEST(test_segments_and_interrupts)
{
    struct sim *s = machine("p2");
    struct sim_insn mov_ds = {.lin = 0x1000, .len = 2, .seg_loads = 1};
    struct sim_insn lgdt = {.lin = 0x1000, .len = 2, .seg_loads = 1, .op = OP_SERIALIZE};
    struct sim_insn retf = {
        .lin = 0x1000, .len = 1, .seg_loads = 1, .op = OP_BRANCH | OP_TAKEN | OP_FAR | OP_RET};
    struct sim_insn iret = retf;
    iret.op |= OP_SERIALIZE;
    iret.cpl_after = 3;

    wr(s, SEL1, 0xc8 | BOTH);
    wr(s, SEL0, 0x06 | BOTH | EN);
    sim_instruction(s, &mov_ds);
    assert_int_equal(rd(s, CTR0), 1);
    sim_instruction(s, &lgdt);
    assert_int_equal(rd(s, CTR0), 1);
    sim_instruction(s, &retf);
    assert_int_equal(rd(s, CTR0), 2);
    sim_instruction(s, &iret); /* CS, SS */
    assert_int_equal(rd(s, CTR0), 4);
    sim_exception(s, 14, 0); /* CS */
    assert_int_equal(rd(s, CTR0), 5);
    sim_exception(s, 14, 3); /* CS, SS */
    assert_int_equal(rd(s, CTR0), 7);
    assert_int_equal(rd(s, CTR1), 0);
    sim_interrupt(s, 0x20, false, 0);
    sim_interrupt(s, 2, true, 0);
    assert_int_equal(rd(s, CTR0), 9);
    assert_int_equal(rd(s, CTR1), 2);
    /* An interrupt belongs to the level that it interrupts, and no instruction retires by it. */
    wr(s, SEL0, 0xc8 | USR | EN);
    wr(s, SEL1, 0xc0 | BOTH);
    wr(s, CTR0, 0);
    wr(s, CTR1, 0);
    sim_interrupt(s, 0x20, false, 0);
    sim_interrupt(s, 0x20, false, 3);
    assert_int_equal(rd(s, CTR0), 1);
    assert_int_equal(rd(s, CTR1), 0);
    sim_free(s);
}

static uint64_t count_ops(const char *model, uint32_t select, const uint32_t *ops, unsigned n)
{
    struct sim *s = machine(model);
    program(s, 0, select | BOTH);
    for (unsigned i = 0; i < n; i++) retire(s, 1, ops[i], 0);
    const uint64_t v = rd(s, CTR0);
    sim_free(s);
    return v;
}

TEST(test_mmx_sse)
{
    static const uint32_t ops[] = {OP_MMX,           OP_MMX, 0,      OP_X87,           OP_X87, OP_MMX,
                                   OP_EMMS,          0,      OP_X87, OP_X87 | OP_FLOP, OP_SSE, OP_MMX,
                                   OP_SSE | OP_FLOP, OP_EMMS};
    const unsigned n = sizeof ops / sizeof *ops;
    assert_int_equal(count_ops("p2", 0xb0, ops, n), 6);
    assert_int_equal(count_ops("p2", 0xce, ops, n), 6);
    assert_int_equal(count_ops("p2", 0xcd, ops, n), 2);
    assert_int_equal(count_ops("p3", 0xcd, ops, n), 2);
    assert_int_equal(count_ops("p2", 0x00cc, ops, n), 2);
    assert_int_equal(count_ops("p2", 0x01cc, ops, n), 2);
    assert_int_equal(count_ops("p3", 0xd8, ops, n), 2);
    assert_int_equal(count_ops("p2", 0xd8, ops, n), 0);
    assert_int_equal(count_ops("p3", 0xb0, ops, n), 0);
    assert_int_equal(count_ops("ppro", 0xcc, ops, n), 0);
}

/* SSE and MMX by what they are, one by one and in bulk. */
TEST(test_simd_kinds)
{
    static const struct {
        uint32_t op;
        uint8_t simd;
        unsigned n;
    } did[] = {
        {OP_SSE | OP_PACKED_SP, SIMD_COMPUTES, 1},               /* ADDPS, CMPPS */
        {OP_SSE | OP_SCALAR_SP, SIMD_COMPUTES | SIMD_SCALAR, 2}, /* MULSS, COMISS */
        {OP_SSE, SIMD_SCALAR, 4},                                /* MOVSS, CVTSS2SI */
        {OP_SSE | OP_PACKED_SP, 0, 8},                           /* XORPS, SHUFPS */
        {OP_SSE, 0, 16},                                         /* MOVAPS, LDMXCSR */
        {OP_MMX, SIMD_SATURATES, 1},                             /* PADDSB */
        {OP_MMX, SIMD_MULTIPLY, 2},
        {OP_MMX, SIMD_SHIFT, 4},
        {OP_MMX, SIMD_PACK | SIMD_SATURATES, 8},
        {OP_MMX, SIMD_UNPACK, 16},
        {OP_MMX, SIMD_LOGIC, 32},
        {OP_MMX, 0, 64}, /* MOVQ, PADDB */
    };
    static const struct {
        const char *models;
        uint16_t code;
        unsigned want;
    } rows[] = {
        {"p3", 0x00d8, 31},    {"p3", 0x01d8, 6},     {"p3", 0x00d9, 3},    {"p3", 0x01d9, 2},
        {"p2 p3", 0x00b1, 9},  {"p2 p3", 0x01b3, 2},  {"p2 p3", 0x02b3, 4}, {"p2 p3", 0x04b3, 8},
        {"p2 p3", 0x08b3, 16}, {"p2 p3", 0x10b3, 32},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (unsigned m = 1; m < 3; m++) {
            if (!strstr(rows[r].models, models[m])) continue;
            struct sim *s = machine(models[m]);
            program(s, 0, rows[r].code | BOTH);
            for (size_t k = 0; k < sizeof did / sizeof *did; k++)
                for (unsigned n = did[k].n; n--;) {
                    struct sim_insn i = {.lin = 0x1000, .phys = 0x1000, .len = 3, .op = did[k].op};
                    i.simd = did[k].simd;
                    sim_instruction(s, &i);
                }
            if (rd(s, CTR0) != rows[r].want)
                fail_msg("%s, %04x: %llu, not %u", models[m], rows[r].code, (unsigned long long)rd(s, CTR0),
                         rows[r].want);
            assert_null(unmodelled(s, 0, rows[r].code | BOTH));
            /* MMX instructions come in no batch. */
            program(s, 0, rows[r].code | BOTH);
            struct sim_kind kinds[5];
            struct sim_batch b = {.lin = 0x1000, .end = 0x1000, .kinds = kinds, .n_kinds = 5};
            for (unsigned k = 0; k < 5; k++)
                kinds[k] = (struct sim_kind){.op = did[k].op, .n = did[k].n, .simd = did[k].simd};
            sim_batch(s, &b);
            if ((rows[r].code & 0xff) >= 0xd8) assert_int_equal(rd(s, CTR0), rows[r].want);
            sim_free(s);
        }
}

/* One instruction that says something of caches, with a store where it is one. */
static void cache_instruction(struct sim *s, unsigned what, uint64_t phys)
{
    struct sim_insn i = {.lin = 0x1000, .phys = 0x1000, .len = 3, .cache_op = (uint8_t)what};
    i.line = (struct sim_named_line){phys, phys, false};
    if (what == CACHE_NON_TEMPORAL)
        i.access[i.n_access++] =
            (struct sim_access){.lin = phys, .phys = phys, .bytes = 16, .kind = SIM_WRITE};
    sim_instruction(s, &i);
}

/* 07h and 4Bh: each is counted when it retires; it misses where no cache has its line. */
TEST(test_prefetches)
{
    static const struct {
        uint16_t code;
        unsigned want;
    } rows[] = {{0x0007, 3}, {0x0307, 2}, {0x004b, 2}, {0x034b, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct sim *s = machine("p3");
        program(s, 0, rows[r].code | BOTH);
        cache_instruction(s, CACHE_PREFETCH_NTA, 0x20000); /* misses */
        cache_instruction(s, CACHE_PREFETCH_NTA, 0x20008);
        cache_instruction(s, CACHE_PREFETCH_NTA, 0x30000); /* misses */
        cache_instruction(s, CACHE_PREFETCH_T0, 0x40000);  /* nobody says under which mask */
        cache_instruction(s, CACHE_PREFETCH_T1, 0x50000);
        cache_instruction(s, CACHE_PREFETCH_T2, 0x60000);
        cache_instruction(s, CACHE_NON_TEMPORAL, 0x40000); /* in both caches */
        cache_instruction(s, CACHE_NON_TEMPORAL, 0x70000); /* misses */
        if (rd(s, CTR0) != rows[r].want)
            fail_msg("%04x: %llu, not %u", rows[r].code, (unsigned long long)rd(s, CTR0), rows[r].want);
        assert_null(unmodelled(s, 0, rows[r].code | BOTH));
        sim_free(s);
    }
}

TEST(test_assists)
{
    static const uint32_t op[] = {OP_X87 | OP_FLOP | OP_ASSIST, OP_X87 | OP_FLOP,
                                  OP_X87 | OP_FCOM | OP_ASSIST};
    struct sim *s = machine("p3");
    /* on counter 1 only, and then x87 instructions have to come one by one */
    wr(s, SEL0, 0xc0 | BOTH | EN);
    wr(s, SEL1, 0xc0 | BOTH);
    assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
    wr(s, SEL1, 0x11 | BOTH);
    assert_int_equal(sim_batches(s), SIM_BATCH_NO_X87);
    for (size_t k = 0; k < sizeof op / sizeof *op; k++) retire(s, 1, op[k], 0);
    assert_int_equal(rd(s, CTR1), 2);
    sim_free(s);
}
