/* Last branch records: exact writes, and entries of each format. */
#include "tests/unit/lbr_machines.h"

static void writes(const struct fake_write *want, size_t n)
{
    fake_pmu_assert_log(want, n);
    fake_pmu_clear_log();
}
#define WRITES(...) \
    writes((const struct fake_write[]){__VA_ARGS__}, N(((const struct fake_write[]){__VA_ARGS__})))

/* Two threads of a Nehalem core, which share the filter and nothing else: one stops, the other records on. */
TEST(shared_filter)
{
    struct lbr_filter filter = {.users = 0};
    struct lbr other;
    stack(0x1a, 3, 0x1, FROM, TO, 16);
    found();
    assert_true(lbr.of_core);
    fake_pmu_msr(SELECT, 0x1f);
    lbr.shared = &filter;
    other = lbr;
    assert_true(lbr_arm(&lbr, LBR_COND | LBR_RING3, why, sizeof why));
    assert_true(lbr_arm(&other, LBR_COND | LBR_RING3, why, sizeof why));
    const uint64_t both = fake_pmu_value(SELECT);
    assert_int_equal(both, 0x1f9);
    lbr_release(&lbr);
    assert_int_equal(fake_pmu_value(SELECT), both);
    assert_true(lbr_arm(&lbr, LBR_COND | LBR_RING3, why, sizeof why)); /* its next pass */
    lbr_release(&other);
    assert_int_equal(fake_pmu_value(SELECT), both);
    lbr_release(&lbr);
    assert_int_equal(fake_pmu_value(SELECT), 0x1f);
    stack(0x5e, 4, 0x3005, FROM, TO, 32);
    found();
    assert_false(lbr.of_core); /* each thread has its own */
}

static void arm(unsigned branches)
{
    fake_pmu_clear_log();
    if (!lbr_arm(&lbr, branches, why, sizeof why)) fail_msg("%s", why);
}

/* ---- writes ---- */

TEST(armed)
{
    struct fake_write want[128];
    unsigned n = 0;
    stack(0x5e, 4, 0x3005, FROM, TO, 32);
    fake_pmu_msr(DEBUGCTL, 0x4801); /* the firmware's: recording, freezing, stopping in SMM */
    found();
    arm(LBR_ANY | LBR_RING3);
    want[n++] = (struct fake_write){DEBUGCTL, 0x4000};
    for (unsigned i = 0; i < 32; i++) {
        want[n++] = (struct fake_write){FROM + i, 0};
        want[n++] = (struct fake_write){TO + i, 0};
        want[n++] = (struct fake_write){INFO + i, 0};
    }
    want[n++] = (struct fake_write){SELECT, 1}; /* not those that end at CPL 0 */
    writes(want, n);
    lbr_start(&lbr);
    WRITES({DEBUGCTL, 0x4801});
    lbr_stop(&lbr);
    WRITES({DEBUGCTL, 0x4000});
    lbr_release(&lbr);
    WRITES({DEBUGCTL, 0x4000}, {SELECT, 0},
           {DEBUGCTL, 0x4800}); /* it does not record for the firmware any more */
    lbr_release(&lbr);
    fake_pmu_assert_log(NULL, 0);

    /* The call stack does not freeze; SDM 17.9: 3C4H, and the ring. */
    arm(lbr_words[3].branches | LBR_RING3);
    assert_int_equal(fake_pmu_value(SELECT), 0x3c5);
    fake_pmu_clear_log();
    lbr_start(&lbr);
    WRITES({DEBUGCTL, 0x4001});
    lbr_release(&lbr);
    static const struct {
        unsigned branches, select;
    } select[] = {
        {LBR_ANY | LBR_RINGS, 0},
        {LBR_ANY | LBR_RING0, 2},
        {LBR_COND | LBR_RING3, 0x1f9},
        {LBR_REL_CALL | LBR_IND_CALL | LBR_FAR | LBR_RING3, 0xe5},
        {LBR_RET | LBR_FAR | LBR_RING3, 0xdd},
        {LBR_IND_JMP | LBR_RING3, 0x1bd},
    };
    for (unsigned i = 0; i < N(select); i++) {
        arm(select[i].branches);
        assert_int_equal(fake_pmu_value(SELECT), select[i].select);
        lbr_release(&lbr);
    }

    stack(0x0e, 1, 0, CORE_FROM, 0, 8); /* neither filter nor freezing */
    found();
    arm(LBR_ANY | LBR_RING3);
    WRITES({DEBUGCTL, 0}, {0x40, 0}, {0x41, 0}, {0x42, 0}, {0x43, 0}, {0x44, 0}, {0x45, 0}, {0x46, 0},
           {0x47, 0});
    lbr_start(&lbr);
    WRITES({DEBUGCTL, 1});
    lbr_release(&lbr);
    stack(0x17, 2, 0x3002, CORE_FROM, CORE_TO, 4);
    found();
    arm(LBR_ANY | LBR_RING3);
    WRITES({DEBUGCTL, 0}, {0x40, 0}, {0x60, 0}, {0x41, 0}, {0x61, 0}, {0x42, 0}, {0x62, 0}, {0x43, 0},
           {0x63, 0});
    lbr_start(&lbr);
    WRITES({DEBUGCTL, 0x801});
    lbr_release(&lbr);
    WRITES({DEBUGCTL, 0}, {DEBUGCTL, 0});
}

