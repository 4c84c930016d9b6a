/* Adaptive PEBS records, in all combinations of their groups, at offsets added up here: Linux'
 * arch/x86/include/asm/perf_event.h (struct pebs_basic, pebs_meminfo, pebs_gprs, pebs_xmm, lbr_entry,
 * pebs_cntr_header). */
#include "tests/unit/pebs_buffer.h"

/* Bits of MSR_PEBS_DATA_CFG (3F2h). */
enum { MEMORY = 1, REGS = 2, XMM = 4, LBR = 8, CNTR = 16 };
#define ENTRIES(n) (LBR | (uint32_t)((n)-1) << 24)

static const struct pebs_sources sources = {.level = {[4] = LEVEL_L3}, .walk = 0x10, .locked = 0x20};
static const uint32_t basic = SAMPLE_IP | SAMPLE_PRECISE | SAMPLE_COUNTER | SAMPLE_TSC | SAMPLE_RETIRE;

static uint32_t valid_of(uint32_t groups)
{
    uint32_t v = basic;
    if (groups & MEMORY) v |= SAMPLE_DATA | SAMPLE_LEVEL | SAMPLE_TLB | SAMPLE_LATENCY | SAMPLE_CACHE_LATENCY;
    if (groups & REGS) v |= SAMPLE_REGS;
    if (groups & XMM) v |= SAMPLE_XMM;
    if (groups & LBR) v |= SAMPLE_BRANCHES;
    if (groups & CNTR) v |= SAMPLE_INSTRUCTIONS | SAMPLE_CYCLES;
    return v;
}

/* The counters of the next records: general ones, fixed ones, 3 for the metrics. */
static struct counters {
    uint32_t general, fixed, metrics;
} both = {0, 3, 0};

static unsigned bits(uint32_t v) { return (unsigned)__builtin_popcount(v); }

static unsigned lbrs(uint32_t groups) { return groups & LBR ? (groups >> 24) + 1 : 0; }

static unsigned bytes_of(uint32_t groups)
{
    return 32 + (groups & MEMORY ? 32 : 0) + (groups & REGS ? 144 : 0) + (groups & XMM ? 256 : 0) +
           24 * lbrs(groups) +
           (groups & CNTR ? 16 + 8 * (bits(both.general) + bits(both.fixed)) + (both.metrics == 3 ? 16 : 0)
                          : 0);
}

static struct pebs plan(uint32_t groups)
{
    return (struct pebs){.layout = &pebs_adaptive,
                         .valid = valid_of(groups),
                         .record = (uint16_t)(pebs_adaptive_bytes(groups) + (groups & CNTR ? 16 : 0)),
                         .groups = groups,
                         .counter = 8,
                         .reset = 8,
                         .skid = 0,
                         .reset_high = 0xffff,
                         .memory = groups & MEMORY,
                         .source = &sources,
                         .source_kind = PEBS_SOURCE_LOAD,
                         .latency_bits = 0xffff0000ffff};
}

static uint64_t made[1024];
static unsigned made_words;
static void word(uint64_t v) { made[made_words++] = v; }

static void make(uint32_t groups, unsigned seed)
{
    made_words = 0;
    word((uint64_t)bytes_of(groups) << 48 | (uint64_t)(7 + seed) << 32 | groups);
    word(0xffffffff81000000ull + seed);
    word(1ull << 32); /* fixed counter 0 */
    word(0x100000000ull + seed);
    if (groups & MEMORY) {
        word(0x7fff00000000ull + seed);
        word(0x34);
        word(0x0055ull << 48 | 0xbbull << 32 | 0x77770000 | (90 + seed));
        word(0xdead);
    }
    if (groups & REGS) {
        word(0x202 + seed);
        word(0xffffffff82000000ull);
        for (unsigned i = 0; i < 16; i++) word(reg_value(seed, i)); /* ax cx dx bx sp bp si di r8-r15 */
    }
    if (groups & XMM)
        for (unsigned i = 0; i < 32; i++) word(reg_value(seed, 100 + i));
    for (unsigned i = 0; i < lbrs(groups); i++) {
        word(0x1000 + 16 * i + seed);
        word(0x2000 + 16 * i);
        word((i & 1 ? 1ull << 63 : 0) | (i & 2 ? 1ull << 60 : 0) | (uint64_t)(i >> 2 & 3) << 61 | (40 + i));
    }
    if (groups & CNTR) {
        word((uint64_t)both.fixed << 32 | both.general);
        word(0xee00000000 | both.metrics);
        for (unsigned i = 0; i < bits(both.general); i++) word(0xbad0 + i);
        for (unsigned i = 0; i < 32; i++)
            if (both.fixed >> i & 1) word(0xf00000000000 + 0x1000 * i + seed);
        for (unsigned i = 0; i < (both.metrics == 3 ? 2 : 0); i++) word(0xbad0);
    }
    assert_int_equal(8 * made_words, bytes_of(groups));
}

