/* Intel's last branch records in the model: registers, formats, what is recorded, freezing (SDM vol. 3, June
 * 2016, 17.4 and 17.7 to 17.10; docs/pmu-model.md, "Last branch records"). */
#include "tests/unit/arch_drive.h"
#include "tests/unit/lbr_drive.h"

enum { LBR_SELECT_MSR = 0x1c8, TOS = 0x1c9 };
#define LBR       BIT(0)
#define FREEZE    BIT(11)
#define LBR_FRZ   BIT(58)
#define C4_TAKEN  (0x20c4u) /* near taken branches */
#define KERNEL    UINT64_C(0xffffffff81234560)
#define SIGN_62   UINT64_C(0x7fff800000000000)
#define CANONICAL UINT64_C(0xffff800000000000)

/* What the manual says of each: format, entries, first registers; 0: none. */
static const struct {
    const char *name;
    unsigned format, depth;
    uint32_t from, to, info;
    uint64_t select;
    uint64_t kernel; /* how an address of the upper half is recorded in from */
} stacks[] = {
    {"core2", 2, 4, 0x40, 0x60, 0, 0, KERNEL},
    {"sandybridge", 3, 16, 0x680, 0x6c0, 0, 0x1ff, KERNEL & ~BIT(63)},
    {"haswell", 4, 16, 0x680, 0x6c0, 0, 0x3ff, KERNEL & ~(UINT64_C(7) << 61)},
    {"skylake", 5, 32, 0x680, 0x6c0, 0xdc0, 0x3ff, KERNEL},
    {"icelake", 5, 32, 0x680, 0x6c0, 0xdc0, 0x3ff, KERNEL},
    {"tigerlake", 5, 32, 0x680, 0x6c0, 0xdc0, 0x3ff, KERNEL},
};
#define STACKS  (sizeof stacks / sizeof *stacks)
#define EACH(k) for (unsigned k = 0; k < STACKS; k++)

static struct sim *on(const char *model)
{
    struct sim *s = machine(model);
    wr(s, DEBUGCTL, LBR);
    return s;
}

/* ---- registers ---- */

static void test_registers(void **state)
{
    (void)state;
    EACH(k)
    {
        struct sim *s = machine(stacks[k].name);
        const unsigned n = stacks[k].depth;
        const uint32_t bases[] = {stacks[k].from, stacks[k].to, stacks[k].info};
        assert_int_equal(rd(s, CAPABILITIES) & 0x3f, stacks[k].format);
        for (unsigned b = 0; b < 3; b++)
            for (uint32_t i = 0; bases[b] && i <= n; i++) {
                if (i == n && n != 32) refused(s, bases[b] + i);
                if (i == n) break;
                assert_int_equal(rd(s, bases[b] + i), 0);
                wr(s, bases[b] + i, 0x1000 * (b + 1) + i);
            }
        for (unsigned b = 0; b < 3; b++)
            for (uint32_t i = 0; bases[b] && i < n; i++)
                assert_int_equal(rd(s, bases[b] + i), 0x1000 * (b + 1) + i);
        if (!stacks[k].info) refused(s, 0xdc0);
        if (stacks[k].from == 0x40) refused(s, 0x680);
        if (stacks[k].from != 0x40) refused(s, 0x40), refused(s, 0x67);
        absent(s, 0x1ca);
        absent(s, 0x6e0);
        absent(s, 0xde0);
        if (stacks[k].select)
            writable(s, LBR_SELECT_MSR, stacks[k].select);
        else
            refused(s, LBR_SELECT_MSR);
        writable(s, TOS, n - 1);
        sim_reset(s);
        assert_int_equal(rd(s, stacks[k].from), 0);
        sim_free(s);
    }
    /* The Core Duo's, of another form, are not modelled. */
    struct sim *s = on("coreduo");
    const uint32_t none[] = {0x40, 0x47, 0x60, 0x680, 0x6c0, 0xdc0, LBR_SELECT_MSR, TOS};
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) refused(s, none[i]);
    assert_int_equal(sim_lbr_entries(s, NULL, 4), 0);
    assert_false(sim_wants_facts(s));
    sim_free(s);
}