TEST(armed_by_others)
{
    static const struct {
        unsigned branches;
        uint64_t ctl;
    } ctl[] = {
        {LBR_ANY | LBR_RINGS, 0x7f0007},
        {LBR_ANY | LBR_RING3, 0x7f0005},
        {LBR_ANY | LBR_RING0, 0x7f0003},
        {LBR_COND | LBR_RING3, 0x10005},
        {LBR_REL_CALL | LBR_IND_CALL | LBR_FAR | LBR_RING3, 0x580005},
        {LBR_RET | LBR_FAR | LBR_RING3, 0x600005},
        {LBR_IND_JMP | LBR_RING3, 0x40005},
        {LBR_REL_JMP | LBR_RING3, 0x20005},
    };
    arch(0xf, 7, 7);
    fake_pmu_msr(DEBUGCTL, 0x4000);
    found();
    for (unsigned i = 0; i < N(ctl); i++) {
        arm(ctl[i].branches);
        WRITES({ARCH_CTL, 0}, {ARCH_DEPTH, 32}, {DEBUGCTL, 0x4800}); /* the depth's write empties it */
        lbr_start(&lbr);
        WRITES({ARCH_CTL, ctl[i].ctl});
        lbr_release(&lbr);
        WRITES({ARCH_CTL, 0}, {ARCH_CTL, 0}, {DEBUGCTL, 0x4000});
    }
    arm(lbr_words[3].branches | LBR_RING3);
    WRITES({ARCH_CTL, 0}, {ARCH_DEPTH, 32});
    lbr_start(&lbr);
    WRITES({ARCH_CTL, 0x38000d});
    lbr_release(&lbr);
    arch(0xf, 0, 0); /* without filters these bits are reserved */
    found();
    arm(LBR_ANY | LBR_RING3);
    lbr_start(&lbr);
    assert_int_equal(fake_pmu_value(ARCH_CTL), 1);
    lbr_release(&lbr);

    amd(7, 2);
    found();
    arm(LBR_ANY | LBR_RING3);
    WRITES({AMD_CFG, 0x100}, {AMD_FROM, 0}, {AMD_FROM + 1, 0}, {AMD_FROM + 2, 0}, {AMD_FROM + 3, 0},
           {DEBUGCTL, 0x800}, {AMD_SELECT, 1});
    lbr_start(&lbr);
    WRITES({AMD_CFG, 0x140});
    lbr_stop(&lbr);
    WRITES({AMD_CFG, 0x100});
    lbr_release(&lbr);
    WRITES({AMD_CFG, 0x100}, {AMD_SELECT, 0}, {DEBUGCTL, 0});
    amd(3, 2); /* it does not freeze */
    found();
    arm(LBR_RET | LBR_FAR | LBR_RING0);
    WRITES({AMD_CFG, 0x100}, {AMD_FROM, 0}, {AMD_FROM + 1, 0}, {AMD_FROM + 2, 0}, {AMD_FROM + 3, 0},
           {AMD_SELECT, 0xde});
    fake_pmu_fault(AMD_FROM, FAKE_NO_WRITE);
    assert_false(lbr_arm(&lbr, LBR_ANY | LBR_RING3, why, sizeof why));
    assert_non_null(strstr(why, "MSR C0010300h faults"));
}

