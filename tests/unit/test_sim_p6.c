/* P6 model: registers, qualification, overflow, CPUID, and what single instructions count. */
#include "sim/p6.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CTR0 = 0xc1, CTR1 = 0xc2, SEL0 = 0x186, SEL1 = 0x187 };
#define USR      (1u << 16)
#define OS       (1u << 17)
#define E        (1u << 18)
#define PC       (1u << 19)
#define INT      (1u << 20)
#define EN       (1u << 22)
#define INV      (1u << 23)
#define CMASK(n) ((uint32_t)(n) << 24)
#define BOTH     (USR | OS)
#define MASK40   0xffffffffffull

static const char *const models[] = {"ppro", "p2", "p3"};

static struct {
    unsigned pmi, steps[2], overflows[2];
} seen;

static void on_pmi(void *ctx)
{
    assert_ptr_equal(ctx, &seen);
    seen.pmi++;
}

static void on_pin(void *ctx, unsigned pin, bool overflow)
{
    assert_ptr_equal(ctx, &seen);
    assert_true(pin < 2);
    if (overflow)
        seen.overflows[pin]++;
    else
        seen.steps[pin]++;
}

static struct sim *machine(const char *model)
{
    static const struct sim_host host = {&seen, on_pmi, on_pin};
    memset(&seen, 0, sizeof seen);
    struct sim *s = sim_new(model, NULL, &host);
    assert_non_null(s);
    return s;
}

static uint64_t rd(struct sim *s, uint32_t msr)
{
    uint64_t v = 0xdeadbeefdeadbeef;
    assert_int_equal(sim_rdmsr(s, msr, &v), 1);
    return v;
}

static void wr(struct sim *s, uint32_t msr, uint64_t v) { assert_int_equal(sim_wrmsr(s, msr, v), 1); }

/* n instructions of this kind. */
static void retire(struct sim *s, unsigned n, uint32_t op, unsigned cpl)
{
    struct sim_insn i = {.lin = 0x1000, .phys = 0x1000, .len = 2, .op = op, .cpl = cpl, .cpl_after = cpl};
    while (n--) {
        sim_ticks(s, 1, false, cpl);
        sim_instruction(s, &i);
    }
}

/* Program one counter, the enable being where it is. */
static void program(struct sim *s, unsigned n, uint32_t select)
{
    wr(s, SEL0, n == 0 ? select | EN : EN);
    wr(s, SEL1, n == 1 ? select : 0);
    wr(s, CTR0, 0);
    wr(s, CTR1, 0);
}

/* ---- registers ---- */

static void test_other_msrs(void **state)
{
    static const uint32_t others[] = {0,     0x10,  0x11,  0x12,  0x1b,  0xc0,  0xc3,  0x119,     0x185,
                                      0x188, 0x1a0, 0x1d9, 0x1db, 0x300, 0x309, 0x38f, 0xc0010000};
    struct sim *s = machine("p2");
    uint64_t v;
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(sim_rdmsr(s, others[i], &v), -1);
        assert_int_equal(sim_wrmsr(s, others[i], 0), -1);
    }
    sim_free(s);
}

/* SDM 18.22.1: bit 21 is reserved, bit 22 is there in PerfEvtSel0 only; all else can be written and read. */
static void test_select_bits(void **state)
{
    (void)state;
    for (unsigned m = 0; m < 3; m++) {
        struct sim *s = machine(models[m]);
        for (unsigned n = 0; n < 2; n++) {
            assert_int_equal(rd(s, SEL0 + n), 0);
            for (unsigned bit = 0; bit < 64; bit++) {
                const bool allowed = bit < 32 && bit != 21 && !(bit == 22 && n == 1);
                wr(s, SEL0 + n, 0x79);
                assert_int_equal(sim_wrmsr(s, SEL0 + n, 1ull << bit), allowed ? 1 : 0);
                assert_int_equal(rd(s, SEL0 + n), allowed ? 1ull << bit : 0x79);
            }
        }
        wr(s, SEL0, 0xffdfffff);
        wr(s, SEL1, 0xff9fffff);
        assert_int_equal(rd(s, SEL0), 0xffdfffff);
        assert_int_equal(rd(s, SEL1), 0xff9fffff);
        sim_free(s);
    }
}