/* Addresses have signs, LBR_INFO has reserved bits. */
static void test_written(void **state)
{
    (void)state;
    EACH(k)
    {
        struct sim *s = machine(stacks[k].name);
        const uint32_t from = stacks[k].from + 1, to = stacks[k].to + 1;
        const bool checked = stacks[k].format > 2, flags_in_from = checked && !stacks[k].info;
        wr(s, from, CANONICAL | 0x1234);
        assert_int_equal(rd(s, from), CANONICAL | 0x1234);
        wr(s, to, CANONICAL);
        for (unsigned bit = 47; bit < 64; bit++) {
            const bool flag = flags_in_from && bit == 63;
            assert_int_equal(sim_wrmsr(s, from, CANONICAL ^ BIT(bit)), !checked || flag);
            assert_int_equal(sim_wrmsr(s, from, BIT(bit)), !checked || flag);
            assert_int_equal(sim_wrmsr(s, to, CANONICAL ^ BIT(bit)), !checked);
        }
        if (flags_in_from) wr(s, from, SIGN_62);
        if (checked) wr(s, to, 0), assert_int_equal(rd(s, to), 0);
        for (unsigned bit = 0; stacks[k].info && bit < 64; bit++)
            assert_int_equal(sim_wrmsr(s, stacks[k].info, BIT(bit)), bit < 16 || bit > 60);
        sim_free(s);
    }
}

/* ---- what is recorded ---- */

static void test_recording(void **state)
{
    (void)state;
    EACH(k)
    {
        const unsigned n = stacks[k].depth;
        struct sim *s = machine(stacks[k].name);
        jump(s, 0);
        assert_false(sim_wants_facts(s));
        wr(s, DEBUGCTL, LBR);
        assert_true(sim_wants_facts(s)); /* though no counter counts */
        retire(s, 3, 0, 0);
        go(s, 0x500, 0x600, NO_JCC, 0, 0);
        assert_int_equal(recorded(s), 0);
        assert_int_equal(rd(s, TOS), 0);
        jump(s, 1);
        assert_int_equal(rd(s, TOS), 1); /* incremented before */
        assert_int_equal(rd(s, stacks[k].from + 1), 0x1010);
        assert_int_equal(rd(s, stacks[k].to + 1), 0x8010);
        assert_int_equal(rd(s, stacks[k].from), 0);
        for (unsigned i = 2; i <= n; i++) jump(s, i);
        assert_int_equal(rd(s, TOS), 0);
        jump(s, n + 1);
        assert_int_equal(rd(s, TOS), 1);
        assert_int_equal(recorded(s), n);
        for (unsigned i = 0; i < n; i++)
            is_newest(s, i, 0x1000 + 16 * (n + 1 - i), 0x8000 + 16 * (n + 1 - i));
        wr(s, DEBUGCTL, 0); /* what is there stays */
        jump(s, 99);
        is_newest(s, 0, 0x1000 + 16 * (n + 1), 0x8000 + 16 * (n + 1));
        sim_free(s);
    }
}

static void test_formats(void **state)
{
    (void)state;
    EACH(k)
    {
        struct sim *s = on(stacks[k].name);
        go(s, KERNEL, KERNEL + 0x100, CALL, 0, 0);
        is_newest(s, 0, stacks[k].kernel, KERNEL + 0x100);
        assert_int_equal(rd(s, stacks[k].from + 1), stacks[k].kernel);
        sim_free(s);
    }
}

static const struct {
    uint32_t op;
    unsigned bit;
} kinds[] = {{JCC, 2},
             {CALL, 3},
             {IND_CALL, 4},
             {RET, 5},
             {IND_JMP, 6},
             {JMP, 7},
             {FAR, 8},
             {IRET, 8},
             {INT_N, 8},
             {FAR | OP_CALL, 8},
             {FAR | OP_COND | OP_SOFTINT, 8},
             {FAR | OP_INDIRECT, 8}};

/* Each bit of the select register takes its kind away, and no other. */
static void test_kinds(void **state)
{
    (void)state;
    static const char *const models[] = {"sandybridge", "haswell", "skylake", "tigerlake"};
    for (unsigned m = 0; m < 4; m++) {
        struct sim *s = on(models[m]);
        for (unsigned bit = 2; bit <= 8; bit++) {
            wr(s, LBR_SELECT_MSR, BIT(bit));
            for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
                const uint64_t from = 0x1000 + 0x100 * bit + k;
                go(s, from, 0x9000, kinds[k].op, 0, 0);
                assert_int_equal(newest(s, 0).from == from, kinds[k].bit != bit);
            }
            deliver(s, 0x7000 + bit, 0xa000, 0x40, false, 3);
            assert_int_equal(newest(s, 0).from == 0x7000 + bit, bit != 8);
            deliver(s, 0x7100 + bit, 0xa000, 14, true, 3);
            assert_int_equal(newest(s, 0).from == 0x7100 + bit, bit != 8);
        }
        sim_free(s);
    }
}

