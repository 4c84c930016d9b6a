/* P6 model: what single instructions count, and what CMASK, INV and E make of it. */
#include "tests/unit/p6_drive.h"
#include <stdio.h>
#include <string.h>

/* ---- events ---- */

/* Every event select of SDM table 19-37 that these processors have, with the counters and models it names. */
static const struct {
    uint8_t code, counters, models;
} manual[] = {
    {0x03, 3, 7}, {0x04, 3, 7}, {0x05, 3, 7}, {0x06, 3, 7}, {0x07, 3, 4}, {0x10, 1, 7}, {0x11, 2, 7},
    {0x12, 2, 7}, {0x13, 2, 7}, {0x14, 1, 7}, {0x21, 3, 7}, {0x22, 3, 7}, {0x23, 3, 7}, {0x24, 3, 7},
    {0x25, 3, 7}, {0x26, 3, 7}, {0x27, 3, 7}, {0x28, 3, 7}, {0x29, 3, 7}, {0x2a, 3, 7}, {0x2e, 3, 7},
    {0x43, 3, 7}, {0x45, 3, 7}, {0x46, 3, 7}, {0x47, 3, 7}, {0x48, 3, 7}, {0x4b, 3, 4}, {0x60, 3, 7},
    {0x61, 3, 7}, {0x62, 3, 7}, {0x63, 3, 7}, {0x64, 3, 7}, {0x65, 3, 7}, {0x66, 3, 7}, {0x67, 3, 7},
    {0x68, 3, 7}, {0x69, 3, 7}, {0x6a, 3, 7}, {0x6b, 3, 7}, {0x6c, 3, 7}, {0x6d, 3, 7}, {0x6e, 3, 7},
    {0x6f, 3, 7}, {0x70, 3, 7}, {0x79, 3, 7}, {0x7a, 3, 7}, {0x7b, 3, 7}, {0x7e, 3, 7}, {0x80, 3, 7},
    {0x81, 3, 7}, {0x85, 3, 7}, {0x86, 3, 7}, {0x87, 3, 7}, {0xa2, 3, 7}, {0xb0, 3, 2}, {0xb1, 3, 6},
    {0xb2, 3, 6}, {0xb3, 3, 6}, {0xc0, 3, 7}, {0xc1, 1, 7}, {0xc2, 3, 7}, {0xc4, 3, 7}, {0xc5, 3, 7},
    {0xc6, 3, 7}, {0xc7, 3, 7}, {0xc8, 3, 7}, {0xc9, 3, 7}, {0xca, 3, 7}, {0xcc, 3, 6}, {0xcd, 3, 6},
    {0xce, 3, 2}, {0xd0, 3, 7}, {0xd2, 3, 7}, {0xd4, 3, 6}, {0xd5, 3, 6}, {0xd6, 3, 6}, {0xd8, 3, 4},
    {0xd9, 3, 4}, {0xe0, 3, 7}, {0xe2, 3, 7}, {0xe4, 3, 7}, {0xe6, 3, 7},
};
#define N_MANUAL (sizeof manual / sizeof *manual)

static void test_table(void **state)
{
    (void)state;
    for (unsigned i = 0; i < P6_EVENTS; i++) {
        const struct sim_event *e = &p6_events[i];
        unsigned k = 0;
        assert_non_null(e->name); /* P6_EVENTS is not too many */
        for (unsigned j = 0; j < i; j++) {
            assert_string_not_equal(e->name, p6_events[j].name);
            assert_int_not_equal(e->code, p6_events[j].code);
        }
        while (k < N_MANUAL && manual[k].code != (e->code & 0xff)) k++;
        assert_true(k < N_MANUAL);
        assert_int_equal(e->counters ? e->counters : 3, manual[k].counters);
        assert_int_equal(e->models ? e->models : 7, manual[k].models);
        for (unsigned t = 0; t < SIM_TERMS; t++) assert_true(e->terms[t] < T_END);
    }
    for (unsigned k = 0; k < N_MANUAL; k++) {
        unsigned i = 0;
        while (i < P6_EVENTS && (p6_events[i].code & 0xff) != manual[k].code) i++;
        assert_true(i < P6_EVENTS);
    }
}

/* The oracle's line, kept. */
static char line[32768];
static void keep(void *ctx, const char *text)
{
    (void)ctx;
    snprintf(line, sizeof line, "%s", text);
}