/* SDM 18.22.2: only the low 32 bits are written; bit 31 fills the upper eight. */
static void test_counter_writes(void **state)
{
    static const struct {
        uint64_t written, read;
    } rows[] = {
        {0, 0},
        {1, 1},
        {0x7fffffff, 0x7fffffff},
        {0x80000000, 0xff80000000},
        {0xffffffff, 0xffffffffff},
        {0xfffffffffffffff0, 0xfffffffff0},
        {0x1234567800000001, 1},
        {0x000000ff00000000, 0},
        {0x0000007f80000001, 0xff80000001},
    };
    struct sim *s = machine("ppro");
    (void)state;
    for (unsigned n = 0; n < 2; n++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            uint64_t v;
            wr(s, CTR0 + n, rows[i].written);
            assert_int_equal(rd(s, CTR0 + n), rows[i].read);
            assert_int_equal(sim_rdpmc(s, n, 0, false, true, &v), SIM_RDPMC_OK);
            assert_int_equal(v, rows[i].read);
        }
    sim_free(s);
}

static void test_rdpmc(void **state)
{
    struct sim *s = machine("p3");
    uint64_t v = 77;
    (void)state;
    wr(s, CTR0, 5);
    wr(s, CTR1, 6);
    for (unsigned cpl = 0; cpl < 4; cpl++)
        for (unsigned pce = 0; pce < 2; pce++)
            assert_int_equal(sim_rdpmc(s, 1, cpl, pce, true, &v),
                             cpl == 0 || pce ? SIM_RDPMC_OK : SIM_RDPMC_GP);
    assert_int_equal(v, 6);
    /* real mode has no privilege levels to gate */
    assert_int_equal(sim_rdpmc(s, 0, 3, false, false, &v), SIM_RDPMC_OK);
    assert_int_equal(v, 5);
    static const uint32_t bad[] = {2, 3, 0x40000000, 0x80000000, 0x80000001, 0xffffffff};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(sim_rdpmc(s, bad[i], 0, true, true, &v), SIM_RDPMC_GP);
    sim_free(s);
}

/* ---- enable and privilege ---- */

static void test_single_enable(void **state)
{
    struct sim *s = machine("p2");
    (void)state;
    assert_false(sim_wants_facts(s));
    wr(s, SEL1, 0xc0 | BOTH);
    wr(s, SEL0, 0xc0 | BOTH);
    assert_false(sim_wants_facts(s));
    retire(s, 10, 0, 0);
    assert_int_equal(rd(s, CTR0), 0);
    assert_int_equal(rd(s, CTR1), 0);

    wr(s, SEL0, 0xc0 | BOTH | EN);
    assert_true(sim_wants_facts(s));
    retire(s, 10, 0, 0);
    assert_int_equal(rd(s, CTR0), 10);
    assert_int_equal(rd(s, CTR1), 10);

    wr(s, SEL1, 0); /* stops counter 1 only */
    retire(s, 5, 0, 0);
    assert_int_equal(rd(s, CTR0), 15);
    assert_int_equal(rd(s, CTR1), 10);

    wr(s, SEL1, 0xc0 | BOTH);
    wr(s, SEL0, EN); /* stops counter 0 only */
    retire(s, 5, 0, 0);
    assert_int_equal(rd(s, CTR0), 15);
    assert_int_equal(rd(s, CTR1), 15);

    wr(s, SEL0, 0xc0 | BOTH); /* stops both */
    retire(s, 5, 0, 0);
    assert_int_equal(rd(s, CTR0), 15);
    assert_int_equal(rd(s, CTR1), 15);
    assert_true(sim_wants_facts(s)); /* has been enabled: the caches go on */

    sim_reset(s);
    assert_int_equal(rd(s, SEL0) | rd(s, SEL1) | rd(s, CTR0) | rd(s, CTR1), 0);
    assert_false(sim_wants_facts(s));
    sim_free(s);
}

static void test_privilege(void **state)
{
    static const struct {
        uint32_t bits;
        unsigned want[4];
    } rows[] = {{0, {0, 0, 0, 0}}, {USR, {0, 1, 1, 1}}, {OS, {1, 0, 0, 0}}, {BOTH, {1, 1, 1, 1}}};
    struct sim *s = machine("ppro");
    (void)state;
    for (unsigned n = 0; n < 2; n++)
        for (unsigned r = 0; r < 4; r++)
            for (unsigned cpl = 0; cpl < 4; cpl++) {
                program(s, n, 0xc0 | rows[r].bits);
                retire(s, 3, 0, cpl);
                assert_int_equal(rd(s, CTR0 + n), 3 * rows[r].want[cpl]);
                assert_int_equal(rd(s, CTR0 + !n), 0);
            }
    /* The level before the instruction: IRET to CPL 3 is the kernel's. */
    struct sim_insn iret = {.lin = 0x2000, .len = 1, .op = OP_BRANCH | OP_TAKEN | OP_FAR | OP_SERIALIZE};
    iret.cpl_after = 3;
    wr(s, SEL0, 0xc0 | OS | EN);
    wr(s, SEL1, 0xc0 | USR);
    wr(s, CTR0, 0);
    wr(s, CTR1, 0);
    sim_instruction(s, &iret);
    assert_int_equal(rd(s, CTR0), 1);
    assert_int_equal(rd(s, CTR1), 0);
    sim_free(s);
}