/* ---- entries ---- */

static struct branch at[BRANCHES_MOST];

static unsigned entries(void)
{
    memset(at, 0xa5, sizeof at);
    fake_pmu_clear_log();
    const uint8_t raw = lbr_read(&lbr, at);
    fake_pmu_assert_log(NULL, 0); /* reading writes nothing */
    assert_true(raw & LBR_RAW);
    return lbr_decode(&lbr, at, raw);
}

static void is(unsigned i, uint64_t from, uint64_t to, bool mispredicted, unsigned cycles, unsigned known)
{
    assert_int_equal(at[i].from, from);
    assert_int_equal(at[i].to, to);
    assert_int_equal(at[i].mispredicted, mispredicted);
    assert_int_equal(at[i].cycles, cycles);
    assert_int_equal(at[i].known, known);
}

/* The newest first, from each place that TOS can point to; entries that were never filled in are none. */
TEST(order)
{
    static const struct {
        unsigned model, format, depth;
        uint32_t from, to;
    } cpu[] = {{0x17, 2, 4, CORE_FROM, CORE_TO}, {0x2a, 3, 16, FROM, TO}, {0x5e, 5, 32, FROM, TO}};
    for (unsigned c = 0; c < N(cpu); c++)
        for (unsigned tos = 0; tos < cpu[c].depth; tos++)
            for (unsigned n = 0; n <= cpu[c].depth; n++) {
                stack(cpu[c].model, 4, 0x3000 | cpu[c].format, cpu[c].from, cpu[c].to, cpu[c].depth);
                found();
                fake_pmu_msr(TOS, tos);
                for (unsigned i = 0; i < n; i++) { /* i: its age */
                    const unsigned k = (tos + cpu[c].depth - i) % cpu[c].depth;
                    fake_pmu_msr(cpu[c].from + k, 0x1000 + i);
                    fake_pmu_msr(cpu[c].to + k, 0x2000 + i);
                    if (cpu[c].format == 5) fake_pmu_msr(INFO + k, 7 + i);
                }
                assert_int_equal(entries(), n);
                for (unsigned i = 0; i < n; i++) {
                    assert_int_equal(at[i].from, 0x1000 + i);
                    assert_int_equal(at[i].to, 0x2000 + i);
                    assert_int_equal(at[i].cycles, cpu[c].format == 5 ? 7 + i : 0);
                }
            }
    for (unsigned n = 0; n <= 32; n++) { /* entry 0 is the newest */
        arch(0xf, 7, 3);
        found();
        for (unsigned i = 0; i < n; i++) fake_pmu_msr(ARCH_FROM + i, 0x1000 + i);
        assert_int_equal(entries(), n);
        for (unsigned i = 0; i < n; i++) assert_int_equal(at[i].from, 0x1000 + i);
    }
}

#define PREDICTED 2 /* enum branch_known */
#define TIMED     1

