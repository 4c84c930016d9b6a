/* Instruction-based sampling of the AMD model: registers, interval counters, the valid bit, the interrupt. */
#include "tests/unit/ibs_drive.h"

/* ---- registers ---- */

TEST(test_which)
{
    /* of C0011030h to C001103Fh, which: AMD's header for its IBS tools */
    static const struct {
        const char *model;
        unsigned there;
    } rows[] = {{"k8", 0}, {"fam10h", 0x7ff}, {"bulldozer", 0xfff}, {"zen", 0x1fff}, {"zen4", 0x1fff}};
    for (size_t m = 0; m < sizeof rows / sizeof *rows; m++) {
        struct sim *s = ibs_machine(rows[m].model);
        for (unsigned k = 0; k < 16; k++) {
            uint64_t v;
            assert_int_equal(sim_rdmsr(s, FETCHCTL + k, &v), rows[m].there >> k & 1 ? 1 : -1);
            assert_int_equal(sim_wrmsr(s, FETCHCTL + k, 0), rows[m].there >> k & 1 ? 1 : -1);
        }
        sim_free(s);
    }
}

/* Each bit alone: what reads back, or #GP. */
TEST(test_bits)
{
    static const struct {
        uint32_t msr;
        bool faults;             /* a reserved bit raises #GP; else it is ignored */
        uint64_t bits[WITH_IBS]; /* that read back */
    } rows[] = {
        {FETCHCTL, false, {0x3ffffffffffffff, 0x3ffffffffffffff, 0x7ffffff0000ffff, 0x3fffffffffffffff}},
        /* (of zen the count only together with the enable bit: test_sim_ibs_fetch.c) */
        {FETCHLIN, false, {0}},
        {FETCHPHYS, false, {0}},
        {OPCTL, true, {0x6ffff, 0x7ffffff07feffff, 0x7ffffff07feffff, 0x7ffffff07ffffff}},
        {OPRIP, false, {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}},
        {OPDATA, true, {0x3fffffffff, 0x7fffffffff, 0x1fcffffffff, 0x1fcffffffff}},
        {OPDATA2, true, {0x37, 0x37, 0x37, 0xf7}},
        {OPDATA3, true, {0xffff000fffff, 0xffff000fe1ff, 0xffffffffffffe1ff, 0xffffffffffffe1ff}},
        {DCLIN, false, {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}},
        {DCPHYS, true, {0xfffffffffffff, 0xfffffffffffff, 0xfffffffffffff, 0xfffffffffffff}},
        {BRTARGET, false, {0, UINT64_MAX, UINT64_MAX, UINT64_MAX}},
        {FETCHEXT, false, {0}},
    };
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            uint64_t v;
            if (sim_rdmsr(s, rows[r].msr, &v) < 0) continue;
            assert_int_equal(v, 0);
            for (unsigned bit = 0; bit < 64; bit++) {
                const bool there = rows[r].bits[m] >> bit & 1;
                assert_int_equal(sim_wrmsr(s, rows[r].msr, BIT(bit)), there || !rows[r].faults);
                if (there || !rows[r].faults) assert_int_equal(rd(s, rows[r].msr), there ? BIT(bit) : 0);
            }
            wr(s, rows[r].msr, 0);
        }
        sim_free(s);
    }
}

/* The BIOS's choice: it cannot be written, and RESET brings it back. */
TEST(test_control)
{
    static const unsigned entry[WITH_IBS] = {1, 0, 0, 0};
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        assert_int_equal(rd(s, IBSCTL), 0x100 | entry[m]);
        wr(s, IBSCTL, 3);
        assert_int_equal(rd(s, IBSCTL), 0x100 | entry[m]);
        sim_free(s);
    }
}