/* What happened before a WRMSR belongs to the old programming. */
static void test_settling(void **state)
{
    struct sim *s = machine("p3");
    (void)state;
    program(s, 0, 0x79 | OS);
    sim_ticks(s, 7, false, 0);
    wr(s, SEL1, 0x79 | OS);
    sim_ticks(s, 5, false, 0);
    assert_int_equal(rd(s, CTR0), 12);
    assert_int_equal(rd(s, CTR1), 5);
    sim_free(s);
}

/* ---- overflow ---- */

static void test_overflow(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        struct sim *s = machine("p3");
        program(s, n, 0xc0 | OS | INT);
        wr(s, CTR0 + n, (uint64_t)-5);
        retire(s, 4, 0, 0);
        assert_int_equal(rd(s, CTR0 + n), MASK40);
        assert_int_equal(seen.pmi, 0);
        retire(s, 1, 0, 0);
        assert_int_equal(rd(s, CTR0 + n), 0);
        assert_int_equal(seen.pmi, 1);
        assert_int_equal(seen.overflows[n], 1);
        retire(s, 1000, 0, 0);
        assert_int_equal(rd(s, CTR0 + n), 1000);
        assert_int_equal(seen.pmi, 1);
        /* bit 31 to 32 is no overflow: the counter has 40 bits */
        wr(s, CTR0 + n, 0x7fffffff);
        retire(s, 2, 0, 0);
        assert_int_equal(rd(s, CTR0 + n), 0x80000001);
        assert_int_equal(seen.pmi, 1);
        /* INT off: silent; and once per overflow, not once per event */
        program(s, n, 0xc0 | OS);
        wr(s, CTR0 + n, (uint64_t)-1);
        retire(s, 2, 0, 0);
        assert_int_equal(seen.pmi, 1);
        program(s, n, 0x79 | OS | INT);
        wr(s, CTR0 + n, (uint64_t)-3);
        sim_ticks(s, 100, false, 0);
        assert_int_equal(rd(s, CTR0 + n), 97);
        assert_int_equal(seen.pmi, 2);
        sim_free(s);
    }
    /* periodic sampling: one interrupt each */
    struct sim *s = machine("ppro");
    program(s, 1, 0xc0 | OS | INT);
    for (unsigned k = 1; k <= 20; k++) {
        wr(s, CTR1, (uint64_t)-100);
        while (seen.pmi < k) retire(s, 1, 0, 0);
        assert_int_equal(rd(s, CTR1), 0);
    }
    sim_free(s);
}

static void test_pins(void **state)
{
    struct sim *s = machine("ppro");
    (void)state;
    program(s, 1, 0xc0 | OS | PC);
    wr(s, CTR1, (uint64_t)-2);
    retire(s, 6, 0, 0);
    assert_int_equal(seen.steps[1], 6);
    assert_int_equal(seen.overflows[1], 0);
    program(s, 0, 0xc0 | OS);
    wr(s, CTR0, (uint64_t)-2);
    retire(s, 6, 0, 0);
    assert_int_equal(seen.steps[0], 0);
    assert_int_equal(seen.overflows[0], 1);
    assert_int_equal(seen.pmi, 0);
    sim_free(s);
}

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
    assert_string_equal(unmodelled(s, 0, 0x0062 | BOTH), "BUS_DRDY_CLOCKS");
    assert_string_equal(unmodelled(s, 0, 0x01d8 | BOTH), "EMON_KNI_INST_RETIRED:SCALAR");
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
                const char *name =
                    unmodelled(s, n, manual[k].code | (manual[k].code == 0xb2 ? 0x0f00 : 0) | BOTH);
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

/* ---- one clock: CMASK, INV, E ---- */

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

/* ---- who it says it is ---- */