static void check(const struct sample *s, uint32_t groups, unsigned seed, bool arch)
{
    const unsigned n = (unsigned)(s - buffer);
    assert_int_equal(s->valid, valid_of(groups));
    assert_int_equal(s->counter, 8);
    assert_int_equal(s->ip, 0xffffffff81000000ull + seed); /* EventingIP, not the registers' */
    assert_int_equal(s->tsc, 0x100000000ull + seed);
    assert_int_equal(s->retire, 7 + seed);
    if (groups & MEMORY) {
        assert_int_equal(s->data, 0x7fff00000000ull + seed);
        assert_int_equal(s->latency, 90 + seed);
        assert_int_equal(s->cache_latency, 0xbb);
        assert_int_equal(s->level, LEVEL_L3);
        assert_int_equal(s->tlb, TLB_WALK);
        assert_int_equal(s->traits, SAMPLE_LOAD | SAMPLE_LOCKED);
    }
    if (groups & REGS) {
        assert_int_equal(s->flags, 0x202 + seed);
        for (unsigned r = 0; r < 16; r++) assert_int_equal(s->reg[r], reg_value(seed, r));
    }
    for (unsigned i = 0; groups & XMM && i < 32; i++)
        assert_int_equal(xmms[n][i / 2][i % 2], reg_value(seed, 100 + i));
    for (unsigned i = 0; groups & CNTR && i < 2; i++)
        assert_int_equal(counts_of[n][i], 0xf00000000000 + 0x1000 * i + seed);
    const unsigned kept = lbrs(groups) < BRANCHES_MOST ? lbrs(groups) : BRANCHES_MOST;
    assert_int_equal(s->branches, kept);
    for (unsigned i = 0; i < kept; i++) {
        const struct branch *b = &branches[n * BRANCHES_MOST + i];
        assert_true(b->from == 0x1000 + 16 * i + seed && b->to == 0x2000 + 16 * i);
        assert_true(b->cycles == 40 + i && b->mispredicted == (i & 1));
        assert_int_equal(b->known, BRANCH_PREDICTION | (!arch || i & 2 ? BRANCH_CYCLES : 0) |
                                       (i & 4 ? BRANCH_ABORT : 0) | (i & 8 ? BRANCH_IN_TX : 0));
    }
}

static const uint32_t counts[] = {1, 2, 8, 31, 32, 33, 256};

/* 2^5 groups beside the basic one, with several numbers of LBR entries. */
TEST(groups)
{
    for (uint32_t g = 0; g < 32; g++)
        for (unsigned c = 0; c < (g & LBR ? sizeof counts / sizeof *counts : 1); c++)
            for (unsigned arch = 0; arch < 2; arch++) {
                const uint32_t all = (g & ~LBR) | (g & LBR ? ENTRIES(counts[c]) : 0);
                struct pebs p = plan(all);
                struct samples out = empty(64);
                p.arch_lbr = arch;
                assert_int_equal(p.record, bytes_of(all));
                memset(area, 0, sizeof area);
                pebs_init(&p, area, 3, 1000);
                assert_int_equal(ds(DS_MAX) - ds(DS_BASE), (3 + PEBS_SLACK) * bytes_of(all));
                for (unsigned seed = 0; seed < 5; seed++) {
                    make(all, seed);
                    push(made, bytes_of(all));
                }
                assert_int_equal(pebs_drain(&p, &out), 5);
                decode_branches(&p, &out);
                assert_false(out.more);
                for (unsigned seed = 0; seed < 5; seed++) check(&buffer[seed], all, seed, arch);
            }
}

/* Where the reset values are: 8 general counters and then the fixed ones, or 32. */
TEST(resets)
{
    static const struct {
        const struct pebs_layout *layout;
        unsigned fixed;
    } of[] = {{&pebs_adaptive, 8}, {&pebs_adaptive_32, 32}};
    for (unsigned k = 0; k < 2; k++)
        for (unsigned n = 0; n < of[k].fixed + 4; n++) {
            struct pebs p = plan(0);
            p.layout = of[k].layout;
            p.reset = (uint8_t)n;
            assert_int_equal(p.layout->general, of[k].fixed);
            memset(area, 0xff, sizeof area);
            pebs_init(&p, area, 1, 1000);
            for (unsigned i = 0; i < of[k].fixed + 4; i++)
                assert_int_equal(ds(DS_RESET + 8 * i), i == n ? 0xfffffffffc18 : 0);
            assert_true(ds(DS_BASE) >= (uintptr_t)area + DS_RESET + 8 * (of[k].fixed + 4));
        }
}

/* Fewer groups than planned are what the record says; its sample claims no more. */
TEST(fewer)
{
    for (uint32_t g = 0; g < 32; g++) {
        const uint32_t has = (g & ~LBR) | (g & LBR ? ENTRIES(8) : 0), planned = 7 | ENTRIES(16) | CNTR;
        struct pebs p = plan(planned);
        struct samples out = empty(64);
        memset(area, 0, sizeof area);
        pebs_init(&p, area, 4, 1000);
        for (unsigned k = 0; k < 3; k++) {
            make(k == 1 ? has : planned, k);
            push(made, bytes_of(k == 1 ? has : planned));
        }
        assert_int_equal(pebs_drain(&p, &out), 3);
        decode_branches(&p, &out);
        assert_false(out.more);
        check(&buffer[0], planned, 0, false);
        check(&buffer[1], has, 1, false);
        check(&buffer[2], planned, 2, false);
    }
}