/* One entry of each format, from the manual's figures. */
TEST(formats)
{
    static const struct {
        unsigned model, format;
        uint64_t from, to, info, is_from, is_to;
        bool mispredicted;
        unsigned cycles, known;
    } want[] = {
        {0x0f, 1, 0x401000, 0x402000, 0, 0x401000, 0x402000, false, 0, 0},
        {0x17, 2, 0xffffffff81000000, 0xffffffff82000000, 0, 0xffffffff81000000, 0xffffffff82000000, false, 0,
         0},
        {0x2a, 3, 0x8000000000401000, 0x402000, 0, 0x401000, 0x402000, true, 0, PREDICTED},
        {0x2a, 3, 0x401000, 0x402000, 0, 0x401000, 0x402000, false, 0, PREDICTED},
        {0x2a, 3, 0x7fffffff81000000, 0xffffffff82000000, 0, 0xffffffff81000000, 0xffffffff82000000, false, 0,
         PREDICTED},
        {0x2a, 3, 0xffffffff81000000, 0xffffffff82000000, 0, 0xffffffff81000000, 0xffffffff82000000, true, 0,
         PREDICTED},
        /* 62: in a transaction, 61: it aborted; the sign begins at 60 */
        {0x3c, 4, 0xe000000000401000, 0x402000, 0, 0x401000, 0x402000, true, 0, PREDICTED},
        {0x3c, 4, 0x1fffffff81000000, 0x402000, 0, 0xffffffff81000000, 0x402000, false, 0, PREDICTED},
        {0x3c, 4, 0x9fffffff81000000, 0x402000, 0, 0xffffffff81000000, 0x402000, true, 0, PREDICTED},
        {0x5e, 5, 0x401000, 0x402000, 0x8000000000001234, 0x401000, 0x402000, true, 0x1234,
         PREDICTED | TIMED},
        {0x5e, 5, 0xffffffff81000000, 0x402000, 0x600000000000ffff, 0xffffffff81000000, 0x402000, false,
         0xffff, PREDICTED | TIMED},
        {0x5c, 6, 0x8000000000401000, 0x0021000000402000, 0, 0x401000, 0x402000, true, 0x21,
         PREDICTED | TIMED},
        {0x5c, 6, 0x7fffffff81000000, 0x0005ffff82000000, 0, 0xffffffff81000000, 0xffffffff82000000, false, 5,
         PREDICTED | TIMED},
        {0x8c, 7, 0x401000, 0x402000, 0x8000000000000003, 0x401000, 0x402000, true, 3, PREDICTED | TIMED},
        {0x57, 1, 0x8000000000401000, 0x402000, 0, 0x401000, 0x402000, true, 0, PREDICTED},
    };
    for (unsigned i = 0; i < N(want); i++) {
        const bool core = want[i].model == 0x0f || want[i].model == 0x17;
        const unsigned depth = core ? 4 : want[i].model == 0x57 ? 8 : want[i].format >= 5 ? 32 : 16;
        stack(want[i].model, 4, 0x3000 | want[i].format, core ? CORE_FROM : FROM, core ? CORE_TO : TO, depth);
        found();
        fake_pmu_msr(core ? CORE_FROM : FROM, want[i].from);
        fake_pmu_msr(core ? CORE_TO : TO, want[i].to);
        if (want[i].info) fake_pmu_msr(INFO, want[i].info);
        assert_int_equal(entries(), 1);
        is(0, want[i].is_from, want[i].is_to, want[i].mispredicted, want[i].cycles, want[i].known);
        lbr.predicts = false; /* a model that predicts nothing */
        assert_int_equal(entries(), 1);
        is(0, want[i].is_from, want[i].is_to, false, want[i].cycles, want[i].known & TIMED);
    }
    stack(0x0e, 1, 0, CORE_FROM, 0, 8);
    found();
    fake_pmu_msr(CORE_FROM, 0x8040200000401000);
    assert_int_equal(entries(), 1);
    is(0, 0x401000, 0x80402000, false, 0, 0);
    arch(0xf, 7, 3);
    found();
    fake_pmu_msr(ARCH_FROM, 0xffffffff81000000);
    fake_pmu_msr(ARCH_TO, 0x402000);
    fake_pmu_msr(ARCH_INFO, BIT(63) | BIT(60) | 5ull << 56 | 9);
    fake_pmu_msr(ARCH_FROM + 1, 0x401000);
    fake_pmu_msr(ARCH_INFO + 1, 9); /* the cycles are not valid */
    assert_int_equal(entries(), 2);
    is(0, 0xffffffff81000000, 0x402000, true, 9, PREDICTED | TIMED);
    is(1, 0x401000, 0, false, 0, PREDICTED);
    arch(0xf, 7, 0); /* neither is recorded */
    found();
    fake_pmu_msr(ARCH_FROM, 0x401000);
    fake_pmu_msr(ARCH_INFO, BIT(63) | BIT(60) | 9);
    assert_int_equal(entries(), 1);
    is(0, 0x401000, 0, false, 0, 0);
}