TEST(test_reset)
{
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        wr(s, OPCTL, OP_ENABLE | MAX(0x90));
        wr(s, FETCHCTL, FETCH_ENABLE | MAX(0x90));
        row(s, 0x1000, 2000);
        assert_int_equal(interrupts.n, 2);
        sim_reset(s);
        for (uint32_t msr = FETCHCTL; msr <= DCPHYS; msr++) assert_int_equal(rd(s, msr), 0);
        row(s, 0x1000, 2000);
        assert_int_equal(interrupts.n, 2);
        sim_free(s);
    }
}

/* ---- the interval ---- */

/* Runs until there is a sample; which instruction of the row was it? */
static unsigned sampled(struct sim *s, unsigned most)
{
    const unsigned before = interrupts.n;
    unsigned n = 0;
    while (interrupts.n == before && n < most) one(s, 0x100000 + 4 * n++);
    assert_int_equal(interrupts.n, before + 1);
    assert_int_equal(rd(s, OPRIP), 0x100000 + 4 * (n - 1));
    assert_true(rd(s, OPCTL) & OP_VALID);
    return n - 1;
}

/* "When the value in bits 26:4 of the op counter equals the value in IbsOpMaxCnt ... the next op is tagged":
 * from each start, so after that many ops, or cycles; within 16 of the maximum, at once. */
TEST(test_every_start)
{
    for (unsigned m = 1; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        for (unsigned mode = 0; mode < 2; mode++) {
            for (unsigned cur = 0; cur < 144 + 16; cur++) {
                wr(s, OPCTL, (mode ? OPS : 0) | OP_ENABLE | MAX(144) | CUR(cur));
                assert_int_equal(sampled(s, 200), cur < 144 ? 144 - cur : 0);
            }
        }
        sim_free(s);
    }
}

TEST(test_every_maximum)
{
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        for (unsigned max = 16; max <= 4096; max += 16) {
            wr(s, OPCTL, OP_ENABLE | MAX(max));
            assert_int_equal(sampled(s, max + 1), max);
        }
        wr(s, OPCTL, OP_ENABLE | MAX(0xffff0));
        assert_int_equal(sampled(s, 0x100000), 0xffff0);
        sim_free(s);
    }
}

/* Bits 26:20 of the maximum are a field of their own. */
TEST(test_extension)
{
    for (unsigned m = 1; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        wr(s, OPCTL, OPS | OP_ENABLE | UINT64_C(0x2500000) | MAX(0x120) | CUR(0x2500120 - 1000));
        assert_int_equal(sampled(s, 1001), 1000);
        wr(s, OPCTL, OPS | OP_ENABLE | UINT64_C(0x7f00000) | CUR(0x7f00000 - 10));
        assert_int_equal(sampled(s, 11), 10);
        /* beyond the maximum it has to come round */
        wr(s, OPCTL, OPS | OP_ENABLE | MAX(0x90) | CUR(0x7ffff00));
        assert_int_equal(sampled(s, 1000), 0x190);
        wr(s, OPCTL, OPS | OP_ENABLE | MAX(0x90) | CUR(0x100));
        row(s, 0x1000, 5000);
        assert_false(rd(s, OPCTL) & OP_VALID);
        assert_int_equal(rd(s, OPCTL) >> 32, 0x100 + 5000);
        sim_free(s);
    }
}

TEST(test_zero_never)
{
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        wr(s, OPCTL, OP_ENABLE);
        wr(s, FETCHCTL, FETCH_ENABLE);
        row(s, 0x1000, 5000);
        assert_int_equal(interrupts.n, 0);
        sim_free(s);
    }
}

/* Cycles are ticks, also those of several per instruction; none pass in HLT. */
TEST(test_cycles)
{
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        wr(s, OPCTL, OP_ENABLE | MAX(160));
        for (unsigned k = 0; k < 20; k++) {
            sim_ticks(s, 6, false, 0);
            one(s, 0x1000 + 4 * k);
        }
        sim_ticks(s, 100000, true, 0);
        assert_int_equal(interrupts.n, 0); /* 140 */
        row(s, 0x2000, 20);
        assert_int_equal(interrupts.n, 0);
        one(s, 0x3000);
        assert_int_equal(interrupts.n, 1);
        assert_int_equal(rd(s, OPRIP), 0x3000);
        sim_free(s);
    }
}

