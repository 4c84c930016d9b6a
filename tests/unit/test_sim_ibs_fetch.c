/* Instruction-based sampling of the AMD model: fetches. */
#include "tests/unit/ibs_drive.h"

#define COMPLETE    BIT(50)
#define IC_MISS     BIT(51)
#define PHYSICAL    BIT(52)
#define RANDOM      BIT(57)
#define L2_MISS     BIT(58)
#define L3_ONLY     BIT(59)
#define OC_MISS     BIT(60)
#define L3_MISS     BIT(61)
#define STATUS_BITS UINT64_C(0x35fe000000000000) /* VAL, and what the sample says */
#define COUNT(ctl)  ((unsigned)((ctl) >> 16 & 0xffff))

static const uint64_t has[WITH_IBS] = {BIT(58) - 1, BIT(58) - 1, BIT(59) - 1, BIT(62) - 1};

/* On with this count to start from; off before, as Zen needs it. */
static void enable(struct sim *s, unsigned max, unsigned cnt, uint64_t more)
{
    wr(s, FETCHCTL, 0);
    wr(s, FETCHCTL, FETCH_ENABLE | MAX(max) | (uint64_t)(cnt >> 4) << 16 | more);
}

/* One fetch: an instruction in a block of its own. */
static void fetch(struct sim *s, unsigned k) { one(s, 0x100000 + 32 * k); }

/* Fetches until there is a sample: how many came before the one that is sampled? */
static unsigned sampled(struct sim *s, unsigned most)
{
    const unsigned before = interrupts.n;
    unsigned n = 0;
    while (interrupts.n == before && n < most) fetch(s, n++);
    assert_int_equal(interrupts.n, before + 1);
    assert_int_equal(rd(s, FETCHLIN), 0x100000 + 32 * (n - 1));
    assert_int_equal(rd(s, FETCHPHYS), 0x100000 + 32 * (n - 1));
    return n - 1;
}

TEST(test_interval)
{
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        for (unsigned cnt = 0; cnt <= 0x120; cnt += 16) {
            enable(s, 0x120, cnt, 0);
            assert_int_equal(sampled(s, 0x200), 0x120 - cnt);
        }
        enable(s, 0x10, 0x10000, 0); /* beyond the maximum: 20 bits come round */
        assert_int_equal(sampled(s, 0x100000), 0x100000 - 0x10000 + 0x10);
        sim_free(s);
    }
}

/* A block is 32 aligned bytes, and one fetch however many of its instructions run; a transfer begins another,
 * so does an interrupt; an instruction in two blocks needs both. */
TEST(test_blocks)
{
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        enable(s, 0x1000, 0, 0);
        row(s, 0x1000, 8 * 32); /* 32 blocks */
        assert_int_equal(COUNT(rd(s, FETCHCTL)), 2);
        enable(s, 0x1000, 0, 0);
        retire(s, 32, OP_BRANCH | OP_TAKEN, 0); /* to itself */
        assert_int_equal(COUNT(rd(s, FETCHCTL)), 2);
        enable(s, 0x1000, 0, 0);
        retire(s, 32, OP_BRANCH | OP_COND, 0);
        assert_int_equal(COUNT(rd(s, FETCHCTL)), 0);
        enable(s, 0x1000, 0, 0);
        for (unsigned k = 0; k < 16; k++) {
            retire(s, 1, 0, 0);
            sim_interrupt(s, 32, false, 0);
        }
        assert_int_equal(COUNT(rd(s, FETCHCTL)), 1);
        enable(s, 0x10, 0, 0);
        row(s, 0x1000, 8 * 15 + 7);
        const struct sim_insn across = {.lin = 0x11fe, .phys = 0x21fe, .len = 5};
        sim_instruction(s, &across); /* the 16th is its own block's, the 17th the next */
        assert_int_equal(interrupts.n, 1);
        assert_int_equal(rd(s, FETCHLIN), 0x1200);
        assert_int_equal(rd(s, FETCHPHYS), 0x2200);
        sim_free(s);
    }
}

/* The address of the first byte that is wanted of the block; the second page's part. */
TEST(test_addresses)
{
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        enable(s, 0x10, 0, 0);
        for (unsigned k = 0; k < 16; k++) fetch(s, k);
        const struct sim_insn target = {.lin = 0x40101b, .phys = 0x701b, .len = 3};
        sim_instruction(s, &target);
        assert_int_equal(rd(s, FETCHLIN), 0x40101b);
        assert_int_equal(rd(s, FETCHPHYS), 0x701b);
        enable(s, 0x10, 0, 0);
        for (unsigned k = 0; k < 15; k++) fetch(s, k);
        const struct sim_insn across = {.lin = 0x401ffd, .phys = 0x7ffd, .phys_high = 0x9000, .len = 5};
        sim_instruction(s, &across);
        assert_int_equal(rd(s, FETCHLIN), 0x402000);
        assert_int_equal(rd(s, FETCHPHYS), 0x9000);
        sim_free(s);
    }
}

static void check(struct sim *s, unsigned m, uint64_t expected, unsigned latency)
{
    const uint64_t ctl = rd(s, FETCHCTL);
    assert_int_equal(ctl & STATUS_BITS & ~BIT(49), (expected | COMPLETE | PHYSICAL | OC_MISS) & has[m]);
    assert_int_equal(ctl >> 32 & 0xffff, latency);
}

static void tagged_at(struct sim *s, uint64_t lin)
{
    enable(s, 0x10, 0, 0);
    for (unsigned k = 0; k < 16; k++) fetch(s, k);
    one(s, lin);
    assert_true(rd(s, FETCHCTL) & FETCH_VALID);
    assert_int_equal(rd(s, FETCHLIN), lin);
}