#define ABORT 0x40
#define IN_TX 0x80

/* TSX' flags, where CPUID names HLE or RTM: 62 in a transaction, 61 its abort. */
TEST(transactions)
{
    static const uint32_t tsx[] = {1u << 4, 1u << 11};
    static const unsigned is_known[] = {0, ABORT, IN_TX, ABORT | IN_TX};
    for (unsigned t = 0; t < N(tsx); t++)
        for (unsigned flags = 0; flags < 4; flags++) {
            const uint64_t bits = (uint64_t)flags << 61;
            stack(0x3c, 4, 0x3004, FROM, TO, 16); /* in the source; without TSX they are the address's sign */
            id.f7_ebx = tsx[t];
            found();
            fake_pmu_msr(FROM, bits | 0x1fffffff81000000);
            assert_int_equal(entries(), 1);
            is(0, 0xffffffff81000000, 0, false, 0, PREDICTED | is_known[flags]);
            stack(0x5e, 4, 0x3005, FROM, TO, 32);
            id.f7_ebx = tsx[t];
            found();
            fake_pmu_msr(FROM, 0x401000);
            fake_pmu_msr(INFO, bits | 7);
            assert_int_equal(entries(), 1);
            is(0, 0x401000, 0, false, 7, PREDICTED | TIMED | is_known[flags]);
            arch(0xf, 7, 3);
            id.f7_ebx = tsx[t];
            found();
            fake_pmu_msr(ARCH_FROM, 0x401000);
            fake_pmu_msr(ARCH_INFO, bits | 0xf00000000000000); /* the type of a branch is no flag of TSX */
            assert_int_equal(entries(), 1);
            is(0, 0x401000, 0, false, 0, PREDICTED | is_known[flags]);
        }
    amd(7, 16);
    id.f7_ebx = 0xffffffff;
    found();
    assert_false(lbr.transactions);
}

/* Valid, speculative: only those that retired (Linux' lbr_spec_map), and are branches. */
TEST(amds)
{
    amd(7, 16);
    found();
    fake_pmu_msr(AMD_FROM, BIT(63) | 0x401000);
    fake_pmu_msr(AMD_FROM + 1, BIT(63) | 0x402000);
    fake_pmu_msr(AMD_FROM + 2, 0x401010);
    fake_pmu_msr(AMD_FROM + 3, BIT(62) | 0x402010); /* on a wrong path */
    fake_pmu_msr(AMD_FROM + 4, 0x0000ffff81000000);
    fake_pmu_msr(AMD_FROM + 5, BIT(63) | BIT(62) | 0x0000ffff82000000);
    fake_pmu_msr(AMD_FROM + 6, 0x401020);
    fake_pmu_msr(AMD_FROM + 7, 0x402020); /* neither */
    fake_pmu_msr(AMD_FROM + 8, 0x401024);
    fake_pmu_msr(AMD_FROM + 9, BIT(63) | BIT(61) | 0x402024); /* erratum 1452 */
    fake_pmu_msr(AMD_FROM + 30, 0x401030);
    fake_pmu_msr(AMD_FROM + 31, BIT(63) | 0x402030);
    assert_int_equal(entries(), 3);
    is(0, 0x401000, 0x402000, true, 0, PREDICTED);
    is(1, 0xffffffff81000000, 0xffffffff82000000, false, 0, PREDICTED);
    is(2, 0x401030, 0x402030, false, 0, PREDICTED);
}