/* IBS has no privilege levels. */
TEST(test_levels)
{
    struct sim *s = ibs_machine("zen4");
    wr(s, OPCTL, OPS | OP_ENABLE | MAX(160));
    for (unsigned k = 0; k < 40; k++) retire(s, 4, 0, k % 2 ? 3 : 0);
    assert_int_equal(interrupts.n, 0);
    retire(s, 1, 0, 3);
    assert_int_equal(interrupts.n, 1);
    sim_free(s);
}

/* ---- one sample at a time ---- */

TEST(test_valid)
{
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        const uint64_t on = (COUNTS_OPS(m) ? OPS : 0) | OP_ENABLE | MAX(0x90);
        wr(s, OPCTL, on);
        assert_int_equal(sampled(s, 200), 0x90);
        /* nothing goes on, nothing changes, until software clears the bit */
        uint64_t was[DCPHYS - OPCTL + 1];
        for (uint32_t k = 0; k <= DCPHYS - OPCTL; k++) was[k] = rd(s, OPCTL + k);
        row(s, 0x8000, 1000);
        load(s, 0x123456);
        assert_int_equal(interrupts.n, 1);
        for (uint32_t k = 0; k <= DCPHYS - OPCTL; k++) assert_int_equal(rd(s, OPCTL + k), was[k]);
        wr(s, OPCTL, on | OP_VALID);
        row(s, 0x8000, 1000);
        assert_int_equal(interrupts.n, 1);
        wr(s, OPCTL, on);
        assert_int_equal(sampled(s, 200), 0x90);
        /* off */
        wr(s, OPCTL, on & ~OP_ENABLE);
        row(s, 0x8000, 1000);
        assert_int_equal(interrupts.n, 2);
        sim_free(s);
    }
}

/* After a sample the counter's low 7 bits are random, 1 to 127, and a driver that hands them back has periods
 * of that many less; the same ones after RESET, others from another seed. */
TEST(test_random)
{
    for (unsigned m = 1; m < WITH_IBS; m++) {
        unsigned first[3][200];
        bool hit[128] = {false};
        struct sim *s = ibs_machine(with_ibs[m]);
        for (unsigned round = 0; round < 3; round++) {
            unsigned low = 0;
            if (round == 2) assert_true(sim_skid(s, NULL, 7));
            sim_reset(s);
            for (unsigned k = 0; k < 200; k++) {
                wr(s, OPCTL, OPS | OP_ENABLE | MAX(0x200) | CUR(low));
                first[round][k] = sampled(s, 0x201);
                assert_int_equal(first[round][k], 0x200 - low);
                low = (unsigned)(rd(s, OPCTL) >> 32);
                assert_true(low >= 1 && low <= 127);
                hit[low] = true;
            }
        }
        unsigned values = 0;
        for (unsigned k = 0; k < 128; k++) values += hit[k];
        assert_true(values > 90);
        assert_memory_equal(first[0], first[1], sizeof first[0]);
        assert_memory_not_equal(first[0], first[2], sizeof first[0]);
        sim_free(s);
    }
}

/* A tagged op that does not retire gives no sample: the interval begins anew, with 7 random bits. */
TEST(test_aborted)
{
    for (unsigned m = 1; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        wr(s, OPCTL, OPS | OP_ENABLE | MAX(0x200));
        row(s, 0x1000, 0x200);
        sim_exception(s, 14, 0);
        const unsigned from = (unsigned)(rd(s, OPCTL) >> 32);
        assert_true(from >= 1 && from <= 127);
        assert_int_equal(sampled(s, 0x201), 0x200 - from);
        /* an interrupt comes before it is dispatched */
        wr(s, OPCTL, OPS | OP_ENABLE | MAX(0x200));
        row(s, 0x1000, 0x200);
        sim_interrupt(s, 32, false, 0);
        assert_int_equal(sampled(s, 1), 0);
        sim_free(s);
    }
}