/* Program it, retire a mixture, and see whether the oracle calls it unmodelled, under which name. */
static const char *unmodelled(struct sim *s, unsigned n, uint32_t select)
{
    static char name[64];
    wr(s, SEL0, 0);
    wr(s, SEL1, 0);
    sim_oracle_begin(s, "x");
    program(s, n, select);
    retire(s, 3, OP_BRANCH | OP_TAKEN, 0);
    sim_oracle_end(s, keep, NULL, NULL);
    const char *list = strstr(line, "\"unmodelled\":[");
    assert_non_null(list);
    if (sscanf(list, "\"unmodelled\":[\"%63[^\"]\"", name) != 1) return NULL;
    assert_int_equal(rd(s, CTR0 + n), 0); /* it says so, and does not move */
    return name;
}

static void test_unmodelled(void **state)
{
    struct sim *s = machine("p3");
    (void)state;
    assert_string_equal(unmodelled(s, 0, 0xc5 | BOTH), "BR_MISS_PRED_RETIRED");
    assert_string_equal(unmodelled(s, 1, 0xc2 | BOTH), "UOPS_RETIRED");
    assert_string_equal(unmodelled(s, 0, 0x4f | BOTH), "r4f");
    assert_string_equal(unmodelled(s, 0, 0x00 | BOTH), "r00");
    assert_string_equal(unmodelled(s, 0, 0xb0 | BOTH), "MMX_INSTR_EXEC"); /* not this processor's */
    assert_string_equal(unmodelled(s, 0, 0x01c0 | BOTH), "INST_RETIRED"); /* its unit mask is 0 */
    assert_string_equal(unmodelled(s, 0, 0x1f29 | BOTH), "L2_LD");        /* the Pentium M's mask bits */
    assert_string_equal(unmodelled(s, 0, 0x1070 | BOTH), "BUS_TRAN_ANY");
    assert_string_equal(unmodelled(s, 0, 0x0063 | BOTH), "BUS_LOCK_CLOCKS");
    assert_string_equal(unmodelled(s, 0, 0x02d8 | BOTH), "EMON_KNI_INST_RETIRED");
    assert_string_equal(unmodelled(s, 0, 0x0107 | BOTH), "EMON_KNI_PREF_DISPATCHED:T1");
    assert_string_equal(unmodelled(s, 0, 0x20b3 | BOTH), "MMX_INSTR_TYPE_EXEC:ARITH");
    assert_string_equal(unmodelled(s, 0, 0x03b3 | BOTH), "MMX_INSTR_TYPE_EXEC"); /* of two kinds */
    assert_null(unmodelled(s, 0, 0xc0 | BOTH));
    assert_null(
        unmodelled(s, 0, 0x2e | BOTH));  /* an empty MESI mask counts nothing: Linux's way to stop one */
    assert_null(unmodelled(s, 0, 0xc5)); /* counts at no level */
    assert_null(unmodelled(s, 0, 0x2062 | BOTH));
    sim_free(s);
}

static void test_restrictions(void **state)
{
    (void)state;
    for (unsigned m = 0; m < 3; m++)
        for (unsigned k = 0; k < N_MANUAL; k++) {
            struct sim *s = machine(models[m]);
            for (unsigned n = 0; n < 2; n++) {
                const char *name = unmodelled(s, n,
                                              manual[k].code |
                                                  (manual[k].code == 0xb2   ? 0x0f00
                                                   : manual[k].code == 0xb3 ? 0x0100
                                                                            : 0) |
                                                  BOTH);
                if (!(manual[k].counters >> n & 1)) {
                    assert_null(name);
                    assert_int_equal(rd(s, CTR0 + n), 0);
                } else if (!(manual[k].models >> m & 1)) {
                    assert_non_null(name);
                }
            }
            sim_free(s);
        }
}

/* What an instruction counts, event by event. */
static void test_operations(void **state)
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
    (void)state;
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

