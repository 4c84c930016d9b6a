/* AMD's stack of last branch records in the model, and what freezes it (AMD64 manual, vol. 2, March
 * 2024, 13.1.1.6 to 13.1.1.9, 13.1.8 and 13.2.1; docs/pmu-model.md, "Last branch records"). */
#include "tests/unit/amd_drive.h"
#include "tests/unit/lbr_drive.h"

#define DEBUGCTL   0x1d9u
#define SELECT     0xc000010eu
#define DEBUG_EXTN 0xc000010fu
#define FROM(n)    (0xc0010300u + 2 * (n))
#define TO(n)      (0xc0010301u + 2 * (n))
#define BIT(n)     (UINT64_C(1) << (n))
#define LBRSE      BIT(6)
#define VALID      BIT(63)
#define FREEZE_LBR BIT(11)
#define FREEZE_PMC BIT(12)
#define LBRSF      BIT(58)
#define PMCF       BIT(59)
#define DEPTH      16
#define KERNEL     UINT64_C(0xffffffff81234560)
#define BRANCHES   0xc4u /* taken ones */

static struct sim *on(void)
{
    struct sim *s = machine("zen4");
    wr(s, DEBUG_EXTN, LBRSE);
    return s;
}

TEST(test_registers)
{
    struct sim *s = machine("zen4");
    uint64_t v;
    for (unsigned n = 0; n < DEPTH; n++) {
        assert_int_equal(rd(s, FROM(n)) | rd(s, TO(n)), 0);
        wr(s, FROM(n), UINT64_MAX);
        wr(s, TO(n), UINT64_MAX);
        assert_int_equal(rd(s, FROM(n)), VALID | (BIT(57) - 1)); /* M, BranchFromIp */
        assert_int_equal(rd(s, TO(n)), UINT64_C(3) << 62 | (BIT(57) - 1));
        wr(s, FROM(n), 0x100 + n);
        wr(s, TO(n), 0x200 + n);
    }
    for (unsigned n = 0; n < DEPTH; n++) {
        assert_int_equal(rd(s, FROM(n)), 0x100 + n);
        assert_int_equal(rd(s, TO(n)), 0x200 + n);
    }
    assert_int_equal(sim_rdmsr(s, FROM(DEPTH), &v), -1);
    assert_int_equal(sim_wrmsr(s, TO(DEPTH), 0), -1);
    wr(s, SELECT, UINT64_MAX); /* RAZ */
    assert_int_equal(rd(s, SELECT), 0x1ff);
    for (unsigned bit = 0; bit < 64; bit++) { /* MBZ */
        assert_int_equal(sim_wrmsr(s, DEBUG_EXTN, BIT(bit)), bit == 6);
        assert_int_equal(rd(s, DEBUG_EXTN), bit < 6 ? 0 : LBRSE);
        assert_int_equal(sim_wrmsr(s, DEBUGCTL, BIT(bit)), bit < 2 || bit > 6);
        if (bit < 2 || bit > 6)
            assert_int_equal(rd(s, DEBUGCTL), bit < 2 || bit == 11 || bit == 12 ? BIT(bit) : 0);
    }
    sim_reset(s);
    assert_int_equal(rd(s, FROM(0)) | rd(s, SELECT) | rd(s, DEBUG_EXTN) | rd(s, DEBUGCTL), 0);
    sim_free(s);
}

TEST(test_absent)
{
    for (unsigned m = 0; m < MODELS - 1; m++) {
        struct sim *s = machine(models[m].name);
        const uint32_t none[] = {SELECT, DEBUG_EXTN, FROM(0), TO(0), TO(15)};
        uint64_t v;
        for (unsigned k = 0; k < sizeof none / sizeof *none; k++) refused(s, none[k]);
        assert_int_equal(sim_rdmsr(s, DEBUGCTL, &v), -1); /* an older one, the emulator's */
        sim_free(s);
    }
}

/* Register 0 is the newest; DebugCtl[LBR] has nothing to do with it. */
TEST(test_recording)
{
    struct sim *s = machine("zen4");
    wr(s, DEBUGCTL, 1);
    assert_false(sim_wants_facts(s));
    wr(s, DEBUG_EXTN, LBRSE);
    assert_true(sim_wants_facts(s));
    go(s, 0x500, 0x600, NO_JCC, 0, 0);
    retire(s, 3, 0, 0);
    assert_int_equal(rd(s, TO(0)), 0);
    for (unsigned n = 1; n <= DEPTH + 3; n++) {
        jump(s, n);
        for (unsigned k = 0; k < n && k < DEPTH; k++) {
            assert_int_equal(rd(s, FROM(k)), 0x1000 + 16 * (n - k));
            assert_int_equal(rd(s, TO(k)), VALID | (0x8000 + 16 * (n - k)));
        }
        if (n < DEPTH) assert_int_equal(rd(s, TO(n)), 0);
    }
    go(s, KERNEL, KERNEL + 0x100, CALL, 0, 0);
    assert_int_equal(rd(s, FROM(0)), KERNEL & (BIT(57) - 1));
    assert_int_equal(rd(s, TO(0)), VALID | ((KERNEL + 0x100) & (BIT(57) - 1)));
    wr(s, FROM(0), 0); /* the newest one's, wherever it is */
    assert_int_equal(newest(s, 0).from, 0);
    wr(s, DEBUG_EXTN, 0);
    jump(s, 77);
    assert_int_equal(rd(s, FROM(0)), 0);
    sim_free(s);
}