static void test_cpuid(void **state)
{
    static const struct {
        const char *model;
        uint32_t max, signature, features, descriptors;
    } rows[] = {{"ppro", 2, 0x619, 0x0000fbff, 0x06040a42},
                {"p2", 2, 0x633, 0x0080fbff, 0x0c040843},
                {"p3", 3, 0x673, 0x0387fbff, 0x0c040843}};
    (void)state;
    for (unsigned m = 0; m < 3; m++) {
        struct sim *s = machine(rows[m].model);
        uint32_t r[4] = {1, 2, 3, 4}, last[4];
        sim_cpuid(s, 0, 0, r);
        assert_int_equal(r[0], rows[m].max);
        assert_memory_equal(r + 1, "GenuntelineI", 12);
        for (unsigned apic = 0; apic < 2; apic++) {
            memset(r, 0xff, sizeof r);
            r[3] = apic << 9;
            sim_cpuid(s, 1, 0, r);
            assert_int_equal(r[0], rows[m].signature);
            assert_int_equal(r[1] | r[2], 0);
            assert_int_equal(r[3], apic ? rows[m].features : rows[m].features & ~(1u << 9));
        }
        memset(r, 0xff, sizeof r);
        sim_cpuid(s, 2, 0, r);
        assert_int_equal(r[0], 0x03020101);
        assert_int_equal(r[1] | r[2], 0);
        assert_int_equal(r[3], rows[m].descriptors);
        sim_cpuid(s, rows[m].max, 0, last);
        static const uint32_t beyond[] = {4, 0xa, 0x80000000, 0x80000001, 0xffffffff};
        for (unsigned i = 0; i < 5; i++) {
            memset(r, 0xff, sizeof r);
            sim_cpuid(s, beyond[i], 0, r);
            assert_memory_equal(r, last, sizeof r);
        }
        sim_free(s);
    }
}

/* Until BBL_CR_CTL bit 21 hides it, for good. */
static void test_serial_number(void **state)
{
    struct sim *s = machine("p3");
    uint32_t r[4] = {0}, id[4] = {0};
    (void)state;
    sim_cpuid(s, 3, 0, id);
    assert_int_equal(id[0] | id[1], 0);
    assert_true(id[2] && id[3]);
    assert_int_equal(rd(s, 0x119), 0);
    wr(s, 0x119, 1u << 21);
    wr(s, 0x119, 0);
    assert_int_equal(rd(s, 0x119), 1u << 21);
    sim_cpuid(s, 0, 0, r);
    assert_int_equal(r[0], 2);
    r[3] = 0;
    sim_cpuid(s, 1, 0, r);
    assert_int_equal(r[3] >> 18 & 1, 0);
    sim_cpuid(s, 3, 0, r);
    assert_int_equal(r[0], 0x03020101);
    sim_reset(s);
    sim_cpuid(s, 0, 0, r);
    assert_int_equal(r[0], 3);
    sim_free(s);
}

/* As an operating system's driver does it (Linux's arch/x86/events/intel/p6.c: everything is stopped by the
 * enable of PerfEvtSel0, one counter by an event that counts nothing, periods are written as 32 bits). */
static void test_as_linux_does(void **state)
{
    struct sim *s = machine("p3");
    (void)state;
    wr(s, SEL0, 0x2e);
    wr(s, SEL1, 0x2e);
    wr(s, SEL1, 0xc0 | USR | OS | INT);
    wr(s, CTR1, 0x100000000ull - 1000);
    wr(s, SEL0, rd(s, SEL0) | EN);
    retire(s, 999, 0, 3);
    assert_int_equal(seen.pmi, 0);
    assert_true(rd(s, CTR1) & 1u << 31);
    retire(s, 1, 0, 3);
    assert_int_equal(seen.pmi, 1);
    wr(s, SEL0, rd(s, SEL0) & ~(uint64_t)EN);
    assert_false(rd(s, CTR1) & 1u << 31); /* "overflowed" */
    wr(s, SEL0, 0x79 | OS | INT);
    wr(s, CTR0, 0x80000000);
    wr(s, SEL0, rd(s, SEL0) | EN);
    sim_ticks(s, 3, false, 0);
    assert_int_equal(rd(s, CTR0), 0xff80000003);
    wr(s, SEL0, 0x2e | EN); /* counter 0 off, counter 1 goes on */
    retire(s, 4, 0, 0);
    assert_int_equal(rd(s, CTR0), 0xff80000003);
    assert_int_equal(rd(s, CTR1), 4);
    sim_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_msrs),     cmocka_unit_test(test_select_bits),
        cmocka_unit_test(test_counter_writes), cmocka_unit_test(test_rdpmc),
        cmocka_unit_test(test_single_enable),  cmocka_unit_test(test_privilege),
        cmocka_unit_test(test_settling),       cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_pins),           cmocka_unit_test(test_table),
        cmocka_unit_test(test_unmodelled),     cmocka_unit_test(test_restrictions),
        cmocka_unit_test(test_operations),     cmocka_unit_test(test_segments_and_interrupts),
        cmocka_unit_test(test_mmx_sse),        cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_cpuid),          cmocka_unit_test(test_serial_number),
        cmocka_unit_test(test_as_linux_does),
    };
    return cmocka_run_group_tests_name("sim_p6", tests, NULL, NULL);
}