/* Whichever counters a record has, those of fixed 0 and 1 are found, and no others claimed. A group that is
 * longer than its record, or shorter, is no record. */
TEST(counters)
{
    static const struct {
        struct counters has;
        int more; /* words, than there should be */
    } rows[] = {{{0, 1, 0}, 0},    {{0, 2, 0}, 0},  {{0, 0, 0}, 0}, {{0x3ff, 0xff, 3}, 0}, {{5, 6, 3}, 0},
                {{5, 0x13, 3}, 0}, {{1, 2, 1}, 0},  {{0, 3, 0}, 1}, {{0, 3, 0}, -1},       {{5, 6, 3}, 1},
                {{5, 6, 3}, -1},   {{0, 0, 0}, -1}, {{0, 0, 0}, -2}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++)
        for (unsigned pool = 0; pool < 2; pool++) {
            struct pebs p = plan(CNTR);
            struct samples out = empty(64);
            if (!pool) out.counts = NULL;
            memset(area, 0, sizeof area);
            pebs_init(&p, area, 30, 1000);
            both = rows[k].has;
            make(CNTR, 1);
            made[0] += (uint64_t)(8 * rows[k].more) << 48;
            push(made, bytes_of(CNTR) + (unsigned)(8 * rows[k].more));
            both = (struct counters){0, 3, 0};
            make(CNTR, 2);
            push(made, bytes_of(CNTR));
            const unsigned n = pebs_drain(&p, &out);
            decode_branches(&p, &out);
            assert_true(out.more == (rows[k].more != 0));
            if (rows[k].more) {
                assert_int_equal(n, 0);
                continue;
            }
            assert_int_equal(n, 2);
            assert_int_equal(buffer[0].valid, basic | (pool ? (rows[k].has.fixed & 3) << 18 : 0));
            for (unsigned i = 0; i < 2; i++)
                assert_int_equal(counts_of[0][i],
                                 pool && rows[k].has.fixed >> i & 1 ? 0xf00000000001 + 0x1000 * i : 0);
            assert_int_equal(buffer[1].valid, basic | (pool ? SAMPLE_INSTRUCTIONS | SAMPLE_CYCLES : 0));
        }
}

/* A record whose length does not fit its groups, or with a group that nobody planned (counters: bit 4), ends
 * what is known; so does one that is cut. */
TEST(broken)
{
    static const struct {
        uint64_t flip;
        int cut;
    } how[] = {{8ull << 48, 0}, {1ull << 4, 0}, {1ull << 5, 0}, {MEMORY, 0}, {REGS, 0},
               {0, 8},          {0, 170},       {0, 177},       {0, 200}};
    for (unsigned k = 0; k < sizeof how / sizeof *how; k++) {
        struct pebs p = plan(MEMORY | REGS);
        struct samples out = empty(64);
        memset(area, 0, sizeof area);
        pebs_init(&p, area, 4, 1000);
        for (unsigned i = 0; i < 3; i++) {
            make(MEMORY | REGS, i);
            if (i == 1) made[0] ^= how[k].flip;
            push(made, bytes_of(MEMORY | REGS));
        }
        if (how[k].cut) ds_set(DS_INDEX, ds(DS_INDEX) - bytes_of(MEMORY | REGS) - (unsigned)how[k].cut);
        assert_int_equal(pebs_drain(&p, &out), 1);
        decode_branches(&p, &out);
        assert_true(out.n == 1 && out.more && out.lost == 0);
        check(&buffer[0], MEMORY | REGS, 0, false);
        assert_int_equal(ds(DS_INDEX), ds(DS_BASE));
    }
}

/* The first entry that is 0 is none, and none follows: there were fewer branches. */
TEST(few_branches)
{
    struct pebs p = plan(ENTRIES(32));
    struct samples out = empty(2);
    memset(area, 0, sizeof area);
    pebs_init(&p, area, 4, 1000);
    make(ENTRIES(32), 0);
    made[4 + 3 * 5] = 0;
    for (unsigned i = 0; i < 5; i++) push(made, bytes_of(ENTRIES(32)));
    assert_int_equal(pebs_drain(&p, &out), 5);
    decode_branches(&p, &out);
    assert_true(out.n == 2 && out.lost == 3 && buffer[1].branches == 5);
    out = empty(2);
    out.branch = NULL; /* nobody wants them */
    push(made, bytes_of(ENTRIES(32)));
    assert_int_equal(pebs_drain(&p, &out), 1);
    decode_branches(&p, &out);
    assert_int_equal(buffer[0].branches, 0);
}