TEST(test_levels)
{
    /* ways of a line in L1I and L2, bytes apart in one set of both; cycles from L2, L3, memory */
    static const struct {
        unsigned stride, l1i, l2, latency[3];
    } caches[WITH_IBS] = {{32768, 2, 16, {12, 45, 180}},
                          {131072, 2, 16, {20, 65, 200}},
                          {65536, 4, 8, {13, 40, 250}},
                          {131072, 8, 8, {11, 50, 320}}};
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        tagged_at(s, 0x1000000);
        check(s, m, IC_MISS | L2_MISS | L3_MISS, 1 + caches[m].latency[2]);
        tagged_at(s, 0x1000000);
        check(s, m, 0, 1);
        tagged_at(s, 0x1000020); /* the line is there already */
        check(s, m, 0, 1);
        for (unsigned k = 1; k <= caches[m].l1i; k++) one(s, 0x1000000 + k * caches[m].stride);
        if (caches[m].l1i < caches[m].l2) {
            tagged_at(s, 0x1000000);
            check(s, m, IC_MISS, 1 + caches[m].latency[0]);
        }
        for (unsigned k = 1; k <= 2 * (caches[m].l1i + caches[m].l2); k++)
            one(s, 0x1000000 + k * caches[m].stride);
        tagged_at(s, 0x1000000);
        check(s, m, IC_MISS | L2_MISS, 1 + caches[m].latency[1]);
        assert_int_equal(m >= 2 ? rd(s, FETCHEXT) : 0, 0);
        sim_free(s);
    }
}

/* One at a time; what was said stays until software clears it. */
TEST(test_valid)
{
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        enable(s, 0x40, 0, 0);
        assert_int_equal(sampled(s, 100), 0x40);
        assert_int_equal(interrupts.entry, m == 0);
        const uint64_t ctl = rd(s, FETCHCTL), lin = rd(s, FETCHLIN);
        for (unsigned k = 0; k < 1000; k++) fetch(s, k);
        assert_int_equal(interrupts.n, 1);
        assert_int_equal(rd(s, FETCHCTL), ctl);
        assert_int_equal(rd(s, FETCHLIN), lin);
        wr(s, FETCHCTL, ctl & ~FETCH_ENABLE & ~FETCH_VALID);
        for (unsigned k = 0; k < 1000; k++) fetch(s, k);
        assert_int_equal(interrupts.n, 1);
        sim_free(s);
    }
}

/* Families 16h to 18h take the count over only where the enable bit rises (Linux): without that they are
 * at the maximum already, and the very next fetch is sampled. */
TEST(test_count_needs_the_edge)
{
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        enable(s, 0x40, 0, 0);
        assert_int_equal(sampled(s, 100), 0x40);
        wr(s, FETCHCTL, FETCH_ENABLE | MAX(0x40));
        assert_int_equal(sampled(s, 100), m == 2 ? 0 : 0x40);
        wr(s, FETCHCTL, MAX(0x40));
        wr(s, FETCHCTL, FETCH_ENABLE | MAX(0x40));
        assert_int_equal(sampled(s, 100), 0x40);
        sim_free(s);
    }
}

/* IbsRandEn: bits 3:0 of the start are random, all 16 of them. */
TEST(test_random)
{
    for (unsigned m = 0; m < WITH_IBS; m++) {
        struct sim *s = ibs_machine(with_ibs[m]);
        unsigned hits[16] = {0};
        for (unsigned k = 0; k < 400; k++) {
            enable(s, 0x40, 0, RANDOM);
            const unsigned n = sampled(s, 100);
            assert_true(n <= 0x40 && n > 0x30);
            hits[0x40 - n]++;
        }
        for (unsigned k = 0; k < 16; k++) assert_true(hits[k] > 5);
        sim_free(s);
    }
}

/* Samples without an L3 miss set nothing; the interval begins anew, at 0 without IbsRandEn. */
TEST(test_l3_miss_only)
{
    struct sim *s = ibs_machine("zen4");
    wr(s, SEL0, 0xc0 | ON);
    for (unsigned k = 0; k < 0x100; k++) fetch(s, k);
    enable(s, 0x40, 0, L3_ONLY);
    for (unsigned k = 0; k < 0x100; k++) fetch(s, k);
    assert_int_equal(interrupts.n, 0);
    assert_false(rd(s, FETCHCTL) & FETCH_VALID);
    enable(s, 0x40, 0, L3_ONLY);
    for (unsigned k = 0; k < 0x41 + 0x40; k++) fetch(s, k);
    one(s, 0x5000000);
    assert_int_equal(interrupts.n, 1);
    assert_int_equal(rd(s, FETCHLIN), 0x5000000);
    assert_true(rd(s, FETCHCTL) & L3_MISS);
    /* with it at 7 random bits, of which bits 6:4 can be read */
    unsigned begins[8] = {0};
    for (unsigned k = 0; k < 200; k++) {
        enable(s, 0x100, 0xf0, L3_ONLY | RANDOM);
        unsigned n = 0;
        while (COUNT(rd(s, FETCHCTL)) >= 15) fetch(s, n++);
        assert_true(COUNT(rd(s, FETCHCTL)) < 8);
        begins[COUNT(rd(s, FETCHCTL))]++;
    }
    for (unsigned k = 0; k < 8; k++) assert_true(begins[k] > 5);
    assert_int_equal(interrupts.n, 1);
    sim_free(s);
}