static void test_segments_and_interrupts(void **state)
{
    struct sim *s = machine("p2");
    (void)state;
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

static void test_mmx_sse(void **state)
{
    static const uint32_t ops[] = {OP_MMX,           OP_MMX, 0,      OP_X87,           OP_X87, OP_MMX,
                                   OP_EMMS,          0,      OP_X87, OP_X87 | OP_FLOP, OP_SSE, OP_MMX,
                                   OP_SSE | OP_FLOP, OP_EMMS};
    const unsigned n = sizeof ops / sizeof *ops;
    (void)state;
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
static void test_simd_kinds(void **state)
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
    (void)state;
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
static void test_prefetches(void **state)
{
    static const struct {
        uint16_t code;
        unsigned want;
    } rows[] = {{0x0007, 3}, {0x0307, 2}, {0x004b, 2}, {0x034b, 1}};
    (void)state;
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

/* ---- one clock: CMASK, INV, E ---- */

static void test_assists(void **state)
{
    static const uint32_t op[] = {OP_X87 | OP_FLOP | OP_ASSIST, OP_X87 | OP_FLOP,
                                  OP_X87 | OP_FCOM | OP_ASSIST};
    struct sim *s = machine("p3");
    (void)state;
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

static void test_thresholds(void **state)
{
    enum { NONE = -1 }; /* unmodelled */
    static const struct {
        uint32_t select;
        int want;
    } rows[] = {
        /* 10 instructions, one a branch taken; 3 interrupts; 20 clocks, then 30 halted, then 5 */
        {0xc0, 10},
        {0xc0 | INV, 10}, /* INV without CMASK is ignored */
        {0xc0 | CMASK(1), NONE},
        {0xc0 | CMASK(3), NONE},
        {0xc0 | CMASK(4), 0}, /* three retire in a clock */
        {0xc0 | CMASK(4) | INV, 25},
        {0xc0 | CMASK(255) | INV, 25},
        {0xc0 | CMASK(4) | INV | E, 0},
        {0xc0 | CMASK(1) | INV, NONE},
        {0xc0 | E, NONE},
        {0x79, 25},
        {0x79 | CMASK(1), 25},
        {0x79 | CMASK(2), 0},
        {0x79 | CMASK(2) | INV, 25},
        {0x79 | CMASK(1) | INV, NONE},
        {0x79 | E, 1},
        {0x79 | E | CMASK(1), 1},
        {0xc8, 3},
        {0xc8 | CMASK(1), 3},
        {0xc8 | E, 3},
        {0xc8 | CMASK(2), 0},
        {0x70 | E, 1}, /* the first instruction comes from memory */
        {0x43 | CMASK(3), 0},
        {0x43 | CMASK(2), NONE},
        {0x48 | CMASK(1), NONE},
        {0x48 | CMASK(5), 0},
        {0x06 | CMASK(200), NONE}, /* nothing known of one clock of it */
        {0x2e | E | CMASK(1), 0},
        {0x2e | INV | CMASK(1), 25}, /* an empty mask is below 1 in every clock */
    };
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct sim *s = machine("p2");
        sim_oracle_begin(s, "x");
        program(s, 1, rows[r].select | BOTH);
        sim_ticks(s, 10, false, 0);
        for (unsigned i = 0; i < 10; i++) retire(s, 1, i ? 0 : OP_BRANCH | OP_TAKEN, 0);
        for (unsigned i = 0; i < 3; i++) sim_interrupt(s, 0x20, false, 0);
        sim_ticks(s, 30, true, 0);
        sim_ticks(s, 0, false, 0);
        sim_ticks(s, 5, false, 0);
        const uint64_t v = rd(s, CTR1);
        sim_oracle_end(s, keep, NULL, NULL);
        const bool listed = !strstr(line, "\"unmodelled\":[]");
        if (rows[r].want == NONE)
            assert_true(listed && v == 0);
        else if (listed || v != (uint64_t)rows[r].want)
            fail_msg("%08x: %llu, not %d%s", rows[r].select, (unsigned long long)v, rows[r].want,
                     listed ? ", and unmodelled" : "");
        sim_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_unmodelled),
        cmocka_unit_test(test_restrictions),
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_segments_and_interrupts),
        cmocka_unit_test(test_mmx_sse),
        cmocka_unit_test(test_simd_kinds),
        cmocka_unit_test(test_prefetches),
        cmocka_unit_test(test_assists),
        cmocka_unit_test(test_thresholds),
    };
    return cmocka_run_group_tests_name("sim_p6_events", tests, NULL, NULL);
}