/* ---- the interrupt ---- */

/* It comes late; the sample stays that of the tagged op. Beside a counter's, each has its own way. */
TEST(test_skid)
{
    static const unsigned skids[] = {0, 1, 5, 69};
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        for (size_t k = 0; k < sizeof skids / sizeof *skids; k++) {
            char spec[16];
            snprintf(spec, sizeof spec, "%u", skids[k]);
            assert_true(sim_skid(s, spec, 0));
            const unsigned before = interrupts.n, pmis = seen.pmi;
            wr(s, SEL0, 0xc0 | ON | INT);
            wr(s, CTR0, MASK48 - 0x8e); /* overflows two instructions before the tagged op */
            wr(s, OPCTL, OP_ENABLE | MAX(0x90));
            row(s, 0x1000, 0x91);
            assert_int_equal(interrupts.n - before, skids[k] == 0);
            assert_int_equal(seen.pmi - pmis, skids[k] <= 2);
            for (unsigned n = 1; n <= skids[k]; n++) {
                assert_int_equal(interrupts.n, before);
                one(s, 0x9000 + 4 * n);
                assert_int_equal(seen.pmi - pmis, n + 2 >= skids[k]);
            }
            assert_int_equal(interrupts.n, before + 1);
            assert_int_equal(interrupts.entry, m == 0);
            assert_int_equal(rd(s, OPRIP), 0x1000 + 4 * 0x90);
            wr(s, SEL0, 0);
        }
        sim_free(s);
    }
}

/* HLT retires nothing: what is on its way comes at once. */
TEST(test_halt)
{
    struct sim *s = ibs_machine("zen");
    assert_true(sim_skid(s, "10", 0));
    wr(s, OPCTL, OP_ENABLE | MAX(0x90));
    row(s, 0x1000, 0x91);
    assert_int_equal(interrupts.n, 0);
    sim_ticks(s, 1, true, 0);
    assert_int_equal(interrupts.n, 1);
    sim_free(s);
}

/* ---- in bulk ---- */

/* One by one only where an op may be tagged soon, and while fetches are counted. */
TEST(test_batches)
{
    struct sim *s = ibs_machine("zen4");
    wr(s, OPCTL, OPS | OP_ENABLE | MAX(0x90));
    assert_int_equal(sim_batches(s), SIM_BATCH_NONE);
    assert_int_equal(sampled(s, 200), 0x90);
    assert_int_equal(sim_batches(s), SIM_BATCH_ALL); /* it waits for software */
    wr(s, OPCTL, OPS | OP_ENABLE | UINT64_C(0x7f00000));
    assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
    const struct sim_kind kinds[] = {{.n = 0x7f00000 - 3}};
    const struct sim_batch b = {.kinds = kinds, .n_kinds = 1, .ticks = 5};
    sim_batch(s, &b);
    assert_int_equal(rd(s, OPCTL) >> 32, 0x7f00000 - 3);
    assert_int_equal(sim_batches(s), SIM_BATCH_NONE);
    assert_int_equal(sampled(s, 4), 3);
    wr(s, FETCHCTL, FETCH_ENABLE | MAX(0xffff0));
    assert_int_equal(sim_batches(s), SIM_BATCH_NONE);
    wr(s, FETCHCTL, 0);
    assert_int_equal(sim_batches(s), SIM_BATCH_ALL);
    sim_free(s);
}

/* Enabling it is what makes facts wanted. */
TEST(test_wakes)
{
    struct sim *s = ibs_machine("zen4");
    assert_false(sim_wants_facts(s));
    wr(s, OPCTL, MAX(0x90));
    assert_false(sim_wants_facts(s));
    wr(s, OPCTL, OP_ENABLE | MAX(0x90));
    assert_true(sim_wants_facts(s));
    sim_free(s);
}