/* By the level in which the branch ends. */
static void test_levels(void **state)
{
    (void)state;
    struct sim *s = on("skylake");
    wr(s, LBR_SELECT_MSR, 1); /* not those that end at level 0 */
    jump(s, 0);
    go(s, 0x2000, 0x3000, FAR | OP_CALL, 3, 0);
    deliver(s, 0x2100, 0x3100, 0x40, false, 3);
    assert_int_equal(recorded(s), 0);
    go(s, 0x2200, 0x3200, JCC, 3, 3);
    go(s, 0x2300, 0x3300, IRET, 0, 3);
    go(s, 0x2400, 0x3400, JMP, 1, 1);
    is_newest(s, 0, 0x2400, 0x3400);
    is_newest(s, 1, 0x2300, 0x3300);
    is_newest(s, 2, 0x2200, 0x3200);
    wr(s, LBR_SELECT_MSR, 2); /* not those that end above it */
    go(s, 0x4200, 0x5200, JCC, 3, 3);
    go(s, 0x4300, 0x5300, IRET, 0, 3);
    is_newest(s, 0, 0x2400, 0x3400);
    go(s, 0x4000, 0x5000, FAR | OP_CALL, 3, 0);
    deliver(s, 0x4100, 0x5100, 0x40, false, 3);
    is_newest(s, 0, 0x4100, 0x5100);
    is_newest(s, 1, 0x4000, 0x5000);
    wr(s, LBR_SELECT_MSR, 3);
    jump(s, 1);
    is_newest(s, 0, 0x4100, 0x5100);
    sim_free(s);
}

/* An interrupt: from where it returns to; a fault: from its instruction. #DB is none, and ends recording. */
static void test_deliveries(void **state)
{
    (void)state;
    EACH(k)
    {
        struct sim *s = on(stacks[k].name);
        deliver(s, 0x1000, 0x2000, 0x40, false, 3);
        deliver(s, 0x2000, 0x3000, 2, false, 0);
        deliver(s, 0x3000, 0x4000, 14, true, 0);
        is_newest(s, 0, 0x3000, 0x4000);
        is_newest(s, 1, 0x2000, 0x3000);
        is_newest(s, 2, 0x1000, 0x2000);
        deliver(s, 0x4000, 0x5000, 1, true, 0);
        is_newest(s, 0, 0x3000, 0x4000);
        assert_int_equal(rd(s, DEBUGCTL), 0);
        jump(s, 0);
        is_newest(s, 0, 0x3000, 0x4000);
        wr(s, DEBUGCTL, LBR);
        jump(s, 1); /* vector 1 as an interrupt is one like any other */
        deliver(s, 0x6000, 0x7000, 1, false, 0);
        is_newest(s, 0, 0x6000, 0x7000);
        assert_int_equal(rd(s, DEBUGCTL), LBR);
        sim_free(s);
    }
}

/* LBR_INFO: clocks since the stack changed, saturated; nothing is mispredicted, nothing is in a transaction.
 */
static void test_clocks(void **state)
{
    (void)state;
    struct sim *s = on("skylake");
    jump(s, 0);
    assert_int_equal(newest(s, 0).info, 0xffff); /* nothing was before */
    retire(s, 6, 0, 0);
    jump(s, 1);
    assert_int_equal(newest(s, 0).info, 7);
    assert_int_equal(rd(s, 0xdc0 + 2), 7);
    wr(s, LBR_SELECT_MSR, 1 << 2);
    go(s, 0x500, 0x600, JCC, 0, 0); /* no change */
    jump(s, 2);
    assert_int_equal(newest(s, 0).info, 2);
    sim_ticks(s, 1000, true, 0); /* HLT has no core clocks */
    jump(s, 3);
    assert_int_equal(newest(s, 0).info, 1);
    sim_ticks(s, 0xfffd, false, 0);
    jump(s, 4);
    assert_int_equal(newest(s, 0).info, 0xfffe);
    sim_ticks(s, 0x12345, false, 0);
    jump(s, 5);
    assert_int_equal(newest(s, 0).info, 0xffff);
    wr(s, DEBUGCTL, 0);
    retire(s, 9, 0, 0);
    wr(s, DEBUGCTL, LBR);
    jump(s, 6);
    assert_int_equal(newest(s, 0).info, 10);
    sim_free(s);
    s = on("haswell");
    jump(s, 0);
    jump(s, 1);
    assert_int_equal(newest(s, 0).info, 0);
    sim_free(s);
}