TEST(test_filter)
{
    static const struct {
        uint32_t op;
        unsigned bit;
    } kinds[] = {{JCC, 2}, {CALL, 3}, {IND_CALL, 4}, {RET, 5},  {IND_JMP, 6},
                 {JMP, 7}, {FAR, 8},  {IRET, 8},     {INT_N, 8}};
    struct sim *s = on();
    for (unsigned bit = 2; bit <= 8; bit++) {
        wr(s, SELECT, BIT(bit));
        for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            const uint64_t from = 0x1000 + 0x100 * bit + k;
            go(s, from, 0x9000, kinds[k].op, 0, 0);
            assert_int_equal(rd(s, FROM(0)) == from, kinds[k].bit != bit);
        }
        deliver(s, 0x7000 + bit, 0xa000, 0x40, false, 3);
        assert_int_equal(rd(s, FROM(0)) == 0x7000 + bit, bit != 8);
    }
    wr(s, SELECT, 1); /* that end at level 0 */
    go(s, 0x100, 0x200, FAR, 3, 0);
    go(s, 0x110, 0x210, IRET, 0, 3);
    assert_int_equal(rd(s, FROM(0)), 0x110);
    wr(s, SELECT, 2);
    go(s, 0x120, 0x220, IRET, 0, 3);
    assert_int_equal(rd(s, FROM(0)), 0x110);
    go(s, 0x130, 0x230, FAR, 3, 0);
    assert_int_equal(rd(s, FROM(0)), 0x130);
    assert_int_not_equal(rd(s, FROM(1)), 0x100);
    sim_free(s);
}

TEST(test_debug_exception)
{
    struct sim *s = on();
    deliver(s, 0x1000, 0x2000, 13, true, 3);
    assert_int_equal(rd(s, FROM(0)), 0x1000);
    deliver(s, 0x3000, 0x4000, 1, true, 3);
    jump(s, 0);
    assert_int_equal(rd(s, FROM(0)), 0x1000);
    assert_int_equal(rd(s, DEBUG_EXTN), 0);
    sim_free(s);
}

/* Sampling taken branches: the third of them overflows, and is inside. */
TEST(test_freeze)
{
    struct sim *s = on();
    wr(s, CTL0, ON | INT | BRANCHES);
    wr(s, CTL0 + 2, ON | 0xc0);
    wr(s, CTL0 + 1, (uint64_t)-3);
    wr(s, DEBUGCTL, FREEZE_LBR | FREEZE_PMC);
    for (unsigned n = 0; n < 6; n++) jump(s, n);
    assert_int_equal(seen.pmi, 1);
    assert_int_equal(rd(s, FROM(0)), 0x1020);
    assert_int_equal(rd(s, STATUS), LBRSF | PMCF | 1);
    assert_int_equal(rd(s, CTL0 + 1), 0);
    assert_int_equal(rd(s, CTL0 + 3), 3); /* it counted the branch that overflowed, and no more */
    wr(s, CLEAR, PMCF);
    jump(s, 7);
    assert_int_equal(rd(s, CTL0 + 3), 4);
    assert_int_equal(rd(s, FROM(0)), 0x1020);
    wr(s, CLEAR, LBRSF | 1);
    jump(s, 8);
    assert_int_equal(rd(s, FROM(0)), 0x1080);
    assert_int_equal(rd(s, STATUS), 0);
    wr(s, SET, LBRSF);
    jump(s, 9);
    assert_int_equal(rd(s, FROM(0)), 0x1080);
    wr(s, CLEAR, LBRSF);
    /* Each by its own bit, and none by a silent overflow. */
    wr(s, DEBUGCTL, FREEZE_PMC);
    wr(s, CTL0 + 1, (uint64_t)-1);
    jump(s, 10);
    assert_int_equal(rd(s, STATUS), PMCF | 1);
    wr(s, CLEAR, PMCF | 1);
    wr(s, DEBUGCTL, FREEZE_LBR);
    wr(s, CTL0 + 1, (uint64_t)-1);
    jump(s, 11);
    assert_int_equal(rd(s, STATUS), LBRSF | 1);
    wr(s, CLEAR, LBRSF | 1);
    wr(s, CTL0, ON | BRANCHES);
    wr(s, CTL0 + 1, (uint64_t)-1);
    jump(s, 12);
    assert_int_equal(rd(s, STATUS), 1);
    jump(s, 13);
    assert_int_equal(rd(s, FROM(0)), 0x10d0);
    sim_free(s);
}