/* EN_CALLSTACK: a return takes the call away. */
static void test_call_stack(void **state)
{
    (void)state;
    static const char *const models[] = {"haswell", "skylake", "icelake"};
    for (unsigned m = 0; m < 3; m++) {
        struct sim *s = on(models[m]);
        const uint64_t select = 0x3c4; /* JCC, both jumps, far: off */
        wr(s, LBR_SELECT_MSR, select | 1);
        go(s, 0x1000, 0x2000, CALL, 3, 3);
        go(s, 0x2000, 0x2100, JCC, 3, 3);
        go(s, 0x2100, 0x3000, IND_CALL, 3, 3);
        go(s, 0x3000, 0x3002, CALL, 3, 3); /* of zero length */
        deliver(s, 0x3010, 0x9000, 0x40, false, 3);
        go(s, 0x9000, 0x9002, RET, 0, 0); /* the other level's */
        is_newest(s, 0, 0x2100, 0x3000);
        is_newest(s, 1, 0x1000, 0x2000);
        assert_int_equal(recorded(s), 2);
        go(s, 0x3020, 0x2102, RET, 3, 3);
        assert_int_equal(recorded(s), 1);
        is_newest(s, 0, 0x1000, 0x2000);
        assert_int_equal(rd(s, TOS), 1);
        assert_int_equal(rd(s, 0x680 + 2), 0);
        assert_int_equal(rd(s, 0x6c0 + 2), 0);
        go(s, 0x2110, 0x4000, CALL, 3, 3);
        is_newest(s, 0, 0x2110, 0x4000);
        assert_int_equal(rd(s, TOS), 2);
        sim_free(s);
    }
}

/* ---- freezing ---- */

/* Sampling near branches: the counter overflows by the third of them, which is inside the stack. */
static void test_freeze(void **state)
{
    (void)state;
    EACH(k)
    {
        struct sim *s = machine(stacks[k].name);
        const bool old = k == 0, streamlined = k > 2; /* versions 4 and 5 */
        const uint64_t width = k == 0 ? 40 : 48;
        if (old) wr(s, SEL0, EN | INT | BOTH | 0xc4);
        if (!old) wr(s, SEL0, EN | INT | BOTH | C4_TAKEN);
        wr(s, PMC0, (uint64_t)-3);
        wr(s, CTRL, 1);
        wr(s, DEBUGCTL, LBR | FREEZE);
        for (unsigned i = 0; i < 5; i++) jump(s, i);
        assert_int_equal(seen.pmi, 1);
        is_newest(s, 0, 0x1020, 0x8020);
        assert_int_equal(recorded(s), 3);
        deliver(s, 0x8050, 0x9000, 2, false, 0); /* nor is the interrupt */
        is_newest(s, 0, 0x1020, 0x8020);
        assert_int_equal(rd(s, DEBUGCTL), streamlined ? LBR | FREEZE : FREEZE);
        assert_int_equal(rd(s, STATUS), streamlined ? LBR_FRZ | 1 : 1);
        assert_int_equal(rd(s, PMC0), 2); /* which counts on */
        if (streamlined) {
            wr(s, DEBUGCTL, LBR | FREEZE);
            jump(s, 6);
            is_newest(s, 0, 0x1020, 0x8020);
            wr(s, RESET, LBR_FRZ | 1);
        } else {
            wr(s, DEBUGCTL, LBR | FREEZE);
        }
        jump(s, 7);
        is_newest(s, 0, 0x1070, 0x8070);
        /* A silent overflow freezes nothing. */
        wr(s, SEL0, EN | BOTH | (old ? 0xc4 : C4_TAKEN));
        wr(s, PMC0, (uint64_t)-1);
        jump(s, 8);
        jump(s, 9);
        assert_int_equal(rd(s, PMC0), 1);
        is_newest(s, 0, 0x1090, 0x8090);
        /* Nor does one without bit 11. */
        wr(s, DEBUGCTL, LBR);
        wr(s, SEL0, EN | INT | BOTH | (old ? 0xc4 : C4_TAKEN));
        wr(s, PMC0, (uint64_t)-1);
        jump(s, 10);
        jump(s, 11);
        is_newest(s, 0, 0x10b0, 0x80b0);
        if (streamlined) { /* by software */
            wr(s, SET, LBR_FRZ);
            jump(s, 12);
            is_newest(s, 0, 0x10b0, 0x80b0);
        }
        assert_true(rd(s, PMC0) < BIT(width));
        sim_free(s);
    }
}

/* At the overflow, although the interrupt comes later. */
static void test_freeze_and_skid(void **state)
{
    (void)state;
    static const char *const models[] = {"haswell", "skylake"};
    for (unsigned m = 0; m < 2; m++) {
        struct sim *s = machine(models[m]);
        assert_true(sim_skid(s, "3", 0));
        wr(s, SEL0, EN | INT | BOTH | C4_TAKEN);
        wr(s, PMC0, (uint64_t)-2);
        wr(s, DEBUGCTL, LBR | FREEZE);
        for (unsigned i = 0; i < 4; i++) jump(s, i);
        assert_int_equal(seen.pmi, 0);
        is_newest(s, 0, 0x1010, 0x8010);
        jump(s, 4);
        assert_int_equal(seen.pmi, 1);
        is_newest(s, 0, 0x1010, 0x8010);
        sim_free(s);
    }
}

/* ---- others ---- */

static void test_threads(void **state)
{
    (void)state;
    struct sim *first = on("skylake");
    struct sim *second = sim_thread(first, NULL);
    assert_non_null(second);
    wr(first, DEBUGCTL, LBR);
    jump(first, 1);
    jump(second, 2);
    assert_int_equal(recorded(second), 0);
    wr(second, DEBUGCTL, LBR);
    wr(second, LBR_SELECT_MSR, 1 << 2);
    jump(second, 3);
    is_newest(first, 0, 0x1010, 0x8010);
    is_newest(second, 0, 0x1030, 0x8030);
    assert_int_equal(rd(first, LBR_SELECT_MSR), 0);
    assert_int_equal(recorded(first), 1);
    sim_free(second);
    sim_free(first);
}

/* Only clocks need instructions one by one. */
static void test_batches(void **state)
{
    (void)state;
    EACH(k)
    {
        struct sim *s = machine(stacks[k].name);
        wr(s, SEL0, EN | BOTH | 0xc0);
        enable_all(s, &cpus[k + 1]);
        assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
        wr(s, DEBUGCTL, LBR);
        assert_int_equal(sim_batches(s), stacks[k].info ? SIM_BATCH_NONE : SIM_BATCH_ALL);
        wr(s, DEBUGCTL, 0);
        assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
        sim_free(s);
    }
}

static void test_entries(void **state)
{
    (void)state;
    struct sim_lbr_entry e[3] = {{0}, {0}, {77, 77, 77}};
    struct sim *s = on("core2");
    for (unsigned i = 0; i < 9; i++) jump(s, i);
    assert_int_equal(sim_lbr_entries(s, e, 2), 2);
    assert_int_equal(e[0].from, 0x1080);
    assert_int_equal(e[1].from, 0x1070);
    assert_int_equal(e[2].from, 77);
    struct sim_lbr_entry all[SIM_LBR_DEPTH];
    assert_int_equal(sim_lbr_entries(s, all, SIM_LBR_DEPTH), 4);
    sim_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers),       cmocka_unit_test(test_written),
        cmocka_unit_test(test_recording),       cmocka_unit_test(test_formats),
        cmocka_unit_test(test_kinds),           cmocka_unit_test(test_levels),
        cmocka_unit_test(test_deliveries),      cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_call_stack),      cmocka_unit_test(test_freeze),
        cmocka_unit_test(test_freeze_and_skid), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_batches),         cmocka_unit_test(test_entries),
    };
    return cmocka_run_group_tests_name("sim_lbr", tests, NULL, NULL);
}
